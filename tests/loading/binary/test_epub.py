from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import load
from chunking.loading.binary import epub
from chunking.loading.parsed import LoadParameters, Parsed
from tests.loading import checks

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
XHTML = "application/xhtml+xml"


def chapter(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
        f"<head><title>Book</title></head><body>{body}</body></html>"
    )


TEA = chapter("<h1>Tea</h1><p>Boil water.</p>")
BREAD = chapter("<h1>Bread</h1><p>Knead dough.</p>")


def opf(items: str, spine: str, language: str = "en-GB", head: str = "") -> str:
    return (
        f'{head}<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:language>{language}</dc:language></metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
    )


def item(key: str, href: str, type: str = XHTML, more: str = "") -> str:
    return f'<item id="{key}" href="{href}" media-type="{type}" {more}/>'


def spine(*keys: str) -> str:
    return "".join(f'<itemref idref="{key}"/>' for key in keys)


def packed(files: Mapping[str, str | bytes]) -> bytes:
    return checks.packed({"mimetype": "application/epub+zip", **files})


def book(*chapters: str | bytes, extra: Mapping[str, str | bytes] | None = None) -> bytes:
    names = [f"c{number}" for number in range(len(chapters))]
    return packed(
        {
            "META-INF/container.xml": CONTAINER,
            "OEBPS/content.opf": opf("".join(item(name, f"text/{name}.xhtml") for name in names), spine(*names)),
            **{f"OEBPS/text/{name}.xhtml": text for name, text in zip(names, chapters, strict=True)},
            **(extra or {}),
        }
    )


def of(package: str, files: Mapping[str, str | bytes]) -> bytes:
    return packed({"META-INF/container.xml": CONTAINER, "OEBPS/content.opf": package, **files})


def parsed(data: bytes, content: str = "all") -> Parsed:
    result = epub.parse(data, "book.epub", LoadParameters(content=content))
    checks.check_parsed(result)
    return result


def shapes(result: Parsed) -> list[tuple[str, str]]:
    return [(block.kind, result.text[block.start : block.end]) for block in result.blocks]


def test_chapters_are_joined_in_the_order_of_the_spine() -> None:
    items = item("b", "bread.xhtml") + item("t", "../tea.xhtml") + item("style", "s.css", "text/css")
    result = parsed(of(opf(items, spine("t", "b")), {"tea.xhtml": TEA, "OEBPS/bread.xhtml": BREAD}))
    assert shapes(result) == [
        ("heading", "Tea"),
        ("paragraph", "Boil water."),
        ("page_break", "\f"),
        ("heading", "Bread"),
        ("paragraph", "Knead dough."),
    ]
    assert "Boil water.\n\n\f\n\nBread" in result.text
    assert result.language == "en"
    assert result.notes == ()


def test_each_character_leads_back_to_its_file() -> None:
    result = parsed(book(TEA, BREAD))
    assert result.origin
    assert result.origin.unit == "characters of the file"
    assert result.origin.parts == ("OEBPS/text/c0.xhtml", "OEBPS/text/c1.xhtml")
    assert result.origin.texts == (TEA, BREAD)
    place = result.text.index("Knead")
    (found,) = result.origin.places(place, place + 5)
    assert (found.part, BREAD[found.start : found.end]) == (1, "Knead")


def test_it_is_loaded_in_a_process_of_its_own() -> None:
    told = []
    document = load(book(TEA, BREAD), "book.epub", progress=lambda done, total: told.append((done, total)))
    assert document.format == "epub"
    assert [block.kind for block in document.blocks].count("heading") == 2
    assert told[-1] == (2, 2)


