"""Running heads, feet and page numbers, and notes in the margin that are written up or down."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

import numpy as np

from chunking.loading.binary.pdf.fragments import Fragments
from chunking.loading.binary.pdf.words import Words
from chunking.loading.numerals import ROMAN_VALUES
from chunking.runtime.patterns import compile_pattern

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
_Place = tuple[int, int, int]
"""Side and rank of running lines, and their font size in half points."""


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
        size: its font size.
    """

    page: int
    side: int
    rank: int
    distance: float
    fragments: tuple[int, ...]
    texts: tuple[str, ...]
    apart: bool
    size: float


def find_running_lines(words: Words, fragments: Fragments) -> dict[int, str]:
    """Return the fragments that are running lines, in order of pages, each with its kind of excluded text.

    They are the outer rows of a page's head or foot, at most three, that are separated from the text and of which each

    - has a fragment with the same text, apart from numbers, at the same distance from the page's end on three pages or
      more (two, if the document has at most three), or
    - has a fragment that is, begins with or ends with a number that increases with the pages, there and on as many.

    A row of another text is one where such rows are on a quarter of the pages: at the same distance, and as large.
    """
    pages = len(words.extents)
    if pages < 2 or not len(fragments):
        return {}
    rows = list(_outer_rows(words, fragments))
    least = 3 if pages > 3 else 2
    distances = _distances(rows)
    kinds: dict[int, str] = {}
    numbers: dict[int, list[float]] = {0: [], 1: []}
    places: dict[_Place, list[float]] = defaultdict(list)
    next_rows: list[_OuterRow] = []
    for _, group in groupby(rows, lambda row: (row.page, row.side)):
        ends = list(group)
        repeated = list(takewhile(lambda row: _is_repeated(row, distances, least), ends))
        while repeated and not repeated[-1].apart:
            repeated.pop()
        next_rows.extend(ends[len(repeated) : len(repeated) + 1])
        for row in repeated:
            named = _kinds_of(row)
            kinds |= named
            if "page number" in named.values():
                insort(numbers[row.side], row.distance)
            if set(named.values()) != {"page number"}:
                insort(places[_place(row)], row.distance)
    size, many = _body_size(fragments), max(least, pages // 4)
    for row in next_rows:
        # A number in the position of page numbers that does not continue them, as on the first pages of a book.
        is_number = len(row.texts) == 1 and _page_number(row.texts[0]) is not None
        is_number = is_number and _repeats(numbers[row.side], row.distance, least)
        # Another chapter has another head, maybe on a single page.
        if is_number or (_may_be_head(row, size) and _repeats(places[_place(row)], row.distance, many)):
            kinds |= _kinds_of(row)
    # The only content of a page is text, however often it is repeated.
    body = np.ones(len(fragments), dtype=np.bool_)
    body[list(kinds)] = False
    if 2 * len(np.unique(fragments.page[body])) < len(np.unique(fragments.page)):
        return {}
    return dict(sorted(kinds.items()))


def _kinds_of(row: _OuterRow) -> dict[int, str]:
    """Return the kind of each fragment of a running line."""
    kind = ("running head", "running foot")[row.side]
    texts = zip(row.fragments, row.texts, strict=True)
    return {fragment: kind if _page_number(text) is None else "page number" for fragment, text in texts}


def _may_be_head(row: _OuterRow, size: float) -> bool:
    """Return whether a row may be a running line by its looks: apart, about as large as the body, no rest of a text."""
    return row.apart and row.size < 1.25 * size and not row.texts[0][:1].islower()


def _body_size(fragments: Fragments) -> float:
    """Return the font size of most characters, in points."""
    counts = np.bincount(np.round(2 * fragments.size).astype(np.int64), fragments.chars)
    return float(counts.argmax()) / 2


MARGIN = 0.1
"""Width of the margin in which text that is written up or down is a note, as a share of that of the page."""

MAX_NOTES = 3
"""Notes that a margin may have: more are labels of a drawing or cells of a table."""

MIN_TEXT = 500
"""Characters that a page with a note needs: the title of an axis is not a note."""


def find_margin_notes(words: Words, fragments: Fragments) -> dict[int, str]:
    """Return the fragments that are notes in the margin, as :func:`find_running_lines` does.

    They are written up or down at the edge of a page of text, beside all of it: the stamp of an archive, the owner of
    the rights in a picture, the name of a chapter on a tab.
    """
    rotated = np.flatnonzero(fragments.rotated & (fragments.table < 0))
    if not len(rotated):
        return {}
    pages = len(words.extents)
    straight = ~fragments.rotated
    page, width = fragments.page, words.extents[:, 0].astype(np.float64)
    left, right = np.full(pages, np.inf), np.full(pages, -np.inf)
    np.minimum.at(left, page[straight], fragments.left[straight])
    np.maximum.at(right, page[straight], fragments.right[straight])
    chars = np.bincount(page[straight], fragments.chars[straight], pages)
    notes: dict[int, str] = {}
    for is_beside in (
        fragments.right[rotated] < np.minimum(left, MARGIN * width)[page[rotated]],
        fragments.left[rotated] > np.maximum(right, (1 - MARGIN) * width)[page[rotated]],
    ):
        beside = rotated[is_beside]
        few = np.bincount(page[beside], minlength=pages) <= MAX_NOTES
        notes |= dict.fromkeys(beside[(few & (chars >= MIN_TEXT))[page[beside]]].tolist(), "margin note")
    return dict(sorted(notes.items()))


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
        size = float(fragments.size[row[0]])
        yield _OuterRow(page, side, rank, height - edge if side else edge, tuple(row), texts, is_apart, size)


def _place(row: _OuterRow) -> _Place:
    return row.side, row.rank, round(2 * row.size)


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
        # A sign beside a text is its bullet.
        is_bullet = len(text) == 1 < len(row.texts)
        if any(map(str.isalpha, plain)) or (plain == text and not is_bullet):
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
