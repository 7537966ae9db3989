"""Token counts of the chunks of a segmentation, made together when the first of them is read."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from chunking.runtime.arrays import Int64
from chunking.tokens import SpanTokens, TokenCounter


class Counts(NamedTuple):
    """Exact token counts of chunks, each field with one number per chunk; see :class:`chunking.chunks.Chunk`."""

    tokens: Sequence[int]
    overlap_tokens: Sequence[int]
    indexed_tokens: Sequence[int]


@dataclass(frozen=True, eq=False)
class DeferredCounts:
    """The token counts of all chunks of a segmentation, computed on first use.

    Attributes:
        text: the document's text.
        counter: the token counter.
        reaches, starts, ends: ``(n,)`` offsets of each chunk: where its overlap begins (its start if it has none),
            where it starts and where it ends.
    """

    text: str
    counter: TokenCounter
    reaches: npt.ArrayLike
    starts: npt.ArrayLike
    ends: npt.ArrayLike
    _found: list[Counts] = field(default_factory=list, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def get(self) -> Counts:
        """Return the counts."""
        with self._lock:
            if not self._found:
                self._found.append(self._computed())
            return self._found[0]

    def _computed(self) -> Counts:
        reaches, starts, ends = (np.asarray(each, dtype=np.int64) for each in (self.reaches, self.starts, self.ends))
        table = SpanTokens(self.text, np.unique(np.concatenate((reaches, starts, ends))), self.counter)

        def count(first: Int64, last: Int64) -> list[int]:
            numbers: list[int] = table.span_counts(
                *(np.searchsorted(table.cuts, each) for each in (first, last))
            ).tolist()
            return numbers

        own = count(starts, ends)
        if (reaches == starts).all():
            return Counts(own, [0] * len(own), own)
        return Counts(own, count(reaches, starts), count(reaches, ends))
