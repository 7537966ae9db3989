"""How parts of documents are counted: the words before their numbers, Roman numerals and letters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

SECTION_WORDS = (
    "chapter|part|appendix|section|kapitel|teil|abschnitt|anhang|chapitre|partie|annexe|cap[íi]tulo|parte|capitolo"
)
"""Words before the number of a section, as a part of a pattern."""

_LETTERS = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
            (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


def roman(number: int) -> str:
    """Return a number as i, ii, iii, … up to 3999; digits beyond."""
    if not 0 < number < 4000:
        return str(number)
    text = ""
    for value, letters in _LETTERS:
        count, number = divmod(number, value)
        text += letters * count
    return text


_CHINESE = {"〇": 0, "零": 0, "一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000}


def chinese_number(text: str) -> int:
    """Return the value of a Chinese number: 12 of ``十二``, 2024 of ``二〇二四``; other characters are no digits."""
    total = digits = 0
    for char in text:
        unit = _CHINESE_UNITS.get(char)
        if unit:
            total, digits = total + (digits or 1) * unit, 0
        else:
            digits = 10 * digits + _CHINESE.get(char, 0)
    return total + digits


ROMAN_VALUES = {roman(number): number for number in range(1, 400)}
"""The values of Roman numerals in lower case."""


def letters(number: int) -> str:
    """Return a number as a … z, aa, bb, … as in Word."""
    return chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 50) if number > 0 else str(number)


NUMERALS: Mapping[str, Callable[[int], str]] = {
    "1": str,
    "a": letters,
    "A": lambda number: letters(number).upper(),
    "i": roman,
    "I": lambda number: roman(number).upper(),
}
"""The numerals of lists, by how they write 1."""
