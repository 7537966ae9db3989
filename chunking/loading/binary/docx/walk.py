"""The body from top to bottom: the kind of each paragraph, and page breaks."""

from __future__ import annotations

from typing import Any

from chunking.document import BlockKind
from chunking.loading.binary.docx import excluded
from chunking.loading.binary.docx.blocks import Blocks
from chunking.loading.binary.docx.names import PPR, TBL, VAL, P, W
from chunking.loading.binary.docx.notes import Notes
from chunking.loading.binary.docx.numbering import Numbering
from chunking.loading.binary.docx.pieces import Line, Piece, segments, stripped
from chunking.loading.binary.docx.properties import Look, paragraph_look
from chunking.loading.binary.docx.reader import Reader
from chunking.loading.binary.docx.source import Source
from chunking.loading.binary.docx.styles import ResolvedStyle, Styles
from chunking.loading.binary.docx.tables import Tables
from chunking.loading.binary.docx.tree import cells, flow, rows
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress

_LIST_STYLE = compile_pattern(r"list (?:bullet|number|continue)(?: ([2-9]))?")
_LINE = 1.2
"""Approximate height of a single-spaced line in Word, in font sizes."""


class Walk:
    """One pass over the body.

    Attributes:
        made: the document under construction.
        reader: the reader of paragraphs, with counts of omitted items.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._styles = Styles(source.tree("styles"))
        self._numbering = Numbering(source.tree("numbering"))
        self.made = Blocks()
        self.reader = Reader(self._styles)
        self._tables = Tables(self._styles, self.reader, self.made)
        self._notes = Notes(source, self._styles, self.reader, self.made)
        self._section = self._paragraphs = 0

    def body(self, progress: Progress) -> None:
        """Read all paragraphs and tables."""
        total = len(self._source.body)
        for place, element in enumerate(flow(self._source.body)):
            self._element(element)
            if place % 200 == 0:
                progress(min(place, total), total)
        progress(total, total)

    def _element(self, element: Any) -> None:
        if element.tag == P:
            self._paragraph(element)
        elif element.tag == TBL:
            self._table(element)
        else:
            self.reader.left_out["import"] += 1

    def _paragraph(self, element: Any) -> None:
        self._paragraphs += 1
        properties = element[0] if len(element) and element[0].tag == PPR else None
        own = paragraph_look(properties) if properties is not None else {}
        style = self._styles.paragraph(own.get("style", ""))
        line = self.reader.line(element, style.run)
        both = style.look | own
        number, depth = str(both.get("number", "0")), int(both.get("depth", 0))
        level = self._numbering.level(number, depth)
        look = style.look | (level.look if level else {}) | own
        self.made.breaks |= bool(look.get("breaks"))
        self._set(line, style, own, look, (number, depth) if level else None)
        if "section" in own:
            self._end_section()

    def _set(self, line: Line, style: ResolvedStyle, own: Look, look: Look, number: tuple[str, int] | None) -> None:
        """Add the blocks of a paragraph: one, or more if page breaks are inside it."""
        name = f"paragraph {self._paragraphs:,}"
        mark = self._numbering.mark(*number) if number else ""
        indent = look.get("left", 0.0) + look.get("first", 0.0)
        made, part = self.made, -1
        for segment in segments(line.pieces):
            if segment is None:
                made.breaks = True
                continue
            kind, level = _kind(segment, style, own, number)
            pieces = stripped(segment, code=kind == "code")
            if not pieces:
                continue
            part = made.part(name) if part < 0 else part
            made.paragraph(kind, level, mark, pieces, part, look, indent)
            mark = ""
        if part < 0:
            made.empty(self._styles.face(style.run, {}).size * _LINE + look.get("after", 0.0))
        excluded.move(self.reader, made, name)
        self._notes.add(line.notes)

    def _end_section(self) -> None:
        self._section += 1
        sections = self._source.sections
        following = sections[self._section] if self._section < len(sections) else None
        kind = following.find(W + "type") if following is not None else None
        self.made.breaks |= kind is None or kind.get(VAL) not in ("continuous", "nextColumn")

    def _table(self, table: Any) -> None:
        grid = [list(cells(row)) for row in rows(table)]
        if len(grid) == 1 and len(grid[0]) == 1:  # a frame
            for child in flow(grid[0][0]):
                if child.tag == TBL:
                    self._grid([list(cells(row)) for row in rows(child)])
                else:
                    self._element(child)
        else:
            self._grid(grid)

    def _grid(self, grid: list[list[Any]]) -> None:
        notes = self._tables.add(grid)
        excluded.move(self.reader, self.made, f"table {self._tables.count:,}")
        self._notes.add(notes)


def _kind(
    pieces: list[Piece], style: ResolvedStyle, own: Look, number: tuple[str, int] | None
) -> tuple[BlockKind, int]:
    """Return kind and level of a paragraph."""
    heading = style.heading(own)
    if heading:
        return "heading", heading
    listed = next(filter(None, map(_LIST_STYLE.fullmatch, style.names)), None)
    if number or listed:
        # The styles for nested lists have numberings of their own, of one level each.
        return "list_item", max(number[1] + 1 if number else 1, int(listed[1] or 1) if listed else 1)
    kind = style.kind()
    if kind == "paragraph" and all(piece.face.mono for piece in pieces if piece.text.strip()):
        kind = "code"
    return kind, int(kind == "quote")
