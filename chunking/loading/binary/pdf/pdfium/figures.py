"""Areas of drawings on a page: diagrams, charts and maps, by their slanted lines and curves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from chunking.runtime.arrays import Bools, Float32, Float64, Int32, Int64

GAP = 8.0
"""Distance from which drawings are apart, in points."""

ROUNDS = 8
"""Number of times that an area is divided, alternately by columns and rows."""

MIN_SHAPES = 3
"""Slanted lines and curves that a figure has."""

MIN_SIDE = 40.0
"""Least width and height of a figure, in points."""

MAX_SHARE = 0.8
"""Share of the width and height of the page from which a drawing is its background or frame."""

MIN_SLANT = 3.0
"""Least width and height of a slanted line, in points."""

MIN_CURVE = 6.0
"""Least width or height of a curve or polygon, in points; what is smaller is a bullet or the head of an arrow."""

_LINE, _RECTANGLE = 3, 5
"""Segments up to which a path is a line, and a rectangle."""


def find_figures(boxes: Float32, segments: Int32, width: float, height: float) -> Float32:
    """Return ``(n, 4)`` float32: the boxes of the figures that paths form.

    Args:
        boxes: ``(n_paths, 4)`` float32, those of the paths of a page.
        segments: ``(n_paths,)`` int32, number of segments of each.
        width, height: of the page, in points.
    """
    size = boxes[:, 2:] - boxes[:, :2]
    is_line = (segments <= _LINE) & (size.min(axis=1) > MIN_SLANT)
    is_shape = is_line | ((segments > _RECTANGLE) & (size.max(axis=1) > MIN_CURVE))
    if np.count_nonzero(is_shape) < MIN_SHAPES:
        return np.zeros((0, 4), dtype=np.float32)
    page = np.array((width, height))
    is_rule = (size.min(axis=1) < MIN_SLANT) & (size > MAX_SHARE * page).any(axis=1)
    keep = np.flatnonzero(~is_rule & ~(size > MAX_SHARE * page).all(axis=1))
    figures = [
        (*boxes[part, :2].min(axis=0), *boxes[part, 2:].max(axis=0))
        for part in _divide(boxes, keep)
        if np.count_nonzero(is_shape[part]) >= MIN_SHAPES
    ]
    found = np.array(figures, dtype=np.float32).reshape(-1, 4)
    extent = found[:, 2:] - found[:, :2]
    figures_only: Float32 = found[(extent > MIN_SIDE).all(axis=1) & ~(extent > MAX_SHARE * page).all(axis=1)]
    return figures_only


def _divide(boxes: Float32, indices: Int64) -> Iterator[Int64]:
    """Yield the indices of boxes by areas that have space between them."""
    waiting = [(indices, 0, False)]
    while waiting:
        part, turn, is_whole = waiting.pop()
        parts = _split(boxes[part, turn % 2], boxes[part, turn % 2 + 2]) if len(part) and turn < ROUNDS else []
        if len(parts) < 2 and (is_whole or turn >= ROUNDS or not len(part)):
            yield part
        else:
            waiting.extend((part[group], turn + 1, len(parts) < 2) for group in parts)


def _split(begins: Float32, ends: Float32) -> list[Int64]:
    """Return the indices of intervals by groups that have space between them."""
    order = np.argsort(begins, kind="stable")
    reach: Float64 = np.maximum.accumulate(ends[order])
    apart: Bools = begins[order][1:] - reach[:-1] > GAP
    return np.split(order, np.flatnonzero(apart) + 1)
