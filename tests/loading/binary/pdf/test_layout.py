from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from chunking.loading.parsed import Parsed
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
    shown,
    with_letters,
    wrapped,
)

NUMBERED = ("1 Introduction", 2), ("2 Method", 2), ("2.1 Places", 3), ("2.1.1 The mole", 4), ("3 Result", 2)
LONG = "a rope that is long enough to reach the buoy from any of the nine places along the mole, and back again"


def grid(pen: Pen, rows: Sequence[Sequence[str]], columns: Sequence[float] = (72, 172, 272), step: float = 14) -> Pen:
    """Write rows of a table without rules."""
    for row in rows:
        for x, cell in zip(columns, row, strict=True):
            at(pen, cell, x, size=10)
        pen.skip(step)
    return pen


# Paragraphs -------------------------------------------------------------------------------------------------------


def test_paragraphs_are_divided_by_spacing() -> None:
    parsed = laid(lambda pen: pen.text(PROSE).text(OTHER))
    assert shown(parsed) == [("paragraph", PROSE), ("paragraph", OTHER)]


def test_paragraphs_are_divided_by_the_indentation_of_their_first_line() -> None:
    parsed = laid(lambda pen: [pen.text(text, indent=18, after=0) for text in (PROSE, OTHER, PROSE)])
    assert of_kind(parsed, "paragraph") == [PROSE, OTHER, PROSE]
    assert [block.style and block.style.indent for block in parsed.blocks] == [18, 18, 18]


def test_paragraphs_are_divided_by_a_short_last_line() -> None:
    assert of_kind(laid(lambda pen: pen.text(PROSE, after=0).text(OTHER, after=0)), "paragraph") == [PROSE, OTHER]


def test_a_hanging_indent_keeps_a_paragraph_whole() -> None:
    entry = "Aalto, M. and Berg, S. Ice on northern moles, its measure and its makers, with a list of all pilots known."

    def page(pen: Pen) -> None:
        for _ in range(4):
            first, *others = wrapped(entry, 230)
            pen.lines([first])
            pen.left += 20
            pen.lines(others)
            pen.left -= 20

    assert of_kind(laid(page, width=250), "paragraph") == [entry] * 4


def test_a_style_has_size_weight_space_and_indentation() -> None:
    parsed = laid(lambda pen: heading(pen, "Ice").text(PROSE).text(OTHER, font="Times-Italic"))
    styles = [block.style for block in parsed.blocks if block.style]
    looks = [(style.size, style.bold, style.italic) for style in styles]
    assert looks == [(16, True, False), (11, False, False), (11, False, True)]
    spaces = [style.space_before for style in styles]
    assert spaces[0] == -1 and spaces[1] > 3 and spaces[2] == pytest.approx(8 + 0.25 * 11 - 1.5, abs=3)


# Hyphens ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "elsewhere", "joined"),
    [
        ("They were at last recog-", "nised by the crew of the boat", "", "recognised"),
        ("They were at last recog\u00ad", "nised by the crew of the boat", "", "recognised"),
        ("They met the pilot, a well-", "known man of the coast here", "He is well-known.", "well-known"),
        ("They met the pilot, a well-", "known man of the coast here", "All is well. It is known.", "well-known"),
        ("They then went to co-", "operate with the crew here", "We co-operate. They cooperate.", "cooperate"),
        ("They have a state-of-the-", "art compass on the boat", "", "state-of-the-art"),
        ("They sailed with the Anglo-", "Saxon fleet in the year", "", "Anglo-Saxon"),
        ("They stayed for the years 1911-", "1914 and then they left", "", "1911-1914"),
        ("They have been counted since 1911–", "1914 by the clerk", "", "1911–1914"),
        ("They ask you to call the number 555-", "0164 on the day", "", "555-0164"),
        ("It is all in www.kelby.example/ice-", "books by now", "", "www.kelby.example/ice-books"),
        ("It is all in www.kelby.example/", "ice/1911.html by now", "", "www.kelby.example/ice/1911.html"),
        ("It is all in https://", "kelby.example by now", "", "https://kelby.example"),
        ("It is all in https://kelby.example/?a=", "ice by now", "", "https://kelby.example/?a=ice"),
        (
            "They say that all of it is written in full in https://kelby.",
            "example/ice by now",
            "",
            "https://kelby.example/ice",
        ),
        (
            "They say that all of it is written in full in https://kelby.example/ice",
            "/books by now",
            "",
            "https://kelby.example/ice/books",
        ),
        ("You may write to pilots@", "kelby.example by now", "", "pilots@kelby.example"),
        ("You may write to pilots@north-", "kelby.example by now", "", "pilots@north-kelby.example"),
        ("It is all in https://kelby.example.", "They wrote it down", "", "https://kelby.example."),
        ("It is all in https://kelby.example/", "and they know it", "", "https://kelby.example/"),
        ("It is all in https://kelby.example/ice", "and they know it", "", "https://kelby.example/ice"),
        ("The pilots came in the morning after -", "all of them, and nobody was missing", "", "-"),
    ],
)
def test_hyphens_at_line_ends(first: str, second: str, elsewhere: str, joined: str) -> None:
    lines = [first, second + " and of every other one that came in later."]
    parsed = laid(lambda pen: pen.lines(lines).skip(20).lines([elsewhere or "Nothing."]), width=300)
    assert joined in of_kind(parsed, "paragraph")[0].split()


