"""Reviews derived from events: the judgements of a reviewer, and the boundaries that follow from them.

A pure fold, in the order in which the events were stored. Of several judgements of a position the last counts; a move
is a judgement of two positions, its origin and its target.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from chunking.reference.events import Event

Verdict = Literal["accept", "reject", "skip", "moved"]
VERDICTS: Mapping[str, Verdict] = {
    "accept": "accept",
    "add": "accept",
    "reject": "reject",
    "skip": "skip",
    "move": "moved",
}
"""The verdict of each action that judges a position."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A reviewer's judgement of a position.

    Attributes:
        offset: the position.
        verdict: ``accept``: it is a boundary (proposed or added). ``reject``: it is none. ``skip``: undecided.
            ``moved``: it is none, but ``target`` is one.
        note, proposed, blind, at, before, after: see :class:`chunking.reference.events.Event`.
        target: of ``moved``, where the boundary belongs; else ``None``.
    """

    offset: int
    verdict: Verdict
    note: str = ""
    proposed: str = ""
    blind: bool = False
    target: int | None = None
    at: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Review:
    """The judgements of one reviewer on one document.

    Attributes:
        reviewer, document: name, and hash of the document; empty if there is no event.
        judgements: by offset, in the order in which they were made. Those that settle a disagreement are not among
            them, since they were made knowing other reviews; see :func:`decisions`.
        notes: notes by offset, also of positions that are not judged.
        history: the events that count, in order: without those that were undone, and without undos.
        undoable: token of the last of them, which undo would take back; ``None`` if there is none.
        complete: whether the reviewer has declared the whole text judged: positions without a judgement are then
            non-boundaries, and unknown otherwise.
    """

    reviewer: str = ""
    document: str = ""
    judgements: Mapping[int, Judgement] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    history: tuple[Event, ...] = ()
    undoable: str | None = None
    complete: bool = False

    @cached_property
    def votes(self) -> dict[int, bool]:
        """Return whether each judged position is a boundary, targets of moves included."""
        return votes_of(self.judgements.values())

    @cached_property
    def boundaries(self) -> tuple[int, ...]:
        """Return the offsets of boundaries, ascending: accepted, added, targets of moves."""
        return tuple(sorted(offset for offset, boundary in self.votes.items() if boundary))

    @cached_property
    def rejected(self) -> tuple[int, ...]:
        """Return the offsets of non-boundaries, ascending: rejected, or moved elsewhere."""
        return tuple(sorted(offset for offset, boundary in self.votes.items() if not boundary))

    @cached_property
    def skipped(self) -> tuple[int, ...]:
        """Return the offsets of positions that were skipped, ascending."""
        skips = (offset for offset, judgement in self.judgements.items() if judgement.verdict == "skip")
        return tuple(sorted(offset for offset in skips if offset not in self.votes))


def review(events: Iterable[Event]) -> Review:
    """Return the review that the events of one reviewer on one document make.

    An undo takes back the event it names, and an undo of an undo restores it. An event that occurs twice counts once.

    Args:
        events: in the order in which they were stored. Events of another reviewer, subject or document than the first
            one are ignored, and so is an undo of an event that is unknown, later, or of another reviewer.
    """
    events = _once(events)
    if not events:
        return Review()
    first = events[0]
    # An undo reaches the events of the same reviewer, subject and document alone.
    review_events = [event for event in events if _whose(event) == _whose(first)]
    history = tuple(event for event in _without_undone(review_events) if event.action != "undo")
    judgements, notes = _last_judgements(event for event in history if not event.decides)
    return Review(
        reviewer=first.reviewer,
        document=first.document,
        judgements=judgements,
        notes=notes,
        history=history,
        undoable=history[-1].token if history else None,
        complete=any(event.action == "complete" for event in history),
    )


def reviews(events: Iterable[Event]) -> dict[str, Review]:
    """Return the review of each reviewer of a document, in the order in which they began.

    Args:
        events: of one document, in the order in which they were stored.
    """
    by_reviewer: dict[str, list[Event]] = {}
    for event in _once(events):
        by_reviewer.setdefault(event.reviewer, []).append(event)
    return {name: review(reviewer_events) for name, reviewer_events in by_reviewer.items()}


def decisions(events: Iterable[Event]) -> dict[int, Judgement]:
    """Return the decisions that hold for all reviewers, by offset, in their order; the last of a position counts.

    Args:
        events: of one document and all its reviewers, in the order in which they were stored.
    """
    events = _once(events)
    counting = {event.token for review in reviews(events).values() for event in review.history}
    return _last_judgements(event for event in events if event.decides and event.token in counting)[0]


def votes_of(judgements: Iterable[Judgement]) -> dict[int, bool]:
    """Return whether each position is a boundary by judgements in their order; a later one takes precedence."""
    votes: dict[int, bool] = {}
    for judgement in judgements:
        if judgement.verdict == "skip":
            votes.pop(judgement.offset, None)
            continue
        votes[judgement.offset] = judgement.verdict == "accept"
        if judgement.target is not None:
            votes[judgement.target] = True
    return votes


def _whose(event: Event) -> tuple[str, str, str]:
    return event.reviewer, event.subject, event.document


def _once(events: Iterable[Event]) -> list[Event]:
    """Return events without those whose token came before."""
    by_token: dict[str, Event] = {}
    for event in events:
        by_token.setdefault(event.token, event)
    return list(by_token.values())


def _without_undone(events: Sequence[Event]) -> list[Event]:
    """Return the events that were not undone, without undos that name no event before them.

    Whether an undo counts depends on later events alone, so the last is examined first.
    """
    positions = {event.token: position for position, event in enumerate(events)}
    undone: set[str] = set()
    counting: list[Event] = []
    for position, event in reversed(list(enumerate(events))):
        names_nothing = event.action == "undo" and positions.get(event.undoes, position) >= position
        if event.token not in undone and not names_nothing:
            counting.append(event)
            if event.action == "undo":
                undone.add(event.undoes)
    return counting[::-1]


def _last_judgements(events: Iterable[Event]) -> tuple[dict[int, Judgement], dict[int, str]]:
    """Return the last judgement of each position, in order, and the notes."""
    last: dict[int, Event] = {}
    notes: dict[int, str] = {}
    for event in events:
        if event.note or event.action == "note":
            notes[event.offset] = event.note
        if event.action in VERDICTS:
            last.pop(event.offset, None)  # so that the order is that of the last
            last[event.offset] = event
    judgements = {offset: _judgement(event, notes.get(offset, "")) for offset, event in last.items()}
    return judgements, {offset: note for offset, note in notes.items() if note}


def _judgement(event: Event, note: str) -> Judgement:
    return Judgement(
        offset=event.offset,
        verdict=VERDICTS[event.action],
        note=note,
        proposed=event.proposed,
        blind=event.blind,
        target=event.target,
        at=event.at,
        before=event.before,
        after=event.after,
    )
