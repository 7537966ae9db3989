"""The HTML loader: what a reader sees, and where each character of it stands in the file."""

from __future__ import annotations

import contextlib
import html
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunking.document import Block
from chunking.errors import ChunkscopeError
from chunking.loading import LoadParameters, Parsed, load
from chunking.loading.markup.html import parse
from chunking.loading.markup.html.columns import MAX_COLUMNS
from tests import shared_data
from tests.examples import examples
from tests.fuzz import mutate
from tests.loading.checks import check_parsed, shapes

REAL = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "documents"
DEBIAN, SENECA = REAL / "debian_policy_ch-source.html", REAL / "seneca_on-the-shortness-of-life.xhtml"
real = pytest.mark.skipif(not DEBIAN.exists(), reason=shared_data.MISSING)

WHITE = " \t\n\f\r"


TEX = (
    "<math><mi>x</mi><semantics><annotation encoding='application/x-tex'>{\\displaystyle x &lt; y}</annotation>"
    "</semantics></math>"
)


def read(text: str, name: str = "page.html", content: str = "all") -> Parsed:
    return parse(text, name, LoadParameters(content=content))


def words(text: str, name: str = "page.html") -> list[str]:
    return [each for *_, each in shapes(read(text, name))]


def tags(text: str) -> list[tuple[str, ...]]:
    return [block.tags for block in read(text).blocks]


def aside(parsed: Parsed) -> list[tuple[str, str]]:
    return [(each.kind, each.text) for each in parsed.aside]


def decoded(source: str) -> str:
    """What a stretch of the source may stand for as a whole."""
    if source == "\r\n":
        return "\n"
    value = html.unescape(source)
    return value or chr(int(source[2:].strip("xX;"), 16 if source[2] in "xX" else 10))


MARK = re.compile(r"-?(?:[0-9]{1,9}|[A-Za-z]{1,50})\. ")


def check(parsed: Parsed, source: str) -> None:
    """What holds of whatever is loaded."""
    text, reached = parsed.text, 0
    covered = check_parsed(parsed)
    for block in parsed.blocks:
        assert not text[reached : block.start].strip()
        reached = block.end
    assert reached == len(text)
    assert parsed.origin and parsed.origin.texts == (source,)
    for start, length, _, begins, size in parsed.origin.runs.tolist():
        if length != size and "<math" not in source:  # a formula leads back as a whole
            assert text[start : start + length] == decoded(source[begins : begins + size])
    for block in parsed.blocks:
        if block.content > block.start:  # the number of an item
            assert MARK.fullmatch(text[block.start : block.content])
            covered[block.start : block.content] = [True] * (block.content - block.start)
    # Added were else only white space, the bars of tables, what surrounds superscripts, and U+FFFD for what no text
    # can have.
    assert all(inside or char in WHITE + "|[]^_()\ufffd" for inside, char in zip(covered, text, strict=True))


PIECES = [
    *map(bytes.decode, mutate.TOKENS["html"]),
    "<div>", "</div>", "</b>", "</i>", "<a href='#x'>", "</a>", "<hr/>", "<p/>", "<i/>", "</ul>", "<col>", "-->",
    "<blockquote>", "</blockquote>", "</pre>", "<tr>", "<th>", "<caption>", "</svg>", "</title>", "<!-- a > b -->",
    "<!-->", "]]>", "</textarea>", "</xmp>", "</template>", "<?xml version='1.0'?>", "<!DOCTYPE html>",
    "<p title='x > y'>", '<p a"b=c >', "<span hidden>", "</span>", "&lt;p&gt;", "&nbsp;",
    "&notit;", "&nosuch;", "&#32;", "&#x41", "&#1;",
    "&#13;", "&#128;", "&", "&amp;amp;", "<", ">", "</", "</>", "< p", "\r\n", "\r", "\n", "  ", "\0", "\ue000",
    "&#xe001;", "tea", "x y", "é字😀", "\ud800", "\x0b", '<aside role="doc-footnote">', "</aside>",
    '<span aria-hidden="true">', "¶", "<foreignObject>", "<desc>",
]  # fmt: skip
soup = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=24).map("".join)


