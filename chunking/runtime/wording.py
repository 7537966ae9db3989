"""Words for numbers."""

from __future__ import annotations

from collections.abc import Mapping


def plural(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 sentence``, ``1,200 sentences``.

    Args:
        number: how many.
        one: the noun for one.
        many: for any other number; by default ``one`` with an *s*.
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def plurals(counts: Mapping[str, int], nouns: Mapping[str, tuple[str, str]]) -> tuple[str, ...]:
    """Return the numbers with their nouns, in the order of the nouns, without those that are zero.

    Args:
        counts: the numbers by what was counted; of a counter, since others may be missing.
        nouns: the noun for one, and for any other number.
    """
    return tuple(plural(counts[counted], *noun) for counted, noun in nouns.items() if counts[counted])


def ordinal(number: int) -> str:
    """Return a number as a place in an order: ``1st``, ``12th``, ``1,022nd``."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def file_size(number: int) -> str:
    """Return a number of bytes in words: ``12 bytes``, ``3.4 KiB``, ``1.2 MiB``."""
    if number < 2**10:
        return plural(number, "byte")
    name, factor = next(unit for unit in _UNITS if number >= unit[1])
    return f"{number / factor:,.1f} {name}"


_UNITS = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text, such as a list of names in a program."""
    return frozenset(text.split())


MAX_NAME = 60
"""Characters of a name that are shown."""


def shorten(name: str) -> str:
    """Return a name, truncated if it has more than :data:`MAX_NAME` characters."""
    return name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"
