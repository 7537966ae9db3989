"""What the tables of a comparison say of overlap, and where text is in several chunks."""

from __future__ import annotations

import numpy as np
import pytest

from chunking import from_text, strategies
from chunking.alignment.pieces import Piece
from chunking.comparison import OverlapOutcome, coverage
from chunking.comparison.report import ComparisonEntry, own_entry
from chunking.workspace import DocumentAnalysis
from pages.shared.compare import lanes
from pages.shared.compare.tables import _overlap_words, _strip
from pages.shared.documents.results import Results
from pages.shared.settings.lane_settings import _is_small, _rows

TEXT = "Alpha begins here. Beta follows it. Gamma is third. Delta ends the list."


@pytest.fixture
def workspace() -> DocumentAnalysis:
    return DocumentAnalysis(from_text(TEXT, "letters.txt", "text", language="en"))


def made(workspace: DocumentAnalysis, *texts: str) -> ComparisonEntry:
    return own_entry(workspace, "mine", tuple(Piece(text) for text in texts))


def outcome(asked: int, reached: list[int], full: list[bool]) -> OverlapOutcome:
    values = np.array(reached, dtype=np.int64)
    return OverlapOutcome(asked, "tokens", np.arange(1, len(values) + 1), values, values * 4, np.array(full))


def test_doubled_text_is_found_where_it_stands(workspace: DocumentAnalysis) -> None:
    sentence = "Gamma is third."
    entry = made(workspace, "Alpha begins here. Beta follows it. Gamma is third.", sentence, "Delta ends the list.")
    spans = coverage(entry.segmentation).duplicated.tolist()
    assert [TEXT[start:end] for start, end in spans] == [sentence]
    assert len(coverage(made(workspace, TEXT).segmentation).duplicated) == 0


def test_lost_text_is_found_where_it_stands(workspace: DocumentAnalysis) -> None:
    entry = made(workspace, "Alpha begins here.", "Gamma is third. Delta ends the list.")
    spans = coverage(entry.segmentation).lost.tolist()
    assert [TEXT[start:end].strip() for start, end in spans] == ["Beta follows it."]


@pytest.mark.parametrize(
    ("reached", "full", "said"),
    [
        ([8, 8], [True, True], "8 tokens requested, reached in full at every one of 2 boundaries."),
        (
            [8, 3, 0],
            [True, False, False],
            "reached in full at only 1 (33 %) of 3 boundaries; 1 (33 %) have less, 1 (33 %)",
        ),
        ([8, 8, 0], [True, True, False], "reached in full at 2 (67 %) of 3 boundaries; 1 (33 %) have none."),
        ([0], [False], "reached in full at none of 1 boundary; 1 (100 %) have none."),
    ],
)
def test_the_overlap_that_was_reached_is_said(reached: list[int], full: list[bool], said: str) -> None:
    assert said in _overlap_words("A <lane>", outcome(8, reached, full))
    assert _overlap_words("A <lane>", outcome(8, reached, full)).startswith("A &lt;lane&gt;: ")


def test_the_strip_has_a_bar_a_boundary_as_high_as_what_is_reached() -> None:
    strip = _strip(outcome(8, [8, 4, 0], [True, False, False]))
    assert strip.count("<i ") == 3
    assert [f"height:{share}%" in strip for share in (100, 50, 0)] == [True] * 3
    assert _strip(outcome(8, [4] * 5000, [False] * 5000)).count("<i ") <= 240


def test_a_table_is_made_once_for_the_same_segmentations(workspace: DocumentAnalysis) -> None:
    results, calls = Results(), []
    one, other = made(workspace, TEXT), made(workspace, TEXT)
    for entries in ([one], [lanes.with_number(one, 3)], [other], [one]):
        results.derive("table", entries, lambda: calls.append(1))
    assert len(calls) == 2, "the number of a lane changes no table, another file of the same name does"


def test_a_lane_keeps_its_number(workspace: DocumentAnalysis) -> None:
    entry = made(workspace, TEXT)
    assert lanes.lane_title(0, entry) == "1 · yours: mine"
    assert lanes.lane_title(0, lanes.with_number(entry, 5)) == "5 · yours: mine"


@pytest.mark.parametrize("name", list(strategies.REGISTRY))
def test_controls_keep_their_order_and_none_is_lost(name: str) -> None:
    known = strategies.get(name).params.describe()
    rows = _rows(known)
    assert [each for row in rows for each in row] == list(known)
    assert all(len(row) == 1 or (len(row) == 2 and all(map(_is_small, row))) for row in rows)