@settings(max_examples=examples(200))
@given(soup, st.sampled_from(["a.html", "a.xhtml"]))
@example("<svg>a<![CDATA[b&amp;c > d]]>e", "a.html")
@example("<table>&#32;<tr>a\0b", "a.html")
@example("<pre>\r\na \r\n\rb\r\n", "a.html")
@example("foo</i>\n", "a.html")
def test_whatever_the_page_each_character_leads_back(source: str, name: str) -> None:
    parsed = read(source, name)
    check(parsed, source)


@real
@settings(max_examples=15, deadline=None)
@given(st.sampled_from([DEBIAN, SENECA]), st.data())
def test_pieces_of_real_pages_in_disorder(path: Path, data: st.DataObject) -> None:
    text = path.read_text("utf-8")
    place = st.integers(0, len(text))
    parts = []
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(place)
        parts += [text[start : start + data.draw(st.integers(0, 3000))], data.draw(st.sampled_from(PIECES))]
    source = "".join(parts)
    check(read(source, path.name), source)


@real
@pytest.mark.parametrize("path", [DEBIAN, SENECA], ids=lambda path: path.stem)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_real_pages(path: Path, ending: str) -> None:
    source = path.read_text("utf-8").replace("\n", ending)
    parsed = read(source, path.name)
    check(parsed, source)
    assert parsed.language == "en"
    assert parsed.text == read(path.read_text("utf-8"), path.name).text
    main = read(source, path.name, "main")
    check(main, source)
    assert 0.9 * len(parsed.text) < len(main.text) <= len(parsed.text)


@real
def test_the_chapters_of_a_book() -> None:
    parsed = read(SENECA.read_text("utf-8"), SENECA.name)
    headings = [(block.level, block.tags[-2:]) for block in parsed.blocks if block.kind == "heading"]
    assert headings == [(2, ("header", "h2"))] + [(3, ("section", "h3"))] * 20


@real
def test_navigation_is_set_aside_on_request() -> None:
    parsed = read(DEBIAN.read_text("utf-8"), DEBIAN.name, "main")
    assert parsed.text.startswith("4. Source packages\n\nA Debian source package")
    assert {kind for kind, _ in aside(parsed)} == {"navigation", "boilerplate"}
    assert ("navigation", "4.17. Vendor-specific patch series") in aside(parsed)
    assert sum(block.kind == "footnote" for block in parsed.blocks) >= 19


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("<ol><li>Fill the pan.<li>Heat it.</ol>", "1. Fill the pan.\n2. Heat it."),
        ("<ol start='3'><li>a<li value=7>b<li>c</ol>", "3. a\n7. b\n8. c"),
        ("<ol type=a><li>x<li>y</ol><ol type=I><li>z</ol>", "a. x\nb. y\n\nI. z"),
        ("<ol><li>a<ul><li>dot</ul><li>b<ol><li>inner</ol><li>c</ol>", "1. a\ndot\n2. b\n1. inner\n3. c"),
        ("<ol><li><p>first</p><p>more</p><li>second</ol>", "1. first\n\nmore\n2. second"),
        ("<ol><li><h2>Pan</h2><p>Fill it.</p></ol>", "1. Pan\n\nFill it."),
        ("<ol><li><pre>run\n</pre>then<li>b</ol>", "run\n\nthen\n2. b"),
        ("<ol><li>1. a<li>(2) b<li>3 pans</ol>", "1. a\n(2) b\n3. 3 pans"),
        ("<ol style='list-style: none'><li>a<li>b</ol>", "a\nb"),
        ("<ol style='list-style-type:lower-roman; margin:0'><li>a<li>b</ol>", "i. a\nii. b"),
        ("<ol><li>a<li hidden>b<li>c<li><li>d</ol>", "1. a\n2. c\n4. d"),
        ("<ol reversed><li>a<li>b</ol>", "a\nb"),
        ("<ol start='-1'><li>a<li>b<li>c</ol>", "-1. a\n0. b\n1. c"),
        ("<nav><ol><li>Home<li>Pans</ol></nav>", "Home\nPans"),
        ("<ol></ol><ol><li></ol><p>after</p>", "after"),
    ],
)
def test_the_numbers_of_ordered_lists(source: str, text: str) -> None:
    parsed = read(source)
    check(parsed, source)
    assert parsed.text == text


