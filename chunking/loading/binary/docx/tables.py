"""Tables: one block each, with a line per row and cells separated by `` | ``."""

from __future__ import annotations

from typing import Any

from chunking.loading.binary.docx.blocks import Blocks
from chunking.loading.binary.docx.names import PPR, VAL, W
from chunking.loading.binary.docx.pieces import Note, Piece, joined, stripped
from chunking.loading.binary.docx.reader import Reader
from chunking.loading.binary.docx.styles import Styles
from chunking.loading.binary.docx.tree import paragraphs
from chunking.runtime.patterns import compile_pattern

_CONTROL_SPACE = compile_pattern(r"[\n\f\r\t]")


class Tables:
    """A reader of tables.

    Attributes:
        count: number of tables so far.
    """

    def __init__(self, styles: Styles, reader: Reader, made: Blocks) -> None:
        self._styles = styles
        self._reader = reader
        self._made = made
        self.count = 0

    def add(self, rows: list[list[Any]]) -> list[Note]:
        """Add the block of a table, given its cells; return the notes that are referred to in it."""
        self.count += 1
        made = self._made
        notes: list[Note] = []
        faces: list[Piece] = []
        start, space = -1, -1.0
        for row_number, row in enumerate(rows, 1):
            cells = [self._cell(cell, notes) for cell in row]
            if not any(cells):
                continue
            if start < 0:
                space = made.space({})
                made.separate("\n\n")
                start = made.length
            else:
                made.add("\n")
            faces += self._row(cells, f"table {self.count:,}, row {row_number:,}")
        if start >= 0:
            made.table(start, faces, space)
        return notes

    def _row(self, cells: list[list[Piece]], name: str) -> list[Piece]:
        """Add the text of a row; return all its pieces."""
        made = self._made
        faces: list[Piece] = []
        begun = False
        for cell_number, pieces in enumerate(cells, 1):
            if cell_number > 1:
                made.add(" | " if begun else "| ")
                begun = True
            if pieces:
                made.add_pieces(pieces, made.part(f"{name}, cell {cell_number:,}"))
                begun = True
                faces += pieces
        return faces

    def _cell(self, cell: Any, notes: list[Note]) -> list[Piece]:
        """Return the words of a cell in one line; none if it continues a cell above."""
        merged = cell.find(f"{W}tcPr/{W}vMerge")
        if merged is not None and merged.get(VAL) != "restart":
            return []
        pieces: list[Piece] = []
        length = 0
        for paragraph in paragraphs(cell):
            own = paragraph.find(f"{PPR}/{W}pStyle")
            style = self._styles.paragraph((own.get(VAL) or "") if own is not None else "")
            line = self._reader.line(paragraph, style.run)
            notes += line.notes
            moved = [
                piece._replace(
                    text=_CONTROL_SPACE.sub(" ", piece.text),
                    source=piece.source + length if piece.source >= 0 else -1,
                )
                for piece in line.pieces
            ]
            pieces = joined(pieces, stripped(moved), " ")
            length += line.length
        return pieces