def test_what_is_missing_doubled_or_no_text_is_counted() -> None:
    items = (
        item("t", "tea%20time.xhtml#top")
        + item("gone", "gone.xhtml")
        + item("far", "http://127.0.0.1/far.xhtml")
        + item("out", "../../out.xhtml")
        + item("again", "tea time.xhtml")
        + item("image", "i.svg", "image/svg+xml")
        + item("odd", "x.pdf", "application/pdf", 'fallback="b"')
        + item("b", "bread.xhtml")
        + item("loop", "l.bin", "application/x", 'fallback="loop"')
    )
    files: dict[str, str | bytes] = {
        "OEBPS/tea time.xhtml": TEA,
        "OEBPS/bread.xhtml": BREAD,
        "OEBPS/i.svg": "<svg/>",
        "OEBPS/l.bin": b"",
    }
    order = spine("t", "gone", "far", "out", "again", "t", "image", "odd", "loop", "unknown")
    result = parsed(of(opf(items, order), files))
    assert [text for kind, text in shapes(result) if kind == "heading"] == ["Tea", "Bread"]
    assert result.notes == (
        "4 listed chapters are missing.",
        "2 chapters that are listed twice were read once.",
        "2 pages are images and were left out.",
    )


def test_the_table_of_contents_is_set_aside() -> None:
    nav = chapter('<nav><ol><li><a href="tea.xhtml">All about tea</a></li></ol></nav>')
    items = item("n", "nav.xhtml", more='properties="nav"') + item("t", "tea.xhtml")
    result = parsed(of(opf(items, spine("n", "t")), {"OEBPS/nav.xhtml": nav, "OEBPS/tea.xhtml": TEA}))
    assert "All about" not in result.text
    assert [(aside.kind, aside.part) for aside in result.aside] == [("navigation", 0)]
    assert "All about tea" in result.aside[0].text
    assert result.origin
    assert result.origin.parts[0] == "OEBPS/nav.xhtml"


def test_empty_chapters_make_no_pages() -> None:
    result = parsed(book(chapter(""), TEA, chapter("<img src='http://127.0.0.1/x.png'/>"), BREAD))
    assert [kind for kind, _ in shapes(result)].count("page_break") == 1
    assert result.blocks[0].start == result.text.index("Tea")


def test_a_chapter_that_is_no_text_is_left_out() -> None:
    result = parsed(book(TEA, b"\x89PNG\r\n\x1a\n" + bytes(99), BREAD))
    assert result.notes == ("1 chapter could not be read, and was left out.",)
    assert shapes(result)[-1] == ("paragraph", "Knead dough.")


def test_without_a_readable_chapter_the_first_cause_is_reported() -> None:
    with pytest.raises(ChunkscopeError, match=r"no readable chapter \(“OEBPS/text/c0.xhtml” is not text"):
        parsed(book(b"\x89PNG\r\n\x1a\n" + bytes(99)))


def test_all_of_a_book_is_its_content() -> None:
    chapters = (TEA, chapter("<nav><p>Onwards</p></nav><aside><p>Beside</p></aside>"))
    assert parsed(book(*chapters), content="main").text == parsed(book(*chapters)).text


def test_old_books_without_a_container_or_a_namespace() -> None:
    package = (
        '<!DOCTYPE package PUBLIC "x" "http://127.0.0.1/oeb.dtd"><package><manifest>'
        '<item id="t" href="tea.html" media-type="text/html"/></manifest><spine><itemref idref="t"/></spine></package>'
    )
    result = parsed(packed({"book.opf": package, "tea.html": TEA}))
    assert shapes(result)[0] == ("heading", "Tea")
    assert result.language == ""


@pytest.mark.parametrize(
    ("language", "code"), [("ko", "ko"), ("PT-br", "pt"), ("", ""), ("English", ""), ("zh_CN", "zh")]
)
def test_the_language_of_the_book(language: str, code: str) -> None:
    data = of(opf(item("t", "t.xhtml"), spine("t"), language), {"OEBPS/t.xhtml": TEA})
    assert parsed(data).language == code


def encryption(algorithm: str, path: str) -> str:
    return (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" '
        'xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:EncryptedData>'
        f'<enc:EncryptionMethod Algorithm="{algorithm}"/><enc:CipherData><enc:CipherReference URI="{path}"/>'
        "</enc:CipherData></enc:EncryptedData></encryption>"
    )


AES = "http://www.w3.org/2001/04/xmlenc#aes128-cbc"


def test_a_locked_book_is_refused() -> None:
    data = book(TEA, extra={"META-INF/encryption.xml": encryption(AES, "OEBPS/text/c0.xhtml")})
    with pytest.raises(ChunkscopeError, match="DRM") as told:
        parsed(data)
    assert told.value.remedy