def test_the_number_of_an_item_is_no_part_of_its_content() -> None:
    parsed = read("<ol><li><h2>Pan</h2>Fill it.<li>Heat it.</ol>")
    assert [parsed.text[block.content : block.end] for block in parsed.blocks] == ["Pan", "Fill it.", "Heat it."]


def test_main_content_is_found_below_numbers() -> None:
    steps = "".join(
        f"<li>Step of the long recipe that somebody wrote down here, with the number {n}." for n in "abcdef"
    )
    source = f"<body><nav><a href=x>Home</a></nav><article><h1>Soup</h1><ol>{steps}</ol></article></body>"
    assert "3. Step of the long recipe" in read(source, content="main").text


def test_blocks_of_each_kind() -> None:
    parsed = read(
        "<h2>Tea</h2><p>Boil <b>water</b>.</p><ul><li>green<ul><li>sencha</ul><li><p>black</p><p>strong</p></ul>"
        "<dl><dt>pot</dt><dd>of clay</dd></dl><blockquote>A leaf<blockquote>in a cup</blockquote></blockquote>"
        "<pre>  one\n two\n</pre><figure><img alt='no'><figcaption>A cup</figcaption></figure>"
        "<div role=heading aria-level=4>More</div><aside role='doc-footnote'><p>See there.</p></aside>"
        "<table><caption>Heat</caption><tr><th>leaf<th>degrees<tr><td>green<td>80</table><address>here</address>"
    )
    assert shapes(parsed) == [
        ("heading", 2, "Tea"),
        ("paragraph", 0, "Boil water."),
        ("list_item", 1, "green"),
        ("list_item", 2, "sencha"),
        ("list_item", 1, "black"),
        ("list_item", 1, "strong"),
        ("list_item", 1, "pot"),
        ("list_item", 2, "of clay"),
        ("quote", 1, "A leaf"),
        ("quote", 2, "in a cup"),
        ("code", 0, "one\n two"),
        ("caption", 0, "A cup"),
        ("heading", 4, "More"),
        ("footnote", 0, "See there."),
        ("caption", 0, "Heat"),
        ("table", 0, "leaf | degrees\ngreen | 80"),
        ("paragraph", 0, "here"),
    ]
    assert "green\nsencha\nblack\n\nstrong\n\npot\nof clay" in parsed.text
    assert "cup\n\n  one\n two\n\n" in parsed.text


