"""A comparison of several segmentations, and what the command line prints of it."""

from __future__ import annotations

import numpy as np
import pytest

from chunking import samples, strategies
from chunking.alignment.pieces import Piece
from chunking.comparison import report
from chunking.comparison.report import Comparison
from chunking.reference import Reference
from chunking.tokens import get_tokenizer
from chunking.workspace import DocumentAnalysis

COUNTERS = {"cl100k_base": get_tokenizer()}


@pytest.fixture(scope="module")
def workspace() -> DocumentAnalysis:
    sample = samples.load("field-guide-to-backups")
    return DocumentAnalysis(sample.document)


@pytest.fixture(scope="module")
def compared(workspace: DocumentAnalysis) -> Comparison:
    settings = strategies.parse_all("structural,percentile:overlap=1,interquartile:max_tokens=120")
    entries = [report.entry(setting, setting.run(workspace)) for setting in settings]
    halves = workspace.document.text[:5000], workspace.document.text[4900:]
    entries.append(report.own_entry(workspace, "mine.json", [Piece(half) for half in halves]))
    return report.make(workspace, entries, Reference(samples.load("field-guide-to-backups").boundaries))


def test_gold_stands_among_the_lanes_where_there_is_some(compared: Comparison, workspace: DocumentAnalysis) -> None:
    labels, matrix = compared.matrix("f1")
    assert labels == ["gold", *(entry.label for entry in compared.entries)]
    assert matrix.values.shape == (5, 5)
    assert matrix.values[0, 1] > 0.6 > matrix.chance_high[0, 1], "the default finds this sample's gold"
    without = report.make(workspace, compared.entries)
    assert without.matrix("pk")[0] == [entry.label for entry in compared.entries]


def test_a_partial_reference_is_compared_where_it_was_judged_alone(
    compared: Comparison, workspace: DocumentAnalysis
) -> None:
    first = compared.entries[0]
    right, wrong, other = first.offsets[:3].tolist()
    added = next(offset for offset in workspace.offsets.tolist() if offset not in first.offsets)
    reference = Reference(tuple(sorted((right, added))), (wrong,), (added,), complete=False)
    part = report.make(workspace, compared.entries, reference)
    assert part.reference.complete_boundaries == ()
    assert part.matrix("f1")[0] == [entry.label for entry in compared.entries]
    score = part.partial_scores[first.label]
    assert (score.precision.accepted, score.precision.judged, score.precision.total) == (1, 2, len(first.offsets))
    assert (score.added_cut, score.added, score.recall, score.judgements) == (0, 1, 0.0, 3)
    found = report.as_dict(part, COUNTERS)["gold"]
    assert (found["complete"], found["judgements"], found["rejected"]) == (False, 3, [wrong])
    assert found["judged"][first.label]["precision"] == 0.5
    assert found["judged"][first.label]["precision_interval"] == list(score.precision.interval)
    assert other not in found["boundaries"]


def test_a_cut_anywhere_between_two_sentences_is_at_their_gap(workspace: DocumentAnalysis) -> None:
    units, offsets = workspace.sentences, workspace.offsets
    left, right = units.spans[:-1, 1], units.spans[1:, 0]
    for places in (left, right, offsets):
        assert np.array_equal(report.at_gaps(places, units, offsets), offsets)
    inside = np.array([int(units.spans[3, 0]) + 2])
    assert np.array_equal(report.at_gaps(inside, units, offsets), inside)


def test_a_library_that_gives_no_chunk_says_so(workspace: DocumentAnalysis) -> None:
    strategy = strategies.get("llamaindex_json")
    if not strategy.installed():
        pytest.skip("LlamaIndex is not installed")
    made = strategies.parse("llamaindex_json").run(workspace)
    assert made.chunks == ()
    assert made.warnings == ("LlamaIndex JSON returned no chunk for this document.",)
