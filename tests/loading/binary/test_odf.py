"""OpenDocument files, from their raw XML."""

from __future__ import annotations

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.loading.binary import odf
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading.checks import check_parsed, packed, shapes

NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"), ("style", "style"),
        ("presentation", "presentation"), ("fo", "xsl-fo-compatible"),
    )
)  # fmt: skip
STYLES = (
    '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    '<style:style style:name="P2" style:family="paragraph" style:parent-style-name="Preformatted_20_Text"/>'
    '<style:style style:name="P3" style:family="paragraph" style:parent-style-name="Standard">'
    '<style:paragraph-properties fo:break-before="page"/></style:style>'
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1" style:num-suffix="." '
    'style:num-format="1"/><text:list-level-style-bullet text:level="2" text:bullet-char="–"/></text:list-style>'
)


def content(body: str, kind: str = "text", styles: str = STYLES, root: str = "document-content") -> str:
    return (
        f"<office:{root} {NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:{root}>"
    )


def files(xml: str, type: str = "text", manifest: str = "") -> dict[str, str | bytes]:
    entries = f'<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">{manifest}</m:manifest>'
    return {
        "mimetype": f"application/vnd.oasis.opendocument.{type}",
        "content.xml": xml,
        "META-INF/manifest.xml": entries,
    }


def parsed(body: str, kind: str = "text", styles: str = STYLES) -> Parsed:
    result = odf.parse(packed(files(content(body, kind, styles), kind)), "tea.odt", LoadParameters())
    check_parsed(result)
    return result


def p(text: str, style: str = "Standard") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def items(*words: str, style: str = "L1", attributes: str = "") -> str:
    inner = "".join(f"<text:list-item>{p(word)}</text:list-item>" for word in words)
    return f'<text:list text:style-name="{style}" {attributes}>{inner}</text:list>'


FROM_FOUR = (
    '<text:list-style style:name="L4"><text:list-level-style-number text:level="1" style:num-suffix=")" '
    'style:num-format="a" text:start-value="4"/></text:list-style>'
)


def test_a_list_begins_with_the_number_that_its_style_states() -> None:
    body = items("pot", "cup", style="L4") + p("then") + items("tray", style="L4")
    body += items("lid", style="L4", attributes='text:continue-numbering="true"')
    words = [text for kind, _, text in shapes(parsed(body, styles=STYLES + FROM_FOUR)) if kind == "list_item"]
    assert words == ["d) pot", "e) cup", "d) tray", "e) lid"]


def test_lists_in_the_cells_of_a_table_have_their_marks() -> None:
    cells = "".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in (p("How"), items("Boil.", "Pour.")))
    table = f"<table:table><table:table-row>{cells}</table:table-row></table:table>"
    within = f'<text:list text:style-name="L1"><text:list-item>{p("Brew")}{table}</text:list-item></text:list>'
    assert parsed(table + items("after")).text == "How | 1. Boil. 2. Pour.\n\n1. after"
    assert parsed(within).text == "1. Brew\n\nHow | 1. Boil. 2. Pour."


def h(text: str, level: int, attributes: str = "") -> str:
    return f'<text:h text:outline-level="{level}" {attributes}>{text}</text:h>'


OUTLINE = (
    '<text:outline-style><text:outline-level-style text:level="1" style:num-format="1" style:num-suffix="."/>'
    '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>'
    '<text:outline-level-style text:level="3" style:num-format=""/></text:outline-style>'
    '<style:style style:name="Plain" style:family="paragraph" style:list-style-name=""/>'
)


def test_headings_have_the_numbers_of_the_outline() -> None:
    body = (
        h("Tea", 1) + h("Leaf", 2) + h("Pot", 2) + h("Lid", 3) + h("Bread", 1) + h("Crust", 2)
        + h("Preface", 1, 'text:style-name="Plain"') + h("Notes", 1, 'text:is-list-header="true"')
        + h("Again", 1, 'text:restart-numbering="true" text:start-value="7"') + h("Deep", 400)
    )  # fmt: skip
    result = parsed(body, styles=STYLES + OUTLINE)
    assert [text for _, _, text in shapes(result)] == [
        "1. Tea", "1.1 Leaf", "1.2 Pot", "Lid", "2. Bread", "2.1 Crust", "Preface", "Notes", "7. Again", "Deep"
    ]  # fmt: skip
    assert [result.text[block.content : block.end] for block in result.blocks][:2] == ["Tea", "Leaf"]
    assert parsed(h("Leaf", 2) + h("Pot", 2), styles=OUTLINE).text == "1.1 Leaf\n\n1.2 Pot"