def test_tags_are_the_elements_that_open_since_the_text_before() -> None:
    assert tags("<body><section><h2>A</h2><div><p><b>b</b></p></div>c</section><p>d")[1:] == [
        ("div", "p", "b"),
        (),
        ("p",),
    ]
    assert tags("<ul><li>a<li><p>b<p>c</ul>")[1:] == [("li", "p"), ("p",)]
    assert tags("<p>a<i></i><p>b") == [("html", "body", "p"), ("p",)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p> a \n b<b> c</b> <i> d </i>.", ["a b c d ."]),
        ("<p>a<br>b<br><br>c<br></p>", ["a\nb", "c"]),
        ("<h1>a<br>b</h1>", ["a b"]),
        ("a&nbsp;&lt;b&gt; &amp;amp; &eacute;&#x5b57;", ["a\xa0<b> &amp; é字"]),
        ("<p>a<hr>b", ["a", "b"]),
        ("<p>a<div>b</div>c", ["a", "b", "c"]),
        ("<b>un<p>closed", ["un", "closed"]),
        ("<svg><title>no</title><text>drawn</text></svg>", ["drawn"]),
        ("<math><mi>x</mi><annotation>no</annotation></math>", ["x"]),
        (f"a <span style='display: none'>{TEX}</span><img class=mwe-math-fallback alt='x < y'> b", ["a x < y b"]),
        (f"<p class=katex><span>{TEX}</span><span class=katex-html aria-hidden=true>x&lt;y</span> b", ["x < y b"]),
        ("a <span hidden> <math><mi>x</mi><mo>=</mo><mn>1</mn></math></span> b", ["a x=1 b"]),
        (
            "a <math><mfrac><mi>x</mi><mn>2</mn></mfrac><mo>&lt;</mo><mi>&alpha;</mi></math> b",
            [r"a \frac{x}{2}<\alpha b"],
        ),
        ("a<h2>&#8203;</h2><p>&nbsp;&shy;</p>b", ["a", "b"]),
        ("a <math hidden><msup><mi>x</mi><mn>2</mn></msup></math> b", ["a b"]),
        ("<table><tr><th>f<th>g<tr><td><math><msqrt>x</msqrt></math><td>y</table>", ["f | g\n\\sqrt{x} | y"]),
        (f"<math>{'<mrow>' * 99}<msup><mi>x</mi><mn>2</mn></msup>", ["x2"]),
        ("a <img class='tex' alt='x^2'> b <img alt='no'><img class=texture alt=no>", ["a x^2 b"]),
        ("<p><ruby>山路<rp>(</rp><rt>やまみち</rt><rp>)</rp></ruby>を登り", ["山路を登り"]),
        ("<xmp><b>&amp;</xmp>c", ["<b>&amp;", "c"]),
        ("a<plaintext><p>b</plaintext>", ["a", "b"]),
        ("<table><tr><td>a<td><td>b<tr><td><td>c</table>", ["a | | b\n| c"]),
        ("<table><tr><td><p>a</p><p>b</p><td><ul><li>c<li>d</ul></table>", ["a b | c d"]),
        ("<table role=presentation><tr><td>a<td>b</table>", ["a", "b"]),
        ("<table><tr><td><h1>a</h1>b<td>c</table>", ["a", "b", "c"]),
        ("<table><tr><td><table><tr><td>a<td>b</table><td>c</table>", ["a | b", "c"]),
        (
            "<table><tr><th>a<th>b<tr><td>c<td><table><caption>d</caption><tr><td>e<td>f<tr><td>g</table><tr><td>h</table>",
            ["a | b\nc | d e f g\nh"],
        ),
        (
            "<table><tr><th>a<th>b<tr><td><table><tr><td>c</table><td><table><tr><td>d</table></table>",
            ["a", "b", "c", "d"],
        ),
        ("<table>x<tr><td>a", ["x", "a"]),
        ("<h2>a<a href='#a'>¶</a></h2>", ["a"]),
        ("<p>a <span aria-hidden=true>→</span> b <span aria-hidden=true>c</span>", ["a b c"]),
        ("<div class=footnote><span>[1]</span><p>note</div>", ["[1] note"]),
        ("<a href='javascript:x()' onclick='y()'>link</a>", ["link"]),
    ],
)
def test_what_a_reader_sees(source: str, expected: list[str]) -> None:
    check(read(source), source)
    assert words(source) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "<title>x</title>", "<script>x</script>", "<style>x</style>", "<template><p>x</template>", "<p hidden>x</p>",
        "<noscript>x</noscript>", "<p style='color:red;display: none'>x</p>", "<p style='visibility:hidden'>x</p>",
        "<!-- x -->", "<iframe src='x'>x</iframe>", "<object><p>x</object>", "<video>x</video>", "<dialog>x</dialog>",
        "<img alt=x>", "<meta http-equiv=refresh content='0;url=x'>", "<canvas>x</canvas>",
        "<datalist><option>x</datalist>",
    ],
)  # fmt: skip
def test_what_no_reader_sees(hidden: str) -> None:
    parsed = read(f"<p>a</p>{hidden}<p>b</p>")
    assert parsed.text == "a\n\nb"
    assert parsed.aside == ()


def test_readings_of_ruby_are_set_aside() -> None:
    parsed = read("<p><ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>を<ruby>読<rt>よ</rt></ruby>む")
    assert parsed.text == "漢字を読む"
    assert aside(parsed) == [("ruby reading", "かん"), ("ruby reading", "じ"), ("ruby reading", "よ")]


def test_form_controls_are_set_aside() -> None:
    parsed = read("<p>a<select><option>one<option>two</select><button>go <b>on</b></button><textarea>&lt;</textarea>b")
    assert parsed.text == "a b"
    assert aside(parsed) == [("form control", text) for text in ("one two", "go on", "<")]


