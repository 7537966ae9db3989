"""Sheets with a few cells far from each other, brought together before calamine reads them.

calamine keeps the whole area of a sheet, so that one cell in the last row costs as much as a million. Here rows and
columns without cells become one between those that have some: that divides tables, and is all that is read of them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from itertools import islice

from chunking.loading.archive import WORKBOOKS
from chunking.loading.binary.compound_file import CompoundFile
from chunking.loading.binary.sheet_drawings import binary_records
from chunking.loading.binary.xls_drawings import BIFF8, BOF, BOUND_SHEET, EOF, FILE_PASS, bound_sheet, records
from chunking.runtime.patterns import compile_pattern

MAX_AREA = 1_000_000
"""Cells of the area of a sheet from which it is looked at."""

Places = dict[int, int]
"""The new place of each row or column that has cells."""

_DIMENSION = compile_pattern(rb'<dimension\s[^<>]{0,200}?ref="([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})"')
_CELL_START = compile_pattern(rb"<c[\s/>]")
_CELL = compile_pattern(rb'(<c\s(?:[^<>]*?\s)??r=")([A-Z]{1,3})([0-9]{1,7})"')
_EMPTY_ROWS = compile_pattern(
    rb"(<table:table-row(?:\s[^<>]*?)??\stable:number-rows-repeated=\")[0-9]{2,9}(\"[^<>]*+>"
    rb"(?:<table:(?:covered-)?table-cell[^<>]*+(?<=/)>)*+</table:table-row>)"
)
_CELL_RECORDS = frozenset((0x0003, 0x0006, 0x00D6, 0x00FD, 0x0203, 0x0204, 0x0205, 0x027E))
_ROW_OF_NUMBERS = 0x00BD
_DIMENSIONS = 0x0200
_PLACE_KINDS = frozenset((BOF, FILE_PASS, _DIMENSIONS, _ROW_OF_NUMBERS)) | _CELL_RECORDS
_MAX_SHEETS, _NEAR = 1_000, 16_384
"""Sheets whose stated areas are looked up, and bytes from their beginning in which they are."""

_BINARY_ROW, _BINARY_SIZE = 0, 148
_FIRST = 20
"""Records of a sheet of XLSB among which is its size."""

_BINARY_CELLS = frozenset(range(1, 12))


def compress_xml(data: bytes) -> bytes:
    """Return the XML of a sheet of XLSX in which no two rows or columns without cells follow each other."""
    dimension = _DIMENSION.search(data, 0, 4_096)
    if dimension and _area(*dimension.groups()) <= MAX_AREA:
        return data
    rows, columns = set[int](), set[bytes]()
    count = 0
    for cell in _CELL.finditer(data):
        columns.add(cell[2])
        rows.add(int(cell[3]))
        count += 1
    places = _places(rows), _places(map(_column, columns))
    if not _is_sparse(*places) or count != sum(1 for _ in _CELL_START.finditer(data)):
        return data
    letters = {column: _letters(places[1][_column(column)]) for column in columns}
    return _CELL.sub(lambda cell: b'%b%b%d"' % (cell[1], letters[cell[2]], places[0][int(cell[3])]), data)


def compress_opendocument(data: bytes) -> bytes:
    """Return the content of an ODS file in which rows without cells are not repeated."""
    return _EMPTY_ROWS.sub(rb"\g<1>1\2", data)


def compress_binary(data: bytes) -> bytes:
    """Return a sheet of XLSB in which no two rows or columns without cells follow each other."""
    dimension = next((record for _, kind, record in islice(binary_records(data), _FIRST) if kind == _BINARY_SIZE), b"")
    if len(dimension) >= 16:
        top, bottom, left, right = struct.unpack_from("<IIII", dimension)
        if (bottom - top + 1) * (right - left + 1) <= MAX_AREA:
            return data
    rows, columns = set[int](), set[int]()
    row = 0
    for _, kind, record in binary_records(data):
        if kind == _BINARY_ROW:
            row = int.from_bytes(record[:4], "little")
        elif kind in _BINARY_CELLS:
            rows.add(row)
            columns.add(int.from_bytes(record[:4], "little"))
    row_places, column_places = _places(rows), _places(columns)
    if not _is_sparse(row_places, column_places):
        return data
    changed, last = bytearray(data), 0
    for offset, kind, record in binary_records(data):
        if kind == _BINARY_ROW:
            last = row_places.get(int.from_bytes(record[:4], "little"), last)
            changed[offset : offset + 4] = last.to_bytes(4, "little")
        elif kind in _BINARY_CELLS:
            place = column_places[int.from_bytes(record[:4], "little")]
            changed[offset : offset + 4] = place.to_bytes(4, "little")
    return bytes(changed)


def compress_compound(data: bytes) -> bytes:
    """Return a workbook of XLS in whose sheets no two rows or columns without cells follow each other."""
    spans = CompoundFile(data).stream(WORKBOOKS)
    read = b"".join(data[begin:end] for begin, end in spans)
    if read[4:6] != BIFF8.to_bytes(2, "little") or _states_small_areas(read):
        return data
    sheets: list[tuple[set[int], set[int]]] = []
    for _, kind, record in records(read, _PLACE_KINDS):
        if kind == FILE_PASS:
            return data
        if kind == BOF:
            sheets.append((set(), set()))
        elif sheets and (span := _cells(kind, record)):
            sheets[-1][0].add(span[0])
            sheets[-1][1].update(range(span[1], span[2] + 1))
    places = [(_places(rows), _places(columns)) for rows, columns in sheets]
    if not any(_is_sparse(*pair) for pair in places):
        return data
    stream = bytearray(read)
    _move(stream, places)
    changed, start = bytearray(data), 0
    for begin, end in spans:
        changed[begin:end] = stream[start : start + end - begin]
        start += end - begin
    return bytes(changed)


def _states_small_areas(stream: bytes) -> bool:
    """Return whether all sheets of a stream of XLS state an area from which they are not looked at."""
    starts = []
    for _, kind, record in records(stream, (BOUND_SHEET, FILE_PASS, EOF)):
        if kind != BOUND_SHEET:
            break
        starts.append(bound_sheet(record)[0])
    return 0 < len(starts) <= _MAX_SHEETS and all(_stated_area(stream, start) <= MAX_AREA for start in starts)


def _stated_area(stream: bytes, start: int) -> int:
    """Return the area that a sheet states; more than is looked at where it states none."""
    for _, kind, record in records(stream[start : start + _NEAR], (_DIMENSIONS, EOF)):
        if kind == _DIMENSIONS and len(record) >= 12:
            top, bottom, left, right = map(int, struct.unpack_from("<IIHH", record))
            return max(bottom - top, 0) * max(right - left, 0)
        break
    return MAX_AREA + 1


def _move(stream: bytearray, places: list[tuple[Places, Places]]) -> None:
    """Change the places of the cells of sparse sheets in a stream."""
    number = -1
    for offset, kind, record in records(bytes(stream), _PLACE_KINDS):
        number += kind == BOF
        if number < 0 or not _is_sparse(*places[number]):
            continue
        rows, columns = places[number]
        content = offset + 4
        if span := _cells(kind, record):
            struct.pack_into("<HH", stream, content, rows[span[0]], columns[span[1]])
            if kind == _ROW_OF_NUMBERS:
                struct.pack_into("<H", stream, content + len(record) - 2, columns[span[2]])
        elif kind == _DIMENSIONS and len(record) >= 12:
            first, last = min(rows.values()), max(rows.values())
            struct.pack_into(
                "<IIHH", stream, content, first, last + 1, min(columns.values()), max(columns.values()) + 1
            )


def _cells(kind: int, record: bytes) -> tuple[int, int, int] | None:
    """Return row, first and last column of the cells of a record; ``None`` if it has none."""
    if kind in _CELL_RECORDS and len(record) >= 4:
        row, column = struct.unpack_from("<HH", record)
        return row, column, column
    if kind == _ROW_OF_NUMBERS and len(record) >= 12:
        row, first = struct.unpack_from("<HH", record)
        last = int.from_bytes(record[-2:], "little")
        return (row, first, last) if first <= last < first + len(record) // 6 + 1 else None
    return None


def _places(numbers: Iterable[int]) -> Places:
    """Return places for numbers: next to each other for those that are, else with one between them."""
    places: Places = {}
    place = before = -1
    for number in sorted(numbers):
        place = place + min(number - before, 2) if places else 1
        places[number] = place
        before = number
    return places


def _is_sparse(rows: Places, columns: Places) -> bool:
    """Return whether the area of cells is large, and would be smaller with other places."""
    if not rows or not columns:
        return False
    before, after = ((max(of(rows)) - min(of(rows)) + 1) * (max(of(columns)) - min(of(columns)) + 1) for of in _SIDES)
    return before > MAX_AREA and after < before


_SIDES: tuple[Callable[[Places], Iterable[int]], ...] = (dict.keys, dict.values)


def _area(first: bytes, top: bytes, last: bytes, bottom: bytes) -> int:
    return max(int(bottom) - int(top) + 1, 0) * max(_column(last) - _column(first) + 1, 0)


def _column(letters: bytes) -> int:
    """Return the number of a column, from 1."""
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _letters(number: int) -> bytes:
    letters = b""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = bytes((65 + rest,)) + letters
    return letters
