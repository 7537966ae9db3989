"""What a reader sees of a document: headings, lists, tables and code in place of their marks, as spans of its text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from chunking.document import Document, Span
from chunking.loading import FORMATS
from chunking.loading.spans import shifted
from chunking.loading.text import markdown as markdown_loader
from chunking.rendering import blocks, code, inline, markdown
from chunking.rendering.rendering import ELEMENT_KINDS, Element, ElementKind, Rendering, RenderingWriter, Substitution

__all__ = ["ELEMENT_KINDS", "Element", "ElementKind", "Rendering", "Substitution", "has_layout", "render"]

MAX_CHARACTERS = 2_000_000
"""Length from which a document is only shown as it is written: its layout would take seconds to find."""

_DATA = ("json", "yaml")
_REFLOWED = ("markdown", "marker", "notebook", "rst")
_PLAIN = ("paragraph", "page_break")


def has_layout(document: Document) -> bool:
    """Return whether a document looks other to its reader than its text, as far as this can be known."""
    # A reader of LaTeX sees what TeX makes of it.
    if document.format == "latex" or len(document.text) > MAX_CHARACTERS:
        return False
    return document.is_markdown or any(block.kind not in _PLAIN for block in document.blocks)


def render(document: Document) -> Rendering:
    """Return a document as its reader sees it."""
    text = document.text
    to = RenderingWriter(text, reflowed=document.format in _REFLOWED)
    program = FORMATS[document.format].language if document.format in FORMATS else ""
    if program or document.format in _DATA:
        _show_as_code(to, program or document.format)
    elif document.format == "csv" and [block.kind for block in document.blocks] == ["table"]:
        blocks.write_csv(to)
    elif document.is_markdown or document.format == "notebook":
        for part, name in _parts(document):
            _part(to, document, part, name)
    else:
        blocks.write(to, document.blocks, (0, len(text)), inline=inline.write_rst if document.format == "rst" else None)
    return to.rendering()


def _show_as_code(to: RenderingWriter, language: str) -> None:
    """Show the whole text as code."""
    to.add("code", 0, len(to.text))
    to.show(0, len(to.text))
    for start, end, name in code.tokens(to.text, language):
        to.add("token", start, end, title=name)


def _parts(document: Document) -> Iterator[tuple[Span, str]]:
    """Yield the parts of a document that were read separately, with their names: cells, pages, or the whole."""
    if document.origin is None:
        yield Span(0, len(document.text)), ""
        return
    # A part has several runs where bytes of an embedded file were excluded.
    for part, group in groupby(document.origin.runs.tolist(), key=itemgetter(2)):
        runs = list(group)
        yield Span(runs[0][0], runs[-1][0] + runs[-1][1]), document.origin.parts[part]


def _part(to: RenderingWriter, document: Document, part: Span, name: str) -> None:
    """Add a part that is Markdown, or as in a notebook perhaps code: its blocks tell which."""
    first = bisect_left(document.blocks, part.start, key=lambda block: block.start)
    last = bisect_left(document.blocks, part.end, key=lambda block: block.start)
    part_blocks = document.blocks[first:last]
    if document.is_markdown or part_blocks == tuple(
        shifted(block, part.start) for block in markdown_loader.blocks(document.slice(part))
    ):
        markdown.write(to, *part)
    else:
        blocks.write(to, part_blocks, part, language="" if "output" in name else "python")
