"""The start and end of a row that mark an item of a list or an entry of a table of contents."""

from __future__ import annotations

from typing import NamedTuple

from chunking.loading.binary.pdf.rows import Row
from chunking.runtime.patterns import compile_pattern

_BULLET = compile_pattern(r"[•‣⁃◦▪▫●○■□▸►➢➤✓✔❖·∙⋅\uf0a7\uf0b7\uf076*–—-]")
DRAWN = "drawn"
"""Style of a marker that is a drawn shape instead of a word."""

_NUMBERED = compile_pattern(r"\(?(?:(\d{1,3})|([a-z])|([ivx]{1,5})|([A-Z]))[.)]|\[(\d{1,3})\]")
_LEADERS = compile_pattern(r"(?:\.\s?){4,}|(?:\.\s){2,}(?=\d+$)|…{2,}|(?:·\s?){4,}")
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}


class Marker(NamedTuple):
    """The marker of a list item.

    Attributes:
        style: the style of the number, or the bullet itself.
        value: value of a number, else 0.
    """

    style: str
    value: int


def has_leaders(text: str) -> bool:
    """Return whether a row of dots leads from a title to its page."""
    return (".." in text or ". ." in text or "…" in text or "·" in text) and bool(_LEADERS.search(text))


def marker_of(row: Row) -> Marker | None:
    """Return the list marker that a row seems to begin with."""
    if row.bullet:
        return Marker(DRAWN, 0)
    first = row.first
    if len(first) > 6 or len(row.text) <= len(first):
        return None
    if _BULLET.fullmatch(first):
        return Marker(first, 0)
    if first == "o" and row.inner - row.left > 1.2 * row.size:
        return Marker(first, 0)
    match = _NUMBERED.fullmatch(first)
    if not match:
        return None
    number, letter, roman, capital, reference = match.groups()
    around = first[0] + first[-1]
    if number or reference:
        return Marker(f"1{around[-1]}", int(number or reference))
    if roman and (len(roman) > 1 or roman == "i"):
        return Marker(f"i{around[-1]}", _ROMAN.get(roman, 99))
    if letter:
        return Marker(f"a{around[-1]}", ord(letter) - 96)
    return Marker(f"A{around[-1]}", ord(capital) - 64) if capital else None