# Columns ----------------------------------------------------------------------------------------------------------


def column_text(number: int) -> str:
    return f"Column {number} begins here. {PROSE} {OTHER} Column {number} is over."


@pytest.mark.parametrize("rows", [False, True], ids=["by column", "by row"])
def test_two_columns_under_a_title_and_over_a_full_line(rows: bool) -> None:
    left, right = wrapped(column_text(1), 215), wrapped(column_text(2), 215)
    title, below = "A title that stands over both columns of the page and is long", f"What stands below both. {OTHER}"

    def page(pen: Pen) -> None:
        top = heading(pen, title, 15).y
        for number in range(max(len(left), len(right))) if rows else (0,):
            for x, lines in ((72, left), (307, right)):
                column = Pen(pen.canvas, x, top + number * 13)
                column.lines(lines[number : number + 1] if rows else lines, 10, lead=1.3)
        Pen(pen.canvas, width=460, top=top + 13 * len(left) + 30).text(below)

    assert [text for _, text in shown(laid(page, width=460))] == [title, column_text(1), column_text(2), below]


SPREAD = (1190.0, 842.0)
"""Size of two pages of A4 beside each other."""


def spread(*halves: Callable[[Pen], object]) -> Parsed:
    """Load one page with the contents of two beside each other."""

    def page(canvas: Any) -> None:
        for number, write in enumerate(halves):
            write(Pen(canvas, 72 + 620 * number, width=420))

    parsed = load(drawn(page, size=SPREAD))
    check(parsed)
    return parsed


def test_facing_pages_are_read_one_after_the_other() -> None:
    def page(number: int, questions: int, answers: int) -> Callable[[Pen], object]:
        def write(pen: Pen) -> None:
            inner = Pen(pen.canvas, pen.left + 18, pen.y, pen.width - 18)
            for question in range(questions):
                inner.text(f"Page {number}, question {question}. {PROSE}", size=9, indent=-18, after=6)
                for answer in range(answers):
                    inner.text(f"Answer {answer} of few", size=9)
                inner.skip(30 * number)

        return write

    text = spread(page(1, 3, 6), page(2, 2, 9)).text
    marks = [f"Page {number}, question {question}." for number, count in ((1, 3), (2, 2)) for question in range(count)]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    assert [part.count("Answer") for part in (text[: places[3]], text[places[3] :])] == [18, 18]


def test_a_table_over_a_wide_page_is_none_of_facing_pages() -> None:
    def left(pen: Pen) -> None:
        for number in range(12):
            for x, cell in ((72, f"Winter {number}"), (300, "ice in May"), (690, f"{number} ships"), (1000, "no loss")):
                at(pen, cell, x, size=10)
            pen.skip(14)

    rows = "\n".join(f"Winter {number} | ice in May | {number} ships | no loss" for number in range(12))
    assert shown(spread(left)) == [("table", rows)]


def test_a_quotation_mark_in_the_gutter_divides_no_columns() -> None:
    left, right = wrapped(column_text(1), 215), wrapped(column_text(2), 215)

    def page(pen: Pen) -> None:
        pen.lines(left, 10, lead=1.3)
        for number, line in enumerate(right):
            hanging = number == 5
            Pen(pen.canvas, 307 - 4 * hanging, 90 + 13 * number).lines([f"“{line}" if hanging else line], 10)

    words = [*right[:5], f"“{right[5]}", *right[6:]]
    assert [text for _, text in shown(laid(page))] == [column_text(1), " ".join(words)]


def test_three_columns() -> None:
    def page(pen: Pen) -> None:
        for number in range(3):
            Pen(pen.canvas, 50 + 175 * number, width=160).text(column_text(number), size=9)

    assert of_kind(laid(page), "paragraph") == [column_text(number) for number in range(3)]


def test_a_paragraph_goes_on_in_the_next_column() -> None:
    text = f"{PROSE} {OTHER} {PROSE}"
    lines = wrapped(text, 215, 10)
    half = len(lines) // 2
    parsed = laid(lambda pen: (pen.lines(lines[:half], 10), Pen(pen.canvas, 307).lines(lines[half:], 10)))
    assert shown(parsed) == [("paragraph", text)]


def test_columns_of_a_right_to_left_page_are_read_from_the_right() -> None:
    words = ["שלום", "לכם", "אנשי", "הנמל", "והספינות", "הגדולות", "ביום"]
    lines: list[tuple[float, float, str]] = []
    read: dict[str, list[str]] = {"ראשונה": [], "שניה": []}
    for right, first in ((272, "שניה"), (520, "ראשונה")):
        for row in range(8):
            chosen = [first if not row and not place else words[(row + place) % 7] for place in range(6)]
            read[first].extend(chosen)
            # As it is seen: the last letter stands left.
            line = " ".join(chosen)[::-1]
            lines.append((right - 5 * len(line), 700 - 13 * row, line))
    parsed = load(with_letters("".join(line for _, _, line in lines), lines))
    assert parsed.text.split() == [*read["ראשונה"], *read["שניה"]]
    check(parsed)


