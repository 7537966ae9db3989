"""Sheets with a few cells far from each other, in every format of workbooks."""

from __future__ import annotations

import struct

from chunking.loading import load
from chunking.loading.binary import sheets
from chunking.loading.binary.sheet_drawings import binary_records
from chunking.loading.binary.sparse_sheets import compress_binary, compress_xml
from chunking.loading.parsed import LoadParameters
from tests.loading.binary import xls_files
from tests.loading.binary.test_odf import content as odf_content
from tests.loading.binary.test_odf import files as odf_files
from tests.loading.binary.test_sheets import MAIN, binary_record, cell, files, sheet
from tests.loading.checks import packed, shapes

FAR = f'<row r="1048576">{cell("XFC1048576", "last")}{cell("XFD1048576", 7)}</row>'


def test_a_cell_in_the_last_row_of_a_workbook_needs_no_memory_for_those_between() -> None:
    tea = sheet(("Leaf", "Price"), ("Green", 2), more=FAR)
    document = load(packed(files({"Tea": tea, "Milk": sheet(("Cow",))})), "prices.xlsx")
    assert document.text == "Tea\n\nLeaf | Price\nGreen | 2\n\nlast | 7\n\n\f\n\nMilk\n\nCow"


def test_a_sheet_that_states_a_small_size_or_is_dense_is_left_as_it_is() -> None:
    small = sheet(("a", "b"), (1, 2)).encode()
    assert compress_xml(small) is small
    stated = f'<worksheet xmlns="{MAIN}"><dimension ref="A1:B2"/><sheetData>{FAR}</sheetData></worksheet>'.encode()
    assert compress_xml(stated) is stated
    # Of a cell without a reference nobody knows where it is after a change of others.
    unknown = sheet(("a",), more=FAR + '<row><c t="str"><v>b</v></c></row>').encode()
    assert compress_xml(unknown) is unknown


def test_places_keep_what_is_next_to_each_other_and_one_empty_row_or_column_between_others() -> None:
    rows = "".join(
        f'<row r="{row}">{cell(f"A{row}", 1)}{cell(f"C{row}", 2)}{cell(f"ZZ{row}", 3)}</row>'
        for row in (5, 6, 9, 100_000)
    )
    changed = compress_xml(f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'.encode()).decode()
    assert [part.partition('"')[0] for part in changed.split('<c r="')[1:]] == [
        f"{column}{row}" for row in (1, 2, 4, 6) for column in "ACE"
    ]


def test_a_cell_in_the_last_row_of_a_workbook_of_excel_before_2007() -> None:
    size = xls_files.record(0x0200, struct.pack("<IIHHH", 0, 65536, 0, 256, 0))
    tea = size + xls_files.label(0, 0, "Leaf") + xls_files.numbers(0, 1, 4, 5) + xls_files.label(65535, 255, "last")
    document = load(xls_files.workbook({"Tea": tea, "Milk": xls_files.label(3, 3, "Cow")}), "prices.xls")
    assert document.text == "Tea\n\nLeaf | 4 | 5\n\nlast\n\n\f\n\nMilk\n\nCow"
    assert document.origin is not None
    assert "sheet “Tea”, text 4" in document.origin.parts


def test_a_cell_in_the_last_row_of_an_opendocument_spreadsheet() -> None:
    def row(word: str, attributes: str = "") -> str:
        value = (
            f'<table:table-cell office:value-type="string"><text:p>{word}</text:p></table:table-cell>' if word else ""
        )
        empty = '<table:table-cell table:number-columns-repeated="1000"/>'
        return f"<table:table-row {attributes}>{value}{empty}{value}</table:table-row>"

    body = row("Leaf") + row("", 'table:number-rows-repeated="1048570"') + row("last")
    xml = odf_content(f'<table:table table:name="Tea">{body}</table:table>', "spreadsheet")
    result = sheets.parse(packed(odf_files(xml, "spreadsheet")), "prices.ods", LoadParameters())
    assert [text.partition(" ")[0] for *_, text in shapes(result)] == ["Tea", "Leaf", "last"]


def test_a_binary_sheet_is_changed_where_it_is_sparse() -> None:
    def place(number: int) -> bytes:
        return struct.pack("<II", number, 0)

    data = b"".join(
        binary_record(kind, content)
        for kind, content in ((148, struct.pack("<IIII", 0, 1_048_575, 0, 16_383)), (0, place(0)), (5, place(0)),
                              (0, place(7)), (0, place(1_048_575)), (5, place(16_382)), (7, place(16_383)))
    )  # fmt: skip
    changed = [
        (kind, int.from_bytes(content[:4], "little")) for _, kind, content in binary_records(compress_binary(data))
    ]
    assert changed[1:] == [(0, 1), (5, 1), (0, 1), (0, 3), (5, 3), (7, 4)]
    small = data.replace(struct.pack("<IIII", 0, 1_048_575, 0, 16_383), struct.pack("<IIII", 0, 9, 0, 9))
    assert compress_binary(small) is small
