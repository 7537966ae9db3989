from __future__ import annotations

from typing import Any

import pytest

from tests.loading.binary.pdf.making import BODY, HEIGHT, drawn, load, of_kind

ROWS = [(f"Pilot {number} of the north mole", f"{number} winters", "measured at nine places") for number in range(8)]

TITLES = [f"How many winters the {people} of Kelby have measured" for people in ("pilots", "clerks", "vessels")]


def ruled(canvas: Any, top: float, font: str = BODY) -> float:
    """Draw a table with all rules, and return where it ends."""
    lefts = (72, 260, 350, 500)
    for number, row in enumerate(ROWS):
        for left, text in zip(lefts, row, strict=False):
            canvas.setFont(font, 9)
            canvas.drawString(left + 4, HEIGHT - top - 18 * number - 13, text)
    end = top + 18 * len(ROWS)
    for left in lefts:
        canvas.line(left, HEIGHT - top, left, HEIGHT - end)
    for number in range(len(ROWS) + 1):
        canvas.line(lefts[0], HEIGHT - top - 18 * number, lefts[-1], HEIGHT - top - 18 * number)
    return end


def page_of_tables(canvas: Any, title_font: str, title_size: float) -> None:
    """A page of tables, each with its title above, and no other text."""
    top = 60.0
    for title in TITLES:
        canvas.setFont(title_font, title_size)
        canvas.drawString(72, HEIGHT - top - 14, title)
        top = ruled(canvas, top + 24) + 30


@pytest.mark.parametrize(("font", "size"), [(BODY, 14), ("Times-Bold", 9), ("Times-Bold", 12)])
def test_titles_are_all_the_text_outside_tables(font: str, size: float) -> None:
    """Neither their size nor their weight is that of the text then."""
    parsed = load(drawn(lambda canvas: page_of_tables(canvas, font, size)))
    assert of_kind(parsed, "heading") == TITLES
    assert len(of_kind(parsed, "table")) == 3
