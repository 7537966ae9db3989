from __future__ import annotations

import io
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.document import Aside
from chunking.errors import ChunkscopeError
from chunking.loading import numerals
from chunking.loading.binary import docx, office
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading.binary.test_diagrams import NAMES as DIAGRAM_NAMES
from tests.loading.binary.test_diagrams import below, data, point
from tests.loading.checks import check_parsed, packed, shapes

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
NAMES = (
    f'xmlns:w="{W}" xmlns:r="{OFFICE}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
KINDS = ("styles", "numbering", "footnotes", "endnotes", "comments", "header", "footer", "settings")


def part(root: str, inner: str) -> str:
    return f"<w:{root} {NAMES}>{inner}</w:{root}>"


def files(
    body: str, relations: str = "", main: str = MAIN, extra: Mapping[str, str | bytes] | None = None, **parts: str
) -> dict[str, str | bytes]:
    """A document of its raw XML; ``parts`` are named by their kind."""
    own = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    overrides = f'<Override PartName="/word/document.xml" ContentType="{main}"/>' + "".join(
        f'<Override PartName="/word/{kind}.xml" ContentType="{own}.{kind}+xml"/>' for kind in parts
    )
    relations += "".join(f'<Relationship Id="{kind}" Type="{OFFICE}/{kind}" Target="{kind}.xml"/>' for kind in parts)
    roots = {"header": "hdr", "footer": "ftr"}
    return {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType='
        f'"application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        f'ContentType="application/xml"/><Default Extension="bin" ContentType="application/x"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="a" '
        f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{relations}</Relationships>',
        "word/document.xml": part("document", f"<w:body>{body}</w:body>"),
        **{f"word/{kind}.xml": part(roots.get(kind, kind), inner) for kind, inner in parts.items()},
        **(extra or {}),
    }


def parsed(body: str, **more: Any) -> Parsed:
    result = docx.parse(packed(files(body, **more)), "tea.docx", LoadParameters())
    check(result)
    return result


def check(result: Parsed) -> None:
    """The contract, as the worker's parent checks it, and runs that say where each character is from."""
    covered = check_parsed(result)
    for block in result.blocks:
        if block.kind not in ("page_break", "table", "code"):
            text = result.text[block.content : block.end]
            assert all(covered[block.content : block.end]) or "\n" in text or "[" in text


def p(text: str = "", style: str = "", properties: str = "", run: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    look = f"<w:rPr>{run}</w:rPr>" if run else ""
    return f'<w:p><w:pPr>{named}{properties}</w:pPr><w:r>{look}<w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def r(text: str, look: str = "") -> str:
    return f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def style(key: str, name: str, inner: str = "", based: str = "", kind: str = "paragraph", default: bool = False) -> str:
    on = f'<w:basedOn w:val="{based}"/>' if based else ""
    first = ' w:default="1"' if default else ""
    return f'<w:style w:type="{kind}" w:styleId="{key}"{first}><w:name w:val="{name}"/>{on}{inner}</w:style>'


STYLES = (
    '<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/><w:lang w:val="cy-GB"/></w:rPr></w:rPrDefault>'
    '<w:pPrDefault><w:pPr><w:spacing w:after="160"/></w:pPr></w:pPrDefault></w:docDefaults>'
    + style("Normal", "Normal", default=True)
    + style("H1", "heading 1", '<w:pPr><w:spacing w:before="240" w:after="0"/><w:outlineLvl w:val="0"/></w:pPr>'
            '<w:rPr><w:b/><w:sz w:val="32"/></w:rPr>', "Normal")
    + style("H2", "heading 2", "", "Normal")
    + style("Mine", "My own heading", "<w:rPr><w:i/></w:rPr>", "H2")
    + style("Deep", "Deep", '<w:pPr><w:outlineLvl w:val="3"/></w:pPr>')
    + style("TOCHead", "TOC Heading", '<w:pPr><w:outlineLvl w:val="9"/></w:pPr>', "H1")
    + style("T", "Title")
    + style("Q", "Intense Quote", "<w:rPr><w:i/></w:rPr>", "Normal")
    + style("C", "caption")
    + style("Code", "HTML Preformatted")
    + style("Strong", "Strong", "<w:rPr><w:b/></w:rPr>", kind="character")
    + style("Loop1", "Loop 1", based="Loop2")
    + style("Loop2", "Loop 2", based="Loop1")
)  # fmt: skip


def test_a_document_of_python_docx() -> None:
    made = import_module("docx").Document()
    made.core_properties.language = "fr-CA"
    made.add_heading("Tea and bread", 0)
    made.add_heading("Tea", 1)
    made.add_paragraph("Boil water. ").add_run("Pour it.").bold = True
    for word in ("Green", "Black"):
        made.add_paragraph(word, style="List Bullet")
    made.add_paragraph("Earl", style="List Bullet 2")
    for word in ("First", "Second"):
        made.add_paragraph(word, style="List Number")
    made.add_paragraph("Said he.", style="Quote")
    made.sections[0].header.paragraphs[0].text = "On tea"
    made.sections[0].footer.paragraphs[0].text = "Page"
    out = io.BytesIO()
    made.save(out)
    result = docx.parse(out.getvalue(), "tea.docx", LoadParameters())
    check(result)
    assert shapes(result) == [
        ("heading", 1, "Tea and bread"),
        ("heading", 1, "Tea"),
        ("paragraph", 0, "Boil water. Pour it."),
        ("list_item", 1, "• Green"),
        ("list_item", 1, "• Black"),
        ("list_item", 2, "• Earl"),
        ("list_item", 1, "1. First"),
        ("list_item", 1, "2. Second"),
        ("quote", 1, "Said he."),
    ]
    assert [aside[:2] for aside in result.aside] == [("running head", "On tea"), ("running foot", "Page")]
    assert result.language == "fr"


def test_headings_by_style_outline_and_what_styles_are_based_on() -> None:
    body = (
        p("title", "T")
        + p("one", "H1")
        + p("two", "H2")
        + p("mine", "Mine")
        + p("deep", "Deep")
        + p("direct", properties='<w:outlineLvl w:val="4"/>')
        + p("contents", "TOCHead")
        + p("not one", "H1", '<w:outlineLvl w:val="9"/>')
        + p("", "H1")
        + p("loop", "Loop1")
        + p("unknown", "NotThere")
    )
    assert [(kind, level) for kind, level, _ in shapes(parsed(body, styles=STYLES))] == [
        ("heading", 1),
        ("heading", 1),
        ("heading", 2),
        ("heading", 2),
        ("heading", 4),
        ("heading", 5),
        *[("paragraph", 0)] * 4,
    ]


def test_kinds_by_style() -> None:
    result = parsed(p("a", "Q") + p("b", "C") + p("c", "Code") + p("d"), styles=STYLES)
    assert [kind for kind, _, _ in shapes(result)] == ["quote", "caption", "code", "paragraph"]


def test_how_blocks_are_set() -> None:
    body = (
        p("one", "H1")
        + p("two", properties='<w:spacing w:before="100"/><w:ind w:left="720" w:hanging="360"/>')
        + p("")
        + "<w:p>" + r("three ", '<w:rStyle w:val="Strong"/>') + r("is four five", "<w:b/><w:i/>") + r("x") + "</w:p>"
        + '<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr>' + r("both", '<w:rStyle w:val="Strong"/>') + "</w:p>"
    )  # fmt: skip
    one, two, three, both = (block.style for block in parsed(body, styles=STYLES).blocks)
    assert one and two and three and both
    assert (one.size, one.bold, one.space_before) == (16, True, -1)
    assert (two.size, two.bold, two.space_before, two.indent) == (11, False, 5, 18)
    assert (three.bold, three.italic) == (True, True)
    assert three.space_before == pytest.approx(8 + 8 + 11 * 1.2)
    assert not both.bold  # set by both styles, and so off
    assert both.space_before == 12


LEVELS = "".join(
    f'<w:lvl w:ilvl="{depth}"><w:start w:val="1"/><w:numFmt w:val="{format}"/><w:lvlText w:val="{text}"/></w:lvl>'
    for depth, (format, text) in enumerate([("decimal", "%1."), ("lowerLetter", "%1.%2)"), ("upperRoman", "(%3)")])
)
BULLETS = '<w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="\uf0b7"/></w:lvl>'
ODD = '<w:lvl w:ilvl="0"><w:numFmt w:val="cardinalText"/><w:lvlText w:val="%1."/></w:lvl>'
NUMBERING = (
    f'<w:abstractNum w:abstractNumId="0">{LEVELS}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="1">{BULLETS}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="2">{ODD}</w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/>'
    "</w:lvlOverride></w:num>"
    '<w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num>'
)


def numbered(text: str, number: int, depth: int = 0, style: str = "") -> str:
    return p(text, style, f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>')


def test_lists_show_the_marks_that_word_shows() -> None:
    items: list[tuple[str, int, int]] = [
        ("a", 1, 0), ("b", 1, 1), ("c", 1, 1), ("d", 1, 2), ("e", 1, 0), ("f", 1, 1), ("g", 2, 0), ("h", 2, 0),
        ("i", 3, 0), ("j", 4, 0), ("k", 0, 0), ("l", 99, 0),
    ]  # fmt: skip
    body = "".join(numbered(*item) for item in items)
    result = parsed(body, numbering=NUMBERING)
    assert result.text == ("1. a\n1.a) b\n1.b) c\n(I) d\n2. e\n2.a) f\n5. g\n6. h\n• i\nj\n\nk\n\nl")
    assert [block.level for block in result.blocks] == [1, 2, 2, 3, 1, 2, 1, 1, 1, 1, 0, 0]
    assert [result.text[block.content : block.end] for block in result.blocks] == list("abcdefghijkl")


def test_headings_show_their_numbers() -> None:
    result = parsed(numbered("Tea", 1, 0, "H1") + numbered("Green", 1, 1, "H2"), styles=STYLES, numbering=NUMBERING)
    assert shapes(result) == [("heading", 1, "1. Tea"), ("heading", 2, "1.a) Green")]


@pytest.mark.parametrize(("number", "letters", "roman"), [(1, "a", "i"), (26, "z", "xxvi"), (28, "bb", "xxviii")])
def test_letters_and_roman_numbers(number: int, letters: str, roman: str) -> None:
    assert (numerals.letters(number), numerals.roman(number)) == (letters, roman)
    assert (numerals.letters(0), numerals.roman(5000)) == ("0", "5000")


def row(*cells: str) -> str:
    return "<w:tr>" + "".join(f"<w:tc>{cell}</w:tc>" for cell in cells) + "</w:tr>"


def test_tables_are_one_block_and_merged_cells_are_there_once() -> None:
    wide = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
    top, below = '<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>', "<w:tcPr><w:vMerge/></w:tcPr>"
    inner = f"<w:tbl>{row(p('in'), p('side'))}</w:tbl>"
    gone = "<w:tr><w:trPr><w:del/></w:trPr><w:tc>" + p("deleted") + "</w:tc></w:tr>"
    table = (
        "<w:tbl>"
        + row(wide + p("head"), p("two\tlines") + p("in one"))
        + row(top + p("tall"), p(), p("x"))
        + row(below + p("ghost"), p("y") + inner, p())
        + gone
        + row(p(), p())
        + "</w:tbl>"
    )
    result = parsed(p("before") + table + p("after"))
    assert shapes(result)[1] == ("table", 0, "head |  | two lines in one\ntall |  | x\n| y in side |")
    assert result.origin
    place = result.text.index("side")
    assert result.origin.parts[result.origin.places(place, place + 4)[0].part] == "table 1, row 3, cell 2"
    assert result.text.endswith("|\n\nafter")


def test_a_table_of_one_cell_is_a_frame() -> None:
    result = parsed(f"<w:tbl>{row(p('one', 'H1') + p('two'))}</w:tbl>", styles=STYLES)
    assert shapes(result) == [("heading", 1, "one"), ("paragraph", 0, "two")]


def test_code_in_a_typewriter_font_is_one_block_with_its_indentation() -> None:
    font = '<w:rFonts w:ascii="Courier New"/>'
    lines = p("def tea():", run=font) + p("    pour()", run=font) + p() + p("tea()", run=font)
    result = parsed(p("So:") + lines + p("End ") + "<w:p>" + r("some ") + r("code", font) + "</w:p>")
    assert shapes(result) == [
        ("paragraph", 0, "So:"),
        ("code", 0, "def tea():\n    pour()\n\ntea()"),
        ("paragraph", 0, "End"),
        ("paragraph", 0, "some code"),
    ]


def test_a_manuscript_in_courier_is_not_code() -> None:
    courier = (
        '<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Courier New"/></w:rPr></w:rPrDefault></w:docDefaults>'
    )
    assert shapes(parsed(p("He went out."), styles=courier)) == [("paragraph", 0, "He went out.")]


def test_code_that_begins_indented_begins_at_its_first_letter() -> None:
    result = parsed(p("    x = 1", "Code"), styles=STYLES)
    assert (result.text, result.blocks[0].start) == ("    x = 1", 4)


def note(kind: str, key: int) -> str:
    return f'<w:r><w:{kind}Reference w:id="{key}"/></w:r>'


def test_notes_stand_after_the_paragraph_that_refers_to_them() -> None:
    body = (
        "<w:p>" + r("Tea") + note("footnote", 2) + r(" and bread") + note("endnote", 1) + r(".") + "</w:p>"
        + p("Next.") + "<w:p>" + r("Last") + note("footnote", 9) + "</w:p>"
    )  # fmt: skip
    footnotes = (
        f'<w:footnote w:id="-1" w:type="separator">{p("never")}</w:footnote>'
        f'<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r>{r(" Of leaves.")}</w:p>{p("Green ones.")}</w:footnote>'
    )
    result = parsed(body, footnotes=footnotes, endnotes=f'<w:endnote w:id="1">{p("Of rye.")}</w:endnote>')
    assert shapes(result) == [
        ("paragraph", 0, "Tea[1] and bread[i]."),
        ("footnote", 0, "[1] Of leaves.\nGreen ones."),
        ("footnote", 0, "[i] Of rye."),
        ("paragraph", 0, "Next."),
        ("paragraph", 0, "Last[2]"),
    ]
    assert result.origin
    # What the author wrote counts, not the marks.
    places = [result.origin.places(start, start + 3)[0] for start in (0, result.text.index("bread"))]
    assert [(place.start, place.end) for place in places] == [(0, 3), (8, 11)]


BREAK = '<w:r><w:br w:type="page"/></w:r>'


def test_page_breaks() -> None:
    section = '<w:sectPr><w:type w:val="{}"/></w:sectPr>'
    body = (
        f"<w:p>{BREAK}</w:p>" + p("a") + f"<w:p>{BREAK}</w:p>" + p("b", properties="<w:pageBreakBefore/>")
        + "<w:p>" + r("c") + BREAK + r("d") + "<w:r><w:lastRenderedPageBreak/></w:r>" + r("e") + "</w:p>"
        + p("f", properties=section.format("nextPage")) + p("g", properties=section.format("nextPage"))
        + p("h") + section.format("continuous") + f"<w:p>{BREAK}</w:p>"
    )  # fmt: skip
    result = parsed(body)
    assert result.text == "a\n\n\f\n\nb\n\nc\n\n\f\n\nde\n\nf\n\n\f\n\ng\n\nh"
    assert [block.kind for block in result.blocks].count("page_break") == 3
    spaces = {result.text[block.start]: block.style.space_before for block in result.blocks if block.style}
    assert {key for key, space in spaces.items() if space == -1} == {"a", "b", "d", "g"}


def test_characters_that_are_no_letters() -> None:
    inner = "<w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:softHyphen/><w:t>d</w:t>"
    symbols = '<w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:char="D800"/><w:sym w:char="nonsense"/>'
    assert parsed(f"<w:p><w:r>{inner}{symbols}</w:r></w:p>").text == "a\tb\nc-d✓"


def test_changes_links_and_fields_as_a_reader_sees_them() -> None:
    begin, separate, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    code = "<w:r><w:instrText>PAGEREF tea</w:instrText></w:r>"
    body = (
        "<w:p>"
        + "<w:del>" + r("gone ") + "</w:del><w:ins>" + r("new ") + "</w:ins>"
        + "<w:moveFrom>" + r("old place ") + "</w:moveFrom><w:moveTo>" + r("moved ") + "</w:moveTo>"
        + '<w:hyperlink r:id="x">' + r("linked ") + "</w:hyperlink>"
        + begin + code + begin + r("inside an instruction") + end + separate + r("7 ") + end
        + "<w:sdt><w:sdtPr/><w:sdtContent>" + r("filled in ") + "</w:sdtContent></w:sdt>"
        + "<w:ruby><w:rt>" + r("kana") + "</w:rt><w:rubyBase>" + r("kanji ") + "</w:rubyBase></w:ruby>"
        + "<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>"
        + "</w:p><w:p>" + begin + r("broken field") + "</w:p>" + p("and on")
    )  # fmt: skip
    result = parsed(body)
    assert result.text == "new moved linked 7 filled in kanji $x=1$\n\nand on"
    assert result.notes == ("1 tracked deletion was left out.",)


def test_formulas_on_lines_of_their_own_have_two_dollar_signs_and_others_do_not_touch() -> None:
    formula = "<m:oMath><m:r><m:t>{}</m:t></m:r></m:oMath>"
    display = f"<w:p><m:oMathPara>{formula.format('a≤b')}</m:oMathPara></w:p>"
    body = f"{display}<w:p>{formula.format(1)}{formula.format(2)}</w:p>"
    assert parsed(body).text == "$$a\\leq b$$\n\n$1$ $2$"


def test_what_stands_aside() -> None:
    choice = "<w:drawing><wps:txbx><w:txbxContent>" + p("In a box") + "</w:txbxContent></wps:txbx></w:drawing>"
    box = (
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps">{choice}</mc:Choice>'
        f"<mc:Fallback>{choice}</mc:Fallback></mc:AlternateContent></w:r>"
    )
    section = '<w:sectPr><w:headerReference w:type="{0}" r:id="header"/><w:footerReference r:id="gone"/></w:sectPr>'
    body = (
        "<w:p>" + r("Seen") + r("hidden", "<w:vanish/>") + box + "<w:r><w:drawing/></w:r></w:p>"
        + p("x", properties=section.format("first")) + section.format("default")
    )  # fmt: skip
    comments = f'<w:comment w:id="0">{p("Really?")}</w:comment>'
    result = parsed(body, header=p("On tea"), comments=comments)
    assert result.text == "Seen\n\nIn a box\n\nx"
    assert [aside[:2] for aside in result.aside] == [
        ("hidden text", "hidden"),
        ("running head", "On tea"),
        ("comment", "Really?"),
    ]
    assert result.origin
    assert result.origin.parts[result.aside[0].part] == "paragraph 1"
    assert result.notes == ("1 picture was left out.",)


def boxed(inner: str) -> str:
    return f"<w:r><w:pict><w:txbxContent>{inner}</w:txbxContent></w:pict></w:r>"


def test_boxes_and_hidden_text_are_found_wherever_they_stand() -> None:
    inner = f"<w:p>{r('outer')}{boxed(p('inner'))}</w:p>"
    body = f"<w:p>{r('a')}{boxed(inner)}{note('footnote', 1)}</w:p>" + (
        '<w:sectPr><w:headerReference r:id="header"/></w:sectPr>'
    )
    header = f"<w:p>{boxed(p('in the head'))}</w:p>"
    footnotes = f'<w:footnote w:id="1"><w:p>{r("seen")}{r("unseen", "<w:vanish/>")}</w:p></w:footnote>'
    result = parsed(body, header=header, footnotes=footnotes)
    assert result.origin
    assert [(aside.kind, aside.text, result.origin.parts[aside.part]) for aside in result.aside] == [
        ("hidden text", "unseen", "footnote 1"),
        ("running head", "in the head", "running head"),
    ]


def test_styles_based_on_each_other_without_end_take_no_time() -> None:
    chain = "".join(style(f"S{n}", f"S {n}", based=f"S{n + 1}") for n in range(3000))
    result = parsed("".join(p("a", f"S{n}") for n in range(3000)), styles=chain)
    assert len(result.blocks) == 3000


def imported(content: bytes, content_type: str, ending: str, body: str = "") -> Parsed:
    """A document that imports a file between two paragraphs."""
    made = files(
        p("before") + '<w:altChunk r:id="x"/>' + p("after") + body,
        relations=f'<Relationship Id="x" Type="{OFFICE}/aFChunk" Target="import.{ending}"/>',
        extra={f"word/import.{ending}": content},
    )
    types = str(made["[Content_Types].xml"])
    made["[Content_Types].xml"] = types.replace(
        "</Types>", f'<Default Extension="{ending}" ContentType="{content_type}"/></Types>'
    )
    return docx.parse(packed(made), "tea.docx", LoadParameters())


PAGE = b"<html><body><h2>Brew</h2><ol><li>Boil.<li>Pour.</ol></body></html>"


@pytest.mark.parametrize(
    ("content", "content_type", "ending"),
    [
        (PAGE, "text/html; charset=utf-8", "htm"),
        (b"MIME-Version: 1.0\nContent-Type: text/html\n\n" + PAGE, "message/rfc822", "mht"),
        (packed(files(p("Brew", "H1") + p("Boil.") + p("Pour."), styles=STYLES)), MAIN, "docx"),
        (b"{\\rtf1 Brew\\par Boil.\\par Pour.\\par}", "application/rtf", "rtf"),
        (b"Brew\n\nBoil.\n\nPour.\n", "text/plain", "txt"),
    ],
)
def test_an_imported_file_stands_where_word_shows_it(content: bytes, content_type: str, ending: str) -> None:
    result = imported(content, content_type, ending)
    check(result)
    words = [result.text[block.content : block.end].strip() for block in result.blocks]
    assert words == ["before", "Brew", "Boil.", "Pour.", "after"]
    assert result.notes == ()
    assert result.origin and result.origin.parts.count("imported file 1") == 1


def test_an_imported_file_of_another_kind_or_in_pieces_is_left_out_and_said_so() -> None:
    for content, content_type in ((b"x", "image/png"), (b"PK", MAIN), (b"no", "application/rtf")):
        result = imported(content, content_type, "bin2")
        assert result.text == "before\n\nafter"
        assert result.notes[-1] == "1 part of another file was left out."


def test_documents_inside_each_other_end() -> None:
    content = b""
    for _ in range(8):
        content = packed(
            files(
                p("again") + '<w:altChunk r:id="x"/>',
                relations=f'<Relationship Id="x" Type="{OFFICE}/aFChunk" Target="a.docx"/>',
                extra={"word/a.docx": content},
            )
            | {
                "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
                f'<Default Extension="xml" ContentType="{MAIN}"/><Default Extension="docx" ContentType="{MAIN}"/>'
                "</Types>"
            }
        )
    result = docx.parse(content, "tea.docx", LoadParameters())
    assert result.text.count("again") == 4
    assert result.notes == ("1 part of another file was left out.",)


def test_the_type_of_all_parts_with_an_ending_is_enough() -> None:
    made = files(p("tea")) | {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="XML" ContentType="{MAIN}"/>'
        "</Types>"
    }
    assert docx.parse(packed(made), "tea.docx", LoadParameters()).text == "tea"


def test_lists_in_the_cells_of_a_table() -> None:
    def cell(*paragraphs: str) -> str:
        return f"<w:tc>{''.join(paragraphs)}</w:tc>"

    rows = [cell(numbered("", 1)) + cell(p(words)) for words in ("Boil", "Pour")]
    rows.append(cell(p("So")) + cell(numbered("one", 1), numbered("two", 1, 1)))
    body = numbered("First", 1) + "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    result = parsed(body + numbered("Last", 1), numbering=NUMBERING)
    assert result.text == "1. First\n\n2. | Boil\n3. | Pour\nSo | 4. one 4.a) two\n\n5. Last"


def test_relationships_without_a_type_lead_nowhere() -> None:
    assert parsed(p("a"), relations='<Relationship Id="x" Target="styles.xml"/>', styles=STYLES).text == "a"


def test_paragraphs_inside_wrappers_are_read() -> None:
    body = (
        "<w:sdt><w:sdtContent>" + p("a") + "</w:sdtContent></w:sdt>"
        + "<w:customXml><w:ins>" + p("b") + "</w:ins></w:customXml>"
        + '<w:altChunk r:id="x"/><!-- remark --><?instruction?>' + p("c")
    )  # fmt: skip
    result = parsed(body)
    assert result.text == "a\n\nb\n\nc"
    assert result.notes == ("1 part of another file was left out.",)


def test_the_language_of_the_styles() -> None:
    assert parsed(p("a"), styles=STYLES).language == "cy"
    assert parsed(p("a")).language in ("", "en")


def test_an_empty_document_is_empty() -> None:
    assert parsed("").blocks == ()
    assert parsed(p() * 3).text == ""


# What may do harm


def outside(kind: str, target: str) -> str:
    return f'<Relationship Id="{kind}" Type="{OFFICE}/{kind}" Target="{target}" TargetMode="External"/>'


def test_nothing_outside_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise AssertionError("a connection")

    monkeypatch.setattr("socket.socket", refuse)
    monkeypatch.setattr("socket.getaddrinfo", refuse)
    settings = f'<Relationships xmlns="{PACKAGE}/relationships">{outside("attachedTemplate", "http://127.0.0.1/t.dotm")}</Relationships>'
    relations = outside("image", "http://127.0.0.1/i.png") + outside("oleObject", "file://127.0.0.1/o")
    relations += outside("hyperlink", "http://127.0.0.1/")
    result = parsed(
        p("safe") + "<w:p><w:r><w:drawing/></w:r></w:p>",
        relations=relations + outside("styles", "http://127.0.0.1/styles.xml"),
        settings='<w:attachedTemplate r:id="attachedTemplate"/>',
        extra={"word/_rels/settings.xml.rels": settings},
    )
    assert result.text == "safe"
    assert result.notes[0] == "It refers to 4 outside files (templates, images); none was opened."


def test_macros_and_embedded_objects_are_left_out() -> None:
    relations = (
        f'<Relationship Id="v" Type="{OFFICE}/vbaProject" Target="vbaProject.bin"/>'
        f'<Relationship Id="o" Type="{OFFICE}/oleObject" Target="embeddings/ole.bin"/>'
    )
    result = parsed(
        p("safe") + "<w:p><w:r><w:object/></w:r></w:p>",
        relations=relations,
        main="application/vnd.ms-word.document.macroEnabled.main+xml",
        extra={"word/vbaProject.bin": b"\xd0\xcf" * 5000, "word/embeddings/ole.bin": b"MZ" * 5000},
    )
    assert result.text == "safe"
    assert result.notes[:2] == ("It has macros; they were left out.", "1 embedded object was left out.")


LAUGHS = (
    '<!DOCTYPE w [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>"
)


def bombs() -> dict[str, tuple[bytes, str]]:
    good = files(p("tea"), styles=STYLES, numbering=NUMBERING)
    deep = f"<w:document {NAMES}><w:body>" + "<w:sdt>" * 100_000
    found = {
        f"laughs in {name}": (packed({**good, name: LAUGHS + str(good[name])}), "declares")
        for name in ("word/document.xml", "word/styles.xml", "word/_rels/document.xml.rels", "[Content_Types].xml")
    }
    foreign = '<!DOCTYPE w [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + str(good["word/document.xml"]).replace(
        "tea", "&x;"
    )
    return found | {
        "an external entity": (packed({**good, "word/document.xml": foreign}), "declares"),
        "nested": (packed({**good, "word/document.xml": deep}), "damaged"),
        "nested to an end": (packed({**good, "word/document.xml": deep + "</w:sdt>" * 100_000}), "damaged"),
        "truncated": (packed(good)[:-100], "damaged"),
        "an unfinished part": (packed({**good, "word/document.xml": str(good["word/document.xml"])[:-20]}), "damaged"),
        "a broken part": (packed({**good, "word/styles.xml": "<w:styles"}), "damaged"),
        "no content types": (packed({k: v for k, v in good.items() if k != "[Content_Types].xml"}), "not a Word"),
        "no relationships": (packed({k: v for k, v in good.items() if k != "_rels/.rels"}), "not a Word"),
        "no document": (packed({k: v for k, v in good.items() if k != "word/document.xml"}), "not a Word"),
        "a type of its own": (packed(files(p("tea"), main="text/plain")), "not a Word"),
        "another document": (packed({**good, "word/document.xml": "<html><body/></html>"}), "not a Word"),
        "no body": (packed({**good, "word/document.xml": part("document", "")}), "not a Word"),
        "a ZIP of something else": (packed({"a.txt": "tea"}), "not a Word"),
        "protected": (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
            "password",
        ),
        "no ZIP": (b"Dear Sir,", "not a complete ZIP"),
        "nothing": (b"", "not a complete ZIP"),
    }  # fmt: skip


BOMBS = bombs()


@pytest.mark.parametrize(("data", "words"), BOMBS.values(), ids=BOMBS)
def test_harmful_files_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(ChunkscopeError, match=words) as told:
        docx.parse(data, "tea.docx", LoadParameters())
    assert told.value.remedy


def test_strict_open_xml_is_read_with_its_lengths_in_points() -> None:
    body = p("Tea", "H1") + p("Boil it.", properties='<w:ind w:left="36pt"/>')
    strict = {
        name: str(data).replace("schemas.openxmlformats.org/officeDocument/2006", "purl.oclc.org/ooxml/officeDocument")
        .replace("schemas.openxmlformats.org/wordprocessingml/2006", "purl.oclc.org/ooxml/wordprocessingml")
        for name, data in files(body, styles=STYLES).items()
    }  # fmt: skip
    assert "2006/main" not in str(strict["word/document.xml"])
    result = docx.parse(packed(strict), "tea.docx", LoadParameters())
    assert shapes(result) == [("heading", 1, "Tea"), ("paragraph", 0, "Boil it.")]
    assert [block.style.indent for block in result.blocks if block.style] == [0.0, 36.0]


def test_an_initial_begins_the_next_paragraph() -> None:
    initial = '<w:framePr w:dropCap="drop"/>'
    table = "<w:tbl><w:tr><w:tc>" + p("a") + "</w:tc><w:tc>" + p("b") + "</w:tc></w:tr></w:tbl>"
    result = parsed(p("T", properties=initial) + p("ea is hot.") + p("X", properties=initial) + table
                    + p("Y", properties=initial))  # fmt: skip
    assert [shape[2] for shape in shapes(result)] == ["Tea is hot.", "X", "a | b", "Y"]
    assert result.origin
    assert result.origin.parts[0] == "paragraph 1"


def test_boxes_of_a_table_and_a_note_follow_them() -> None:
    cells = f"<w:tc><w:p>{r('a')}{boxed(p('in the table'))}</w:p></w:tc><w:tc>{p('b')}</w:tc>"
    notes = f'<w:footnote w:id="1"><w:p>{r("low")}{boxed(p("in the note"))}</w:p></w:footnote>'
    result = parsed(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl><w:p>{r('c')}{note('footnote', 1)}</w:p>", footnotes=notes)
    assert [shape[2] for shape in shapes(result)] == ["a | b", "in the table", "c[1]", "[1] low", "in the note"]


def test_parts_that_are_too_large_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = {f"word/more{number}.xml": b"<w/>" + b"<!---->" * 1000 for number in range(3)}
    data = packed({**files(p("tea")), **parts})
    monkeypatch.setattr(office, "MAX_XML", 2**20)
    assert docx.parse(data, "tea.docx", LoadParameters()).text == "tea"
    monkeypatch.setattr(office, "MAX_XML", 20_000)  # none of them alone has as much
    with pytest.raises(ChunkscopeError, match="too large to be read: it has more than .* of XML"):
        docx.parse(data, "tea.docx", LoadParameters())


def test_names_that_lead_out_are_ignored() -> None:
    result = parsed(p("safe"), extra={"../../evil.xml": "<x/>", "/etc/cron.d/x.xml": LAUGHS})
    assert result.notes == ("2 files with paths that lead out of it left out.",)


def test_odd_numbers_in_attributes_do_no_harm() -> None:
    odd = ("nan", "1e999", "-5", "", "x", "9" * 400, "٣")
    body = "".join(
        p("a", properties=f'<w:outlineLvl w:val="{value}"/><w:spacing w:before="{value}"/><w:ind w:left="{value}"/>'
          f'<w:numPr><w:ilvl w:val="{value}"/><w:numId w:val="1"/></w:numPr>', run=f'<w:sz w:val="{value}"/>')
        for value in odd
    )  # fmt: skip
    numbering = "".join(
        f'<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="{value}"/>'
        '<w:lvlText w:val="%1%9"/></w:lvl></w:abstractNum>'
        for value in odd
    )
    parsed(body, numbering=numbering + '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>')


ELEMENTS = st.recursive(
    st.one_of(
        st.builds(p, st.sampled_from(["", " ", "tea", " bread "]), st.sampled_from(["", "H1", "Code", "Q"])),
        st.builds(numbered, st.just("item"), st.integers(0, 4), st.integers(0, 2)),
        st.sampled_from([f"<w:p>{BREAK}{r('x')}</w:p>", f"<w:p>{r(' y ')}{BREAK}{BREAK}</w:p>", "<w:p/>"]),
    ),
    lambda inner: st.lists(inner, min_size=1, max_size=3).map(
        lambda cells: f"<w:tbl>{row(*cells)}{row(*reversed(cells))}</w:tbl>"
    ),
)


@given(st.lists(ELEMENTS, max_size=8))
def test_any_mix_of_paragraphs_lists_and_tables_keeps_the_contract(elements: list[str]) -> None:
    result = parsed("".join(elements), styles=STYLES, numbering=NUMBERING)
    assert not result.text.startswith(("\n", "\f"))
    assert not result.text.endswith(("\n", "\f"))


def test_asides_name_a_part_that_is_there() -> None:
    result = parsed("<w:p>" + r("hidden", "<w:vanish/>") + "</w:p>")
    assert (result.text, result.aside) == ("", (Aside("hidden text", "hidden", 0),))
    assert result.blocks == ()


CHART = (
    '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><c:tx><c:rich><a:p>'
    "<a:r><a:t>Cups a month</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser>"
    "<c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>Green</c:v></c:pt></c:strCache></c:strRef></c:tx>"
    "<c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>May</c:v></c:pt><c:pt idx='1'><c:v>June</c:v></c:pt>"
    "</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>3</c:v></c:pt>"
    "<c:pt idx='1'><c:v>4.4000000000000004</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser></c:barChart>"
    "</c:plotArea></c:chart></c:chartSpace>"
)


def drawn_chart(relation: str = "c1") -> str:
    name = "http://schemas.openxmlformats.org/drawingml/2006/chart"
    return f'<w:r><w:drawing><c:chart xmlns:c="{name}" r:id="{relation}"/></w:drawing></w:r>'


def with_chart(body: str, chart: str = CHART) -> Parsed:
    link = f'<Relationship Id="c1" Type="{OFFICE}/chart" Target="charts/chart1.xml"/>'
    return parsed(body, relations=link, extra={"word/charts/chart1.xml": chart})


def test_a_chart_is_a_caption_and_a_table_after_its_paragraph() -> None:
    result = with_chart(f"{p('Before.')}<w:p>{r('Sold:')}{drawn_chart()}</w:p>{p('After.')}")
    assert shapes(result) == [
        ("paragraph", 0, "Before."),
        ("paragraph", 0, "Sold:"),
        ("caption", 0, "Cups a month"),
        ("table", 0, "| Green\nMay | 3\nJune | 4.4"),
        ("paragraph", 0, "After."),
    ]
    assert result.notes == ()


def test_a_chart_in_a_cell_follows_its_table() -> None:
    cells = f"<w:tc>{p('Leaf')}</w:tc><w:tc><w:p>{drawn_chart()}</w:p></w:tc>"
    result = with_chart(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>")
    assert [kind for kind, _, _ in shapes(result)] == ["table", "caption", "table"]


def test_a_diagram_is_a_list_after_its_paragraph() -> None:
    tree = data(
        point("d", kind="doc") + point("a", "Brew") + point("b", "Boil"), below("d", "a", 0) + below("a", "b", 0)
    )
    drawn = f'<w:r><w:drawing><dgm:relIds {DIAGRAM_NAMES} r:dm="d1"/></w:drawing></w:r>'
    result = parsed(
        f"<w:p>{r('How:')}{drawn}</w:p>{p('After.')}",
        relations=f'<Relationship Id="d1" Type="{OFFICE}/diagramData" Target="diagrams/data1.xml"/>',
        extra={"word/diagrams/data1.xml": tree},
    )
    assert shapes(result) == [
        ("paragraph", 0, "How:"),
        ("list_item", 1, "Brew"),
        ("list_item", 2, "Boil"),
        ("paragraph", 0, "After."),
    ]
    assert result.notes == ()


@pytest.mark.parametrize(("relation", "chart"), [("c1", "<c:chartSpace"), ("c2", CHART)])
def test_a_chart_that_cannot_be_read_is_a_picture_that_was_left_out(relation: str, chart: str) -> None:
    result = with_chart(f"<w:p>{r('Sold:')}{drawn_chart(relation)}</w:p>", chart)
    assert shapes(result) == [("paragraph", 0, "Sold:")]
    assert result.notes == ("1 picture was left out.",)


def test_cells_are_in_their_columns() -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}</w:tc>"

    wide = '<w:gridSpan w:val="2"/>'
    late = '<w:trPr><w:gridBefore w:val="2"/></w:trPr>'
    rows = (
        cell("Leaf") + cell("Cups", wide) + cell("Price"),
        cell("Green", wide) + cell("4") + cell("2.50"),
        late + cell("5") + cell("3.10"),
        cell("All of them", '<w:gridSpan w:val="4"/>'),
        cell("Black", '<w:gridSpan w:val="two"/>') + cell("1"),
    )
    result = parsed("<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>")
    assert result.text.split("\n") == [
        "Leaf | Cups |  | Price",
        "Green |  | 4 | 2.50",
        "|  | 5 | 3.10",
        "All of them",
        "Black | 1",
    ]


def test_superscripts_and_subscripts_also_by_style() -> None:
    up, down = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
    note = r("", '<w:rStyle w:val="Mark"/>').replace("</w:r>", '<w:footnoteReference w:id="2"/></w:r>')
    runs = (
        r("x") + r("2", up) + r(" of H") + r("2", down) + r("O, 10") + r("−", up) + r("3", up) + r(" m; the method")
        + r("12", '<w:rStyle w:val="Mark"/>') + r(" or word") + note
    )  # fmt: skip
    styles = style("Mark", "footnote reference", f"<w:rPr>{up}</w:rPr>", kind="character")
    notes = f'<w:footnote w:id="2"><w:p>{r("10")}{r("3", up)}</w:p></w:footnote>'
    result = parsed(f"<w:p>{runs}</w:p>", styles=styles, footnotes=notes)
    check(result)
    assert shapes(result) == [
        ("paragraph", 0, "x² of H₂O, 10⁻³ m; the method[12] or word[1]"),
        ("footnote", 0, "[1] 10³"),
    ]
