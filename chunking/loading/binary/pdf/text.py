"""From drafts to the result of the loader: the words in order, the text, its blocks, boxes and origin."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from statistics import median, median_low

import numpy as np

from chunking.document import Aside, Block
from chunking.document.origin import Origin
from chunking.document.pages import Pages, page_starts
from chunking.loading.binary.pdf.blocks import BlockDraft
from chunking.loading.binary.pdf.grids import GridCells
from chunking.loading.binary.pdf.layout import Layout, Line
from chunking.loading.binary.pdf.ruled_tables import cell_lines, split_row
from chunking.loading.binary.pdf.words import Words
from chunking.loading.parsed import Parsed
from chunking.loading.spans import runs
from chunking.loading.writer import CELL, PAGE_BREAK
from chunking.runtime.arrays import Bools, Float32, Int32, Int64
from chunking.runtime.patterns import compile_pattern

HYPHENS = ("-", "\u00ad", "\u2010")

_NO_SPACES = compile_pattern(
    "[\u2e80-\ua000\uf900-\ufaff\uff00-\uffef\U00020000-\U00032000\u0e00-\u0eff\u1780-\u17ff\u1000-\u109f]"
)
_HANGUL = compile_pattern("[\uac00-\ud7af]")
_EDGES = compile_pattern(r"^\W+|[^\w\u00ad‐-]+$")


_ADDRESS_END = compile_pattern(r"(?:[/?=#&_%@~-]|://)$")
_ADDRESS_PART = compile_pattern(r"[\w%~-]++[./?=&#]\S*\w|(?:[^\W_]|[~-])++[_%]\S*\w|[^\W\d]*+\d")
_ADDRESS_START = compile_pattern(r"[/_?&=#%]\w|\.\w")
_DASHES = ("–", "‑")
"""Dashes of a range or a number that are part of it at a line end."""


def _is_address(word: str) -> bool:
    """Return whether a word is the start of a web or mail address."""
    return "://" in word or "@" in word[1:] or word.lstrip("(<[").startswith("www.")


def _continues_address(before: str, after: str) -> bool:
    """Return whether the first word of a line continues the web or mail address at the end of the line before."""
    if before.endswith("."):
        return after[:1].islower() or after[:1].isdigit()
    if before.endswith(("/", "@")):
        return bool(_ADDRESS_PART.match(after)) or before.endswith("://")
    return bool(_ADDRESS_END.search(before) or _ADDRESS_START.match(after))


@dataclass
class Written:
    """The words of drafts in the order of the text, as stretches that follow each other in PDFium's order on one line.

    Attributes:
        begin, end: half-open range of the words of each stretch.
        before: separator before each.
        line: number of the line of each.
        cut: stretches whose last character, a hyphen required only by the line end, is omitted.
        words: number of words.
        blocks: the half-open range of its words for each draft, and the draft.
        breaks: indices of the words at which a page begins.
    """

    begin: array[int] = field(default_factory=lambda: array("q"))
    end: array[int] = field(default_factory=lambda: array("q"))
    before: list[str] = field(default_factory=list)
    line: array[int] = field(default_factory=lambda: array("q"))
    cut: set[int] = field(default_factory=set)
    words: int = 0
    blocks: list[tuple[int, int, BlockDraft]] = field(default_factory=list)
    breaks: set[int] = field(default_factory=set)


def write(layout: Layout, drafts: Sequence[BlockDraft]) -> Written:
    """Arrange the words of the drafts in order, with separators."""
    writer = _Writer(layout)
    page = -1
    previous: BlockDraft | None = None
    for draft in drafts:
        first, last = draft.lines[0].page, draft.lines[-1].page
        begin = writer.out.words
        if previous is None:
            separator = ""
        elif draft.kind != "footnote" and page >= 0 and first > page:
            separator = PAGE_BREAK
            writer.out.breaks.add(begin)
        else:
            separator = "\n" if previous.kind == draft.kind == "list_item" else "\n\n"
        writer.write(draft, separator)
        writer.out.blocks.append((begin, writer.out.words, draft))
        page = max(page, last)
        previous = draft
    for draft in drafts:
        draft.lines.clear()  # they take much memory, and the text is assembled from words
    return writer.out


class _Writer:
    """A writer that arranges the words of drafts."""

    def __init__(self, layout: Layout) -> None:
        self.words, self.fragments, self.ruled = layout.words, layout.fragments, layout.ruled
        self.out = Written()
        self.first, self.last = self.fragments.first.tolist(), self.fragments.last.tolist()
        self.line_count = 0
        self._in_address = False
        self._joined = -1

    @cached_property
    def _vocabulary(self) -> set[str]:
        """All words in lower case, without surrounding punctuation."""
        return {_EDGES.sub("", word) for word in set(map(str.lower, set(self.words.text)))}

    def write(self, draft: BlockDraft, separator: str) -> None:
        """Add a draft after a separator."""
        if draft.layout == "ruled":
            self._table(self._ruled_cells(draft), separator)
        elif draft.layout == "grid":
            self._table(GridCells(self.words, self.fragments, self.first, self.last).rows(draft.lines), separator)
        elif draft.layout == "code":
            self._code(draft, separator)
        else:
            self._prose(draft, separator)

    def _stretch(self, begin: int, end: int, separator: str) -> None:
        """Add words that are consecutive in PDFium's order on one line."""
        out = self.out
        out.begin.append(begin)
        out.end.append(end)
        out.before.append(separator)
        out.line.append(self.line_count)
        out.words += end - begin

    def _write_line(self, line: Line, separator: str) -> None:
        for number, fragment in enumerate(line.fragments):
            gap = (
                separator
                if not number
                else self._between(self.last[line.fragments[number - 1]] - 1, self.first[fragment])
            )
            self._stretch(self.first[fragment], self.last[fragment], gap)
        self.line_count += 1

    def _between(self, before: int, after: int) -> str:
        """Return the separator between two words of a line that are in different fragments."""
        touching = abs(float(self.words.layout_box[after, 0] - self.words.layout_box[before, 2])) < 0.12 * float(
            self.words.size[before]
        )
        return "" if touching and self.words.page[before] == self.words.page[after] else " "

    # Prose ---------------------------------------------------------------------------------------------------------

    def _prose(self, draft: BlockDraft, separator: str) -> None:
        for number, line in enumerate(draft.lines):
            self._write_line(line, self._joint(self.first[line.fragments[0]]) if number else separator)

    def _joint(self, first: int) -> str:
        """Return the replacement of the line end before a word; a hyphen that was there only for it is removed."""
        last = self.out.end[-1] - 1
        before, after = self.words.text[last], self.words.text[first]
        # The first word of a line is all that an address over several lines has of it.
        self._in_address = _is_address(before) or (self._in_address and last == self._joined)
        if self._in_address and _continues_address(before, after):
            self._joined = first
            return ""
        if before.endswith(_DASHES) and before[-2:-1].isdigit() and after[:1].isdigit():
            return ""
        if before.endswith(HYPHENS) and len(before) > 1 and before[-2].isalnum() and after[:1].isalnum():
            # If PDFium divided the word, its first half may follow a hyphen and be two words here.
            soft = before.endswith("\u00ad")
            if after[:1].islower() and before[-2].isalpha() and (soft or self._is_broken(before, after)):
                self.out.cut.add(len(self.out.end) - 1)
            return ""
        return self._space(before, after)

    def _is_broken(self, before: str, after: str) -> bool:
        """Return whether a hyphen at a line end divides one word, judged by the rest of the document.

        It does if the word without it occurs elsewhere. It does not if the word with it occurs, if both halves occur
        as words, or if the first half has another hyphen. Without evidence, it does.
        """
        vocabulary = self._vocabulary
        start, rest = _EDGES.sub("", before.lower()).rstrip("".join(HYPHENS)), _EDGES.sub("", after.lower())
        if start + rest in vocabulary:
            return True
        if f"{start}-{rest}" in vocabulary or "-" in start:
            return False
        return not (start in vocabulary and rest in vocabulary and len(start) > 2 and len(rest) > 2)

    def _space(self, before: str, after: str) -> str:
        """Return the separator of two words on two lines: empty in scripts without spaces."""
        if _NO_SPACES.match(before[-1:]) and _NO_SPACES.match(after[:1]):
            return ""
        if _HANGUL.match(before[-1:]) and _HANGUL.match(after[:1]):
            word = _EDGES.sub("", before) + _EDGES.sub("", after)
            return "" if word in self._vocabulary else " "
        return " "

    # Code ----------------------------------------------------------------------------------------------------------

    def _code(self, draft: BlockDraft, separator: str) -> None:
        lines = draft.lines
        widths = [
            (line.right - line.left) / len(line.text)
            for line in lines
            if len(line.fragments) == 1 and len(line.text) > 1
        ]
        char = max(median(widths) if widths else 0.6 * lines[0].size, 0.1)
        left_edges: dict[int, float] = {}
        for line in lines:
            left_edges[line.region] = min(line.left, left_edges.get(line.region, line.left))
        usual = median_low([b.bottom - a.bottom for a, b in pairwise(lines) if a.region == b.region] or [0.0])
        for number, line in enumerate(lines):
            indent = " " * min(round((line.left - left_edges[line.region]) / char), 200)
            blank = 0
            if number and lines[number - 1].region == line.region and usual > 0:
                blank = min(max(round((line.bottom - lines[number - 1].bottom) / usual) - 1, 0), 3)
            lead = separator if not number else "\n" * (1 + blank) + indent
            for order, fragment in enumerate(line.fragments):
                if order:
                    gap = float(self.fragments.left[fragment] - self.fragments.right[line.fragments[order - 1]])
                    lead = " " * min(max(round(gap / char), 1), 200)
                self._stretch(self.first[fragment], self.last[fragment], lead)
            self.line_count += 1

    # Tables --------------------------------------------------------------------------------------------------------

    def _ruled_cells(self, draft: BlockDraft) -> Iterator[list[list[list[int]]]]:
        """Yield rows of cells of lines of words."""
        for line in draft.lines:
            for row in self.ruled[line.table].rows[line in draft.heads :]:
                yield from split_row(self.words, [cell_lines(self.words, cell) for cell in row])

    def _table(self, table: Iterator[list[list[list[int]]]], separator: str) -> None:
        """Add cells separated by ``|`` and rows by line ends, with leading empty cells, so that columns are visible."""
        lead = separator
        for row in table:
            empty = 0
            has_cell = False
            for cell in row:
                if not cell:
                    empty += 1
                    continue
                if has_cell:
                    lead = CELL * (empty + 1)
                elif lead == "\n":
                    lead += "| " * empty
                empty, has_cell = 0, True
                for number, line in enumerate(cell):
                    lead = self._joint(line[0]) if number else lead
                    for begin, end in runs(line):
                        self._stretch(begin, end, lead)
                        lead = " "
                    self.line_count += 1
            if has_cell:
                lead = "\n"


