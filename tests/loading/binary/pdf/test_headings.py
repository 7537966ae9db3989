from __future__ import annotations

from collections.abc import Callable

import pytest
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont

from tests.loading.binary.pdf.making import (
    BODY,
    HEIGHT,
    OTHER,
    PROSE,
    Pen,
    at,
    check,
    drawn,
    heading,
    laid,
    levels,
    load,
    of_kind,
    wrapped,
)

# Decisions ------------------------------------------------------------------------------------------------------


def between(line: str, size: float = 11, font: str = BODY) -> Callable[[Pen], object]:
    """A page with a line between two paragraphs."""
    return lambda pen: pen.text(PROSE).skip(6).lines([line], size, font).skip(6).text(OTHER)


@pytest.mark.parametrize(
    ("line", "size", "font", "expected"),
    [
        ("The nine places", 11, "Times-Italic", True),
        ("(1) The nine places", 12, BODY, True),
        ("The nine places", 18, "Courier", True),
        ("THE NINE PLACES", 11, BODY, True),
        ("The nine places.", 11, "Times-Italic", False),
        ("the pole of the uncle", 11, "Times-Italic", False),
        ("Source: the pilots of Kelby", 11, "Times-Italic", False),
        ("The nine places", 11, BODY, False),
        ("www.kelby.example/harbour", 18, BODY, False),
        ("pilots@kelby.example", 11, "Times-Bold", False),
        ("MEASURE(ICE, 9)", 11, BODY, False),
        ("PLACES = NINE", 11, "Times-Bold", False),
        ("• The nine places", 11, "Times-Bold", False),
        ("The fourth place", 8, "Times-Bold", False),
    ],
)
def test_a_line_between_paragraphs_is_a_heading_if_it_stands_out(
    line: str, size: float, font: str, expected: bool
) -> None:
    assert of_kind(laid(between(line, size, font)), "heading") == [line] * expected


@pytest.mark.parametrize("small", [8, 9])
def test_a_bold_title_above_small_print_is_a_heading(small: float) -> None:
    """It is smaller than the body, but no smaller than what it heads."""

    def page(pen: Pen) -> None:
        pen.text(PROSE * 2).skip(12).lines(["The right to copy"], small, "Times-Bold").text(OTHER, small)

    assert of_kind(laid(page), "heading") == ["The right to copy"]


@pytest.mark.parametrize("below", ["See the harbour office.", "See the harbour office. " * 9])
def test_a_small_bold_line_above_a_line_or_larger_text_is_no_heading(below: str) -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE * 2).skip(12).lines(["The right to copy"], 8, "Times-Bold").text(
            below, 8 if len(below) < 99 else 11
        )

    assert not of_kind(laid(page), "heading")


def test_a_numbered_title_in_capitals_may_have_two_lines() -> None:
    title = wrapped("III. THE NINE PLACES: HOW THE PILOTS OF KELBY AND THE CLERKS MEASURE THE ICE ALONG THE MOLE", 450)

    def page(lines: list[str]) -> Callable[[Pen], object]:
        return lambda pen: pen.text(PROSE).skip(9).lines(lines).skip(9).text(OTHER)

    assert of_kind(laid(page(title)), "heading") == [" ".join(title)]
    assert not of_kind(laid(page([title[0].removeprefix("III. "), title[1]])), "heading")


def test_a_long_introduction_in_larger_type_is_no_heading() -> None:
    words = OTHER.removesuffix(".")[:190]
    assert not of_kind(laid(lambda pen: pen.text(words, 13).text(PROSE)), "heading")


@pytest.mark.parametrize("lead", [1.25, 1.45])
@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("The Ice of Nine Places, for Dynamic", "Languages"), 1),
        (("The Ice of", "Nine Places"), 1),
        (("1 Ice", "2 Places"), 2),
        (("What is ice?", "Nine places"), 2),
    ],
)
def test_lines_of_one_title_are_one_heading(lines: tuple[str, ...], expected: int, lead: float) -> None:
    parsed = laid(lambda pen: pen.lines(lines, 22, "Times-Bold", lead=lead).skip(14).text(PROSE).text(OTHER))
    headings = of_kind(parsed, "heading")
    assert len(headings) == expected and " ".join(headings) == " ".join(lines)


@pytest.mark.parametrize("number", ["3", ""])
def test_a_number_beside_both_lines_of_a_title_comes_first(number: str) -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE).skip(12)
        at(Pen(pen.canvas, top=pen.y + 8), number, 72, "Times-Bold", 15)
        Pen(pen.canvas, 96, pen.y).lines(["The ice of the harbour", "and its nine places"], 15, "Times-Bold", lead=0.75)
        pen.skip(36).text(OTHER)

    title = f"{number} The ice of the harbour and its nine places".strip()
    assert of_kind(laid(page), "heading") == [title]


