from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.loading.binary.pdf.making import (
    HEIGHT,
    OTHER,
    PROSE,
    Pen,
    check,
    drawn,
    load,
    of_kind,
    shown,
    with_letters,
    wrapped,
)


def heading(pen: Pen, text: str, size: float = 16) -> Pen:
    return pen.skip(10).lines([text], size, "Times-Bold").skip(6)


# Paragraphs -------------------------------------------------------------------------------------------------------


def test_paragraphs_are_divided_by_spacing() -> None:
    def page(canvas: Any) -> None:
        Pen(canvas).text(PROSE).text(OTHER)

    parsed = load(drawn(page))
    assert shown(parsed) == [("paragraph", PROSE), ("paragraph", OTHER)]
    check(parsed)


def test_paragraphs_are_divided_by_the_indentation_of_their_first_line() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas)
        for text in (PROSE, OTHER, PROSE):
            pen.text(text, indent=18, after=0)

    parsed = load(drawn(page))
    assert of_kind(parsed, "paragraph") == [PROSE, OTHER, PROSE]
    assert [block.style and block.style.indent for block in parsed.blocks] == [18, 18, 18]


def test_paragraphs_are_divided_by_a_short_last_line() -> None:
    def page(canvas: Any) -> None:
        Pen(canvas).text(PROSE, after=0).text(OTHER, after=0)

    assert of_kind(load(drawn(page)), "paragraph") == [PROSE, OTHER]


def test_a_hanging_indent_keeps_a_paragraph_whole() -> None:
    entry = "Aalto, M. and Berg, S. Ice on northern moles, its measure and its makers, with a list of all pilots known."

    def page(canvas: Any) -> None:
        pen = Pen(canvas, width=250)
        for _ in range(4):
            lines = wrapped(entry, 230)
            pen.lines(lines[:1])
            pen.left += 20
            pen.lines(lines[1:])
            pen.left -= 20

    assert of_kind(load(drawn(page)), "paragraph") == [entry] * 4


def test_a_style_has_size_weight_space_and_indentation() -> None:
    def page(canvas: Any) -> None:
        heading(Pen(canvas), "Ice").text(PROSE).text(OTHER, font="Times-Italic")

    blocks = load(drawn(page)).blocks
    styles = [block.style for block in blocks]
    assert all(styles)
    assert [(style.size, style.bold, style.italic) for style in styles if style] == [
        (16, True, False),
        (11, False, False),
        (11, False, True),
    ]
    spaces = [style.space_before for style in styles if style]
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
    ],
)
def test_hyphens_at_line_ends(first: str, second: str, elsewhere: str, joined: str) -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas, width=300).lines([first, second + " and of every other one that came in later."])
        pen.skip(20).lines([elsewhere or "Nothing."])

    parsed = load(drawn(page))
    assert joined in of_kind(parsed, "paragraph")[0].split()
    check(parsed)


def test_a_dash_at_a_line_end_is_no_hyphen() -> None:
    def page(canvas: Any) -> None:
        Pen(canvas).lines(["The pilots came in the morning of the day after -", "all of them, and nobody was missing."])

    assert " after - all " in load(drawn(page)).text


# Columns ----------------------------------------------------------------------------------------------------------


def column_text(number: int) -> str:
    return f"Column {number} begins here. {PROSE} {OTHER} Column {number} is over."


@pytest.mark.parametrize("rows", [False, True], ids=["by column", "by row"])
def test_two_columns_under_a_title_and_over_a_full_line(rows: bool) -> None:
    left, right = wrapped(column_text(1), 215), wrapped(column_text(2), 215)

    def page(canvas: Any) -> None:
        pen = Pen(canvas, width=460)
        heading(pen, "A title that stands over both columns of the page and is long", 15)
        top = pen.y
        if rows:
            for number in range(max(len(left), len(right))):
                for x, lines in ((72, left), (307, right)):
                    Pen(canvas, x, top + number * 13).lines(lines[number : number + 1], 10)
        else:
            for x, lines in ((72, left), (307, right)):
                Pen(canvas, x, top).lines(lines, 10, lead=1.3)
        Pen(canvas, width=460, top=top + 13 * len(left) + 30).text("What stands below both of them. " + OTHER)

    parsed = load(drawn(page))
    assert [text for _, text in shown(parsed)] == [
        "A title that stands over both columns of the page and is long",
        column_text(1),
        column_text(2),
        "What stands below both of them. " + OTHER,
    ]
    check(parsed)


