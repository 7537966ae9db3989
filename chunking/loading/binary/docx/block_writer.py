"""The blocks of a Word document under construction, with the white space between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from chunking.document import Block, BlockKind
from chunking.loading.binary.docx.paragraph import Piece, style_of_pieces
from chunking.loading.binary.docx.styles import Properties
from chunking.loading.parsed import Parsed
from chunking.loading.writer import DocumentWriter

_DIVIDING = 3
"""Number of empty paragraphs that divide two blocks of code."""


@dataclass
class BlockWriter(DocumentWriter):
    """A document with the white space between its blocks."""

    _after: float = 0.0
    _extra: float = 0.0
    _last_style: str | None = None
    _empty: int = 0

    def add_pieces(self, pieces: Iterable[Piece], part: int) -> None:
        """Add text from a part of the source."""
        for piece in pieces:
            if piece.source >= 0 and piece.text:
                self.copy(piece.text, part, piece.source)
            else:
                self.append(piece.text)

    def space_before(self, properties: Properties) -> float:
        """Return the space between the last block and the next; -1 at the top of a page.

        The larger of the spaces after one paragraph and before the next counts; empty paragraphs add their lines.
        """
        if not self.blocks or self.breaks:
            return -1.0
        if properties.get("contextual") and properties.get("style", "") == self._last_style:
            return self._extra
        before: float = properties.get("before", 0.0)
        return max(self._after, before) + self._extra

    def add_empty(self, height: float) -> None:
        """Add an empty paragraph with the height of its line and the space after it, in points."""
        self._empty += 1
        self._extra += height

    def add_paragraph(
        self, kind: BlockKind, level: int, mark: str, pieces: list[Piece], part: int, properties: Properties
    ) -> None:
        """Add a block of the body."""
        indent = properties.get("left", 0.0) + properties.get("first", 0.0)
        self.add_block(kind, level, mark, pieces, part, self.space_before(properties), indent)
        self._after, self._last_style = properties.get("after", 0.0), properties.get("style", "")

    def add_block(
        self, kind: BlockKind, level: int, mark: str, pieces: list[Piece], part: int, space: float, indent: float
    ) -> None:
        """Add a block after a separator; code after code continues its block."""
        last = self.blocks[-1] if self.blocks and not self.breaks else None
        if kind == "code" and last and last.kind == "code" and self._empty < _DIVIDING:
            self.append("\n" * (self._empty + 1))
            self.add_pieces(pieces, part)
            self.blocks[-1] = replace(last, end=self.length)
        else:
            self.separate(kind)
            text = "".join(piece.text for piece in pieces)
            mark += " " * bool(mark)
            start = self.length + (0 if mark else len(text) - len(text.lstrip()))
            content = start + len(mark)
            self.append(mark)
            self.add_pieces(pieces, part)
            self.blocks.append(
                Block(kind, start, self.length, level, content, style=style_of_pieces(pieces, space, indent))
            )
        self._extra, self._empty = 0.0, 0

    def add_chart(self, title: str, table: str, name: str) -> None:
        """Add the title of a chart and the table of its values."""
        part = self.add_part(name)
        kinds: tuple[tuple[BlockKind, str], ...] = (("caption", title), ("table", table))
        for kind, text in kinds:
            if text:
                self.separate(kind)
                start = self.length
                self.copy(text, part, 0 if kind == "caption" else len(title))
                self.blocks.append(Block(kind, start, self.length))
        self._reset_space()

    def add_diagram(self, items: Iterable[tuple[int, str]], name: str) -> None:
        """Add the texts of a diagram, each with its depth, as a list."""
        part, source = self.add_part(name), 0
        for depth, text in items:
            self.separate("list_item")
            start = self.copy(text, part, source)
            source += len(text)
            self.blocks.append(Block("list_item", start, self.length, depth))
        self._reset_space()

    def add_import(self, parsed: Parsed, name: str) -> None:
        """Add the text, blocks and origin of another file."""
        if parsed.text.strip():
            self.separate("paragraph")
            part = self.add_part(name)
            self.include(parsed, part)
            self.aside.extend(aside._replace(part=part) for aside in parsed.aside)
            self._reset_space()

    def _reset_space(self) -> None:
        """Forget the space after what was not a paragraph."""
        self._extra, self._empty, self._after, self._last_style = 0.0, 0, 0.0, None

    def end_table(self, start: int, pieces: list[Piece], space: float) -> None:
        """Add the block of a table whose text was added from ``start`` on, without white space at its end."""
        # A last row whose last cells are empty ends in a separator.
        last = self.pieces[-1]
        if last.endswith(" "):
            self.pieces[-1] = last.rstrip(" ")
            self.length -= len(last) - len(self.pieces[-1])
        self.blocks.append(Block("table", start, self.length, style=style_of_pieces(pieces, space, 0.0)))
        self._reset_space()
