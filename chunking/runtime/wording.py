"""Words for numbers."""

from __future__ import annotations


def plural(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: ``1 sentence``, ``1,200 sentences``.

    Args:
        number: how many.
        one: the noun for one.
        many: for any other number; by default ``one`` with an *s*.
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def ordinal(number: int) -> str:
    """Return a number as a place in an order: ``1st``, ``12th``, ``1,022nd``."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"