def test_three_columns() -> None:
    def page(canvas: Any) -> None:
        for number in range(3):
            Pen(canvas, 50 + 175 * number, width=160).text(column_text(number), size=9)

    assert of_kind(load(drawn(page)), "paragraph") == [column_text(number) for number in range(3)]


def test_a_paragraph_goes_on_in_the_next_column() -> None:
    text = f"{PROSE} {OTHER} {PROSE}"
    lines = wrapped(text, 215, 10)

    def page(canvas: Any) -> None:
        half = len(lines) // 2
        Pen(canvas, 72).lines(lines[:half], 10)
        Pen(canvas, 307).lines(lines[half:], 10)

    parsed = load(drawn(page))
    assert shown(parsed) == [("paragraph", text)]
    check(parsed)


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


def book(pages: int, head: bool = True, size: float = 11) -> bytes:
    """Pages of one long text with heads that alternate, and numbers."""
    text = " ".join([PROSE, OTHER] * (4 * pages))
    lines = wrapped(text, 450, size)
    each = 40

    def page(number: int) -> Any:
        def draw(canvas: Any) -> None:
            if head:
                name = "The Book of Ice" if number % 2 else "Pilots of the North"
                canvas.setFont("Times-Roman", 9)
                canvas.drawString(72 if number % 2 else 300, HEIGHT - 50, name)
                canvas.drawString(290, 40, str(number + 7))
            Pen(canvas).lines(lines[number * each : (number + 1) * each], size)

        return draw

    return drawn(*[page(number) for number in range(pages)])


def test_running_heads_and_page_numbers_are_set_aside() -> None:
    parsed = load(book(6))
    assert [block.kind for block in parsed.blocks] == ["paragraph"]
    assert [(aside.kind, aside.text, aside.part) for aside in parsed.aside] == [
        pair
        for number in range(6)
        for pair in (
            ("running head", "The Book of Ice" if number % 2 else "Pilots of the North", number),
            ("page number", str(number + 7), number),
        )
    ]
    assert all(aside.box and (aside.box[3] < 60 or aside.box[1] > 780) for aside in parsed.aside)
    check(parsed)


def test_a_paragraph_goes_on_over_the_pages() -> None:
    parsed = load(book(3, head=False))
    assert parsed.text == " ".join([PROSE, OTHER] * 12)[: len(parsed.text)]
    assert len(parsed.blocks) == 1 and not parsed.aside
    assert parsed.pages and set(parsed.pages.page.tolist()) == {0, 1, 2}
    assert parsed.pages.starts[0] == 0 < parsed.pages.starts[1] < parsed.pages.starts[2]


def test_a_page_break_stands_between_blocks() -> None:
    def page(text: str) -> Any:
        return lambda canvas: Pen(canvas).text(text)

    parsed = load(drawn(page(PROSE), page(OTHER)))
    assert parsed.text == f"{PROSE}\n\n\f\n\n{OTHER}"
    assert [block.kind for block in parsed.blocks] == ["paragraph", "page_break", "paragraph"]
    check(parsed)


def test_numbers_that_do_not_go_up_are_text() -> None:
    def page(value: int) -> Any:
        def draw(canvas: Any) -> None:
            Pen(canvas, top=60).lines([str(value)])
            Pen(canvas, top=90).text(PROSE)

        return draw

    parsed = load(drawn(*[page(value) for value in (40, 7, 93, 12)]))
    assert not parsed.aside
    assert [text for text in of_kind(parsed, "paragraph") if text.isdigit()] == ["40", "7", "93", "12"]


def test_roman_numbers_and_numbers_of_numbers() -> None:
    names = ["ii", "iii", "iv", "Page 4 of 9", "Page 5 of 9", "Page 6 of 9"]

    def page(name: str) -> Any:
        def draw(canvas: Any) -> None:
            Pen(canvas).text(PROSE)
            canvas.setFont("Times-Roman", 9)
            canvas.drawCentredString(300, 40, name)

        return draw

    parsed = load(drawn(*map(page, names)))
    assert [(aside.kind, aside.text) for aside in parsed.aside] == [("page number", name) for name in names]


