"""The words of a document as arrays, the fragments of lines that they form, and the tables with drawn rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from chunking.loading.binary.pdf import pdfium
from chunking.loading.binary.pdf.engine import NO_BOXES, Font, RawPage
from chunking.runtime.arrays import Bools, Float32, Float64, Int8, Int32, Int64
from chunking.runtime.patterns import compile_pattern

UNREAD = (612.0, 792.0)
"""Size of a page that cannot be read, in points."""

HYPHEN = chr(pdfium.HYPHEN)

_COLUMNS: dict[str, npt.DTypeLike] = {
    "starts": np.int32,
    "ends": np.int32,
    "hyphens": np.bool_,
    "boxes": np.float32,
    "sizes": np.float32,
    "fonts": np.int32,
    "turns": np.int8,
}
"""Types of the stored arrays of a page, by their name in :class:`~chunking.loading.binary.pdf.engine`."""


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a document, page after page, in the order in which PDFium gives them.

    Attributes:
        text: text of each; a hyphen at a line end is ``-``.
        page: ``(n,)`` int32.
        start, end: ``(n,)`` int32, half-open spans of PDFium's characters on the page.
        box: ``(n, 4)`` float32, as shown: left, top, right, bottom, inside the page.
        layout_box: ``(n, 4)`` float32, the same with a page whose lines run up or down turned upright, and mirrored
            where most of the document is written from right to left; layout uses these. The same array as ``box`` if
            no page is.
        size: ``(n,)`` float32, font size in points.
        bold, italic, mono: ``(n,)`` bool, properties of the font.
        rotated: ``(n,)`` bool, whether its direction differs from that of most of its page.
        hyphen: ``(n,)`` bool, whether by PDFium a hyphen at its end divides it from the next.
        visible: ``(n,)`` bool, whether it is at least partly inside its page.
        sizes: ``(n_pages, 2)`` float32, width and height of the pages as shown.
        extents: ``(n_pages, 2)`` float32, the same as laid out.
        edges: of each page, ``(n_edges, 4)`` float32, its ruling lines as laid out.
        marks: of each page, ``(n_marks, 4)`` float32, shapes that may be bullets, as laid out.
    """

    text: list[str]
    page: Int32
    start: Int32
    end: Int32
    box: Float32
    layout_box: Float32
    size: Float32
    bold: Bools
    italic: Bools
    mono: Bools
    rotated: Bools
    hyphen: Bools
    visible: Bools
    sizes: Float32
    extents: Float32
    edges: tuple[Float32, ...]
    marks: tuple[Float32, ...]

    def __len__(self) -> int:
        return len(self.text)


