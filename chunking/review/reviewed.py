"""A document with the judgements of its reviewers: the reference that follows from them, and where they disagree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from chunking.reference.events import Event
from chunking.reference.reference import Reference, gaps_of, reference_gaps
from chunking.reference.state import Judgement, Review, decisions, reviews, votes_of
from chunking.review.candidates import Candidate, Progress
from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences
from chunking.workspace import DocumentAnalysis

Outcome = Literal["decided", "majority", "open"]


@dataclass(frozen=True, slots=True)
class Vote:
    """A reviewer's vote on a position.

    Attributes:
        reviewer: name.
        boundary: whether it is a boundary; ``None`` for a skip, which is no vote.
        offset: the exact offset of the judgement: there are several offsets in the space between two sentences.
        note: the reviewer's note.
    """

    reviewer: str
    boundary: bool | None
    offset: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A position that some reviewers call a boundary and others do not.

    Attributes:
        offset: the offset that most reviewers named; of equals the first.
        votes: of all reviewers, skips included.
        outcome: how it was settled: by a decision, by the majority, or not at all.
        boundary: the outcome; ``None`` if it is open.
        before, after: the text around it, if it was stored.
    """

    offset: int
    votes: tuple[Vote, ...]
    outcome: Outcome
    boundary: bool | None
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class FinalReference:
    """The boundaries that follow from all reviews.

    Attributes:
        reference: the settled positions. It is complete if a reviewer has declared the whole text judged and no judged
            position is left undecided.
        disagreements: in the order of the text, settled ones included.
    """

    reference: Reference
    disagreements: tuple[Disagreement, ...]

    @property
    def boundaries(self) -> tuple[int, ...]:
        """Return the offsets of boundaries, ascending."""
        return self.reference.boundaries

    @property
    def rejected(self) -> tuple[int, ...]:
        """Return the offsets of positions settled as non-boundaries, ascending."""
        return self.reference.rejected

    @property
    def open(self) -> tuple[Disagreement, ...]:
        """Return the disagreements that wait for a decision; they are not part of the reference."""
        return tuple(disagreement for disagreement in self.disagreements if disagreement.outcome == "open")


def resolve(
    reviews: Mapping[str, Review],
    decisions: Mapping[int, Judgement] | None = None,
    axis: tuple[Sentences, Int64] | None = None,
) -> FinalReference:
    """Return the reference of a document.

    A decision counts for all. Without one, the majority of those who judged the position counts (a skip is no vote). A
    tie is open, and left out. Offsets that belong to one gap, by the rule of :func:`chunking.reference.gaps_of`, are
    one position; a reviewer who names several of them, some as boundaries, calls the position a boundary. Positions
    without any judgement are unknown, unless a reviewer has declared the document complete.

    Args:
        reviews: by reviewer.
        decisions: see :func:`chunking.reference.state.decisions`.
        axis: the sentences, and ``(n_gaps,)`` where each gap cuts the text. ``None``: positions are offsets.
    """
    settled = votes_of((decisions or {}).values())
    votes_by_reviewer: dict[str, dict[int, bool | None]] = {
        name: {**dict.fromkeys(review.skipped), **review.votes} for name, review in reviews.items()
    }
    keys = _keys({*settled, *(offset for named_votes in votes_by_reviewer.values() for offset in named_votes)}, axis)
    votes: dict[int, list[Vote]] = defaultdict(list)
    for name, named_votes in votes_by_reviewer.items():
        for offset, boundary in named_votes.items():
            votes[keys[offset]].append(Vote(name, boundary, offset, reviews[name].notes.get(offset, "")))
    rulings: dict[int, list[Vote]] = defaultdict(list)
    for offset, boundary in settled.items():
        rulings[keys[offset]].append(Vote("", boundary, offset))
    contexts = _contexts(reviews.values(), decisions or {})
    proposed_offsets = {
        offset for review in reviews.values() for offset, judgement in review.judgements.items() if judgement.proposed
    }
    resolutions = [_resolve_position(votes.get(key, []), rulings.get(key, []), contexts) for key in {*votes, *rulings}]
    boundaries = tuple(sorted(offset for resolution in resolutions for offset in resolution.boundaries))
    reference = Reference(
        boundaries,
        rejected=tuple(sorted(offset for resolution in resolutions for offset in resolution.rejected)),
        added=tuple(offset for offset in boundaries if offset not in proposed_offsets),
        complete=any(review.complete for review in reviews.values())
        and not any(resolution.open for resolution in resolutions),
        reviewers=tuple(reviews),
    )
    disagreements = (resolution.disagreement for resolution in resolutions if resolution.disagreement)
    return FinalReference(reference, tuple(sorted(disagreements, key=lambda disagreement: disagreement.offset)))


def votes_at(votes: Mapping[int, bool], axis: tuple[Sentences, Int64] | None) -> dict[int, bool]:
    """Return votes on positions instead of offsets: on gaps if the sentences are known; see :func:`resolve`."""
    at_positions: dict[int, bool] = {}
    for offset, key in _keys(set(votes), axis).items():
        at_positions[key] = at_positions.get(key, False) or votes[offset]
    return at_positions