def test_a_repeated_line_inside_the_text_stays() -> None:
    def page(number: int) -> Any:
        pen_text = [PROSE, "The same sentence on every page.", OTHER, f"Ending {'abcde'[number]}."]

        def draw(canvas: Any) -> None:
            pen = Pen(canvas)
            for text in (f"Opening {'vwxyz'[number]}.", "Then this.", "And this.", *pen_text, "Last but one.", "Last."):
                pen.text(text if text != "Last." else f"Last {'pqrst'[number]}.")

        return draw

    parsed = load(drawn(*map(page, range(5))))
    assert not parsed.aside
    assert of_kind(parsed, "paragraph").count("The same sentence on every page.") == 5


def test_footnotes_stand_after_the_paragraph_that_goes_on() -> None:
    lines = wrapped(f"{PROSE} {OTHER} {PROSE}", 450)
    note = "1 The uncle was called Ambrose, as the parish register of the year tells those who can still read it."

    def first(canvas: Any) -> None:
        Pen(canvas, top=400).lines(lines[:6])
        canvas.line(72, 110, 200, 110)
        Pen(canvas, top=HEIGHT - 90).lines([note], 8)

    def second(canvas: Any) -> None:
        Pen(canvas).lines(lines[6:])

    parsed = load(drawn(first, second))
    assert shown(parsed) == [("paragraph", " ".join(lines)), ("footnote", note)]
    check(parsed)


# Headings ---------------------------------------------------------------------------------------------------------


def test_headings_have_levels_by_size() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas)
        for text, size in (("The North", 20), ("Harbours", 15), ("Kelby", 12.5), ("Ships", 15)):
            heading(pen, text, size).text(PROSE)

    parsed = load(drawn(page))
    found = [(parsed.text[block.start : block.end], block.level) for block in parsed.blocks if block.kind == "heading"]
    assert found == [("The North", 1), ("Harbours", 2), ("Kelby", 3), ("Ships", 2)]


def test_headings_have_levels_by_number() -> None:
    def page(canvas: Any) -> None:
        pen = heading(Pen(canvas), "A report on ice", 20)
        for text in ("1 Introduction", "2 Method", "2.1 Places", "2.1.1 The mole", "3 Result"):
            heading(pen, text, 12).text(OTHER)

    parsed = load(drawn(page))
    found = [(parsed.text[block.start : block.end], block.level) for block in parsed.blocks if block.kind == "heading"]
    assert found == [
        ("A report on ice", 1),
        ("1 Introduction", 2),
        ("2 Method", 2),
        ("2.1 Places", 3),
        ("2.1.1 The mole", 4),
        ("3 Result", 2),
    ]


def test_bold_words_in_a_paragraph_are_no_heading() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        canvas.setFont("Times-Bold", 11)
        canvas.drawString(72, HEIGHT - pen.y, "Warning.")
        canvas.setFont("Times-Roman", 11)
        canvas.drawString(125, HEIGHT - pen.y, "The ice is thin at the fourth place, and nobody should stand on it.")
        pen.skip(30).text("This whole sentence is set in bold letters, since it matters.", font="Times-Bold").text(
            OTHER
        )

    parsed = load(drawn(page))
    assert not of_kind(parsed, "heading")


def test_a_heading_over_two_lines_is_one() -> None:
    def page(canvas: Any) -> None:
        Pen(canvas).lines(["On the measure of ice along the moles of", "the northern harbours"], 18, "Times-Bold").skip(
            12
        ).text(PROSE)

    assert of_kind(load(drawn(page)), "heading") == ["On the measure of ice along the moles of the northern harbours"]


def test_a_numbered_heading_goes_on_under_its_words() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        canvas.setFont("Times-Bold", 14)
        canvas.drawString(72, HEIGHT - pen.y, "2.7")
        Pen(canvas, 105, pen.y).lines(
            ["Nine places on the mole, and what was found at each of", "them"], 14, "Times-Bold"
        )
        Pen(canvas, top=pen.y + 50).text(OTHER)

    parsed = load(drawn(page))
    assert of_kind(parsed, "heading") == ["2.7 Nine places on the mole, and what was found at each of them"]


def test_entries_of_a_table_of_contents_are_no_headings_and_stay_apart() -> None:
    entries = [
        "1 The mole . . . . . . . . . . 7",
        "2 The pilots and their uncles . . 12",
        "3 Ice. . . . . . . . . . . 31",
    ]

    def page(canvas: Any) -> None:
        Pen(canvas).lines(entries, 14, "Times-Bold").skip(20).text(PROSE).text(OTHER)

    assert shown(load(drawn(page)))[:3] == [("paragraph", entry) for entry in entries]


# Other kinds ------------------------------------------------------------------------------------------------------


