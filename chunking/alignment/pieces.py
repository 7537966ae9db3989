"""Chunks of other programs, and their spans in a document."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.document import Span


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk of another program.

    Attributes:
        text: its text.
        start, end: its reported span, in characters of the source; a hint that is verified.
    """

    text: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """The span of a piece in the source.

    Attributes:
        start, end: half-open span; white space at its ends only if the piece has the same.
        missing: spans inside it, none of them blank, that the piece lacks.
        added: pieces of text, none of them blank, that the source lacks there.
        exact: whether the texts are equal, including white space.
    """

    start: int
    end: int
    missing: tuple[Span, ...]
    added: tuple[str, ...]
    exact: bool
