"""Packing parts of a document into chunks up to a size that whole parts may exceed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from chunking.chunks import SizeParameters
from chunking.errors import ChunkscopeError
from chunking.params import parameter
from chunking.runtime.arrays import Bools, Int64
from chunking.strategies.base import Segmentation
from chunking.tokens import SpanTokens
from chunking.workspace import DocumentAnalysis

_FAR = 8
"""Text estimated at this many times the size is not counted exactly."""


@dataclass(frozen=True, kw_only=True)
class PackedParameters(SizeParameters):
    """Parameters of strategies that fill a size, which unbreakable parts may exceed."""

    size: int = parameter(
        1000,
        "Size",
        "Tokens that a chunk is filled up to. A larger single part stays whole unless a maximum splits it.",
        minimum=1,
        maximum=32000,
        step=10,
        unit="tokens",
    )

    def validate(self) -> None:
        """Also reject a minimum or an overlap that contradicts the size."""
        super().validate()
        if self.min_tokens > self.size:
            raise ChunkscopeError(
                f"min_tokens ({self.min_tokens}) is larger than size ({self.size}).",
                "Lower the minimum or raise the size.",
            )
        if self.overlap_unit == "tokens" and self.overlap >= self.size:
            raise ChunkscopeError(
                f"The overlap ({self.overlap} tokens) must be smaller than the size ({self.size} tokens).",
                "Lower the overlap or raise the size.",
            )

    @property
    def target(self) -> int:
        """Tokens to fill: the size, or less if the maximum minus the overlap is smaller."""
        if not self.max_tokens:
            return self.size
        return min(self.size, self.max_tokens - (self.overlap if self.overlap_unit == "tokens" else 0))


class Packer:
    """Token counts between the parts of a document, for filling chunks.

    Args:
        workspace: the document.
        places: ``(n,)`` int64 offsets where parts begin, strictly ascending, inside the text; with the text's two ends
            they are the *bounds*.
        size: tokens of a chunk.
    """

    def __init__(self, workspace: DocumentAnalysis, places: Sequence[int], size: int) -> None:
        text = workspace.document.text
        self.bounds: Int64 = np.array([0, *places, len(text)], dtype=np.int64)
        self.size = size
        self._tokens = SpanTokens(text, self.bounds, workspace.cut_points_only.counter)
        numbers = np.arange(len(self.bounds))
        # The parts' own counts, summed up: a little more than the count of the whole, but counted in linear time even
        # where a text has no place at which counts add up.
        parts = self._tokens.span_counts(numbers[:-1], numbers[1:])
        self._about: Int64 = np.concatenate(([0], np.cumsum(parts)))

    def counts(self, first: npt.ArrayLike, last: npt.ArrayLike) -> Int64:
        """Return ``(n,)`` int64: tokens between pairs of bounds, by their numbers."""
        return self._tokens.span_counts(first, last)

    def about(self, first: npt.ArrayLike, last: npt.ArrayLike) -> Int64:
        """Return ``(n,)`` int64: about as many tokens, at most a few too many at the join of two parts."""
        estimate: Int64 = self._about[np.asarray(last)] - self._about[np.asarray(first)]
        return estimate

    def fits(self, first: npt.ArrayLike, last: npt.ArrayLike) -> Bools:
        """Return ``(n,)`` bool: which of the stretches between pairs of bounds have no more tokens than the size.

        Stretches of many times the size are not counted exactly, so that nested ones are not counted repeatedly.
        """
        begin, end = np.asarray(first, dtype=np.int64), np.asarray(last, dtype=np.int64)
        is_fitting: Bools = self.about(begin, end) <= _FAR * self.size
        is_fitting[is_fitting] = self.counts(begin[is_fitting], end[is_fitting]) <= self.size
        return is_fitting

    def furthest(self, first: int, stops: Int64) -> int:
        """Return the index of the last ascending bound up to which the text from ``first`` fits; 0 if none does."""
        low, high = 0, len(stops)  # low is taken, whether it fits or not; high does not fit
        index = int(np.searchsorted(self.about(first, stops), self.size, side="right")) - 1
        index, step = max(index, 1), 1
        while high - low > 1:
            index = min(max(index, low + 1), high - 1)
            if self.counts([first], [int(stops[index])])[0] <= self.size:
                low = index
                index = index + step if high == len(stops) else (low + high) // 2
            else:
                high = index
                index = index - step if low == 0 else (low + high) // 2
            step *= 2
        return low


def note_oversized_parts(result: Segmentation, whole_parts: Mapping[int, str], size: int) -> Segmentation:
    """Add notes and a warning for chunks that exceed the size because they hold an unbreakable part.

    Args:
        result: the segmentation.
        whole_parts: the unbreakable parts, in words, by the start of their chunks.
        size: the requested size in tokens.
    """
    over = [chunk for chunk in result.chunks if chunk.tokens > size and chunk.start in whole_parts]
    if not over:
        return result
    chunks = list(result.chunks)
    for chunk in over:
        note = f"{whole_parts[chunk.start]} kept whole, exceeds the size of {size:,} tokens"
        chunks[chunk.index] = replace(chunk, notes=(*chunk.notes, note))
    largest = max(over, key=lambda chunk: chunk.tokens)
    words = "chunk exceeds" if len(over) == 1 else "chunks exceed"
    warning = (
        f"{len(over):,} {words} the size of {size:,} tokens because of parts that are kept whole; the largest has "
        f"{largest.tokens:,} ({whole_parts[largest.start]}). Set max_tokens to split such parts."
    )
    return replace(result, chunks=tuple(chunks), warnings=(*result.warnings, warning))