def test_captions() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE).skip(80)
        pen.text("Figure 3: The mole with its nine places, as the clerk drew it in his diary.", size=9)
        pen.text("Figure 3 shows the mole. " + OTHER)
        pen.text("Table 2. Winters and their boats.", size=9)

    assert of_kind(load(drawn(page)), "caption") == [
        "Figure 3: The mole with its nine places, as the clerk drew it in his diary.",
        "Table 2. Winters and their boats.",
    ]


def test_list_items_with_levels() -> None:
    long = "a rope that is long enough to reach the buoy from any of the nine places along the mole, and back again"

    def item(pen: Pen, mark: str, text: str, depth: int) -> None:
        pen.canvas.setFont("Times-Roman", 11)
        pen.canvas.drawString(pen.left + 20 * depth, HEIGHT - pen.y, mark)
        pen.left += 20 * depth + 15
        pen.width = 300
        pen.text(text, after=2)
        pen.left -= 20 * depth + 15
        pen.width = 450

    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        item(pen, "•", long, 1)
        item(pen, "–", "hemp", 2)
        item(pen, "–", "wire", 2)
        item(pen, "•", "a lamp", 1)
        pen.skip(8).text(OTHER)
        item(pen, "1.", "wait", 1)
        item(pen, "2.", "look", 1)

    parsed = load(drawn(page))
    found = [
        (parsed.text[block.start : block.end], block.level, parsed.text[block.content : block.end])
        for block in parsed.blocks
        if block.kind == "list_item"
    ]
    assert found == [
        (f"• {long}", 1, long),
        ("– hemp", 2, "hemp"),
        ("– wire", 2, "wire"),
        ("• a lamp", 1, "a lamp"),
        ("1. wait", 1, "wait"),
        ("2. look", 1, "look"),
    ]
    assert "– hemp\n– wire" in parsed.text
    check(parsed)


def bulleted(pen: Pen, texts: Sequence[str], depth: int = 1, stroke: int = 0) -> None:
    """Items with a disc or circle drawn before each, its middle at the height of small letters."""
    for text in texts:
        pen.left += 20 * depth
        pen.width = 300
        pen.canvas.circle(pen.left - 9, HEIGHT - pen.y + 2.8, 1.9, stroke=stroke, fill=1 - stroke)
        pen.text(text, after=2)
        pen.left -= 20 * depth
        pen.width = 450


def test_list_items_whose_bullets_are_drawn() -> None:
    long = "a rope that is long enough to reach the buoy from any of the nine places along the mole, and back again"

    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        bulleted(pen, [long])
        bulleted(pen, ["hemp", "wire of the best sort"], 2, stroke=1)
        bulleted(pen, ["a lamp"])
        pen.skip(8).text(OTHER)

    parsed = load(drawn(page))
    found = [(block.kind, block.level, parsed.text[block.content : block.end]) for block in parsed.blocks]
    assert found == [
        ("paragraph", 0, PROSE),
        ("list_item", 1, long),
        ("list_item", 2, "hemp"),
        ("list_item", 2, "wire of the best sort"),
        ("list_item", 1, "a lamp"),
        ("paragraph", 0, OTHER),
    ]
    assert f"{long}\nhemp\nwire of the best sort\na lamp" in parsed.text
    check(parsed)


def test_a_single_dot_before_a_line_is_no_bullet() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        bulleted(pen, ["They wait for the wind."])
        pen.text(OTHER)

    assert [kind for kind, _ in shown(load(drawn(page)))] == ["paragraph"] * 3


def test_dots_of_a_drawing_are_no_bullets() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        bulleted(pen, ["They wait for the wind.", "They measure the ice."])
        pen.text(OTHER)
        for place in range(300):
            canvas.circle(80 + place, 200 + place % 97, 1.9, stroke=0, fill=1)

    assert "list_item" not in [kind for kind, _ in shown(load(drawn(page)))]


def test_a_number_at_a_line_start_is_no_item() -> None:
    lines = [
        "The pilots counted all the boats that came in the winter of 1911, and",
        "9. They were surprised, they said.",
    ]

    def page(canvas: Any) -> None:
        Pen(canvas, width=330).lines(lines).skip(8).text(PROSE)

    assert not of_kind(load(drawn(page)), "list_item")