# Pages ------------------------------------------------------------------------------------------------------------


def book(pages: int, head: bool = True) -> Parsed:
    """Pages of one long text with heads that alternate, and numbers."""
    lines = wrapped(" ".join([PROSE, OTHER] * (4 * pages)), 450)

    def page(number: int) -> Callable[[Pen], object]:
        def draw(pen: Pen) -> None:
            if head:
                name = "The Book of Ice" if number % 2 else "Pilots of the North"
                pen.canvas.setFont("Times-Roman", 9)
                pen.canvas.drawString(72 if number % 2 else 300, HEIGHT - 50, name)
                pen.canvas.drawString(290, 40, str(number + 7))
            pen.lines(lines[number * 40 : (number + 1) * 40])

        return draw

    return laid(*map(page, range(pages)))


def test_running_heads_and_page_numbers_are_set_aside() -> None:
    parsed = book(6)
    assert [block.kind for block in parsed.blocks] == ["paragraph"]
    heads = ["Pilots of the North", "The Book of Ice"] * 3
    assert [(aside.kind, aside.text, aside.part) for aside in parsed.aside] == [
        pair
        for number, name in enumerate(heads)
        for pair in (("running head", name, number), ("page number", str(number + 7), number))
    ]
    assert all(aside.box and (aside.box[3] < 60 or aside.box[1] > 780) for aside in parsed.aside)


def test_a_paragraph_goes_on_over_the_pages() -> None:
    parsed = book(3, head=False)
    assert parsed.text == " ".join([PROSE, OTHER] * 12)[: len(parsed.text)]
    assert len(parsed.blocks) == 1 and not parsed.aside
    assert parsed.pages and set(parsed.pages.page.tolist()) == {0, 1, 2}
    assert parsed.pages.starts[0] == 0 < parsed.pages.starts[1] < parsed.pages.starts[2]


def test_a_page_break_stands_between_blocks() -> None:
    parsed = laid(lambda pen: pen.text(PROSE), lambda pen: pen.text(OTHER))
    assert parsed.text == f"{PROSE}\n\n\f\n\n{OTHER}"
    assert [block.kind for block in parsed.blocks] == ["paragraph", "page_break", "paragraph"]


def under_head(head: str, size: float = 9, x: float = 72) -> Callable[[Pen], object]:
    """Return a page whose first line is at the place of a head."""

    def page(pen: Pen) -> None:
        at(Pen(pen.canvas, top=50), head, x, size=size)
        pen.text(PROSE).text(OTHER)

    return page


@pytest.mark.parametrize(
    ("head", "size", "expected"),
    [
        ("4. Ice of the north", 9, True),
        ("Sources", 9, True),
        ("Sources", 16, False),
        ("and the uncle, with his pole.", 9, False),
    ],
)
def test_the_head_of_a_chapter_of_one_page_is_excluded(head: str, size: float, expected: bool) -> None:
    pages = [under_head("3. Harbours of the north") for _ in range(4)]
    parsed = laid(*pages, under_head(head, size))
    assert [aside.text for aside in parsed.aside][4:] == [head] * expected
    assert (head in parsed.text) is not expected


def test_bullets_at_the_top_of_pages_are_no_running_heads() -> None:
    def page(number: int) -> Callable[[Pen], object]:
        def write(pen: Pen) -> None:
            at(pen, "•", 72)
            at(pen, f"The {['nine', 'ten', 'eleven', 'twelve'][number]} pilots of Kelby have a rope.", 100).skip(24)
            pen.text(PROSE)

        return write

    assert not laid(*[page(number) for number in range(4)]).aside


def stamped(pen: Pen, stamps: int = 1, x: float = 32) -> Pen:
    """Write text at the edge of the page upwards."""
    for number in range(stamps):
        pen.canvas.saveState()
        pen.canvas.translate(x + 9 * number, 250)
        pen.canvas.rotate(90)
        pen.canvas.setFont(BODY, 8 + 8 * (stamps == 1))
        pen.canvas.drawString(0, 0, f"Archive of Kelby, no. {number}")
        pen.canvas.restoreState()
    return pen


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (lambda pen: stamped(pen).text(PROSE).text(OTHER), 1),
        (lambda pen: stamped(pen, x=585).text(PROSE).text(OTHER), 1),
        (lambda pen: stamped(pen, x=300).text(PROSE).text(OTHER), 0),
        (lambda pen: stamped(pen, 4, 20).text(PROSE).text(OTHER), 0),
        (lambda pen: stamped(pen).text("Ice in cm"), 0),
    ],
)
def test_a_stamp_in_the_margin_is_excluded(page: Callable[[Pen], object], expected: int) -> None:
    parsed = laid(page)
    notes = [aside.text for aside in parsed.aside if aside.kind == "margin note"]
    assert notes == ["Archive of Kelby, no. 0"] * expected
    assert ("Archive" in parsed.text) is not bool(expected)


def test_numbers_that_do_not_go_up_are_text() -> None:
    def page(value: str) -> Callable[[Pen], object]:
        return lambda pen: (pen.lines([value]), Pen(pen.canvas, top=90).text(PROSE))

    values = ["40", "7", "93", "12"]
    parsed = laid(*map(page, values), top=60)
    assert not parsed.aside
    assert [text for text in of_kind(parsed, "paragraph") if text.isdigit()] == values


