"""PDF: words with their boxes, read by PDFium, and the layout derived from their positions and fonts.

============== =========================================================================================================
pdfium         PDFium: the words, ruling lines, small shapes and figures of a page; the file's outline
words          those of all pages as arrays
fragments      words on a line without a wide gap
ruled_tables   tables with drawn rules, by pdfplumber's rules
open_rows      their cells that have no rule on a side
running_lines  running heads, feet and page numbers; notes in the margin
regions        columns in reading order
layout         the lines of each region
outline        the lines that entries of the file's outline name
grids          tables without rules: their parts that are apart, their cells
body_style     usual font size, look and distances
blocks         paragraphs, items, code and tables without rules
title_numbers  the numbers that headings begin with
headings       which blocks look like headings; titles of several lines; entries of printed contents
heading_levels the levels of headings, by outline, number and type
empty_headings headings that head nothing
labels         labels of figures
kinds          captions, footnotes, quotes and headings; the levels of items
continuation   blocks that continue in the next column or on the next page
text           the words in order; the text, its blocks, boxes and origin
============== =========================================================================================================

Each works on arrays of the whole document and, except the first, is independent of PDFium.

Scripts, actions, embedded files and links are never executed or followed.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from chunking.document import Aside
from chunking.errors import ChunkscopeError
from chunking.loading.binary.pdf.continuation import merge_across_pages
from chunking.loading.binary.pdf.fragments import Fragments, find_fragments
from chunking.loading.binary.pdf.kinds import find_drafts
from chunking.loading.binary.pdf.layout import Layout
from chunking.loading.binary.pdf.outline import find_titles_among
from chunking.loading.binary.pdf.pdfium.document import (
    OutlineEntry,
    check_length,
    open_document,
    read_language,
    read_outline,
    render_page,
)
from chunking.loading.binary.pdf.pdfium.pages import PageReader, RawPage
from chunking.loading.binary.pdf.ruled_tables import find_tables
from chunking.loading.binary.pdf.running_lines import find_margin_notes, find_running_lines
from chunking.loading.binary.pdf.text import Written, assemble, write
from chunking.loading.binary.pdf.words import WordCollector, Words
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress

MAX_WIDTH = 2000
"""Maximum width of a page image, in pixels."""

_GARBAGE = compile_pattern("[\ue000-\uf8ff\ufffd\U000f0000-\U0010fffd]")


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """Return the text of a PDF in reading order, with its layout.

    Args:
        data: the file.
        name: name of the file, for messages.
        params: the loading parameters; none of them applies to PDF.
        progress: called with the number of pages read and of all pages; may raise to stop.

    Raises:
        ChunkscopeError: the file is protected by a password, damaged, too long, or has no text.
    """
    collector, statistics = WordCollector(), _PageStatistics()
    comments: list[Aside] = []
    with open_document(data) as document:
        reader = PageReader(document)
        language, outline = read_language(document), read_outline(document)
        for number in range(len(document)):
            page = reader.read(number)
            statistics.add(number, page)
            collector.add(page)
            if page:
                comments += [Aside("comment", comment.text, number, comment.box) for comment in page.comments]
            check_length(statistics.chars)
            if progress:
                progress(number + 1, len(document))
    words = collector.words(reader.fonts) if len(collector) else None
    if words is None or not words.visible.any():
        raise _no_text(name, statistics)
    # The layout is freed before the text is assembled, so that a long document takes less memory.
    written, aside = _lay_out(words, outline)
    aside = sorted([*aside, *comments], key=lambda excluded: excluded.part)
    return assemble(words, written, tuple(_notes(statistics)), tuple(aside), language)


def render(data: bytes, page: int, width: int) -> bytes:
    """Render a page as an image.

    Args:
        data: the file.
        page: index of the page, from 0.
        width: width of the image in pixels, from 16 to :data:`MAX_WIDTH`.

    Returns:
        The image as PNG.

    Raises:
        ChunkscopeError: the file cannot be read, or has no such page, or the width is out of bounds.
    """
    if not 16 <= width <= MAX_WIDTH:
        raise ChunkscopeError(
            f"A page image of {width} pixels is not possible.", f"Choose a width of 16 to {MAX_WIDTH}."
        )
    with open_document(data) as document:
        image = render_page(document, page, width)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _lay_out(words: Words, outline: Sequence[OutlineEntry]) -> tuple[Written, list[Aside]]:
    """Return the words in the order of the text, and the excluded texts."""
    ruled_tables, table = find_tables(words)
    everything = find_fragments(words, table, words.visible)
    running = find_running_lines(words, everything)
    texts = _FragmentTexts(words, everything)
    for fragment in find_titles_among(running, everything.page.tolist(), texts.text, outline):
        del running[fragment]
    running |= find_margin_notes(words, everything)
    aside = [_make_aside(words, kind, texts.words(fragment)) for fragment, kind in running.items()]
    aside += _words_outside(words)
    keep = np.ones(len(everything), dtype=np.bool_)
    keep[list(running)] = False
    fragments = everything.take(np.flatnonzero(keep))
    del everything, table, texts
    layout = Layout.of(words, fragments, ruled_tables)
    drafts, heads = merge_across_pages(layout, find_drafts(layout, outline))
    aside += [_make_aside(words, "repeated table head", layout.words_of(line)) for line in heads]
    aside.sort(key=lambda excluded: excluded.part)
    return write(layout, drafts), aside


@dataclass(frozen=True)
class _FragmentTexts:
    """The words of fragments by their index."""

    document: Words
    fragments: Fragments

    def words(self, fragment: int) -> range:
        """Return the indices of the words of a fragment."""
        return range(int(self.fragments.first[fragment]), int(self.fragments.last[fragment]))

    def text(self, fragment: int) -> str:
        """Return the text of a fragment."""
        return " ".join([self.document.text[word] for word in self.words(fragment)])


def _words_outside(words: Words) -> list[Aside]:
    """Return words that lie outside their pages and are therefore invisible."""
    hidden = np.flatnonzero(~words.visible)
    if not len(hidden):
        return []
    breaks = np.flatnonzero((np.diff(hidden) != 1) | (np.diff(words.page[hidden]) != 0)) + 1
    return [_make_aside(words, "outside the page", part.tolist()) for part in np.split(hidden, breaks)]


def _make_aside(words: Words, kind: str, word_indices: Sequence[int]) -> Aside:
    boxes = words.box[list(word_indices)]
    left, top = boxes[:, :2].min(axis=0).tolist()
    right, bottom = boxes[:, 2:].max(axis=0).tolist()
    text = " ".join([words.text[word] for word in word_indices])
    return Aside(kind, text, int(words.page[word_indices[0]]), (left, top, right, bottom))


# Notes ------------------------------------------------------------------------------------------------------------


@dataclass
class _PageStatistics:
    """Statistics of the pages.

    Attributes:
        broken: pages that could not be read.
        images: pages with images and without words.
        pages, chars: number of those read.
        garbage: number of characters without a meaning, such as those for private use.
        sample, unmapped: as in :class:`~chunking.loading.binary.pdf.pdfium.pages.RawPage`, of all pages.
    """

    broken: list[int] = field(default_factory=list)
    images: list[int] = field(default_factory=list)
    pages: int = 0
    chars: int = 0
    garbage: int = 0
    sample: int = 0
    unmapped: int = 0

    def add(self, number: int, page: RawPage | None) -> None:
        """Record the next page."""
        if page is None:
            self.broken.append(number)
            return
        if page.image:
            self.images.append(number)
        self.pages += 1
        self.chars += len(page.text)
        self.garbage += 0 if page.text.isascii() else len(_GARBAGE.findall(page.text))
        self.sample += page.sample
        self.unmapped += page.unmapped


def _notes(statistics: _PageStatistics) -> list[str]:
    """Return remarks about the pages."""
    notes: list[str] = []
    if statistics.broken:
        notes.append(f"{_numbers(statistics.broken)} could not be read.")
    if statistics.images:
        verb = ("has", "it is an image") if len(statistics.images) == 1 else ("have", "they are images")
        notes.append(
            f"{_numbers(statistics.images)} {verb[0]} no text: {verb[1]}. "
            "Run text recognition (OCR) on the file to read them."
        )
    if 2 * statistics.garbage > statistics.chars or 2 * statistics.unmapped > statistics.sample:
        notes.append("The fonts of this PDF do not state which letters they draw, so most of its text is wrong.")
    return notes


def _numbers(pages: Sequence[int]) -> str:
    """Return page numbers from 1, with neighbours as ranges: ``Pages 3–7 and 9``."""
    runs = [[page for _, page in group] for _, group in groupby(enumerate(pages), lambda pair: pair[1] - pair[0])]
    names = [f"{run[0] + 1}" if len(run) == 1 else f"{run[0] + 1}–{run[-1] + 1}" for run in runs]
    enumeration = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"Page{'' if len(pages) == 1 else 's'} {enumeration}"


def _no_text(name: str, statistics: _PageStatistics) -> ChunkscopeError:
    if statistics.images:
        return ChunkscopeError(
            f"{name:.80} is a scan: its pages are images without text.",
            "Run text recognition (OCR) on it first, with OCRmyPDF for example, and load the result.",
        )
    if not statistics.pages:
        return ChunkscopeError(
            "No page of the PDF can be read.", "Open it in a PDF reader, save it again, and load that."
        )
    return ChunkscopeError("The PDF has no text.", "Load a file with text.")
