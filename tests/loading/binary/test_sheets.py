"""Spreadsheets, from their raw XML."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.loading.archive import open_archive
from chunking.loading.binary import sheets
from chunking.loading.binary.office import Package
from chunking.loading.binary.sheet_drawings import SheetDrawings
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading.binary.test_docx import CHART
from tests.loading.binary.test_odf import NAMES as ODF_NAMES
from tests.loading.binary.test_odf import content as odf_content
from tests.loading.binary.test_odf import files as odf_files
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


DRAWN = (
    'xmlns:x="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:r="' + OFFICE + '" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)
SOLD = [("caption", 0, "Cups a month"), ("table", 0, "| Green\nMay | 3\nJune | 4.4")]


def anchor(row: int, content: str) -> str:
    start = f"<x:from><x:col>1</x:col><x:row>{row}</x:row></x:from>"
    return f"<x:twoCellAnchor>{start}{content}</x:twoCellAnchor>"


def text_box(*texts: str) -> str:
    paragraphs = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)
    return f"<x:sp><x:txBody>{paragraphs}</x:txBody></x:sp>"


def chart_frame(relation: str = "r1") -> str:
    return f'<x:graphicFrame><a:graphic><c:chart r:id="{relation}"/></a:graphic></x:graphicFrame>'


def drawn(contents: Mapping[str, str], *anchors: str, chart: str = CHART) -> dict[str, str | bytes]:
    """Return the files of a workbook whose first sheet has a drawing."""
    return {
        **files(contents),
        "xl/worksheets/_rels/sheet1.xml.rels": relations(("drawing", "../drawings/drawing1.xml")),
        "xl/drawings/drawing1.xml": f"<x:wsDr {DRAWN}>{''.join(anchors)}</x:wsDr>",
        "xl/drawings/_rels/drawing1.xml.rels": relations(("chart", "../charts/chart1.xml")),
        "xl/charts/chart1.xml": chart,
    }


def parsed_files(contents: Mapping[str, str | bytes]) -> Parsed:
    result = sheets.parse(packed(dict(contents)), "prices.xlsx", LoadParameters())
    check_parsed(result)
    return result


def test_charts_and_text_boxes_follow_the_tables_of_their_sheet_from_the_top() -> None:
    other = "<x:sp><x:txBody><a:p><a:r><a:t>not available</a:t></a:r></a:p></x:txBody></x:sp>"
    choices = f"<mc:Choice>{text_box('Both', 'lines')}</mc:Choice><mc:Fallback>{other}</mc:Fallback>"
    alternate = f"<mc:AlternateContent>{choices}</mc:AlternateContent>"
    anchors = anchor(20, f"<x:grpSp>{text_box('Below')}</x:grpSp>"), anchor(9, alternate), anchor(3, chart_frame())
    result = parsed_files(drawn({"Tea": sheet(("Leaf", "Price"), ("Green", 2)), "Milk": sheet(("Cow", 1))}, *anchors))
    assert shapes(result) == [
        ("heading", 1, "Tea"),
        ("table", 0, "Leaf | Price\nGreen | 2"),
        *SOLD,
        ("paragraph", 0, "Both\nlines"),
        ("paragraph", 0, "Below"),
        ("page_break", 0, "\f"),
        ("heading", 1, "Milk"),
        ("table", 0, "Cow | 1"),
    ]


def test_a_sheet_that_is_a_chart_has_its_title_and_values() -> None:
    contents = drawn({"Sold": sheet(), "Tea": sheet(("Leaf", "Price"))}, anchor(0, chart_frame()))
    workbook_relations = str(contents["xl/_rels/workbook.xml.rels"])
    contents["xl/_rels/workbook.xml.rels"] = workbook_relations.replace(
        "worksheets/sheet1", "chartsheets/sheet1"
    ).replace("/worksheet", "/chartsheet", 1)
    contents["xl/chartsheets/sheet1.xml"] = f'<chartsheet xmlns="{MAIN}"/>'
    contents["xl/chartsheets/_rels/sheet1.xml.rels"] = contents.pop("xl/worksheets/_rels/sheet1.xml.rels")
    result = parsed_files(contents)
    assert shapes(result)[:3] == [("heading", 1, "Sold"), *SOLD]
    assert result.notes == ()
    contents["xl/drawings/drawing1.xml"] = f"<x:wsDr {DRAWN}/>"
    assert parsed_files(contents).notes == ("1 sheet without cells (such as macros) was left out.",)


def test_what_is_drawn_on_a_hidden_sheet_is_excluded_with_it() -> None:
    contents = drawn({"Secret": sheet(("a", "b")), "Tea": sheet(("Leaf",))}, anchor(0, text_box("Also secret")))
    contents["xl/workbook.xml"] = str(contents["xl/workbook.xml"]).replace("visible", "hidden", 1)
    result = parsed_files(contents)
    assert shapes(result) == [("heading", 1, "Tea"), ("paragraph", 0, "Leaf")]
    assert [aside[:2] for aside in result.aside] == [("hidden sheet", "a | b\n\nAlso secret")]


@pytest.mark.parametrize(
    ("frame", "chart", "is_read"),
    [(chart_frame(), "<c:chartSpace", False), (chart_frame("r9"), CHART, False), (chart_frame() * 3, CHART, True)],
    ids=["damaged", "missing", "named three times"],
)
def test_a_chart_is_read_once_and_only_if_it_is_there(frame: str, chart: str, is_read: bool) -> None:
    result = parsed_files(drawn({"Tea": sheet(("Leaf",))}, anchor(0, frame), chart=chart))
    assert shapes(result)[2:] == (SOLD if is_read else [])
    assert result.notes == (() if is_read else ("1 drawing or chart that is damaged was left out.",))


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
        (
            sheet(("a",), more=f'<row><c><v>1</v></c></row><row r="1048576">{cell("XFD1048576", 1)}</row>'),
            "million cells|memory|crashed",
        ),
    ],
    ids=["a document type", "an area of billions of cells"],
)
def test_harmful_workbooks_are_refused(content: str, words: str) -> None:
    with pytest.raises(ChunkscopeError, match=words):
        load(packed(files({"S": content})), "prices.xlsx")


def chart_of(sheet_name: str, more: str = "") -> str:
    """A chart with an axis title, whose values and categories are those of cells of a sheet."""
    formula = f"<c:f>{sheet_name}!$A$2:$A$9</c:f>"
    axis = "<c:valAx><c:title><c:tx><c:rich><a:p><a:r><a:t>Cups</a:t></a:r></a:p></c:rich></c:tx></c:title></c:valAx>"
    chart = CHART.replace("<c:strRef>", f"<c:strRef>{formula}").replace("<c:numRef>", f"<c:numRef>{formula}")
    return chart.replace("</c:plotArea>", f"{axis}{more}</c:plotArea>")


@pytest.mark.parametrize("name", ["Tea", "'Tea'"])
def test_a_chart_of_cells_does_not_repeat_them(name: str) -> None:
    contents = {"Tea": sheet(("Month", "Green"), ("May", 3)), "Hidden": sheet(("a",))}
    frame = anchor(0, chart_frame())
    result = parsed_files(drawn(contents, frame, chart=chart_of(name)))
    assert shapes(result)[2:4] == [("caption", 0, "Cups a month (Cups): Green"), ("page_break", 0, "\f")]
    untitled = chart_of(name).replace("Cups a month", "").replace(">Cups<", "><")
    assert shapes(parsed_files(drawn(contents, frame, chart=untitled)))[2] == ("caption", 0, "Green")


@pytest.mark.parametrize("name", ["Hidden", "[1]Tea", "Nowhere"])
def test_a_chart_of_cells_that_are_not_read_has_their_values(name: str) -> None:
    contents = drawn(
        {"Tea": sheet(("Month",)), "Hidden": sheet(("a",))}, anchor(0, chart_frame()), chart=chart_of(name)
    )
    contents["xl/workbook.xml"] = str(contents["xl/workbook.xml"]).replace(
        'r:id="r2" state="visible"', 'r:id="r2" state="hidden"'
    )
    assert shapes(parsed_files(contents))[2:] == [("caption", 0, "Cups a month (Cups)"), SOLD[1]]


def binary_record(kind: int, content: bytes) -> bytes:
    low = bytes((kind & 0x7F | 0x80, kind >> 7)) if kind > 127 else bytes((kind,))
    return low + bytes((len(content) & 0x7F | 0x80, len(content) >> 7)) + content


def wide(text: str) -> bytes:
    return len(text).to_bytes(4, "little") + text.encode("utf-16-le")


def test_what_is_drawn_on_the_sheets_of_a_binary_workbook() -> None:
    sheets_ = b"".join(binary_record(156, bytes(8) + wide(f"r{n}") + wide(name)) for n, name in ((1, "Tea"), (2, "Ä")))
    contents = drawn(
        {"Tea": sheet(), "Ä": sheet()}, anchor(0, text_box("On it") + chart_frame()), chart=chart_of("Tea")
    )
    workbook = binary_record(131, b"") + sheets_ + binary_record(144, b"")
    parts = {name.replace(".xml", ".bin") if "sheet1" in name else name: data for name, data in contents.items()}
    parts["xl/workbook.bin"] = workbook
    parts["xl/_rels/workbook.bin.rels"] = relations(("worksheet", "worksheets/sheet1.bin"))
    parts["xl/worksheets/_rels/sheet1.bin.rels"] = parts.pop("xl/worksheets/_rels/sheet1.bin.rels")
    del parts["xl/workbook.xml"]
    archive = open_archive(packed(parts), "prices.xlsb")
    drawings = SheetDrawings(Package(archive), {"Tea", "Ä"})
    assert list(drawings.texts("Tea")) == [("paragraph", "On it"), ("caption", "Cups a month (Cups): Green")]
    assert list(drawings.texts("Ä")) == []


ODS_CHART = (
    '<office:document-content xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" '
    f"{ODF_NAMES}><office:body><office:chart><chart:chart><chart:title><text:p>Cups a month</text:p></chart:title>"
    '<chart:plot-area><chart:axis chart:dimension="y"><chart:title><text:p>Cups</text:p></chart:title></chart:axis>'
    '<chart:series chart:values-cell-range-address="SHEET.$B$2:.$B$3"/></chart:plot-area><table:table '
    'table:name="local-table"><table:table-header-rows><table:table-row><table:table-cell/><table:table-cell><text:p>'
    "Green</text:p></table:table-cell></table:table-row></table:table-header-rows><table:table-rows><table:table-row>"
    "<table:table-cell><text:p>May</text:p></table:table-cell><table:table-cell><text:p>3</text:p></table:table-cell>"
    "</table:table-row></table:table-rows></table:table></chart:chart></office:chart></office:body>"
    "</office:document-content>"
)


def ods(chart: str) -> Parsed:
    cells = "".join(
        f'<table:table-cell office:value-type="string"><text:p>{word}</text:p></table:table-cell>'
        for word in ("Month", "Green")
    )
    drawn_ = (
        '<table:shapes><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame><draw:custom-shape><text:p>On it'
        "</text:p></draw:custom-shape></table:shapes>"
    )
    body = f'<table:table table:name="Tea">{drawn_}<table:table-row>{cells}</table:table-row></table:table>'
    xml = odf_content(body, "spreadsheet")
    xml = xml.replace(" xmlns:office", ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:office', 1)
    contents = odf_files(xml, "spreadsheet")
    result = sheets.parse(packed({**contents, "Object 1/content.xml": chart}), "prices.ods", LoadParameters())
    check_parsed(result)
    return result


def test_what_is_drawn_on_the_sheets_of_opendocument() -> None:
    head = [("heading", 1, "Tea"), ("table", 0, "Month | Green")]
    box = ("paragraph", 0, "On it")
    assert shapes(ods(ODS_CHART.replace("SHEET", "$'Tea'"))) == [
        *head,
        ("caption", 0, "Cups a month (Cups): Green"),
        box,
    ]
    assert shapes(ods(ODS_CHART.replace("SHEET", "local-table"))) == [
        *head,
        ("caption", 0, "Cups a month (Cups)"),
        ("table", 0, "| Green\nMay | 3"),
        box,
    ]
    damaged = ods("<office:document")
    assert shapes(damaged) == [*head, box]
    assert damaged.notes == ("1 drawing or chart that is damaged was left out.",)
