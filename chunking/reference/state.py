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
        ignored: number of events that could not be applied: an undo of an event that is unknown, later, or of another
            reviewer, and an event of another reviewer or document.
    """

    reviewer: str = ""
    document: str = ""
    judgements: Mapping[int, Judgement] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    history: tuple[Event, ...] = ()
    undoable: str | None = None
    complete: bool = False
    ignored: int = 0

    @cached_property
    def votes(self) -> dict[int, bool]:
        """Return whether each judged position is a boundary, targets of moves included."""
        return _votes(self.judgements.values())

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
        return tuple(
            sorted(
                offset
                for offset, known in self.judgements.items()
                if known.verdict == "skip" and offset not in self.votes
            )
        )


def review(events: Iterable[Event]) -> Review:
    """Return the review that the events of one reviewer on one document make.

    An undo takes back the event it names, and an undo of an undo restores it. An event that occurs twice counts once.

    Args:
        events: in the order in which they were stored. Events of another reviewer, subject or document than the first
            one are ignored and counted.
    """
    given = _once(events)
    if not given:
        return Review()
    first = given[0]
    own = [event for event in given if _whose(event) == _whose(first)]
    counting, ignored = _counting(own)
    history = tuple(event for event in counting if event.action != "undo")
    judgements, notes = _folded(event for event in history if not event.decides)
    return Review(
        reviewer=first.reviewer,
        document=first.document,
        judgements=judgements,
        notes=notes,
        history=history,
        undoable=history[-1].token if history else None,
        complete=any(event.action == "complete" for event in history),
        ignored=ignored + len(given) - len(own),
    )


def reviews(events: Iterable[Event]) -> dict[str, Review]:
    """Return the review of each reviewer of a document, in the order in which they began.

    Args:
        events: of one document, in the order in which they were stored.
    """
    return {name: review(own) for name, own in _by_reviewer(_once(events)).items()}


def decisions(events: Iterable[Event]) -> dict[int, Judgement]:
    """Return the decisions that hold for all reviewers, by offset, in their order; the last of a position counts.

    Args:
        events: of one document and all its reviewers, in the order in which they were stored.
    """
    given = _once(events)
    counting = {event.token for own in reviews(given).values() for event in own.history}
    return _folded(event for event in given if event.decides and event.token in counting)[0]


def votes_of(judgements: Mapping[int, Judgement]) -> dict[int, bool]:
    """Return whether each position is a boundary by judgements such as those of :func:`decisions`."""
    return _votes(judgements.values())


def _whose(event: Event) -> tuple[str, str, str]:
    """Return whose event of which document it is: an undo reaches these alone."""
    return event.reviewer, event.subject, event.document


def _once(events: Iterable[Event]) -> list[Event]:
    found: dict[str, Event] = {}
    for event in events:
        found.setdefault(event.token, event)
    return list(found.values())


def _by_reviewer(events: Sequence[Event]) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for event in events:
        found.setdefault(event.reviewer, []).append(event)
    return found


def _counting(events: Sequence[Event]) -> tuple[list[Event], int]:
    """Return the events that were not undone, and the number of undos that name no event that could be undone.

    Whether an undo counts depends on later events alone, so the last is examined first.
    """
    places = {event.token: place for place, event in enumerate(events)}
    taken: set[str] = set()
    counting: list[Event] = []
    ignored = 0
    for place in range(len(events) - 1, -1, -1):
        event = events[place]
        if event.action == "undo" and places.get(event.undoes, place) >= place:
            ignored += 1
        elif event.token not in taken:
            counting.append(event)
            if event.action == "undo":
                taken.add(event.undoes)
    return counting[::-1], ignored


def _folded(events: Iterable[Event]) -> tuple[dict[int, Judgement], dict[int, str]]:
    """Return the last judgement of each position, in order, and the notes."""
    judgements: dict[int, Event] = {}
    notes: dict[int, str] = {}
    for event in events:
        if event.note or event.action == "note":
            notes[event.offset] = event.note
        if event.action in VERDICTS:
            judgements.pop(event.offset, None)  # so that the order is that of the last
            judgements[event.offset] = event
    shown = {offset: _judgement(event, notes.get(offset, "")) for offset, event in judgements.items()}
    return shown, {offset: note for offset, note in notes.items() if note}


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


def _votes(judgements: Iterable[Judgement]) -> dict[int, bool]:
    """Return the vote on each position by judgements in their order; a later one takes precedence."""
    found: dict[int, bool] = {}
    for known in judgements:
        if known.verdict == "skip":
            found.pop(known.offset, None)
            continue
        found[known.offset] = known.verdict == "accept"
        if known.target is not None:
            found[known.target] = True
    return found
