from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from reportlab.pdfbase.pdfmetrics import stringWidth

from chunking.errors import ChunkscopeError
from chunking.loading.binary.pdf import MAX_WIDTH, fragments, layout, parse, render
from chunking.loading.parsed import LoadParameters
from tests.loading.binary.pdf.making import HEIGHT, OTHER, PROSE, Pen, check, drawn, load, shown, simple


def word_box(data: bytes, word: str) -> tuple[float, ...]:
    parsed = load(data)
    assert parsed.pages
    start = parsed.text.index(word)
    place = parsed.pages.words[:, 0].tolist().index(start)
    return tuple(parsed.pages.boxes[place].tolist())


def ink(data: bytes, page: int = 0) -> tuple[float, float, float, float]:
    """Where a page of one word is dark, in points."""
    parsed = load(data)
    assert parsed.pages
    picture = np.asarray(Image.open(io.BytesIO(render(data, page, 1000))).convert("L"))
    scale = float(parsed.pages.sizes[page, 0]) / picture.shape[1]
    rows, columns = np.nonzero(picture < 128)
    return tuple(float(edge * scale) for edge in (columns.min(), rows.min(), columns.max(), rows.max()))  # type: ignore[return-value]


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_boxes_are_where_the_word_is_drawn_on_a_rotated_and_cropped_page(rotation: int) -> None:
    content = b"BT /F1 40 Tf 150 500 Td (Haddock) Tj ET"
    data = simple(content, page=b"/Rotate %d /CropBox [100 200 500 700]" % rotation)
    parsed = load(data)
    assert parsed.pages
    expected = (400, 500) if rotation % 180 == 0 else (500, 400)
    assert tuple(parsed.pages.sizes[0].tolist()) == expected
    left, top, right, bottom = word_box(data, "Haddock")
    dark = ink(data)
    assert left - 3 <= dark[0] and top - 3 <= dark[1] and dark[2] <= right + 3 and dark[3] <= bottom + 3
    assert right - left < dark[2] - dark[0] + 25 and bottom - top < dark[3] - dark[1] + 25
    check(parsed)


def test_a_page_whose_lines_run_upwards_is_read_as_if_it_were_turned() -> None:
    def page(canvas: Any) -> None:
        canvas.rotate(90)
        canvas.translate(0, -HEIGHT)
        Pen(canvas, top=300).text(PROSE).text(OTHER)

    parsed = load(drawn(page))
    assert shown(parsed) == [("paragraph", PROSE), ("paragraph", OTHER)]
    check(parsed)


def test_words_outside_the_page_are_set_aside() -> None:
    data = simple(b"BT /F1 12 Tf 72 700 Td (Seen) Tj ET BT /F1 12 Tf 9000 700 Td (Hidden away) Tj ET")
    parsed = load(data)
    assert parsed.text == "Seen"
    assert [(aside.kind, aside.text) for aside in parsed.aside] == [("outside the page", "Hidden away")]


def test_a_label_that_runs_upwards_from_below_the_page_is_kept_in_part() -> None:
    straight = b"".join(b"BT /F1 12 Tf 90 %d Td (A line of the text) Tj ET " % (700 - 15 * row) for row in range(9))
    parsed = load(simple(straight + b"BT /F1 12 Tf 0 1 -1 0 60 -70 Tm (Hidden below Temperature of water) Tj ET"))
    assert [aside.text for aside in parsed.aside] == ["Hidden"]
    assert parsed.text.endswith("\n\nbelow Temperature of water")
    check(parsed)


def test_origin_leads_to_the_characters_of_the_page() -> None:
    def page(text: str) -> Any:
        return lambda canvas: Pen(canvas).text(text)

    parsed = load(drawn(page(PROSE), page(OTHER)))
    assert parsed.origin and parsed.origin.parts == ("page 1", "page 2")
    assert parsed.origin.unit == "characters of the page"
    start = parsed.text.index("account")
    assert [tuple(place) for place in parsed.origin.places(start, start + 7)] == [(1, 9, 16)]


