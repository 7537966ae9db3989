"""Word documents (DOCX), read from the trees of their parts.

The kind of a paragraph follows from styles (with inheritance), outline levels and numbering. No relationship to an
outside target is ever followed.

=============== =======================================================================================================
in Word         here
=============== =======================================================================================================
outline level   heading, also from styles based on one; the style *Title* has level 1
numbering       list item with the mark that Word displays, if its format is decimal, letters, Roman or bullets;
                the number of a heading likewise
table           one block, a row a line, cells by `` | `` in their columns, merged cells once, tables inside
                flattened; a table of one cell is a frame: its paragraphs are blocks
caption, quote  by style
code            by style, or if all is in a monospaced font that is not the document's own; consecutive lines
                are one block
notes           ``[1]`` at the reference, and a footnote block after that paragraph
page break      a form feed: manual breaks, and sections that begin a page
text box        its paragraphs and tables, after the paragraph that it is anchored in
chart           its title as a caption, and a table of its categories and values, after the paragraph that it is in
initial         (a drop cap) the beginning of the next paragraph
formula         LaTeX between dollar signs
headers, footers, comments, hidden text: excluded
=============== =======================================================================================================

Tracked deletions are left out, insertions kept.

``package`` opens the file and walks its trees, ``paragraph`` gives the formatting and characters of a paragraph, and
this module makes blocks of them from top to bottom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from chunking.document import Block, BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading.archive import Archive, open_archive
from chunking.loading.binary.charts import chart_rows, chart_title
from chunking.loading.binary.docx.package import PPR, TBL, VAL, P, Source, W, columns, flow, paragraphs, rows, value_of
from chunking.loading.binary.docx.paragraph import (
    Note,
    ParagraphReader,
    ParagraphText,
    Piece,
    join_pieces,
    segments,
    shift_pieces,
    strip_pieces,
    style_of_pieces,
)
from chunking.loading.binary.docx.styles import Numbering, Properties, ResolvedStyle, Styles, paragraph_properties
from chunking.loading.binary.office import R
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.writer import CELL, DocumentWriter, table_text
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.runtime.wording import plural, plurals

UNIT = "characters of the paragraph"

_LIST_STYLE = compile_pattern(r"list (?:bullet|number|continue)(?: ([2-9]))?")
_CONTROL_SPACE = compile_pattern(r"[\n\f\r\t]")
_LINE = 1.2
"""Approximate height of a single-spaced line in Word, in font sizes."""

_DIVIDING = 3
"""Number of empty paragraphs that divide two blocks of code."""


_NOTES = {
    "picture": ("picture was left out.", "pictures were left out."),
    "deletion": ("tracked deletion was left out.", "tracked deletions were left out."),
    "import": ("part of another file was left out.", "parts of other files were left out."),
}


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """Return the text, blocks and origin of a Word document.

    Raises:
        ChunkscopeError: the file is not a Word document, or is damaged, protected or malicious.
    """
    archive = open_archive(data, name)
    source = Source.of(archive, name)
    reader = _DocxReader(source)
    reader.read_body(progress or (lambda done, total: None))
    reader.add_excluded()
    notes = tuple(_remarks(archive, source, reader.paragraphs.left_out))
    return reader.writer.parsed(notes, language=source.language())


def _remarks(archive: Archive, source: Source, left_out: Counter[str]) -> Iterator[str]:
    """Yield remarks about the loading."""
    outside = source.outside()
    if outside:
        yield f"It refers to {plural(outside, 'outside file')} (templates, images); none was opened."
    if any(entry.lower().endswith("vbaproject.bin") for entry in archive.entries):
        yield "It has macros; they were left out."
    embedded = sum("/embeddings/" in entry for entry in archive.entries)
    if embedded:
        yield f"{plural(embedded, 'embedded object was', 'embedded objects were')} left out."
    if archive.ignored:
        yield f"{plural(archive.ignored, 'file')} with paths that lead out of it left out."
    yield from plurals(left_out, _NOTES)


class _DocxReader:
    """One pass over the body.

    Attributes:
        writer: the document under construction.
        paragraphs: the reader of paragraphs, with counts of omitted items.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._styles = Styles(source.tree("styles"))
        self._numbering = Numbering(source.tree("numbering"))
        self._notes_left = {kind: source.by_id(kind) for kind in ("footnote", "endnote")}
        self._section = self._paragraph_count = self._table_count = self._chart_count = 0
        self._initial = ParagraphText()
        self.writer = _BlockWriter(UNIT)
        self.paragraphs = ParagraphReader(self._styles)

    def read_body(self, progress: Progress) -> None:
        """Read all paragraphs and tables."""
        total = len(self._source.body)
        for index, element in enumerate(flow(self._source.body)):
            self._element(element)
            if index % 200 == 0:
                progress(min(index, total), total)
        self._flush_initial()
        progress(total, total)

    def _element(self, element: Any) -> None:
        if element.tag == P:
            self._paragraph(element)
        elif element.tag == TBL:
            self._flush_initial()
            self._table(element)
        else:
            self.paragraphs.left_out["import"] += 1

    # Paragraphs ----------------------------------------------------------------------------------------------------

    def _paragraph(self, element: Any) -> None:
        direct = paragraph_properties(element[0] if len(element) and element[0].tag == PPR else None)
        style = self._styles.paragraph(direct.get("style", ""))
        content = self.paragraphs.read(element, style.run)
        if direct.get("initial"):
            self._initial.extend(content)
            return
        if self._initial.pieces:
            self._initial.extend(content)
            content, self._initial = self._initial, ParagraphText()
        self._paragraph_count += 1
        both = style.paragraph | direct
        number, depth = str(both.get("number", "0")), int(both.get("depth", 0))
        level = self._numbering.level(number, depth)
        properties = style.paragraph | (level.paragraph if level else {}) | direct
        self.writer.breaks |= bool(properties.get("breaks"))
        self._add_paragraph(content, style, direct, properties, (number, depth) if level else None)
        if "section" in direct:
            self._end_section()

    def _add_paragraph(
        self,
        content: ParagraphText,
        style: ResolvedStyle,
        direct: Properties,
        properties: Properties,
        number: tuple[str, int] | None,
    ) -> None:
        """Add the blocks of a paragraph: one, or more if page breaks are inside it."""
        name = f"paragraph {self._paragraph_count:,}"
        mark = self._numbering.mark(*number) if number else ""
        writer, part = self.writer, -1
        for segment in segments(content.pieces):
            if segment is None:
                writer.breaks = True
                continue
            kind, level = _kind(segment, style, direct, number)
            pieces = strip_pieces(segment, code=kind == "code")
            if not pieces:
                continue
            part = writer.add_part(name) if part < 0 else part
            writer.add_paragraph(kind, level, mark, pieces, part, properties)
            mark = ""
        if part < 0:
            writer.add_empty(self._styles.char_format(style.run, {}).size * _LINE + properties.get("after", 0.0))
        self._flush_excluded(name)
        self._add_notes(content.notes)
        self._add_charts(content.charts)
        self._add_boxes(content.boxes)

    def _add_charts(self, charts: list[str]) -> None:
        """Add the title of each chart and the table of its values; a damaged one is left out."""
        for relation in charts:
            self._chart_count += 1
            try:
                root = self._source.package.root(self._source.part(relation) or "")
            except ChunkscopeError:
                self.paragraphs.left_out["picture"] += 1
                continue
            self.writer.add_chart(chart_title(root), table_text(chart_rows(root)), f"chart {self._chart_count:,}")

    def _add_boxes(self, boxes: list[Any]) -> None:
        """Add the blocks of text boxes."""
        for box in boxes:
            for element in flow(box):
                self._element(element)

    def _flush_initial(self) -> None:
        """Add an initial that no paragraph follows."""
        if self._initial.pieces:
            content, self._initial = self._initial, ParagraphText()
            self._paragraph_count += 1
            self._add_paragraph(content, self._styles.paragraph(""), {}, {}, None)

    def _end_section(self) -> None:
        self._section += 1
        sections = self._source.sections
        following = sections[self._section] if self._section < len(sections) else None
        self.writer.breaks |= value_of(following, W + "type") not in ("continuous", "nextColumn")

    # Tables --------------------------------------------------------------------------------------------------------

    def _table(self, table: Any) -> None:
        grid = [list(columns(row)) for row in rows(table)]
        if len(grid) == 1 and len(grid[0]) == 1:  # a frame
            for child in flow(grid[0][0][1]):
                if child.tag == TBL:
                    self._grid([list(columns(row)) for row in rows(child)])
                else:
                    self._element(child)
        else:
            self._grid(grid)

    def _grid(self, grid: list[list[tuple[int, Any]]]) -> None:
        """Add the block of a table, given its cells with their columns, and the notes that are referred to in it."""
        self._table_count += 1
        name = f"table {self._table_count:,}"
        writer = self.writer
        extra = ParagraphText()  # what is referred to in the cells
        pieces: list[Piece] = []
        start, space = -1, -1.0
        for number, row in enumerate(grid, 1):
            texts = [self._cell(cell, extra) for _, cell in row]
            if not any(texts):
                continue
            if start < 0:
                space = writer.space_before({})
                writer.separate("table")
                start = writer.length
            else:
                writer.append("\n")
            has_cell, last = False, 0
            for index, ((column, _), text) in enumerate(zip(row, texts, strict=True), 1):
                for _ in range(last, column):
                    writer.append(CELL if has_cell else "| ")
                    has_cell = True
                last = column
                if text:
                    writer.add_pieces(text, writer.add_part(f"{name}, row {number:,}, cell {index:,}"))
                    has_cell = True
                    pieces += text
        if start >= 0:
            writer.end_table(start, pieces, space)
        self._flush_excluded(name)
        self._add_notes(extra.notes)
        self._add_charts(extra.charts)
        self._add_boxes(extra.boxes)

    def _cell(self, cell: Any, extra: ParagraphText) -> list[Piece]:
        """Return the words of a cell in one line; none if it continues a cell above."""
        merged = cell.find(f"{W}tcPr/{W}vMerge")
        if merged is not None and merged.get(VAL) != "restart":
            return []
        pieces: list[Piece] = []
        length = 0
        for paragraph in paragraphs(cell):
            style = self._styles.paragraph(value_of(paragraph, f"{PPR}/{W}pStyle"))
            content = self.paragraphs.read(paragraph, style.run)
            extra.notes += content.notes
            extra.boxes += content.boxes
            extra.charts += content.charts
            moved = [
                piece._replace(text=_CONTROL_SPACE.sub(" ", piece.text))
                for piece in shift_pieces(content.pieces, length)
            ]
            pieces = join_pieces(pieces, strip_pieces(moved), " ")
            length += content.length
        return pieces

    # Notes and excluded text ---------------------------------------------------------------------------------------

    def _add_notes(self, notes: list[Note]) -> None:
        """Add the blocks of the footnotes and endnotes that are referred to, each once."""
        for kind, key, mark in notes:
            element = self._notes_left[kind].pop(key, None)
            if element is None:
                continue
            base = self._styles.paragraph("").run
            name = f"{kind} {mark.strip('[]') or key}"
            part = self.writer.add_part(name)
            pieces: list[Piece] = []
            boxes: list[Any] = []
            length = 0
            for paragraph in paragraphs(element):
                content = self.paragraphs.read(paragraph, base)
                note_pieces = [
                    piece._replace(source=piece.source + length) for piece in content.pieces if piece.source >= 0
                ]
                note_pieces = strip_pieces(
                    [piece._replace(text=piece.text.replace("\f", "\n")) for piece in note_pieces]
                )
                pieces = join_pieces(pieces, note_pieces, "\n")
                length += content.length
                boxes += content.boxes
            if pieces:
                self.writer.add_block("footnote", 0, mark, pieces, part, -1.0, 0.0)
            self._flush_excluded(name)
            self._add_boxes(boxes)

    def _flush_excluded(self, name: str) -> None:
        """Add the hidden text that the paragraphs so far have, as a part of that name."""
        if self.paragraphs.excluded:
            part = self.writer.add_part(name)
            for kind, text in self.paragraphs.excluded:
                self.writer.exclude(kind, text, part)
            self.paragraphs.excluded.clear()

    def add_excluded(self) -> None:
        """Add headers, footers and comments; headers shared by several sections are added once."""
        for kind, tag in (("running head", "headerReference"), ("running foot", "footerReference")):
            part_names = set()
            for section in self._source.sections:
                for reference in section.iterchildren(W + tag):
                    part = self._source.part(reference.get(R + "id") or "")
                    if part is not None and part not in part_names:
                        part_names.add(part)
                        self._exclude(kind, self._source.package.root(part))
        for comment in self._source.by_id("comment").values():
            self._exclude("comment", comment)

    def _exclude(self, kind: str, root: Any) -> None:
        text = "\n".join(self.paragraphs.words(root))
        if text:
            self.writer.exclude(kind, text, self.writer.add_part(kind))
        self._flush_excluded(kind)