def test_roman_numbers_and_numbers_of_numbers() -> None:
    def page(name: str) -> Callable[[Pen], object]:
        def draw(pen: Pen) -> None:
            pen.text(PROSE).canvas.setFont("Times-Roman", 9)
            pen.canvas.drawCentredString(300, 40, name)

        return draw

    names = ["ii", "iii", "iv", "Page 4 of 9", "Page 5 of 9", "Page 6 of 9"]
    assert [(aside.kind, aside.text) for aside in laid(*map(page, names)).aside] == [
        ("page number", name) for name in names
    ]


def test_a_repeated_line_inside_the_text_stays() -> None:
    same = "The same sentence on every page."

    def page(letter: str) -> Callable[[Pen], object]:
        texts = [f"Opening {letter}.", "Then this.", "And this.", PROSE, same, OTHER]
        texts += [f"Ending {letter}.", "Last but one.", f"Last {letter}."]
        return lambda pen: [pen.text(text) for text in texts]

    parsed = laid(*map(page, "vwxyz"))
    assert not parsed.aside
    assert of_kind(parsed, "paragraph").count(same) == 5


def test_footnotes_stand_after_the_paragraph_that_goes_on() -> None:
    lines = wrapped(f"{PROSE} {OTHER} {PROSE}", 450)
    note = "1 The uncle was called Ambrose, as the parish register of the year tells those who can still read it."

    def first(pen: Pen) -> None:
        Pen(pen.canvas, top=400).lines(lines[:6])
        pen.canvas.line(72, 110, 200, 110)
        Pen(pen.canvas, top=HEIGHT - 90).lines([note], 8)

    parsed = laid(first, lambda pen: pen.lines(lines[6:]))
    assert shown(parsed) == [("paragraph", " ".join(lines)), ("footnote", note)]


# Headings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((20, 15, 12.5, 15), [("The North", 1), ("Harbours", 2), ("Kelby", 3), ("Ships", 2)]),
        ((20, 12, 12, 12, 12, 12), [("A report on ice", 1), *NUMBERED]),
    ],
    ids=["by size", "by number"],
)
def test_headings_have_levels(sizes: Sequence[float], expected: list[tuple[str, int]]) -> None:
    parsed = laid(
        lambda pen: [heading(pen, text, size).text(OTHER) for (text, _), size in zip(expected, sizes, strict=True)]
    )
    assert levels(parsed, "heading") == expected


def test_bold_words_in_a_paragraph_are_no_heading() -> None:
    def page(pen: Pen) -> None:
        at(pen.text(PROSE), "Warning.", 72, "Times-Bold")
        at(pen, "The ice is thin at the fourth place, and nobody should stand on it.", 125).skip(30)
        pen.text("This whole sentence is set in bold letters, since it matters.", font="Times-Bold").text(OTHER)

    assert not of_kind(laid(page), "heading")


def test_a_heading_over_two_lines_is_one() -> None:
    lines = ["On the measure of ice along the moles of", "the northern harbours"]
    parsed = laid(lambda pen: pen.lines(lines, 18, "Times-Bold").skip(12).text(PROSE))
    assert of_kind(parsed, "heading") == [" ".join(lines)]


def test_a_numbered_heading_goes_on_under_its_words() -> None:
    lines = ["Nine places on the mole, and what was found at each of", "them"]

    def page(pen: Pen) -> None:
        at(pen.text(PROSE), "2.7", 72, "Times-Bold", 14)
        Pen(pen.canvas, 105, pen.y).lines(lines, 14, "Times-Bold")
        pen.skip(50).text(OTHER)

    assert of_kind(laid(page), "heading") == [f"2.7 {' '.join(lines)}"]


def test_entries_of_a_table_of_contents_are_no_headings_and_stay_apart() -> None:
    entries = [
        "1 The mole . . . . . . . . . . 7",
        "2 The pilots and their uncles . . 12",
        "3 Ice. . . . . . . . . . . 31",
    ]
    parsed = laid(lambda pen: pen.lines(entries, 14, "Times-Bold").skip(20).text(PROSE).text(OTHER))
    assert shown(parsed)[:3] == [("paragraph", entry) for entry in entries]


# Other kinds ------------------------------------------------------------------------------------------------------


def test_further_lines_of_a_caption_are_no_headings() -> None:
    first, rest = "Table CA2b. Ships at the mole by their country and", "origin of the crew (domestic or not), 2007"

    def page(pen: Pen) -> None:
        pen.text(PROSE).skip(30)
        at(pen, "Table CA2b.", 72, size=9.5, font="Times-Bold")
        at(pen, "Ships at the mole by their country and", 160, size=9.5, font="Times-Bold")
        pen.skip(12)
        at(pen, rest, 160, size=9.5, font="Times-Bold")
        grid(pen.skip(30), [("Country", "Ships", "Crew"), *((f"Land {n}", str(n), str(n + 7)) for n in range(5))])
        pen.skip(30).text(OTHER)

    parsed = laid(page)
    assert [" ".join(text.replace(" | ", " ").split()) for text in of_kind(parsed, "caption")] == [f"{first} {rest}"]
    assert not of_kind(parsed, "heading")


