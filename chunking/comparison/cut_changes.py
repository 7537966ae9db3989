"""Cuts of several segmentations of one document: on the axis of gaps, in common, and what changed.

Cuts are offsets, so that a cut inside a sentence keeps its place. Where a measure needs the axis of units (see
:mod:`chunking.comparison.agreement`), :func:`unit_cuts` moves them to the nearest gap and reports the changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.runtime.arrays import Float64, Int64
from chunking.strategies.base import Segmentation


def cut_offsets(segmentation: Segmentation) -> Int64:
    """Return ``(n_cuts,)`` int64, ascending, each once: where chunks start, but for the start of the text."""
    return np.unique(np.array([chunk.start for chunk in segmentation.chunks if chunk.start], dtype=np.int64))


def nearest_gaps(offsets: Int64, gap_offsets: Int64) -> tuple[Int64, Int64]:
    """Return the gap nearest to each offset; of two that are equally near, the first.

    Args:
        offsets: ``(n,)`` places in the text.
        gap_offsets: ``(n_gaps,)`` where each gap cuts the text, ascending.

    Returns:
        Two arrays ``(n,)`` int64: the gap, and its distance in characters; both −1 if there is no gap.
    """
    values, gaps = np.asarray(offsets, dtype=np.int64), np.asarray(gap_offsets, dtype=np.int64)
    if not len(gaps):
        return np.full(len(values), -1, dtype=np.int64), np.full(len(values), -1, dtype=np.int64)
    after = np.searchsorted(gaps, values)
    right = np.minimum(after, len(gaps) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(np.abs(values - gaps[before]) <= np.abs(gaps[right] - values), before, right)
    return nearest, np.abs(gaps[nearest] - values)


@dataclass(frozen=True, eq=False)
class UnitCuts:
    """Cuts on the axis of units.

    Attributes:
        gaps: ``(n,)`` int64, ascending, each once.
        inside: cuts that lie at no gap and were moved to the nearest.
    """

    gaps: Int64
    inside: int


def unit_cuts(offsets: Int64, gap_offsets: Int64) -> UnitCuts:
    """Move cuts to the nearest gaps and report the changes; arguments as in :func:`nearest_gaps`."""
    nearest, distance = nearest_gaps(offsets, gap_offsets)
    return UnitCuts(np.unique(nearest[nearest >= 0]), int(np.count_nonzero(distance > 0)))


def consensus(cuts: Sequence[Int64], n_gaps: int) -> Float64:
    """Return ``(n_gaps,)`` float64: the share of segmentations that cut each gap; 0 everywhere where there are none.

    Args:
        cuts: the gaps that each segmentation cuts; one that is there twice counts once.
        n_gaps: number of gaps.
    """
    votes = np.zeros(n_gaps, dtype=np.float64)
    for gaps in cuts:
        votes[np.unique(gaps)] += 1
    return votes / max(len(cuts), 1)


@dataclass(frozen=True, eq=False)
class CutChanges:
    """The changes from one set of cuts to another.

    Attributes:
        kept: ``(n,)`` int64, places that are cut before and after.
        appeared: ``(n,)`` int64, places that are cut only after.
        gone: ``(n,)`` int64, places that were cut only before.
    """

    kept: Int64
    appeared: Int64
    gone: Int64


def changes(before: Int64, after: Int64) -> CutChanges:
    """Return the cuts that a change of the setting kept, added and removed; the arguments are places in any unit."""
    return CutChanges(np.intersect1d(before, after), np.setdiff1d(after, before), np.setdiff1d(before, after))