def test_the_language_of_the_catalogue() -> None:
    content = b"BT /F1 12 Tf 72 700 Td (Brod i vatten) Tj ET"
    assert load(simple(content, catalog=b"/Lang (sv-SE)")).language == "sv"
    assert load(simple(content, catalog=b"/Lang (x 1 nonsense)")).language == ""
    assert load(simple(content)).language == ""


def test_pages_that_are_images_are_reported() -> None:
    picture = Image.new("RGB", (60, 80), "navy")

    def image(canvas: Any) -> None:
        canvas.drawInlineImage(picture, 0, 0, 500, 700)

    def text(canvas: Any) -> None:
        Pen(canvas).text(PROSE)

    def blank(canvas: Any) -> None:
        canvas.setFont("Times-Roman", 10)

    parsed = load(drawn(text, image, blank, image, image, text))
    assert parsed.notes == (
        "Pages 2 and 4–5 have no text: they are images. Run text recognition (OCR) on the file to read them.",
    )
    assert parsed.pages and len(parsed.pages) == 6
    check(parsed)
    with pytest.raises(ChunkscopeError, match=r"scan: its pages are images without text\. Run text recognition"):
        load(drawn(image, image))
    with pytest.raises(ChunkscopeError, match="has no text"):
        load(drawn(blank))


def test_progress_is_reported_and_may_stop() -> None:
    told: list[tuple[int, int]] = []
    data = drawn(*[lambda canvas: Pen(canvas).text(PROSE)] * 4)
    parse(data, "x.pdf", LoadParameters(), lambda done, total: told.append((done, total)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        parse(data, "x.pdf", LoadParameters(), stop)


def test_a_page_is_drawn() -> None:
    data = drawn(lambda canvas: Pen(canvas).text(PROSE), size=(400, 200))
    picture = Image.open(io.BytesIO(render(data, 0, 800)))
    assert picture.format == "PNG" and picture.size == (800, 400)
    for page, width in ((1, 800), (-1, 800), (0, MAX_WIDTH + 1), (0, 0)):
        with pytest.raises(ChunkscopeError):
            render(data, page, width)


def test_a_very_long_page_is_drawn_smaller() -> None:
    data = simple(b"BT /F1 12 Tf 10 700 Td (Long) Tj ET", box=b"[0 0 100 14000]")
    picture = Image.open(io.BytesIO(render(data, 0, 1000)))
    assert picture.size[1] <= 4 * 1000 + 1


def test_every_word_of_a_crowded_page_has_its_box() -> None:
    places = [(30 + 18 * column, 40 + 7 * row) for row in range(100) for column in range(30)]

    def page(canvas: Any) -> None:
        canvas.setFont("Times-Roman", 4)
        for number, (x, y) in enumerate(places):
            canvas.drawString(x, y, f"w{number}")

    parsed = load(drawn(page))
    check(parsed)
    pages = parsed.pages
    assert pages is not None and len(pages.words) == len(places)
    for (start, end), box in zip(pages.words.tolist(), pages.boxes.tolist(), strict=True):
        number = int(parsed.text[start:end].removeprefix("w"))
        x, y = places[number]
        wide = stringWidth(f"w{number}", "Times-Roman", 4)
        assert box[0] == pytest.approx(x, abs=0.1) and box[2] == pytest.approx(x + wide, abs=0.2)
        assert box[1] < HEIGHT - y - 2 and box[3] >= HEIGHT - y - 0.1


def test_parts_that_are_worked_on_at_once_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def page(canvas: Any) -> None:
        Pen(canvas).text(PROSE, 16).text(OTHER).text(PROSE, font="Courier")

    data = drawn(page, page, page, page)
    whole = load(data)
    monkeypatch.setattr(fragments, "WORD_BATCH", 7)
    monkeypatch.setattr(layout, "LINE_BATCH", 3)
    parts = load(data)
    assert parts.text == whole.text and parts.blocks == whole.blocks