def test_captions() -> None:
    captions = [
        "Figure 3: The mole with its nine places, as the clerk drew it in his diary.",
        "Table 2. Winters and their boats.",
    ]

    def page(pen: Pen) -> None:
        pen.text(PROSE).skip(80).text(captions[0], size=9)
        pen.text("Figure 3 shows the mole. " + OTHER).text(captions[1], size=9)

    assert of_kind(laid(page), "caption") == captions


def item(pen: Pen, mark: str, text: str, depth: int) -> None:
    """An item whose mark is text, or drawn: a disc or circle, its middle at the height of small letters."""
    drawn_at = 15 if mark not in "●○" else 0
    if drawn_at:
        at(pen, mark, pen.left + 20 * depth)
    else:
        pen.canvas.circle(
            pen.left + 20 * depth - 9, HEIGHT - pen.y + 2.8, 1.9, stroke=mark == "○", fill=int(mark == "●")
        )
    pen.left += 20 * depth + drawn_at
    pen.width = 300
    pen.text(text, after=2)
    pen.left -= 20 * depth + drawn_at
    pen.width = 450


def test_list_items_with_levels() -> None:
    items = [
        ("•", LONG, 1),
        ("–", "hemp", 2),
        ("–", "wire", 2),
        ("•", "a lamp", 1),
        ("1.", "wait", 1),
        ("2.", "look", 1),
    ]

    def page(pen: Pen) -> None:
        pen.text(PROSE)
        for mark, text, depth in items:
            if mark == "1.":
                pen.skip(8).text(OTHER)
            item(pen, mark, text, depth)

    parsed = laid(page)
    assert levels(parsed, "list_item") == [(f"{mark} {text}", depth) for mark, text, depth in items]
    words = [parsed.text[block.content : block.end] for block in parsed.blocks if block.kind == "list_item"]
    assert words == [text for _, text, _ in items]
    assert "– hemp\n– wire" in parsed.text


def test_list_items_whose_bullets_are_drawn() -> None:
    items = [("●", LONG, 1), ("○", "hemp", 2), ("○", "wire of the best sort", 2), ("●", "a lamp", 1)]

    def page(pen: Pen) -> None:
        pen.text(PROSE)
        for mark, text, depth in items:
            item(pen, mark, text, depth)
        pen.skip(8).text(OTHER)

    parsed = laid(page)
    assert [kind for kind, _ in shown(parsed)] == ["paragraph", *["list_item"] * 4, "paragraph"]
    assert levels(parsed, "list_item") == [(text, depth) for _, text, depth in items]
    assert f"{LONG}\nhemp\nwire of the best sort\na lamp" in parsed.text


@pytest.mark.parametrize(("texts", "dots"), [(["They wait."], 0), (["They wait.", "They measure the ice."], 300)])
def test_a_single_dot_and_the_dots_of_a_drawing_are_no_bullets(texts: list[str], dots: int) -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE)
        for text in texts:
            item(pen, "●", text, 1)
        pen.text(OTHER)
        for place in range(dots):
            pen.canvas.circle(80 + place, 200 + place % 97, 1.9, stroke=0, fill=1)

    assert "list_item" not in [kind for kind, _ in shown(laid(page))]


def test_a_number_at_a_line_start_is_no_item() -> None:
    lines = [
        "The pilots counted all the boats that came in the winter of 1911, and",
        "9. They were surprised, they said.",
    ]
    assert not of_kind(laid(lambda pen: pen.lines(lines).skip(8).text(PROSE), width=330), "list_item")


def test_code_keeps_its_lines_and_indentation() -> None:
    lines = ["def boats(year):", "    for boat in harbour:", "        yield boat", "    return None"]

    def page(pen: Pen) -> None:
        pen.text(PROSE)
        for line in lines:
            at(pen, line.lstrip(), 72 + 6 * (len(line) - len(line.lstrip())), "Courier", 10).skip(12)
        pen.skip(10).text(OTHER)

    assert of_kind(laid(page), "code") == ["\n".join(lines)]


def test_pieces_of_code_with_less_than_a_line_between_are_apart() -> None:
    pieces = [["def ice():", "    return 9", "", "ice()"], ["boats = 42", "print(boats)", "print(ice())"]]

    def page(pen: Pen) -> None:
        pen.text(PROSE).skip(4)
        for piece in pieces:
            pen.lines([line or " " for line in piece], 9, "Courier").skip(9)
        pen.text(OTHER)

    assert of_kind(laid(page), "code") == ["\n".join(piece) for piece in pieces]


def test_code_inside_a_line_is_part_of_its_paragraph() -> None:
    def page(pen: Pen) -> None:
        for _ in range(3):
            at(at(pen, "The clerk always wrote the name", 72), "harbour_master", 225, "Courier", 9)
            at(pen, "into the book before he went to sleep", 304).skip(13.75)

    assert [kind for kind, _ in shown(laid(page))] == ["paragraph"]


