"""Markdown of Marker with pages (``--paginate_output``): each page begins with its number and a line of dashes.

Those lines are the pages of the document, and form feeds in its text; everything else is Markdown.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from chunking.document import Block
from chunking.document.origin import COLUMNS, Origin
from chunking.loading.markup.layout import MAX_PAGES, PAGE_BREAK, Spot, pages_of
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.text import markdown
from chunking.runtime.patterns import compile_pattern

_BLANK_LINES = compile_pattern(r"(?:[^\S\r\n]*+(?:\r\n?+|\n))*+")

SEPARATOR = compile_pattern(r"(?<![^\r\n])\{([0-9]{1,6})\}-{48}(?:\r?\n|\Z)")
"""The line before a page, with its number from 0."""


def parse(text: str, name: str, params: LoadParameters) -> Parsed:
    """Read Markdown with pages.

    Args:
        text: the file.
        name: not used.
        params: not used.

    Returns:
        The Markdown of the pages with form feeds between them, their blocks, pages without boxes, and an origin in
        characters of the file.
    """
    pages = list(_pages(text))
    pieces: list[str] = []
    blocks: list[Block] = []
    runs: list[tuple[int, int, int, int, int]] = []
    spans: list[tuple[int, int, Spot]] = []
    length = 0
    for number, start, end in pages:
        if length:
            pieces.append(PAGE_BREAK)
            place = length + PAGE_BREAK.index("\f")
            blocks.append(Block("page_break", place, place + 1))
            length += len(PAGE_BREAK)
        piece = text[start:end]
        pieces.append(piece)
        runs.append((length, len(piece), 0, start, len(piece)))
        spans.append((length, length + len(piece), Spot(number)))
        blocks += [_moved(block, length) for block in markdown.blocks(piece)]
        length += len(piece)
    origin = Origin("characters of the file", ("",), np.array(runs, dtype=np.int64).reshape(-1, len(COLUMNS)), (text,))
    return Parsed("".join(pieces), tuple(blocks), origin=origin, pages=pages_of(spans, length, {}))


def _pages(text: str) -> list[tuple[int, int, int]]:
    """Return number and span of each page that is not blank; what is before the first belongs to it."""
    found = list(SEPARATOR.finditer(text))
    starts = [match.end() for match in found]
    ends = [match.start() for match in found[1:]] + [len(text)]
    pages = [(min(int(match[1]), MAX_PAGES - 1), *edges) for match, *edges in zip(found, starts, ends, strict=True)]
    if found and text[: found[0].start()].strip():
        pages.insert(0, (pages[0][0], 0, found[0].start()))
    trimmed = [(number, *_trimmed(text, start, end)) for number, start, end in pages]
    return [page for page in trimmed if page[1] < page[2]]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a span without the blank lines at its start and the white space at its end."""
    piece = text[start:end].rstrip()
    lines = _BLANK_LINES.match(piece)
    return start + (lines.end() if lines else 0), start + len(piece)


def _moved(block: Block, offset: int) -> Block:
    return replace(block, start=block.start + offset, end=block.end + offset, content=block.content + offset)
