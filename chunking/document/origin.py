"""Where the text of a document comes from, where it is not the source itself: from its characters back to those."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

COLUMNS = ("start", "length", "part", "source", "source_length")
"""What a run says; see :class:`Origin`."""


class Place(NamedTuple):
    """A stretch of the source.

    Attributes:
        part: index of the part it lies in.
        start, end: half-open range there, in the origin's unit.
    """

    part: int
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class Origin:
    """Where the characters of a text come from.

    Attributes:
        unit: what offsets in a part count, in words: ``"characters of the file"``, ``"characters of the page"``, …
        parts: what the source consists of, by name: ``("",)`` for one file, else pages, cells, files of an archive.
        runs: ``(n_runs, 5)`` int64, in the order of the text and not overlapping: start in the text, length there,
            part, start in the part, length there. Where both lengths are equal, the characters stand for each other one
            by one; else the whole run stands for the whole stretch (``&amp;`` for ``&``). What lies between two runs
            was added by the loader: blank lines between blocks, form feeds.
        texts: the parts themselves, where they are text that can be shown; else empty.
    """

    unit: str
    parts: tuple[str, ...]
    runs: Ints
    texts: tuple[str, ...] = ()

    @cached_property
    def _ends(self) -> Ints:
        ends: Ints = self.runs[:, 0] + self.runs[:, 1]
        return ends

    def places(self, start: int, end: int) -> tuple[Place, ...]:
        """Where the characters ``[start, end)`` of the text come from, neighbours in one part joined.

        The gap between two runs of one part is part of the place that joins them, as is what the loader left out there.
        """
        first = int(np.searchsorted(self._ends, start, side="right"))
        last = int(np.searchsorted(self.runs[:, 0], end, side="left"))
        found: list[Place] = []
        for begins, length, part, source, source_length in self.runs[first:last].tolist():
            left, right = source, source + source_length
            if length == source_length:
                left += max(start - begins, 0)
                right -= max(begins + length - end, 0)
            if found and found[-1].part == part and found[-1].start <= left:
                found[-1] = Place(part, found[-1].start, max(found[-1].end, right))
            else:
                found.append(Place(part, left, right))
        return tuple(found)