class WordCollector:
    """A collector of the words of pages as they are read."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        # Bytes of the arrays, page after page: they grow in place, and do not fragment memory as many arrays would.
        self._columns = {name: bytearray() for name in _COLUMNS}
        self._main: list[int] = []
        self._counts: list[int] = []
        self._sizes: list[tuple[float, float]] = []
        self._drawn: list[tuple[Float32, Float32]] = []
        # Most words of a document occur often: each is kept once.
        self._distinct_words: dict[str, str] = {}
        self._letters = self._right_to_left = 0

    def add(self, page: RawPage | None) -> None:
        """Add the next page; ``None`` for one that cannot be read."""
        if page is None:
            self._sizes.append(UNREAD)
            self._drawn.append((NO_BOXES, NO_BOXES))
            self._counts.append(0)
            self._main.append(0)
            return
        words = _words(page)
        for index in np.flatnonzero(page.hyphens).tolist():
            words[index] = words[index].replace(HYPHEN, "-")
        keep = _drawn_first(words, page.boxes)
        if len(keep) < len(words):
            words = [words[index] for index in keep.tolist()]
        self._texts.extend(map(self._distinct_words.setdefault, words, words))
        for name, column in self._columns.items():
            values = getattr(page, name)
            column += (values if len(keep) == len(values) else values[keep]).tobytes()
        self._counts.append(len(words))
        self._main.append(_main_turn(page.turns))
        self._sizes.append((page.width, page.height))
        self._drawn.append((page.edges, page.marks))
        letters, right_to_left = _letters(page.text)
        self._letters, self._right_to_left = self._letters + letters, self._right_to_left + right_to_left

    def __len__(self) -> int:
        return len(self._texts)

    def words(self, fonts: Sequence[Font]) -> Words:
        """Return the words of the added pages, and release them."""
        number = np.repeat(np.arange(len(self._counts), dtype=np.int32), self._counts)
        sizes = np.array(self._sizes, dtype=np.float32).reshape(-1, 2)
        main = np.array(self._main, dtype=np.int64)
        starts, ends, hyphens, boxes, size, font, turns = (
            np.frombuffer(self._columns[name], dtype=dtype) for name, dtype in _COLUMNS.items()
        )
        boxes = boxes.reshape(-1, 4)
        visible = _clip(boxes, sizes, number)
        mirrored = 2 * self._right_to_left > self._letters
        extents = np.where((main % 2 == 1)[:, None], sizes[:, ::-1], sizes).astype(np.float32)

        def laid(boxes: Float32, page: Int32) -> Float32:
            upright = _turn_upright(boxes, main[page], sizes[page]) if main.any() else boxes
            return _mirror(upright, extents[page, 0]) if mirrored else upright

        drawings = [
            tuple(laid(boxes, np.full(len(boxes), page, dtype=np.int32)) for boxes in both)
            for page, both in enumerate(self._drawn)
        ]
        kinds = np.array(fonts, dtype=np.bool_).reshape(-1, 3)
        return Words(
            self._texts,
            number,
            starts,
            ends,
            boxes,
            laid(boxes, number),
            size,
            kinds[font, 0],
            kinds[font, 1],
            kinds[font, 2],
            turns != main.astype(np.int8)[number],
            hyphens,
            visible,
            sizes,
            extents,
            tuple(edges for edges, _ in drawings),
            tuple(marks for _, marks in drawings),
        )


def _words(page: RawPage) -> list[str]:
    """Return the text of each word of a page."""
    words = page.text.split()
    if len(words) == len(page.starts):
        return words
    text = page.text
    return [text[start:end] for start, end in zip(page.starts.tolist(), page.ends.tolist(), strict=True)]


_SHADOW = 1.0
"""Maximum distance of a word from its shadow or its second stroke, in points."""


def _drawn_first(words: Sequence[str], boxes: Float32) -> Int64:
    """Return the indices of words without those that are drawn again at nearly the same place, to look bold or raised.

    Two of them share a cell of a grid that is twice as wide as their distance, or of the same grid shifted by half.
    """
    keep = np.ones(len(words), dtype=np.bool_)
    hashes = np.fromiter(map(hash, words), np.int64, len(words))
    for shift in ((0, 0), (_SHADOW, 0), (0, _SHADOW), (_SHADOW, _SHADOW)):
        cells = ((boxes[:, :2] + np.array(shift, dtype=np.float32)) / (2 * _SHADOW)).astype(np.int64)
        keys = hashes ^ (cells[:, 0] << 40) ^ (cells[:, 1] << 16)
        ascending = np.sort(keys)
        # Few pages have any.
        if not (ascending[1:] == ascending[:-1]).any():
            continue
        order = np.argsort(keys, kind="stable")
        same = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
        for one, other in zip(order[same].tolist(), order[same + 1].tolist(), strict=True):
            if words[one] == words[other] and np.abs(boxes[one] - boxes[other]).max() < _SHADOW:
                keep[other] = False
    return np.flatnonzero(keep)


def _clip(boxes: Float32, sizes: Float32, page: Int32) -> Bools:
    """Clip boxes to their pages in place; return whether each is on its page at least in part."""
    visible = (boxes[:, 2] > 0) & (boxes[:, 3] > 0)
    np.maximum(boxes, 0, out=boxes)
    for side in range(2):
        most = sizes[page, side]
        visible &= boxes[:, side] < most
        for column in (side, side + 2):
            np.minimum(boxes[:, column], most, out=boxes[:, column])
    return visible


def _main_turn(turns: Int8) -> int:
    """Return the direction of most words of a page; 0 if none has a majority."""
    if not turns.any():
        return 0
    counts = np.bincount(turns[turns < 4], minlength=4)
    best = int(counts.argmax())
    return best if 2 * counts[best] > len(turns) else 0


def _turn_upright(boxes: Float32, turn: Int64, sizes: Float32) -> Float32:
    """Return boxes turned so that words of a turn (quarters, counter-clockwise) run from left to right."""
    if not turn.any():
        return boxes
    left, top, right, bottom = boxes.T
    wide, high = sizes.T
    ways = (
        boxes,
        np.stack((high - bottom, left, high - top, right), axis=1),
        np.stack((wide - right, high - bottom, wide - left, high - top), axis=1),
        np.stack((top, wide - right, bottom, wide - left), axis=1),
    )
    turned = np.choose(turn[:, None], ways)
    return turned.astype(np.float32)


def _mirror(boxes: Float32, wide: Float32) -> Float32:
    return np.stack((wide - boxes[:, 2], boxes[:, 1], wide - boxes[:, 0], boxes[:, 3]), axis=1).astype(np.float32)


def _letters(text: str) -> tuple[int, int]:
    """Return the approximate number of letters of a text, and of those in right-to-left scripts."""
    if text.isascii():
        return len(text), 0
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    right = ((codes >= 0x590) & (codes < 0x900)) | ((codes >= 0xFB1D) & (codes < 0xFEFD))
    return int(np.count_nonzero(codes > 0x40)), int(np.count_nonzero(right))


# Fragments of lines -------------------------------------------------------------------------------------------------

WIDE_GAP = 1.0
"""Space between two words of a line from which they may be cells or columns, in font sizes: if it is also twice as wide
as the narrowest of that line, since a justified line has wide spaces all along."""

VALUE_GAP = 0.6
"""Space between two numbers of a line from which they are cells, in font sizes."""

SPREAD_GAP = 1.5
"""Space from which the words of a line are cells if all of them are as far apart, in font sizes."""

_VALUE = compile_pattern(
    r"[(\[<>~≤≥]?[-–−+±]?[$€£¥]?\d+(?:[.,:/–’'-]\d+)*%?[)\]*†‡§¶]?[a-z]?|[-–—−]+|\(?[nN]/?[aA]\)?|n\.a\.|[‡†*…:#]|\.{2,3}"
)
"""The value of a cell: a number, without the comma of an enumeration, or a sign for none."""

WORD_BATCH = 100_000
"""Words that are examined at once, to the end of a page."""

_BATCHED = ("page", "start", "end", "layout_box", "size", "bold", "italic", "mono", "rotated")
"""The arrays of :class:`Words` that fragments are made from."""

SURE_GAP = 3.0
"""Space from which they are, whatever else the line has."""


@dataclass(frozen=True, eq=False)
class Fragments:
    """Stretches of words on one line, in PDFium's order; a ruled table is one fragment.

    Attributes:
        first, last: ``(n,)`` int64, half-open range of the words; of a table, of its first stretch.
        page: ``(n,)`` int64.
        left, top, right, bottom: ``(n,)`` float64, as laid out. Top and bottom are those of most of its characters, so
            that a raised note mark does not lift the line.
        size: ``(n,)`` float64, greatest font size of a word of two characters or more, else the mean: what is set
            smaller inside a line (code, a raised mark) does not count, nor does a single large sign.
        chars: ``(n,)`` int64.
        bold, italic, mono: ``(n,)`` float64, share of the characters.
        rotated: ``(n,)`` bool.
        table: ``(n,)`` int64, number of the ruled table, or -1.
    """

    first: Int64
    last: Int64
    page: Int64
    left: Float64
    top: Float64
    right: Float64
    bottom: Float64
    size: Float64
    chars: Int64
    bold: Float64
    italic: Float64
    mono: Float64
    rotated: Bools
    table: Int64

    def __len__(self) -> int:
        return len(self.first)

    def take(self, indices: Int64) -> Fragments:
        """Return some of the fragments, in the given order."""
        return Fragments(*(getattr(self, name)[indices] for name in self.__dataclass_fields__))


def find_fragments(words: Words, table: Int64, usable: Bools) -> Fragments:
    """Return the fragments of the words that are ``usable``.

    Args:
        words: of the document.
        table: ``(n_words,)`` int64, number of the ruled table that contains it, or -1.
        usable: ``(n_words,)`` bool.
    """
    parts: list[Fragments] = []
    values = _are_values(words.text)
    # In batches of pages, so that intermediate arrays take little memory.
    begin = 0
    while begin < len(words):
        end = begin + WORD_BATCH
        end = int(np.searchsorted(words.page, words.page[end], side="right")) if end < len(words) else len(words)
        span = slice(begin, end)
        batch = replace(words, **{name: getattr(words, name)[span] for name in _BATCHED})
        part = _fragments_of(batch, table[span], usable[span], values[span])
        part.first[:] += begin
        part.last[:] += begin
        parts.append(part)
        begin = end
    if len(parts) == 1:
        return parts[0]
    return Fragments(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in Fragments.__dataclass_fields__)
    )


def is_value(text: str) -> bool:
    """Return whether a word may be the value of a cell: a number, or a sign for none."""
    return len(text) < 24 and bool(_VALUE.fullmatch(text))


def _are_values(texts: Sequence[str]) -> Bools:
    """Return whether each word is a value of a cell."""
    distinct = {text: is_value(text) for text in set(texts)}
    return np.fromiter(map(distinct.__getitem__, texts), np.bool_, len(texts))


def _fragments_of(words: Words, table: Int64, usable: Bools, values: Bools) -> Fragments:
    n = len(words.page)
    new = np.ones(n, dtype=np.bool_)
    if n > 1:
        before, after = words.layout_box[:-1], words.layout_box[1:]
        size = np.maximum(np.minimum(words.size[:-1], words.size[1:]), 1)
        overlap = np.minimum(before[:, 3], after[:, 3]) - np.maximum(before[:, 1], after[:, 1])
        height = np.minimum(before[:, 3] - before[:, 1], after[:, 3] - after[:, 1])
        gap = np.maximum(after[:, 0] - before[:, 2], before[:, 0] - after[:, 2])
        next_line = (
            (words.page[1:] != words.page[:-1])
            | (table[1:] != table[:-1])
            | (usable[1:] != usable[:-1])
            | (words.rotated[1:] != words.rotated[:-1])
            | (overlap < 0.4 * height)
        )
        other = next_line | (gap > SURE_GAP * size)
        between_values = values[1:] & values[:-1] & ~next_line & (gap > VALUE_GAP * size)
        # A line of numbers with wide spaces is a row of a table: it has no spaces of words to compare them with.
        line: Int64 = np.cumsum(next_line)
        is_row = np.bincount(line, between_values, line[-1] + 1)[line] > 1
        stretch: Int64 = np.cumsum(other)
        narrowest = _narrowest(gap, size, other)
        is_spread = (narrowest > SPREAD_GAP * size) & (np.bincount(stretch)[stretch] > 2)
        wide = (gap > WIDE_GAP * size) & (is_row | is_spread | (gap > 2 * narrowest))
        new[1:] = other | wide | (between_values & is_row)
        # Written up or down on an upright page: a line there is what lies in one narrow strip.
        rotated = words.rotated[1:] & words.rotated[:-1] & (words.page[1:] == words.page[:-1])
        rotated &= (table[1:] == table[:-1]) & (usable[1:] == usable[:-1])
        strip = np.minimum(before[:, 2], after[:, 2]) - np.maximum(before[:, 0], after[:, 0])
        narrow = np.minimum(before[:, 2] - before[:, 0], after[:, 2] - after[:, 0])
        distance = np.maximum(after[:, 1] - before[:, 3], before[:, 1] - after[:, 3])
        new[1:] &= ~(rotated & (strip > 0.4 * narrow) & (distance < WIDE_GAP * size))
    first = np.flatnonzero(new)
    last = np.append(first[1:], n)
    fragments = _measure(words, first, last, table)
    keep = usable[first]
    if not keep.all():
        fragments = fragments.take(np.flatnonzero(keep))
    return _merge_tables(fragments)


def _narrowest(gap: Float32, size: Float32, other: Bools) -> Float32:
    """Return the narrowest space between words of the line of each gap.

    Args:
        gap: ``(n - 1,)`` float32, between neighbours.
        size: ``(n - 1,)`` float32, font size there.
        other: ``(n - 1,)`` bool, whether another line begins there.
    """
    spaces = np.where(other | (gap < 0.08 * size), np.float32(np.inf), gap)
    line: Int64 = np.cumsum(other) - other
    starts = np.flatnonzero(np.diff(line, prepend=-1))
    least: Float32 = np.minimum.reduceat(spaces, starts)[line]
    return least


def _measure(words: Words, first: Int64, last: Int64, table: Int64) -> Fragments:
    length = words.end - words.start
    chars = np.add.reduceat(length, first)

    def mean(values: npt.NDArray[np.generic]) -> Float64:
        sums: Float64 = np.add.reduceat(values * length.astype(np.float64), first) / chars
        return sums

    large = np.maximum.reduceat(np.where(length > 1, words.size, 0).astype(np.float64), first)
    rotated = words.rotated[first]
    top, bottom = mean(words.layout_box[:, 1]), mean(words.layout_box[:, 3])
    if rotated.any():
        top = np.where(rotated, np.minimum.reduceat(words.layout_box[:, 1], first), top)
        bottom = np.where(rotated, np.maximum.reduceat(words.layout_box[:, 3], first), bottom)
    return Fragments(
        first,
        last,
        words.page[first].astype(np.int64),
        np.minimum.reduceat(words.layout_box[:, 0], first).astype(np.float64),
        top,
        np.maximum.reduceat(words.layout_box[:, 2], first).astype(np.float64),
        bottom,
        np.where(large > 0, large, mean(words.size)),
        chars,
        mean(words.bold),
        mean(words.italic),
        mean(words.mono),
        rotated,
        table[first],
    )


def _merge_tables(fragments: Fragments) -> Fragments:
    """Return one fragment for each ruled table, around its content."""
    in_tables = np.flatnonzero(fragments.table >= 0)
    if not len(in_tables):
        return fragments
    numbers, firsts, inverse = np.unique(fragments.table[in_tables], return_index=True, return_inverse=True)
    first_in_tables = in_tables[firsts]
    for name, function, start in (
        ("left", np.minimum, np.inf),
        ("top", np.minimum, np.inf),
        ("right", np.maximum, -np.inf),
        ("bottom", np.maximum, -np.inf),
    ):
        edges = np.full(len(numbers), start)
        function.at(edges, inverse, getattr(fragments, name)[in_tables])
        getattr(fragments, name)[first_in_tables] = edges
    keep = np.ones(len(fragments), dtype=np.bool_)
    keep[in_tables] = False
    keep[first_in_tables] = True
    return fragments.take(np.flatnonzero(keep))


# Ruled tables -------------------------------------------------------------------------------------------------------

MAX_EDGES = 1500
"""Limit of the ruling lines of a page; a page with more is a drawing and no table."""

TOLERANCE = 3.0
"""Maximum distance of lines that count as meeting, in points; the default of pdfplumber."""

Box = tuple[float, float, float, float]


class RuledTable(NamedTuple):
    """A table with drawn lines.

    Attributes:
        page: from 0.
        rows: of each row, the indices of the words of each cell, from left to right; cells may be empty.
        columns: left and right edges of cells, ascending, in points.
        head: text of the first row.
    """

    page: int
    rows: tuple[tuple[tuple[int, ...], ...], ...]
    columns: tuple[float, ...]
    head: str


def find_tables(words: Words) -> tuple[list[RuledTable], Int64]:
    """Return the ruled tables of all pages, and for each word the number of its table or -1."""
    member = np.full(len(words), -1, dtype=np.int64)
    tables: list[RuledTable] = []
    if not any(map(len, words.edges)):
        return tables, member
    bounds = np.searchsorted(words.page, np.arange(len(words.edges) + 1)).tolist()
    for page, edges in enumerate(words.edges):
        if not 4 <= len(edges) <= MAX_EDGES:
            continue
        begin, end = bounds[page], bounds[page + 1]
        usable = np.arange(begin, end)[words.visible[begin:end] & ~words.rotated[begin:end]]
        for cells in _cells(edges):
            table_words = usable[_within(words.layout_box[usable], _around(cells))]
            table_words = table_words[member[table_words] < 0]
            rows = _assign_to_cells(words, table_words, cells)
            if _is_table(rows):
                member[table_words] = len(tables)
                head = "\t".join(" ".join([words.text[word] for word in cell]) for cell in rows[0])
                tables.append(RuledTable(page, rows, _columns(cells), head))
    return tables, member


def _cells(edges: Float32) -> list[list[Box]]:
    """Return the cells of each table that the lines form."""
    rules: Any = import_module("pdfplumber.table")
    lines = [_as_edge(*edge) for edge in dict.fromkeys(map(tuple, edges.tolist()))]
    merged = rules.merge_edges(lines, TOLERANCE, TOLERANCE, TOLERANCE, TOLERANCE)
    crossings = rules.edges_to_intersections(merged, TOLERANCE, TOLERANCE)
    if len(crossings) > MAX_EDGES:
        return []
    tables: list[list[Box]] = rules.cells_to_tables(rules.intersections_to_cells(crossings))
    return tables


def _as_edge(left: float, top: float, right: float, bottom: float) -> dict[str, Any]:
    return {
        "x0": left,
        "x1": right,
        "top": top,
        "bottom": bottom,
        "width": right - left,
        "height": bottom - top,
        "orientation": "h" if bottom - top < right - left else "v",
        "object_type": "line",
    }


def _around(cells: Sequence[Box]) -> Box:
    boxes = np.array(cells)
    return (*map(float, boxes[:, :2].min(axis=0)), *map(float, boxes[:, 2:].max(axis=0)))  # type: ignore[return-value]


def _columns(cells: Sequence[Box]) -> tuple[float, ...]:
    columns: list[float] = []
    for edge in sorted(edge for cell in cells for edge in (cell[0], cell[2])):
        if not columns or edge - columns[-1] > TOLERANCE:
            columns.append(edge)
    return tuple(columns)


def _within(boxes: Float32, frame: Box) -> np.ndarray[Any, np.dtype[np.bool_]]:
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    is_inside: np.ndarray[Any, np.dtype[np.bool_]] = (
        (x >= frame[0]) & (x <= frame[2]) & (y >= frame[1]) & (y <= frame[3])
    )
    return is_inside


def _assign_to_cells(words: Words, table_words: Int64, cells: Sequence[Box]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return the cells' words, by row and column; a word in no cell goes to the nearest."""
    if not len(table_words):
        return ()
    boxes = np.array(sorted(cells, key=lambda cell: (round(cell[1]), cell[0])))
    layout_box = words.layout_box[table_words]
    x, y = (layout_box[:, 0] + layout_box[:, 2]) / 2, (layout_box[:, 1] + layout_box[:, 3]) / 2
    away_x = np.maximum(np.maximum(boxes[None, :, 0] - x[:, None], x[:, None] - boxes[None, :, 2]), 0)
    away_y = np.maximum(np.maximum(boxes[None, :, 1] - y[:, None], y[:, None] - boxes[None, :, 3]), 0)
    nearest = (away_x + away_y).argmin(axis=1)
    rows: list[list[tuple[int, ...]]] = []
    top = -np.inf
    for number, box in enumerate(boxes.tolist()):
        if not rows or box[1] - top > TOLERANCE:
            rows.append([])
            top = box[1]
        rows[-1].append(tuple(table_words[nearest == number].tolist()))
    return tuple(tuple(row) for row in rows if any(row))


def _is_table(rows: Sequence[Sequence[Sequence[int]]]) -> bool:
    """Return whether boxes form a table: at least two rows with several cells that have text."""
    full = sum(sum(map(bool, row)) > 1 for row in rows)
    return len(rows) > 1 and full > 1