def test_code_keeps_its_lines_and_indentation() -> None:
    lines = ["def boats(year):", "    for boat in harbour:", "        yield boat", "    return None"]

    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        for line in lines:
            canvas.setFont("Courier", 10)
            blank = len(line) - len(line.lstrip())
            canvas.drawString(72 + 6 * blank, HEIGHT - pen.y, line.lstrip())
            pen.skip(12)
        pen.skip(10).text(OTHER)

    parsed = load(drawn(page))
    assert of_kind(parsed, "code") == ["\n".join(lines)]
    check(parsed)


def test_pieces_of_code_with_less_than_a_line_between_are_apart() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE).skip(4)
        for code in (["def ice():", "    return 9", "", "ice()"], ["boats = 42", "print(boats)", "print(ice())"]):
            for line in code:
                pen.lines([line] if line else [" "], 9, "Courier")
            pen.skip(9)
        pen.text(OTHER)

    assert of_kind(load(drawn(page)), "code") == [
        "def ice():\n    return 9\n\nice()",
        "boats = 42\nprint(boats)\nprint(ice())",
    ]


def test_code_inside_a_line_is_part_of_its_paragraph() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas)
        for _ in range(3):
            canvas.setFont("Times-Roman", 11)
            canvas.drawString(72, HEIGHT - pen.y, "The clerk always wrote the name")
            canvas.setFont("Courier", 9)
            canvas.drawString(225, HEIGHT - pen.y, "harbour_master")
            canvas.setFont("Times-Roman", 11)
            canvas.drawString(304, HEIGHT - pen.y, "into the book before he went to sleep")
            pen.skip(13.75)

    assert [kind for kind, _ in shown(load(drawn(page)))] == ["paragraph"]


def test_a_quotation_set_in_on_both_sides() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        Pen(canvas, 120, pen.y, 350).text(OTHER)
        Pen(canvas, 72, pen.y + 120).text(PROSE)

    parsed = load(drawn(page))
    assert shown(parsed) == [("paragraph", PROSE), ("quote", OTHER), ("paragraph", PROSE)]
    assert parsed.blocks[1].level == 1


# Tables -----------------------------------------------------------------------------------------------------------

CELLS = [["Winter", "Boats", "Ice in cm"], ["1911", "42", "31"], ["1912", "17", "55"], ["1913", "61", "12"]]


def test_a_ruled_table_with_a_cell_of_two_lines() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        top = HEIGHT - pen.y
        canvas.grid([72, 172, 272, 392], [top, top - 20, top - 40, top - 72])
        canvas.setFont("Times-Roman", 10)
        for row, y in ((CELLS[0], top - 14), (CELLS[1], top - 34), (CELLS[2], top - 54)):
            for x, cell in zip((76, 176, 276), row, strict=True):
                canvas.drawString(x, y, cell)
        canvas.drawString(276, top - 66, "at the mole")
        Pen(canvas, top=pen.y + 100).text(OTHER)

    parsed = load(drawn(page))
    assert shown(parsed) == [
        ("paragraph", PROSE),
        ("table", "Winter | Boats | Ice in cm\n1911 | 42 | 31\n1912 | 17 | 55 at the mole"),
        ("paragraph", OTHER),
    ]
    check(parsed)


def test_a_table_without_rules() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        for row in CELLS:
            canvas.setFont("Times-Roman", 10)
            canvas.drawString(72, HEIGHT - pen.y, row[0])
            canvas.drawRightString(230, HEIGHT - pen.y, row[1])
            canvas.drawRightString(350, HEIGHT - pen.y, row[2])
            pen.skip(14)
        pen.skip(10).text(OTHER)

    parsed = load(drawn(page))
    assert of_kind(parsed, "table") == ["\n".join(" | ".join(row) for row in CELLS)]
    check(parsed)


def test_an_empty_cell_is_kept() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        for row in (["Winter", "Boats", "Ice"], ["1911", "", "31"], ["1912", "17", "55"]):
            canvas.setFont("Times-Roman", 10)
            for x, cell in zip((72, 172, 272), row, strict=True):
                canvas.drawString(x, HEIGHT - pen.y, cell)
            pen.skip(14)

    assert of_kind(load(drawn(page)), "table") == ["Winter | Boats | Ice\n1911 |  | 31\n1912 | 17 | 55"]