def _keys(offsets: set[int], axis: tuple[Sentences, Int64] | None) -> dict[int, int]:
    """Return the key of the position of each offset: its gap, or else the offset itself."""
    ordered = sorted(offsets)
    if axis is None or not len(axis[1]):
        return dict(zip(ordered, ordered, strict=True))
    return dict(zip(ordered, gaps_of(ordered, axis[1], axis[0]).tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class _Resolution:
    boundaries: tuple[int, ...]
    rejected: tuple[int, ...]
    disagreement: Disagreement | None

    @property
    def open(self) -> bool:
        """Return whether it is undecided."""
        return not self.boundaries and not self.rejected


def _resolve_position(votes: list[Vote], rulings: list[Vote], contexts: Mapping[int, tuple[str, str]]) -> _Resolution:
    """Return the resolution of the votes on one position."""
    sides = {vote.reviewer: False for vote in votes if vote.boundary is not None}
    sides |= {vote.reviewer: True for vote in votes if vote.boundary}
    yes, no = sum(sides.values()), len(sides) - sum(sides.values())
    outcome: Outcome = "decided" if rulings else "open" if yes == no else "majority"
    boundary = any(vote.boundary for vote in rulings) if rulings else None if yes == no else yes > no
    deciding_votes = [vote for vote in rulings or votes if vote.boundary is not None and vote.boundary is boundary]
    offsets = _named_most(deciding_votes) if boundary else tuple(sorted({vote.offset for vote in deciding_votes}))
    disagreement = None
    if yes and no:
        [offset, *_] = _named_most(deciding_votes or [vote for vote in votes if vote.boundary])
        ordered_votes = tuple(sorted(votes, key=lambda vote: (vote.reviewer, vote.offset)))
        disagreement = Disagreement(offset, ordered_votes, outcome, boundary, *contexts.get(offset, ("", "")))
    return _Resolution(offsets if boundary else (), offsets if boundary is False else (), disagreement)


def _named_most(votes: Iterable[Vote]) -> tuple[int, ...]:
    """Return the offsets that most voters name (one voter may name several as boundaries); of equals the first."""
    offsets_by_reviewer: dict[str, set[int]] = defaultdict(set)
    for vote in votes:
        offsets_by_reviewer[vote.reviewer].add(vote.offset)
    counts = Counter(tuple(sorted(offsets)) for offsets in offsets_by_reviewer.values())
    return min(counts, key=lambda offsets: (-counts[offsets], offsets))


def _contexts(reviews: Iterable[Review], decisions: Mapping[int, Judgement]) -> dict[int, tuple[str, str]]:
    """Return the text around each position; of a move, around its target."""
    all_judgements = (
        judgement
        for judgements in (*(review.judgements for review in reviews), decisions)
        for judgement in judgements.values()
    )
    return {
        judgement.offset if judgement.target is None else judgement.target: (judgement.before, judgement.after)
        for judgement in all_judgements
        if judgement.before or judgement.after
    }


@dataclass(frozen=True, eq=False)
class ReviewedDocument:
    """A document with its reviews.

    Attributes:
        workspace: the document.
        events: of all reviewers, in the order in which they were stored.
    """

    workspace: DocumentAnalysis
    events: tuple[Event, ...]

    @cached_property
    def reviews(self) -> dict[str, Review]:
        """By reviewer."""
        return reviews(self.events)

    @cached_property
    def decisions(self) -> dict[int, Judgement]:
        """Decisions that count for all reviewers, by offset."""
        return decisions(self.events)

    @property
    def axis(self) -> tuple[Sentences, Int64]:
        """Sentences, and where gaps cut."""
        return self.workspace.sentences, self.workspace.offsets

    @cached_property
    def reference(self) -> FinalReference:
        """The reference that results, and the disagreements."""
        return resolve(self.reviews, self.decisions, self.axis)

    def gaps(self, offsets: Sequence[int]) -> Int64:
        """Return the gaps of places, ascending, each once."""
        sentences, gap_offsets = self.axis
        return reference_gaps(offsets, gap_offsets, sentences)

    def settled(self, candidates: Sequence[Candidate]) -> tuple[Progress, int]:
        """Return how many of a strategy's boundaries are settled by any reviewer, and how many of these are correct.

        A verdict on the very place counts before one on its gap.

        Args:
            candidates: of the strategy; gaps that were mixed in do not count.
        """
        judged_offsets = self.reference.boundaries, self.reference.rejected
        right, wrong = map(set, judged_offsets)
        right_gaps, wrong_gaps = (set(self.gaps(offsets).tolist()) for offsets in judged_offsets)
        skipped_offsets = {offset for review in self.reviews.values() for offset in review.skipped}
        accepted = rejected = skipped = total = 0
        for candidate in candidates:
            if not candidate.proposed:
                continue
            total += 1
            if candidate.offset in right or (candidate.offset not in wrong and candidate.gap in right_gaps):
                accepted += 1
            elif candidate.offset in wrong or candidate.gap in wrong_gaps:
                rejected += 1
            elif candidate.offset in skipped_offsets:
                skipped += 1
        return Progress(accepted + rejected, skipped, total - accepted - rejected - skipped), accepted
