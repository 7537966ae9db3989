from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from chunking.loading import LoadParameters
from chunking.loading.binary.pdf import parse
from tests.loading.binary.pdf.making import (
    HEIGHT,
    OTHER,
    PROSE,
    Pen,
    check,
    drawn,
    lettered,
    load,
    shown,
    simple,
    stream,
    with_letters,
)


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


def down(columns: Sequence[str], size: float = 12) -> str:
    """Return the text of columns that run from top to bottom, the first on the right, drawn in another order."""
    lines = [
        (500 - 1.7 * size * number, 700 - size * row, letter)
        for number, column in reversed(list(enumerate(columns)))
        for row, letter in enumerate(column)
    ]
    parsed = load(with_letters("".join(columns), lines, size))
    check(parsed)
    return "".join(parsed.text.split())


@pytest.mark.parametrize("length", [6, 17])
def test_vertical_japanese_is_read_in_columns_from_the_right(length: int) -> None:
    text = "あらゆる透明な幽霊の複合体風景やみんなといっしょにせはしく明滅しながら灯る"
    columns = [text[begin : begin + length] for begin in range(0, len(text), length)]
    assert down(columns) == text


def test_characters_of_one_line_are_not_vertical() -> None:
    text = "あらゆる透明な幽霊の複合体風景やみんなと"
    assert load(with_letters(text, [(72, 700, text[:10]), (72, 680, text[10:])])).text.split() == [text[:10], text[10:]]


def absent_font(name: str, width: int, thickness: int) -> bytes:
    """A PDF of one line in a font of two-byte codes that is not in the file, whose letters are as wide."""
    words = "Good morning from the north mole"
    letters = sorted(set(words))
    codes = {letter: 30 + place for place, letter in enumerate(letters)}
    lines = " ".join(f"<{codes[letter]:04x}> <{ord(letter):04x}>" for letter in letters)
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def "
        "1 begincodespacerange <0000> <ffff> endcodespacerange "
        f"{len(letters)} beginbfchar {lines} endbfchar endcmap end end"
    )
    descriptor = (
        f"<< /Type /FontDescriptor /FontName /{name} /Flags 32 /FontBBox [-600 -400 2800 1100] /ItalicAngle 0 "
        f"/Ascent 1069 /Descent -293 /CapHeight 714 /StemV {thickness} >>"
    )
    descendant = (
        f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /DW {width} /FontDescriptor {descriptor} "
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>"
    )
    font = (
        f"<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /Identity-H /ToUnicode 6 0 R "
        f"/DescendantFonts [{descendant}] >>"
    )
    content = f"BT /F1 12 Tf 72 700 Td <{''.join(f'{codes[letter]:04x}' for letter in words)}> Tj ET"
    return simple(content.encode(), font=font.encode(), more={6: stream(cmap.encode())})


def test_a_file_is_read_alike_whatever_was_read_before_it() -> None:
    plain, bold = absent_font("Lighthouse", 600, 0), absent_font("Lighthouse-Bold", 450, 180)
    boxes = [parse(data, "a.pdf", LoadParameters()).pages for data in (plain, plain, bold, plain)]
    first, *others = (pages.boxes.tolist() for pages in boxes if pages)
    assert len(first) == 6 and [others[0], others[2]] == [first, first]
