"""Places in files: lines and columns, as editors and code hosts count them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from chunking.document import Document
from chunking.runtime.patterns import compile_pattern

_LINE_END = compile_pattern(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a file.

    Attributes:
        line, column: from 1, the column in characters; ``None`` for formats without lines (PDF, Word, EPUB and others).
        part: the part of the file, such as a page or a cell; lines are those of the part. Empty for a file of one part.
    """

    line: int | None = None
    column: int | None = None
    part: str = ""

    def __str__(self) -> str:
        """Return ``line:column`` with the part before it, as far as there is one."""
        numbers = f"{self.line}:{self.column}" if self.line else ""
        return ":".join(filter(None, (self.part, numbers)))


@dataclass(frozen=True)
class FilePlaces:
    """The places in the file of a document.

    Attributes:
        document: the document.
    """

    document: Document

    @cached_property
    def _starts(self) -> Sequence[Sequence[int]]:
        """Where the lines of each text of the source start."""
        origin = self.document.origin
        texts = origin.texts if origin else (self.document.text,)
        return [[0, *(end.end() for end in _LINE_END.finditer(text))] for text in texts]

    def at(self, offset: int) -> FilePlace:
        """Return the place of a character of the document's text; of one that the loader added, the next."""
        origin = self.document.origin
        if origin is None:
            return self._line_and_column(0, offset, "")
        end = len(self.document.text)
        source_places = (
            origin.places(offset, offset + 1) or origin.places(offset, end) or origin.places(max(end - 1, 0), end)
        )
        if not source_places:
            return FilePlace()
        place = source_places[0]
        name = origin.parts[place.part]
        return self._line_and_column(place.part, place.start, name) if origin.texts else FilePlace(part=name)

    def _line_and_column(self, part: int, offset: int, name: str) -> FilePlace:
        starts = self._starts[part]
        line = bisect_right(starts, offset)
        return FilePlace(line, offset - starts[line - 1] + 1, name)
