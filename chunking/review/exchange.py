"""Reviews out to a file, and in from one, or over from a text that has changed since.

What comes in becomes events like any others. Their tokens follow from what they say, so that a file that is taken in
twice changes nothing; and what a reviewer has said of a place already is never overwritten by what comes in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace

from chunking.alignment.relocation import Anchor, anchor, relocate
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.reference import files as reference_files
from chunking.reference import lines
from chunking.reference.events import Action, Event
from chunking.reference.lines import ReferenceLine
from chunking.reference.reference import reference_gaps
from chunking.reference.state import Judgement, Review
from chunking.review.reviewed import FinalReference
from chunking.runtime import structured
from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences

# --- out -----------------------------------------------------------------------------------------------------------


def export_reviews(
    resolved: FinalReference,
    reviews: Mapping[str, Review],
    decisions: Mapping[int, Judgement] | None = None,
    document: Document | None = None,
    axis: tuple[Sentences, Int64] | None = None,
    name: str = "",
) -> ReferenceLine:
    """Return the line of a document, for :func:`chunking.reference.lines.dump`.

    Args:
        resolved: the reference that follows from the reviews.
        reviews: by reviewer; all of one document.
        decisions: see :func:`chunking.reference.state.decisions`.
        document: if available; otherwise the context of positions is the one stored with their judgements.
        axis: the sentences, and ``(n_gaps,)`` int64 where each gap cuts the text; ``None``: the line has no units. It
            has none either if the reference is partial, since units with boundaries are a complete reference.
        name: of the document, if it is not available.

    Raises:
        ChunkscopeError: neither a document nor a review is given, so there is nothing to identify the document by.
    """
    hashes = [document.text_hash] if document else [review.document for review in reviews.values() if review.document]
    if not hashes:
        raise ChunkscopeError("There is no review to write down.", "Judge a boundary first.")
    decisions = decisions or {}
    judgements = [judgement for review in reviews.values() for judgement in review.judgements.values()]
    anchor_at = {anchor.offset: anchor for anchor in lines.anchors_of((), (), (), [*judgements, *decisions.values()])}
    offsets, reference = resolved.boundaries, resolved.reference
    anchors = [
        anchor(document.text, offset) if document else anchor_at.get(offset, Anchor(offset, "", ""))
        for offset in offsets
    ]
    notes = {reviewer: _bare_notes(review) for reviewer, review in reviews.items()}
    return ReferenceLine(
        id=hashes[0][:16],
        document=hashes[0],
        offsets=offsets,
        before=tuple(anchor.before for anchor in anchors),
        after=tuple(anchor.after for anchor in anchors),
        name=document.name if document else name,
        characters=len(document.text) if document else None,
        language=document.language if document else None,
        units=axis[0].texts if axis and reference.complete else None,
        boundaries=tuple((reference_gaps(offsets, axis[1], axis[0]) + 1).tolist())
        if axis and reference.complete
        else None,
        reviews={reviewer: tuple(review.judgements.values()) for reviewer, review in reviews.items()},
        notes={reviewer: texts for reviewer, texts in notes.items() if texts},
        decisions=tuple(decisions.values()),
        complete=reference.complete,
        rejected=reference.rejected,
        added=reference.added,
        completed_by=tuple(reviewer for reviewer, review in reviews.items() if review.complete),
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


def import_reviews(
    data: bytes, name: str, document: Document, reviewer: str, existing: ExistingReviews | None = None
) -> Imported:
    """Return the events that import a file with the reference of a document.

    Args:
        data: the whole file: references of reviews (:mod:`chunking.reference.lines`), or anything that
            :func:`chunking.reference.read` reads.
        name: of the file.
        document: whose reference is wanted; positions in an older version of its text are relocated.
        reviewer: to whom the boundaries are attributed. Reviews in the file remain those of their reviewers; its
            decisions are attributed to this reviewer. A complete reference completes the review that it becomes.
        existing: reviews that exist already.

    Raises:
        ChunkscopeError: as :func:`chunking.reference.read`, or the reviewer's name is empty or too long.
    """
    structured.check_file(data, name, reference_files.LIMIT)
    if not reference_files.is_lines(data, name):
        loaded = reference_files.read_with_notes(data, name, document)
        writer = _Writer(document, existing, dict(zip(loaded.offsets, loaded.offsets, strict=True)), False)
        accepted = [Judgement(offset, "accept") for offset in loaded.offsets]
        events = (*writer.of_reviewer(reviewer, accepted, {}), *writer.completing([reviewer]))
        return Imported(events, (*loaded.notes, *writer.left_out()))
    matched = reference_files.match_document(lines.read(data, name), document, name)
    line = matched.line
    writer = _Writer(document, existing, matched.relocation.offsets, matched.changed)
    if reviewers := line.reviews or line.notes:
        all_events = [
            event
            for author in reviewers
            for event in writer.of_reviewer(author, line.reviews.get(author, ()), line.notes.get(author, {}))
        ]
    else:
        all_events = [*writer.of_reviewer(reviewer, [Judgement(offset, "accept") for offset in line.offsets], {})]
    if not matched.changed:
        all_events += writer.completing(line.completed_by if reviewers else [reviewer] if line.complete else [])
    all_events += writer.of_reviewer(reviewer, line.decisions, {}, decides=True)
    return Imported(tuple(all_events), (*matched.notes, *writer.left_out()), matched.relocation.lost)


def relocate_reviews(older: ExistingReviews, document: Document, existing: ExistingReviews | None = None) -> Imported:
    """Return the events that transfer reviews from an older version of a text, for positions found in the new one.

    Args:
        older: reviews of the older text.
        document: the current text.
        existing: reviews of it that exist already.
    """
    judgements = [judgement for review in older.reviews.values() for judgement in review.judgements.values()]
    anchors = lines.anchors_of((), (), (), [*judgements, *older.decisions.values()])
    relocation = relocate(anchors, document.text)
    writer = _Writer(document, existing, relocation.offsets, True)
    events = [
        event
        for name, review in older.reviews.items()
        for event in writer.of_reviewer(name, list(review.judgements.values()), _bare_notes(review))
    ]
    deciders = {
        event.offset: name for name, review in older.reviews.items() for event in review.history if event.decides
    }
    for offset, decision in older.decisions.items():
        if offset in deciders:
            events += writer.of_reviewer(deciders[offset], [decision], {}, decides=True)
    notes = [f"{len(relocation.offsets):,} of {len(anchors):,} places were found again."] if anchors else []
    return Imported(tuple(events), (*notes, *writer.left_out()), relocation.lost)


_ACTIONS: Mapping[str, Action] = {"accept": "accept", "reject": "reject", "skip": "skip", "moved": "move"}


class _Writer:
    """Converter of judgements into events of a document.

    Args:
        document: the document.
        existing: reviews that exist already.
        new: its offset by the offset in the judgements.
        changed: whether the text was edited since.
    """

    def __init__(
        self, document: Document, existing: ExistingReviews | None, new: Mapping[int, int], changed: bool
    ) -> None:
        self.document = document
        self.existing = existing or ExistingReviews({}, {})
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
        review = self.existing.reviews.get(reviewer, Review())
        judged_offsets: set[int | None] = {*self.existing.decisions} if decides else {*review.judgements, *review.votes}
        for judgement in judgements:
            event = self._judgement_event(reviewer, judgement, decides)
            if event is None:
                self.lost += 1
            elif judged_offsets & {event.offset, event.target}:
                self.kept += 1
            else:
                yield event
        for offset, note in notes.items():
            if offset not in self.new:
                self.lost += 1
            elif self.new[offset] in review.notes:
                self.kept += 1
            else:
                yield self._event(Event("-", self.document.text_hash, reviewer, "note", self.new[offset], note=note))

    def completing(self, reviewers: Iterable[str]) -> Iterator[Event]:
        """Yield the declarations of reviewers that the document is complete, as far as they have not made them."""
        for reviewer in reviewers:
            if not self.existing.reviews.get(reviewer, Review()).complete:
                yield self._event(Event("-", self.document.text_hash, reviewer, "complete", 0))

    def _judgement_event(self, reviewer: str, judgement: Judgement, decides: bool) -> Event | None:
        """Return a judgement as an event; ``None`` if its position is not found.

        Of a move in a text that was edited since, only the target was found by its context: it becomes an added
        boundary.
        """
        target = judgement.target
        offset = self.new.get(target if target is not None and self.changed else judgement.offset)
        if offset is None or not 0 <= offset <= len(self.document.text):
            return None
        action: Action = "add" if target is not None and self.changed else _ACTIONS[judgement.verdict]
        if action == "accept" and not judgement.proposed and not judgement.blind:
            action = "add"
        return self._event(
            Event(
                "-",
                self.document.text_hash,
                reviewer,
                action,
                offset,
                target=target if action == "move" else None,
                note=judgement.note,
                proposed=judgement.proposed,
                blind=judgement.blind,
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
