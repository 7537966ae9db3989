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
