"""OpenDocument texts and presentations (ODT, ODP), and their flat XML (FODT, FODP, FODS).

=============== =======================================================================================================
in LibreOffice  here
=============== =======================================================================================================
heading         by its outline level; the style *Title* has level 1, and so has the title of a slide
list            list items with the marks that are displayed, if their format is decimal, letters, Roman or bullets
table           one block, a row a line, merged cells once, tables inside flattened
quote, caption  by style, and code in the style *Preformatted Text*, of which consecutive lines are one block
text box        its blocks, after the paragraph that it is anchored in
notes           ``[1]`` at the reference, and a footnote block after that paragraph; notes of slides after their slide
page break      a form feed: breaks before paragraphs, and slides
sheet           (FODS) its name as a heading, and a table
comments, deleted text, headers and footers: excluded
=============== =======================================================================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from chunking.document import BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading.archive import SAVE_AGAIN, Archive, check_office_xml, open_archive, protected_error, small_xml
from chunking.loading.binary.odf_drawings import CHART, object_root, odf_chart_title
from chunking.loading.binary.odf_styles import (
    OUTLINE,
    TEXT,
    OpenList,
    ParagraphStyle,
    Styles,
    attribute_number,
    odf_namespace,
)
from chunking.loading.binary.office import checked_xml, parse_xml
from chunking.loading.language import language_code
from chunking.loading.markup.layout import Item, LayoutWriter
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.superscripts import Script, join_scripts
from chunking.loading.writer import table_text
from chunking.runtime.progress import Progress
from chunking.runtime.wording import plurals

OFFICE, TABLE, DRAW, PRESENTATION, META, MANIFEST = map(
    odf_namespace, ("office", "table", "drawing", "presentation", "meta", "manifest")
)
MATH = "{http://www.w3.org/1998/Math/MathML}"
DC = "{http://purl.org/dc/elements/1.1/}"

MAX_SMALL = 16 * 1024 * 1024
"""Limit of the bytes of the manifest."""

MAX_DEPTH = 100
"""Limit of the nesting of elements that contain blocks."""

MAX_LEVEL = 10
"""Limit of the levels of headings that are numbered."""

_MANIFEST = "META-INF/manifest.xml"
_BODIES = ("text", "presentation", "spreadsheet", "drawing")
_WRAPPERS = frozenset(
    (
        *(TEXT + name for name in ("section", "index-body", "index-title", "table-of-content", "alphabetical-index",
                                   "bibliography", "illustration-index", "table-index", "user-index", "object-index",
                                   "numbered-paragraph")),
        *(DRAW + name for name in ("frame", "text-box", "g", "custom-shape", "rect", "ellipse", "circle", "line",
                                   "polygon", "path", "connector", "caption", "a")),
    )
)  # fmt: skip
_ASIDE = frozenset(PRESENTATION + name for name in ("header", "footer", "date-time"))
_KINDS: dict[str, BlockKind] = {
    "quotations": "quote", "preformatted text": "code", "source code": "code", "caption": "caption",
    "illustration": "caption", "figure": "caption", "drawing": "caption", "footnote": "footnote",
}  # fmt: skip
_NOTES = {
    "picture": ("picture was left out.", "pictures were left out."),
    "object": ("embedded object was left out.", "embedded objects were left out."),
    "deep": ("part that is nested too deeply was left out.", "parts that are nested too deeply were left out."),
}


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """Return the text, blocks and origin of an OpenDocument file.

    Raises:
        ChunkscopeError: the file is not an OpenDocument file, or is damaged, protected or malicious.
    """
    content, styles, archive = _roots(data, name)
    body = content.find(OFFICE + "body")
    if body is None or not len(body) or body[0].tag not in [OFFICE + kind for kind in _BODIES]:
        raise ChunkscopeError(f"“{name}” is not an OpenDocument text or presentation.", SAVE_AGAIN)
    reader = _OdfReader(Styles([styles, content]), archive)
    for index, element in enumerate(body[0]):
        reader.element(element, 0)
        if progress and index % 200 == 0:
            progress(index, len(body[0]))
    language = next((element.text or "" for element in content.iter(DC + "language")), "")
    return reader.writer.finish(plurals(reader.counts, _NOTES), language_code(language))


def _roots(data: bytes, name: str) -> tuple[Any, Any, Archive | None]:
    """Return the roots of the content and the styles, which are one in a flat file, and the archive."""
    if not data.startswith(b"PK"):
        check_office_xml(data, "content", name)
        root = parse_xml(data, "content", name)
        return root, root, None
    archive = open_archive(data, name)
    if _MANIFEST in archive:
        manifest = small_xml(archive.read(_MANIFEST, MAX_SMALL), _MANIFEST, name)
        if any(element.tag == MANIFEST + "encryption-data" for element in manifest.iter()):
            raise protected_error(name)
    content = parse_xml(checked_xml(archive, "content.xml"), "content.xml", name)
    styles = parse_xml(checked_xml(archive, "styles.xml"), "styles.xml", name) if "styles.xml" in archive else content
    return content, styles, archive


# Body ---------------------------------------------------------------------------------------------------------------


class _OdfReader:
    """One pass over the body.

    Attributes:
        writer: the document under construction.
        counts: numbers of items that were left out.
    """

    def __init__(self, styles: Styles, archive: Archive | None) -> None:
        self._styles = styles
        self._archive = archive
        self._lists: list[OpenList] = []
        self._headings: list[OpenList] = []  # the last headings, one for each level
        self._ended: dict[str, int] = {}  # numbers of the last items of lists, by style
        self._label = ""  # the mark of the list item that begins
        self._count = self._notes = 0
        self._name = "paragraph"
        self._code: list[str] = []
        self.writer = LayoutWriter()
        self.counts: Counter[str] = Counter()

    def element(self, element: Any, depth: int) -> None:
        """Add the blocks of an element of the body."""
        tag = element.tag
        if depth > MAX_DEPTH:
            self.counts["deep"] += 1
        elif tag in (TEXT + "h", TEXT + "p"):
            self._paragraph(element, depth)
        elif tag == TEXT + "list":
            self._list(element, depth, self.element)
        elif tag == TABLE + "table":
            self._table(element)
        elif tag == DRAW + "page":
            self._slide(element, depth)
        elif tag == DRAW + "frame" and element.get(PRESENTATION + "class") == "title":
            self._add("heading", " ".join(self.plain(element, TEXT + "h").split()), 1)
        elif tag in _WRAPPERS:
            self._wrapper(element, depth)

    def _wrapper(self, element: Any, depth: int) -> None:
        for child in element:
            if child.tag == DRAW + "image":
                self.counts["picture"] += 1
            elif child.tag in (DRAW + "object", DRAW + "object-ole"):
                self._object(child)
            else:
                self.element(child, depth + 1)

    def _object(self, element: Any) -> None:
        """Add the table of a chart, or a formula as LibreOffice writes it; count any other object."""
        root = object_root(self._archive, element)
        tables = list(root.iter(TABLE + "table")) if root is not None else []
        formula = next(root.iter(MATH + "annotation"), None) if root is not None else None
        for chart in root.iter(CHART + "chart") if root is not None else ():
            self._add("caption", odf_chart_title(chart))
        for table in tables:
            self._table(table)
        if formula is not None:
            self._add("paragraph", formula.text or "")
        self.counts["object"] += not tables and formula is None

    def _slide(self, page: Any, depth: int) -> None:
        self._name, self._count = f"{page.get(DRAW + 'name') or 'slide'}, paragraph", 0
        self.writer.begin_page()
        for child in sorted(page, key=lambda child: child.get(PRESENTATION + "class") != "title"):
            if child.tag == PRESENTATION + "notes":
                self._add("footnote", self.plain(child))
            else:
                self.element(child, depth + 1)

    # Paragraphs -----------------------------------------------------------------------------------------------------

    def _paragraph(self, element: Any, depth: int) -> None:
        style = self._styles.paragraph(element.get(TEXT + "style-name", ""))
        self.writer.breaks |= style.breaks
        text = _Text(element, self)
        kind, level, mark = self._kind(element, style)
        if kind == "code" and self._continue_code(text.text):
            return
        if text.text.strip():
            self._add(kind, text.text.rstrip() if kind == "code" else text.text, level, mark)
            self._label = ""
        for number, note in text.notes:
            self._add("footnote", note, mark=f"[{number}]")
        for comment in text.comments:
            self.writer.exclude_item("comment", comment, f"comment at {self._name} {self._count:,}")
        for frame in text.frames:
            self.element(frame, depth + 1)

    def _kind(self, element: Any, style: ParagraphStyle) -> tuple[BlockKind, int, str]:
        """Return the kind, level and mark of a paragraph."""
        if element.tag == TEXT + "h":
            level = max(attribute_number(element, TEXT + "outline-level"), 1)
            return "heading", level, self._label if self._lists else self._heading_mark(element, level, style)
        if style.names[:1] == ("title",) or "title" in style.names[1:2]:
            return "heading", 1, ""
        if self._lists:
            return "list_item", len(self._lists), self._label
        for name in style.names:
            if name in _KINDS:
                return _KINDS[name], int(_KINDS[name] == "quote"), ""
        return "paragraph", 0, ""

    def _continue_code(self, text: str) -> bool:
        """Add a line of code to the block of code before it, if there is one."""
        blocks = self.writer.blocks
        if not blocks or blocks[-1].kind != "code" or self.writer.breaks or blocks[-1].end != self.writer.length:
            return False
        if text.strip():
            self.writer.append("\n")
            self._count += 1
            self.writer.copy(text.rstrip(), self.writer.add_part(f"{self._name} {self._count:,}"), 0)
            blocks[-1] = replace(blocks[-1], end=self.writer.length)
        return True

    def _add(self, kind: BlockKind, text: str, level: int = 0, mark: str = "") -> None:
        self._count += 1
        self.writer.add(Item(kind, text, f"{self._name} {self._count:,}", level, mark))

    def count_note(self) -> int:
        """Return the number of the next note."""
        self._notes += 1
        return self._notes

    def plain(self, element: Any, *tags: str) -> str:
        """Return the text of the paragraphs in an element that have any, a line each.

        Args:
            element: the element.
            tags: elements that are read beside paragraphs.
        """
        texts = (join_scripts(self._runs(paragraph, "")) for paragraph in element.iter(TEXT + "p", *tags))
        return "\n".join(filter(None, (" ".join(text.split()) for text in texts)))

    def _runs(self, element: Any, script: Script) -> Iterator[tuple[str, Script]]:
        script = self.script(element, script)
        yield element.text or "", script
        for child in element:
            yield from self._runs(child, script)
            yield child.tail or "", script

    def script(self, element: Any, around: Script) -> Script:
        """Return the script of the characters of an element by its style; that around it if it has none."""
        script = self._styles.script(element.get(TEXT + "style-name", "")) if element.tag == TEXT + "span" else None
        return around if script is None else script

    # Lists ----------------------------------------------------------------------------------------------------------

    def _list(self, element: Any, depth: int, read: Callable[[Any, int], None]) -> None:
        """Read the children of the items of a list, each item with its mark."""
        style = element.get(TEXT + "style-name", "") or (self._lists[-1].style if self._lists else "")
        goes_on = element.get(TEXT + "continue-numbering") == "true" or element.get(TEXT + "continue-list")
        self._lists.append(OpenList(style))
        self._lists[-1].number = self._ended.get(style, 0) if goes_on else self._styles.first_number(self._lists) - 1
        for item in element:
            if item.tag not in (TEXT + "list-item", TEXT + "list-header"):
                continue
            number = attribute_number(item, TEXT + "start-value", 0)
            current = self._lists[-1]
            if item.tag == TEXT + "list-item" and (len(item) == 0 or item[0].tag != TEXT + "list"):
                current.number = number or current.number + 1
                self._label = self._styles.mark(self._lists)
            for child in item:
                read(child, depth + 1)
            self._label = ""
        ended = self._lists.pop()
        self._ended[ended.style] = ended.number

    def _heading_mark(self, element: Any, level: int, style: ParagraphStyle) -> str:
        """Count a heading and return the number that is displayed before it."""
        unnumbered = style.lists == "" or element.get(TEXT + "is-list-header") == "true"
        if OUTLINE not in self._styles.lists or unnumbered or level > MAX_LEVEL:
            return ""
        headings = self._headings
        del headings[level:]
        while len(headings) < level:
            headings.append(OpenList(OUTLINE))
            first = self._styles.first_number(headings)
            headings[-1].number = first - 1 if len(headings) == level else first
        headings[-1].number += 1
        if element.get(TEXT + "restart-numbering") == "true":
            headings[-1].number = attribute_number(element, TEXT + "start-value")
        return self._styles.mark(headings)

    # Tables ---------------------------------------------------------------------------------------------------------

    def _table(self, table: Any) -> None:
        name = table.get(TABLE + "name", "")
        if table.getparent().tag == OFFICE + "spreadsheet":
            self.writer.begin_page()
            self._add("heading", name, 1)
        notes: list[tuple[int, str]] = []
        self._add("table", table_text(self._row(row, notes) for row in _rows(table)))
        for number, note in notes:
            self._add("footnote", note, mark=f"[{number}]")

    def _row(self, row: Any, notes: list[tuple[int, str]]) -> list[str]:
        cells: list[str] = []
        spanned = 0  # cells that a cell to the left covers
        for cell in row:
            if cell.tag not in (TABLE + "table-cell", TABLE + "covered-table-cell"):
                continue
            if cell.tag == TABLE + "covered-table-cell" and spanned > 0:
                spanned -= attribute_number(cell, TABLE + "number-columns-repeated")
                continue
            spanned = attribute_number(cell, TABLE + "number-columns-spanned") - 1
            words = self._cell(cell, notes)
            cells += [" ".join(words)] * attribute_number(cell, TABLE + "number-columns-repeated")
        while cells and not cells[-1]:
            cells.pop()
        return cells

    def _cell(self, cell: Any, notes: list[tuple[int, str]]) -> list[str]:
        """Return the text of each paragraph of a cell, tables and text boxes inside flattened."""
        words: list[str] = []

        def read(element: Any, depth: int) -> None:
            if depth > MAX_DEPTH:
                self.counts["deep"] += 1
            elif element.tag in (TEXT + "p", TEXT + "h"):
                text = _Text(element, self)
                label, self._label = self._label, ""
                words.append(f"{label} {text.text}".strip())
                notes.extend(text.notes)
                for frame in text.frames:
                    read(frame, depth + 1)
            elif element.tag == TEXT + "list":
                self._list(element, depth, read)
            elif element.tag != OFFICE + "annotation":
                for child in element:
                    read(child, depth + 1)

        around, self._lists = self._lists, []
        read(cell, 0)
        self._lists = around
        return words


def _rows(table: Any) -> Iterator[Any]:
    """Yield the rows of a table, those of its header and of groups as well."""
    for child in table:
        if child.tag == TABLE + "table-row":
            yield child
        elif child.tag in (TABLE + "table-header-rows", TABLE + "table-row-group", TABLE + "table-rows"):
            yield from _rows(child)


# Characters ---------------------------------------------------------------------------------------------------------


class _Text:
    """The characters of a paragraph, and what is anchored in it.

    Attributes:
        text: its characters.
        notes: its notes with their numbers.
        comments, frames: what is anchored in it.
    """

    def __init__(self, element: Any, reader: _OdfReader) -> None:
        self._pieces: list[tuple[str, Script]] = []
        self.notes: list[tuple[int, str]] = []
        self.comments: list[str] = []
        self.frames: list[Any] = []
        self._read(element, reader, "")
        self.text = join_scripts(self._pieces)

    def _read(self, element: Any, reader: _OdfReader, script: Script) -> None:
        script = reader.script(element, script)
        self._add(element.text, script)
        for child in element:
            tag = child.tag
            if tag == TEXT + "s":
                self._pieces.append((" " * attribute_number(child, TEXT + "c"), ""))
            elif tag == TEXT + "tab":
                self._pieces.append(("\t", ""))
            elif tag == TEXT + "line-break":
                self._pieces.append(("\n", ""))
            elif tag == TEXT + "note":
                number = reader.count_note()
                self._pieces.append((f"[{number}]", ""))
                body = child.find(TEXT + "note-body")
                self.notes.append((number, reader.plain(body) if body is not None else ""))
            elif tag == OFFICE + "annotation":
                self.comments.append(reader.plain(child))
            elif isinstance(tag, str) and tag.startswith(DRAW):
                self.frames.append(child)
            elif isinstance(tag, str) and tag != TEXT + "tracked-changes":
                self._read(child, reader, script)
            self._add(child.tail, script)

    def _add(self, text: str | None, script: Script) -> None:
        """Add text, with its white space as in XML: collapsed."""
        if text:
            words = " ".join(text.split())
            divides = text[0].isspace() and bool(self._pieces) and not self._pieces[-1][0].endswith((" ", "\n", "\t"))
            tail = " " if words and text[-1].isspace() else ""
            self._pieces.append((f"{' ' * divides}{words}{tail}", script))
