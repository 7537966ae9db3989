"""What is drawn on the sheets of Excel workbooks (XLSX): charts, and shapes with text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from chunking.document import BlockKind
from chunking.errors import ChunkscopeError
from chunking.loading.binary.charts import CHART, chart_rows, chart_title
from chunking.loading.binary.drawing_text import paragraph_texts
from chunking.loading.binary.office import ALTERNATE, Package, R, chosen
from chunking.loading.writer import table_text

X = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"

WORKBOOK = "xl/workbook.xml"
MAX_ROW = 1_048_576


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
    """

    def __init__(self, package: Package) -> None:
        self._package = package
        self._sheets = dict(self._read_sheets())
        self._read: set[str] = set()
        self.damaged = 0

    def _read_sheets(self) -> Iterator[tuple[str, str]]:
        """Yield name and part of each sheet; of a workbook that is not XML, none."""
        if WORKBOOK not in self._package.archive:
            return
        targets = self._targets(WORKBOOK)
        for sheet in self._package.root(WORKBOOK).iter(MAIN + "sheet"):
            part = targets.get(sheet.get(R + "id", ""))
            if part:
                yield sheet.get("name", ""), part

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
        for element in anchor.iter(CHART, X + "txBody"):
            if element.tag == CHART:
                chart = self._root(targets.get(element.get(R + "id", ""), ""))
                if chart is not None:
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
