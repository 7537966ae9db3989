"""From pieces to rows: the lines of each region, top to bottom, with the properties of their pieces."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from chunking.loading.binary.pdf.columns import Regions
from chunking.loading.binary.pdf.pieces import Pieces
from chunking.loading.binary.pdf.words import Words
from chunking.runtime.arrays import Float32, Float64, Int64


@dataclass(slots=True)
class Row:
    """A line of a region.

    Attributes:
        pieces: indices, in reading order: more than one where there are wide gaps.
        text: its text.
        first: its first word.
        page, region: its position.
        left, top, right, bottom: its edges as laid out, in points.
        size: font size, as in :class:`~chunking.loading.binary.pdf.pieces.Pieces`, the greatest.
        bold, italic, mono: whether nearly all of it is.
        first_width: width of its first word.
        hyphen: whether by PDFium it ends inside a word.
        table: number of the ruled table that it represents, or -1.
        odd: whether it is not written in the direction of its page.
        inner: where its second word begins.
        bullet: whether a bullet is drawn before it that is not a character.
    """

    pieces: tuple[int, ...]
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
    odd: bool
    bullet: bool = False


BATCH = 4096
"""Number of rows that are built at a time."""

BULLET_GAP = 2.5
"""Greatest distance of a drawn bullet from its line, in font sizes."""

MANY_ROWS = 6
"""Minimum number of rows from which the edges of a region are derived."""


class Edges(NamedTuple):
    """Left and right edge of a region's column, in points."""

    left: float
    right: float


def build(words: Words, pieces: Pieces, regions: Regions) -> list[Row]:
    """Return the rows of all regions in reading order."""
    order = regions.order
    if not len(order):
        return []
    # By base line within the region, so that a raised piece does not come before its line.
    order = order[np.lexsort((pieces.bottom[order], regions.region[order]))]
    step = np.diff(pieces.bottom[order])
    size = np.minimum(pieces.size[order[1:]], pieces.size[order[:-1]])
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (
        (np.diff(regions.region[order]) != 0)
        | (step > 0.35 * size)
        | (pieces.table[order[1:]] >= 0)
        | (pieces.table[order[:-1]] >= 0)
    )
    row = np.cumsum(new)
    order = order[np.lexsort((pieces.first[order], pieces.left[order], row))]
    return _rows(words, pieces, regions, order, np.flatnonzero(new))


def _rows(words: Words, pieces: Pieces, regions: Regions, order: Int64, first: Int64) -> list[Row]:
    chars = np.add.reduceat(pieces.chars[order], first)

    def mean(values: Float64) -> Float64:
        sums: Float64 = np.add.reduceat((values * pieces.chars)[order], first) / chars
        return sums

    # An isolated raised mark does not determine the size of its line, unless the line has nothing else.
    long = (pieces.chars[order] > 1) | (np.repeat(chars, np.diff(np.append(first, len(order)))) < 4)
    lead = pieces.first[order[first]]
    second = words.lay[np.minimum(lead + 1, len(words) - 1), 0]
    apart = (pieces.last - pieces.first)[order[first]] == 1
    follows = order[np.minimum(first + 1, len(order) - 1)]
    last = np.append(first[1:], len(order))
    columns = (
        first,
        last,
        lead,
        pieces.page[order[first]],
        regions.region[order[first]],
        np.minimum.reduceat(pieces.left[order], first),
        mean(pieces.top),
        np.maximum.reduceat(pieces.right[order], first),
        mean(pieces.bottom),
        np.maximum.reduceat(np.where(long, pieces.size[order], 0), first),
        mean(pieces.bold) > 0.8,
        mean(pieces.italic) > 0.8,
        mean(pieces.mono) > 0.85,
        words.lay[lead, 2] - words.lay[lead, 0],
        np.where(apart, pieces.left[follows], second),
        words.hyphen[pieces.last[order[last - 1]] - 1],
        pieces.table[order[first]],
        pieces.odd[order[first]],
    )
    rows: list[Row] = []
    # In batches, so that there are never lists of all numbers.
    for begin in range(0, len(first), BATCH):
        batch = slice(begin, begin + BATCH)
        rows.extend(_batch(words.text, pieces, order, [column[batch].tolist() for column in columns]))
    return rows


