"""Chunks of other programs: as they are given, and where they stand in a document."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.document import Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk as it was given.

    Attributes:
        text: its text.
        start, end: where it is said to stand, in characters of the source; a hint that is checked.
    """

    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a piece stands in the source.

    Attributes:
        start, end: half-open span, without white space at its ends but where the piece has the same.
        missing: stretches inside the span, none of them blank, that the piece does not have.
        added: stretches of the piece, none of them blank, that the source does not have there.
        exact: the text of the span is the text of the piece, white space included.
    """

    start: int
    end: int
    missing: tuple[Span, ...]
    added: tuple[str, ...]
    exact: bool
