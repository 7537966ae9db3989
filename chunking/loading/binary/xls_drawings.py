"""What is drawn on the sheets of workbooks of Excel before 2007 (XLS): charts, and shapes with text ([MS-XLS])."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from chunking.loading.archive import WORKBOOKS
from chunking.loading.binary.charts import chart_caption
from chunking.loading.binary.compound_file import CompoundFile
from chunking.loading.binary.sheet_drawings import SheetText
from chunking.loading.writer import table_text

BOF, EOF, BOUND_SHEET, FILE_PASS = 0x0809, 0x000A, 0x0085, 0x002F
BIFF8 = 0x0600

_SUP_BOOK, _EXTERN_SHEET, _OBJECT, _TEXT_OBJECT, _CONTINUE = 0x01AE, 0x0017, 0x005D, 0x01B6, 0x003C
_SERIES, _SOURCE, _SERIES_TEXT, _TEXT, _LINK, _INDEX = 0x1003, 0x1051, 0x100D, 0x1025, 0x1027, 0x1065
_NUMBER, _LABEL = 0x0203, 0x0204
_SHEET_KINDS = (BOUND_SHEET, _SUP_BOOK, _EXTERN_SHEET)
_CHART_KINDS = (_SERIES, _SOURCE, _SERIES_TEXT, _TEXT, _LINK, _INDEX, _NUMBER, _LABEL)
_KINDS = frozenset((BOF, EOF, FILE_PASS, _OBJECT, _TEXT_OBJECT, _CONTINUE, *_SHEET_KINDS, *_CHART_KINDS))
_CHART = 0x0020
_SHAPES = frozenset((0x00, 0x01, 0x02, 0x03, 0x04, 0x06, 0x09, 0x1E))
"""Kinds of objects that are shapes: neither comments nor controls."""

_OWN_CELLS = b"\x01\x04"
_TITLE, _AXES = 1, (2, 3, 7)
_REFERENCES = frozenset((0x1A, 0x1B))
"""Tokens of formulas that are a cell or cells of a sheet, without the bits of their class."""


_HEADER = struct.Struct("<HH")


def records(stream: bytes, kinds: Container[int]) -> Iterator[tuple[int, int, bytes]]:
    """Yield offset, kind and content of the records of some kinds in a stream."""
    offset, last = 0, len(stream) - 4
    while offset <= last:
        kind, size = _HEADER.unpack_from(stream, offset)
        if kind in kinds:
            yield offset, kind, stream[offset + 4 : offset + 4 + size]
        offset += 4 + size


def bound_sheet(record: bytes) -> tuple[int, str]:
    """Return where a sheet begins in the stream, and its name."""
    return int.from_bytes(record[:4], "little"), _short_string(record[6:])


def _short_string(data: bytes) -> str:
    """Return a string that begins with its length in one byte, and a byte that says how wide its characters are."""
    return _characters(data[1:], data[0]) if data else ""


def _characters(data: bytes, count: int) -> str:
    """Return the characters after a byte that says how wide they are."""
    wide = bool(data[:1] and data[0] & 1)
    words = data[1 : 1 + count * (1 + wide)]
    return words.decode("utf-16-le" if wide else "latin-1", "replace")


@dataclass
class _Chart:
    """A chart: its titles, the names of its series, where their values are, and the values that it keeps.

    Attributes:
        axes, series: titles and names.
        sources: for the values of each series the index of the sheet; ``None`` for values of its own.
        values: for values (1) and categories (2) the texts by series and place.
    """

    title: str = ""
    axes: list[str] = field(default_factory=list)
    series: list[str] = field(default_factory=list)
    sources: list[int | None] = field(default_factory=list)
    values: dict[int, dict[tuple[int, int], str]] = field(default_factory=lambda: defaultdict(dict))
    _words: str = ""
    _source: int = -1
    _index: int = 0

    def read(self, kind: int, record: bytes, sheets: list[int | None]) -> None:
        """Read a record; ``sheets`` are those that formulas refer to by their number."""
        if kind == _SERIES:
            self.series.append("")
        elif kind == _TEXT:
            self._words, self._source = "", -1
        elif kind == _SOURCE and len(record) >= 2:
            self._source = record[0]
            if record[0] == 1 and len(self.sources) < len(self.series):
                self.sources.append(_sheet_number(record, sheets))
        elif kind == _SERIES_TEXT:
            self._name(" ".join(_short_string(record[2:]).split()))
        elif kind == _LINK and self._words:
            target = int.from_bytes(record[:2], "little")
            self.title = self._words if target == _TITLE else self.title
            self.axes += [self._words] * (target in _AXES)
            self._words = ""
        elif kind == _INDEX:
            self._index = int.from_bytes(record[:2], "little")
        elif kind in (_NUMBER, _LABEL) and len(record) >= 9:
            point, series = struct.unpack_from("<HH", record)
            self.values[self._index][series, point] = _value(kind, record)

    def _name(self, words: str) -> None:
        if self.series and self._source == 0 and not self.series[-1] and len(self.sources) < len(self.series):
            self.series[-1] = words
        else:
            self._words = words

    def texts(self, visible: Container[int | None]) -> Iterator[SheetText]:
        """Yield the texts of the chart, given the indices of the sheets whose cells are read."""
        titles = chart_caption(self.title, self.axes)
        if self.sources and all(source is not None and source in visible for source in self.sources):
            yield SheetText("caption", chart_caption(titles, (), self.series))
        else:
            yield SheetText("caption", titles)
            yield SheetText("table", table_text(self._rows()))

    def _rows(self) -> Iterator[list[str]]:
        values, categories = self.values[1], {point: text for (_, point), text in self.values[2].items()}
        columns = range(len(self.series))
        if values:
            yield ["", *self.series]
        for point in sorted({point for _, point in values}):
            yield [categories.get(point, ""), *(values.get((column, point), "") for column in columns)]


def _value(kind: int, record: bytes) -> str:
    if kind == _LABEL:
        return _characters(record[8:], int.from_bytes(record[6:8], "little"))
    return f"{struct.unpack_from('<d', record, 6)[0]:.15g}" if len(record) >= 14 else ""


def _sheet_number(record: bytes, sheets: list[int | None]) -> int | None:
    """Return the index of the sheet of the cells that a source of values refers to; ``None`` for any other."""
    is_reference = record[1] == 2 and len(record) > 10 and record[8] & 0x1F in _REFERENCES
    number = int.from_bytes(record[9:11], "little") if is_reference else len(sheets)
    return sheets[number] if number < len(sheets) else None


class XlsDrawings:
    """The drawings of a workbook of Excel 97 to 2003; older ones have none here.

    Attributes:
        damaged: how many drawings were damaged: none is noticed.

    Args:
        data: the file.
        visible: names of the sheets whose cells are read.
    """

    def __init__(self, data: bytes, visible: Container[str]) -> None:
        self.damaged = 0
        self._visible = visible
        self._texts: dict[str, list[SheetText]] = {}
        self._sheets: dict[int, str] = {}  # names by where the sheets begin
        self._books: list[bytes] = []
        self._numbers: list[int | None] = []  # the sheets that formulas refer to by number
        self._depth = 0
        self._drawn: list[SheetText] = []  # of the open sheet
        self._chart: _Chart | None = None
        self._is_shape = False
        self._length = 0  # of the text that follows
        stream = b"".join(data[begin:end] for begin, end in CompoundFile(data).stream(WORKBOOKS))
        if stream[:2] == BOF.to_bytes(2, "little") and stream[4:6] == BIFF8.to_bytes(2, "little"):
            self._read(stream)

    def texts(self, sheet: str) -> Iterator[SheetText]:
        """Yield the texts of what is drawn on a sheet, in the order of the file."""
        yield from self._texts.get(sheet, ())

    def _read(self, stream: bytes) -> None:
        for offset, kind, record in records(stream, _KINDS):
            if kind == FILE_PASS:
                return
            if kind == BOF:
                self._begin(offset, record)
            elif kind == EOF:
                self._end()
            elif self._chart is not None:
                self._chart.read(kind, record, self._numbers)
            elif kind in _SHEET_KINDS:
                self._list_sheets(kind, record)
            else:
                self._shape(kind, record)

    def _begin(self, offset: int, record: bytes) -> None:
        """Begin a sheet, or a chart on it."""
        self._depth += 1
        if self._depth == 1 and offset in self._sheets:
            self._drawn = self._texts.setdefault(self._sheets[offset], [])
        if record[2:4] == _CHART.to_bytes(2, "little"):
            self._chart = _Chart()

    def _end(self) -> None:
        self._depth = max(self._depth - 1, 0)
        if self._chart is not None:
            self._drawn += self._chart.texts(self._read_sheets)
            self._chart = None

    @cached_property
    def _read_sheets(self) -> frozenset[int | None]:
        """The numbers of the sheets whose cells are read; all sheets are listed before the first begins."""
        return frozenset(number for number, name in enumerate(self._sheets.values()) if name in self._visible)

    def _list_sheets(self, kind: int, record: bytes) -> None:
        if kind == BOUND_SHEET:
            start, name = bound_sheet(record)
            self._sheets[start] = name
        elif kind == _SUP_BOOK:
            self._books.append(record)
        else:
            self._numbers = _extern_sheets(record, self._books)

    def _shape(self, kind: int, record: bytes) -> None:
        """Read a record of a shape: its kind, the length of its text, or that."""
        if kind == _OBJECT:
            self._is_shape = len(record) > 6 and record[4] in _SHAPES
        elif kind == _TEXT_OBJECT:
            self._length = int.from_bytes(record[10:12], "little") if self._is_shape else 0
        elif kind == _CONTINUE and self._length:
            self._drawn.append(SheetText("paragraph", _characters(record, self._length).replace("\r", "\n")))
            self._length = 0


def _extern_sheets(record: bytes, books: list[bytes]) -> list[int | None]:
    """Return the indices of the sheets that formulas refer to by number; ``None`` for those of other workbooks."""
    numbers: list[int | None] = []
    for book, first, last in struct.iter_unpack("<HHH", record[2 : 2 + (len(record) - 2) // 6 * 6]):
        is_own = book < len(books) and books[book][2:4] == _OWN_CELLS
        numbers.append(first if is_own and first == last else None)
    return numbers
