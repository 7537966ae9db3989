"""Tables with rules between some of their cells: rows without columns, names beside the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.loading.binary.pdf.making import HEIGHT, OTHER, PROSE, Pen, at, laid, of_kind, wrapped

EDGES = [92, 192, 272, 352, 432]
HEAD = ["Harbour", "1996", "2000", "2005"]
ROWS = [["Kelby", "3.7", "5.0", "1.5"], ["Norre", "1.6", "3.9", "1.6"], ["Sand", "1.7", "3.8", "2.1"]]
STEP = 20


def lines(canvas: Any, across: Sequence[float], down: Sequence[float], left: float = EDGES[0]) -> None:
    """Draw rules across at heights from the left to the last edge, and down at edges between the same heights."""
    for y in across:
        canvas.line(left, HEIGHT - y, EDGES[-1], HEIGHT - y)
    for x in down:
        canvas.line(x, HEIGHT - across[0], x, HEIGHT - across[-1])


def write(pen: Pen, rows: Sequence[Sequence[str]], shift: float = 0) -> list[float]:
    """Write rows of cells, and return the heights between them."""
    heights = [pen.y - 14]
    for row in rows:
        for text, left in zip(row, EDGES, strict=False):
            at(pen, text, left + 6 - shift)
        pen.skip(STEP)
        heights.append(pen.y - 14)
    return heights


def table_text(rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(" | ".join(row) for row in rows)


def head_with_columns(pen: Pen, rows: Sequence[Sequence[str]]) -> None:
    """A table whose columns have rules in its first two rows, and rules between all rows."""
    heights = write(pen.text(PROSE), [HEAD, HEAD, *rows])
    lines(pen.canvas, heights[:3], EDGES)
    lines(pen.canvas, heights, [EDGES[0], EDGES[-1]])
    pen.text(OTHER)


def test_rows_have_the_columns_of_the_head() -> None:
    (table,) = of_kind(laid(lambda pen: head_with_columns(pen, ROWS)), "table")
    assert table == table_text([HEAD, HEAD, *ROWS])


def test_a_row_across_all_columns_remains_one_cell() -> None:
    note = wrapped(PROSE, 320)[0]
    (table,) = of_kind(laid(lambda pen: head_with_columns(pen, [[note], *ROWS])), "table")
    assert table == table_text([HEAD, HEAD, [note], *ROWS])


def grid_beside(names: Sequence[str], rows: Sequence[Sequence[str]], left: float = EDGES[0]) -> Any:
    """A page with a grid of values, and names of its rows to the left."""

    def page(pen: Pen) -> None:
        y = pen.text(PROSE).skip(10).y
        heights = write(pen, [["", *row] for row in rows])
        lines(pen.canvas, heights, EDGES[1:], EDGES[1])
        for number, name in enumerate(names):
            pen.canvas.setFont("Times-Roman", 11)
            pen.canvas.drawString(left, HEIGHT - y - STEP * number, name)
        pen.text(OTHER)

    return page


VALUES = [row[1:] for row in ROWS] * 2
NAMES = ["Kelby", "Norre", "Sand", "North mole", "South mole", "Customs house"]


def test_names_beside_a_grid_of_values_are_its_first_column() -> None:
    (table,) = of_kind(laid(grid_beside(NAMES, VALUES)), "table")
    assert table == table_text([[name, *row] for name, row in zip(NAMES, VALUES, strict=True)])


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        (NAMES[:2], VALUES),
        (["Kelby", "", "", "North mole", "", ""], VALUES),
        (NAMES, [["ice", "3.9", "1.6"]] * 6),
    ],
    ids=["too few", "at some rows", "columns of names"],
)
def test_text_beside_a_grid_that_names_no_rows_is_not_in_the_table(names: list[str], rows: list[list[str]]) -> None:
    (table,) = of_kind(laid(grid_beside(names, rows)), "table")
    assert table == table_text(rows)


def test_long_text_beside_a_small_grid_is_not_in_the_table() -> None:
    def page(pen: Pen) -> None:
        y = pen.text(PROSE).skip(10).y
        heights = write(pen, [["", "", *row[1:3]] for row in ROWS])
        lines(pen.canvas, heights, EDGES[2:], EDGES[2])
        for number, line in enumerate(wrapped(OTHER, 175)[:3]):
            at(pen.skip(y + STEP * number - pen.y), line, 72)
        pen.skip(40).text(OTHER)

    assert not any("account" in table for table in of_kind(laid(page), "table"))
