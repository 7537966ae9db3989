"""Token counts of the chunks of a segmentation, made together when the first of them is read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np

from chunking.runtime.arrays import Int64
from chunking.tokens import SpanTokens, TokenCounter

Numbers = tuple[int, int, int]
"""Tokens of a chunk, of its overlap, and of both as one text."""


class TokenCounts:
    """The token counts of a chunk: equal, hashed, shown and pickled as its numbers, which may be made on first use.

    Args:
        numbers: the numbers, or what returns them.
    """

    __slots__ = ("_numbers",)

    def __init__(self, numbers: Numbers | Callable[[], Numbers]) -> None:
        self._numbers = numbers

    @property
    def numbers(self) -> Numbers:
        """Tokens of the chunk, of its overlap, and of both as one text."""
        if callable(self._numbers):
            self._numbers = self._numbers()
        return self._numbers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TokenCounts) and self.numbers == other.numbers

    def __hash__(self) -> int:
        return hash(self.numbers)

    def __repr__(self) -> str:
        return repr(self.numbers)

    def __reduce__(self) -> tuple[type[TokenCounts], tuple[Numbers]]:
        return TokenCounts, (self.numbers,)


def count_later(
    text: str, counter: TokenCounter, reaches: Sequence[int], starts: Sequence[int], ends: Sequence[int]
) -> list[TokenCounts]:
    """Return the token counts of chunks, all of which are made when the first number is read.

    Args:
        text: the document's text.
        counter: the token counter.
        reaches, starts, ends: offsets of each chunk: where its overlap begins (its start if it has none), where it
            starts and where it ends.
    """
    lock = threading.Lock()
    rows: list[Numbers] = []

    def row(index: int) -> Numbers:
        with lock:
            if not rows:
                rows.extend(
                    _count(text, counter, *(np.array(offsets, dtype=np.int64) for offsets in (reaches, starts, ends)))
                )
            return rows[index]

    return [TokenCounts(lambda index=index: row(index)) for index in range(len(starts))]  # type: ignore[misc]


def _count(text: str, counter: TokenCounter, reaches: Int64, starts: Int64, ends: Int64) -> list[Numbers]:
    table = SpanTokens(text, np.unique(np.concatenate((reaches, starts, ends))), counter)

    def count(first: Int64, last: Int64) -> list[int]:
        counts: list[int] = table.span_counts(
            np.searchsorted(table.cuts, first), np.searchsorted(table.cuts, last)
        ).tolist()
        return counts

    tokens = count(starts, ends)
    if (reaches == starts).all():
        return [(n_tokens, 0, n_tokens) for n_tokens in tokens]
    return list(zip(tokens, count(reaches, starts), count(reaches, ends), strict=True))
