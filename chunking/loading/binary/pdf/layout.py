"""The lines of each region in reading order, and what they consist of."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from chunking.loading.binary.pdf.fragments import Fragments
from chunking.loading.binary.pdf.regions import find_regions
from chunking.loading.binary.pdf.ruled_tables import RuledTable
from chunking.loading.binary.pdf.words import Words
from chunking.runtime.arrays import Float32, Float64, Int64


@dataclass(slots=True, eq=False)
class Line:
    """A line of a region.

    Attributes:
        fragments: indices, in reading order: more than one where there are wide gaps.
        text: its text.
        first: its first word.
        page, region: its position.
        left, top, right, bottom: its edges as laid out, in points.
        size: font size, as in :class:`~chunking.loading.binary.pdf.fragments.Fragments`, the greatest.
        bold, italic, mono: whether nearly all of it is.
        first_width: width of its first word.
        hyphen: whether by PDFium it ends inside a word.
        table: number of the ruled table that it represents, or -1.
        rotated: whether it is not written in the direction of its page.
        inner: where its second word begins.
        bullet: whether a bullet is drawn before it that is not a character.
    """

    fragments: tuple[int, ...]
    text: str
    first: str
    page: int
    region: int
    left: float
    top: float
    right: float
    bottom: float
    size: float
    bold: bool
    italic: bool
    mono: bool
    first_width: float
    inner: float
    hyphen: bool
    table: int
    rotated: bool
    bullet: bool = False


LINE_BATCH = 4096
"""Number of lines that are built at a time."""

BULLET_GAP = 2.5
"""Greatest distance of a drawn bullet from its line, in font sizes."""

MANY_LINES = 6
"""Minimum number of lines from which the edges of a region are derived."""


class ColumnEdges(NamedTuple):
    """Left and right edge of a region's column, in points."""

    left: float
    right: float


def _build_lines(words: Words, fragments: Fragments, region: Int64) -> list[Line]:
    """Return the lines of all regions in reading order.

    Args:
        words, fragments: of the document.
        region: of each fragment, see :func:`~chunking.loading.binary.pdf.regions.find_regions`.
    """
    if not len(fragments):
        return []
    # By base line within the region, so that a raised fragment does not come before its line.
    order = np.lexsort((fragments.top, fragments.bottom, region))
    step = np.diff(fragments.bottom[order])
    size = np.minimum(fragments.size[order[1:]], fragments.size[order[:-1]])
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (
        (np.diff(region[order]) != 0)
        | (step > 0.35 * size)
        | (fragments.table[order[1:]] >= 0)
        | (fragments.table[order[:-1]] >= 0)
    )
    line = np.cumsum(new)
    order = order[np.lexsort((fragments.first[order], fragments.left[order], line))]
    return _lines_of(words, fragments, region, order, np.flatnonzero(new))


def _lines_of(words: Words, fragments: Fragments, region: Int64, order: Int64, first: Int64) -> list[Line]:
    chars = np.add.reduceat(fragments.chars[order], first)

    def mean(values: Float64) -> Float64:
        sums: Float64 = np.add.reduceat((values * fragments.chars)[order], first) / chars
        return sums

    # An isolated raised mark does not determine the size of its line, unless the line has nothing else.
    long = (fragments.chars[order] > 1) | (np.repeat(chars, np.diff(np.append(first, len(order)))) < 4)
    lead = fragments.first[order[first]]
    second = words.layout_box[np.minimum(lead + 1, len(words) - 1), 0]
    is_single_word = (fragments.last - fragments.first)[order[first]] == 1
    follows = order[np.minimum(first + 1, len(order) - 1)]
    last = np.append(first[1:], len(order))
    columns = (
        first,
        last,
        lead,
        fragments.page[order[first]],
        region[order[first]],
        np.minimum.reduceat(fragments.left[order], first),
        mean(fragments.top),
        np.maximum.reduceat(fragments.right[order], first),
        mean(fragments.bottom),
        np.maximum.reduceat(np.where(long, fragments.size[order], 0), first),
        mean(fragments.bold) > 0.8,
        mean(fragments.italic) > 0.8,
        mean(fragments.mono) > 0.85,
        words.layout_box[lead, 2] - words.layout_box[lead, 0],
        np.where(is_single_word, fragments.left[follows], second),
        words.hyphen[fragments.last[order[last - 1]] - 1],
        fragments.table[order[first]],
        fragments.rotated[order[first]],
    )
    lines: list[Line] = []
    # In batches, so that there are never lists of all numbers.
    for begin in range(0, len(first), LINE_BATCH):
        batch = slice(begin, begin + LINE_BATCH)
        lines.extend(_batch(words.text, fragments, order, [column[batch].tolist() for column in columns]))
    return lines


def _batch(texts: Sequence[str], fragments: Fragments, order: Int64, columns: Sequence[list[Any]]) -> Iterator[Line]:
    """Yield the lines of columns: first and last fragment, first word, then properties in the order of ``Line``."""
    base, end = columns[0][0], columns[1][-1]
    indices = order[base:end]
    numbers, begins, ends = indices.tolist(), fragments.first[indices].tolist(), fragments.last[indices].tolist()
    for first, last, lead, *properties in zip(*columns, strict=True):
        start, stop = first - base, last - base
        text = " ".join([" ".join(texts[begins[position] : ends[position]]) for position in range(start, stop)])
        yield Line(tuple(numbers[start:stop]), text, texts[lead], *properties)


