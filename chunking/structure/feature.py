"""A structural feature: a named, weighted part of the structural distance."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of a structural distance.

    Attributes:
        name: stable identifier, used in exports and URLs.
        weight: its weight in the structural distance; negative if it is evidence against a boundary.
        title: its name on the page.
        help: one sentence on what it compares.
    """

    name: str
    weight: float
    title: str
    help: str