# Text, blocks and origin --------------------------------------------------------------------------------------------


def assemble(words: Words, written: Written, notes: tuple[str, ...], aside: tuple[Aside, ...], language: str) -> Parsed:
    """Return the text of the written drafts, with its blocks, origin and pages."""
    begin, end = (np.frombuffer(column, dtype=np.int64) for column in (written.begin, written.end))
    # int32 instead of int64 to save memory: there is one for each word of the document.
    order = _ranges(begin, end)
    first = np.cumsum(end - begin) - (end - begin)
    # Inside a stretch, words are divided by a space where PDFium's characters divide them.
    is_separate = words.start[order] > words.end[order - 1]
    gaps = is_separate.astype(np.int32)
    gaps[first] = np.fromiter(map(len, written.before), dtype=np.int32, count=len(first))
    lengths = (words.end - words.start)[order]
    cut = np.array(sorted(written.cut), dtype=np.int64)
    lengths[first[cut] + (end - begin)[cut] - 1] -= 1
    text = "".join(_texts(words.text, written, is_separate, first))
    ends = np.cumsum(lengths + gaps, dtype=np.int32)
    starts = ends - lengths
    blocks: list[Block] = []
    for start_index, stop_index, draft in written.blocks:
        start = int(starts[start_index])
        if start_index in written.breaks:
            blocks.append(Block("page_break", start - 3, start - 2))
        content = int(starts[start_index + 1]) if draft.is_marked and stop_index - start_index > 1 else start
        blocks.append(Block(draft.kind, start, int(ends[stop_index - 1]), draft.level, content, style=draft.style))
    line = np.repeat(np.frombuffer(written.line, dtype=np.int64), end - begin)
    origin = _origin(words, order, starts, lengths, gaps)
    return Parsed(text, tuple(blocks), notes, origin, _pages(words, order, line, starts, ends), aside, language)


