"""The document under construction: its text, blocks and origin, and separators of blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from chunking.document import Aside, Block, BlockKind
from chunking.loading.binary.docx.pieces import Piece, style_of
from chunking.loading.binary.docx.properties import Look

_LOST = 3
"""Number of empty paragraphs that divide two blocks of code."""


@dataclass
class Blocks:
    """The document under construction.

    Attributes:
        text: consecutive parts of the text, ``length`` characters.
        runs: runs of the origin, see :class:`chunking.document.origin.Origin`.
        parts: names of the parts of the source.
        breaks: whether a page break comes before the next block.
    """

    text: list[str] = field(default_factory=list)
    length: int = 0
    blocks: list[Block] = field(default_factory=list)
    runs: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    asides: list[Aside] = field(default_factory=list)
    breaks: bool = False
    _after: float = 0.0
    _extra: float = 0.0
    _last_style: str | None = None
    _empty: int = 0

    def part(self, name: str) -> int:
        """Add a part of the source; return its index."""
        self.parts.append(name)
        return len(self.parts) - 1

    def add(self, text: str) -> None:
        """Add text that is not in the source."""
        self.text.append(text)
        self.length += len(text)

    def add_pieces(self, pieces: Iterable[Piece], part: int) -> None:
        """Add text from a part of the source."""
        for piece in pieces:
            if piece.source >= 0 and piece.text:
                self._run(len(piece.text), part, piece.source)
            self.add(piece.text)

    def _run(self, length: int, part: int, source: int) -> None:
        if self.runs:
            start, before, of, origin, _ = self.runs[-1]
            if of == part and start + before == self.length and origin + before == source:
                self.runs[-1] = (start, before + length, of, origin, before + length)
                return
        self.runs.append((self.length, length, part, source, length))

    def space(self, look: Look) -> float:
        """Return the space between the last block and the next; -1 at the top of a page.

        The larger of the spaces after one paragraph and before the next counts; empty paragraphs add their lines.
        """
        if not self.blocks or self.breaks:
            return -1.0
        if look.get("contextual") and look.get("style", "") == self._last_style:
            return self._extra
        before: float = look.get("before", 0.0)
        return max(self._after, before) + self._extra

    def empty(self, height: float) -> None:
        """Add an empty paragraph with the height of its line and the space after it, in points."""
        self._empty += 1
        self._extra += height

    def paragraph(
        self, kind: BlockKind, level: int, mark: str, pieces: list[Piece], part: int, look: Look, indent: float
    ) -> None:
        """Add a block of the body."""
        self.block(kind, level, mark, pieces, part, self.space(look), indent)
        self._after, self._last_style = look.get("after", 0.0), look.get("style", "")

    def block(
        self, kind: BlockKind, level: int, mark: str, pieces: list[Piece], part: int, space: float, indent: float
    ) -> None:
        """Add a block after a separator; code after code continues its block."""
        last = self.blocks[-1] if self.blocks and not self.breaks else None
        if kind == "code" and last and last.kind == "code" and self._empty < _LOST:
            self.add("\n" * (self._empty + 1))
            self.add_pieces(pieces, part)
            self.blocks[-1] = replace(last, end=self.length)
        else:
            self.separate("\n" if kind == "list_item" and last and last.kind == "list_item" else "\n\n")
            text = "".join(piece.text for piece in pieces)
            mark += " " * bool(mark)
            start = self.length + (0 if mark else len(text) - len(text.lstrip()))
            content = start + len(mark)
            self.add(mark)
            self.add_pieces(pieces, part)
            self.blocks.append(Block(kind, start, self.length, level, content, style=style_of(pieces, space, indent)))
        self._extra, self._empty = 0.0, 0

    def table(self, start: int, pieces: list[Piece], space: float) -> None:
        """Add the block of a table whose text was added from ``start`` on, without white space at its end."""
        # A last row whose last cells are empty ends in a separator.
        last = self.text[-1]
        if last.endswith(" "):
            self.text[-1] = last.rstrip(" ")
            self.length -= len(last) - len(self.text[-1])
        self.blocks.append(Block("table", start, self.length, style=style_of(pieces, space, 0.0)))
        self._extra, self._empty, self._after, self._last_style = 0.0, 0, 0.0, None

    def separate(self, separator: str) -> None:
        """Add the separator before the next block: nothing before the first, a page break if there is one."""
        if not self.blocks:
            self.breaks = False
            return
        if self.breaks:
            self.add("\n\n")
            self.blocks.append(Block("page_break", self.length, self.length + 1))
            self.add("\f")
            self.breaks = False
            separator = "\n\n"
        self.add(separator)
