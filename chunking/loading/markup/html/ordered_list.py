"""The numbers of ordered lists, which browsers display and the source does not have."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from chunking.loading.numerals import NUMERALS
from chunking.runtime.patterns import compile_pattern

_ATTRIBUTE = compile_pattern(r' (start|type|value|reversed|style)="([^"]*)"', re.IGNORECASE)
_STYLE = compile_pattern(r"list-style(?:-type)?\s*+:\s*+([^;]*)", re.IGNORECASE)
_STYLES = {
    "decimal": "1",
    "decimal-leading-zero": "1",
    "lower-alpha": "a",
    "lower-latin": "a",
    "upper-alpha": "A",
    "upper-latin": "A",
    "lower-roman": "i",
    "upper-roman": "I",
}
_WITHOUT_NUMBERS = frozenset({"none", "disc", "circle", "square"})
_NUMBER = compile_pattern(r"[ \t\n]*+([+-]?[0-9]{1,8})")
_MARK = compile_pattern(r"[\[(]?([0-9]{1,8}|[A-Za-z]{1,15})[.)\]:]")


@dataclass
class OrderedList:
    """An open ordered list.

    Attributes:
        following: number of the next item.
        numeral: how its numbers are written, as in :data:`chunking.loading.numerals.NUMERALS`; empty for none.
    """

    following: int = 1
    numeral: str = "1"

    @classmethod
    def of(cls, attributes: str) -> OrderedList:
        """Return the list that an element with these serialised attributes opens.

        A list in reverse order has no numbers here: the first is known only at its end.
        """
        values = _values(attributes)
        start = _NUMBER.match(values.get("start", ""))
        numeral = values.get("type", "1")
        ordered = cls(int(start[1]) if start else 1, numeral if numeral in NUMERALS else "1")
        ordered.numeral = "" if "reversed" in values else _styled(values.get("style", ""), ordered.numeral)
        return ordered

    def mark(self, attributes: str) -> str:
        """Count an item whose element has these serialised attributes; return its mark, such as ``2.``, or none."""
        values = _values(attributes)
        value = _NUMBER.match(values.get("value", ""))
        number = int(value[1]) if value else self.following
        self.following = number + 1
        numeral = _styled(values.get("style", ""), self.numeral)
        return f"{NUMERALS[numeral](number)}." if numeral else ""


def begins_with_number(text: str, mark: str) -> bool:
    """Return whether an item has its number in its own text: then no other is displayed beside it."""
    match = _MARK.match(text)
    return match is not None and match[1].lower() == mark.rstrip(".").lower()


def _values(attributes: str) -> dict[str, str]:
    return {name.lower(): html.unescape(value) for name, value in _ATTRIBUTE.findall(attributes)} if attributes else {}


def _styled(style: str, numeral: str) -> str:
    """Return the numeral of a list or an item with an inline style, given the one without."""
    for words in _STYLE.findall(style):
        for word in words.lower().split():
            if word in _STYLES:
                numeral = _STYLES[word]
            elif word in _WITHOUT_NUMBERS:
                numeral = ""
    return numeral
