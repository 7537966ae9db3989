"""The gold that several reviewers come to, and where they disagree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from chunking.gold.gaps import gaps_of
from chunking.gold.reference import Reference
from chunking.gold.state import Judgement, Review, votes_of
from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences

Outcome = Literal["decided", "majority", "open"]


@dataclass(frozen=True, slots=True)
class Vote:
    """What one reviewer says of a place.

    Attributes:
        reviewer: who.
        boundary: whether one belongs there; ``None`` of a skip, which is no vote.
        offset: where exactly she says it: in the space between two sentences there are several offsets.
        note: her words.
    """

    reviewer: str
    boundary: bool | None
    offset: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A place that some call a boundary and some do not.

    Attributes:
        offset: where; the offset that most named, of those the first.
        votes: who said what, skips among them.
        outcome: how it is settled: by a decision, by the majority, or not at all.
        boundary: what it is settled as; ``None`` where it is open.
        before, after: the text around it, as far as it was kept.
    """

    offset: int
    votes: tuple[Vote, ...]
    outcome: Outcome
    boundary: bool | None
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Gold:
    """True boundaries, by all who reviewed.

    Attributes:
        reference: the settled places. It is complete where a reviewer has declared the whole text judged and no place
            that anyone judged is left undecided.
        disagreements: in the order of the text, settled ones among them.
    """

    reference: Reference
    disagreements: tuple[Disagreement, ...]

    @property
    def boundaries(self) -> tuple[int, ...]:
        """Offsets, ascending."""
        return self.reference.boundaries

    @property
    def rejected(self) -> tuple[int, ...]:
        """Offsets of places settled as none, ascending."""
        return self.reference.rejected

    @property
    def open(self) -> tuple[Disagreement, ...]:
        """The disagreements that wait for a decision; they are not gold."""
        return tuple(each for each in self.disagreements if each.outcome == "open")


def decided(
    reviews: Mapping[str, Review],
    decisions: Mapping[int, Judgement] | None = None,
    axis: tuple[Sentences, Int64] | None = None,
) -> Gold:
    """Return the gold of a document.

    A decision counts for all. Else the majority does of those who judged the place (a skip is no vote); of one
    reviewer that is what she says. A tie is open, and not gold. Offsets that belong to one gap, by the rule of
    :func:`chunking.gold.gaps_of`, are one place; a reviewer who names several of them, some as boundaries, calls the
    place a boundary. Places of which nobody said anything are unknown, unless a reviewer has declared the document
    complete.

    Args:
        reviews: by reviewer.
        decisions: see :func:`chunking.gold.state.decisions`.
        axis: the sentences, and ``(n_gaps,)`` where each gap cuts the text. ``None``: places are offsets.
    """
    settled = votes_of(decisions or {})
    named: dict[str, dict[int, bool | None]] = {
        name: {**dict.fromkeys(own.skipped), **own.votes} for name, own in reviews.items()
    }
    keys = _keys({*settled, *(offset for own in named.values() for offset in own)}, axis)
    votes: dict[int, list[Vote]] = defaultdict(list)
    for name, own in named.items():
        for offset, boundary in own.items():
            votes[keys[offset]].append(Vote(name, boundary, offset, reviews[name].notes.get(offset, "")))
    ruled: dict[int, list[Vote]] = defaultdict(list)
    for offset, boundary in settled.items():
        ruled[keys[offset]].append(Vote("", boundary, offset))
    contexts = _contexts(reviews.values(), decisions or {})
    proposed = {offset for own in reviews.values() for offset, known in own.judgements.items() if known.proposed}
    places = [_place(votes.get(key, []), ruled.get(key, []), contexts) for key in {*votes, *ruled}]
    boundaries = tuple(sorted(offset for each in places for offset in each.boundaries))
    reference = Reference(
        boundaries,
        rejected=tuple(sorted(offset for each in places for offset in each.rejected)),
        added=tuple(offset for offset in boundaries if offset not in proposed),
        complete=any(own.complete for own in reviews.values()) and not any(each.open for each in places),
        reviewers=tuple(reviews),
    )
    disagreements = (each.disagreement for each in places if each.disagreement)
    return Gold(reference, tuple(sorted(disagreements, key=lambda each: each.offset)))


def votes_at(votes: Mapping[int, bool], axis: tuple[Sentences, Int64] | None) -> dict[int, bool]:
    """Votes on places instead of offsets: on gaps where the sentences are known; see :func:`decided`."""
    found: dict[int, bool] = {}
    for offset, key in _keys(set(votes), axis).items():
        found[key] = found.get(key, False) or votes[offset]
    return found


def _keys(offsets: set[int], axis: tuple[Sentences, Int64] | None) -> dict[int, int]:
    """What identifies the place of each offset: its gap, else the offset itself."""
    ordered = sorted(offsets)
    if axis is None or not len(axis[1]):
        return dict(zip(ordered, ordered, strict=True))
    return dict(zip(ordered, gaps_of(ordered, axis[1], axis[0]).tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class _Settled:
    boundaries: tuple[int, ...]
    rejected: tuple[int, ...]
    disagreement: Disagreement | None

    @property
    def open(self) -> bool:
        """Whether it is undecided."""
        return not self.boundaries and not self.rejected


def _place(votes: list[Vote], ruled: list[Vote], contexts: Mapping[int, tuple[str, str]]) -> _Settled:
    """What becomes of the votes on one place."""
    sides = {vote.reviewer: False for vote in votes if vote.boundary is not None}
    sides |= {vote.reviewer: True for vote in votes if vote.boundary}
    yes, no = sum(sides.values()), len(sides) - sum(sides.values())
    outcome: Outcome = "decided" if ruled else "open" if yes == no else "majority"
    boundary = any(vote.boundary for vote in ruled) if ruled else None if yes == no else yes > no
    wanted = [vote for vote in ruled or votes if vote.boundary is not None and vote.boundary is boundary]
    offsets = _named_most(wanted) if boundary else tuple(sorted({vote.offset for vote in wanted}))
    disagreement = None
    if yes and no:
        [offset, *_] = _named_most(wanted or [vote for vote in votes if vote.boundary])
        shown = tuple(sorted(votes, key=lambda vote: (vote.reviewer, vote.offset)))
        disagreement = Disagreement(offset, shown, outcome, boundary, *contexts.get(offset, ("", "")))
    return _Settled(offsets if boundary else (), offsets if boundary is False else (), disagreement)


def _named_most(votes: Iterable[Vote]) -> tuple[int, ...]:
    """The offsets that most of the voters name (one voter may name several as boundaries), of equals the first."""
    named: dict[str, set[int]] = defaultdict(set)
    for vote in votes:
        named[vote.reviewer].add(vote.offset)
    counts = Counter(tuple(sorted(offsets)) for offsets in named.values())
    return min(counts, key=lambda offsets: (-counts[offsets], offsets))


def _contexts(reviews: Iterable[Review], decisions: Mapping[int, Judgement]) -> dict[int, tuple[str, str]]:
    """The text around each place, of a move around its target."""
    known = (each for judgements in (*(own.judgements for own in reviews), decisions) for each in judgements.values())
    return {
        each.offset if each.target is None else each.target: (each.before, each.after)
        for each in known
        if each.before or each.after
    }
