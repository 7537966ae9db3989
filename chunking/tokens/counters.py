"""What a counter of tokens is, and what both counters share.

Token counts are not additive: ``count(a + b)`` differs from ``count(a) + count(b)`` if a token straddles the join. But
every tokenizer has places that no token can straddle: its *seams*.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from chunking.runtime.arrays import Bools, Int64, UInt32


class TokenCounter(Protocol):
    """A counter of tokens that knows where a text can be cut without changing their number."""

    @property
    def name(self) -> str:
        """Name of the counter."""
        ...

    def count(self, texts: Sequence[str]) -> Int64:
        """Return the number of tokens of each text, each tokenised on its own: ``(n,)`` int64."""
        ...

    def seams(self, text: str) -> Bools:
        """Return the places that no token can straddle: ``(len(text) + 1,)`` bool, the first and last ``True``.

        ``seams(text)[i]`` guarantees ``count(text[a:b]) == count(text[a:i]) + count(text[i:b])`` for **every**
        ``a <= i <= b``. A counter without such places returns ``False`` between the ends; spans are then counted one
        by one.
        """
        ...

    def __hash__(self) -> int:
        """Hash by identity: a cache of recent texts is kept per counter."""
        ...


@runtime_checkable
class TokenLocator(Protocol):
    """A counter that can also locate each token in a text."""

    def starts(self, text: str) -> Int64 | None:
        """Return the offset of the character in which each token begins: ``(n_tokens,)`` int64, ascending.

        Guarantees that ``count(text[a:b])`` is the number of starts in ``[a, b)`` if both are seams of the text.
        ``None`` for a text whose tokens cannot be located.
        """
        ...


def well_formed(text: str) -> str:
    """Return the text in a form that UTF-8 can encode: surrogate pairs joined, lone surrogates as U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def code_points(text: str) -> UInt32:
    """Return the code point of each character: ``(len(text),)`` uint32."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