XHTML = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" lang="fr">'


@pytest.mark.parametrize(
    "empty", ["<title/>", "<script src='a>b'/>", "<style />", "<a id='x'/>", "<div/>", "<p/>", "<i/>"]
)
def test_empty_elements_of_xhtml_swallow_nothing(empty: str) -> None:
    source = f"{XHTML}<body>{empty}<p>a</p>{empty}b</body></html>"
    parsed = read(source)
    check(parsed, source)
    assert parsed.text == "a\n\nb"
    assert parsed.language == "fr"


def test_sections_of_xhtml_that_are_text() -> None:
    source = f"{XHTML}<p>a<![CDATA[ <b> &amp; ]]>c</p></html>"
    check(read(source), source)
    assert words(source) == ["a <b> &amp; c"]
    assert words("<p>a<![CDATA[ b ]]>c") == ["ac"]
    source = '<?xml version="1.0"?><!DOCTYPE html [ <!ENTITY a "b"> ]><html><p>c &a;</p></html>'
    check(read(source), source)
    assert words(source) == ["c &a;"]


def test_what_is_not_main_is_set_aside_in_order() -> None:
    text = "Rain fell on the harbour all day, and the boats stayed where they were, tied two by two to the wall. "
    source = (
        "<html><body><nav><ul><li><a href=/>Home</a><li><a href=/a>Weather</a></ul></nav><article><h1>Weather</h1>"
        + "".join(f"<p>{text}{number}</p>" for number in ("One.", "Two.", "Three.", "Four."))
        + "</article><footer><p>All rights reserved</p></footer></body></html>"
    )
    everything, main = read(source), read(source, content="main")
    check(main, source)
    assert everything.text.startswith("Home\nWeather\n\nWeather\n\nRain")
    assert main.text.startswith("Weather\n\nRain")
    assert main.text.endswith("Four.")
    assert aside(main) == [("navigation", "Home"), ("navigation", "Weather"), ("boilerplate", "All rights reserved")]


def test_without_main_content_all_is_kept_with_a_note() -> None:
    for source in ("", "<p></p>", "<nav>a</nav>", "<div>" * 400 + "a"):
        main = read(source, content="main")
        assert main.text == read(source).text
        assert main.notes


@pytest.mark.parametrize("bomb", ["<div>", "<b>", "<a/>", "<svg><desc><path/>", "<svg><g>"])
def test_elements_nested_without_end_are_refused(bomb: str) -> None:
    with pytest.raises(ChunkscopeError, match="nested"):
        read(bomb * 100_000 + "x")


@pytest.mark.parametrize("attribute", [" a{}=1", " a{}='>'", "/a{}", ' a{}="<"', ' "a{}'])
def test_attributes_without_end_are_refused(attribute: str) -> None:
    with pytest.raises(ChunkscopeError, match="attributes"):
        read("<p" + "".join(attribute.format(number) for number in range(50_000)) + ">x")


@pytest.mark.parametrize(
    "source",
    [
        "<!--" * 100_000, "<![CDATA[" * 100_000, "&" * 200_000, "<" * 200_000, ">" * 200_000, "</p>" * 50_000,
        "a\n" * 200_000, "<p>" * 50_000, "<li>" * 50_000, "<br>" * 50_000, "<svg>" + "<path/>" * 50_000,
        "<p>a<table>" * 500, "&am" * 100_000, "<a b='" * 50_000, "<![CDATA[]]>" * 50_000, "<script>" * 50_000,
        "<p title='" + "x" * 500_000, "<br><br>a" * 30_000, "<select>" * 4_000 + "x", "<dl><dd>" * 2_000 + "x",
        "<font>x" * 2_000 + "<p>x" * 200, "<title>" * 50_000,
    ],
    ids=lambda source: source[:12],
)  # fmt: skip
@pytest.mark.parametrize("name", ["a.html", "a.xhtml"])
def test_hostile_pages_are_read_or_refused(source: str, name: str) -> None:
    with contextlib.suppress(ChunkscopeError):
        check(read(source, name), source)