def test_entries_of_contents_without_leaders_are_no_headings() -> None:
    titles = ["1 The mole", "2 The pilots", "3 Ice", "4 Sources"]

    def page(pen: Pen) -> None:
        heading(pen, "Contents")
        for number, title in enumerate(titles):
            at(pen, title, 72, "Times-Bold")
            at(pen, str(3 + 9 * number), 510, "Times-Bold").skip(22)
        for title in titles:
            heading(pen, title, 13).text("The pilots know it by the colour of the water, and wait.")

    assert of_kind(laid(page), "heading") == ["Contents", *titles]


def test_contents_whose_chapters_have_no_leaders_are_no_headings() -> None:
    chapters = [("1 The mole", ["1.1 Piles", "1.2 Stones"]), ("2 The pilots", ["2.1 Boats", "2.2 Lamps"])]

    def page(pen: Pen) -> None:
        heading(pen, "Contents")
        for number, (chapter, sections) in enumerate(chapters):
            at(pen.skip(6), chapter, 72, "Times-Bold")
            at(pen, str(3 + 9 * number), 510, "Times-Bold").skip(16)
            for order, section in enumerate(sections):
                at(pen, section, 90)
                at(pen, ". " * 50, 200)
                at(pen, str(4 + 9 * number + order), 510).skip(14)
        pen.text(PROSE).text(OTHER)

    assert of_kind(laid(page), "heading") == ["Contents"]


@pytest.mark.parametrize("size", [11, 15])
def test_names_of_columns_are_no_heading(size: float) -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE).skip(12)
        for x, name in ((72, "Winter"), (220, "Boats"), (380, "Ice in cm")):
            at(pen, name, x, "Times-Bold", size)
        pen.skip(30).text(OTHER)

    assert not of_kind(laid(page), "heading")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("D D", False),
        ("x y z", False),
        ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", False),
        ("A mole", True),
        ("C O N T E N T S", True),
        ("Piles", True),
    ],
)
def test_letters_of_a_drawing_are_no_heading(line: str, expected: bool) -> None:
    assert of_kind(laid(between(line, 18)), "heading") == [line] * expected


@pytest.mark.parametrize(
    ("line", "size", "font", "expected"),
    [
        ("MEASURE <depth of the ice>", 13, BODY, False),
        ("depth = nine", 13, BODY, False),
        ("measure(depth)", 13, BODY, True),
        ("Depth = nine", 18, BODY, True),
        ("Depth = nine", 13, "Times-Bold", True),
    ],
)
def test_code_in_slightly_larger_type_is_no_heading(line: str, size: float, font: str, expected: bool) -> None:
    assert of_kind(laid(between(line, size, font)), "heading") == [line] * expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["The ice is", "what the pilots measure", "and the uncle"], 0),
        (["1 The ice", "2 The pilots", "3 The uncle"], 3),
        (["The ice", "The pilots"], 2),
    ],
)
def test_lines_alike_without_text_between_are_no_headings(lines: list[str], expected: int) -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE).skip(16)
        for line in lines:
            pen.lines([line], 18).skip(24)
        pen.text(OTHER)

    assert len(of_kind(laid(page), "heading")) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [("(In crowns a ton)", False), ("(1) The ice (of May)", True), ("Ice (in cm)", True)],
)
def test_a_remark_in_parentheses_is_no_heading(line: str, expected: bool) -> None:
    assert of_kind(laid(between(line, 14)), "heading") == [line] * expected
    title = ["The pilots", line]
    parsed = laid(lambda pen: pen.lines(title, 22, lead=1.45).skip(14).text(PROSE).text(OTHER))
    assert of_kind(parsed, "heading") == [" ".join(title)]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((("208", 72), ("The pilots of Kelby", 120)), False),
        ((("The pilots of Kelby", 72), ("31", 500)), False),
        ((("3", 72), ("The pilots of Kelby", 120)), True),
        ((("The pilots of Kelby", 72),), True),
    ],
)
@pytest.mark.parametrize("top", [True, False])
def test_a_line_with_a_page_number_at_the_end_of_a_page_is_no_heading(
    parts: tuple[tuple[str, float], ...], expected: bool, top: bool
) -> None:
    def page(pen: Pen) -> None:
        if not top:
            pen.text(PROSE).text(OTHER).skip(40)
        for text, x in parts:
            at(pen, text, x, "Times-Bold", 13)
        pen.skip(30).text(PROSE if top else "").text(OTHER if top else "")

    assert bool(of_kind(laid(page, lambda pen: pen.text(OTHER)), "heading")) is expected


@pytest.mark.parametrize("font", ["Times-Bold", "Times-Italic"])
@pytest.mark.parametrize(("before", "expected"), [(PROSE, True), (PROSE.removesuffix("."), False)])
def test_a_line_of_its_own_without_space_around_it_is_a_heading(font: str, before: str, expected: bool) -> None:
    line = "The nine stations"
    parsed = laid(lambda pen: pen.text(before, after=0).lines([line], font=font).text(OTHER))
    assert of_kind(parsed, "heading") == [line] * expected