def test_a_cell_of_two_lines_in_a_table_without_rules() -> None:
    rows = [
        ("rope", "of hemp, long enough to reach a har-", "9"),
        ("", "bour from the mole", ""),
        ("lamp", "with oil", "2"),
        ("", "without", "1"),
    ]

    def page(canvas: Any) -> None:
        pen = Pen(canvas).text(PROSE)
        for row in rows:
            canvas.setFont("Times-Roman", 10)
            for x, cell in zip((72, 132, 322), row, strict=True):
                canvas.drawString(x, HEIGHT - pen.y, cell)
            pen.skip(12)

    parsed = load(drawn(page))
    assert of_kind(parsed, "table") == [
        "rope | of hemp, long enough to reach a harbour from the mole | 9\nlamp | with oil | 2\n| without | 1"
    ]
    check(parsed)


def ruled(canvas: Any, top: float, columns: Sequence[float], rows: Sequence[Sequence[str]]) -> None:
    canvas.grid(columns, [top - 20 * place for place in range(len(rows) + 1)])
    canvas.setFont("Times-Roman", 10)
    for number, row in enumerate(rows):
        for x, cell in zip(columns, row, strict=False):
            canvas.drawString(x + 4, top - 14 - 20 * number, cell)


@pytest.mark.parametrize("repeated", [True, False])
def test_a_ruled_table_goes_on_over_the_page(repeated: bool) -> None:
    later = [["1914", "38", "29"], ["1915", "40", "47"]]

    def first(canvas: Any) -> None:
        ruled(canvas, HEIGHT - Pen(canvas).text(PROSE).y, [72, 172, 272, 392], CELLS)

    def second(canvas: Any) -> None:
        rows = [CELLS[0], *later] if repeated else later
        ruled(canvas, HEIGHT - 80, [92, 192, 292, 412], rows)
        Pen(canvas, top=200).text(OTHER)

    parsed = load(drawn(first, second))
    assert shown(parsed) == [
        ("paragraph", PROSE),
        ("table", "\n".join(" | ".join(row) for row in [*CELLS, *later])),
        ("paragraph", OTHER),
    ]
    assert [(one.kind, one.text, one.part) for one in parsed.aside] == (
        [("repeated table head", "Winter Boats Ice in cm", 1)] if repeated else []
    )
    check(parsed)


def test_a_table_of_other_columns_on_the_next_page_is_another() -> None:
    def first(canvas: Any) -> None:
        ruled(canvas, HEIGHT - Pen(canvas).text(PROSE).y, [72, 172, 272, 392], CELLS)

    def second(canvas: Any) -> None:
        ruled(canvas, HEIGHT - 80, [72, 142, 272, 392], CELLS)

    table = "\n".join(" | ".join(row) for row in CELLS)
    assert of_kind(load(drawn(first, second)), "table") == [table, table]


def test_a_table_without_rules_goes_on_over_the_page() -> None:
    def page(rows: Sequence[Sequence[str]], text: str, after: str) -> Any:
        def draw(canvas: Any) -> None:
            pen = Pen(canvas)
            if text:
                pen.text(text)
            for row in rows:
                canvas.setFont("Times-Roman", 10)
                for x, cell in zip((72, 172, 272), row, strict=True):
                    canvas.drawString(x, HEIGHT - pen.y, cell)
                pen.skip(14)
            if after:
                pen.skip(20).text(after)

        return draw

    later = [["1914", "38", "29"], ["1915", "40", "47"]]
    parsed = load(drawn(page(CELLS, PROSE, ""), page([CELLS[0], *later], "", OTHER)))
    assert of_kind(parsed, "table") == ["\n".join(" | ".join(row) for row in [*CELLS, *later])]
    assert [(one.kind, one.text) for one in parsed.aside] == [("repeated table head", "Winter Boats Ice in cm")]
    check(parsed)


def test_a_box_around_a_paragraph_is_no_table() -> None:
    def page(canvas: Any) -> None:
        Pen(canvas).text(PROSE)
        canvas.rect(65, HEIGHT - 180, 470, 105)

    assert shown(load(drawn(page))) == [("paragraph", PROSE)]


def test_wide_spaces_of_justified_lines_are_no_cells() -> None:
    def page(canvas: Any) -> None:
        pen = Pen(canvas, width=120)
        for line in wrapped(PROSE, 120):
            canvas.setFont("Times-Roman", 11)
            words = line.split()
            widths = [canvas.stringWidth(word, "Times-Roman", 11) for word in words]
            gap = (135 - sum(widths)) / max(len(words) - 1, 1)
            x = 72.0
            for word, width in zip(words, widths, strict=True):
                canvas.drawString(x, HEIGHT - pen.y, word)
                x += width + gap
            pen.skip(13.75)

    assert shown(load(drawn(page))) == [("paragraph", PROSE)]
