"""From words to pieces: the words of one line without a wide gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from chunking.loading.binary.pdf.words import Words
from chunking.runtime.arrays import Bools, Float32, Float64, Int32, Int64

WIDE_GAP = 1.0
"""Space between two words of a line from which they may be cells or columns, in font sizes: if it is also twice as wide
as the narrowest of that line, since a justified line has wide spaces all along."""

BATCH = 100_000
"""Words that are looked at at once, to the end of a page."""

SURE_GAP = 3.0
"""Space from which they are, whatever else the line has."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Stretches of words on one line, in PDFium's order; a ruled table is one piece.

    Attributes:
        first, last: ``(n,)`` int64, half-open range of the words; of a table, of its first stretch.
        page: ``(n,)`` int64.
        left, top, right, bottom: ``(n,)`` float64, as laid out. Top and bottom are those of most of its characters, so
            that a raised note mark does not lift the line.
        size: ``(n,)`` float64, greatest font size of a word of two characters or more, else the mean: what is set
            smaller inside a line (code, a raised mark) does not count, nor does a single large sign.
        chars: ``(n,)`` int64.
        bold, italic, mono: ``(n,)`` float64, share of the characters.
        odd: ``(n,)`` bool.
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
    odd: Bools
    table: Int64

    def __len__(self) -> int:
        return len(self.first)


def find(words: Words, table: Int64, usable: Bools) -> Pieces:
    """Return the pieces of the words that are ``usable``.

    Args:
        words: of the document.
        table: ``(n_words,)`` int64, number of the ruled table that contains it, or -1.
        usable: ``(n_words,)`` bool.
    """
    parts: list[Pieces] = []
    # In batches of pages, so that intermediate arrays take little memory.
    begin = 0
    while begin < len(words):
        end = begin + BATCH
        end = int(np.searchsorted(words.page, words.page[end], side="right")) if end < len(words) else len(words)
        own = slice(begin, end)
        part = _found(_Part.of(words, own), table[own], usable[own])
        part.first[:] += begin
        part.last[:] += begin
        parts.append(part)
        begin = end
    if len(parts) == 1:
        return parts[0]
    return Pieces(*(np.concatenate([getattr(part, name) for part in parts]) for name in Pieces.__dataclass_fields__))


class _Part(NamedTuple):
    """Some words of a document, with the properties used here; see :class:`Words`."""

    page: Int32
    start: Int32
    end: Int32
    lay: Float32
    size: Float32
    bold: Bools
    italic: Bools
    mono: Bools
    odd: Bools

    @classmethod
    def of(cls, words: Words, own: slice) -> _Part:
        return cls(*(getattr(words, name)[own] for name in cls._fields))


def _found(words: _Part, table: Int64, usable: Bools) -> Pieces:
    n = len(words.page)
    new = np.ones(n, dtype=np.bool_)
    if n > 1:
        before, after = words.lay[:-1], words.lay[1:]
        size = np.maximum(np.minimum(words.size[:-1], words.size[1:]), 1)
        overlap = np.minimum(before[:, 3], after[:, 3]) - np.maximum(before[:, 1], after[:, 1])
        height = np.minimum(before[:, 3] - before[:, 1], after[:, 3] - after[:, 1])
        gap = np.maximum(after[:, 0] - before[:, 2], before[:, 0] - after[:, 2])
        other = (
            (words.page[1:] != words.page[:-1])
            | (table[1:] != table[:-1])
            | (usable[1:] != usable[:-1])
            | (words.odd[1:] != words.odd[:-1])
            | (overlap < 0.4 * height)
            | (gap > SURE_GAP * size)
        )
        new[1:] = other | ((gap > WIDE_GAP * size) & (gap > 2 * _narrowest(gap, size, other)))
        # Written up or down on an upright page: a line there is what lies in one narrow strip.
        odd = words.odd[1:] & words.odd[:-1] & (words.page[1:] == words.page[:-1])
        odd &= (table[1:] == table[:-1]) & (usable[1:] == usable[:-1])
        strip = np.minimum(before[:, 2], after[:, 2]) - np.maximum(before[:, 0], after[:, 0])
        narrow = np.minimum(before[:, 2] - before[:, 0], after[:, 2] - after[:, 0])
        apart = np.maximum(after[:, 1] - before[:, 3], before[:, 1] - after[:, 3])
        new[1:] &= ~(odd & (strip > 0.4 * narrow) & (apart < WIDE_GAP * size))
    first = np.flatnonzero(new)
    last = np.append(first[1:], n)
    pieces = _measured(words, first, last, table)
    keep = usable[first]
    if not keep.all():
        pieces = take(pieces, np.flatnonzero(keep))
    return _tables_whole(pieces)


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


def take(pieces: Pieces, places: Int64) -> Pieces:
    """Return some of the pieces, in the given order."""
    return Pieces(*(getattr(pieces, name)[places] for name in Pieces.__dataclass_fields__))


def _measured(words: _Part, first: Int64, last: Int64, table: Int64) -> Pieces:
    length = words.end - words.start
    chars = np.add.reduceat(length, first)

    def mean(values: npt.NDArray[np.generic]) -> Float64:
        sums: Float64 = np.add.reduceat(values * length.astype(np.float64), first) / chars
        return sums

    large = np.maximum.reduceat(np.where(length > 1, words.size, 0).astype(np.float64), first)
    odd = words.odd[first]
    top, bottom = mean(words.lay[:, 1]), mean(words.lay[:, 3])
    if odd.any():
        top = np.where(odd, np.minimum.reduceat(words.lay[:, 1], first), top)
        bottom = np.where(odd, np.maximum.reduceat(words.lay[:, 3], first), bottom)
    return Pieces(
        first,
        last,
        words.page[first].astype(np.int64),
        np.minimum.reduceat(words.lay[:, 0], first).astype(np.float64),
        top,
        np.maximum.reduceat(words.lay[:, 2], first).astype(np.float64),
        bottom,
        np.where(large > 0, large, mean(words.size)),
        chars,
        mean(words.bold),
        mean(words.italic),
        mean(words.mono),
        odd,
        table[first],
    )


def _tables_whole(pieces: Pieces) -> Pieces:
    """Return one piece for each ruled table, around its content."""
    inside = np.flatnonzero(pieces.table >= 0)
    if not len(inside):
        return pieces
    numbers, firsts, inverse = np.unique(pieces.table[inside], return_index=True, return_inverse=True)
    kept = inside[firsts]
    for name, function, start in (
        ("left", np.minimum, np.inf),
        ("top", np.minimum, np.inf),
        ("right", np.maximum, -np.inf),
        ("bottom", np.maximum, -np.inf),
    ):
        edges = np.full(len(numbers), start)
        function.at(edges, inverse, getattr(pieces, name)[inside])
        getattr(pieces, name)[kept] = edges
    keep = np.ones(len(pieces), dtype=np.bool_)
    keep[inside] = False
    keep[kept] = True
    return take(pieces, np.flatnonzero(keep))
