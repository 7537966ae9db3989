"""Fragments of lines: words on a line without a wide gap between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from chunking.loading.binary.pdf.words import Words
from chunking.runtime.arrays import Bools, Float32, Float64, Int64
from chunking.runtime.patterns import compile_pattern

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

_DASHES = frozenset("-–—")

OPEN_NAME = ("-", "/", ",", "(", "&")
"""How the name of a row ends that continues on the next line."""

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
    values, dashes = _match(words.text, is_value), _match(words.text, _DASHES.__contains__)
    # In batches of pages, so that intermediate arrays take little memory.
    begin = 0
    while begin < len(words):
        end = begin + WORD_BATCH
        end = int(np.searchsorted(words.page, words.page[end], side="right")) if end < len(words) else len(words)
        span = slice(begin, end)
        batch = replace(words, **{name: getattr(words, name)[span] for name in _BATCHED})
        part = _fragments_of(batch, table[span], usable[span], values[span], dashes[span])
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


def _match(texts: Sequence[str], condition: Callable[[str], bool]) -> Bools:
    """Return whether each word meets a condition."""
    distinct = {text: condition(text) for text in set(texts)}
    return np.fromiter(map(distinct.__getitem__, texts), np.bool_, len(texts))


def _fragments_of(words: Words, table: Int64, usable: Bools, values: Bools, dashes: Bools) -> Fragments:
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
        # A dash that is as near to the number behind it as words are is that of a range, not a cell without a value.
        is_range = np.zeros(n - 1, dtype=np.bool_)
        numbers = values & ~dashes
        is_range[:-1] = numbers[:-2] & dashes[1:-1] & numbers[2:] & ~next_line[:-1] & ~next_line[1:]
        is_range[:-1] &= (gap[1:] <= VALUE_GAP * size[1:]) & (gap[:-1] <= WIDE_GAP * size[:-1])
        between_values &= ~is_range
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
