"""PowerPoint presentations, from their raw XML."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.loading.binary import pptx
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading.checks import check_parsed, packed, shapes

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = (
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    f'xmlns:r="{OFFICE}" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
)


def relations(*targets: tuple[str, str]) -> str:
    entries = "".join(
        f'<Relationship Id="r{number}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return (
        f'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{entries}</Relationships>'
    )


def p(text: str, properties: str = "") -> str:
    return f"<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>"


def shape(paragraphs: str, placeholder: str = "", styles: str = "") -> str:
    mark = f"<p:ph {placeholder}/>" if placeholder else ""
    body = f"<p:txBody><a:lstStyle>{styles}</a:lstStyle>{paragraphs}</p:txBody>"
    return f"<p:sp><p:nvSpPr><p:nvPr>{mark}</p:nvPr></p:nvSpPr>{body}</p:sp>"


def tree(root: str, shapes: str, more: str = "", attributes: str = "") -> str:
    return f"<p:{root} {NAMES} {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>{more}</p:{root}>"


TITLE = 'type="title"'
BODY = 'idx="1"'
MASTER = tree(
    "sldMaster",
    shape("", 'type="body" idx="1"'),
    '<p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buAutoNum type="alphaLcParenR"/>'
    "</a:lvl2pPr></p:bodyStyle><p:otherStyle/></p:txStyles>",
)
LAYOUT = tree("sldLayout", shape("", 'type="title"') + shape("", BODY))


def files(*slides: str, extra: Mapping[str, str] | None = None, links: str = "") -> dict[str, str | bytes]:
    ids = "".join(f'<p:sldId id="{255 + number}" r:id="r{number}"/>' for number in range(1, len(slides) + 1))
    return {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f"<p:presentation {NAMES}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(
            *(("slide", f"slides/slide{number}.xml") for number in range(1, len(slides) + 1))
        ),
        **{f"ppt/slides/slide{number}.xml": slide for number, slide in enumerate(slides, 1)},
        "ppt/slides/_rels/slide1.xml.rels": links or relations(("slideLayout", "../slideLayouts/layout1.xml")),
        "ppt/slideLayouts/layout1.xml": LAYOUT,
        "ppt/slideLayouts/_rels/layout1.xml.rels": relations(("slideMaster", "/ppt/slideMasters/master1.xml")),
        "ppt/slideMasters/master1.xml": MASTER,
        **(extra or {}),
    }


def parsed(*slides: str, extra: Mapping[str, str] | None = None, links: str = "") -> Parsed:
    result = pptx.parse(packed(files(*slides, extra=extra, links=links)), "talk.pptx", LoadParameters())
    check_parsed(result)
    return result


def test_titles_come_first_and_bullets_are_those_of_layout_and_master() -> None:
    deep = '<a:pPr lvl="1"/>'
    body = p("Boil") + p("gently", deep) + p("slowly", deep) + p("Pour", "<a:pPr><a:buNone/></a:pPr>")
    group = f"<p:grpSp>{shape(p('In a group'))}</p:grpSp>"
    result = parsed(
        tree("sld", shape(body, BODY) + shape(p("Tea"), TITLE) + group),
        tree("sld", shape(p("Second"), 'type="ctrTitle"') + shape(p("7"), 'type="sldNum"')),
    )
    assert shapes(result) == [
        ("heading", 1, "Tea"),
        ("list_item", 1, "• Boil"),
        ("list_item", 2, "a) gently"),
        ("list_item", 2, "b) slowly"),
        ("paragraph", 0, "Pour"),
        ("paragraph", 0, "In a group"),
        ("page_break", 0, "\f"),
        ("heading", 1, "Second"),
    ]
    assert [aside[:2] for aside in result.aside] == [("running foot", "7")]


def test_tables_charts_notes_formulas_and_hidden_slides() -> None:
    rows = "<a:tr>{}{}</a:tr><a:tr>{}{}</a:tr>".format(
        *(f"<a:tc {merge}><a:txBody>{p(text)}</a:txBody></a:tc>" for text, merge in
          (("Leaf", ""), ("Price", ""), ("Green", ""), ("", 'vMerge="1"')))
    )  # fmt: skip
    table = f"<p:graphicFrame><a:graphic><a:tbl>{rows}</a:tbl></a:graphic></p:graphicFrame>"
    chart = '<p:graphicFrame><a:graphic><c:chart r:id="r2"/></a:graphic></p:graphicFrame>'
    formula = "<a14:m><m:oMath><m:r><m:t>π</m:t></m:r></m:oMath></a14:m>"
    text = f'<a:p><mc:AlternateContent><mc:Choice Requires="a14">{formula}</mc:Choice></mc:AlternateContent></a:p>'
    points = '<c:{0}><c:pt idx="0"><c:v>{1}</c:v></c:pt><c:pt idx="1"><c:v>{2}</c:v></c:pt></c:{0}>'
    series = "<c:ser><c:tx><c:v>Cups</c:v></c:tx>" + points.format("cat", "May", "June") + points.format("val", 3, 4)
    extra = {
        "ppt/charts/chart1.xml": f"<c:chartSpace {NAMES}><c:chart><c:title>{p('Sold')}</c:title>{series}</c:ser>"
        "</c:chart></c:chartSpace>",
        "ppt/notesSlides/notes1.xml": tree(
            "notes", shape(p("Say hello."), 'type="body"') + shape(p("1"), 'type="sldNum"')
        ),
    }  # fmt: skip
    links = relations(
        ("slideLayout", "../slideLayouts/layout1.xml"),
        ("chart", "../charts/chart1.xml"),
        ("notesSlide", "../notesSlides/notes1.xml"),
    )
    hidden = tree("sld", shape(p("Not shown")), attributes='show="0"')
    result = parsed(tree("sld", table + chart + shape(text) + "<p:pic/>"), hidden, extra=extra, links=links)
    assert shapes(result) == [
        ("table", 0, "Leaf | Price\nGreen"),
        ("caption", 0, "Sold"),
        ("table", 0, "| Cups\nMay | 3\nJune | 4"),
        ("paragraph", 0, r"$\pi$"),
        ("footnote", 0, "Say hello."),
    ]
    assert result.notes == ("1 picture was left out.", "1 hidden slide was left out.")
    assert [aside[:2] for aside in result.aside] == [("hidden slide", "Not shown")]


def test_presentations_are_known_by_their_content_and_read_when_they_are_strict() -> None:
    strict = {
        name: str(data).replace("schemas.openxmlformats.org/presentationml/2006", "purl.oclc.org/ooxml/presentationml")
        .replace("schemas.openxmlformats.org/officeDocument/2006", "purl.oclc.org/ooxml/officeDocument")
        for name, data in files(tree("sld", shape(p("Tea"), TITLE))).items()
    }  # fmt: skip
    document = load(packed(strict), "talk.zip")
    assert (document.format, document.text) == ("pptx", "Tea")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ppt/presentation.xml": "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>"}, "document type"),
        ({"ppt/presentation.xml": "<a/>"}, "not what its name says"),
        ({"ppt/presentation.xml": "<p:presentation"}, "damaged"),
    ],
)
def test_harmful_presentations_are_refused(changes: Mapping[str, str], words: str) -> None:
    data = packed(files(tree("sld", ""), extra=changes))
    with pytest.raises(ChunkscopeError, match=words):
        pptx.parse(data, "talk.pptx", LoadParameters())


def test_a_damaged_slide_is_left_out_with_a_note() -> None:
    result = parsed("<p:sld", tree("sld", shape(p("Good"))))
    assert result.text == "Good"
    assert result.notes == ("1 slide could not be read, and was left out.",)


def test_superscripts_and_subscripts() -> None:
    run = '<a:r><a:rPr baseline="{}"/><a:t>{}</a:t></a:r>'.format
    words = (run(0, "x"), run(30000, "2"), run(0, " of H"), run(-25000, "2"), run(0, "O"))
    assert shapes(parsed(tree("sld", shape(f"<a:p>{''.join(words)}</a:p>")))) == [("paragraph", 0, "x² of H₂O")]