@pytest.mark.parametrize(
    ("algorithm", "path"),
    [
        ("http://www.idpf.org/2008/embedding", "OEBPS/fonts/f.otf"),
        ("http://ns.adobe.com/pdf/enc#RC", "OEBPS/fonts/f.otf"),
        (AES, "OEBPS/video.mp4"),
    ],
)
def test_disguised_fonts_are_no_lock(algorithm: str, path: str) -> None:
    assert parsed(book(TEA, extra={"META-INF/encryption.xml": encryption(algorithm, path)})).text


LAUGHS = (
    '<!DOCTYPE p [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>"
)
FOREIGN = '<!DOCTYPE p [<!ENTITY j SYSTEM "file:///etc/passwd">]>'


def with_tea(package: str) -> bytes:
    return of(package, {"OEBPS/t.xhtml": TEA})


HARM: Sequence[tuple[str, bytes, str]] = [
    ("laughs", with_tea(opf(item("t", "t.xhtml"), spine("t"), "&j;", LAUGHS)), "declares entities"),
    ("an external entity", with_tea(opf(item("t", "t.xhtml"), spine("t"), "&j;", FOREIGN)), "declares entities"),
    ("laughs first", packed({"META-INF/container.xml": LAUGHS + CONTAINER}), "declares entities"),
    ("laughs in the lock", book(TEA, extra={"META-INF/encryption.xml": LAUGHS + "<a/>"}), "declares entities"),
    ("no package", packed({"META-INF/container.xml": CONTAINER}), "not an EPUB"),
    ("a ZIP of something else", packed({"a.txt": "tea"}), "not an EPUB"),
    ("a package elsewhere", packed({"META-INF/container.xml": CONTAINER.replace("OEBPS", "../..")}), "not an EPUB"),
    ("no chapter", with_tea(opf("", "")), "no readable chapter"),
    ("too many chapters", with_tea(opf(item("t", "t.xhtml"), spine("t") * 5001)), "more than 5,000"),
    ("half a package", with_tea(opf(item("t", "t.xhtml"), spine("t"))[:-9]), "damaged"),
    ("truncated", book(TEA, BREAD)[:-50], "damaged"),
    ("a word document", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "Word"),
    ("nothing", b"", "not a complete ZIP"),
]


@pytest.mark.parametrize(("data", "words"), [case[1:] for case in HARM], ids=[case[0] for case in HARM])
def test_harmful_files_are_refused(data: bytes, words: str) -> None:
    with pytest.raises(ChunkscopeError, match=words) as told:
        parsed(data)
    assert told.value.remedy


def test_entities_and_scripts_of_chapters_do_nothing() -> None:
    data = book(
        f"{LAUGHS}<html><body><p>&j;</p><script>alert(1)</script><p>tea</p></body></html>",
        f"{FOREIGN}<html><body><p>&j; bread</p></body></html>",
    )
    text = parsed(data).text
    assert "haha" not in text
    assert "root:" not in text
    assert "alert" not in text
    assert "tea" in text


def test_names_that_lead_out_are_left_out() -> None:
    assert parsed(book(TEA, extra={"../../x.xhtml": BREAD})).notes == (
        "1 file with a path that leads out of the book was left out.",
    )


def test_a_drawing_in_the_spine_is_a_chapter_if_it_has_words() -> None:
    drawing = (
        '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><title>Cover</title><rect/><defs><text>No</text>'
        "</defs><text x='1'>All about <tspan>tea</tspan></text><text x='1'>By Ada</text></svg>"
    )
    items = item("c", "cover.svg", "image/svg+xml") + item("t", "tea.xhtml") + item("e", "end.svg", "image/svg+xml")
    files = {"OEBPS/cover.svg": drawing, "OEBPS/tea.xhtml": TEA, "OEBPS/end.svg": "<svg><circle/></svg>"}
    result = parsed(of(opf(items, spine("c", "t", "e")), files))
    assert shapes(result)[:3] == [("paragraph", "All about tea\nBy Ada"), ("page_break", "\f"), ("heading", "Tea")]
    assert result.notes == ("1 page is an image and was left out.",)
