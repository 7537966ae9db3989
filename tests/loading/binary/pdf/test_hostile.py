from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption

from chunking.errors import ChunkscopeError
from chunking.loading.binary.pdf import render
from chunking.loading.binary.pdf.pdfium import document
from chunking.loading.parsed import Parsed
from tests.loading.binary.pdf.making import HELLO, OTHER, PROSE, Pen, check, drawn, load, raw, simple, stream

GOOD = drawn(
    lambda canvas: Pen(canvas).text(PROSE).lines(["A heading"], 18).text(OTHER),
    lambda canvas: (canvas.grid([72, 200, 300], [700, 680, 660]), Pen(canvas, top=200).text(PROSE)),
)


def survives(data: bytes) -> Parsed | None:
    """Load what may be broken: a document that keeps its promises, or an error that is meant for people."""
    try:
        parsed = load(data)
    except ChunkscopeError as error:
        assert error.problem and error.remedy
        return None
    check(parsed)
    return parsed


@pytest.mark.parametrize(
    "data", [b"", b"%PDF-1.7", b"%PDF-1.4\n" + bytes(range(256)) * 40, b"%PDF-1.7\n%%EOF", b"MZ\0\0"]
)
def test_a_file_of_another_format_is_refused(data: bytes) -> None:
    with pytest.raises(ChunkscopeError, match=r"(not a PDF|no pages).+") as found:
        load(data)
    assert found.value.remedy
    with pytest.raises(ChunkscopeError):
        render(data, 0, 400)


