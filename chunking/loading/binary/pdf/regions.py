"""Regions of the pages in reading order: columns, bands above and below them, headings in the margin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from chunking.loading.binary.pdf.fragments import Fragments
from chunking.runtime.arrays import Float32, Float64, Int64

MIN_GUTTER = 0.6
"""Least width of the space between two columns, in font sizes."""

HANGING = 0.5
"""How far a line may begin before its column, in font sizes: a quotation mark may hang into the gutter."""

MIN_COLUMN_CHARS = 14
"""Mean number of characters of a line from which a column is one of text and not of a table."""

CANDIDATES = 8
"""Left edges that are tried as that of a right column, most frequent first."""

GRID = 3.0
"""Distance up to which left edges are considered equal, in points."""


MIN_VALUES = 6
"""Least number of values beside names that show a table where pages before have columns."""

MAX_VALUE_CHARS = 9
"""Mean number of characters up to which they are values."""

FACING_GUTTER = 3.0
"""Least width of the space between two facing pages of a book, in font sizes."""

FACING_LINES = 8
"""Least number of fragments of each of two facing pages."""

WIDE_LINE = 0.5
"""Least width of the lines of a facing page, as a share of its text: of a table, cells are narrower."""


def find_regions(fragments: Fragments, sizes: Float32) -> Int64:
    """Return ``(n,)`` int64: the region of each fragment, counted through the document in reading order.

    Args:
        fragments: of the document.
        sizes: ``(n_pages, 2)`` float32, width and height of its pages.

    A page is cut at a gutter into bands that have two columns and bands between them that have one (a title, a figure
    over both, one-column text); each column is read to its end, and may have columns itself. A gutter is a left edge
    that two lines or more share, with text to its left at the same height, lines on both sides being lines of text
    rather than cells of a table. Where a gutter was found on pages before, fewer lines are enough. Two facing pages of
    a book on one wide page are read one after the other.
    """
    pages = len(sizes)
    order = np.lexsort((fragments.left, fragments.top, fragments.rotated, fragments.page))
    region = np.zeros(len(fragments), dtype=np.int64)
    bounds = np.searchsorted(fragments.page[order], np.arange(pages + 1)).tolist()
    aside = _has_neighbours(fragments, order, pages)
    gutters: Counter[int] = Counter()
    number = 0
    for page in range(pages):
        on_page = order[bounds[page] : bounds[page + 1]]
        straight = on_page[~fragments.rotated[on_page]]
        if aside[page] and len(straight) > 2:
            parts = _read_page(fragments.take(straight), sizes[page], gutters)
        else:
            parts = [np.arange(len(straight))] if len(straight) else []
        for part in parts:
            region[straight[part]] = number
            number += 1
        for fragment in on_page[fragments.rotated[on_page]].tolist():
            region[fragment] = number
            number += 1
    return region


def _has_neighbours(fragments: Fragments, order: Int64, pages: int) -> list[bool]:
    """Return for each page whether two fragments are side by side."""
    pages_with_neighbours = np.zeros(pages, dtype=np.bool_)
    for step in (1, 2):
        if len(order) > step:
            one, other = order[:-step], order[step:]
            level = np.minimum(fragments.bottom[one], fragments.bottom[other]) - np.maximum(
                fragments.top[one], fragments.top[other]
            )
            beside = (fragments.left[other] >= fragments.right[one]) | (fragments.left[one] >= fragments.right[other])
            same = (fragments.page[one] == fragments.page[other]) & ~fragments.rotated[one] & ~fragments.rotated[other]
            pages_with_neighbours[fragments.page[one[same & beside & (level > 0.2 * fragments.size[one])]]] = True
    flags: list[bool] = pages_with_neighbours.tolist()
    return flags


def _read_page(page: Fragments, size: Float32, gutters: Counter[int]) -> list[Int64]:
    """Return the regions of a page in reading order: of two facing pages, all of the left one first."""
    parts: list[Int64] = []
    for half in _facing_pages(page, float(size[0]), float(size[1])):
        parts.extend(half[part] for part in _split(page.take(half), gutters))
    return parts


def _facing_pages(page: Fragments, width: float, height: float) -> list[Int64]:
    """Return the fragments of each of two facing pages; all together on any other page."""
    middle = width / 2
    is_left = page.right <= middle
    halves = [np.flatnonzero(is_left), np.flatnonzero(~is_left)]
    whole = [np.arange(len(page))]
    if width <= height or min(map(len, halves)) < FACING_LINES:
        return whole
    gutter = float(page.left[~is_left].min()) - float(page.right[is_left].max())
    if gutter < FACING_GUTTER * _median(page.size) or page.left[~is_left].min() < middle:
        return whole
    return halves if all(_has_wide_lines(page, half) for half in halves) else whole


def _has_wide_lines(page: Fragments, half: Int64) -> bool:
    """Return whether a share of lines that no table has are wide, and most of the text is in them."""
    width = page.right[half] - page.left[half]
    wide = width > WIDE_LINE * float(page.right[half].max() - page.left[half].min())
    return float(page.chars[half][wide].sum()) > 0.5 * float(page.chars[half].sum())


def _split(page: Fragments, gutters: Counter[int]) -> list[Int64]:
    """Return the regions of a page in reading order, each as the indices of its fragments from the top."""
    regions: list[Int64] = []
    waiting: list[Int64] = [np.argsort(page.top, kind="stable")]
    while waiting:
        indices = waiting.pop()
        parts = _cut(page, indices, gutters) if len(indices) > 2 else None
        if parts is None:
            regions.append(indices)
        else:
            waiting.extend(reversed(parts))
    return regions


def _cut(page: Fragments, indices: Int64, gutters: Counter[int]) -> list[Int64] | None:
    """Return a part of a page cut at its best gutter; ``None`` if it has none."""
    best: tuple[int, float, list[Int64]] | None = None
    for edge in _candidates(page, indices, gutters):
        score, parts = _bands(page, indices, edge, bool(gutters[round(edge / GRID)]))
        if score and (best is None or score > best[0]):
            best = score, edge, parts
    if best is None:
        return _cut_at_side_headings(page, indices, gutters)
    gutters[round(best[1] / GRID)] += 1
    return best[2]


def _candidates(page: Fragments, indices: Int64, gutters: Counter[int]) -> list[float]:
    """Return left edges that several fragments share, or that were gutters before, with something to their left."""
    left = page.left[indices]
    least = float((page.left[indices]).min()) + 5 * _median(page.size[indices])
    cells = np.round(left / GRID).astype(np.int64)
    values, counts = np.unique(cells[left > least], return_counts=True)
    usable = [
        (count, value)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True)
        if count > 1 or gutters[value]
    ]
    usable.sort(key=lambda pair: (-pair[0], pair[1]))
    return [float(left[cells == value].min()) for _, value in usable[:CANDIDATES]]


def _bands(page: Fragments, indices: Int64, edge: float, was_gutter: bool) -> tuple[int, list[Int64]]:
    """Return the number of fragments in columns with a gutter that ends at ``edge``, and the part cut there.

    Where there are none, it is not cut.
    """
    gap = MIN_GUTTER * page.size[indices]
    is_right = page.left[indices] >= edge - HANGING * page.size[indices]
    is_left = ~is_right & (page.right[indices] <= edge - gap)
    spans = ~is_left & ~is_right
    # What spans ends a band and begins one: it has a number of its own in between.
    band = 2 * np.cumsum(spans) + ~spans
    starts = np.flatnonzero(np.diff(band, prepend=-1))
    on_left, on_right = (np.add.reduceat(side.astype(np.int64), starts) for side in (is_left, is_right))
    least = 1 if was_gutter else 2
    possible = (on_left >= least) & (on_right >= least) & (was_gutter | (on_left + on_right >= 6))
    if not possible.any():
        return 0, []
    score = 0
    parts: list[Int64] = []
    full: list[Int64] = []
    bounds = zip(starts.tolist(), [*starts[1:].tolist(), len(indices)], possible.tolist(), strict=True)
    for begin, end, may in bounds:
        members = indices[begin:end]
        sides = members[is_left[begin:end]], members[is_right[begin:end]]
        if may and _are_columns(page, *sides, was_gutter):
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


SIDE_CHARS = 35
"""Mean number of characters of a line from which text may have headings in the margin beside it."""

MARKER_CHARS = 6
"""Mean number of characters up to which what is beside text may be the markers of a list."""

SIDE_WIDTH = 0.45
"""Maximum width of headings in the margin, as a share of that of the text."""

LEVEL = 0.3
"""Maximum distance of a heading in the margin from the line that it is level with, in font sizes."""


def _cut_at_side_headings(page: Fragments, indices: Int64, gutters: Counter[int]) -> list[Int64] | None:
    """Return a part of a page cut at headings in the margin, each before the text beside it; ``None`` without any."""
    best: tuple[int, list[Int64]] | None = None
    for edge in _candidates(page, indices, gutters):
        is_right = page.left[indices] >= edge - 2
        is_left = ~is_right & (page.right[indices] <= edge - MIN_GUTTER * page.size[indices])
        breaks = np.flatnonzero(np.diff(is_left | is_right)) + 1
        parts: list[Int64] = []
        score = 0
        for band in np.split(np.arange(len(indices)), breaks):
            sides = indices[band[is_left[band]]], indices[band[is_right[band]]]
            if _are_side_headings(page, *sides):
                parts.extend(_beside(page, *sides) if _are_level(page, *sides) else sides)
                score += len(band)
            else:
                parts.append(indices[band])
        # The text beside headings may be a list, whose lines begin at several edges.
        if score and (best is None or score > best[0]):
            best = score, parts
    return best[1] if best else None


def _are_side_headings(page: Fragments, side: Int64, text: Int64) -> bool:
    """Return whether fragments are headings in the margin beside lines of text, not the first cells of rows."""
    if len(side) < 1 or len(text) < 4 or (page.table[side] >= 0).any() or float(page.chars[side].mean()) < MARKER_CHARS:
        return False
    width = page.right[side].max() - page.left[side].min()
    rows = np.diff(np.sort(page.bottom[text])) > 0.35 * _median(page.size[text])
    return (
        width < SIDE_WIDTH * (page.right[text].max() - page.left[text].min())
        and float(page.chars[text].mean()) >= SIDE_CHARS
        and int(np.count_nonzero(rows)) >= 0.9 * (len(text) - 1)
        and len(text) >= 2 * len(_groups(page, side))
        and _is_prose(page, text)
    )


def _are_level(page: Fragments, side: Int64, text: Int64) -> bool:
    """Return whether each heading in the margin is level with a line of the text; a sidebar is independent of it."""
    first = np.array([group[0] for group in _groups(page, side)])
    near = LEVEL * np.minimum(page.size[first], _median(page.size[text]))
    distances = (_distance(edges[first], edges[text]) for edges in (page.top, page.bottom))
    return bool((np.minimum(*distances) < near).all())


def _distance(values: Float64, others: Float64) -> Float64:
    """Return the distance of each value from the nearest of others."""
    ascending = np.sort(others)
    after = np.searchsorted(ascending, values)
    above, below = ascending[np.minimum(after, len(others) - 1)], ascending[np.maximum(after - 1, 0)]
    return np.minimum(np.abs(above - values), np.abs(values - below))


def _groups(page: Fragments, side: Int64) -> list[Int64]:
    """Return the lines of each heading in the margin, from the top."""
    side = side[np.argsort(page.top[side], kind="stable")]
    apart = np.diff(page.bottom[side]) > 1.5 * page.size[side[1:]]
    return np.split(side, np.flatnonzero(apart) + 1)


def _beside(page: Fragments, side: Int64, text: Int64) -> Iterator[Int64]:
    """Yield each heading in the margin, then the lines beside and below it, to the next."""
    groups = _groups(page, side)
    tops = [float(page.top[group].min()) for group in groups]
    of_group = np.searchsorted(tops, page.top[text] + 0.5 * page.size[text])
    for number, group in enumerate([np.zeros(0, dtype=np.int64), *groups]):
        for part in (group, text[of_group == number]):
            if len(part):
                yield part


def _are_columns(page: Fragments, left: Int64, right: Int64, was_gutter: bool) -> bool:
    """Return whether two sets of fragments side by side are columns of text, not cells of a table."""
    level = min(page.bottom[left].max(), page.bottom[right].max()) - max(page.top[left].min(), page.top[right].min())
    if level <= 0:
        return False
    if was_gutter:
        return not (_are_values_beside(page, left, right) or _are_values_beside(page, right, left))
    prose = _is_prose(page, left), _is_prose(page, right)
    return all(prose) or (any(prose) and _are_independent(page, left, right))


INDEPENDENT_LINES = 16
"""Least number of fragments of each of two columns that are recognised by their lines, which are not level."""


def _are_independent(page: Fragments, left: Int64, right: Int64) -> bool:
    """Return whether two sides of many lines of text have few that are level, as the cells of rows would be."""
    if min(len(left), len(right)) < INDEPENDENT_LINES or (page.table[np.append(left, right)] >= 0).any():
        return False
    if min(float(page.chars[left].mean()), float(page.chars[right].mean())) < MIN_COLUMN_CHARS:
        return False
    is_level = _distance(page.bottom[right], page.bottom[left]) < 0.1 * page.size[right]
    return float(np.mean(is_level)) < 0.3


def _are_values_beside(page: Fragments, values: Int64, names: Int64) -> bool:
    """Return whether one side has short values at the heights of the other's lines, which are no full lines of text."""
    if len(values) < MIN_VALUES or float(page.chars[values].mean()) > MAX_VALUE_CHARS or (page.table[names] >= 0).any():
        return False
    width = page.right[names] - page.left[names]
    if np.count_nonzero(width > 0.85 * width.max()) > 0.5 * len(names):
        return False
    distance = _distance(page.bottom[values], page.bottom[names])
    return bool(np.count_nonzero(distance < 0.3 * page.size[values]) >= 0.8 * len(values))


def _is_prose(page: Fragments, side: Int64) -> bool:
    """Return whether the lines of a column are long, and many of them full."""
    if (page.table[side] >= 0).any():
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
    ascending = np.sort(values)
    n = len(ascending)
    return (float(ascending[(n - 1) // 2]) + float(ascending[n // 2])) / 2