def _column_edges(lines: list[Line]) -> list[ColumnEdges]:
    """Return the column's edges for each region, by number.

    They are the outermost that two lines share. A region may hold only a few short lines: its right edge is then that
    of the narrowest column in the document which begins at the same place and is as wide.
    """
    count = max((line.region for line in lines), default=-1) + 1
    starts = [index for index, line in enumerate(lines) if not index or line.region != lines[index - 1].region]
    lefts: list[list[float]] = [[] for _ in range(count)]
    rights: list[list[float]] = [[] for _ in range(count)]
    for line in lines:
        lefts[line.region].append(line.left)
        rights[line.region].append(line.right)
    edges = [
        ColumnEdges(_outermost(sorted(left), 3), -_outermost(sorted([-edge for edge in right]), 12))
        for left, right in zip(lefts, rights, strict=True)
    ]
    usual: dict[int, list[float]] = {}
    for region, edge in enumerate(edges):
        if len(lefts[region]) >= MANY_LINES:
            usual.setdefault(round(edge.left / 8), []).append(edge.right)
    for ends in usual.values():
        ends.sort()
    columns: dict[int, list[float]] = {}
    for region, start in enumerate(starts):
        columns.setdefault(lines[start].page, []).append(min(lefts[region]))
    for begins in columns.values():
        begins.sort()
    result: list[ColumnEdges] = []
    for region, edge in enumerate(edges):
        right = edge.right
        if len(lefts[region]) < MANY_LINES:
            key = round(edge.left / 8)
            longest = max(rights[region], default=0.0)
            right = longest
            wider = [
                _next(usual[neighbour], longest - 3) for neighbour in (key - 1, key, key + 1) if neighbour in usual
            ]
            limits = [limit for limit in wider if limit]
            if region + 1 < count and _are_beside(lines, starts[region], starts[region + 1]):
                first = lines[starts[region]]
                limits.append(_next(columns[first.page], longest) - first.size)
            right = max(longest, min(limits, default=longest))
        result.append(ColumnEdges(edge.left, right))
    return result


def _are_beside(lines: Sequence[Line], start: int, end: int) -> bool:
    """Return whether the region of some lines is to the left of the next, which begins level with it.

    Args:
        lines: of the document.
        start, end: where the region and the next begin.
    """
    first, last, beside = lines[start], lines[end - 1], lines[end]
    is_level = first.top - first.size < beside.top < last.bottom
    return first.page == beside.page and is_level and beside.left > first.right


def _next(values: list[float], least: float) -> float:
    """Return the first of ascending values that is above ``least``, or 0."""
    index = bisect_right(values, least)
    return values[index] if index < len(values) else 0.0


def _outermost(values: list[float], max_gap: float) -> float:
    """Return the first of ascending values that is not isolated; the first if all are."""
    for value, next_value in pairwise(values):
        if next_value - value < max_gap:
            return value
    return values[0] if values else 0.0


def _mark_bullets(lines: Sequence[Line], marks: Sequence[Float32]) -> None:
    """Set :attr:`Line.bullet` if a small shape is drawn before a line, at half its height.

    It is a bullet where a second one in the document is as large, at the same place and as far from its line.

    Args:
        lines: of the document.
        marks: of each page, ``(n, 4)`` float32, as in :class:`~chunking.loading.binary.pdf.words.Words`.
    """
    of_page: dict[int, list[int]] = {}
    for index, line in enumerate(lines):
        if len(marks[line.page]) and not line.rotated and line.table < 0:
            of_page.setdefault(line.page, []).append(index)
    by_look: dict[tuple[int, ...], set[int]] = {}
    for page, indices in of_page.items():
        boxes = np.array(
            [(lines[index].left, lines[index].top, lines[index].bottom, lines[index].size) for index in indices]
        )
        left, top, bottom, size = boxes.T
        for mark in marks[page].tolist():
            middle, gap = (mark[1] + mark[3]) / 2, left - mark[2]
            high = (mark[3] - mark[1]) / np.maximum(size, 1)
            level = (middle > top + 0.25 * (bottom - top)) & (middle < bottom - 0.1 * (bottom - top))
            fits = level & (gap > 0.1 * size) & (gap < BULLET_GAP * size) & (high > 0.12) & (high < 0.75)
            if fits.any():
                nearest = int(np.where(fits, gap, np.inf).argmin())
                look = round(mark[0] / 2), round(float(gap[nearest])), round(mark[3] - mark[1])
                by_look.setdefault(look, set()).add(indices[nearest])
    for alike in by_look.values():
        if len(alike) > 1:
            for index in alike:
                lines[index].bullet = True


@dataclass(frozen=True, eq=False)
class Layout:
    """The lines of a document without running heads and feet, and what they consist of.

    Attributes:
        words: of the document.
        fragments: of its lines, without running lines.
        ruled: its ruled tables.
        lines: in reading order.
        edges: of the column of each region.
    """

    words: Words
    fragments: Fragments
    ruled: Sequence[RuledTable]
    lines: list[Line]
    edges: list[ColumnEdges]

    @classmethod
    def of(cls, words: Words, fragments: Fragments, ruled: Sequence[RuledTable]) -> Layout:
        """Return the layout of fragments."""
        lines = _build_lines(words, fragments, find_regions(fragments, words.sizes))
        _mark_bullets(lines, words.marks)
        return cls(words, fragments, ruled, lines, _column_edges(lines))

    def words_of(self, line: Line) -> list[int]:
        """Return the words of a line; for a ruled table, those of its first row."""
        if line.table >= 0:
            return [word for cell in self.ruled[line.table].rows[0] for word in cell]
        first, last = self.fragments.first, self.fragments.last
        return [word for fragment in line.fragments for word in range(int(first[fragment]), int(last[fragment]))]