def _batch(texts: Sequence[str], pieces: Pieces, order: Int64, columns: Sequence[list[Any]]) -> Iterator[Row]:
    """Yield the rows of some columns: first and last piece, first word, then the properties in the order of ``Row``."""
    base, end = columns[0][0], columns[1][-1]
    own = order[base:end]
    listed, begins, ends = own.tolist(), pieces.first[own].tolist(), pieces.last[own].tolist()
    for first, last, lead, *properties in zip(*columns, strict=True):
        one, other = first - base, last - base
        text = " ".join([" ".join(texts[begins[place] : ends[place]]) for place in range(one, other)])
        yield Row(tuple(listed[one:other]), text, texts[lead], *properties)


def edges(rows: list[Row]) -> list[Edges]:
    """Return the column's edges for each region, by number.

    They are the outermost that two rows share. A region may hold only a few short rows: its right edge is then that of
    the narrowest column in the document which begins at the same place and is as wide.
    """
    count = max((row.region for row in rows), default=-1) + 1
    lefts: list[list[float]] = [[] for _ in range(count)]
    rights: list[list[float]] = [[] for _ in range(count)]
    for row in rows:
        lefts[row.region].append(row.left)
        rights[row.region].append(row.right)
    own = [
        Edges(_outermost(sorted(left), 3), -_outermost(sorted([-edge for edge in right]), 12))
        for left, right in zip(lefts, rights, strict=True)
    ]
    usual: dict[int, list[float]] = {}
    for region, found in enumerate(own):
        if len(lefts[region]) >= MANY_ROWS:
            usual.setdefault(round(found.left / 8), []).append(found.right)
    for known in usual.values():
        known.sort()
    result: list[Edges] = []
    for region, found in enumerate(own):
        right = found.right
        if len(lefts[region]) < MANY_ROWS:
            key = round(found.left / 8)
            longest = max(rights[region], default=0.0)
            right = longest
            wider = [_next(usual[near], longest - 3) for near in (key - 1, key, key + 1) if near in usual]
            if any(wider):
                right = max(longest, min(filter(None, wider)))
        result.append(Edges(found.left, right))
    return result


def _next(values: list[float], least: float) -> float:
    """Return the first of ascending values that is above ``least``, or 0."""
    place = bisect_right(values, least)
    return values[place] if place < len(values) else 0.0


def _outermost(values: list[float], near: float) -> float:
    """Return the first of ascending values that is not isolated; the first if all are."""
    for one, other in pairwise(values):
        if other - one < near:
            return one
    return values[0] if values else 0.0


def mark_bullets(rows: Sequence[Row], marks: Sequence[Float32]) -> None:
    """Set :attr:`Row.bullet` if a small shape is drawn before a row, at half its height.

    It is a bullet where a second one in the document is as large, at the same place and as far from its row.

    Args:
        rows: of the document.
        marks: of each page, ``(n, 4)`` float32, as in :class:`~chunking.loading.binary.pdf.words.Words`.
    """
    of_page: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        if len(marks[row.page]) and not row.odd and row.table < 0:
            of_page.setdefault(row.page, []).append(place)
    found: dict[tuple[int, ...], set[int]] = {}
    for page, places in of_page.items():
        own = np.array([(rows[place].left, rows[place].top, rows[place].bottom, rows[place].size) for place in places])
        left, top, bottom, size = own.T
        for mark in marks[page].tolist():
            middle, gap = (mark[1] + mark[3]) / 2, left - mark[2]
            high = (mark[3] - mark[1]) / np.maximum(size, 1)
            level = (middle > top + 0.25 * (bottom - top)) & (middle < bottom - 0.1 * (bottom - top))
            fits = level & (gap > 0.1 * size) & (gap < BULLET_GAP * size) & (high > 0.12) & (high < 0.75)
            if fits.any():
                nearest = int(np.where(fits, gap, np.inf).argmin())
                look = round(mark[0] / 2), round(float(gap[nearest])), round(mark[3] - mark[1])
                found.setdefault(look, set()).add(places[nearest])
    for alike in found.values():
        if len(alike) > 1:
            for place in alike:
                rows[place].bullet = True
