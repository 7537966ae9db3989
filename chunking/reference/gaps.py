"""The gaps that places in a text belong to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking.runtime.arrays import Int64
from chunking.sentences import Sentences


def gaps_of(places: Sequence[int], offsets: Int64, units: Sentences) -> Int64:
    """Return the gap that each place in the text belongs to.

    Args:
        places: character offsets.
        offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        units: the sentences.

    Returns:
        ``(n_places,)`` int64: the gap before the sentence that starts at the place or, where a splitter has joined that
        to what precedes, the nearest one; -1 where there is no gap at all.
    """
    wanted = np.asarray(places, dtype=np.int64)
    if not len(offsets):
        return np.full(len(wanted), -1, dtype=np.int64)
    centres = (offsets + units.spans[1:, 0]) / 2
    right = np.clip(np.searchsorted(centres, wanted), 1, max(len(centres) - 1, 1))
    left = right - 1
    right = np.minimum(right, len(centres) - 1)
    nearer = np.abs(centres[left] - wanted) <= np.abs(centres[right] - wanted)
    return np.where(nearer, left, right)


def gold_gaps(gold: Sequence[int], offsets: Int64, units: Sentences) -> Int64:
    """Return the gaps of gold boundaries, ascending, each once; see :func:`gaps_of`."""
    if not len(offsets):
        return np.zeros(0, dtype=np.int64)
    return np.unique(gaps_of(gold, offsets, units))
