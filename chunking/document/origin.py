"""The mapping from the characters of a document to its source, for formats whose text is not the source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from chunking.runtime.arrays import Int64

COLUMNS = ("start", "length", "part", "source", "source_length")
"""Columns of :attr:`Origin.runs`."""


class Place(NamedTuple):
    """A range of the source.

    Attributes:
        part: index of its part.
        start, end: half-open range in that part, in the origin's unit.
    """

    part: int
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Origin:
    """The mapping from the characters of a text to its source.

    Attributes:
        unit: unit of offsets in a part, in words: ``"characters of the file"``, ``"characters of the page"``, …
        parts: names of the parts of the source: ``("",)`` for one file, else pages, cells, files of an archive.
        runs: ``(n_runs, 5)`` int64, in the order of the text, without overlap: start and length in the text, part,
            start and length in the part. If both lengths are equal, characters correspond one by one; else the run
            corresponds as a whole (``&amp;`` to ``&``). Text between two runs was added by the loader: blank lines
            between blocks, form feeds.
        texts: texts of the parts if they can be shown; else empty.
    """

    unit: str
    parts: tuple[str, ...]
    runs: Int64
    texts: tuple[str, ...] = ()

    @cached_property
    def _ends(self) -> Int64:
        ends: Int64 = self.runs[:, 0] + self.runs[:, 1]
        return ends

    def places(self, start: int, end: int) -> tuple[Place, ...]:
        """Return where the characters ``[start, end)`` of the text come from, with neighbours in one part joined.

        A joined place includes whatever the source has between its runs, such as text that the loader left out.
        """
        first = int(np.searchsorted(self._ends, start, side="right"))
        last = int(np.searchsorted(self.runs[:, 0], end, side="left"))
        places: list[Place] = []
        for begins, length, part, source, source_length in self.runs[first:last].tolist():
            left, right = source, source + source_length
            if length == source_length:
                left += max(start - begins, 0)
                right -= max(begins + length - end, 0)
            if places and places[-1].part == part and places[-1].start <= left:
                places[-1] = Place(part, places[-1].start, max(places[-1].end, right))
            else:
                places.append(Place(part, left, right))
        return tuple(places)
