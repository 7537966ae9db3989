"""Footnotes and endnotes: a block each, after the paragraph or table with the reference."""

from __future__ import annotations

from chunking.loading.binary.docx import excluded
from chunking.loading.binary.docx.blocks import Blocks
from chunking.loading.binary.docx.pieces import Note, Piece, joined, stripped
from chunking.loading.binary.docx.reader import Reader
from chunking.loading.binary.docx.source import Source
from chunking.loading.binary.docx.styles import Styles
from chunking.loading.binary.docx.tree import paragraphs


class Notes:
    """The notes of a document; each is added once."""

    def __init__(self, source: Source, styles: Styles, reader: Reader, made: Blocks) -> None:
        self._left = {kind: source.by_id(kind) for kind in ("footnote", "endnote")}
        self._styles = styles
        self._reader = reader
        self._made = made

    def add(self, notes: list[Note]) -> None:
        """Add the blocks of the notes that are referred to."""
        for kind, key, mark in notes:
            element = self._left[kind].pop(key, None)
            if element is None:
                continue
            base = self._styles.paragraph("").run
            part = self._made.part(f"{kind} {mark.strip('[]') or key}")
            pieces: list[Piece] = []
            length = 0
            for paragraph in paragraphs(element):
                line = self._reader.line(paragraph, base)
                own = [piece._replace(source=piece.source + length) for piece in line.pieces if piece.source >= 0]
                found = stripped([piece._replace(text=piece.text.replace("\f", "\n")) for piece in own])
                pieces = joined(pieces, found, "\n")
                length += line.length
            if pieces:
                self._made.block("footnote", 0, mark, pieces, part, -1.0, 0.0)
            excluded.move(self._reader, self._made, self._made.parts[part])