def test_a_truncated_file_gives_its_remaining_text_or_an_error() -> None:
    for part in range(0, 40):
        survives(GOOD[: len(GOOD) * part // 40])


FONT = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
ONE_PAGE = b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>"


def page_object(more: bytes = b"") -> bytes:
    return (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> %s >> >>" % more
    )


def tree(more: dict[int, bytes]) -> bytes:
    """A file whose pages are in a tree of its own."""
    return raw({1: CATALOG, 2: ONE_PAGE, 3: page_object(), 4: stream(HELLO), 5: FONT, **more})


def show(text: bytes, size: bytes = b"12") -> bytes:
    return simple(b"BT /F1 %s Tf 72 700 Td (%s) Tj ET" % (size, text))


GRID = b"".join(b"%d 0 m %d 700 l S 0 %d m 600 %d l S " % (n, n, n, n) for n in range(600))
CELLS = b"".join(b"BT /F1 6 Tf 72 %d Td (left) Tj 90 0 Td (right) Tj ET " % (700 - 9 * row) for row in range(40))
FORM = b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>"
HOSTILE = {
    "pages of themselves": tree({2: b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>"}),
    "pages of their pages": tree({
        2: b"<< /Type /Pages /Kids [6 0 R] /Count 9 >>", 6: b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 9 >>",
    }),
    "pages above themselves": tree({2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 /Parent 2 0 R >>"}),
    "fewer than none": tree({2: b"<< /Type /Pages /Kids 2 0 R /Count -5 >>"}),
    "an object of itself": tree({2: b"2 0 R"}),
    "a page that is missing": tree({2: b"<< /Type /Pages /Kids [3 0 R 9 0 R 3 0 R] /Count 3 >>"}),
    "a form that draws itself": tree({
        3: page_object(b"/XObject << /X 6 0 R >>"), 4: stream(HELLO + b" /X Do"), 6: stream(b"/X Do " + HELLO, FORM),
    }),
    "a million objects": b"%PDF-1.7\nxref\n0 1000000\n" + b"0000000009 00000 n \n" * 200_000
    + b"trailer\n<< /Size 1000000 /Root 1 0 R >>\nstartxref\n9\n%%EOF",
    "a hundred thousand lines": simple(
        HELLO + b" 0 0 m 9 9 l S" * 100_000 + b" BT /F1 9 Tf 72 600 Td (a) Tj 90 0 Td (b) Tj ET" * 3
    ),
    "a grid that is a drawing": simple(GRID + CELLS),
    "huge letters": show(b"huge", b"1e30"),
    "letters without size": show(b"none", b"0"),
    "letters turned round": show(b"turned round", b"-12"),
    "far away": simple(b"1e38 0 0 1e38 0 0 cm 1e38 0 0 1e38 0 0 cm BT /F1 12 Tf 1 1 Td (far away) Tj ET"),
    "flat": simple(b"0 0 0 0 0 0 cm BT /F1 12 Tf 1 1 Td (flat) Tj ET"),
    "slanting": simple(b"BT /F1 12 Tf 0.7 0.7 -0.7 0.7 100 100 Tm (slanting upwards here) Tj ET"),
    "a long word": show(b"a" * 30_000),
    "control characters": show(b"\\000\\001\\002\\003 \\014 \\377"),
    "many states": simple(b"q " * 50_000 + HELLO),
    "many arrays": simple(b"[" * 50_000 + HELLO),
    "deep dictionaries": simple(HELLO, catalog=b"/Lang (en) /Deep " + b"<< /A " * 20_000 + b"1" + b" >>" * 20_000),
    "deep arrays": simple(HELLO, catalog=b"/Deep " + b"[" * 50_000 + b"]" * 50_000),
}  # fmt: skip
KEPT = ("a page that is missing", "a form that draws itself", "a hundred thousand lines")
"""Files whose text is read all the same."""


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_read_or_refused(name: str) -> None:
    parsed = survives(HOSTILE[name])
    assert name not in KEPT or (parsed and "Good morning" in parsed.text)


def test_scripts_actions_and_files_are_ignored() -> None:
    catalog = (
        b"/OpenAction << /S /JavaScript /JS (app.alert\\('x'\\)) >> "
        b"/Names << /JavaScript << /Names [(a) << /S /JavaScript /JS (while\\(true\\){}) >>] >> "
        b"/EmbeddedFiles << /Names [(f.exe) << /Type /Filespec /F (f.exe) /EF << /F 4 0 R >> >>] >> >> "
        b"/AA << /WC << /S /Launch /F (cmd.exe) >> >>"
    )
    page = b"/AA << /O << /S /URI /URI (http://example.invalid/) >> >>"
    parsed = survives(simple(HELLO, catalog=catalog, page=page))
    assert parsed and parsed.text == "Good morning from the north mole"


@pytest.mark.parametrize(
    "box",
    [
        b"[0 0 1000000000 1000000000]", b"[0 0 0 0]", b"[0 0 0.0001 0.0001]", b"[612 792 0 0]", b"[0 0 1e400 nan]",
        b"[-99999999 -99999999 99999999 99999999]", b"[0 0]", b"(a box)",
    ],
)  # fmt: skip
def test_odd_page_sizes(box: bytes) -> None:
    data = simple(HELLO, box=box)
    survives(data)
    try:
        assert len(render(data, 0, 300)) > 50
    except ChunkscopeError as error:
        assert error.problem


HIDDEN = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /Hidden /Encoding /Identity-H /DescendantFonts "
    b"[<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Hidden /DW 600 "
    b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
    b"/FontDescriptor << /Type /FontDescriptor /FontName /Hidden /Flags 4 /ItalicAngle 0 /Ascent 700 "
    b"/Descent -200 /CapHeight 700 /StemV 80 /FontBBox [0 0 600 700] >> >>] >>"
)
"""A font that does not state which letters it draws."""

RIGHT = "On 12.5.1911 the pilots' boats waited for \u00e9t\u00e9 and Лёд, and Captain McRae wrote it down twice a day."


@pytest.mark.parametrize(
    ("codes", "wrong"),
    [
        (range(0xE000, 0xE050), True),
        ([ord(letter) - 29 * (letter != " ") for letter in RIGHT], True),
        ([ord(letter) for letter in RIGHT], False),
    ],
    ids=["without a meaning", "numbers of shapes", "letters by their usual codes"],
)
def test_fonts_without_unicode_values_are_reported_if_their_text_makes_no_sense(
    codes: Sequence[int], wrong: bool
) -> None:
    content = b"".join(b"%04x" % code for code in codes)
    parsed = load(simple(b"BT /F1 9 Tf 72 700 Td <" + content + b"> Tj ET", font=HIDDEN))
    check(parsed)
    assert wrong == any("do not state which letters" in note for note in parsed.notes)
    assert wrong or parsed.text == RIGHT


def test_a_text_whose_font_states_its_letters_has_no_note() -> None:
    assert not load(simple(HELLO)).notes


def locked(user: str, owner: str) -> bytes:
    return drawn(lambda canvas: Pen(canvas).text(PROSE), encrypt=StandardEncryption(user, owner, canPrint=0, canCopy=0))


def test_a_file_with_a_password_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="protected by a password.+save a copy without one"):
        load(locked("secret", "owner"))
    with pytest.raises(ChunkscopeError, match="protected by a password"):
        render(locked("secret", "owner"), 0, 400)


def test_a_file_that_only_its_owner_may_change_is_read() -> None:
    assert load(locked("", "owner")).text == PROSE


def pages(count: int) -> bytes:
    kids = b" ".join(b"%d 0 R" % (number + 10) for number in range(count))
    many: dict[int, bytes] = {number + 10: page_object() for number in range(count)}
    head = {1: CATALOG, 2: b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, count)}
    return raw({**head, 4: stream(HELLO), 5: FONT, **many})


def test_too_many_pages_and_too_much_text_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ChunkscopeError, match="6,000 pages; at most 5,000"):
        load(pages(6000))
    monkeypatch.setattr(document, "MAX_CHARS", 100)
    assert survives(pages(3))
    with pytest.raises(ChunkscopeError, match=r"text\. Split it"):
        load(pages(4))


def test_names_of_files_cannot_write_into_messages() -> None:
    from chunking.loading.binary.pdf import parse
    from chunking.loading.parsed import LoadParameters

    def image(canvas: Any) -> None:
        from PIL import Image

        canvas.drawInlineImage(Image.new("RGB", (9, 9)), 0, 0, 90, 90)

    with pytest.raises(ChunkscopeError) as found:
        parse(drawn(image), "a" * 5000, LoadParameters(), None)
    assert len(found.value.problem) < 200
