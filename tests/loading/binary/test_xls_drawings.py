"""What is drawn on the sheets of workbooks of Excel before 2007."""

from __future__ import annotations

import struct

import pytest

from chunking.loading.binary import sheets
from chunking.loading.binary.compound_file import CompoundFile
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading.binary.xls_files import END, begin, compound, label, number, record, workbook
from tests.loading.checks import check_parsed, shapes

OWN_BOOK = record(0x01AE, b"\x02\x00\x01\x04")
OTHER_BOOK = record(0x01AE, b"\x02\x00\x05\x00\x00other")


def extern(*sheets_: tuple[int, int]) -> bytes:
    entries = b"".join(struct.pack("<HHH", book, sheet, sheet) for book, sheet in sheets_)
    return record(0x0017, struct.pack("<H", len(sheets_)) + entries)


def words(text: str) -> bytes:
    return record(0x100D, struct.pack("<HBB", 0, len(text), 1) + text.encode("utf-16-le"))


def titled(text: str, target: int) -> bytes:
    return record(0x1025, bytes(32)) + words(text) + record(0x1027, struct.pack("<HHH", target, 0, 0))


def source(kind: int, sheet: int | None = None) -> bytes:
    if sheet is None:
        return record(0x1051, struct.pack("<BBHHH", kind, 1, 0, 0, 0))
    formula = struct.pack("<BHHHHH", 0x3B, sheet, 1, 2, 1, 1)
    return record(0x1051, struct.pack("<BBHHH", kind, 2, 0, 0, len(formula)) + formula)


def chart(sheet: int | None, name: str = "Green") -> bytes:
    series = record(0x1003, bytes(12)) + source(0) + words(name) + source(1, sheet) + source(2, sheet)
    kept = record(0x1065, b"\x01\0") + number(0, 0, 3) + number(1, 0, 4.4)
    kept += record(0x1065, b"\x02\0") + label(0, 0, "May") + label(1, 0, "June")
    return begin(0x20) + series + titled("Cups a month", 1) + titled("Cups", 2) + kept + END


def text_object(text: str, kind: int = 6) -> bytes:
    shape = record(0x005D, struct.pack("<HHHH", 0x15, 0x12, kind, 1) + bytes(14))
    length = record(0x01B6, struct.pack("<HHHHHHHHH", 0, 0, 0, 0, 0, len(text), 16, 0, 0))
    return shape + length + record(0x003C, b"\0" + text.encode("latin-1")) + record(0x003C, bytes(16))


CELLS = label(0, 0, "Month") + label(0, 1, "Green")


def parsed(data: bytes) -> Parsed:
    result = sheets.parse(data, "prices.xls", LoadParameters())
    check_parsed(result)
    return result


def test_a_chart_of_cells_has_its_titles_and_series() -> None:
    more = OWN_BOOK + extern((0, 0), (0, 1))
    result = parsed(workbook({"Tea": CELLS + text_object("On it\rand on") + chart(0)}, more=more))
    assert shapes(result)[2:] == [("paragraph", 0, "On it\nand on"), ("caption", 0, "Cups a month (Cups): Green")]


@pytest.mark.parametrize("sheet", [None, 1, 2, 9], ids=["its own", "hidden", "another file", "nowhere"])
def test_a_chart_of_other_values_has_them(sheet: int | None) -> None:
    more = OWN_BOOK + OTHER_BOOK + extern((0, 0), (0, 1), (1, 0))
    data = workbook({"Tea": CELLS + chart(sheet), "Hidden": CELLS}, hidden=("Hidden",), more=more)
    assert shapes(parsed(data))[2:] == [
        ("caption", 0, "Cups a month (Cups)"),
        ("table", 0, "| Green\nMay | 3\nJune | 4.4"),
    ]


def test_comments_and_controls_are_not_drawn() -> None:
    assert len(shapes(parsed(workbook({"Tea": CELLS + text_object("a comment", 0x19) + text_object("Go", 7)})))) == 2


def test_damaged_compound_files_have_no_streams() -> None:
    data = compound(bytes(9000))
    whole = CompoundFile(data).stream(["Workbook"])
    assert sum(end - start for start, end in whole) == 9216
    for size in range(0, len(data), 97):
        spans = CompoundFile(data[:size]).stream(["Workbook"])
        assert all(0 <= start < end <= size for start, end in spans)
    circle = bytearray(data)
    circle[-512:] = struct.pack("<128I", *([0] * 128))
    assert len(CompoundFile(bytes(circle)).stream(["Workbook"])) < 3
