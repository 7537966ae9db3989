"""What is drawn on the sheets of Excel workbooks (XLSX, XLSB): charts, and shapes with text."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any, NamedTuple

from chunking.document import BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading.binary.charts import CHART, caption_of_cells, chart_rows, chart_title, shows_cells
from chunking.loading.binary.diagrams import DIAGRAM, diagram_items
from chunking.loading.binary.drawing_text import paragraph_texts
from chunking.loading.binary.office import ALTERNATE, MAX_XML, Package, R, chosen
from chunking.loading.writer import table_text

X = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

WORKBOOK = "xl/workbook.xml"
BINARY_WORKBOOK = "xl/workbook.bin"
MAX_ROW = 1_048_576
_BUNDLE_SHEET = 156


class SheetText(NamedTuple):
    """A text that is drawn on a sheet: of a shape, or the title or the values of a chart."""

    kind: BlockKind
    text: str


class SheetDrawings:
    """The drawings of a workbook, each part read once, however many sheets name it.

    Attributes:
        damaged: how many parts of drawings and charts were missing or damaged so far.

    Args:
        package: the workbook.
        visible: names of the sheets whose cells are read.
    """

    def __init__(self, package: Package, visible: Container[str]) -> None:
        self._package = package
        self._visible = visible
        self._sheets = dict(self._read_sheets())
        self._read: set[str] = set()
        self.damaged = 0

    def _read_sheets(self) -> Iterator[tuple[str, str]]:
        """Yield name and part of each sheet."""
        archive = self._package.archive
        workbook = next((part for part in (WORKBOOK, BINARY_WORKBOOK) if part in archive), None)
        if workbook is None:
            return
        targets = self._targets(workbook)
        is_binary = workbook == BINARY_WORKBOOK
        sheets = _binary_sheets(archive.read(workbook, MAX_XML)) if is_binary else self._xml_sheets()
        for name, relation in sheets:
            if relation in targets:
                yield name, targets[relation]

    def _xml_sheets(self) -> Iterator[tuple[str, str]]:
        for sheet in self._package.root(WORKBOOK).iter(MAIN + "sheet"):
            yield sheet.get("name", ""), sheet.get(R + "id", "")

    def _targets(self, part: str) -> dict[str, str]:
        return {relation.id: relation.target for relation in self._package.relations(part) if relation.target}

    def texts(self, sheet: str) -> Iterator[SheetText]:
        """Yield the texts of what is drawn on a sheet, from its top; what is damaged is left out."""
        part = self._sheets.get(sheet, "")
        for drawing in self._package.related(part, "drawing") if part else ():
            root = self._root(drawing)
            if root is None:
                continue
            _choose(root)
            targets = self._targets(drawing)
            for anchor in sorted(root, key=_place):
                yield from self._anchored(anchor, targets)

    def _anchored(self, anchor: Any, targets: dict[str, str]) -> Iterator[SheetText]:
        for element in anchor.iter(CHART, DIAGRAM, X + "txBody"):
            if element.tag == DIAGRAM:
                diagram = self._root(targets.get(element.get(R + "dm", ""), ""))
                texts = diagram_items(diagram) if diagram is not None else ()
                yield SheetText("paragraph", "\n".join(text for _, text in texts))
            elif element.tag == CHART:
                chart = self._root(targets.get(element.get(R + "id", ""), ""))
                if chart is not None and shows_cells(chart, self._visible):
                    yield SheetText("caption", caption_of_cells(chart))
                elif chart is not None:
                    yield SheetText("caption", chart_title(chart))
                    yield SheetText("table", table_text(chart_rows(chart)))
            else:
                yield SheetText("paragraph", "\n".join(paragraph_texts(element)))

    def _root(self, part: str) -> Any | None:
        """Return the root of a part; ``None`` if it was read before, is missing or damaged."""
        if part in self._read:
            return None
        self._read.add(part)
        try:
            return self._package.root(part)
        except ChunkscopeError:
            self.damaged += 1
            return None


def _binary_sheets(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the name and the id of the relationship of each sheet of a binary workbook ([MS-XLSB], 2.4.304)."""
    for _, kind, record in binary_records(data):
        if kind == _BUNDLE_SHEET:
            relation, end = _wide_string(record, 8)
            yield _wide_string(record, end)[0], relation


def binary_records(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield where its content begins, kind and content of each record of a binary part ([MS-XLSB], 2.1.4)."""
    offset = 0
    while offset < len(data):
        kind, offset = _variable_number(data, offset, 2)
        size, offset = _variable_number(data, offset, 4)
        yield offset, kind, data[offset : offset + size]
        offset += size


def _variable_number(data: bytes, offset: int, most: int) -> tuple[int, int]:
    """Return a number of at most so many bytes, of which the highest bit says whether one follows, and its end."""
    value = 0
    for index, byte in enumerate(data[offset : offset + most]):
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, offset + index + 1
    return value, offset + most


def _wide_string(record: bytes, offset: int) -> tuple[str, int]:
    start = offset + 4
    end = start + 2 * int.from_bytes(record[offset:start], "little")
    return record[start:end].decode("utf-16-le", "replace"), end


def _choose(root: Any) -> None:
    """Remove what is drawn only by programs that know less."""
    for alternate in list(root.iter(ALTERNATE)):
        choice = chosen(alternate)
        for child in list(alternate):
            if child is not choice:
                alternate.remove(child)


def _place(anchor: Any) -> tuple[int, int]:
    """Return row and column of an anchor; at the end for one that has none."""
    start = anchor.find(X + "from")
    row, column = (start.findtext(X + name) if start is not None else None for name in ("row", "col"))
    return _number(row), _number(column)


def _number(text: str | None) -> int:
    text = (text or "").strip()
    return min(int(text), MAX_ROW) if text.isascii() and text.isdecimal() and len(text) < 9 else MAX_ROW
