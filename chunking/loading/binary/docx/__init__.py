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
diagram         (SmartArt) a list of its texts, as deep as they are in it, after the paragraph that it is in
initial         (a drop cap) the beginning of the next paragraph
formula         LaTeX between dollar signs
imported file   (``altChunk``) its text and blocks, where it stands: HTML, saved pages, RTF, plain text, Word
headers, footers, comments, hidden text: excluded
=============== =======================================================================================================

Tracked deletions are left out, insertions kept.

``package`` opens the file and walks its trees, ``paragraph`` gives the formatting and characters of a paragraph, and
this module makes blocks of them from top to bottom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from chunking.document import BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading.archive import Archive, open_archive
from chunking.loading.binary.charts import chart_rows, chart_title
from chunking.loading.binary.diagrams import diagram_items
from chunking.loading.binary.docx.block_writer import BlockWriter
from chunking.loading.binary.docx.imports import MAX_DEPTH, parse_import
from chunking.loading.binary.docx.package import (
    DOCUMENT_TYPES,
    PPR,
    TBL,
    VAL,
    P,
    Source,
    W,
    columns,
    flow,
    paragraphs,
    rows,
    value_of,
)
from chunking.loading.binary.docx.paragraph import (
    Note,
    ParagraphReader,
    ParagraphText,
    Piece,
    join_pieces,
    segments,
    shift_pieces,
    strip_pieces,
)
from chunking.loading.binary.docx.styles import Numbering, Properties, ResolvedStyle, Styles, paragraph_properties
from chunking.loading.binary.office import R
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.writer import CELL, table_text
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.runtime.wording import plural, plurals

UNIT = "characters of the paragraph"

_LIST_STYLE = compile_pattern(r"list (?:bullet|number|continue)(?: ([2-9]))?")
_CONTROL_SPACE = compile_pattern(r"[\n\f\r\t]")
_LINE = 1.2
"""Approximate height of a single-spaced line in Word, in font sizes."""


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
    return _parse(data, name, 0, progress)


def _parse(data: bytes, name: str, depth: int, progress: Progress | None = None) -> Parsed:
    """Return the result for a document that is so many documents deep inside another."""
    archive = open_archive(data, name)
    source = Source.of(archive, name)
    reader = _DocxReader(source, depth)
    reader.read_body(progress or (lambda done, total: None))
    reader.add_excluded()
    notes = (*_remarks(archive, source, reader.paragraphs.left_out), *reader.notes)
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
        notes: remarks about imported files.
    """

    def __init__(self, source: Source, depth: int) -> None:
        self._source = source
        self._depth = depth
        self._styles = Styles(source.tree("styles"))
        self._numbering = Numbering(source.tree("numbering"))
        self._notes_left = {kind: source.by_id(kind) for kind in ("footnote", "endnote")}
        self._section = self._paragraph_count = self._table_count = self._chart_count = 0
        self._diagram_count = self._import_count = 0
        self._initial = ParagraphText()
        self.writer = BlockWriter(UNIT)
        self.paragraphs = ParagraphReader(self._styles)
        self.notes: list[str] = []

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
            self._flush_initial()
            self._import(element)

    def _import(self, element: Any) -> None:
        """Add the text and blocks of another file; one that is damaged or of an unknown kind is left out."""
        part = self._source.part(element.get(R + "id") or "")
        try:
            parsed = self._parse_import(part) if part else None
        except ChunkscopeError:
            parsed = None
        if parsed is None:
            self.paragraphs.left_out["import"] += 1
            return
        self._import_count += 1
        self.notes += parsed.notes
        self.writer.add_import(parsed, f"imported file {self._import_count:,}")

    def _parse_import(self, part: str) -> Parsed | None:
        package = self._source.package
        name, content_type = package.archive.name, package.content_type(part)
        if content_type not in DOCUMENT_TYPES:
            return parse_import(package.archive.read(part), content_type, name)
        if self._depth >= MAX_DEPTH:
            return None
        return _parse(package.archive.read(part), name, self._depth + 1)

    # Paragraphs ----------------------------------------------------------------------------------------------------

    def _paragraph(self, element: Any) -> None:
        direct, style = self._properties(element)
        content = self.paragraphs.read(element, style.run)
        if direct.get("initial"):
            self._initial.extend(content)
            return
        if self._initial.pieces:
            self._initial.extend(content)
            content, self._initial = self._initial, ParagraphText()
        self._paragraph_count += 1
        number = self._list_number(direct, style)
        level = self._numbering.level(*number) if number else None
        properties = style.paragraph | (level.paragraph if level else {}) | direct
        self.writer.breaks |= bool(properties.get("breaks"))
        self._add_paragraph(content, style, direct, properties, number)
        if "section" in direct:
            self._end_section()

    def _properties(self, paragraph: Any) -> tuple[Properties, ResolvedStyle]:
        """Return the properties that a paragraph states itself, and its style."""
        direct = paragraph_properties(paragraph[0] if len(paragraph) and paragraph[0].tag == PPR else None)
        return direct, self._styles.paragraph(direct.get("style", ""))

    def _list_number(self, direct: Properties, style: ResolvedStyle) -> tuple[str, int] | None:
        """Return the list that a paragraph is an item of, and its depth there from 0; ``None`` if it is in none."""
        both = style.paragraph | direct
        number = str(both.get("number", "0")), int(both.get("depth", 0))
        return number if self._numbering.level(*number) else None

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
        self._add_anchored(content)

    def _add_anchored(self, content: ParagraphText) -> None:
        """Add the notes that a paragraph or table refers to, and its charts, diagrams and text boxes."""
        self._add_notes(content.notes)
        for relation in content.charts:
            self._chart_count += 1
            if (root := self._drawing(relation)) is not None:
                self.writer.add_chart(chart_title(root), table_text(chart_rows(root)), f"chart {self._chart_count:,}")
        for relation in content.diagrams:
            self._diagram_count += 1
            if (root := self._drawing(relation)) is not None:
                self.writer.add_diagram(list(diagram_items(root)), f"diagram {self._diagram_count:,}")
        self._add_boxes(content.boxes)

    def _drawing(self, relation: str) -> Any | None:
        """Return the root of the part of a chart or diagram; a damaged one is left out."""
        try:
            return self._source.package.root(self._source.part(relation) or "")
        except ChunkscopeError:
            self.paragraphs.left_out["picture"] += 1
            return None

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
        self._add_anchored(extra)

    def _cell(self, cell: Any, extra: ParagraphText) -> list[Piece]:
        """Return the words of a cell in one line; none if it continues a cell above."""
        merged = cell.find(f"{W}tcPr/{W}vMerge")
        if merged is not None and merged.get(VAL) != "restart":
            return []
        pieces: list[Piece] = []
        length = 0
        for paragraph in paragraphs(cell):
            direct, style = self._properties(paragraph)
            content = self.paragraphs.read(paragraph, style.run)
            number = self._list_number(direct, style)
            mark = self._numbering.mark(*number) if number else ""
            extra.add_anchored(content)
            moved = [
                piece._replace(text=_CONTROL_SPACE.sub(" ", piece.text))
                for piece in shift_pieces(content.pieces, length)
            ]
            words = strip_pieces(moved)
            if mark:  # Word displays it in an empty cell as well
                words.insert(0, Piece(f"{mark} " if words else mark, self._styles.char_format(style.run, {}), -1))
            pieces = join_pieces(pieces, words, " ")
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
