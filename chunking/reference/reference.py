"""The reference of a document: known boundaries and non-boundaries, and the score of a strategy against them.

Unless somebody has judged the whole text, a position that is not listed is unknown, not a non-boundary. So a measure
that needs every gap (F1, Pk, agreement) exists for a complete reference alone. For a partial one, :func:`partial_score`
compares a strategy on the judged gaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.reference.precision import Precision, precision
from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences


@dataclass(frozen=True)
class Reference:
    """Boundaries that people set on a document, as offsets in ascending order.

    Attributes:
        boundaries: places that are boundaries.
        rejected: places that were judged and are none.
        added: the boundaries that no strategy had proposed to whoever set them.
        complete: whether every place that is not listed is a non-boundary; if not, it is unknown.
        reviewers: who judged; empty where the reference did not come from reviews.
    """

    boundaries: tuple[int, ...] = ()
    rejected: tuple[int, ...] = ()
    added: tuple[int, ...] = ()
    complete: bool = True
    reviewers: tuple[str, ...] = ()

    @property
    def judgements(self) -> int:
        """Return the number of judged positions, on which every figure of a partial reference rests."""
        return len(self.boundaries) + len(self.rejected)

    @property
    def complete_boundaries(self) -> tuple[int, ...]:
        """Return the boundaries of a complete reference; none of a partial one, which leaves gaps unknown."""
        return self.boundaries if self.complete else ()

    @property
    def partial(self) -> bool:
        """Return whether there are judgements, though not of the whole document."""
        return not self.complete and self.judgements > 0


NO_REFERENCE = Reference()
"""The reference of a document without any known boundary."""


@dataclass(frozen=True)
class PartialScore:
    """The score of a strategy against a partial reference, on judged gaps alone.

    Attributes:
        precision: of its judged cuts.
        added_cut: added boundaries that it cuts.
        added: all added boundaries; those that a strategy proposed say nothing about recall, since they were judged
            because they were cut.
        judgements: number of judged gaps.
    """

    precision: Precision
    added_cut: int
    added: int
    judgements: int

    @property
    def recall(self) -> float | None:
        """Return the share of the added boundaries that it cuts; ``None`` if none was added."""
        return self.added_cut / self.added if self.added else None


def gaps_of(positions: Sequence[int], offsets: Int64, units: Sentences) -> Int64:
    """Return the gap that each position in the text belongs to.

    Args:
        positions: character offsets.
        offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        units: the sentences.

    Returns:
        ``(n_positions,)`` int64: the gap before the sentence that starts at the position or, where a splitter has
        joined that sentence with the one before, the nearest gap; -1 where there is no gap at all.
    """
    offsets_to_place = np.asarray(positions, dtype=np.int64)
    if not len(offsets):
        return np.full(len(offsets_to_place), -1, dtype=np.int64)
    centres = (offsets + units.spans[1:, 0]) / 2
    right = np.clip(np.searchsorted(centres, offsets_to_place), 1, max(len(centres) - 1, 1))
    left = right - 1
    right = np.minimum(right, len(centres) - 1)
    nearer = np.abs(centres[left] - offsets_to_place) <= np.abs(centres[right] - offsets_to_place)
    return np.where(nearer, left, right)


def reference_gaps(boundaries: Sequence[int], offsets: Int64, units: Sentences) -> Int64:
    """Return the gaps of reference boundaries, ascending, each once; see :func:`gaps_of`."""
    if not len(offsets):
        return np.zeros(0, dtype=np.int64)
    return np.unique(gaps_of(boundaries, offsets, units))


def partial_score(reference: Reference, cuts: Sequence[int] | Int64, offsets: Int64, units: Sentences) -> PartialScore:
    """Compare a strategy with a partial reference.

    Args:
        reference: see :class:`Reference`.
        cuts: gaps that the strategy cuts.
        offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        units: the sentences.
    """
    right, wrong, added = (
        {*reference_gaps(positions, offsets, units).tolist()}
        for positions in (reference.boundaries, reference.rejected, reference.added)
    )
    wrong -= right
    cut = {int(gap) for gap in cuts}
    return PartialScore(
        precision(len(cut & right), len(cut & wrong), len(cut)), len(cut & added), len(added), len(right | wrong)
    )
