from __future__ import annotations

from typing import Any

import pytest

from tests.loading.binary.pdf.making import HEIGHT, OTHER, PROSE, Pen, check, drawn, lettered, load, shown, simple


@pytest.mark.parametrize("offset", [(0.3, 0), (-0.2, 0.25), (0.7, -0.7), (0, 0)])
def test_a_text_that_is_drawn_twice_to_look_bold_is_read_once(offset: tuple[float, float]) -> None:
    def page(canvas: Any) -> None:
        for dx, dy in ((0, 0), offset):
            Pen(canvas, 72 + dx, 90 + dy).text(PROSE).text(OTHER)

    parsed = load(drawn(page))
    check(parsed)
    assert shown(parsed) == [("paragraph", PROSE), ("paragraph", OTHER)]


@pytest.mark.parametrize("step", [(20, 0), (0, 9)])
def test_a_word_that_stands_twice_is_kept(step: tuple[float, float]) -> None:
    def page(canvas: Any) -> None:
        canvas.drawString(72, HEIGHT - 90, "no")
        canvas.drawString(72 + step[0], HEIGHT - 90 - step[1], "no")

    assert load(drawn(page)).text == "no no"


def right_to_left(glyphs: list[str]) -> str:
    """Return the text of glyphs that are drawn from right to left, each with the letters that its font states."""
    distinct = sorted(set(glyphs))
    font, cmap = lettered(distinct)
    codes = "".join(f"{33 + distinct.index(glyph):02x}" for glyph in reversed(glyphs))
    content = f"BT /F1 12 Tf 72 700 Td <{codes}> Tj ET"
    parsed = load(simple(content.encode(), font=font, more={6: cmap}))
    check(parsed)
    return parsed.text


@pytest.mark.parametrize(
    "glyphs",
    [
        ["س", "لا", "م"],
        ["ا", "لإ", "ن", "س", "ا", "ن"],
        ["لآ", "ن"],
        ["ك", "لا", "م", "لمحا", "ت"],
        ["ا", "ل", "م", "ا", "ل"],
    ],
    ids="".join,
)
def test_the_letters_of_an_arabic_ligature_keep_their_order(glyphs: list[str]) -> None:
    assert right_to_left(glyphs) == "".join(glyphs)
