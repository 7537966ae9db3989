"""Running heads and feet and page numbers: text at the same place on page after page."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from typing import NamedTuple

import numpy as np

from chunking.loading.binary.pdf.pieces import Pieces
from chunking.loading.binary.pdf.words import Words
from chunking.runtime.patterns import compile_pattern

OUTER_ROWS = 3
"""Rows at either end of a page that may be running lines."""

NEAR = 4.0
"""Maximum distance of a running line from its position on other pages, in points."""

_NUMBER = compile_pattern(r"\d+")
_ROMAN = compile_pattern(r"(?=[ivxlc])(c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})")
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
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
"""Maximum characters of a piece whose ends are searched for a number."""

_Key = tuple[int, str | int]


class Running(NamedTuple):
    """A piece that is a running line.

    Attributes:
        piece: its index.
        kind: as in :class:`chunking.document.Aside`.
    """

    piece: int
    kind: str


class _OuterRow(NamedTuple):
    """One of the outer rows of a page.

    Attributes:
        page: from 0.
        side: 0 at the head, 1 at the foot.
        rank: 0 for the outermost row.
        place: distance from that end of the page, in points.
        pieces: indices, from left to right.
        texts: text of each.
        apart: whether the row further inside has another size or is farther away than the next line would be.
    """

    page: int
    side: int
    rank: int
    place: float
    pieces: tuple[int, ...]
    texts: tuple[str, ...]
    apart: bool


def find(words: Words, pieces: Pieces) -> list[Running]:
    """Return the running lines of a document, in order of pages.

    They are the outer rows of a page's head or foot, at most three, that are separated from the text and of which each

    - has a piece with the same text, apart from numbers, at the same distance from the page's end on three pages or
      more (two, if the document has at most three), or
    - has a piece that is, begins with or ends with a number that increases with the pages, there and on as many.
    """
    pages = len(words.extents)
    if pages < 2 or not len(pieces):
        return []
    rows = list(_outer_rows(words, pieces))
    least = 3 if pages > 3 else 2
    places = _places(rows)
    found: dict[int, str] = {}
    numbers: dict[int, list[float]] = {0: [], 1: []}
    left: list[_OuterRow] = []
    for _, group in groupby(rows, lambda row: (row.page, row.side)):
        ends = list(group)
        repeated = list(takewhile(lambda row: _is_repeated(row, places, least), ends))
        while repeated and not repeated[-1].apart:
            repeated.pop()
        left.extend(ends[len(repeated) : len(repeated) + 1])
        for row in repeated:
            for piece, text in zip(row.pieces, row.texts, strict=True):
                is_number = _page_number(text) is not None
                found[piece] = "page number" if is_number else ("running head", "running foot")[row.side]
                if is_number:
                    insort(numbers[row.side], row.place)
    # A number in the position of page numbers that does not continue them, as on the first pages of a book.
    for row in left:
        alone = len(row.texts) == 1 and _page_number(row.texts[0]) is not None
        if alone and _repeats(numbers[row.side], row.place, least):
            found[row.pieces[0]] = "page number"
    # The only content of a page is text, however often it is repeated.
    body = np.ones(len(pieces), dtype=np.bool_)
    body[list(found)] = False
    if 2 * len(np.unique(pieces.page[body])) < len(np.unique(pieces.page)):
        return []
    return [Running(piece, kind) for piece, kind in sorted(found.items())]


def _outer_rows(words: Words, pieces: Pieces) -> Iterator[_OuterRow]:
    """Yield the outer rows of each page, head then foot, from the outermost inwards."""
    usable = np.flatnonzero(~pieces.odd & (pieces.table < 0))
    order = usable[np.lexsort((pieces.left[usable], pieces.top[usable], pieces.page[usable]))]
    bounds = np.searchsorted(pieces.page[order], np.arange(len(words.extents) + 1))
    for page, (begin, end) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        own = order[begin:end].tolist()
        height = float(words.extents[page, 1])
        yield from _rows_of(words, pieces, page, 0, own, height)
        yield from _rows_of(words, pieces, page, 1, own[::-1], height)


def _rows_of(
    words: Words, pieces: Pieces, page: int, side: int, order: Sequence[int], height: float
) -> Iterator[_OuterRow]:
    rows: list[list[int]] = []
    base = 0.0
    bottoms, sizes = pieces.bottom[order].tolist(), pieces.size[order].tolist()
    for piece, bottom, size in zip(order, bottoms, sizes, strict=True):
        if rows and abs(bottom - base) < 0.5 * size:
            rows[-1].append(piece)
        elif len(rows) > OUTER_ROWS:
            break
        else:
            rows.append([piece])
            base = bottom
    for rank, row in enumerate(rows[:OUTER_ROWS]):
        row.sort(key=lambda piece: float(pieces.left[piece]))
        edge = float(pieces.top[row[0]])
        apart = True
        if rank + 1 < len(rows):
            own, inner = row[0], rows[rank + 1][0]
            gap, size = abs(float(pieces.bottom[inner] - pieces.bottom[own])), float(pieces.size[own])
            apart = gap > MIN_ROOM * size or abs(float(pieces.size[inner]) - size) > 0.06 * size
        texts = tuple(" ".join(words.text[pieces.first[piece] : pieces.last[piece]]) for piece in row)
        yield _OuterRow(page, side, rank, height - edge if side else edge, tuple(row), texts, apart)


def _places(rows: Sequence[_OuterRow]) -> dict[_Key, list[float]]:
    """Return the places of rows of each key, one per page, ascending."""
    found: dict[_Key, dict[int, float]] = defaultdict(dict)
    for row in rows:
        for key in _keys(row):
            found[key].setdefault(row.page, row.place)
    return {key: sorted(places.values()) for key, places in found.items()}


def _repeats(places: Sequence[float], place: float, least: int) -> bool:
    return bisect_right(places, place + NEAR) - bisect_left(places, place - NEAR) >= least


def _is_repeated(row: _OuterRow, places: dict[_Key, list[float]], least: int) -> bool:
    return any(_repeats(places[key], row.place, least) for key in _keys(row))


def _keys(row: _OuterRow) -> Iterator[_Key]:
    """Yield what other rows must share: the text of a piece without numbers, and the offset of its number from the
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
    return int(match[1]) if match[1].isdigit() else _roman(match[1].lower())


def _roman(text: str) -> int | None:
    if not _ROMAN.fullmatch(text):
        return None
    values = [_ROMAN_VALUES[letter] for letter in text]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
