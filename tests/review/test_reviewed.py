"""The gold that several reviewers come to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunking.reference.state import Judgement, Review, Verdict
from chunking.review.reviewed import resolve
from chunking.sentences import from_units, gap_offsets

UNITS = from_units(["Bread is baked.", "Soup is cooked.", "Tea is brewed.", "Milk is churned."])
AXIS = (UNITS, gap_offsets(UNITS))
FIRST, SECOND, THIRD = (int(offset) for offset in AXIS[1])


def said(**verdicts: dict[int, Verdict]) -> dict[str, Review]:
    return {
        name: Review(name, "d", {offset: Judgement(offset, verdict) for offset, verdict in own.items()})
        for name, own in verdicts.items()
    }


def test_of_one_reviewer_it_is_what_she_says() -> None:
    found = resolve(said(Ada={FIRST: "accept", SECOND: "reject", THIRD: "skip"}), {}, AXIS)
    assert (found.boundaries, found.rejected, found.disagreements) == ((FIRST,), (SECOND,), ())


def test_the_majority_of_those_who_judged_counts_and_a_tie_is_open() -> None:
    found = resolve(
        said(
            Ada={FIRST: "accept", SECOND: "accept", THIRD: "accept"},
            Bob={FIRST: "accept", SECOND: "reject", THIRD: "reject"},
            Cho={FIRST: "reject", SECOND: "skip", THIRD: "reject"},
        ),
        {},
        AXIS,
    )
    assert (found.boundaries, found.rejected) == ((FIRST,), (THIRD,))
    assert [(each.offset, each.outcome, each.boundary) for each in found.disagreements] == [
        (FIRST, "majority", True),
        (SECOND, "open", None),
        (THIRD, "majority", False),
    ]
    assert [each.offset for each in found.open] == [SECOND]
    assert [(vote.reviewer, vote.boundary) for vote in found.open[0].votes] == [
        ("Ada", True),
        ("Bob", False),
        ("Cho", None),
    ]


def test_places_that_nobody_judged_are_unknown_until_a_reviewer_declares_the_document_complete() -> None:
    partial = said(Ada={FIRST: "accept", SECOND: "reject"})
    found = resolve(partial, {}, AXIS).reference
    assert not found.complete and found.partial and found.complete_boundaries == ()
    assert (found.judgements, found.reviewers) == (2, ("Ada",))
    declared = {"Ada": replace(partial["Ada"], complete=True)}
    found = resolve(declared, {}, AXIS).reference
    assert found.complete and not found.partial and found.complete_boundaries == (FIRST,)


def test_a_place_that_is_skipped_or_in_dispute_keeps_a_document_from_being_complete() -> None:
    ada = replace(said(Ada={FIRST: "accept", SECOND: "skip"})["Ada"], complete=True)
    assert not resolve({"Ada": ada}, {}, AXIS).reference.complete
    bob = said(Bob={FIRST: "reject", SECOND: "reject"})
    assert not resolve({"Ada": ada, **bob}, {}, AXIS).reference.complete
    ruled = {FIRST: Judgement(FIRST, "accept")}
    assert resolve({"Ada": ada, **bob}, ruled, AXIS).reference.complete


def test_a_boundary_that_a_strategy_proposed_is_not_an_added_one() -> None:
    own = said(Ada={FIRST: "accept", SECOND: "accept"})["Ada"]
    judgements = {**own.judgements, FIRST: Judgement(FIRST, "accept", proposed="percentile")}
    assert resolve({"Ada": replace(own, judgements=judgements)}, {}, AXIS).reference.added == (SECOND,)


def test_a_decision_counts_for_all() -> None:
    reviews = said(Ada={FIRST: "accept", SECOND: "accept"}, Bob={FIRST: "reject", SECOND: "accept"})
    ruled = {FIRST: Judgement(FIRST, "accept"), SECOND: Judgement(SECOND, "reject"), THIRD: Judgement(THIRD, "accept")}
    found = resolve(reviews, ruled, AXIS)
    assert (found.boundaries, found.rejected, found.open) == ((FIRST, THIRD), (SECOND,), ())
    assert [each.outcome for each in found.disagreements] == ["decided"]


def test_offsets_in_one_gap_are_one_place() -> None:
    end = int(UNITS.spans[0, 1])
    reviews = said(Ada={end: "accept"}, Bob={FIRST: "accept"}, Cho={FIRST: "accept"}, Dee={end: "reject"})
    assert resolve(reviews, {}, AXIS).boundaries == (FIRST,)
    assert resolve(reviews).boundaries == (FIRST,)
    assert [each.offset for each in resolve(reviews).open] == [end]
    assert [each.offset for each in resolve(reviews, {}, AXIS).disagreements] == [FIRST]


def test_a_move_is_two_votes() -> None:
    moved = {"Ada": Review("Ada", "d", {FIRST: Judgement(FIRST, "moved", target=SECOND, before="x", after="y")})}
    found = resolve(moved | said(Bob={FIRST: "accept"}), {}, AXIS)
    assert (found.boundaries, [each.offset for each in found.open]) == ((SECOND,), [FIRST])
    found = resolve(moved | said(Bob={SECOND: "reject"}), {}, AXIS)
    assert [(each.offset, each.before, each.after) for each in found.open] == [(SECOND, "x", "y")]


def test_notes_and_contexts_are_shown() -> None:
    ada = Review("Ada", "d", {5: Judgement(5, "accept", "new topic", before="left", after="right")}, {5: "new topic"})
    [place] = resolve({"Ada": ada} | said(Bob={5: "reject"})).open
    assert (place.before, place.after, place.votes[0].note) == ("left", "right", "new topic")


verdicts = st.dictionaries(
    st.integers(1, len(UNITS.document.text) - 1), st.sampled_from(["accept", "reject", "skip"]), max_size=6
)


@given(st.lists(verdicts, min_size=1, max_size=4), st.booleans())
def test_gold_is_what_nobody_disputes_or_more_want(given: list[dict[int, Verdict]], with_axis: bool) -> None:
    reviews = said(**{f"r{place}": own for place, own in enumerate(given)})
    found = resolve(reviews, {}, AXIS if with_axis else None)
    wanted = {offset for own in reviews.values() for offset in own.boundaries}
    assert {*found.boundaries} <= wanted
    assert not {*found.boundaries} & {each.offset for each in found.open}
    assert list(found.boundaries) == sorted({*found.boundaries})
    if len(reviews) == 1 and not with_axis:
        assert found.boundaries == reviews["r0"].boundaries
    for each in found.disagreements:
        sides = [vote.boundary for vote in each.votes if vote.boundary is not None]
        assert {True, False} <= {*sides}


def test_a_document_without_a_gap_has_places_all_the_same() -> None:
    single = from_units(["Only one."])
    assert resolve(said(Ada={3: "accept"}), {}, (single, np.zeros(0, dtype=np.int64))).boundaries == (3,)
