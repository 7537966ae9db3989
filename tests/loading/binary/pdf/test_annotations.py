from __future__ import annotations

import pytest

from chunking.document import Aside
from tests.loading.binary.pdf.making import HELLO, check, load, of_kind, simple, stream

AT = b"/Rect [72 600 372 620]"


def appearance(text: bytes) -> bytes:
    """A drawing of a text, in a form as wide as an annotation."""
    font = b"/Resources << /Font << /F1 5 0 R >> >>"
    entries = b"/Type /XObject /Subtype /Form /BBox [0 0 300 20] " + font
    return stream(b"BT /F1 12 Tf 2 5 Td (%s) Tj ET" % text, entries)


def annotated(*entries: bytes, drawn: bytes = b"", content: bytes = HELLO) -> bytes:
    """A PDF of a page with annotations, of which the first has an appearance if one is drawn."""
    more = {6 + number: b"<< /Type /Annot %s >>" % entry for number, entry in enumerate(entries)}
    if drawn:
        more[6] = more[6][:-2] + b"/AP << /N 20 0 R >> >>"
        more[20] = appearance(drawn)
    references = b" ".join(b"%d 0 R" % number for number in range(6, 6 + len(entries)))
    return simple(content, page=b"/Annots [%s]" % references, more=more)


@pytest.mark.parametrize("drawn", [b"The ice holds", b""], ids=["drawn", "by the reader"])
@pytest.mark.parametrize(
    "entry",
    [
        b"/Subtype /FreeText /Contents (The ice holds) " + AT,
        b"/Subtype /Widget /FT /Tx /T (ice) /V (The ice holds) " + AT,
        b"/Subtype /Widget /FT /Ch /T (ice) /V (The ice holds) " + AT,
    ],
    ids=["text on the page", "written value", "chosen value"],
)
def test_form_values_and_texts_on_the_page_are_text_where_they_are(entry: bytes, drawn: bytes) -> None:
    parsed = load(annotated(entry, drawn=drawn, content=HELLO + b" BT /F1 12 Tf 72 500 Td (Later) Tj ET"))
    check(parsed)
    assert parsed.text == "Good morning from the north mole\n\nThe ice holds\n\nLater"


def test_a_page_of_annotations_alone_has_text() -> None:
    assert load(annotated(b"/Subtype /FreeText /Contents (One\nand two) " + AT, content=b"")).text == "One and two"


@pytest.mark.parametrize(
    "entry",
    [
        b"/Subtype /FreeText /F 2 /Contents (secret) " + AT,
        b"/Subtype /Widget /FT /Btn /V (Off) " + AT,
        b"/Subtype /Link /Contents (where it leads) " + AT,
    ],
    ids=["hidden", "a button", "a link"],
)
def test_what_no_reader_shows_is_no_text(entry: bytes) -> None:
    parsed = load(annotated(entry))
    assert parsed.text == "Good morning from the north mole" and not parsed.aside


def test_comments_are_kept_beside_the_text() -> None:
    parsed = load(annotated(b"/Subtype /Text /Contents (Is this so?) " + AT))
    assert of_kind(parsed, "paragraph") == ["Good morning from the north mole"]
    assert parsed.aside == (Aside("comment", "Is this so?", 0, (72, 172, 372, 192)),)


def test_annotations_beyond_the_limit_are_not_read() -> None:
    entries = [b"/Subtype /Text /Contents (n) " + AT] * 2100
    data = simple(HELLO, page=b"/Annots [%s]" % b" ".join(b"<< /Type /Annot %s >>" % entry for entry in entries))
    assert len(load(data).aside) == 2000
