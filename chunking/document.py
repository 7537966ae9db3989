"""A document: one text, and the blocks its layout is made of.

Every offset anywhere in Chunkscope counts characters (Unicode code points) of :attr:`Document.text`, which is the
decoded source and is never rewritten: line endings, odd spaces and control characters stay as they came.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, get_args

BlockKind = Literal["heading", "paragraph", "list_item", "table", "code", "quote", "page_break"]
"""What a block can be. A table is one block however many rows it has; a code fence is one with its fence lines; a page
break is the form feed with the running lines (footer and header) around it."""

BLOCK_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)


_CLOSING_MARKS = re.compile(r" #+$")
"""What may close a Markdown heading; ``C#`` ends in none."""


class Span(NamedTuple):
    """A half-open range ``[start, end)`` of characters of a document's text."""

    start: int
    end: int


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
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    content: int = -1

    def __post_init__(self) -> None:
        if self.content < 0:
            object.__setattr__(self, "content", self.start)


@dataclass(frozen=True)
class Document:
    """A text with its layout.

    Attributes:
        text: the decoded source; all offsets refer to it.
        blocks: in order, not overlapping; what lies between two of them (blank lines, markers of containers,
            link definitions) belongs to none.
        name: what to call it, for people only.
        format: ``"text"`` or ``"markdown"``.
        language: ISO 639-1 code, ``"und"`` where it cannot be told.
        notes: what loading found worth telling (an encoding that was guessed, NUL characters, …).
    """

    text: str
    blocks: tuple[Block, ...]
    name: str = "untitled"
    format: str = "text"
    language: str = "und"
    notes: tuple[str, ...] = field(default=(), compare=False)

    @cached_property
    def key(self) -> str:
        """Content hash (hex, 128 bits) of what later steps read: text, format and language."""
        digest = hashlib.blake2b(digest_size=16)
        for part in (self.format, self.language, self.text):
            digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
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
            title = _CLOSING_MARKS.sub("", " ".join(self.text[block.content : block.end].split()))
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
