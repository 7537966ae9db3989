"""Spreadsheets (XLSX, XLSB, XLS, ODS), read by calamine.

The name of a sheet is a heading. Rows without an empty row between them are a table, a row a line; rows above it that
have a single cell, and lone cells, are paragraphs, so that a table begins with its header. Values are those that the
file holds: dates and times in ISO 8601, results of formulas as last computed. What is drawn on a sheet follows its
tables: the text of a shape as a paragraph; a chart as a caption of its titles and series, and, if its values are not
those of cells, a table of them. Hidden sheets and comments are excluded.
"""

from __future__ import annotations

import datetime
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import groupby
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.loading.archive import OLE, SAVE_AGAIN, Archive, is_protected, open_archive, protected_error
from chunking.loading.binary.odf_drawings import OdsDrawings
from chunking.loading.binary.office import Package, checked_xml, parse_xml, repack, replace_parts
from chunking.loading.binary.sheet_drawings import SheetDrawings, SheetText
from chunking.loading.binary.sparse_sheets import (
    compress_binary,
    compress_compound,
    compress_opendocument,
    compress_xml,
)
from chunking.loading.binary.xls_drawings import XlsDrawings
from chunking.loading.markup.layout import Item, LayoutWriter
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.writer import table_text
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.runtime.wording import plurals

MAX_CELLS = 20_000_000
"""Limit of the cells of a sheet's area, which calamine keeps whole."""

_COMMENTS = compile_pattern(r"xl/(?:comments[0-9]{0,6}|comments/\w{1,40}|threadedComments/\w{1,40})\.xml")
_NOTES = {
    "hidden": ("hidden sheet was left out.", "hidden sheets were left out."),
    "other": (
        "sheet without cells (such as macros) was left out.",
        "sheets without cells (such as macros) were left out.",
    ),
    "drawing": (
        "drawing or chart that is damaged was left out.",
        "drawings or charts that are damaged were left out.",
    ),
}


def parse(data: bytes, name: str, params: LoadParameters, progress: Progress | None = None) -> Parsed:
    """Return the text, blocks and origin of a spreadsheet.

    Raises:
        ChunkscopeError: the file is not a spreadsheet, or is damaged, protected or malicious.
    """
    archive = None if data.startswith(OLE) else open_archive(data, name)
    data, is_sparse = _compress(data, archive)
    workbook = _open(data, archive, name)
    writer, counts = LayoutWriter(), Counter[str]()
    sheets = workbook.sheets_metadata
    read = frozenset(sheet.name for sheet in sheets if str(sheet.visible).endswith("Visible"))
    drawings = _drawings(archive, read) if archive else XlsDrawings(data, read)
    for number, sheet in enumerate(sheets, 1):
        kind, visible = str(sheet.typ).rpartition(".")[2], str(sheet.visible).rpartition(".")[2]
        rows = _rows(workbook, number - 1, name) if kind == "WorkSheet" else iter(())
        drawn = drawings.texts(sheet.name)
        if visible != "Visible":
            counts["hidden"] += 1
            texts = (table_text(rows), *(text for _, text in drawn))
            writer.exclude_item("hidden sheet", "\n\n".join(filter(None, texts)), f"sheet “{sheet.name}”")
        elif not _add_sheet(writer, sheet.name, rows, drawn, is_sparse) and kind != "WorkSheet":
            counts["other"] += 1
        if progress:
            progress(number, len(sheets))
    if archive:
        _exclude_comments(writer, archive)
    counts["drawing"] = drawings.damaged
    return writer.finish(plurals(counts, _NOTES))


def _drawings(archive: Archive, visible: frozenset[str]) -> SheetDrawings | OdsDrawings:
    return OdsDrawings(archive, visible) if "content.xml" in archive else SheetDrawings(Package(archive), visible)


def _exclude_comments(writer: LayoutWriter, archive: Archive) -> None:
    for part in sorted(filter(_COMMENTS.fullmatch, archive.entries)):
        root = parse_xml(checked_xml(archive, part), part, archive.name)
        for comment in root.iter("{*}comment", "{*}threadedComment"):
            cell = comment.get("ref", "")[:10]
            writer.exclude_item("comment", "".join(comment.itertext()), f"comment at {cell}, {part}")


def _open(data: bytes, archive: Archive | None, name: str) -> Any:
    """Open a workbook whose archive and XML have been checked."""
    calamine = import_module("python_calamine")
    if archive is None and is_protected(data):
        raise protected_error(name)
    try:
        return calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
    except calamine.PasswordError as error:
        raise protected_error(name) from error
    except BaseException as error:
        # A panic of calamine, which is written in Rust, is no Exception.
        if isinstance(error, calamine.CalamineError | OSError | ValueError) or type(error).__name__ == "PanicException":
            raise ChunkscopeError(f"“{name}” is not a spreadsheet, or is damaged.", SAVE_AGAIN) from error
        raise


