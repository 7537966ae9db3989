"""The numbers and titles of the lanes of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.comparison.report import Comparison, ComparisonEntry

GOLD_TITLE = "Reference"
"""Title of the lane of reference boundaries."""


@dataclass(frozen=True, eq=False)
class Placed(ComparisonEntry):
    """An entry with the number of its lane, which stays the same where an earlier lane failed.

    Attributes:
        number: of the lane, from 1, as among the strategies.
    """

    number: int


def placed(entry: ComparisonEntry, number: int) -> Placed:
    """Return the entry as the lane of that number."""
    return Placed(entry.label, entry.title, entry.kind, entry.segmentation, number)


def number(place: int, entry: ComparisonEntry) -> int:
    """Return the number of a lane from its index among those shown."""
    return entry.number if isinstance(entry, Placed) else place + 1


def numbers(compared: Comparison) -> list[int]:
    """Return the numbers of all lanes that are shown."""
    return [number(place, entry) for place, entry in enumerate(compared.entries)]


def numbered(place: int, entry: ComparisonEntry) -> str:
    """Return the number and the title of a lane."""
    return f"{number(place, entry)} · {entry.title}"


def titles(compared: Comparison) -> list[str]:
    """Return the numbers and titles of all lanes that are shown."""
    return [numbered(place, entry) for place, entry in enumerate(compared.entries)]