def test_a_quotation_set_in_on_both_sides() -> None:
    def page(pen: Pen) -> None:
        Pen(pen.canvas, 120, pen.text(PROSE).y, 350).text(OTHER)
        pen.skip(120).text(PROSE)

    parsed = laid(page)
    assert shown(parsed) == [("paragraph", PROSE), ("quote", OTHER), ("paragraph", PROSE)]
    assert parsed.blocks[1].level == 1


# Tables -----------------------------------------------------------------------------------------------------------

CELLS = [["Winter", "Boats", "Ice in cm"], ["1911", "42", "31"], ["1912", "17", "55"], ["1913", "61", "12"]]
LATER = [["1914", "38", "29"], ["1915", "40", "47"]]


def table(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(" | ".join(row) for row in rows)


def test_a_ruled_table_with_a_cell_of_two_lines() -> None:
    def page(pen: Pen) -> None:
        top = HEIGHT - pen.text(PROSE).y
        pen.canvas.grid([72, 172, 272, 392], [top, top - 20, top - 40, top - 72])
        grid(pen.skip(14), CELLS[:3], (76, 176, 276), 20)
        at(pen.skip(-8), "at the mole", 276, size=10)
        pen.skip(34).text(OTHER)

    rows = [*CELLS[:2], ["1912", "17", "55 at the mole"]]
    assert shown(laid(page)) == [("paragraph", PROSE), ("table", table(rows)), ("paragraph", OTHER)]


def test_a_table_without_rules() -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE)
        for first, *others in CELLS:
            at(pen, first, 72, size=10)
            for x, cell in zip((230, 350), others, strict=True):
                pen.canvas.drawRightString(x, HEIGHT - pen.y, cell)
            pen.skip(14)
        pen.skip(10).text(OTHER)

    assert of_kind(laid(page), "table") == [table(CELLS)]


def test_an_empty_cell_is_kept() -> None:
    rows = [CELLS[0], ["1911", "", "31"], CELLS[2]]
    assert of_kind(laid(lambda pen: grid(pen.text(PROSE), rows)), "table") == [table(rows)]


def test_a_cell_of_two_lines_in_a_table_without_rules() -> None:
    rows = [
        ("rope", "of hemp, long enough to reach a har-", "9"),
        ("", "bour from the mole", ""),
        ("lamp", "with oil", "2"),
        ("", "without", "1"),
    ]
    assert of_kind(laid(lambda pen: grid(pen.text(PROSE), rows, (72, 132, 322), 12)), "table") == [
        "rope | of hemp, long enough to reach a harbour from the mole | 9\nlamp | with oil | 2\n| without | 1"
    ]


def ruled(pen: Pen, columns: Sequence[float], rows: Sequence[Sequence[str]]) -> None:
    top = HEIGHT - pen.y
    pen.canvas.grid(columns, [top - 20 * place for place in range(len(rows) + 1)])
    grid(pen.skip(14), rows, [x + 4 for x in columns[:-1]], 20)


@pytest.mark.parametrize("repeated", [True, False])
def test_a_ruled_table_goes_on_over_the_page(repeated: bool) -> None:
    def second(pen: Pen) -> None:
        ruled(pen.skip(-10), [92, 192, 292, 412], [CELLS[0], *LATER] if repeated else LATER)
        Pen(pen.canvas, top=200).text(OTHER)

    parsed = laid(lambda pen: ruled(pen.text(PROSE), [72, 172, 272, 392], CELLS), second)
    assert shown(parsed) == [("paragraph", PROSE), ("table", table([*CELLS, *LATER])), ("paragraph", OTHER)]
    head = [("repeated table head", "Winter Boats Ice in cm", 1)] if repeated else []
    assert [(aside.kind, aside.text, aside.part) for aside in parsed.aside] == head


def test_a_table_of_other_columns_on_the_next_page_is_another() -> None:
    parsed = laid(
        lambda pen: ruled(pen.text(PROSE), [72, 172, 272, 392], CELLS),
        lambda pen: ruled(pen.skip(-10), [72, 142, 272, 392], CELLS),
    )
    assert of_kind(parsed, "table") == [table(CELLS)] * 2


def test_a_table_without_rules_goes_on_over_the_page() -> None:
    parsed = laid(
        lambda pen: grid(pen.text(PROSE), CELLS),
        lambda pen: grid(pen, [CELLS[0], *LATER]).skip(20).text(OTHER),
    )
    assert of_kind(parsed, "table") == [table([*CELLS, *LATER])]
    assert [(aside.kind, aside.text) for aside in parsed.aside] == [("repeated table head", "Winter Boats Ice in cm")]


def test_a_box_around_a_paragraph_is_no_table() -> None:
    parsed = laid(lambda pen: pen.text(PROSE).canvas.rect(65, HEIGHT - 180, 470, 105))
    assert shown(parsed) == [("paragraph", PROSE)]


def test_wide_spaces_of_justified_lines_are_no_cells() -> None:
    def page(pen: Pen) -> None:
        for line in wrapped(PROSE, 120):
            words = line.split()
            widths = [pen.canvas.stringWidth(word, "Times-Roman", 11) for word in words]
            gap = (135 - sum(widths)) / max(len(words) - 1, 1)
            x = 72.0
            for word, width in zip(words, widths, strict=True):
                at(pen, word, x)
                x += width + gap
            pen.skip(13.75)

    assert shown(laid(page)) == [("paragraph", PROSE)]


