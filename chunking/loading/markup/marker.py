"""Markdown of Marker with pages (``--paginate_output``): each page begins with its number and a line of dashes.

Those lines are the pages of the document, and form feeds in its text; everything else is Markdown.
"""

from __future__ import annotations

from chunking.loading.embedded_files import copy_without_files, remarks
from chunking.loading.markup.layout import MAX_PAGES, Spot, pages_of
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.text import markdown
from chunking.loading.writer import DocumentWriter
from chunking.runtime.patterns import compile_pattern

_BLANK_LINES = compile_pattern(r"(?:[^\S\r\n]*+(?:\r\n?+|\n))*+")

SEPARATOR = compile_pattern(r"(?<![^\r\n])\{([0-9]{1,6})\}-{48}(?:\r?\n|\Z)")
"""The line before a page, with its number from 0."""


def parse(text: str, name: str, params: LoadParameters) -> Parsed:
    """Read Markdown with pages.

    Returns:
        The Markdown of the pages with form feeds between them, their blocks, pages without boxes, and an origin in
        characters of the file.
    """
    writer = DocumentWriter("characters of the file")
    part = writer.add_part("", text)
    spans: list[tuple[int, int, Spot]] = []
    for number, start, end in _pages(text):
        writer.add_page_break()
        offset = writer.length
        page = copy_without_files(writer, text[start:end], part, start)
        writer.add_blocks(markdown.blocks(page), offset)
        spans.append((offset, writer.length, Spot(number)))
    return writer.parsed(tuple(remarks(writer.aside)), pages_of(spans, writer.length, {}))


def _pages(text: str) -> list[tuple[int, int, int]]:
    """Return number and span of each page that is not blank; what is before the first belongs to it."""
    separators = list(SEPARATOR.finditer(text))
    starts = [match.end() for match in separators]
    ends = [match.start() for match in separators[1:]] + [len(text)]
    pages = [
        (min(int(match[1]), MAX_PAGES - 1), *edges) for match, *edges in zip(separators, starts, ends, strict=True)
    ]
    if separators and text[: separators[0].start()].strip():
        pages.insert(0, (pages[0][0], 0, separators[0].start()))
    trimmed = [(number, *_trim_blank_lines(text, start, end)) for number, start, end in pages]
    return [page for page in trimmed if page[1] < page[2]]


def _trim_blank_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the blank lines at its start and the white space at its end."""
    piece = text[start:end].rstrip()
    lines = _BLANK_LINES.match(piece)
    return start + (lines.end() if lines else 0), start + len(piece)
