"""XML of several vocabularies."""

from __future__ import annotations

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.loading.binary import xml
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading.checks import check_parsed, shapes


def parsed(text: str) -> Parsed:
    result = xml.parse(text.encode(), "tea.xml", LoadParameters())
    check_parsed(result)
    return result


JATS = """<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS//EN" "JATS.dtd">
<article xml:lang="en"><front><journal-meta><issn>1234</issn></journal-meta><article-meta><article-id>x</article-id>
<title-group><article-title>On <italic>tea</italic></article-title></title-group>
<contrib-group><contrib><name><surname>Lee</surname><given-names>Kim</given-names></name><xref>1</xref></contrib>
<contrib><name><surname>Roe</surname><given-names>Jan</given-names></name></contrib></contrib-group>
<abstract><p>It is hot.</p></abstract></article-meta></front>
<body><sec><label>1.</label><title>Water</title><p>Boil it&mdash;well<fn><p>Twice.</p></fn>. See <xref>1</xref>:
<list><list-item><p>slowly</p></list-item><list-item><p>gently</p></list-item></list> and pour.</p>
<sec><title>Heat</title><table-wrap><label>Table 1</label><caption><title>Prices</title></caption>
<table><tr><th>Leaf</th><th>Price</th></tr><tr><td>Green</td><td>2</td></tr></table></table-wrap></sec></sec></body>
<back><ref-list><title>References</title><ref><label>1</label><element-citation><person-group><name><surname>Lee</surname>
</name></person-group><article-title>Cups</article-title><year>2025</year></element-citation></ref></ref-list></back>
</article>"""


def test_an_article_of_jats() -> None:
    result = parsed(JATS)
    assert shapes(result) == [
        ("heading", 1, "On tea"),
        ("paragraph", 0, "Kim Lee, Jan Roe"),
        ("paragraph", 0, "It is hot."),
        ("heading", 2, "1. Water"),
        ("paragraph", 0, "Boil it—well. See 1:"),
        ("footnote", 0, "Twice."),
        ("list_item", 1, "slowly"),
        ("list_item", 1, "gently"),
        ("paragraph", 0, "and pour."),
        ("heading", 3, "Heat"),
        ("caption", 0, "Table 1 Prices"),
        ("table", 0, "Leaf | Price\nGreen | 2"),
        ("heading", 2, "References"),
        ("list_item", 1, "1 Lee Cups 2025"),
    ]
    assert [aside[:2] for aside in result.aside] == [("metadata", "1234"), ("metadata", "x")]
    assert result.language == "en"


VOCABULARIES = {
    "DocBook": (
        "<book><info><title>Tea</title></info><chapter><title>Water</title><para>Boil it.</para>"
        "<programlisting>x = 1\ny = 2</programlisting></chapter></book>",
        [("heading", 1, "Tea"), ("heading", 2, "Water"), ("paragraph", 0, "Boil it."), ("code", 0, "x = 1\ny = 2")],
    ),
    "TEI": (
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><div><head>Water</head><p>Boil it.</p></div></body>'
        "</text></TEI>",
        [("heading", 1, "Water"), ("paragraph", 0, "Boil it.")],
    ),
    "a feed": (
        "<rss><channel><title>News</title><item><title>Tea</title><description>&lt;p&gt;Hot &lt;b&gt;water&lt;/b&gt;."
        "&lt;/p&gt;</description></item></channel></rss>",
        [("heading", 1, "News"), ("heading", 2, "Tea"), ("paragraph", 0, "Hot water.")],
    ),
    "OPML": (
        '<opml><body><outline text="Tea"><outline text="Green"/></outline></body></opml>',
        [("list_item", 1, "Tea"), ("list_item", 2, "Green")],
    ),
    "FictionBook": (
        "<FictionBook><description><title-info><genre>cooking</genre><book-title>Tea</book-title></title-info>"
        "</description><body><section><title><p>Water</p></title><p>H<sub>2</sub>O at <strong>95</strong>, "
        "<emphasis>not</emphasis>more.</p></section></body></FictionBook>",
        [("heading", 1, "Tea"), ("heading", 1, "Water"), ("paragraph", 0, "H₂O at 95, notmore.")],
    ),
    "records": (
        "<teas><tea><leaf>Green</leaf><price>2</price></tea><tea><leaf>Black</leaf><price>3</price></tea></teas>",
        [("paragraph", 0, "Green 2"), ("paragraph", 0, "Black 3")],
    ),
}


@pytest.mark.parametrize(("text", "expected"), VOCABULARIES.values(), ids=VOCABULARIES)
def test_other_vocabularies(text: str, expected: list[tuple[str, int, str]]) -> None:
    assert shapes(parsed(text)) == expected


