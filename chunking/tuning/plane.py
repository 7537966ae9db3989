"""Maps over all settings of α and percentile: number of boundaries, chunk size, stability and quality.

At one α the boundaries of a higher percentile are among those of a lower one. So a single number for each gap and α,
its depth, says at which percentiles it is cut; every map below is counts of depths, none is sampled, and each cell is
what the strategy gives at that setting before any limit of size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

import numpy as np

from chunking.comparison.agreement import METRICS, window_size
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Bools, Float32, Float64, Int16, Int64
from chunking.tokens import SpanTokens
from chunking.tuning.landscape import PERCENTILES, Landscape

Kind = Literal["count", "similarity", "error", "size", "share"]

NUDGE = 0.05
"""Change of α, up and down, for the map of stable boundaries."""

_BLOCK = 512
"""Cuts that are removed before the chunks that remain are counted."""


@dataclass(frozen=True, eq=False)
class SettingMap:
    """One number for each setting.

    Attributes:
        name: what it is called.
        title: for people.
        values: ``(A, P)`` float32.
        kind: ``"count"``; ``"similarity"``, best at 1; ``"error"``, best at 0; ``"size"`` in tokens; ``"share"``.
        help: one or two sentences.
    """

    name: str
    title: str
    values: Float32
    kind: Kind
    help: str


@dataclass(frozen=True, eq=False)
class Plane:
    """Maps over the same settings.

    Attributes:
        alphas: ``(A,)`` float64, the rows.
        percentiles: ``(P,)`` float64, the columns.
        maps: by name: ``boundaries`` and ``stable``; ``largest`` where tokens were given; ``f1`` and ``pk`` where a
            reference was.
    """

    alphas: Float64
    percentiles: Float64
    maps: Mapping[str, SettingMap]

    def cell(self, alpha: float, percentile: float) -> tuple[int, int]:
        """Return row and column of the setting nearest to this one."""
        return nearest(self.alphas, alpha), nearest(self.percentiles, percentile)


def nearest(values: Float64, value: float) -> int:
    """Return the place of the value nearest to the wanted one; of two, the first."""
    return int(np.abs(values - value).argmin())


def plane(
    landscape: Landscape,
    percentiles: Float64 = PERCENTILES,
    *,
    tokens: SpanTokens | None = None,
    reference: Int64 | None = None,
) -> Plane:
    """Return the maps of a document.

    Args:
        landscape: the fused distances of all its gaps at every α.
        percentiles: ``(P,)`` float64, ascending.
        tokens: what counts the tokens between any two gaps: ``workspace.cut_points.tokens``.
        reference: ``(n_boundaries,)`` int64, reference boundaries: gaps, ascending, each once.

    Raises:
        ChunkscopeError: percentiles, the reference or tokens do not fit.
    """
    deep = depths(landscape, percentiles)
    count = len(percentiles)
    maps = [_boundaries(deep, count), _stable(landscape.alphas, deep, count)]
    if tokens is not None:
        maps.append(_largest(deep, count, tokens))
    if reference is not None:
        true = checked_reference(reference, len(landscape))
        maps += [_f1(deep, count, true), _pk(deep, count, true)]
    return Plane(landscape.alphas, percentiles, {setting_map.name: setting_map for setting_map in maps})


def depths(landscape: Landscape, percentiles: Float64) -> Int16:
    """Return the number of percentiles, counted from the lowest, at which each gap is cut.

    Args:
        landscape: of ``n_gaps`` gaps.
        percentiles: ``(P,)`` float64, ascending, from 0 to 100; at most 32,767.

    Returns:
        ``(A, n_gaps)`` int16, 0 to P.
    """
    levels = np.asarray(percentiles, dtype=np.float64)
    if (
        not len(levels)
        or not (levels[0] >= 0 and levels[-1] <= 100 and (np.diff(levels) > 0).all())
        or len(levels) >= 2**15
    ):
        raise ChunkscopeError("The percentiles must be strictly ascending from 0 to 100.")
    depth_of = np.zeros(landscape.fused.shape, dtype=np.int16)
    if not len(landscape):
        return depth_of
    ascending = np.sort(landscape.fused, axis=1)  # which numpy's selection goes through ten times as fast
    thresholds = np.percentile(ascending, levels, axis=1, overwrite_input=True)
    for row, fused in enumerate(landscape.fused):
        depth_of[row] = np.searchsorted(thresholds[:, row], fused)
    depth_of[:, landscape.kept] = 0
    return depth_of


def checked_reference(reference: Int64, gaps: int) -> Int64:
    """Return reference boundaries as ascending gaps; raise if it is invalid."""
    values = np.asarray(reference)
    boundaries = values.astype(np.int64).reshape(-1)
    is_whole = not values.size or values.dtype.kind in "iu"
    if not is_whole or (boundaries < 0).any() or (boundaries >= gaps).any() or (np.diff(boundaries) <= 0).any():
        raise ChunkscopeError(
            f"The reference boundaries are not ascending gaps of a document of {gaps:,} gaps.",
            "Give each gap once, from 0.",
        )
    return boundaries


def over(deep: Int16, count: int) -> Int64:
    """Return ``(A, count)`` int64: how many of the columns are deeper than each percentile's place, so how many are
    cut.

    Args:
        deep: ``(A, n)`` depths, 0 to ``count``.
        count: number of percentiles.
    """
    rows, columns = deep.shape
    bins = np.arange(rows)[:, None] * (count + 1) + deep
    histogram = np.bincount(bins.ravel(), minlength=rows * (count + 1)).reshape(rows, count + 1)
    n_deeper: Int64 = columns - np.cumsum(histogram[:, :count], axis=1)
    return n_deeper


# --- maps without a reference ----------------------------------------------------------------------------------------


def _boundaries(deep: Int16, count: int) -> SettingMap:
    return SettingMap(
        "boundaries",
        "Boundaries",
        over(deep, count).astype(np.float32),
        "count",
        "Number of boundaries, before size limits.",
    )


def _stable(alphas: Float64, deep: Int16, count: int) -> SettingMap:
    """Return the share of the boundaries of each setting that are cut at every α within :data:`NUDGE` of it.

    The percentile is left as it is: another one only adds or takes away gaps in order of distance, as many as the
    share of gaps it stands for, whatever the document.
    """
    everywhere = np.empty_like(deep)
    for row, alpha in enumerate(alphas.tolist()):
        low, high = np.searchsorted(alphas, (alpha - NUDGE - 1e-9, alpha + NUDGE + 1e-9))
        everywhere[row] = deep[low:high].min(axis=0)
    n_kept, cut = over(everywhere, count), over(deep, count)
    shares = np.divide(n_kept, cut, out=np.full(cut.shape, np.nan), where=cut > 0)
    return SettingMap(
        "stable",
        "Stable boundaries",
        shares.astype(np.float32),
        "share",
        f"Share of the boundaries that are still cut at every α up to {NUDGE:g} lower or higher, at the same "
        "percentile. Empty where nothing is cut.",
    )


def _largest(deep: Int16, count: int, tokens: SpanTokens) -> SettingMap:
    """Return the tokens of the largest chunk: boundaries are removed, the shallowest first, and each leaves a larger
    chunk.

    A chunk never shrinks on the way, so the largest so far is the largest there is. All α go together, each with its
    own chain of what is left.
    """
    rows, gaps = deep.shape
    nodes = gaps + 2  # with the text's start and end
    if len(tokens.cuts) != nodes:
        raise ChunkscopeError(
            f"The tokens are those between {len(tokens.cuts) - 2:,} gaps, but the document has {gaps:,}.",
            "Give the tokens of the same document, 'workspace.cut_points.tokens'.",
        )
    first = np.arange(rows, dtype=np.int64) * nodes
    before = np.arange(-1, rows * nodes - 1, dtype=np.int64)
    after = before + 2
    order = np.argsort(deep, axis=1, kind="stable").T + (first + 1)
    alone = np.arange(nodes - 1)
    sizes = np.empty((gaps + 1, rows), dtype=np.int64)
    sizes[0] = tokens.span_counts(alone, alone + 1).max()
    for start in range(0, gaps, _BLOCK):
        block = order[start : start + _BLOCK]
        left, right = np.empty_like(block), np.empty_like(block)
        for index, node in enumerate(block):
            left[index], right[index] = one, other = before[node], after[node]
            after[one], before[other] = other, one
        counts = tokens.span_counts((left - first).ravel(), (right - first).ravel())
        sizes[start + 1 : start + 1 + len(block)] = counts.reshape(block.shape)
    np.maximum.accumulate(sizes, axis=0, out=sizes)
    largest = np.take_along_axis(sizes, (gaps - over(deep, count)).T, axis=0).T
    return SettingMap(
        "largest",
        "Largest chunk",
        largest.astype(np.float32),
        "size",
        "Tokens of the largest chunk, before size limits.",
    )


# --- maps with a reference -------------------------------------------------------------------------------------------


def _f1(deep: Int16, count: int, reference: Int64) -> SettingMap:
    sizes = over(deep, count) + len(reference)
    values = np.where(sizes > 0, 2 * over(deep[:, reference], count) / np.maximum(sizes, 1), 1.0)
    return SettingMap(
        "f1",
        "Boundary F1",
        values.astype(np.float32),
        "similarity",
        "Share of boundaries that have a partner in the reference, matched one to one.",
    )


def windows(deep: Int16, reference: Int64) -> tuple[Int16, Bools]:
    """Return the windows of Pk: a window has a boundary where its deepest gap is cut.

    Args:
        deep: ``(A, n_gaps)``.
        reference: gaps, ascending.

    Returns:
        ``(A, n_windows)`` int16, the depth of each window, by its first gap; ``(n_windows,)`` bool, whether it has a
        reference boundary.
    """
    ndimage: Any = import_module("scipy.ndimage")  # takes a moment, and has no types
    gaps = deep.shape[1]
    size = window_size(reference, gaps + 1)
    if not gaps:
        return deep, np.zeros(0, dtype=np.bool_)
    before = np.searchsorted(reference, np.arange(gaps + 1))
    inside = before[size:] > before[:-size]
    # scipy centres its windows: that of a place begins half a window before it.
    deepest: Int16 = ndimage.maximum_filter1d(deep, size, axis=1, mode="nearest")[
        :, size // 2 : size // 2 + len(inside)
    ]
    return deepest, inside


def errors(deep: Int16, count: int, inside: Bools) -> Int64:
    """Return ``(A, count)`` int64: windows in which only one of strategy and reference has a boundary.

    Args:
        deep, inside: of the windows, see :func:`windows`.
        count: number of percentiles.
    """
    return int(np.count_nonzero(inside)) - over(deep[:, inside], count) + over(deep[:, ~inside], count)


def _pk(deep: Int16, count: int, reference: Int64) -> SettingMap:
    window_depths, inside = windows(deep, reference)
    values = errors(window_depths, count, inside) / max(len(inside), 1)
    return SettingMap(
        "pk",
        "Pk",
        values.astype(np.float32),
        "error",
        METRICS["pk"].help,
    )
