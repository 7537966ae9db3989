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