def test_a_page_with_every_private_character_is_refused() -> None:
    everything = "".join(map(chr, (*range(0xE000, 0xF900), *range(0xF0000, 0x10FFFE))))
    with pytest.raises(ChunkscopeError, match="private-use"):
        read(everything)
    assert read(everything[:6000]).text == everything[:6000]


def test_load_makes_a_document_of_a_page() -> None:
    document = load(b"<html lang='de-AT'><title>t</title><p>Tee &amp; Milch</p></html>", "a.htm")
    assert (document.format, document.text) == ("html", "Tee & Milch")
    assert document.blocks == (Block("paragraph", 0, 11, tags=("html", "body", "p")),)
    assert document.origin is not None
    assert document.origin.runs.tolist() == [[0, 3, 0, 38, 3], [4, 1, 0, 42, 5], [6, 5, 0, 48, 5]]


def test_cells_stay_in_their_columns_beside_cells_that_span_rows_and_columns() -> None:
    page = (
        "<table><tr><th>Year<th>Month<th colspan=2>Cups<th>Price"
        "<tr><td rowspan=2>2025<td>May<td>1<td>2<td>3<tr><td>June<td colspan='2'>4<td>5"
        "<tr><td rowspan=0>2026<td>July<td>6<tr><td>August</table>"
    )
    assert words(page) == [
        "Year | Month | Cups | | Price\n2025 | May | 1 | 2 | 3\n| June | 4 | | 5\n2026 | July | 6\nAugust"
    ]


def test_columns_of_a_table_begin_anew_after_it_and_a_table_in_a_cell_has_none() -> None:
    inner = "<table><tr><td rowspan=9>a<td>b</table>"
    page = f"<table><tr><th rowspan=3>x<th>h<tr><td>{inner}<tr><td>y</table><table><tr><td>z<td>w</table>"
    assert words(page) == ["x | h\n| a b\n| y", "z | w"]


@given(st.lists(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=6), max_size=6))
def test_spans_never_make_a_table_grow_out_of_proportion(rows: list[list[tuple[int, int]]]) -> None:
    cells = ["".join(f"<td colspan={wide} rowspan={tall}>c" for wide, tall in row) for row in rows]
    for line in "\n".join(words("<table><tr>" + "<tr>".join(cells) + "</table>")).splitlines():
        assert line.count("|") <= MAX_COLUMNS + 6


def test_superscripts_subscripts_and_references_to_notes() -> None:
    source = (
        "<p>x<sup>2</sup> of H<sub>2</sub>O, 10<sup>&minus;3</sup>, the method<sup><a href='#n'>12</a></sup>, a word"
        "<a href='#n'><sup>3</sup></a> as<sup>[<a href='#m'>4</a>]</sup>.<a epub:type='noteref' href='n.html'>5</a> "
        "A cup<span style='color: red; vertical-align: super'>6</span> M<sup>me</sup> <sup>7</sup> V<sub>max</sub></p>"
        "<table><tr><th>Size<sup>1, 2</sup><th>km<sup>2</sup><tr><td><sup>a</sup>b<td>Tea<sup>TM</sup></table>"
        "<p>x<sup aria-hidden='true'>*</sup>y"
    )
    parsed = read(source)
    check_parsed(parsed)
    assert words(source) == [
        "x² of H₂O, 10⁻³, the method[12], a word[3] as[4].[5] A cup[6] Mme 7 V_max",
        "Size[1, 2] | km²\nᵃb | Tea™",
        "xy",
    ]


def test_every_character_of_a_superscript_leads_back() -> None:
    source = "<p>one<sup><a href='#n'>12</a></sup> x<sup>2</sup> y<sub>max</sub>"
    check(read(source), source)


def test_the_texts_of_a_drawing_do_not_run_together() -> None:
    drawing = "<svg><text>Boil</text><g><text>Pour <tspan>it</tspan></text></g></svg>"
    assert words(f"<p>See {drawing}</p>") == ["See\nBoil\nPour it"]
    assert words(f"<table><tr><th>a<th>b<tr><td>{drawing}<td>c</table>") == ["a | b\nBoil Pour it | c"]