def test_mathml_is_latex_wherever_it_stands() -> None:
    mathml = (
        "<m:math xmlns:m='http://www.w3.org/1998/Math/MathML'><m:mfrac><m:mi>x</m:mi><m:mn>2</m:mn></m:mfrac></m:math>"
    )
    tex = "<tex-math>$x / 2$</tex-math>"
    text = (
        f"<article><body><sec><title>Heat {mathml}</title><p>Let <inline-formula>{mathml}</inline-formula> be, and "
        f"<inline-formula><alternatives>{tex}{mathml}</alternatives></inline-formula>.</p>"
        f"<disp-formula><label>(1)</label>{mathml}</disp-formula>"
        f"<table-wrap><table><tr><td>{mathml}</td><td>b</td></tr></table></table-wrap></sec></body></article>"
    )
    assert shapes(parsed(text)) == [
        ("heading", 1, r"Heat $\frac{x}{2}$"),
        ("paragraph", 0, r"Let $\frac{x}{2}$ be, and $x / 2$."),
        ("paragraph", 0, r"$\frac{x}{2}$ (1)"),
        ("table", 0, r"$\frac{x}{2}$ | b"),
    ]


def test_a_table_in_a_cell_is_there_once() -> None:
    inner = "<table><tr><td>a</td><td>b</td></tr></table>"
    assert shapes(parsed(f"<table><tr><td>{inner}</td><td>c</td></tr></table>")) == [("table", 0, "a b | c")]


def test_xml_is_known_by_its_first_bytes() -> None:
    assert load(b'<?xml version="1.0"?><a><p>Tea.</p></a>', "tea").format == "xml"
    assert load(b'<?xml version="1.0"?><html><p>Tea.</p></html>', "tea.xml").format == "html"
    wide = load('<?xml version="1.0" encoding="utf-16"?><a><p>Tea é.</p></a>'.encode("utf-16"), "tea.xml")
    assert (wide.format, wide.text) == ("xml", "Tea é.")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ('<?xml version="1.0" encoding="utf-16"?><a><p>Tea é.</p></a>'.encode(), "Tea é."),
        ('<?xml version="1.0" encoding="shift_jis"?><a><p>お茶を飲む。</p></a>'.encode("shift_jis"), "お茶を飲む。"),
        (b'<!DOCTYPE a SYSTEM "a.dtd"><a><p>&agr; and &alpha;</p></a>', "&agr; and α"),
    ],
    ids=["a wrong encoding", "an encoding of two bytes", "an entity that is not known"],
)
def test_what_a_file_states_wrongly_does_not_keep_it_from_being_read(data: bytes, expected: str) -> None:
    assert xml.parse(data, "tea.xml", LoadParameters()).text == expected


def test_entities_of_a_few_characters_and_of_pictures_are_read() -> None:
    declared = '<!DOCTYPE a [<!ENTITY co "Tea Inc."><!NOTATION TIF SYSTEM "x"><!ENTITY p SYSTEM "p.tif" NDATA TIF>]>'
    assert parsed(f"{declared}<a><p>&co; sells.</p></a>").text == "Tea Inc. sells."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('<!DOCTYPE a [<!ENTITY b "xx"><!ENTITY c "&b;&b;">]><a>&c;</a>', "entities"),
        ('<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', "entities"),
        ('<!DOCTYPE a [<!ENTITY % b "c">]><a/>', "entities"),
        (f'<!DOCTYPE a [<!ENTITY b "{"x" * 1000}">]><a>{"&b;" * 1000}</a>', "entities"),
        ("<a><b></a>", "not well-formed"),
        ("<a>" * 5_000 + "</a>" * 5_000, "nested more than"),
    ],
    ids=["a bomb", "a file", "a parameter", "a long one", "broken", "deep"],
)
def test_harmful_files_are_refused(text: str, words: str) -> None:
    with pytest.raises(ChunkscopeError, match=words):
        xml.parse(text.encode(), "tea.xml", LoadParameters())


def test_superscripts_subscripts_and_references_to_notes() -> None:
    text = (
        "<article><body><p>It holds<sup><xref ref-type='bibr'>1</xref></sup><sup>,</sup><sup><xref ref-type='bibr'>2"
        "</xref></sup> in <italic>x</italic><sup>2</sup> <bold>and</bold> CO<sub>2</sub>, as known<xref ref-type="
        "'fn'>12</xref>. See [<xref ref-type='bibr'>1</xref>,<xref ref-type='bibr'>2</xref>], Fig. <xref ref-type="
        "'fig'>2</xref>.<xref ref-type='fn'><sup>3</sup></xref></p><table><tr><td>km<superscript>2</superscript></td>"
        "<td>a<sup>*</sup></td></tr></table></body><back><ref-list><ref><element-citation><article-title>On "
        "H<sub>2</sub>O</article-title><year>1990</year></element-citation></ref></ref-list></back></article>"
    )
    assert [words for *_, words in shapes(parsed(text))] == [
        "It holds[1,2] in x² and CO₂, as known[12]. See [1,2], Fig. 2.[3]",
        "km² | a*",
        "On H₂O 1990",
    ]


def test_the_space_at_the_end_of_a_superscript_is_kept() -> None:
    assert [words for *_, words in shapes(parsed("<p>where R<sup>1 </sup>and R<sub>\n2\n</sub>are tea</p>"))] == [
        "where R¹ and R ₂ are tea"
    ]


def test_a_superscript_with_other_elements_keeps_them() -> None:
    text = "<article><body><p>Tea<sup><fn><p>Or not.</p></fn></sup> and cups.</p></body></article>"
    assert [words for *_, words in shapes(parsed(text))] == ["Tea and cups.", "Or not."]
