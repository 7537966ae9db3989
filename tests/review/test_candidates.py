"""What to judge, in which order."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError, from_text
from chunking.reference.state import Judgement, Review
from chunking.review import candidates as listed
from chunking.review.candidates import Candidate, Order, Progress, Proposal, candidates
from chunking.strategies import parse
from chunking.workspace import DocumentAnalysis

GAPS = np.array([10, 20, 30, 40, 50, 60, 70], dtype=np.int64)
CUTS = (Proposal(20, 0.6, 0.5), Proposal(40, 0.9, 0.5), Proposal(55, None, None), Proposal(60, 0.51, 0.5))


def offsets(order: Order, seed: int = 0) -> list[int]:
    return [each.offset for each in candidates(CUTS, GAPS, "percentile", order, seed=seed)]


def test_orders() -> None:
    assert offsets("text") == [20, 40, 55, 60]
    assert offsets("surest") == [40, 20, 60, 55]
    assert offsets("closest") == [60, 20, 40, 55]
    assert sorted(offsets("random")) == [20, 40, 55, 60]
    assert {tuple(offsets("random", seed=seed)) for seed in range(40)} > {tuple(offsets("random"))}
    with pytest.raises(ChunkscopeError, match="no order"):
        candidates(CUTS, GAPS, "percentile", "best")  # type: ignore[arg-type]


def test_each_knows_its_gap_and_who_proposed_it() -> None:
    found = candidates(CUTS, GAPS, "percentile")
    assert found[0] == Candidate(20, 1, "percentile", 0.6, 0.5)
    assert [each.gap for each in found] == [1, 3, 4, 5]
    assert candidates([Proposal(3)], np.zeros(0, dtype=np.int64), "x", blind=True) == (Candidate(3, -1, "x"),)


@given(st.sets(st.integers(0, 59)), st.integers(60, 90), st.sampled_from(get_args(Order)), st.integers(0, 99))
def test_blind_mixes_in_as_many_that_are_not_cut(cut: set[int], gaps: int, order: Order, seed: int) -> None:
    places = np.arange(1, gaps + 1, dtype=np.int64) * 10
    proposed = [Proposal(int(places[gap])) for gap in sorted(cut)]
    found = candidates(proposed, places, "s", order, blind=True, seed=seed)
    own = {each.gap for each in found if each.proposed}
    others = [each.gap for each in found if not each.proposed]
    assert own == cut
    assert len(others) == len({*others}) == min(len(cut), gaps - len(cut))
    assert not own & {*others}
    assert found == candidates(proposed, places, "s", "text", blind=True, seed=seed)


def test_where_a_blind_candidate_comes_tells_nothing_of_it() -> None:
    places = np.arange(1, 101, dtype=np.int64)
    proposed = [Proposal(each) for each in range(1, 21)]
    first = [bool(candidates(proposed, places, "s", blind=True, seed=seed)[0].proposed) for seed in range(200)]
    assert 70 < sum(first) < 130


def test_the_seed_follows_from_document_and_setting() -> None:
    assert listed.seed("a", "b") == listed.seed("a", "b")
    assert len({listed.seed("a", "b"), listed.seed("a", "c"), listed.seed("b", "b")}) == 3


def test_proposals_are_the_cuts_of_a_segmentation() -> None:
    text = "# One\n\nBread is made of flour.\n\n# Two\n\nSoup is made of water.\n"
    document = from_text(text, format="markdown", language="en")
    found = listed.proposals(parse("heading").run(DocumentAnalysis(document)))
    assert found == (Proposal(text.index("# Two")),)


def judged(*verdicts: tuple[int, str]) -> Review:
    return Review("Ada", "d", {offset: Judgement(offset, verdict) for offset, verdict in verdicts})  # type: ignore[arg-type]


def test_how_far_it_is() -> None:
    found = candidates(CUTS, GAPS, "percentile")
    assert listed.progress(found, judged((20, "reject"), (40, "skip"), (33, "accept"))) == Progress(1, 1, 2)
    done = judged((20, "accept"), (40, "accept"), (55, "reject"), (60, "accept"))
    assert listed.progress(found, done).finished


def test_only_a_fair_sample_goes_without_a_caution() -> None:
    part, skipped, whole = Progress(5, 0, 5), Progress(5, 1, 4), Progress(10, 0, 0)
    assert [bool(listed.caution(order, False, part)) for order in listed.ORDERS] == [True, False, True, True]
    assert listed.caution("text", True, part) == ""
    assert "Skipped" in listed.caution("random", False, skipped)
    assert not any(listed.caution(order, False, whole) for order in listed.ORDERS)
