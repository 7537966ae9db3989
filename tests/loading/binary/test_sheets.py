"""Spreadsheets, from their raw XML."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.loading.binary import sheets
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading.binary.test_pptx import OFFICE, relations
from tests.loading.checks import check_parsed, packed, shapes

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
Cell = str | float | None


def cell(reference: str, value: Cell, style: int = 0) -> str:
    if isinstance(value, str):
        return f'<c r="{reference}" t="inlineStr"><is><t>{value}</t></is></c>'
    return "" if value is None else f'<c r="{reference}" s="{style}"><v>{value}</v></c>'


def sheet(*rows: tuple[Cell, ...], more: str = "") -> str:
    cells = (
        "".join(cell(f"{chr(65 + column)}{number}", value) for column, value in enumerate(row))
        for number, row in enumerate(rows, 1)
    )
    inner = "".join(f'<row r="{number}">{row}</row>' for number, row in enumerate(cells, 1))
    return f'<worksheet xmlns="{MAIN}"><sheetData>{inner}{more}</sheetData></worksheet>'


def files(contents: Mapping[str, str], states: Mapping[str, str] | None = None) -> dict[str, str | bytes]:
    entries = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="r{number}" state="{(states or {}).get(name, "visible")}"/>'
        for number, name in enumerate(contents, 1)
    )
    targets = [("worksheet", f"worksheets/sheet{number}.xml") for number in range(1, len(contents) + 1)]
    return {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{entries}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(*targets, ("styles", "styles.xml")),
        "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
        "</styleSheet>",
        **{f"xl/worksheets/sheet{number}.xml": content for number, content in enumerate(contents.values(), 1)},
    }


def parsed(contents: Mapping[str, str], states: Mapping[str, str] | None = None) -> Parsed:
    result = sheets.parse(packed(files(contents, states)), "prices.xlsx", LoadParameters())
    check_parsed(result)
    return result


def test_a_sheet_is_a_heading_and_tables_that_begin_with_their_headers() -> None:
    prices = sheet(
        ("Prices of 2026", None, None),
        (None, "Leaf", "Price"),
        (None, "Green", 2.0),
        (None, "Black", 2.5),
        (),
        ("Without tax", None, None),
        more=f'<row r="8">{cell("A8", "Since")}{cell("B8", 45000, 1)}</row>',
    )
    hidden = sheet(("secret",))
    result = parsed({"Tea": prices, "Hidden": hidden, "Empty": sheet()}, {"Hidden": "hidden"})
    assert shapes(result) == [
        ("heading", 1, "Tea"),
        ("paragraph", 0, "Prices of 2026"),
        ("table", 0, "Leaf | Price\nGreen | 2\nBlack | 2.5"),
        ("paragraph", 0, "Without tax"),
        ("table", 0, "Since | 2023-03-15"),
    ]
    assert result.notes == ("1 hidden sheet was left out.",)
    assert [aside[:2] for aside in result.aside] == [("hidden sheet", "secret")]


def test_tables_beside_each_other_are_two_but_columns_that_divide_fields_are_not() -> None:
    beside = sheet(("a", "b", None, "c", "d"), (1, 2, None, 3, 4))
    form = sheet(("No.", None, "Name"), (1, None, "Tea"))
    assert [shape[2] for shape in shapes(parsed({"S": beside}))[1:]] == ["a | b\n1 | 2", "c | d\n3 | 4"]
    assert shapes(parsed({"S": form}))[1:] == [("table", 0, "No. |  | Name\n1 |  | Tea")]


def test_workbooks_are_known_by_their_content() -> None:
    document = load(packed(files({"Tea": sheet(("Leaf", "Price"), ("Green", 2))})), "prices.docx")
    assert (document.format, document.text) == ("xlsx", "Tea\n\nLeaf | Price\nGreen | 2")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (f'<worksheet xmlns="{MAIN}"><!DOCTYPE a></worksheet>', "document type"),
        (sheet(("a",), more=f'<row r="1048576">{cell("XFD1048576", 1)}</row>'), "million cells|memory|crashed"),
    ],
    ids=["a document type", "an area of billions of cells"],
)
def test_harmful_workbooks_are_refused(content: str, words: str) -> None:
    with pytest.raises(ChunkscopeError, match=words):
        load(packed(files({"S": content})), "prices.xlsx")