def _ranges(begin: Int64, end: Int64) -> Int32:
    """Return the numbers of half-open ranges, one range after the other."""
    lengths = end - begin
    numbers: Int32 = np.repeat((begin - np.cumsum(lengths) + lengths).astype(np.int32), lengths)
    numbers += np.arange(len(numbers), dtype=np.int32)
    return numbers


def _texts(texts: Sequence[str], written: Written, is_separate: Bools, first: Int64) -> Iterator[str]:
    """Yield the separator before each stretch, and its text."""
    inner = is_separate.copy()
    inner[first] = True
    spaced = np.logical_and.reduceat(inner, first).tolist() if len(first) else []
    rows = zip(written.begin, written.end, written.before, spaced, first.tolist(), strict=True)
    for number, (begin, end, before, plain, offset) in enumerate(rows):
        words = texts[begin:end]
        if not plain:
            words = [
                f" {word}" if gap and order else word
                for order, (word, gap) in enumerate(
                    zip(words, is_separate[offset : offset + end - begin].tolist(), strict=True)
                )
            ]
        text = (" " if plain else "").join(words)
        yield before
        yield text[:-1] if number in written.cut else text


def _origin(words: Words, order: Int32, starts: Int32, lengths: Int32, gaps: Int32) -> Origin:
    """Return a run for each stretch of words that is contiguous in the page's characters and in the text."""
    names = tuple(f"page {page + 1}" for page in range(len(words.sizes)))
    if not len(order):
        return Origin("characters of the page", names, np.zeros((0, 5), np.int64))
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
    return Origin("characters of the page", names, runs)


def _pages(words: Words, order: Int32, line: Int64, starts: Int32, ends: Int32) -> Pages:
    page = words.page[order].astype(np.int64)
    count = len(words.sizes)
    end = int(ends[-1]) if len(ends) else 0
    begins = page_starts(page, starts, count, end)
    begins[:1] = 0
    boxes: Float32 = words.box[order]
    spans = np.stack((starts, ends), axis=1, dtype=np.int64)
    return Pages(words.sizes, begins, spans, page, line, boxes)
