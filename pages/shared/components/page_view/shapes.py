"""The chunks of a page as few rectangles, and the steps of its boundaries; the browser only scales them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chunking.runtime.arrays import Bools, Float32, Float64, Int64
from pages.shared.components.page_view.content import PageCuts, PageLines

_TOUCH = 1.0
"""Points that two rectangles must share before they count as overlapping: the boxes of glyphs are a little generous."""

_GLYPHS = 6.0
"""Points of height that two rectangles may share at most, for the same reason."""

_SAME_COLUMN = 0.6
"""Share of the narrower one's width that two lines of one column have in common."""

_EDGE = (10.0, 90.0)
"""Percentiles of the lines' edges that are the edges of a column: a title across two columns does not widen either."""

_PAD = (4.0, 2.5)
"""Points between words and the edge of their band, sideways and up and down, where nothing is near."""

_CLOSE = (6.0, 12.0)
"""Points between two bands up to which they meet in the middle."""

_INDENT = 6.0
"""Points from the edge of its column from which a band does not begin with the column."""


@dataclass(frozen=True, eq=False)
class Bands:
    """The chunks of a page as few calm rectangles.

    Attributes:
        chunk: ``(b,)`` integers, the chunk of each.
        box: ``(b, 4)`` float32, left, top, right, bottom; where two of different chunks are near, they meet.
        column: ``(b, 2)`` float32, left and right edge of the column that each stands in.
        ruled: ``(b,)`` booleans, whether it begins at the left edge of its column.
        of_row: ``(n,)`` integers, the band that holds each row of :class:`PageLines`; −1 for rows in no chunk.
    """

    chunk: Int64
    box: Float32
    column: Float32
    ruled: Bools
    of_row: Int64

    def __len__(self) -> int:
        return len(self.chunk)


