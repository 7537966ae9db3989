"""Tables with some rules or none: their rows and cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.loading.binary.pdf.making import HEIGHT, OTHER, PROSE, Pen, at, laid, load, of_kind, with_letters

HARBOURS = [
    ["", "1996", "2000", "2005"],
    ["Kelby", "3.7", "5.0", "1.5"],
    ["Norre", "1.6", "3.9", "1.6"],
    ["Sand", "1.7", "3.8", "2.1"],
]
EDGES = [92, 192, 272, 352, 432]


def write_cells(pen: Pen, rows: Sequence[Sequence[str]], edges: Sequence[float] = EDGES, step: float = 20) -> None:
    """Write rows of cells, the first at the height of the pen."""
    for row in rows:
        for text, left in zip(row, edges, strict=False):
            at(pen, text, left + 6)
        pen.skip(step)


def draw_rules(canvas: Any, across: Sequence[Sequence[float]], down: Sequence[Sequence[float]]) -> None:
    """Draw rules: left, right and height of those across, height of both ends and place of those down."""
    for left, right, y in across:
        canvas.line(left, HEIGHT - y, right, HEIGHT - y)
    for top, bottom, x in down:
        canvas.line(x, HEIGHT - top, x, HEIGHT - bottom)


def table_text(rows: Sequence[Sequence[str]]) -> str:
    lines = (" | ".join(cell for cell in row) for row in rows)
    return "\n".join("| " + line[3:] if line.startswith(" | ") else line for line in lines)


def test_a_table_that_is_open_on_both_sides_keeps_its_outer_columns() -> None:
    def page(pen: Pen) -> None:
        pen.text(PROSE)
        top = pen.y
        heights = [top + 6 + 20 * number for number in range(4)]
        across = [(EDGES[1], EDGES[4], top - 14), *((EDGES[0], EDGES[4], height) for height in heights)]
        draw_rules(pen.canvas, across, [(top - 14, heights[-1], edge) for edge in EDGES[1:4]])
        write_cells(pen, HARBOURS)
        pen.text(OTHER)

    (table,) = of_kind(laid(page), "table")
    assert table == "1996 | 2000 | 2005\n" + table_text(HARBOURS[1:])


def test_a_rule_across_the_page_is_no_side_of_a_table() -> None:
    def page(pen: Pen) -> None:
        top = pen.text(PROSE).y
        across = [(40, EDGES[4], top - 14), *((EDGES[1], EDGES[4], top + 6 + 20 * number) for number in range(4))]
        draw_rules(pen.canvas, across, [(top - 14, top + 66, edge) for edge in EDGES[1:]])
        write_cells(pen, [row[1:] for row in HARBOURS], EDGES[1:])
        at(pen.skip(-40), "outside", 45)

    (table,) = of_kind(laid(page), "table")
    assert table == table_text([row[1:] for row in HARBOURS])


def test_thick_white_lines_are_rules() -> None:
    def page(pen: Pen) -> None:
        top = pen.text(PROSE).y
        pen.canvas.setFillGray(0.8)
        pen.canvas.rect(EDGES[0], HEIGHT - top - 66, EDGES[4] - EDGES[0], 80, stroke=0, fill=1)
        pen.canvas.setFillGray(1)
        for height in (top - 14 + 20 * number for number in range(5)):
            pen.canvas.rect(EDGES[0], HEIGHT - height - 1.5, EDGES[4] - EDGES[0], 3, stroke=0, fill=1)
        for edge in EDGES:
            pen.canvas.rect(edge - 1.5, HEIGHT - top - 66, 3, 80, stroke=0, fill=1)
        pen.canvas.setFillGray(0)
        at(pen.skip(-6), "The", EDGES[0] + 6, size=8)
        at(pen.skip(8), "Pilot", EDGES[0] + 6, size=8)
        write_cells(pen.skip(-2), [["", "A", "B", "Last"], *HARBOURS[1:]])

    (table,) = of_kind(laid(page), "table")
    assert table == "The Pilot | A | B | Last\n" + table_text(HARBOURS[1:])


GROUPED = [
    ["Younger pilots:"],
    ["Kelby mole", "85.1%", "14.9%", "100%"],
    ["Norre, with the old", "17.3%", "82.7%", "100%"],
    ["customs house"],
    ["Older pilots:"],
    ["Kelby mole", "79.8%", "20.2%", "100%"],
]


def frame(pen: Pen, head: Sequence[str], rows: Sequence[Sequence[str]], step: float) -> None:
    """Write a table with rules around its head, its other rows together, and its columns."""
    top = pen.y
    bottom = top + 6 + step * len(rows)
    draw_rules(
        pen.canvas,
        [(EDGES[0], EDGES[4], height) for height in (top - 14, top + 6, bottom)],
        [(top - 14, bottom, edge) for edge in EDGES],
    )
    write_cells(pen, [head], step=20)
    write_cells(pen, rows, step=step)


def test_rows_between_two_rules_are_divided_by_their_values() -> None:
    def page(pen: Pen) -> None:
        frame(pen.text(PROSE), ["Group", "Some", "None", "All"], GROUPED, 13)
        pen.text(OTHER)

    (table,) = of_kind(laid(page), "table")
    assert table.split("\n") == [
        "Group | Some | None | All",
        "Younger pilots:",
        "Kelby mole | 85.1% | 14.9% | 100%",
        "Norre, with the old customs house | 17.3% | 82.7% | 100%",
        "Older pilots:",
        "Kelby mole | 79.8% | 20.2% | 100%",
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [["A name that", "a text of", "100%"], ["is continued", "two lines", ""]],
        [["Name", "1995", "12"], ["that goes", "1996", "13"], ["on here", "1997", "14"]],
        [["Name", "1995", "12"], ["", "1996", "13"]],
    ],
)
def test_cells_of_several_lines_are_not_divided_without_a_name_for_each_value(rows: Sequence[Sequence[str]]) -> None:
    (table,) = of_kind(laid(lambda pen: frame(pen.text(PROSE), ["Group", "Some", "None"], rows, 13)), "table")
    joined = [" ".join(filter(None, cells)) for cells in zip(*rows, strict=True)]
    assert table == f"Group | Some | None\n{' | '.join(joined)}"


def test_lines_of_a_cell_that_were_drawn_from_below_are_read_from_the_top() -> None:
    def page(pen: Pen) -> None:
        top = pen.text(PROSE).y
        draw_rules(
            pen.canvas,
            [(EDGES[0], EDGES[4], height) for height in (top - 14, top + 30, top + 50)],
            [(top - 14, top + 50, edge) for edge in EDGES],
        )
        at(pen.skip(20), "May 2009", EDGES[1] + 6)
        at(pen.skip(-18), "Launch:", EDGES[1] + 6)
        pen.y = top + 8
        write_cells(pen, [["Pilot", "", "Year", "All"]], step=36)
        write_cells(pen, [["Kelby", "1", "2", "3"]])

    (table,) = of_kind(laid(page), "table")
    assert table == "Pilot | Launch: May 2009 | Year | All\nKelby | 1 | 2 | 3"


NAMES = [
    "Total items",
    "Purposes of reading and of the diary",
    "Literary experience",
    "Acquire and use information",
    "Examine and evaluate the weather",
    "Interpret",
]


def test_names_and_values_are_rows_where_pages_before_have_columns() -> None:
    def columns(pen: Pen) -> None:
        for left in (72, 302):
            Pen(pen.canvas, left, 90, 210).text(PROSE).text(OTHER)

    rows = [[name, f"{13 * number}", f"{20 + number}", f"{31 * number}"] for number, name in enumerate(NAMES, 1)]

    def page(pen: Pen) -> None:
        write_cells(pen, rows, (66, 296, 346, 396), 14)

    assert of_kind(laid(columns, page), "table") == [table_text(rows)]


def test_columns_of_text_stay_columns_beside_short_lines() -> None:
    def columns(pen: Pen) -> None:
        for left in (72, 302):
            Pen(pen.canvas, left, 90, 210).text(PROSE).text(OTHER)

    def page(pen: Pen) -> None:
        Pen(pen.canvas, 72, 90, 210).text(PROSE)
        Pen(pen.canvas, 302, 90, 210).lines([f"{number} km" for number in range(1, 9)])

    parsed = laid(columns, page)
    assert not of_kind(parsed, "table")
    assert parsed.text.count(PROSE[-60:]) == 3


def test_values_at_half_the_height_of_a_name_of_two_lines_are_in_its_row() -> None:
    def page(pen: Pen) -> None:
        write_cells(pen.text(PROSE), HARBOURS[:3], step=16)
        for names, values in (
            (("Inequality of", "the harbours"), HARBOURS[3]),
            (("Mean of", "all places"), HARBOURS[2]),
        ):
            at(pen, names[0], EDGES[0] + 6)
            write_cells(pen.skip(6), [["", *values[1:]]], step=6)
            at(pen, names[1], EDGES[0] + 6).skip(16)
        pen.skip(20).text(OTHER)

    (table,) = of_kind(laid(page), "table")
    assert table.split("\n")[1:] == [
        "Kelby | 3.7 | 5.0 | 1.5",
        "Norre | 1.6 | 3.9 | 1.6",
        "Inequality of the harbours | 1.7 | 3.8 | 2.1",
        "Mean of all places | 1.6 | 3.9 | 1.6",
    ]


def test_words_of_a_head_with_a_wide_gap_are_over_their_columns() -> None:
    edges = (72, 200, 232, 300)
    rows = [["Kelby", "200", "103.1", "7.5"], ["Norre", "224", "176.5", "8.2"], ["Sand", "188", "97.4", "6.9"]]

    def page(pen: Pen) -> None:
        at(pen.text(PROSE), "no.", edges[1] + 6)
        at(pen, "Rate", edges[2] + 6)
        write_cells(pen.skip(14), rows, edges, 14)

    (table,) = of_kind(laid(page), "table")
    assert table.split("\n") == ["no. | Rate", *table_text(rows).split("\n")]


def test_the_dash_of_a_range_is_no_cell() -> None:
    rows = [
        ["Under 1 year", "0.0156", "3,533"],
        *([f"{age} - {age + 9} years", "0.1418", "8,113"] for age in (10, 20, 30)),
    ]

    def page(pen: Pen) -> None:
        for name, *values in rows:
            first, *rest = name.split(" ", 1)
            at(pen, first, 72)
            at(pen, rest[0], 72 + (18.5 if first.isdigit() else 32))
            write_cells(pen, [values], (200, 300), 14)

    (table,) = of_kind(laid(page), "table")
    assert table == table_text(rows)


PAIRS = [["Effectiveness", ""], ["Employment", "40"], ["Further studies", "15"], ["Dropping out", "15"]]


def write_pairs(pen: Pen, rows: Sequence[Sequence[str]], edges: Sequence[float]) -> None:
    """Write a table with rules between its rows, and one between its two columns."""
    top = pen.text(PROSE).y
    heights = [top - 14 + 20 * number for number in range(len(rows) + 1)]
    draw_rules(pen.canvas, [(EDGES[0], EDGES[4], height) for height in heights], [(heights[0], heights[-1], EDGES[2])])
    write_cells(pen, rows, edges)
    pen.text(OTHER)


def test_one_rule_between_two_columns_makes_a_table_of_rules_between_rows() -> None:
    (table,) = of_kind(laid(lambda pen: write_pairs(pen, PAIRS, (EDGES[0], EDGES[2]))), "table")
    assert table == "Effectiveness\nEmployment | 40\nFurther studies | 15\nDropping out | 15"


def test_columns_of_values_without_rules_are_no_cell_of_a_table_that_is_open() -> None:
    rows = [[name, *values] for name, *values in HARBOURS]
    (table,) = of_kind(
        laid(lambda pen: write_pairs(pen, rows, (EDGES[0], EDGES[2], EDGES[2] + 45, EDGES[2] + 90))), "table"
    )
    assert table.split("\n")[1:] == table_text(HARBOURS[1:]).split("\n")


def test_names_of_groups_of_two_levels_are_between_the_head_and_its_table() -> None:
    years = ["", "2011", "2012", "2013"]

    def page(pen: Pen) -> None:
        edges = (100, 240, 300, 360)
        write_cells(pen.text(PROSE), [years], edges, 14)
        write_cells(at(pen, "Outlays:", 69).skip(17), [["Programs:"]], (82,), 17)
        write_cells(pen, [[name, *values] for name, *values in HARBOURS[1:]], edges, 12)
        pen.skip(10).text(OTHER)

    (table,) = of_kind(laid(page), "table")
    assert table.split("\n")[:3] == ["2011 | 2012 | 2013", "Outlays:", "Programs:"]


@pytest.mark.parametrize(
    ("bullet", "rest"),
    [("•", ""), ("\u2212", ""), ("\uf0d8", ""), ("•", "– heard in fog"), ("\uf0d8", "– heard in fog")],
)
def test_items_with_wide_spaces_are_no_rows(bullet: str, rest: str) -> None:
    items = ["Advice for pilots of all ages", "Training at the mole", "Dashboards and bells of brass"]
    lines: list[tuple[float, float, str]] = []
    for number, item in enumerate(items):
        y = 600 - 14 * number
        lines += [(72, y, bullet), (108, y, item)]
        lines += [(300, y, rest)] if rest else []
    assert not of_kind(load(with_letters("".join(line for _, _, line in lines), lines)), "table")
