"""The layout of the pages: running heads and feet, columns in reading order, and the lines of each column."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise, takewhile
from typing import Any, NamedTuple

import numpy as np

from chunking.loading.binary.pdf.words import Fragments, RuledTable, Words
from chunking.loading.numerals import ROMAN_VALUES
from chunking.runtime.arrays import Float32, Float64, Int64
from chunking.runtime.patterns import compile_pattern

# Running lines ------------------------------------------------------------------------------------------------------

OUTER_ROWS = 3
"""Rows at either end of a page that may be running lines."""

NEAR = 4.0
"""Maximum distance of a running line from its position on other pages, in points."""

_NUMBER = compile_pattern(r"\d+")
_PAGE_NUMBER = compile_pattern(
    r"\W*(?:(?:page|seite|p|pg|página|pagina|sida|side|strona|стр|第)\.?\s*)?"
    r"(\d{1,4}|[ivxlc]{1,7})(?:\s*(?:/|of|von|de|di|sur|av|из|\|)\s*\d{1,4})?\s*(?:쪽|페이지|页|頁|ページ)?\W*",
    re.IGNORECASE,
)
_FIRST_NUMBER = compile_pattern(r"^\W*(\d{1,4})(?=\s)")
_LAST_NUMBER = compile_pattern(r"(?<=\s)(\d{1,4})\W*$")


MIN_ROOM = 1.6
"""Distance of a running line from the text, in font sizes from base to base."""

MAX_CHARS = 200
"""Maximum characters of a fragment whose ends are searched for a number."""

_Key = tuple[int, str | int]


class _OuterRow(NamedTuple):
    """One of the outer rows of a page.

    Attributes:
        page: from 0.
        side: 0 at the head, 1 at the foot.
        rank: 0 for the outermost row.
        distance: from that end of the page, in points.
        fragments: indices, from left to right.
        texts: text of each.
        apart: whether the row further inside has another size or is farther away than the next line would be.
    """

    page: int
    side: int
    rank: int
    distance: float
    fragments: tuple[int, ...]
    texts: tuple[str, ...]
    apart: bool


def find_running_lines(words: Words, fragments: Fragments) -> dict[int, str]:
    """Return the fragments that are running lines, in order of pages, each with its kind of excluded text.

    They are the outer rows of a page's head or foot, at most three, that are separated from the text and of which each

    - has a fragment with the same text, apart from numbers, at the same distance from the page's end on three pages or
      more (two, if the document has at most three), or
    - has a fragment that is, begins with or ends with a number that increases with the pages, there and on as many.
    """
    pages = len(words.extents)
    if pages < 2 or not len(fragments):
        return {}
    rows = list(_outer_rows(words, fragments))
    least = 3 if pages > 3 else 2
    distances = _distances(rows)
    kinds: dict[int, str] = {}
    numbers: dict[int, list[float]] = {0: [], 1: []}
    next_rows: list[_OuterRow] = []
    for _, group in groupby(rows, lambda row: (row.page, row.side)):
        ends = list(group)
        repeated = list(takewhile(lambda row: _is_repeated(row, distances, least), ends))
        while repeated and not repeated[-1].apart:
            repeated.pop()
        next_rows.extend(ends[len(repeated) : len(repeated) + 1])
        for row in repeated:
            for fragment, text in zip(row.fragments, row.texts, strict=True):
                is_number = _page_number(text) is not None
                kinds[fragment] = "page number" if is_number else ("running head", "running foot")[row.side]
                if is_number:
                    insort(numbers[row.side], row.distance)
    # A number in the position of page numbers that does not continue them, as on the first pages of a book.
    for row in next_rows:
        alone = len(row.texts) == 1 and _page_number(row.texts[0]) is not None
        if alone and _repeats(numbers[row.side], row.distance, least):
            kinds[row.fragments[0]] = "page number"
    # The only content of a page is text, however often it is repeated.
    body = np.ones(len(fragments), dtype=np.bool_)
    body[list(kinds)] = False
    if 2 * len(np.unique(fragments.page[body])) < len(np.unique(fragments.page)):
        return {}
    return dict(sorted(kinds.items()))


def _outer_rows(words: Words, fragments: Fragments) -> Iterator[_OuterRow]:
    """Yield the outer rows of each page, head then foot, from the outermost inwards."""
    usable = np.flatnonzero(~fragments.rotated & (fragments.table < 0))
    order = usable[np.lexsort((fragments.left[usable], fragments.top[usable], fragments.page[usable]))]
    bounds = np.searchsorted(fragments.page[order], np.arange(len(words.extents) + 1))
    for page, (begin, end) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        on_page = order[begin:end].tolist()
        height = float(words.extents[page, 1])
        yield from _rows_of(words, fragments, page, 0, on_page, height)
        yield from _rows_of(words, fragments, page, 1, on_page[::-1], height)


def _rows_of(
    words: Words, fragments: Fragments, page: int, side: int, order: Sequence[int], height: float
) -> Iterator[_OuterRow]:
    rows: list[list[int]] = []
    base = 0.0
    bottoms, sizes = fragments.bottom[order].tolist(), fragments.size[order].tolist()
    for fragment, bottom, size in zip(order, bottoms, sizes, strict=True):
        if rows and abs(bottom - base) < 0.5 * size:
            rows[-1].append(fragment)
        elif len(rows) > OUTER_ROWS:
            break
        else:
            rows.append([fragment])
            base = bottom
    for rank, row in enumerate(rows[:OUTER_ROWS]):
        row.sort(key=lambda fragment: float(fragments.left[fragment]))
        edge = float(fragments.top[row[0]])
        is_apart = True
        if rank + 1 < len(rows):
            outer, inner = row[0], rows[rank + 1][0]
            gap, size = abs(float(fragments.bottom[inner] - fragments.bottom[outer])), float(fragments.size[outer])
            is_apart = gap > MIN_ROOM * size or abs(float(fragments.size[inner]) - size) > 0.06 * size
        texts = tuple(" ".join(words.text[fragments.first[fragment] : fragments.last[fragment]]) for fragment in row)
        yield _OuterRow(page, side, rank, height - edge if side else edge, tuple(row), texts, is_apart)


def _distances(rows: Sequence[_OuterRow]) -> dict[_Key, list[float]]:
    """Return the places of rows of each key, one per page, ascending."""
    by_page: dict[_Key, dict[int, float]] = defaultdict(dict)
    for row in rows:
        for key in _keys(row):
            by_page[key].setdefault(row.page, row.distance)
    return {key: sorted(distances.values()) for key, distances in by_page.items()}


def _repeats(distances: Sequence[float], distance: float, least: int) -> bool:
    return bisect_right(distances, distance + NEAR) - bisect_left(distances, distance - NEAR) >= least


def _is_repeated(row: _OuterRow, distances: dict[_Key, list[float]], least: int) -> bool:
    return any(_repeats(distances[key], row.distance, least) for key in _keys(row))


def _keys(row: _OuterRow) -> Iterator[_Key]:
    """Yield what other rows must share: the text of a fragment without numbers, and the offset of its number from the
    page.
    """
    for text in row.texts:
        plain = _NUMBER.sub("#", text.casefold())
        if any(map(str.isalpha, plain)) or plain == text:
            yield row.side, plain
        number = _page_number(text)
        if number is not None:
            yield row.side, number - row.page
        elif len(text) < MAX_CHARS:
            for pattern in (_FIRST_NUMBER, _LAST_NUMBER):
                match = pattern.search(text)
                if match:
                    yield row.side, f"edge {int(match[1]) - row.page}"


def _page_number(text: str) -> int | None:
    """Return the number that a text consists of; ``None`` for any other text."""
    match = _PAGE_NUMBER.fullmatch(text) if len(text) < 40 else None
    if not match:
        return None
    return int(match[1]) if match[1].isdigit() else ROMAN_VALUES.get(match[1].lower())


# Columns ------------------------------------------------------------------------------------------------------------

MIN_GUTTER = 0.6
"""Least width of the space between two columns, in font sizes."""

MIN_COLUMN_CHARS = 14
"""Mean number of characters of a line from which a column is one of text and not of a table."""

CANDIDATES = 8
"""Left edges that are tried as that of a right column, most frequent first."""

GRID = 3.0
"""Distance up to which left edges are considered equal, in points."""


def _find_regions(fragments: Fragments, pages: int) -> Int64:
    """Return ``(n,)`` int64: the region of each fragment, counted through the document in reading order.

    A page is cut at a gutter into bands that have two columns and bands between them that have one (a title, a figure
    over both, one-column text); each column is read to its end, and may have columns itself. A gutter is a left edge
    that two lines or more share, with text to its left at the same height, lines on both sides being lines of text
    rather than cells of a table. Where a gutter was found on pages before, fewer lines are enough.
    """
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
            parts = _split(fragments.take(straight), gutters)
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
    is_right = page.left[indices] >= edge - 2
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


def _cut_at_side_headings(page: Fragments, indices: Int64, gutters: Counter[int]) -> list[Int64] | None:
    """Return a part of a page cut at headings in the margin, each before the text beside it; ``None`` without any."""
    for edge in _candidates(page, indices, gutters):
        is_right = page.left[indices] >= edge - 2
        is_left = ~is_right & (page.right[indices] <= edge - MIN_GUTTER * page.size[indices])
        breaks = np.flatnonzero(np.diff(is_left | is_right)) + 1
        parts: list[Int64] = []
        has_headings = False
        for band in np.split(np.arange(len(indices)), breaks):
            sides = indices[band[is_left[band]]], indices[band[is_right[band]]]
            if _are_side_headings(page, *sides):
                parts.extend(_beside(page, *sides))
                has_headings = True
            else:
                parts.append(indices[band])
        if has_headings:
            return parts
    return None


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
        return True
    return _is_prose(page, left) and _is_prose(page, right)


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


# Lines --------------------------------------------------------------------------------------------------------------


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
        region: of each fragment, see :func:`_find_regions`.
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
            if any(wider):
                right = max(longest, min(filter(None, wider)))
        result.append(ColumnEdges(edge.left, right))
    return result


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
        lines = _build_lines(words, fragments, _find_regions(fragments, len(words.sizes)))
        _mark_bullets(lines, words.marks)
        return cls(words, fragments, ruled, lines, _column_edges(lines))

    def words_of(self, line: Line) -> list[int]:
        """Return the words of a line; for a ruled table, those of its first row."""
        if line.table >= 0:
            return [word for cell in self.ruled[line.table].rows[0] for word in cell]
        first, last = self.fragments.first, self.fragments.last
        return [word for fragment in line.fragments for word in range(int(first[fragment]), int(last[fragment]))]
