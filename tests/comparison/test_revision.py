"""What an edit changes: which gaps are one place, and which decisions differ."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from chunking import DocumentAnalysis, Models, run
from chunking.comparison import revision
from chunking.comparison.revision import Revision, Version
from chunking.loading import from_text
from chunking.strategies import parse
from tests.runtime import pump

EXPONENT = 1.4
"""Highest growth of processor time that passes; looking each gap up among all has 2."""

QUICK = 0.02
"""Processor seconds of the largest text below which it says nothing of growth."""

TOOLS = Models(encoder="char-ngrams", splitter="rules")
PARTS = (
    "# Pumps\n\nA pump moves water. The impeller turns in its housing. Seals keep the water in.",
    "# Bread\n\nFlour and water make dough. The dough rests for an hour. The oven is hot.",
)


def divided(text: str) -> Version:
    workspace = DocumentAnalysis(from_text(text), TOOLS)
    segmentation = parse("heading:min_tokens=0;soft_min_tokens=0").run(workspace)
    return Version(workspace.sentences, workspace.offsets, segmentation)


def test_a_heading_that_becomes_text_is_a_cut_that_is_gone_and_its_reason_is_told() -> None:
    before, after = (divided(text) for text in ("\n\n".join(PARTS), "\n\n".join(PARTS).replace("# B", "B")))
    (change,) = Revision(before, after).changes
    assert not change.is_new
    assert change.before is not None
    assert change.before.is_cut
    assert change.before.reason.startswith("a heading")
    assert change.after is None or not change.after.is_cut


def test_a_heading_that_is_added_is_a_new_cut() -> None:
    text = "\n\n".join(PARTS)
    before, after = divided(text), divided(text.replace("The dough", "\n\n## Rest\n\nThe dough"))
    (change,) = Revision(before, after).changes
    assert change.is_new
    assert change.words == "Rest"


def test_a_decision_by_distance_tells_what_was_compared() -> None:
    workspace = DocumentAnalysis(from_text("\n\n".join(PARTS)), TOOLS)
    segmentation = run("percentile", workspace)
    version = Version(workspace.sentences, workspace.offsets, segmentation)
    decisions = [version.decision(gap) for gap in range(len(workspace.offsets))]
    assert any(">" in decision.reason for decision in decisions if decision.is_cut)
    assert any("≤" in decision.reason for decision in decisions if not decision.is_cut)


def divided_by_headings(count: int) -> tuple[Version, Version]:
    """A text with so many headings, and the same with every second of them no heading."""
    parts = [f"# Part {number}\n\nThe pump of part {number} moves water.\n\n" for number in range(count)]
    edited = [part.removeprefix("# ") if number % 2 else part for number, part in enumerate(parts)]
    return divided("".join(parts)), divided("".join(edited))


def test_the_time_for_the_changes_of_a_text_grows_with_it() -> None:
    made = {count: divided_by_headings(count) for count in (500, 1_000, 2_000, 4_000)}

    def cost(count: int, run: int) -> float:
        before, after = (Version(part.sentences, part.offsets, part.segmentation) for part in made[count])
        started = time.thread_time()
        assert len(Revision(before, after).changes) == count // 2
        return time.thread_time() - started

    growth, _ = pump.exponent(cost, 4_000, QUICK)
    assert growth <= EXPONENT


sentences = st.lists(st.sampled_from("abcde"), max_size=8)


@given(sentences, sentences)
def test_matched_sentences_are_the_same_and_in_order(before: list[str], after: list[str]) -> None:
    matched = revision.matched_sentences(before, after).tolist()
    pairs = [(old, new) for new, old in enumerate(matched) if old >= 0]
    assert all(before[old] == after[new] for old, new in pairs)
    assert all(one[0] < other[0] for one, other in pairwise(pairs))


def test_sentences_that_repeat_are_matched_from_both_ends() -> None:
    assert revision.matched_sentences(["a"] * 6, ["a", "a", "b", "a", "a", "a", "a"]).tolist() == [0, 1, -1, 2, 3, 4, 5]
    moved = revision.matched_sentences(["one", "two", "three", "x", "x"], ["x", "two", "three", "x", "one"]).tolist()
    assert moved == [-1, 1, 2, 3, -1]


@given(sentences, sentences)
def test_each_gap_is_matched_once(before: list[str], after: list[str]) -> None:
    matched = revision.matched_gaps(before, after).tolist()
    assert len(matched) == max(len(after) - 1, 0)
    old = [gap for gap in matched if gap >= 0]
    assert len(set(old)) == len(old)
    assert all(gap < len(before) - 1 for gap in old)


@given(sentences)
def test_an_unchanged_text_matches_itself(texts: list[str]) -> None:
    assert revision.matched_gaps(texts, texts).tolist() == list(range(max(len(texts) - 1, 0)))