NAMES = ["Winter", "Boats", "Ice", "Pilots", "Days"]
PLACES = (72, 180, 240, 300, 360)


def numbers(*names: str, first: int = 11) -> list[list[str]]:
    """Rows of a name and numbers of different lengths, none of them like another."""
    return [
        [name, *(f"{(first + 7 * row + 13 * column) ** (1 + (row + column) % 3):,}" for column in range(4))]
        for row, name in enumerate(names)
    ]


def right_aligned(pen: Pen, rows: Sequence[Sequence[str]], step: float = 13, between: float = 8) -> Pen:
    """Write rows of numbers that end together and are so wide that little more than a space is between them."""
    widest = max(pen.canvas.stringWidth(cell, "Times-Roman", 10) for row in rows for cell in row[1:])
    for name, *cells in rows:
        at(pen, name, 72, size=10)
        for column, cell in enumerate(cells, start=1):
            pen.canvas.drawRightString(150 + column * (widest + between), HEIGHT - pen.y, cell)
        pen.skip(step)
    return pen


def test_numbers_with_narrow_spaces_between_are_cells() -> None:
    rows = [["Kelby", "51,544", "37,481", "14,062"], ["Nine Elms", "52,071", "37,797", "14,275"]] * 3
    parsed = laid(lambda pen: right_aligned(pen.text(PROSE), rows).skip(12).text(OTHER))
    assert of_kind(parsed, "table") == [table(rows)]


def test_numbers_of_a_sentence_are_no_cells() -> None:
    sentence = "They counted 12 boats in 1911, 1912, 1913 and 1914 1915 as 3 4 5 and 6 7, and wrote all of it down."
    assert shown(laid(lambda pen: pen.text(sentence).text(PROSE))) == [("paragraph", sentence), ("paragraph", PROSE)]


@pytest.mark.parametrize("outdent", [0, 20])
@pytest.mark.parametrize("groups", [["Kelby"], ["Harbours of the north", "and of the west"]])
def test_rows_that_name_a_group_are_part_of_their_table(groups: list[str], outdent: float) -> None:
    first, second = numbers("1911", "1912", "1913"), numbers("1914", "1915", "1916", first=12)

    def page(pen: Pen) -> None:
        pen.text(PROSE)
        for rows in (first, second):
            for group in groups:
                at(pen, group, 72 - outdent, "Times-Bold", 10).skip(13)
            grid(pen, rows, PLACES, 13)
        pen.skip(10).text(OTHER)

    name = " ".join(groups)
    expected = "\n".join([table(first), name, table(second)])
    tables = of_kind(laid(page), "table")
    assert len(tables) == 1 and tables[0].endswith(expected)


def test_a_numbered_heading_between_two_tables_divides_them() -> None:
    first, second = numbers("1911", "1912", "1913"), numbers("1914", "1915", "1916", first=12)

    def page(pen: Pen) -> None:
        grid(pen.text(PROSE), first, PLACES, 13)
        at(pen.skip(4), "2.2 Loads", 72, "Times-Bold", 11).skip(16)
        grid(pen, second, PLACES, 13).skip(10).text(OTHER)

    assert of_kind(laid(page), "table") == [table(first), table(second)]


def test_names_of_columns_over_several_lines_are_one_row() -> None:
    rows = numbers("1911", "1912", "1913")
    heads = [
        ["", "Boats", "", "", ""],
        ["", "in the", "Thickest", "Pilots", ""],
        ["Winter", "harbour", "ice", "at sea", "Days"],
    ]

    def page(pen: Pen) -> None:
        grid(pen.text(PROSE), [*heads, *rows], (72, 150, 230, 310, 390), 12).skip(10).text(OTHER)

    head = ["Winter", "Boats in the harbour", "Thickest ice", "Pilots at sea", "Days"]
    assert of_kind(laid(page), "table") == [table([head, *rows])]


def test_a_name_over_several_columns_is_part_of_the_table() -> None:
    rows = [NAMES, *numbers("1911", "1912", "1913")]

    def page(pen: Pen) -> None:
        at(pen.text(PROSE), "Counted at the mole in all years", 200, size=10).skip(13)
        grid(pen, rows, PLACES, 13).skip(10).text(OTHER)

    tables = of_kind(laid(page), "table")
    assert len(tables) == 1 and "Counted at the mole in all years" in tables[0] and tables[0].endswith(table(rows[1:]))


def test_the_rest_of_a_name_that_did_not_fit_is_in_its_cell() -> None:
    rows = numbers("Harbours of the far north and", "Elsewhere", "Kelby")

    def page(pen: Pen) -> None:
        grid(pen.text(PROSE), rows[:1], (72, 220, 280, 340, 400), 12)
        at(pen, "north-west", 80, size=10).skip(12)
        grid(pen, rows[1:], (72, 220, 280, 340, 400), 12).skip(10).text(OTHER)

    expected = [[rows[0][0] + " north-west", *rows[0][1:]], *rows[1:]]
    assert of_kind(laid(page), "table") == [table(expected)]


