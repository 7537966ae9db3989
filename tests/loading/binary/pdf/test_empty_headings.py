from __future__ import annotations

from tests.loading.binary.pdf.making import BODY, OTHER, PROSE, Pen, heading, laid, of_kind


def body(pen: Pen) -> None:
    heading(pen, "The nine places", 14).text(PROSE)
    heading(pen, "The customs house", 14).text(OTHER)


def clerks(pen: Pen) -> None:
    pen.text(OTHER).text(PROSE)
    heading(pen, "The diary of the clerk", 14).text(OTHER)


def cover(pen: Pen) -> None:
    pen.lines(["Reports of the harbour"], 16, "Times-Bold").skip(10)
    pen.lines(["The ice of Kelby"], 32, "Times-Bold").skip(20)
    pen.lines(["Measured by the pilots", "and by the clerks"], 11).skip(480)
    pen.lines(["Harbour press"], 40, "Times-Bold")


def test_a_cover_has_its_title_alone_as_a_heading() -> None:
    """Not the line above the title, nor the sign of the publisher at its foot."""
    parsed = laid(cover, body)
    assert of_kind(parsed, "heading") == ["The ice of Kelby", "The nine places", "The customs house"]
    assert {"Reports of the harbour", "Harbour press"} <= set(of_kind(parsed, "paragraph"))


def test_a_number_or_the_outline_makes_a_line_above_a_larger_title_a_heading() -> None:
    def page(pen: Pen) -> None:
        pen.lines(["Chapter 3"], 16, "Times-Bold").skip(10)
        pen.lines(["The ice of Kelby"], 32, "Times-Bold").skip(20)
        pen.text(PROSE)

    assert of_kind(laid(page), "heading")[0].startswith("Chapter 3")


def test_a_heading_above_one_that_is_little_larger_or_beside_remains() -> None:
    def page(pen: Pen) -> None:
        heading(pen, "The ice of Kelby", 16)
        heading(pen, "The nine places", 18).text(PROSE)

    assert of_kind(laid(page), "heading") == ["The ice of Kelby", "The nine places"]


def test_a_title_at_the_foot_of_a_page_is_none_if_the_document_ends_there() -> None:
    def page(pen: Pen) -> None:
        body(pen)
        heading(pen.skip(350), "Ask the pilots of Kelby", 14)

    titles = ["The nine places", "The customs house"]
    assert of_kind(laid(page, clerks), "heading") == [*titles, "Ask the pilots of Kelby", "The diary of the clerk"]
    assert of_kind(laid(clerks, page), "heading") == ["The diary of the clerk", *titles]


def test_a_part_of_a_book_is_a_heading_alone_on_its_page() -> None:
    def part(pen: Pen) -> None:
        pen.skip(500).lines(["The ice of Kelby"], 32, BODY)

    assert of_kind(laid(body, part, clerks), "heading")[2] == "The ice of Kelby"
    assert of_kind(laid(part, body), "heading")[0] == "The ice of Kelby"
