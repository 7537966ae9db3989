"""Reading order: the columns of each page, and the order of its regions."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from chunking.loading.binary.pdf.pieces import Pieces
from chunking.runtime.arrays import Bools, Float64, Int64

MIN_GUTTER = 0.6
"""Least width of the space between two columns, in font sizes."""

MIN_COLUMN_CHARS = 14
"""Mean number of characters of a line from which a column is one of text and not of a table."""

CANDIDATES = 8
"""Left edges that are tried as that of a right column, most frequent first."""

GRID = 3.0
"""Distance up to which left edges are considered equal, in points."""


class Regions(NamedTuple):
    """Positions of pieces in the reading order.

    Attributes:
        order: ``(n,)`` int64, indices of pieces by page and region.
        region: ``(n,)`` int64, of each piece (not of ``order``), counted through the document in reading order.
    """

    order: Int64
    region: Int64


class _Page(NamedTuple):
    left: Float64
    top: Float64
    right: Float64
    bottom: Float64
    size: Float64
    chars: Int64
    whole: Bools


def find(pieces: Pieces, pages: int) -> Regions:
    """Return the regions of all pages in reading order.

    A page is cut at a gutter into bands that have two columns and bands between them that have one (a title, a figure
    over both, one-column text); each column is read to its end, and may have columns itself. A gutter is a left edge
    that two lines or more share, with text to its left at the same height, lines on both sides being lines of text
    rather than cells of a table. Where a gutter was found on pages before, fewer lines are enough.
    """
    place = np.lexsort((pieces.left, pieces.top, pieces.odd, pieces.page))
    region = np.zeros(len(pieces), dtype=np.int64)
    bounds = np.searchsorted(pieces.page[place], np.arange(pages + 1)).tolist()
    aside = _has_neighbours(pieces, place, pages)
    known: Counter[int] = Counter()
    number = 0
    for page in range(pages):
        own = place[bounds[page] : bounds[page + 1]]
        straight = own[~pieces.odd[own]]
        if aside[page] and len(straight) > 2:
            parts = _split(_page(pieces, straight), known)
        else:
            parts = [np.arange(len(straight))] if len(straight) else []
        for part in parts:
            region[straight[part]] = number
            number += 1
        for piece in own[pieces.odd[own]].tolist():
            region[piece] = number
            number += 1
    return Regions(np.lexsort((pieces.top, region)), region)


def _page(pieces: Pieces, own: Int64) -> _Page:
    return _Page(
        pieces.left[own],
        pieces.top[own],
        pieces.right[own],
        pieces.bottom[own],
        pieces.size[own],
        pieces.chars[own],
        pieces.table[own] >= 0,
    )


def _has_neighbours(pieces: Pieces, place: Int64, pages: int) -> list[bool]:
    """Return for each page whether two pieces are side by side."""
    found = np.zeros(pages, dtype=np.bool_)
    for step in (1, 2):
        if len(place) > step:
            one, other = place[:-step], place[step:]
            level = np.minimum(pieces.bottom[one], pieces.bottom[other]) - np.maximum(
                pieces.top[one], pieces.top[other]
            )
            beside = (pieces.left[other] >= pieces.right[one]) | (pieces.left[one] >= pieces.right[other])
            same = (pieces.page[one] == pieces.page[other]) & ~pieces.odd[one] & ~pieces.odd[other]
            found[pieces.page[one[same & beside & (level > 0.2 * pieces.size[one])]]] = True
    flags: list[bool] = found.tolist()
    return flags


def _split(page: _Page, known: Counter[int]) -> list[Int64]:
    """Return the regions of a page in reading order, each as the indices of its pieces from the top."""
    done: list[Int64] = []
    waiting: list[Int64] = [np.argsort(page.top, kind="stable")]
    while waiting:
        own = waiting.pop()
        parts = _cut(page, own, known) if len(own) > 2 else None
        if parts is None:
            done.append(own)
        else:
            waiting.extend(reversed(parts))
    return done


def _cut(page: _Page, own: Int64, known: Counter[int]) -> list[Int64] | None:
    """Return a part of a page cut at its best gutter; ``None`` if it has none."""
    best: tuple[int, float, list[Int64]] | None = None
    for edge in _candidates(page, own, known):
        score, parts = _bands(page, own, edge, bool(known[round(edge / GRID)]))
        if score and (best is None or score > best[0]):
            best = score, edge, parts
    if best is None:
        return None
    known[round(best[1] / GRID)] += 1
    return best[2]


def _candidates(page: _Page, own: Int64, known: Counter[int]) -> list[float]:
    """Return left edges that several pieces share, or that were gutters before, with something to their left."""
    left = page.left[own]
    least = float((page.left[own]).min()) + 5 * _median(page.size[own])
    cells = np.round(left / GRID).astype(np.int64)
    values, counts = np.unique(cells[left > least], return_counts=True)
    usable = [
        (count, value)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True)
        if count > 1 or known[value]
    ]
    usable.sort(key=lambda pair: (-pair[0], pair[1]))
    return [float(left[cells == value].min()) for _, value in usable[:CANDIDATES]]


def _bands(page: _Page, own: Int64, edge: float, known: bool) -> tuple[int, list[Int64]]:
    """Return the number of pieces in columns with a gutter that ends at ``edge``, and the part cut there.

    Where there are none, it is not cut.
    """
    gap = MIN_GUTTER * page.size[own]
    is_right = page.left[own] >= edge - 2
    is_left = ~is_right & (page.right[own] <= edge - gap)
    spans = ~is_left & ~is_right
    # What spans ends a band and begins one: it has a number of its own in between.
    band = 2 * np.cumsum(spans) + ~spans
    starts = np.flatnonzero(np.diff(band, prepend=-1))
    on_left, on_right = (np.add.reduceat(side.astype(np.int64), starts) for side in (is_left, is_right))
    least = 1 if known else 2
    possible = (on_left >= least) & (on_right >= least) & (known | (on_left + on_right >= 6))
    if not possible.any():
        return 0, []
    score = 0
    parts: list[Int64] = []
    full: list[Int64] = []
    bounds = zip(starts.tolist(), [*starts[1:].tolist(), len(own)], possible.tolist(), strict=True)
    for begin, end, may in bounds:
        members = own[begin:end]
        sides = members[is_left[begin:end]], members[is_right[begin:end]]
        if may and _are_columns(page, *sides, known):
            if full:
                parts.append(np.concatenate(full))
                full = []
            parts.extend(sides)
            score += len(members)
        else:
            full.append(members)
    if full:
        parts.append(np.concatenate(full))
    return score, parts


def _are_columns(page: _Page, left: Int64, right: Int64, known: bool) -> bool:
    """Return whether two sets of pieces side by side are columns of text, not cells of a table."""
    level = min(page.bottom[left].max(), page.bottom[right].max()) - max(page.top[left].min(), page.top[right].min())
    if level <= 0:
        return False
    if known:
        return True
    return _is_prose(page, left) and _is_prose(page, right)


def _is_prose(page: _Page, side: Int64) -> bool:
    """Return whether the lines of a column are long, and many of them full."""
    if page.whole[side].any():
        return True
    chars = float(page.chars[side].mean())
    # A side may have columns itself: lines are measured against those that begin where they do.
    left, right = page.left[side], page.right[side]
    _, column, count = np.unique(np.round(left / 12), return_inverse=True, return_counts=True)
    widest = np.zeros(len(count))
    np.maximum.at(widest, column, right - left)
    common = count[column] >= min(3, len(side))
    full = float(np.mean((right - left > 0.75 * widest[column])[common])) if common.any() else 0.0
    rows: Float64 = np.diff(np.sort(page.top[side]))
    steps = rows[rows > 0.5 * _median(page.size[side])]
    close = _median(steps) < 2.2 * _median(page.size[side]) if len(steps) else True
    return chars >= MIN_COLUMN_CHARS and full >= 0.4 and close


def _median(values: Float64) -> float:
    """Return the median; NumPy's own takes ten times as long for few values."""
    known = np.sort(values)
    n = len(known)
    return (float(known[(n - 1) // 2]) + float(known[n // 2])) / 2
