"""The document under construction, for the readers whose text is not the decoded file itself.

A table is one block in every format: a row a line, cells joined by ``CELL``, with a bar for each empty cell before the
first, and a merged cell once. Pages are divided by ``PAGE_BREAK``, whose form feed is a block.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from chunking.document import Aside, Block, BlockKind, Style
from chunking.document.origin import COLUMNS, Origin
from chunking.document.pages import Pages
from chunking.loading.parsed import Parsed
from chunking.loading.spans import shifted

CELL = " | "
"""Separator of the cells of a table."""

PAGE_BREAK = "\n\n\f\n\n"
"""Separator of pages and chapters."""


@dataclass
class DocumentWriter:
    """The text, blocks and origin of a document under construction.

    Attributes:
        unit, parts, texts: see :class:`chunking.document.origin.Origin`.
        pieces: consecutive pieces of the text, ``length`` characters together.
        blocks, aside: see :class:`chunking.document.Document`.
        breaks: whether a page break comes before the next block.
    """

    unit: str
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    aside: list[Aside] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    breaks: bool = False
    _runs: array[int] = field(default_factory=lambda: array("q"))

    def add_part(self, name: str, text: str | None = None) -> int:
        """Add a part of the source, with its text if it can be shown; return its index."""
        self.parts.append(name)
        if text is not None:
            self.texts.append(text)
        return len(self.parts) - 1

    def append(self, text: str) -> int:
        """Add characters that the source does not have; return the offset of the first."""
        start = self.length
        self.pieces.append(text)
        self.length += len(text)
        return start

    def copy(self, text: str, part: int, source: int, source_length: int = -1) -> int:
        """Add characters of the source; return the offset of the first.

        Args:
            text: the characters.
            part: index of their part.
            source: their offset in it.
            source_length: length there, if the text corresponds to it only as a whole.
        """
        length = len(text)
        if source_length < 0 and self._runs:
            start, before, last_part, last_source, _ = self._runs[-5:]
            if last_part == part and start + before == self.length and last_source + before == source:
                self._runs[-4] = self._runs[-1] = before + length
                return self.append(text)
        self._runs.extend((self.length, length, part, source, length if source_length < 0 else source_length))
        return self.append(text)

    def copy_runs(self, text: str, part: int, runs: Iterable[tuple[int, int, int, int]]) -> int:
        """Add a text of which only some runs are in the source; return the offset of its first character.

        Args:
            text: the text.
            part: index of their part.
            runs: start and length of each in the text, start and length in the part.
        """
        for start, length, source, source_length in runs:
            self._runs.extend((self.length + start, length, part, source, source_length))
        return self.append(text)

    def add_blocks(self, blocks: Iterable[Block], offset: int) -> None:
        """Add the blocks of a text that begins at an offset."""
        self.blocks.extend(shifted(block, offset) for block in blocks)

    def add_page_break(self) -> None:
        """Add a page break after the text so far; nothing at the start of the document."""
        if self.length:
            feed = self.append(PAGE_BREAK) + PAGE_BREAK.index("\f")
            self.blocks.append(Block("page_break", feed, feed + 1))

    def separate(self, kind: BlockKind) -> None:
        """Add the separator before a block of some kind: nothing before the first, a page break if there is one."""
        if self.blocks and self.breaks:
            self.add_page_break()
        elif self.blocks:
            self.append("\n" if kind == "list_item" == self.blocks[-1].kind else "\n\n")
        self.breaks = False

    def include_text(self, text: str, blocks: Iterable[Block], part: int) -> None:
        """Add the text of a part as it is, with its blocks."""
        self.add_blocks(blocks, self.length)
        self.copy(text, part, 0)

    def include(self, parsed: Parsed, part: int) -> None:
        """Add the text, blocks and origin of another document as a part of this one."""
        self.add_blocks(parsed.blocks, self.length)
        if parsed.origin:
            runs = parsed.origin.runs.copy()
            runs[:, 0] += self.length
            runs[:, 2] = part
            self._runs.frombytes(runs.tobytes())
        self.append(parsed.text)

    def exclude(self, kind: str, text: str, part: int) -> None:
        """Keep a text of a part outside all chunks; nothing if it is blank."""
        if text.strip():
            self.aside.append(Aside(kind, text, part))

    def parsed(self, notes: Sequence[str] = (), pages: Pages | None = None, language: str = "") -> Parsed:
        """Return the result of the loader."""
        runs = np.frombuffer(self._runs, dtype=np.int64).reshape(-1, len(COLUMNS)).copy()
        origin = Origin(self.unit, tuple(self.parts), runs, tuple(self.texts))
        text = "".join(self.pieces)
        return Parsed(text, tuple(self.blocks), tuple(notes), origin, pages, tuple(self.aside), language)


def table_text(rows: Iterable[Sequence[str]]) -> str:
    """Return the text of a table: a row a line, without empty rows and the separators at their ends."""
    return "\n".join(filter(None, map(_row_text, rows)))


def _row_text(cells: Sequence[str]) -> str:
    words = [" ".join(cell.split()) for cell in cells]
    first = next((column for column, cell in enumerate(words) if cell), len(words))
    return ("| " * first + CELL.join(words[first:])).rstrip(" |") if first < len(words) else ""


def style_of(parts: Iterable[tuple[int, float, bool, bool]], space_before: float, indent: float) -> Style:
    """Return the style of most characters of a block.

    Args:
        parts: number of characters, font size, and whether bold and italic, of each part.
        space_before, indent: see :class:`chunking.document.Style`.
    """
    sizes: Counter[float] = Counter()
    bold = italic = 0
    for count, size, is_bold, is_italic in parts:
        sizes[size] += count
        bold += count * is_bold
        italic += count * is_italic
    total = sizes.total()
    return Style(
        max(sizes, key=sizes.__getitem__, default=0.0), 2 * bold > total, 2 * italic > total, space_before, indent
    )