def _compress(data: bytes, archive: Archive | None) -> tuple[bytes, bool]:
    """Return a workbook whose XML has been checked, without the emptiness of sparse sheets, and whether it had any."""
    if archive is None:
        changed = compress_compound(data)
        return changed, changed is not data
    if _has_other_parts(archive.entries):
        parts = {part: new for part in archive.entries if (new := _compressed(archive, part)) is not None}
        return (replace_parts(archive, parts), True) if parts else (data, False)
    sparse = list[str]()

    def change(part: str, xml: bytes) -> bytes:
        changed = compress_xml(xml) if part.startswith("xl/worksheets/") else xml
        sparse.extend([part] * (changed is not xml))
        return changed

    return repack(archive, change), bool(sparse)


def _compressed(archive: Archive, part: str) -> bytes | None:
    """Return a part of a workbook of XLSB or ODS without emptiness; ``None`` if it has none."""
    is_content = part == "content.xml"
    if not is_content and not (part.startswith("xl/worksheets/") and part.endswith(".bin")):
        return None
    data = archive.read(part)
    changed = compress_opendocument(data) if is_content else compress_binary(data)
    return changed if changed != data else None


def _has_other_parts(entries: Iterable[str]) -> bool:
    """Return whether a workbook has parts that are not XML (XLSB), or XML by another specification (ODS)."""
    return any(entry in ("xl/workbook.bin", "content.xml") for entry in entries)


def _rows(workbook: Any, index: int, name: str) -> Iterator[list[str]]:
    try:
        sheet = workbook.get_sheet_by_index(index)
    except Exception as error:  # calamine has an exception for each format
        raise ChunkscopeError(f"“{name}” is damaged: its sheet {index + 1} cannot be read.", SAVE_AGAIN) from error
    if sheet.height * sheet.width > MAX_CELLS:
        raise ChunkscopeError(
            f"“{name}” has a sheet with more than {MAX_CELLS // 10**6} million cells.",
            "Split it, or delete empty rows.",
        )
    return ([_text(value) for value in row] for row in sheet.iter_rows())


def _text(value: object) -> str:
    """Return a value as text."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ") if value.time() != datetime.time() else value.date().isoformat()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return " ".join(str(value).split())


def _add_sheet(
    writer: LayoutWriter, name: str, rows: Iterable[list[str]], drawn: Iterable[SheetText], is_sparse: bool
) -> bool:
    """Add the blocks of a sheet, then what is drawn on it; return whether it has any.

    The rows of a sparse sheet have other numbers than in the file, so its texts are counted instead.
    """
    part = f"sheet “{name}”"
    areas, texts = list(_areas(rows)), [text for text in drawn if text.text.strip()]
    if not areas and not texts:
        return False
    writer.begin_page()
    writer.add(Item("heading", name, part, 1))
    tables = 0
    for first, area in areas:
        titles, table = _divide(area)
        for offset, text in enumerate(titles):
            writer.add(Item("paragraph", text, f"{part}, {'text' if is_sparse else 'row'} {first + offset:,}"))
        for columns in _side_by_side(table) if table else ():
            tables += 1
            writer.add(Item("table", table_text(columns), f"{part}, table {tables:,}"))
    for number, (kind, text) in enumerate(texts, 1):
        writer.add(Item(kind, text, f"{part}, drawing {number:,}"))
    return True


def _areas(rows: Iterable[list[str]]) -> Iterator[tuple[int, list[list[str]]]]:
    """Yield the rows between empty rows, with the number of the first."""
    area: list[list[str]] = []
    for number, row in enumerate(rows, 1):
        if any(row):
            area.append(row)
        elif area:
            yield number - len(area), area
            area = []
    if area:
        yield number - len(area) + 1, area


def _divide(area: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Return the texts of the rows that have a single cell above the first row with several, and the other rows."""
    counts = [sum(map(bool, row)) for row in area]
    single = next((index for index, count in enumerate(counts) if count > 1), len(area))
    return ["".join(row) for row in area[:single]], area[single:]


def _side_by_side(rows: Sequence[Sequence[str]]) -> list[list[Sequence[str]]]:
    """Return the tables in rows: several if each has two columns or more, and empty columns divide them.

    Empty columns before the first are left out.
    """
    used = [any(cells) for cells in zip(*rows, strict=True)]
    groups = [list(group) for filled, group in groupby(range(len(used)), used.__getitem__) if filled]
    if min(map(len, groups)) == 1:
        groups = [[groups[0][0], groups[-1][-1]]]
    return [[row[group[0] : group[-1] + 1] for row in rows] for group in groups]
