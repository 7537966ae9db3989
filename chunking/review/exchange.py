"""Reviews out to a file, and in from one, or over from a text that has changed since.

What comes in becomes events like any others. Their tokens follow from what they say, so that a file that is taken in
twice changes nothing; and what a reviewer has said of a place already is never overwritten by what comes in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.reference import files as reference_files
from chunking.reference import lines
from chunking.reference.events import Action, Event
from chunking.reference.lines import ReferenceLine
from chunking.reference.reference import gold_gaps
from chunking.reference.relocation import Anchor, anchor, relocate
from chunking.reference.state import Judgement, Review
from chunking.review.reviewed import FinalReference
from chunking.runtime import structured
from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences

# --- out -----------------------------------------------------------------------------------------------------------


def exported(
    gold_of_all: FinalReference,
    reviews: Mapping[str, Review],
    decisions: Mapping[int, Judgement] | None = None,
    document: Document | None = None,
    axis: tuple[Sentences, Int64] | None = None,
    name: str = "",
) -> ReferenceLine:
    """Return the line of a document, for :func:`chunking.reference.lines.dump`.

    Args:
        gold_of_all: the gold of the reviews.
        reviews: by reviewer; all of one document.
        decisions: see :func:`chunking.reference.state.decisions`.
        document: if available; otherwise the context of positions is the one stored with their judgements.
        axis: the sentences, and ``(n_gaps,)`` int64 where each gap cuts the text; ``None``: the line has no units. It
            has none either if the reference is partial, since units with boundaries are a complete reference.
        name: of the document, if it is not available.

    Raises:
        ChunkscopeError: neither a document nor a review is given, so there is nothing to identify the document by.
    """
    whose = document.text_hash if document else next((own.document for own in reviews.values() if own.document), "")
    if not whose:
        raise ChunkscopeError("There is no review to write down.", "Judge a boundary first.")
    told = [each for own in reviews.values() for each in own.judgements.values()]
    known = {each.offset: each for each in lines.anchors_of((), (), (), [*told, *(decisions or {}).values()])}
    offsets = gold_of_all.boundaries
    around = [anchor(document.text, each) if document else known.get(each, Anchor(each, "", "")) for each in offsets]
    reference = gold_of_all.reference
    units = axis[0].texts if axis and reference.complete else None
    return ReferenceLine(
        id=whose[:16],
        document=whose,
        offsets=offsets,
        before=tuple(each.before for each in around),
        after=tuple(each.after for each in around),
        name=document.name if document else name,
        characters=len(document.text) if document else None,
        language=document.language if document else None,
        units=units,
        boundaries=tuple((gold_gaps(offsets, axis[1], axis[0]) + 1).tolist()) if axis and reference.complete else None,
        reviews={reviewer: tuple(own.judgements.values()) for reviewer, own in reviews.items()},
        notes={reviewer: _bare_notes(own) for reviewer, own in reviews.items() if _bare_notes(own)},
        decisions=tuple((decisions or {}).values()),
        complete=reference.complete,
        rejected=reference.rejected,
        added=reference.added,
        completed_by=tuple(reviewer for reviewer, own in reviews.items() if own.complete),
    )


def _bare_notes(review: Review) -> dict[int, str]:
    """Return the notes about positions that are not judged."""
    return {offset: note for offset, note in review.notes.items() if offset not in review.judgements}


# --- in ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExistingReviews:
    """The reviews of a document that exist already, which an import never overwrites.

    Attributes:
        reviews: by reviewer.
        decisions: by offset.
    """

    reviews: Mapping[str, Review]
    decisions: Mapping[int, Judgement]


@dataclass(frozen=True)
class Imported:
    """Events made from a file or from older reviews.

    Attributes:
        events: to be stored, in this order.
        notes: remarks for the user, in sentences.
        lost: anchors that are no longer in the text, and why.
    """

    events: tuple[Event, ...]
    notes: tuple[str, ...] = ()
    lost: tuple[tuple[Anchor, str], ...] = ()

    @property
    def judgements(self) -> int:
        """Return the number of events without declarations that a document is complete."""
        return sum(event.action != "complete" for event in self.events)


def imported(
    data: bytes, name: str, document: Document, reviewer: str, known: ExistingReviews | None = None
) -> Imported:
    """Return the events that import a file with gold of a document.

    Args:
        data: the whole file: gold of reviews (:mod:`chunking.reference.lines`), or anything that
            :func:`chunking.reference.read` reads.
        name: of the file.
        document: whose gold is wanted; positions in an older version of its text are relocated.
        reviewer: to whom the boundaries are attributed. Reviews in the file remain those of their reviewers; its
            decisions are attributed to this reviewer. A complete reference completes the review that it becomes.
        known: reviews that exist already.

    Raises:
        ChunkscopeError: as :func:`chunking.reference.read`, or the reviewer's name is empty or too long.
    """
    structured.check_file(data, name, reference_files.LIMIT)
    if not reference_files.is_lines(data, name):
        read = reference_files.read_with_notes(data, name, document)
        added = [Judgement(offset, "accept") for offset in read.offsets]
        writer = _Writer(document, known, dict(zip(read.offsets, read.offsets, strict=True)), False)
        events = (*writer.of_reviewer(reviewer, added, {}), *writer.completing([reviewer]))
        return Imported(events, (*read.notes, *writer.left_out()))
    found = reference_files.match_document(lines.read(data, name), document, name)
    line = found.line
    writer = _Writer(document, known, found.relocation.found, found.changed)
    reviews = line.reviews or line.notes
    if reviews:
        own = [
            event
            for each in reviews
            for event in writer.of_reviewer(each, line.reviews.get(each, ()), line.notes.get(each, {}))
        ]
    else:
        own = [*writer.of_reviewer(reviewer, [Judgement(offset, "accept") for offset in line.offsets], {})]
    if not found.changed:
        own += writer.completing(line.completed_by if reviews else [reviewer] if line.complete else [])
    own += writer.of_reviewer(reviewer, line.decisions, {}, decides=True)
    return Imported(tuple(own), (*found.notes, *writer.left_out()), found.relocation.lost)


def relocated(older: ExistingReviews, document: Document, known: ExistingReviews | None = None) -> Imported:
    """Return the events that transfer reviews from an older version of a text, for positions found in the new one.

    Args:
        older: reviews of the older text.
        document: the current text.
        known: reviews of it that exist already.
    """
    told = [each for own in older.reviews.values() for each in own.judgements.values()]
    places = lines.anchors_of((), (), (), [*told, *older.decisions.values()])
    found = relocate(places, document.text)
    writer = _Writer(document, known, found.found, True)
    events = [
        event
        for name, own in older.reviews.items()
        for event in writer.of_reviewer(name, list(own.judgements.values()), _bare_notes(own))
    ]
    by = {each.offset: name for name, own in older.reviews.items() for each in own.history if each.decides}
    for offset, decision in older.decisions.items():
        if offset in by:
            events += writer.of_reviewer(by[offset], [decision], {}, decides=True)
    notes = [f"{len(found.found):,} of {len(places):,} places were found again."] if places else []
    return Imported(tuple(events), (*notes, *writer.left_out()), found.lost)


_ACTIONS: Mapping[str, Action] = {"accept": "accept", "reject": "reject", "skip": "skip", "moved": "move"}


class _Writer:
    """Converter of judgements into events of a document.

    Args:
        document: the document.
        known: reviews that exist already.
        new: its offset by the offset in the judgements.
        changed: whether the text was edited since.
    """

    def __init__(
        self, document: Document, known: ExistingReviews | None, new: Mapping[int, int], changed: bool
    ) -> None:
        self.document = document
        self.known = known or ExistingReviews({}, {})
        self.new = new
        self.changed = changed
        self.kept = 0
        self.lost = 0

    def left_out(self) -> Iterator[str]:
        """Yield remarks about judgements that made no event."""
        if self.kept:
            yield f"{_count(self.kept)} left out: the reviewer has judged the place already."
        if self.lost:
            yield f"{_count(self.lost)} left out: the place was not found again."

    def of_reviewer(
        self, reviewer: str, judgements: Iterable[Judgement], notes: Mapping[int, str], decides: bool = False
    ) -> Iterator[Event]:
        """Yield the events of one reviewer: judgements, and notes about positions that are not judged."""
        own = self.known.reviews.get(reviewer, Review())
        said: set[int | None] = {*self.known.decisions} if decides else {*own.judgements, *own.votes}
        for each in judgements:
            event = self._judged(reviewer, each, decides)
            if event is None:
                self.lost += 1
            elif said & {event.offset, event.target}:
                self.kept += 1
            else:
                yield event
        for offset, note in notes.items():
            if offset not in self.new:
                self.lost += 1
            elif self.new[offset] in own.notes:
                self.kept += 1
            else:
                yield self._event(Event("-", self.document.text_hash, reviewer, "note", self.new[offset], note=note))

    def completing(self, reviewers: Iterable[str]) -> Iterator[Event]:
        """Yield the declarations of reviewers that the document is complete, as far as they have not made them."""
        for reviewer in reviewers:
            if not self.known.reviews.get(reviewer, Review()).complete:
                yield self._event(Event("-", self.document.text_hash, reviewer, "complete", 0))

    def _judged(self, reviewer: str, known: Judgement, decides: bool) -> Event | None:
        """Return a judgement as an event; ``None`` if its position is not found.

        Of a move in a text that was edited since, only the target was found by its context: it becomes an added
            boundary.
        """
        moved = known.target is not None
        offset = self.new.get(known.target if known.target is not None and self.changed else known.offset)
        if offset is None or not 0 <= offset <= len(self.document.text):
            return None
        action: Action = "add" if moved and self.changed else _ACTIONS[known.verdict]
        if action == "accept" and not known.proposed and not known.blind:
            action = "add"
        return self._event(
            Event(
                "-",
                self.document.text_hash,
                reviewer,
                action,
                offset,
                target=known.target if action == "move" else None,
                note=known.note,
                proposed=known.proposed,
                blind=known.blind,
                decides=decides,
            )
        )

    def _event(self, event: Event) -> Event:
        """Return the event with the text around its place, and a token that follows from its content."""
        nowhere = event.action == "complete"
        around = anchor("" if nowhere else self.document.text, event.offset if event.target is None else event.target)
        *content, _subject = astuple(event)  # who imports it changes no token
        token = hashlib.sha256(json.dumps(content).encode("utf-8")).hexdigest()[:32]
        return replace(event, token=token, before=around.before, after=around.after)


def _count(judgements: int) -> str:
    return f"{judgements:,} judgement{' was' if judgements == 1 else 's were'}"
