"""What a structural feature is: a named part of the structural distance with a weight."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of a structural distance.

    Attributes:
        name: stable identifier, used in exports and addresses.
        weight: what the feature counts for in the structural distance; below 0 where it speaks against a boundary.
        title: short name for people.
        help: one sentence that says what is compared.
    """

    name: str
    weight: float
    title: str
    help: str
