"""A document: one text, and the blocks of its layout.

All offsets count characters (Unicode code points) of :attr:`Document.text`. For text formats this is the decoded
source, unchanged: line endings, unusual spaces and control characters are kept. For other formats it is the text that
a reader sees, and :attr:`Document.origin` maps it to the source.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np

from chunking.document.graphemes import inside_clusters
from chunking.document.origin import Origin
from chunking.document.pages import Pages
from chunking.document.tables import first_row
from chunking.document.timeline import Timeline, timeline_of
from chunking.runtime.arrays import Int64

BlockKind = Literal[
    "heading",
    "paragraph",
    "list_item",
    "table",
    "code",
    "quote",
    "page_break",
    "caption",
    "footnote",
    "speaker_turn",
]
"""The kinds of blocks. A table is one block, with a line per row; a code fence includes its fence lines; a page break
is the form feed, in plain text with the running lines (footer and header) around it; a speaker turn is the speech of
one person until another speaks, its ``content`` begins after the name.
"""

BLOCK_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)


class Span(NamedTuple):
    """A half-open range ``[start, end)`` of characters of a document's text."""

    start: int
    end: int


def hash_of(text: str) -> str:
    """Return the SHA-256 (hex) of a text in UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Style:
    """The typographic style of a block, as far as its format has one.

    Attributes:
        size: font size of most of its characters, in points; 0 if unknown.
        bold, italic: whether most of its characters are bold or italic.
        space_before: white space above it, in points; -1 if it is the first of its page or column, or if unknown.
        indent: distance of its first line from the left edge of its column, in points.
    """

    size: float = 0.0
    bold: bool = False
    italic: bool = False
    space_before: float = -1.0
    indent: float = 0.0


class Aside(NamedTuple):
    """Text of the source that is excluded from all chunks, but can be shown.

    Attributes:
        kind: ``"running head"``, ``"running foot"``, ``"page number"``, ``"margin note"``, ``"navigation"``, …
        text: its text.
        part: index in the origin's parts (the page of a PDF).
        box: rectangle on the page, as in :attr:`chunking.document.pages.Pages.boxes`; else ``None``.
    """

    kind: str
    text: str
    part: int = 0
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the document's layout.

    Attributes:
        kind: see :data:`BlockKind`.
        start, end: half-open character span, from the first character of the content's first line that is not
            white space (so a heading's ``##`` and an item's ``-`` are inside) to the end of its last line without
            the line ending. A marker alone on the line before (``-``, or the line above an underlined title) is
            inside too; the underline of a heading is not.
        level: 1–6 (or deeper, by numbering) of a heading; nesting depth, from 1, of a list item or quote; else 0.
        content: start of the words, after the marker of a heading or item; ``start <= content <= end``.
        title: of a heading, its title in heading paths if that differs from its words (the name of a function, a
            Markdown heading with a closing ``##``); of a speaker turn, the speaker.
        tags: names of the HTML elements that open at its start, outermost first.
        style: its typographic style; ``None`` if the format has none.
        is_title: whether a paragraph, or HTML in Markdown, is the title of what follows it: of an admonition, a tab or
            folded text.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    content: int = -1
    title: str = ""
    tags: tuple[str, ...] = ()
    style: Style | None = None
    is_title: bool = False

    def __post_init__(self) -> None:
        if self.content < 0:
            object.__setattr__(self, "content", self.start)


@dataclass(frozen=True)
class Document:
    """A text with its layout.

    Attributes:
        text: the text that all offsets refer to, see the module.
        blocks: its blocks in order, without overlap. Text between two blocks (blank lines, markers of containers, link
            definitions) belongs to none.
        name: its name, for display.
        format: name of its format, see :data:`chunking.loading.FORMATS`.
        language: ISO 639-1 code; ``"und"`` if it is unknown.
        notes: remarks from loading (a guessed encoding, NUL characters, …).
        origin: mapping to the source; ``None`` if the text is the decoded source.
        pages: positions of the words on pages; ``None`` if the format has none.
        aside: excluded text, in order.
        load_options: loading parameters that differ from their defaults, by name.
    """

    text: str
    blocks: tuple[Block, ...]
    name: str = "untitled"
    format: str = "text"
    language: str = "und"
    notes: tuple[str, ...] = field(default=(), compare=False)
    origin: Origin | None = field(default=None, compare=False, repr=False)
    pages: Pages | None = field(default=None, compare=False, repr=False)
    aside: tuple[Aside, ...] = field(default=(), compare=False, repr=False)
    load_options: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def text_hash(self) -> str:
        """SHA-256 (hex) of the text in UTF-8: the identity that gold boundaries refer to, whatever the layout."""
        return hash_of(self.text)

    @cached_property
    def key(self) -> str:
        """Hash (hex, 128 bits) of everything that later steps use: text, format, language and layout.

        The layout of a text format follows from the text, so it is not hashed.
        """
        digest = hashlib.blake2b(digest_size=16)
        for part in (self.format, self.language, self.text):
            digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
        if self.origin:
            digest.update(repr(self.blocks).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    @property
    def is_markdown(self) -> bool:
        """Whether the text is Markdown, of one file or of the pages of one."""
        return self.format in ("markdown", "marker")

    @cached_property
    def line_starts(self) -> Int64:
        """``(n_lines,)`` int64, offsets at which the lines of the text start; ``[0]`` if it is empty."""
        lengths = list(map(len, self.text.splitlines(keepends=True)))
        return np.concatenate(([0], np.cumsum(lengths[:-1], dtype=np.int64)))

    @cached_property
    def inside_clusters(self) -> Int64:
        """``(n,)`` int64, offsets inside grapheme clusters, where nothing is cut, see
        :mod:`chunking.document.graphemes`.
        """
        return inside_clusters(self.text)

    @cached_property
    def headings(self) -> tuple[Block, ...]:
        """The heading blocks, in order."""
        return tuple(block for block in self.blocks if block.kind == "heading")

    @cached_property
    def _paths(self) -> tuple[tuple[int, ...], tuple[tuple[str, ...], ...]]:
        starts: list[int] = []
        paths: list[tuple[str, ...]] = []
        open_: list[tuple[int, str]] = []
        for block in self.headings:
            while open_ and open_[-1][0] >= block.level:
                open_.pop()
            title = block.title or " ".join(self.text[block.content : block.end].split())
            open_.append((block.level, title))
            starts.append(block.start)
            paths.append(tuple(name for _, name in open_))
        return tuple(starts), tuple(paths)

    @cached_property
    def timeline(self) -> Timeline:
        """When its subtitles or turns are spoken; without times for other documents."""
        return timeline_of(self.text, self.blocks)

    @cached_property
    def _turns(self) -> tuple[tuple[int, ...], tuple[Block, ...]]:
        turns = tuple(block for block in self.blocks if block.kind == "speaker_turn" and block.title)
        return tuple(block.end for block in turns), turns

    def speakers(self, start: int, end: int) -> tuple[str, ...]:
        """Return the names of those who speak in a span, in order, each once."""
        ends, turns = self._turns
        names: dict[str, None] = {}
        for turn in turns[bisect_right(ends, start) :]:
            if turn.start >= end:
                break
            names[turn.title] = None
        return tuple(names)

    @property
    def has_speakers(self) -> bool:
        """Whether any of its turns has the name of a speaker."""
        return bool(self._turns[1])

    def heading_path(self, offset: int) -> tuple[str, ...]:
        """Return the titles of the headings above the character at ``offset``, outermost first."""
        starts, paths = self._paths
        index = bisect_right(starts, offset)
        return paths[index - 1] if index else ()

    @cached_property
    def _table_rows(self) -> tuple[tuple[int, ...], tuple[tuple[int, Span], ...]]:
        rows: list[tuple[int, int, Span]] = []
        for block in self.blocks:
            row = first_row(self.text, block.start, block.end) if block.kind == "table" else None
            if row is not None:
                rows.append((row, block.end, Span(block.start, row)))
        return tuple(row for row, _, _ in rows), tuple((end, header) for _, end, header in rows)

    @property
    def table_rows(self) -> tuple[int, ...]:
        """Where the rows of tables begin that have a header above them, ascending."""
        return self._table_rows[0]

    def table_header(self, offset: int) -> Span | None:
        """Return the header of the table in whose rows the character at ``offset`` lies; ``None`` elsewhere."""
        starts, tables = self._table_rows
        index = bisect_right(starts, offset)
        end, header = tables[index - 1] if index else (0, None)
        return header if offset < end else None

    def slice(self, span: tuple[int, int]) -> str:
        """Return the text of a span."""
        return self.text[span[0] : span[1]]
