"""What the panel says of a gap that the browser cannot compute."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chunking import samples, strategies
from chunking.explain import CountFlips, explain_gap
from chunking.strategies import Segmentation
from chunking.workspace import DocumentAnalysis
from pages.shared.inspect import gap_facts


def made(setting: str) -> Segmentation:
    sample = samples.load("field-guide-to-backups")
    return strategies.parse(setting).run(DocumentAnalysis(sample.document))


def facts(result: Segmentation, gap: int) -> dict[str, str]:
    return dict(gap_facts.rows(result, gap))


def test_what_is_compared_is_said_where_it_is_more_than_two_sentences() -> None:
    assert facts(made("structural:block=1"), 3) == {}
    assert "at several scales" in facts(made("structural"), 3)["Compared"]
    assert facts(made("structural:block=3"), 3)["Compared"] == "the 3 sentences before and the 3 after"
    assert "1 neighbour on either side" in facts(made("percentile:window=1"), 3)["Compared"]


def test_a_strategy_without_curves_and_no_gap_have_none() -> None:
    assert gap_facts.rows(made("recursive"), 3) == []
    assert gap_facts.rows(made("structural"), None) == []
    assert gap_facts.rows(made("structural"), 10**6) == []


def test_a_tree_says_what_opens_a_topic() -> None:
    result = made("changepoint_tree:subtopics=3")
    cuts = [chunk.cut for chunk in result.chunks if chunk.cut and chunk.parent is not None]
    opens = {cut.detail: facts(result, cut.gap)["Opens"] for cut in cuts if cut.gap is not None}
    assert "topic penalty" in opens["topic"]
    assert opens["sub-topic"] == "a sub-topic only"


def test_a_finer_division_says_what_the_text_supports() -> None:
    assert " × 2^1 (" in facts(made("changepoint:fineness=1"), 4)["Supported"]
    assert "another number is given" in facts(made("changepoint:percentile=80"), 4)["Supported"]


@pytest.mark.parametrize(
    ("flips", "cut", "words"),
    [
        (CountFlips(20, 12, None, 100), True, "not cut with 12 (percentile 88.0); now 20"),
        (CountFlips(20, 12, 31, 100), True, "not cut with 12 (percentile 88.0) or 31 (percentile 69.0); now 20"),
        (CountFlips(20, None, 25, 100), False, "cut with 25 (percentile 75.0); now 20"),
        (CountFlips(20, 0, None, 100), True, "not cut with 0; now 20"),
        (CountFlips(1, None, 3000, 3000), False, "cut with 3,000; now 1"),
        (CountFlips(20, None, None, 100), False, "no other number found at which it is cut; now 20"),
    ],
)
def test_the_words_of_a_change_of_number(flips: CountFlips, cut: bool, words: str) -> None:
    """No percentile is named that cannot be set: 0 is automatic, and 100 is none."""
    assert gap_facts._count_words(flips, cut) == words


def test_a_change_point_says_what_would_change_it_or_that_it_was_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    result = made("changepoint:percentile=90.0")
    assert result.signals is not None
    gap = int(result.signals.threshold.exceeded.argmax())
    flips = explain_gap(result, gap).count_flips
    assert flips is not None and flips.fewer is not None
    assert f"not cut with {flips.fewer} " in facts(result, gap)["Number of boundaries"]
    unknown = replace(explain_gap(result, gap), alpha_flips=None, count_flips=None)
    monkeypatch.setattr("chunking.explain.explain_gap", lambda *_: unknown)
    assert list(facts(result, gap).values()).count("not computed for a document of this length") == 2