def test_headings_lists_tables_and_code_of_a_text() -> None:
    note = "<text:note><text:note-citation>1</text:note-citation><text:note-body>{}</text:note-body></text:note>"
    inner = (
        f"<text:list>{''.join(f'<text:list-item>{p(word)}</text:list-item>' for word in ('soft', 'cold'))}</text:list>"
    )
    box = f"<draw:frame><draw:text-box>{p('In a box')}</draw:text-box></draw:frame>"
    rows = (
        "<table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned='2'>"
        f"{p('Leaf')}</table:table-cell><table:covered-table-cell/><table:table-cell>{p('Price')}</table:table-cell>"
        f"</table:table-row></table:table-header-rows><table:table-row><table:table-cell>{p('Green')}</table:table-cell>"
        f"<table:covered-table-cell/><table:table-cell>{p('2')}</table:table-cell></table:table-row>"
    )
    result = parsed(
        "<text:tracked-changes>" + p("deleted") + "</text:tracked-changes>"
        + p("Of tea", "P1")
        + '<text:h text:outline-level="2">Water</text:h>'
        + p(f"Boil<text:s text:c='2'/>it.<text:tab/>Now{note.format(p('Hot.'))}{box}")
        + f'<text:list text:style-name="L1"><text:list-item>{p("One")}{inner}</text:list-item>'
        + f"<text:list-item>{p('Two')}</text:list-item></text:list>"
        + p("x = 1", "P2") + p("y = 2", "P2") + p("Said he.", "Quotations")
        + f"<table:table>{rows}</table:table>"
        + p("New page", "P3")
    )  # fmt: skip
    assert shapes(result) == [
        ("heading", 1, "Of tea"),
        ("heading", 2, "Water"),
        ("paragraph", 0, "Boil  it.\tNow[1]"),
        ("footnote", 0, "[1] Hot."),
        ("paragraph", 0, "In a box"),
        ("list_item", 1, "1. One"),
        ("list_item", 2, "– soft"),
        ("list_item", 2, "– cold"),
        ("list_item", 1, "2. Two"),
        ("code", 0, "x = 1\ny = 2"),
        ("quote", 1, "Said he."),
        ("table", 0, "Leaf | Price\nGreen |  | 2"),
        ("page_break", 0, "\f"),
        ("paragraph", 0, "New page"),
    ]


def test_slides_have_titles_and_notes() -> None:
    frame = '<draw:frame presentation:class="{}"><draw:text-box>{}</draw:text-box></draw:frame>'
    notes = f"<presentation:notes>{frame.format('notes', p('Say hello.'))}</presentation:notes>"
    frames = frame.format("outline", p("Boil.")) + frame.format("title", p("Tea"))
    slide = f'<draw:page draw:name="a">{frames}{notes}</draw:page>'
    result = parsed(slide + f"<draw:page>{frame.format('title', p('Bread'))}</draw:page>", "presentation")
    assert shapes(result) == [
        ("heading", 1, "Tea"),
        ("paragraph", 0, "Boil."),
        ("footnote", 0, "Say hello."),
        ("page_break", 0, "\f"),
        ("heading", 1, "Bread"),
    ]


def test_files_are_known_by_their_content_and_flat_ones_are_read() -> None:
    body = '<text:h text:outline-level="1">Tea</text:h>'
    document = load(packed(files(content(body))), "tea.zip")
    flat = load(f'<?xml version="1.0"?>{content(body, root="document")}'.encode(), "tea.xml")
    assert (document.format, document.text) == (flat.format, flat.text) == ("odt", "Tea")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (packed(files(content(""), manifest="<m:encryption-data/>")), "password"),
        (packed(files("<!DOCTYPE a><a/>")), "document type"),
        (packed(files("<a/>")), "not an OpenDocument"),
        (b"<office:document", "damaged"),
    ],
    ids=["encrypted", "a document type", "another document", "broken"],
)
def test_harmful_files_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(ChunkscopeError, match=words):
        odf.parse(data, "tea.odt", LoadParameters())


def test_superscripts_and_subscripts_by_style() -> None:
    styles = "".join(
        f'<style:style style:name="{name}" style:family="text" style:parent-style-name="{parent}">'
        f'<style:text-properties style:text-position="{position}"/></style:style>'
        for name, parent, position in (
            ("T1", "", "super 58%"),
            ("T2", "", "-33% 58%"),
            ("T3", "T1", ""),
            ("T4", "", "0% 100%"),
        )
    )
    span = '<text:span text:style-name="{}">{}</text:span>'.format
    note = f"<text:note><text:note-body>{p('10' + span('T1', '3'))}</text:note-body></text:note>"
    inner = (
        f"x{span('T1', '2')} of H{span('T2', '2')}O, method{span('T3', '12')}, 10{span('T1', '-' + span('T4', '3'))}"
    )
    cell = f"<table:table-cell>{p('km' + span('T1', '2'))}</table:table-cell>"
    table = f"<table:table><table:table-row>{cell}{cell}</table:table-row></table:table>"
    assert shapes(parsed(p(inner + note) + table, styles=styles)) == [
        ("paragraph", 0, "x² of H₂O, method[12], 10⁻3[1]"),
        ("footnote", 0, "[1] 10³"),
        ("table", 0, "km² | km²"),
    ]


def test_a_chart_has_its_titles_before_its_values() -> None:
    chart = (
        f'<office:document-content xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0" {NAMES}><office:body>'
        "<office:chart><chart:chart><chart:title><text:p>Cups a month</text:p></chart:title><chart:plot-area>"
        "<chart:axis><chart:title><text:p>Month</text:p></chart:title></chart:axis></chart:plot-area><table:table><table:table-row>"
        "<table:table-cell><text:p>May</text:p></table:table-cell><table:table-cell><text:p>3</text:p>"
        "</table:table-cell></table:table-row></table:table></chart:chart></office:chart></office:body>"
        "</office:document-content>"
    )
    link = '<draw:frame><draw:object xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="./Object 1"/></draw:frame>'
    contents = files(content(p(f"Sold:{link}")))
    result = odf.parse(packed({**contents, "Object 1/content.xml": chart}), "tea.odt", LoadParameters())
    assert shapes(result) == [
        ("paragraph", 0, "Sold:"),
        ("caption", 0, "Cups a month (Month)"),
        ("table", 0, "May | 3"),
    ]
