"""Pieces to rows: the lines of each region, top to bottom, with what was known of their pieces."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from chunking.loading.pdf.columns import Regions
from chunking.loading.pdf.pieces import Floats, Ints, Pieces
from chunking.loading.pdf.words import Words


@dataclass(slots=True)
class Row:
    """A line of a region.

    Attributes:
        pieces: indices, in reading order: more than one where there are wide gaps.
        page, region: where it stands.
        left, top, right, bottom: its edges as laid out, in points.
        size: font size, as in :class:`~chunking.loading.pdf.pieces.Pieces`, the greatest.
        bold, italic, mono: whether nearly all of it is.
        text: what it says.
        first: its first word.
        first_width: width of its first word.
        hyphen: whether PDFium says that it ends within a word.
        table: number of the ruled table that it stands for, or -1.
        odd: whether it is not written in the direction of its page.
        inner: where its second word begins.
    """

    pieces: tuple[int, ...]
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
    text: str
    first: str
    first_width: float
    inner: float
    hyphen: bool
    table: int
    odd: bool


MANY_ROWS = 6
"""Rows from which a region shows its own edges."""


class Edges(NamedTuple):
    """Left and right edge of a region's column, in points."""

    left: float
    right: float


def build(words: Words, pieces: Pieces, regions: Regions) -> list[Row]:
    """The rows of all regions in reading order."""
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


def _rows(words: Words, pieces: Pieces, regions: Regions, order: Ints, first: Ints) -> list[Row]:
    chars = np.add.reduceat(pieces.chars[order], first)

    def mean(values: Floats) -> list[float]:
        sums: list[float] = (np.add.reduceat((values * pieces.chars)[order], first) / chars).tolist()
        return sums

    begins, ends = pieces.first[order].tolist(), pieces.last[order].tolist()
    texts = words.text
    # A raised mark that stands alone does not say how large its line is; a line of nothing else does.
    long = (pieces.chars[order] > 1) | (np.repeat(chars, np.diff(np.append(first, len(order)))) < 4)
    lead = pieces.first[order[first]]
    width = (words.lay[lead, 2] - words.lay[lead, 0]).tolist()
    second = words.lay[np.minimum(lead + 1, len(words) - 1), 0]
    apart = (pieces.last - pieces.first)[order[first]] == 1
    follows = order[np.minimum(first + 1, len(order) - 1)]
    inner = np.where(apart, pieces.left[follows], second).tolist()
    final = pieces.last[order[np.append(first[1:], len(order)) - 1]] - 1
    columns = zip(
        first.tolist(),
        [*first[1:].tolist(), len(order)],
        pieces.page[order[first]].tolist(),
        regions.region[order[first]].tolist(),
        np.minimum.reduceat(pieces.left[order], first).tolist(),
        mean(pieces.top),
        np.maximum.reduceat(pieces.right[order], first).tolist(),
        mean(pieces.bottom),
        np.maximum.reduceat(np.where(long, pieces.size[order], 0), first).tolist(),
        mean(pieces.bold),
        mean(pieces.italic),
        mean(pieces.mono),
        lead.tolist(),
        width,
        inner,
        words.hyphen[final].tolist(),
        pieces.table[order[first]].tolist(),
        pieces.odd[order[first]].tolist(),
        strict=True,
    )
    listed = order.tolist()
    return [
        Row(
            tuple(listed[begin:end]),
            page,
            region,
            left,
            top,
            right,
            bottom,
            size,
            bold > 0.8,
            italic > 0.8,
            mono > 0.85,
            " ".join([" ".join(texts[begins[place] : ends[place]]) for place in range(begin, end)]),
            texts[word],
            wide,
            inside,
            hyphen,
            table,
            odd,
        )
        for (
            begin,
            end,
            page,
            region,
            left,
            top,
            right,
            bottom,
            size,
            bold,
            italic,
            mono,
            word,
            wide,
            inside,
            hyphen,
            table,
            odd,
        ) in columns
    ]


def edges(rows: list[Row]) -> list[Edges]:
    """The column's edges for each region, by number.

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
    """The first of ascending values that is above ``least``, or 0."""
    place = bisect_right(values, least)
    return values[place] if place < len(values) else 0.0


def _outermost(values: list[float], near: float) -> float:
    """The first of ascending values that is not alone; the first where all are."""
    for one, other in pairwise(values):
        if other - one < near:
            return one
    return values[0] if values else 0.0
