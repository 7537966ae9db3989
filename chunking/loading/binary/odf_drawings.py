"""Charts of OpenDocument files, and what is drawn on the sheets of OpenDocument spreadsheets (ODS)."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator
from contextlib import suppress
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.loading.archive import Archive
from chunking.loading.binary.charts import chart_caption
from chunking.loading.binary.odf_styles import TEXT, odf_namespace
from chunking.loading.binary.office import checked_xml, parse_xml
from chunking.loading.binary.sheet_drawings import SheetText
from chunking.loading.writer import table_text

TABLE, DRAW, CHART = map(odf_namespace, ("table", "drawing", "chart"))
XLINK = "{http://www.w3.org/1999/xlink}"

MAX_SERIES = 1_000
"""Limit of the columns of a chart's table."""

_CONTENT = "content.xml"
_SHAPES = tuple(DRAW + name for name in ("text-box", "custom-shape", "rect", "ellipse", "circle", "polygon", "path",
                                         "connector", "line", "caption"))  # fmt: skip


def object_root(archive: Archive | None, element: Any) -> Any | None:
    """Return the root of the content of an embedded object; ``None`` if it is missing or damaged."""
    part = f"{element.get(XLINK + 'href', '').removeprefix('./')}/{_CONTENT}"
    if archive is None or part not in archive:
        return None
    with suppress(ChunkscopeError):  # nothing else depends on it
        return parse_xml(checked_xml(archive, part), part, archive.name)
    return None


def odf_chart_title(chart: Any) -> str:
    """Return the titles of a chart and of its axes in one line."""
    titles = [_words(chart.find(CHART + name)) for name in ("title", "subtitle")]
    axes = [_words(axis.find(CHART + "title")) for axis in chart.iter(CHART + "axis")]
    return chart_caption(" ".join(filter(None, titles)), axes)


def _caption_of_cells(chart: Any) -> str:
    """Return the caption of a chart whose values are cells: its titles and the names of its series."""
    rows = chart.iter(TABLE + "table-header-rows")
    header = next((row for rows_ in rows for row in rows_), None)
    names = [_words(cell) for cell in header if cell.tag == TABLE + "table-cell"] if header is not None else []
    return chart_caption(odf_chart_title(chart), (), names)


def _shows_cells(chart: Any, sheets: Container[str]) -> bool:
    """Return whether all values of a chart are those of cells of some sheets."""
    ranges = [series.get(CHART + "values-cell-range-address", "") for series in chart.iter(CHART + "series")]
    return bool(ranges) and all(_sheet_of(address) in sheets for address in ranges)


def _sheet_of(address: str) -> str:
    """Return the name of the sheet of a range of cells (``$'Tea 1'.$A$1:.$A$9``)."""
    address = address.lstrip("$")
    if address.startswith("'"):
        return address[1:].partition("'.")[0].replace("''", "'")
    return address.partition(".")[0]


def _words(element: Any | None) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


class OdsDrawings:
    """The drawings of an OpenDocument spreadsheet.

    Attributes:
        damaged: how many objects were missing or damaged so far.

    Args:
        archive: the spreadsheet.
        visible: names of the sheets whose cells are read.
    """

    def __init__(self, archive: Archive, visible: Collection[str]) -> None:
        self._archive = archive
        self._visible = visible
        data = checked_xml(archive, _CONTENT)
        is_drawn = b"<draw:" in data
        root = parse_xml(data, _CONTENT, archive.name) if is_drawn else None
        tables = root.iter(TABLE + "table") if root is not None else ()
        self._tables = {table.get(TABLE + "name", ""): table for table in tables}
        self.damaged = 0

    def texts(self, sheet: str) -> Iterator[SheetText]:
        """Yield the texts of what is drawn on a sheet, in the order of the file."""
        table = self._tables.get(sheet)
        for element in table.iter(DRAW + "object", *_SHAPES) if table is not None else ():
            if element.tag == DRAW + "object":
                yield from self._object(element)
            else:
                yield SheetText("paragraph", "\n".join(filter(None, map(_words, element.iter(TEXT + "p")))))

    def _object(self, element: Any) -> Iterator[SheetText]:
        root = object_root(self._archive, element)
        chart = next(root.iter(CHART + "chart"), None) if root is not None else None
        if chart is None:
            self.damaged += 1
        elif _shows_cells(chart, self._visible):
            yield SheetText("caption", _caption_of_cells(chart))
        else:
            yield SheetText("caption", odf_chart_title(chart))
            yield SheetText("table", table_text(_rows(chart)))


def _rows(chart: Any) -> Iterator[list[str]]:
    """Yield the rows of the table that a chart keeps of its values."""
    for row in chart.iter(TABLE + "table-row"):
        yield [_words(cell) for cell in row if cell.tag == TABLE + "table-cell"][:MAX_SERIES]