def test_numbers_that_share_a_cell_are_cells_where_another_row_divides_them() -> None:
    rows = [
        ["Kelby", "61,206", "2,862 (4.7)", "1.1"],
        ["Elms", "49,486", "2,909 (5.9)", "1.2"],
        ["All", "9", "5,771", "(5.2)", "1"],
    ]

    def page(pen: Pen) -> None:
        grid(pen.text(PROSE), rows[:2], (72, 150, 230, 320), 13)
        grid(pen, rows[2:], (72, 150, 230, 265, 320), 13).skip(10).text(OTHER)

    expected = [["Kelby", "61,206", "2,862", "(4.7)", "1.1"], ["Elms", "49,486", "2,909", "(5.9)", "1.2"], rows[2]]
    assert of_kind(laid(page), "table") == [table(expected)]


def test_dots_lead_to_the_numbers_of_a_row() -> None:
    rows = [[f"0.9{row} ..................", *cells] for row, (_, *cells) in enumerate(numbers("a", "b", "c", "d"))]

    def page(pen: Pen) -> None:
        grid(pen.text(PROSE), rows, PLACES, 13).skip(10).text(OTHER)

    assert of_kind(laid(page), "table") == [table(rows)]


# Text that a line end or a column interrupts -------------------------------------------------------------------------


def test_a_label_with_text_beside_and_below_is_one_paragraph() -> None:
    lines = wrapped(OTHER, 330)

    def page(pen: Pen) -> None:
        at(pen.text(PROSE), ".1", 108)
        Pen(pen.canvas, 162, pen.y, 330).lines(lines)
        pen.skip(20 * len(lines)).text(PROSE)

    assert [text for _, text in shown(laid(page))] == [PROSE, f".1 {OTHER}", PROSE]


@pytest.mark.parametrize("rest", ["ID of the boat that it was", "(see the diary) and nowhere else"])
def test_an_item_and_a_paragraph_go_on_after_a_line_that_is_not_full(rest: str) -> None:
    begin = "They are never to use a rope for more than one boat at the"

    def page(pen: Pen) -> None:
        at(pen.text(PROSE), "•", 72)
        Pen(pen.canvas, 87, pen.y).lines([begin, rest])
        pen.skip(50).text(OTHER)

    assert of_kind(laid(page), "list_item") == [f"• {begin} {rest}"]


@pytest.mark.parametrize("marks", [("•", "•"), ("(1)", "(2)"), ("7)", "8)")])
def test_an_item_whose_first_line_is_indented_goes_on_at_the_edge(marks: tuple[str, str]) -> None:
    texts = [PROSE, *[f"{mark} Pilots have {LONG}. {OTHER}" for mark in marks], "Nobody knows.", PROSE]

    def page(pen: Pen) -> None:
        for text in texts:
            pen.text(text, indent=16, after=0)

    assert [text for _, text in shown(laid(page))] == texts


def test_headings_in_the_margin_come_before_the_text_beside_them() -> None:
    names = [["Winter", "(1911)", "The first measure", "of the ice"], ["Summer (1912)", "Boats"], ["Autumn", "Lamps"]]

    def page(pen: Pen) -> None:
        for lines, text in zip(names, (f"{PROSE} {OTHER}", OTHER, PROSE), strict=True):
            beside = Pen(pen.canvas, 220, pen.y, 320).text(text)
            pen.lines(lines)
            pen.y = max(pen.y, beside.y) + 12

    texts = [text for _, text in shown(laid(page))]
    expected = [" ".join(names[0]), f"{PROSE} {OTHER}", " ".join(names[1]), OTHER, " ".join(names[2]), PROSE]
    assert " ".join(texts) == " ".join(expected)
    assert {f"{PROSE} {OTHER}", OTHER, PROSE} <= set(texts)


def test_a_label_that_is_level_with_no_line_divides_neither_title_nor_text() -> None:
    title = ["A title that takes two", "lines of large type"]

    def page(pen: Pen) -> None:
        Pen(pen.canvas, 72, pen.y + 10).lines(["Chapter 1"], 7)
        pen.left, pen.width = 220, 320
        pen.lines(title, 26).skip(10).text(PROSE).text(OTHER)

    parsed = laid(page)
    assert of_kind(parsed, "heading") == [" ".join(title)]
    assert sorted(of_kind(parsed, "paragraph")) == sorted(["Chapter 1", PROSE, OTHER])


def test_columns_whose_lines_are_not_level_are_read_one_after_the_other() -> None:
    left = wrapped(f"{PROSE} {OTHER}", 215, 10)
    right = [f"What winter {number} brought{' to the harbour' * (number % 6 == 0)}" for number in range(22)]

    def page(pen: Pen) -> None:
        pen.lines(left, 10, lead=1.3)
        Pen(pen.canvas, 307, 96).lines(right, 10, lead=1.45)

    text = " ".join(laid(page).text.split())
    assert text == " ".join([*left, *right])


def test_a_list_with_markers_far_from_the_text_stays_a_list() -> None:
    def page(pen: Pen) -> None:
        for number, text in enumerate((PROSE, OTHER, PROSE), start=1):
            at(pen, f"{number}.", 72)
            pen.y = Pen(pen.canvas, 110, pen.y, 430).text(text).y

    assert of_kind(laid(page), "list_item") == [f"1. {PROSE}", f"2. {OTHER}", f"3. {PROSE}"]
