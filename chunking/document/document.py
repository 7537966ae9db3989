"""A document: one text, and the blocks its layout is made of.

Every offset anywhere in Chunkscope counts characters (Unicode code points) of :attr:`Document.text`. Of a format that
is text, it is the decoded source and is never rewritten: line endings, odd spaces and control characters stay as they
came. Of any other format it is the text that a reader sees, and :attr:`Document.origin` leads back to the source.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, get_args

from chunking.document.origin import Origin
from chunking.document.pages import Pages

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
"""What a block can be. A table is one block however many rows it has, a row a line; a code fence is one with its fence
lines; a page break is the form feed, in plain text with the running lines (footer and header) around it; a speaker turn
is what one person says until another does, its ``content`` after the name."""

BLOCK_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)


_CLOSING_MARKS = re.compile(r" #+$")
"""What may close a Markdown heading; ``C#`` ends in none."""


class Span(NamedTuple):
    """A half-open range ``[start, end)`` of characters of a document's text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Style:
    """How a block is set, where its format says so.

    Attributes:
        size: font size of most of its characters, in points; 0 where it is not known.
        bold, italic: whether most of its characters are.
        space_before: white space between it and the block above, in points; -1 where nothing stands above on the page
            or in the column, or it is not known.
        indent: how far its first line begins right of its column's edge, in points.
    """

    size: float = 0.0
    bold: bool = False
    italic: bool = False
    space_before: float = -1.0
    indent: float = 0.0


class Aside(NamedTuple):
    """Text of the source that was set aside: it is in no chunk, but can be shown.

    Attributes:
        kind: ``"running head"``, ``"running foot"``, ``"page number"``, ``"navigation"``, ``"boilerplate"``, …
        text: what it says.
        part: index in the origin's parts (the page of a PDF).
        box: on a page, as in :attr:`chunking.document.pages.Pages.boxes`; else ``None``.
    """

    kind: str
    text: str
    part: int = 0
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """One laid-out part of a document.

    Attributes:
        kind: see :data:`BlockKind`.
        start, end: half-open character span, from the first character of the content's first line that is not
            white space (so a heading's ``##`` and an item's ``-`` are inside) to the end of its last line without
            the line ending. A marker alone on the line before (``-``, or the line above an underlined title) is
            inside too; the underline of a heading is not.
        level: 1–6 (or deeper, by numbering) of a heading; nesting depth, from 1, of a list item or quote; else 0.
        content: where the words begin, after a heading's or item's marker; ``start <= content <= end``.
        title: of a heading, what paths show where that is not its words (the name of a function); of a speaker turn,
            who speaks.
        tags: names of the elements that open with it in HTML, outermost first.
        style: how it is set; ``None`` where the format does not say.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    content: int = -1
    title: str = ""
    tags: tuple[str, ...] = ()
    style: Style | None = None

    def __post_init__(self) -> None:
        if self.content < 0:
            object.__setattr__(self, "content", self.start)


@dataclass(frozen=True)
class Document:
    """A text with its layout.

    Attributes:
        text: see the module; all offsets refer to it.
        blocks: in order, not overlapping; what lies between two of them (blank lines, markers of containers,
            link definitions) belongs to none.
        name: what to call it, for people only.
        format: name of its format, see :data:`chunking.loading.FORMATS`.
        language: ISO 639-1 code, ``"und"`` where it cannot be told.
        notes: what loading found worth telling (an encoding that was guessed, NUL characters, …).
        origin: where each character comes from; ``None`` where the text is the decoded source.
        pages: where the words stand on pages; ``None`` where the format has none.
        aside: what was set aside, in order.
        asked: the loading parameters that are not at their default, by name.
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
    asked: tuple[tuple[str, str], ...] = field(default=(), compare=False, repr=False)

    @cached_property
    def text_hash(self) -> str:
        """SHA-256 (hex) of the text in UTF-8: what true boundaries belong to, however the file is read or laid out."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def key(self) -> str:
        """Content hash (hex, 128 bits) of what later steps read: text, format, language and layout.

        The layout of a format that is text follows from it, and is left out.
        """
        digest = hashlib.blake2b(digest_size=16)
        for part in (self.format, self.language, self.text):
            digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
        if self.origin:
            digest.update(repr(self.blocks).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

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
            title = block.title or _CLOSING_MARKS.sub("", " ".join(self.text[block.content : block.end].split()))
            open_.append((block.level, title))
            starts.append(block.start)
            paths.append(tuple(name for _, name in open_))
        return tuple(starts), tuple(paths)

    def heading_path(self, offset: int) -> tuple[str, ...]:
        """Titles of the headings that the character at ``offset`` stands under, outermost first."""
        starts, paths = self._paths
        place = bisect_right(starts, offset)
        return paths[place - 1] if place else ()

    def block_at(self, offset: int) -> BlockKind | None:
        """The kind of the block that holds the character at ``offset``."""
        place = bisect_right(self.blocks, offset, key=lambda block: block.start) - 1
        return self.blocks[place].kind if place >= 0 and offset < self.blocks[place].end else None

    def slice(self, span: tuple[int, int]) -> str:
        """The text of a span."""
        return self.text[span[0] : span[1]]
