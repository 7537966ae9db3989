"""The landscape of the fused strategy: for each gap and each α, the percentile below which it is a boundary.

A gap is cut at (α, p) where ``fuse(semantic, structural, α)`` exceeds the p-th percentile of all gaps, strictly. That
is a question of rank alone: of *n* gaps, those are cut that have more than ``(n − 1) · p / 100`` others below them. So
one number for each gap and α covers every percentile. And each fused distance is a straight line over α, so how far a
set of boundaries lasts along α is solved and not sampled: :func:`plateau`. The solution is exact for the lines
themselves; ``fuse`` rounds to 12 decimals, which moves the end of a plateau by no more than 10⁻¹² ÷ (difference of the
slopes of the two lines that meet there).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Bools, Float32, Float64, Int64
from chunking.signals.distances import fuse
from chunking.signals.thresholds import percentile_cuts
from chunking.strategies.gaps import StructuralParameters


def _stops(name: str) -> Float64:
    """Return every value that the control of a parameter takes, as the nearest floats to its decimals."""
    parameter = StructuralParameters.lookup(name)
    low, high, step = (cast(float, value) for value in (parameter.minimum, parameter.maximum, parameter.step))
    stops: Float64 = (low + step * np.arange(round((high - low) / step) + 1, dtype=np.float64)).round(6)
    return stops


ALPHAS = _stops("alpha")
"""``(101,)`` float64: every α that the control takes."""

PERCENTILES = _stops("percentile")
"""``(500,)`` float64: every percentile that the control takes."""

_TIED = 1e-12
"""Distances that are no farther apart than this are one: what ``fuse`` rounds to."""

_SAME = 1e-9
"""Values of α that are no farther apart than this are one."""


@dataclass(frozen=True, eq=False)
class Landscape:
    """Every setting of α and percentile at once.

    Attributes:
        semantic, structural: ``(n_gaps,)`` float64, the distances.
        alphas: ``(A,)`` float64, ascending.
        fused: ``(A, n_gaps)`` float64, the fused distance at each α.
        flip: ``(A, n_gaps)`` float32, the percentile below which the gap is a boundary: it is cut exactly while the
            percentile is smaller, as in :meth:`chunking.signals.thresholds.Threshold.flip_amount`. 0 where nothing is
            ever cut: of a single gap, and of what is kept together.
        kept: ``(n_gaps,)`` bool, gaps that are never cut, whatever their distance.
    """

    semantic: Float64
    structural: Float64
    alphas: Float64
    fused: Float64
    flip: Float32
    kept: Bools

    def __len__(self) -> int:
        """Return the number of gaps."""
        return len(self.semantic)


def landscape(semantic: Float64, structural: Float64, alphas: Float64 = ALPHAS, kept: Bools | None = None) -> Landscape:
    """Return the landscape of two curves.

    Args:
        semantic, structural: ``(n_gaps,)`` float64.
        alphas: ``(A,)`` float64 from 0 to 1, ascending.
        kept: ``(n_gaps,)`` bool, gaps that are never cut; ``None`` for none.

    Raises:
        ChunkscopeError: the curves differ in length, or a value is not a number or out of range.
    """
    _check(semantic, structural)
    if len(alphas) == 0 or not (alphas[0] >= 0 and alphas[-1] <= 1 and (np.diff(alphas) > 0).all()):
        raise ChunkscopeError("The values of α must be strictly ascending from 0 to 1.")
    fused = np.stack([fuse(semantic, structural, alpha) for alpha in alphas.tolist()])
    held = np.zeros(len(semantic), dtype=np.bool_) if kept is None else kept
    return Landscape(semantic, structural, alphas, fused, np.where(held, np.float32(0), _flips(fused)), held)


def _flips(fused: Float64) -> Float32:
    """Return ``100 · (number of smaller distances) ÷ (n_gaps − 1)``, row by row."""
    flips = np.zeros(fused.shape, dtype=np.float32)
    if fused.shape[1] > 1:
        for row, values in zip(flips, fused, strict=True):
            row[:] = 100 * np.searchsorted(np.sort(values), values) / (len(values) - 1)
    return flips


def _check(semantic: Float64, structural: Float64) -> None:
    if semantic.ndim != 1 or semantic.shape != structural.shape:
        raise ChunkscopeError(
            f"The semantic curve has {semantic.size:,} gaps and the structural one {structural.size:,}.",
            "Compute both on the same sentences.",
        )
    if not (np.isfinite(semantic).all() and np.isfinite(structural).all()):
        raise ChunkscopeError("A distance is not a number, so gaps cannot be compared.")


def _check_setting(alpha: float, percentile: float) -> None:
    if not 0 <= alpha <= 1:
        raise ChunkscopeError(f"Invalid α: {alpha:g}.", "Give a number from 0 to 1.")
    if not 0 <= percentile <= 100:
        raise ChunkscopeError(f"Invalid percentile: {percentile:g}.", "Give a number from 0 to 100.")


# --- the plateau of one setting -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Plateau:
    """The range of each parameter around a setting without a change of any boundary.

    Attributes:
        alpha: the values of α between which the boundaries stay as they are, at this percentile. At an end itself,
            where lines meet, they may differ; both are the setting's α where they hold at that value alone.
        percentile: the percentiles for which they stay, at this α: from the first, included, to the second, which is
            included at 100 alone.
        boundaries: ``(n,)`` int64, the gaps that are cut, ascending.
    """

    alpha: tuple[float, float]
    percentile: tuple[float, float]
    boundaries: Int64


def plateau(semantic: Float64, structural: Float64, alpha: float, percentile: float) -> Plateau:
    """Return the plateau that a setting lies on.

    Along α the boundaries stay while the lowest of their lines is above the highest of all others: a minimum of lines
    is concave and a maximum convex, so what lies between them is concave and has one root on either side, which
    Newton's steps over the lines that are lowest and highest reach exactly. Where gaps are tied at the threshold,
    the set also needs the tie, see :func:`_tied_until`.

    Args:
        semantic, structural: ``(n_gaps,)`` float64.
        alpha: 0 to 1.
        percentile: 0 to 100.

    Raises:
        ChunkscopeError: the curves differ in length, or a value is not a number or out of range.
    """
    _check(semantic, structural)
    _check_setting(alpha, percentile)
    if len(semantic) < 2:
        return Plateau((0.0, 1.0), (0.0, 100.0), np.zeros(0, dtype=np.int64))
    fused = fuse(semantic, structural, alpha)
    cut = fused > np.percentile(fused, percentile)
    lines = _lines(semantic, structural)
    # As many of the highest uncut gaps must be equal for these to be the boundaries: 1 without ties.
    tied = max(1, 1 + percentile_cuts(len(cut), percentile) - int(np.count_nonzero(cut)))
    high = _plateau_end(lines, cut, tied, alpha)
    low = 1.0 - _plateau_end(lines.mirrored, cut, tied, 1.0 - alpha)
    return Plateau((min(low, alpha), high), _percentiles(fused, cut, percentile), np.flatnonzero(cut))


def _percentiles(fused: Float64, cut: Bools, percentile: float) -> tuple[float, float]:
    """Return the percentiles at which the highest uncut gap would be cut, and the lowest boundary would not."""
    last = len(fused) - 1
    uncut = fused[~cut]
    low = 100 * int(np.count_nonzero(fused < uncut.max())) / last
    high = 100 * len(uncut) / last if cut.any() else 100.0
    # The percentile is a float, and may lie a rounding error outside of the stretch it belongs to.
    return min(low, percentile), max(high, percentile)


@dataclass(frozen=True, eq=False)
class _Lines:
    """The fused distance of each gap as a line over α.

    Attributes:
        start, end: ``(n_gaps,)`` float64, its values at 0 and at 1.
    """

    start: Float64
    end: Float64

    @cached_property
    def slope(self) -> Float64:
        """``(n_gaps,)`` how much each rises from 0 to 1."""
        return self.end - self.start

    @cached_property
    def mirrored(self) -> _Lines:
        """The lines in order from right to left."""
        return _Lines(self.end, self.start)

    @cached_property
    def alike(self) -> Int64:
        """``(n_gaps,)`` how many gaps have the line of each."""
        _, which, counts = np.unique(self.start + 1j * self.end, return_inverse=True, return_counts=True)
        frequencies: Int64 = counts[which]
        return frequencies

    def at(self, alpha: float) -> Float64:
        """Return the values at α."""
        return alpha * self.end + (1.0 - alpha) * self.start

    def crossing(self, one: int, other: int) -> float:
        """Return the α at which two lines of different slopes meet."""
        return float((self.start[one] - self.start[other]) / (self.slope[other] - self.slope[one]))


def _lines(semantic: Float64, structural: Float64) -> _Lines:
    """Return the lines of two curves, to 12 decimals, so that what ``fuse`` makes equal is one line."""
    return _Lines(structural.round(12), semantic.round(12))


def _plateau_end(lines: _Lines, cut: Bools, tied: int, since: float) -> float:
    """Return the α up to which the boundaries at ``since`` remain, at most 1."""
    end = _separated_until(lines, cut, since)
    if tied > 1:
        end = min(end, _tied_until(lines, ~cut, tied, since))
    return end if end < 1 - _SAME else 1.0  # lines that meet at 1 may do so a rounding error before it


def _separated_until(lines: _Lines, cut: Bools, since: float) -> float:
    """Return up to where the lowest boundary is above the highest other gap.

    From the right, each step goes to where the two lines meet that are lowest and highest: their difference is nowhere
    below that of the sets, so no step goes too far, and each pair of lines is met once.
    """
    inside, outside = np.flatnonzero(cut), np.flatnonzero(~cut)
    if not len(inside):
        return 1.0
    end = 1.0
    while True:
        values = lines.at(end)
        low, high = inside[values[inside].argmin()], outside[values[outside].argmax()]
        if values[low] > values[high]:
            return end
        if lines.slope[high] <= lines.slope[low]:  # they meet at ``since`` and part from there
            return since
        meet = lines.crossing(low, high)
        if not since < meet < end:
            return since if meet <= since else end
        end = meet


def _tied_until(lines: _Lines, is_uncut: Bools, tied: int, since: float) -> float:
    """Return up to where the highest of the gaps that are not cut are at least ``tied`` equal ones.

    If more than the usual number of gaps are not cut, then because the threshold is the distance of several, and they
    stay below it only while they are equal. Gaps with one line always are; others where their lines cross, which is
    one value of α. So this goes along the upper envelope of the lines while that is the line of enough gaps.
    """
    members = np.flatnonzero(is_uncut)
    values = lines.at(since)[members]
    leaders = members[values >= values.max() - _TIED]
    while True:
        top = leaders[lines.slope[leaders].argmax()]
        if lines.alike[top] < tied:
            return since
        steeper = members[lines.slope[members] > lines.slope[top]]
        if not len(steeper):
            return 1.0
        meets = (lines.start[top] - lines.start[steeper]) / (lines.slope[steeper] - lines.slope[top])
        since = max(since, float(meets.min()))
        if since >= 1:
            return 1.0
        leaders = steeper[meets <= since]
