"""Candidates: positions to judge, and their order.

What follows from a review depends on which positions were judged, and so on their order:

- A complete review, in any order, gives the share of right cuts exactly.
- An incomplete one is a sample of the whole only if the order was random (``random``, and always in a blind review).
  The
  first cuts of a text, the surest and the closest ones are no such sample: the surest are right more often than the
  rest, the closest less often. :func:`caution` says so.
- Gaps that a strategy does not cut are judged only in a blind review: as many of them as there are cuts are mixed in,
  drawn at random. They tell how many boundaries the strategy misses, and since reviewers cannot know which kind they
  see, they are not tempted to agree with the strategy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from chunking.comparison import nearest_gaps
from chunking.errors import ChunkscopeError
from chunking.reference.state import Review
from chunking.runtime.arrays import Int64
from chunking.strategies.base import Segmentation

Order = Literal["text", "random", "surest", "closest"]
ORDERS: tuple[Order, ...] = get_args(Order)
"""In the order of the text; at random; farthest above the threshold first; nearest to it first."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A position where a strategy cuts.

    Attributes:
        offset: character offset.
        score, threshold: the values it compared there; ``None`` for a cut without a threshold.
    """

    offset: int
    score: float | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A position to be judged.

    Attributes:
        offset: character offset.
        gap: the gap there, or the nearest; -1 in a document without any.
        proposed: the setting that cuts there, in one line; empty if the gap was mixed in.
        score, threshold: as in :class:`Proposal`.
    """

    offset: int
    gap: int
    proposed: str
    score: float | None = None
    threshold: float | None = None


def proposals(segmentation: Segmentation) -> tuple[Proposal, ...]:
    """Return the cuts of a segmentation, ascending, unique."""
    by_offset: dict[int, Proposal] = {}
    for chunk in segmentation.chunks:
        if chunk.start:
            score, threshold = (chunk.cut.score, chunk.cut.threshold) if chunk.cut else (None, None)
            by_offset.setdefault(chunk.start, Proposal(chunk.start, score, threshold))
    return tuple(by_offset[offset] for offset in sorted(by_offset))


def seed(document: str, setting: str) -> int:
    """Return the seed for a document (its hash) under a setting: all its reviewers see the same order."""
    return int.from_bytes(hashlib.sha256(f"{document}\0{setting}".encode("utf-8", "surrogatepass")).digest()[:8])


def candidates(
    proposed: Sequence[Proposal],
    gap_offsets: Int64,
    setting: str,
    order: Order = "text",
    blind: bool = False,
    seed: int = 0,
) -> tuple[Candidate, ...]:
    """Return the positions to judge, in order.

    Args:
        proposed: cuts of a strategy.
        gap_offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        setting: of the strategy, in one line.
        order: of cuts that are equal in it, the first in the text comes first; cuts without a score come last.
        blind: mix in as many gaps that are not cut as there are cuts, or all if there are fewer. The order is then
            random, whatever ``order`` says.
        seed: for everything random, see :func:`seed`.

    Raises:
        ChunkscopeError: the order is unknown.
    """
    if order not in ORDERS:
        raise ChunkscopeError(f"There is no order {order!r:.40}.", f"There are: {', '.join(ORDERS)}.")
    offsets = np.array([proposal.offset for proposal in proposed], dtype=np.int64)
    gaps = nearest_gaps(offsets, gap_offsets)[0]
    cuts = [
        Candidate(proposal.offset, gap, setting, proposal.score, proposal.threshold)
        for proposal, gap in zip(proposed, gaps.tolist(), strict=True)
    ]
    cuts.sort(key=lambda candidate: candidate.offset)
    random = np.random.default_rng(seed)
    if blind:
        others = np.setdiff1d(np.arange(len(gap_offsets)), gaps)
        drawn_gaps = np.sort(random.choice(others, min(len(cuts), len(others)), replace=False)).tolist()
        cuts += [Candidate(int(gap_offsets[gap]), gap, "") for gap in drawn_gaps]
    if blind or order == "random":
        return tuple(cuts[index] for index in random.permutation(len(cuts)))
    if order != "text":
        cuts.sort(key=lambda candidate: _rank(candidate, order))
    return tuple(cuts)


def _rank(candidate: Candidate, order: Order) -> float:
    if candidate.score is None or candidate.threshold is None:
        return float("inf")
    over = candidate.score - candidate.threshold
    return -over if order == "surest" else abs(over)


def _is_seen(candidate: Candidate, review: Review) -> bool:
    return candidate.offset in review.votes or candidate.offset in review.judgements


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a review.

    Attributes:
        decided, skipped, open: numbers of candidates.
    """

    decided: int
    skipped: int
    open: int

    @property
    def total(self) -> int:
        """Return the number of all candidates."""
        return self.decided + self.skipped + self.open

    @property
    def finished(self) -> bool:
        """Return whether every candidate is decided."""
        return self.decided == self.total


def progress(candidates: Sequence[Candidate], review: Review) -> Progress:
    """Return the progress of a review."""
    decided = sum(candidate.offset in review.votes for candidate in candidates)
    seen = sum(_is_seen(candidate, review) for candidate in candidates)
    return Progress(decided, seen - decided, len(candidates) - seen)


def caution(order: Order, blind: bool, progress: Progress) -> str:
    """Return why the precision of the judged cuts may differ from that of all cuts; empty if they are a fair sample."""
    if progress.finished:
        return ""
    if order == "text" and not blind:
        return "The first cuts of the text are no fair sample of all: judge all, or in random order."
    if order in ("surest", "closest") and not blind:
        better = "more" if order == "surest" else "less"
        return f"The {order} cuts are right {better} often than the rest: judge all, or in random order."
    if progress.skipped:
        return "Skipped places are left out: where they are the hard ones, precision is lower than it seems."
    return ""
