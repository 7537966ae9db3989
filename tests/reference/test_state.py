"""What events come to."""

from __future__ import annotations

from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from chunking.reference.events import Action, Event
from chunking.reference.state import Review, decisions, review, reviews, votes_of

_numbers = count()


def event(action: Action, offset: int = 0, reviewer: str = "Ada", **rest: Any) -> Event:
    return Event(rest.pop("token", f"t{next(_numbers)}"), "d", reviewer, action, offset, **rest)


def undo(of: Event, reviewer: str = "Ada") -> Event:
    return event("undo", undoes=of.token, reviewer=reviewer)


def test_the_last_judgement_of_a_place_counts() -> None:
    found = review([event("accept", 10), event("reject", 20), event("add", 30), event("reject", 10), event("skip", 20)])
    assert (found.boundaries, found.rejected, found.skipped) == ((30,), (10,), (20,))
    assert [each.verdict for each in found.judgements.values()] == ["accept", "reject", "skip"]
    assert list(found.judgements) == [30, 10, 20]


def test_a_move_speaks_of_two_places() -> None:
    found = review([event("move", 10, target=14)])
    assert (found.boundaries, found.rejected) == ((14,), (10,))
    assert (found.judgements[10].verdict, found.judgements[10].target) == ("moved", 14)


def test_what_is_said_of_the_target_after_a_move_counts_and_before_it_does_not() -> None:
    assert review([event("reject", 14), event("move", 10, target=14)]).boundaries == (14,)
    assert review([event("move", 10, target=14), event("reject", 14)]).boundaries == ()
    assert review([event("move", 10, target=14), event("accept", 10)]).votes == {10: True}
    there_and_back = review([event("move", 10, target=14), event("move", 14, target=10)])
    assert (there_and_back.boundaries, there_and_back.rejected) == ((10,), (14,))
    skipped = review([event("move", 10, target=14), event("skip", 14)])
    assert (skipped.boundaries, skipped.skipped) == ((), (14,))


def test_undo_takes_back_and_an_undo_of_it_brings_back() -> None:
    first, second = event("accept", 10), event("reject", 10)
    gone = undo(second)
    taken = review([first, second, gone])
    assert (taken.boundaries, taken.undoable) == ((10,), first.token)
    back = review([first, second, gone, undo(gone)])
    assert (back.boundaries, back.rejected, back.undoable) == ((), (10,), second.token)
    assert back.history == (first, second)


def test_what_was_taken_back_comes_back_one_by_one() -> None:
    events = [event("accept", 10), event("accept", 20)]
    for _ in range(2):
        events.append(event("undo", undoes=review(events).undoable or ""))
    assert review(events).boundaries == ()
    for gone, boundaries in ((events[3], (10,)), (events[2], (10, 20))):
        events.append(undo(gone))
        assert review(events).boundaries == boundaries


def test_a_declaration_completes_a_review_until_it_is_taken_back() -> None:
    accepted, declared = event("accept", 10), event("complete")
    assert not review([accepted]).complete
    found = review([accepted, declared])
    assert found.complete and found.undoable == declared.token
    assert found.judgements.keys() == {10}, "a declaration is no verdict on any place"
    assert not review([accepted, declared, undo(declared)]).complete


def test_what_cannot_be_taken_back_is_ignored() -> None:
    hers, his = event("accept", 10), event("accept", 20, "Bob")
    found = reviews([hers, his, undo(hers, "Bob"), event("undo", undoes="nowhere"), undo(his)])
    assert (found["Ada"].boundaries, found["Bob"].boundaries) == ((10,), (20,))
    later = event("accept", 10)
    assert review([event("undo", undoes=later.token), later]).boundaries == (10,)
    itself = event("undo", undoes="same", token="same")
    assert review([itself]).history == ()


def test_what_is_of_someone_else_or_comes_twice_does_not_count() -> None:
    once = event("accept", 10)
    assert review([once, event("reject", 10), once]).rejected == (10,)
    mixed = review([once, event("accept", 20, "Bob"), Event("x", "another", "Ada", "accept", 30)])
    assert mixed.boundaries == (10,)


def test_notes_stay_until_others_replace_them() -> None:
    found = review([event("note", 10, note="odd"), event("accept", 10), event("note", 20, note="see")])
    assert (found.judgements[10].note, found.notes) == ("odd", {10: "odd", 20: "see"})
    assert review([event("accept", 10, note="odd"), event("note", 10)]).notes == {}
    assert review([event("accept", 10, note="odd"), event("reject", 10, note="no")]).judgements[10].note == "no"


def test_decisions_are_no_judgements_of_her_own() -> None:
    decision = event("accept", 10, decides=True)
    events = [event("reject", 10), event("accept", 10, "Bob"), decision]
    found = reviews(events)
    assert found["Ada"].rejected == (10,)
    assert found["Ada"].undoable == decision.token
    assert votes_of(decisions(events).values()) == {10: True}
    later = event("reject", 10, "Bob", decides=True)
    assert votes_of(decisions([*events, later]).values()) == {10: False}
    assert votes_of(decisions([*events, later, undo(later, "Bob")]).values()) == {10: True}


def test_no_event_is_an_empty_review() -> None:
    assert review([]) == Review()
    assert reviews([]) == {}


steps = st.lists(
    st.tuples(st.sampled_from(["accept", "reject", "skip", "add", "move", "note", "undo"]), st.integers(0, 6)),
    max_size=25,
)


@given(steps)
def test_taking_everything_back_leaves_nothing_and_each_step_is_the_state_before(plan: list[tuple[Any, int]]) -> None:
    events: list[Event] = []
    states = [review(events)]
    for action, number in plan:
        if action == "undo":
            known = review(events).undoable
            if known is None:
                continue
            events.append(event("undo", undoes=known))
            assert review(events).votes == states[-2].votes
            states.pop()
        else:
            target = (number + 3) % 7 if action == "move" else None
            events.append(event(action, number, note="n" * (action == "note"), target=target))
            states.append(review(events))
    found = review(events)
    assert not set(found.boundaries) & {*found.rejected, *found.skipped}
    assert set(found.boundaries) | set(found.rejected) == found.votes.keys()
    while (known := review(events).undoable) is not None:
        events.append(event("undo", undoes=known))
    assert (review(events).votes, review(events).notes, review(events).history) == ({}, {}, ())