def bands(lines: PageLines) -> Bands:
    """Join the rows of each chunk to rectangles that cover no row of another, and widen these to their columns.

    A chunk that ends amid a line takes three at most in a column, like marked text: what it shares a line with keeps
    its part of it.
    """
    rows = lines.box.astype(np.float64)
    of_row = _joined(lines.chunk, rows)
    of_row[lines.chunk < 0] = -1
    kept, of_row[of_row >= 0] = np.unique(of_row[of_row >= 0], return_inverse=True)
    chunk = np.array([lines.chunk[of_row == band][0] for band in range(len(kept))], dtype=np.int64)
    box = _hulls(rows, of_row, len(kept))
    column = _columns(box, _whole_lines(rows))
    ruled = box[:, 0] - column[:, 0] <= _INDENT
    for band in range(len(kept)):
        for side, pick in ((0, min), (2, max)):
            wider = box[band].copy()
            wider[side] = pick(wider[side], column[band, side // 2])
            others = (_overlapping(box, wider) & (chunk != chunk[band])).any()
            if not others and not (_overlapping(rows, wider) & (of_row < 0)).any():
                ruled[band] |= side == 0
                box[band] = wider
    return Bands(chunk, _padded(box).astype(np.float32), column.astype(np.float32), ruled, of_row)


def _hulls(rows: Float64, group: Int64, count: int) -> Float64:
    """``(count, 4)``: the rectangle around the rows of each group; every group has one."""
    hulls = np.empty((count, 4))
    hulls[:, :2], hulls[:, 2:] = np.inf, -np.inf
    there = group >= 0
    np.minimum.at(hulls[:, :2], group[there], rows[there, :2])
    np.maximum.at(hulls[:, 2:], group[there], rows[there, 2:])
    return hulls


def _overlapping(boxes: Float64, box: Float64) -> Bools:
    """Which boxes lie over another: they share some width, and more height than the glyphs of two lines do."""
    width = np.minimum(boxes[:, 2], box[2]) - np.maximum(boxes[:, 0], box[0])
    height = np.minimum(boxes[:, 3], box[3]) - np.maximum(boxes[:, 1], box[1])
    least = np.minimum(boxes[:, 3] - boxes[:, 1], box[3] - box[1]) / 2
    over: Bools = (width > _TOUCH) & (height > np.minimum(least, _GLYPHS))
    return over


def _joined(chunk: Int64, rows: Float64) -> Int64:
    """``(n,)``: the group of each row, ascending from 0. Rows that follow one another are one group as long as they are
    of one chunk and the rectangle around them lies over nothing of another."""
    group = np.zeros(len(rows), dtype=np.int64)
    around = rows.copy()  # of each row that was met, the rectangle of its group
    begin, number = 0, -1
    hull = np.zeros(4)
    for place, row in enumerate(rows):
        grown = np.concatenate((np.minimum(hull[:2], row[:2]), np.maximum(hull[2:], row[2:])))
        follows = place > 0 and chunk[place] == chunk[place - 1]
        if follows and not (_overlapping(around, grown) & (chunk != chunk[place])).any():
            hull = grown
        else:
            around[begin:place] = hull
            begin, number, hull = place, number + 1, row
        group[place] = number
    return group


def _whole_lines(rows: Float64) -> Float64:
    """Return the rectangles around adjacent rows, of whatever chunk."""
    middle = (rows[1:, 1] + rows[1:, 3]) / 2
    below = np.ones(len(rows), dtype=np.int64)
    below[1:] = (middle <= rows[:-1, 1]) | (middle >= rows[:-1, 3])
    line = np.cumsum(below) - 1
    return _hulls(rows, line, int(line.max(initial=-1)) + 1)


def _columns(boxes: Float64, lines: Float64) -> Float64:
    """``(b, 2)``: left and right edge of the column that each box stands in, by the lines at its place."""
    edges = boxes[:, [0, 2]].copy()
    width = lines[:, 2] - lines[:, 0]
    for place, (left, _, right, _) in enumerate(boxes.tolist()):
        shared = np.minimum(lines[:, 2], right) - np.maximum(lines[:, 0], left)
        column = lines[shared >= _SAME_COLUMN * np.minimum(width, right - left)]
        if len(column):
            edges[place, 0] = min(left, np.percentile(column[:, 0], _EDGE[0], method="inverted_cdf"))
            edges[place, 1] = max(right, np.percentile(column[:, 2], _EDGE[1], method="inverted_cdf"))
    return edges


def _padded(boxes: Float64) -> Float64:
    """Boxes with a margin, less where another is near: there they meet half-way. Those that lie over one another by
    more than glyphs do (parts of one chunk, in odd orders) leave each other alone."""
    padded = boxes.copy()
    for axis, other in ((0, 1), (1, 0)):
        low, high = boxes[:, axis], boxes[:, axis + 2]
        middle = (low + high) / 2
        for place, box in enumerate(boxes):
            near = np.minimum(boxes[:, other + 2], box[other + 2]) - np.maximum(boxes[:, other], box[other]) > _TOUCH
            over = np.minimum(high, high[place]) - np.maximum(low, low[place])
            near &= over < np.minimum(high - low, high[place] - low[place]) / 2
            before = high[near & (middle < middle[place])].max(initial=-np.inf)
            after = low[near & (middle > middle[place])].min(initial=np.inf)
            padded[place, axis] -= _margin(low[place] - before, axis)
            padded[place, axis + 2] += _margin(after - high[place], axis)
    return padded


def _margin(distance: float, axis: int) -> float:
    return float(distance / 2) if distance <= _CLOSE[axis] else _PAD[axis]


def steps(lines: PageLines, cuts: PageCuts, shapes: Bands) -> Int64:
    """``(m,)``: where each cut is amid a line, on which side of it the text before stands, −1 left or 1 right; else 0.

    Text that runs from right to left has it on the right.
    """
    steps = np.zeros(len(cuts), dtype=np.int64)
    for place, row in enumerate(cuts.row.tolist()):
        band = int(shapes.of_row[row])
        if band < 0:
            continue
        box = lines.box[row].astype(np.float64)
        earlier = (np.arange(len(lines)) < row) & (lines.chunk != lines.chunk[row])
        for side, edges in ((-1, (shapes.column[band, 0], box[0])), (1, (box[2], shapes.column[band, 1]))):
            beside = np.array([edges[0], box[1], edges[1], box[3]])
            if edges[1] - edges[0] > _INDENT and (_overlapping(lines.box.astype(np.float64), beside) & earlier).any():
                steps[place] = side
                break
    return steps
