"""From written drafts to the result of the loader: the text, its blocks, positions of words, and origin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chunking.document import Block
from chunking.document.origin import Origin
from chunking.document.pages import Pages
from chunking.loading.binary.pdf.words import Words
from chunking.loading.binary.pdf.writer import Stretches, Written
from chunking.runtime.arrays import Bools, Float32, Int32, Int64


@dataclass(frozen=True)
class Assembled:
    """The text of a document and what refers to it; see :class:`chunking.loading.parsed.Parsed`."""

    text: str
    blocks: tuple[Block, ...]
    origin: Origin
    pages: Pages


def assembled(words: Words, written: Written) -> Assembled:
    """Return the text of the written drafts, with its blocks, origin and pages."""
    out = written.out
    begin, end = (np.frombuffer(column, dtype=np.int64) for column in (out.begin, out.end))
    # int32 instead of int64 to save memory: there is one for each word of the document.
    order = _ranges(begin, end)
    first = np.cumsum(end - begin) - (end - begin)
    # Inside a stretch, words are divided by a space where PDFium's characters divide them.
    apart = words.start[order] > words.end[order - 1]
    gaps = apart.astype(np.int32)
    gaps[first] = np.fromiter(map(len, out.before), dtype=np.int32, count=len(first))
    lengths = (words.end - words.start)[order]
    cut = np.array(sorted(out.cut), dtype=np.int64)
    lengths[first[cut] + (end - begin)[cut] - 1] -= 1
    text = "".join(_texts(words.text, out, apart, first))
    ends = np.cumsum(lengths + gaps, dtype=np.int32)
    starts = ends - lengths
    blocks: list[Block] = []
    for one, other, kind, level, style, marked in written.blocks:
        start = int(starts[one])
        if one in written.breaks:
            blocks.append(Block("page_break", start - 3, start - 2))
        content = int(starts[one + 1]) if marked and other - one > 1 else start
        blocks.append(Block(kind, start, int(ends[other - 1]), level, content, style=style))
    line = np.repeat(np.frombuffer(out.line, dtype=np.int64), end - begin)
    return Assembled(
        text,
        tuple(blocks),
        _origin(words, order, starts, lengths, gaps, len(words.sizes)),
        _pages(words, order, line, starts, ends),
    )


def _ranges(begin: Int64, end: Int64) -> Int32:
    """Return the numbers of half-open ranges, one range after the other."""
    lengths = end - begin
    numbers: Int32 = np.repeat((begin - np.cumsum(lengths) + lengths).astype(np.int32), lengths)
    numbers += np.arange(len(numbers), dtype=np.int32)
    return numbers


def _texts(texts: Sequence[str], out: Stretches, apart: Bools, first: Int64) -> Iterator[str]:
    """Yield the separator before each stretch, and its text."""
    inner = apart.copy()
    inner[first] = True
    spaced = np.logical_and.reduceat(inner, first).tolist() if len(first) else []
    rows = zip(out.begin, out.end, out.before, spaced, first.tolist(), strict=True)
    for number, (begin, end, before, plain, place) in enumerate(rows):
        own = texts[begin:end]
        if not plain:
            own = [
                f" {word}" if gap and order else word
                for order, (word, gap) in enumerate(zip(own, apart[place : place + end - begin].tolist(), strict=True))
            ]
        joined = (" " if plain else "").join(own)
        yield before
        yield joined[:-1] if number in out.cut else joined


def _origin(words: Words, order: Int32, starts: Int32, lengths: Int32, gaps: Int32, pages: int) -> Origin:
    """Return a run for each stretch of words that is contiguous in the page's characters and in the text."""
    if not len(order):
        return Origin(
            "characters of the page", tuple(f"page {page + 1}" for page in range(pages)), np.zeros((0, 5), np.int64)
        )
    source, page = words.start[order], words.page[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (
        (np.diff(order) != 1)
        | (np.diff(page) != 0)
        | (gaps[1:] > 1)
        | (source[1:] - source[:-1] - lengths[:-1] != gaps[1:])
    )
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(order)) - 1
    length = starts[last] + lengths[last] - starts[first]
    runs = np.stack((starts[first], length, page[first], source[first], length), axis=1, dtype=np.int64)
    return Origin("characters of the page", tuple(f"page {page + 1}" for page in range(pages)), runs)


def _pages(words: Words, order: Int32, line: Int64, starts: Int32, ends: Int32) -> Pages:
    page = words.page[order].astype(np.int64)
    count = len(words.sizes)
    end = int(ends[-1]) if len(ends) else 0
    begins = np.full(count + 1, end, dtype=np.int64)
    np.minimum.at(begins, page, starts)
    begins = np.minimum.accumulate(begins[::-1])[::-1][:count]
    if count:
        begins[0] = 0
    boxes: Float32 = words.box[order]
    spans = np.stack((starts, ends), axis=1, dtype=np.int64)
    return Pages(words.sizes, begins, spans, page, line, boxes)