def test_a_bold_title_in_the_margin_is_a_heading_below_its_number_and_date() -> None:
    titles = ["The ice and its Measurement", "Boats", "Measurement of Places Along the Moles of Kelby"]

    def page(pen: Pen) -> None:
        for number, title in enumerate(titles, start=1):
            side = Pen(pen.canvas, 72, pen.y, 110).lines([f"2.3.{number}", "(12-12-2022)"])
            side.text(title, font="Times-Bold")
            for mark, text in (("(1)", PROSE), ("(2)", OTHER)):
                first, *rest = wrapped(f"{mark} {text}", 300)
                pen.left = 198
                pen.lines([first])
                pen.left = 220
                pen.lines(rest).skip(10)
            pen.y = max(pen.y, side.y) + 12

    parsed = laid(page)
    assert of_kind(parsed, "heading") == titles
    assert of_kind(parsed, "list_item") == [f"(1) {PROSE}", f"(2) {OTHER}"] * 3


@pytest.mark.parametrize(
    ("line", "left", "expected"),
    [
        ("Recorded Winters", 249, True),
        ("Recorded Winters", 100, False),
        ("recorded winters", 246, False),
        ("RECORDED WINTERS", 246, False),
        ("Recorded(winters)", 246, False),
        ("Recorded in all the nine winters that the old pilots could name", 100, False),
    ],
)
def test_a_centred_line_in_monospaced_type_between_paragraphs_is_a_heading(
    line: str, left: float, expected: bool
) -> None:
    def page(pen: Pen) -> None:
        at(pen.text(PROSE).skip(20), line, left, "Courier", 10)
        pen.skip(30).text(OTHER)

    parsed = laid(page)
    assert of_kind(parsed, "heading") == [line] * expected
    assert of_kind(parsed, "code") == [line] * (not expected)


# Weight ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "expected"), [("VeraBd.ttf", True), ("Vera.ttf", False)])
def test_a_font_without_weight_in_its_name_is_judged_by_its_letters(file: str, expected: bool) -> None:
    registerFont(TTFont(file, file))
    registerFont(TTFont("Plain", "Vera.ttf"))

    def page(pen: Pen) -> None:
        pen.text(PROSE, 10, "Plain").skip(6).lines(["Nine stations"], 10, file).skip(6).text(OTHER, 10, "Plain")

    data = drawn(lambda canvas: page(Pen(canvas)))
    name = b"BitstreamVeraSans-Bold" if expected else b"BitstreamVeraSans-Roman"
    assert name in data
    parsed = load(data.replace(name, b"AdvPS405B8".ljust(len(name), b"x")))
    check(parsed)
    assert of_kind(parsed, "heading") == ["Nine stations"] * expected


def test_letters_that_are_filled_and_outlined_are_bold() -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE).skip(6)
        text = pen.canvas.beginText(72, HEIGHT - pen.y)
        text.setFont(BODY, 11)
        text.setTextRenderMode(2)
        text.textOut("Nine stations")
        text.setTextRenderMode(0)
        pen.canvas.drawText(text)
        pen.skip(26).text(OTHER)

    assert of_kind(laid(page), "heading") == ["Nine stations"]


# Levels ---------------------------------------------------------------------------------------------------------


def test_the_type_of_a_cover_uses_up_no_level() -> None:
    def cover(pen: Pen) -> None:
        for text, size in (("Redbook", 60), ("Ice", 48), ("Moles", 40), ("Pilots", 34)):
            pen.lines([text], size, "Times-Bold").skip(60)

    def page(pen: Pen) -> None:
        for text, size in (("Harbours", 24), ("1.1 Kelby", 16), ("1.1.1 The mole", 13), ("1.2 Ships", 16)):
            heading(pen, text, size).text(PROSE)

    parsed = laid(cover, page)
    assert {level for _, level in levels(parsed, "heading")[:4]} == {1}
    inside = [("Harbours", 1), ("1.1 Kelby", 2), ("1.1.1 The mole", 3), ("1.2 Ships", 2)]
    assert levels(parsed, "heading")[4:] == inside


def test_headings_that_look_like_numbered_ones_have_their_level() -> None:
    titles = [
        ("A report on ice", 24, 1),
        ("Abstract", 12, 3),
        ("1 Harbours", 16, 2),
        ("1.1 Kelby", 12, 3),
        ("Sources", 16, 2),
        ("Notes", 11, 4),
    ]

    def page(pen: Pen) -> None:
        for text, size, _ in titles:
            heading(pen, text, size).text("The pilots know it by the colour of the water, and wait.")
        pen.text(PROSE)

    assert levels(laid(page), "heading") == [(text, level) for text, _, level in titles]
