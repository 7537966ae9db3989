"""The content of a paragraph as pieces of equal formatting, and operations on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from chunking.document import Style
from chunking.loading.binary.docx.properties import Face


class Piece(NamedTuple):
    """Characters of a paragraph with the same formatting; ``source`` is their offset in it, -1 for marks added here."""

    text: str
    face: Face
    source: int


Note = tuple[str, str, str]
"""A reference to a note: ``"footnote"`` or ``"endnote"``, its id, its mark."""


@dataclass
class Line:
    """The content of a paragraph, in pieces; a piece ``"\\f"`` is a page break."""

    pieces: list[Piece] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    length: int = 0

    def add(self, text: str, face: Face) -> None:
        """Append characters of the paragraph."""
        self.pieces.append(Piece(text, face, self.length))
        self.length += len(text)

    @property
    def text(self) -> str:
        """All of it, marks of notes included."""
        return "".join(piece.text for piece in self.pieces)


def segments(pieces: list[Piece]) -> Iterator[list[Piece] | None]:
    """Yield the parts of a paragraph between page breaks, with ``None`` for each break."""
    found: list[Piece] = []
    for piece in pieces:
        if piece.text == "\f":
            yield found
            yield None
            found = []
        else:
            found.append(piece)
    yield found


def stripped(pieces: list[Piece], code: bool = False) -> list[Piece]:
    """Return the pieces without white space at the ends; code keeps its indentation, but no empty lines."""
    first, last = 0, len(pieces)
    while last > first and not pieces[last - 1].text.strip():
        last -= 1
    if first == last:
        return []
    found = pieces[first:last]
    found[-1] = found[-1]._replace(text=found[-1].text.rstrip())
    while not found[0].text.strip() and (not code or "\n" in found[0].text):
        found.pop(0)
    lost = len(found[0].text) - len(found[0].text.lstrip("\r\n" if code else None))
    if lost:
        source = found[0].source + lost if found[0].source >= 0 else -1
        found[0] = Piece(found[0].text[lost:], found[0].face, source)
    return found


def joined(pieces: list[Piece], more: list[Piece], separator: str) -> list[Piece]:
    """Return both, with a separator between them if neither is empty."""
    if not pieces or not more:
        return pieces + more
    return [*pieces, Piece(separator, more[0].face, -1), *more]


def style_of(pieces: list[Piece], space_before: float, indent: float) -> Style:
    """Return the formatting of most of the characters."""
    sizes: Counter[float] = Counter()
    total = bold = italic = 0
    for piece in pieces:
        count = len(piece.text)
        total += count
        sizes[piece.face.size] += count
        bold += count * piece.face.bold
        italic += count * piece.face.italic
    size = sizes.most_common(1)[0][0] if sizes else 0.0
    return Style(size, 2 * bold > total, 2 * italic > total, space_before, indent)