def _kind(
    pieces: list[Piece], style: ResolvedStyle, direct: Properties, number: tuple[str, int] | None
) -> tuple[BlockKind, int]:
    """Return kind and level of a paragraph."""
    heading = style.heading(direct)
    if heading:
        return "heading", heading
    list_style = next(filter(None, map(_LIST_STYLE.fullmatch, style.names)), None)
    if number or list_style:
        # The styles for nested lists have numberings of their own, of one level each.
        return "list_item", max(number[1] + 1 if number else 1, int(list_style[1] or 1) if list_style else 1)
    kind = style.kind()
    if kind == "paragraph" and all(piece.format.mono for piece in pieces if piece.text.strip()):
        kind = "code"
    return kind, int(kind == "quote")


@dataclass
class _BlockWriter(DocumentWriter):
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
        self._extra, self._empty, self._after, self._last_style = 0.0, 0, 0.0, None

    def end_table(self, start: int, pieces: list[Piece], space: float) -> None:
        """Add the block of a table whose text was added from ``start`` on, without white space at its end."""
        # A last row whose last cells are empty ends in a separator.
        last = self.pieces[-1]
        if last.endswith(" "):
            self.pieces[-1] = last.rstrip(" ")
            self.length -= len(last) - len(self.pieces[-1])
        self.blocks.append(Block("table", start, self.length, style=style_of_pieces(pieces, space, 0.0)))
        self._extra, self._empty, self._after, self._last_style = 0.0, 0, 0.0, None
