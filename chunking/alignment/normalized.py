"""A text without its white space, with the way back to the text as it is."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from chunking.document import Span
from chunking.runtime.arrays import Bools, Int64, UInt32, UInt64
from chunking.runtime.patterns import compile_pattern

_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)
"""All white space by :meth:`str.isspace`; the last is U+3000."""

_TAG = compile_pattern(r"<[/!]?[A-Za-z-][^<>]*>")
"""A tag or comment, in a text without white space."""

_LOOKALIKES = str.maketrans("‘’‚‛′`“”„‟″«»‐‑‒–—―−", '\'\'\'\'\'\'"""""""-------')
"""Quotes and dashes that pipelines replace by ASCII."""


def _codes(text: str) -> UInt32:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def fold(text: str) -> str:
    """Return the text in lower case with ASCII quotes and dashes, character for character."""
    plain = text.translate(_LOOKALIKES)
    lowered = plain.lower()
    if len(lowered) == len(plain):
        return lowered
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in plain)


class NormalizedText:
    """A text without its white space.

    Attributes:
        whole: the original text.
        offsets: ``(n,)`` int64, the offset in ``whole`` of each remaining character.
        text: the ``n`` characters.
    """

    def __init__(self, whole: str) -> None:
        self.whole = whole
        self.offsets: Int64 = np.flatnonzero(~np.isin(_codes(whole), _SPACES)).astype(np.int64)
        self.text = "".join(whole.split())

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def folded(self) -> str:
        """The characters, folded: in small letters, with plain quotes and dashes."""
        return fold(self.text)

    @cached_property
    def codes(self) -> UInt32:
        """``(n,)`` code points of the characters."""
        return _codes(self.text)

    @cached_property
    def folded_codes(self) -> UInt32:
        """``(n,)`` code points of the folded characters."""
        return _codes(self.folded)

    @cached_property
    def outside_tags(self) -> Int64:
        """``(n + 1,)`` int64: characters before each one that are outside HTML and XML tags."""
        is_outside = np.ones(len(self.text) + 1, dtype=np.int64)
        for tag in _TAG.finditer(self.text):
            is_outside[tag.start() + 1 : tag.end() + 1] = 0
        is_outside[0] = 0
        return np.cumsum(is_outside)

    @cached_property
    def grams(self) -> UInt64:
        """``(max(n - 5, 0),)`` hashes of the runs of six folded characters."""
        return _gram_hashes(self.folded_codes)

    @cached_property
    def _inside_tag(self) -> Bools:
        """``(n + 1,)`` bool: whether a cut before each character would split a tag."""
        is_inside = np.zeros(len(self.text) + 1, dtype=np.bool_)
        for tag in _TAG.finditer(self.text):
            is_inside[tag.start() + 1 : tag.end()] = True
        return is_inside

    def between(self, first: int, last: int) -> int:
        """Return the number of characters in a range, without tags if the range splits none."""
        if self._inside_tag[first] or self._inside_tag[last]:
            return last - first
        return int(self.outside_tags[last] - self.outside_tags[first])

    def past_tags(self, position: int, count: int) -> int:
        """Return the place ``count`` characters after one (before it, if negative), without those in tags."""
        outside_before = self.outside_tags
        if count < 0:
            return int(np.searchsorted(outside_before, outside_before[position] + count))
        return int(np.searchsorted(outside_before, outside_before[position] + count, side="right")) - 1

    def span(self, first: int, last: int) -> Span:
        """Return the span in ``whole`` of the characters ``first`` to ``last - 1``, at least one."""
        return Span(int(self.offsets[first]), int(self.offsets[last - 1]) + 1)


GRAM = 6
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def _gram_hashes(codes: UInt32) -> UInt64:
    if len(codes) < GRAM:
        return np.zeros(0, dtype=np.uint64)
    wide = codes.astype(np.uint64)
    count = len(codes) - GRAM + 1
    hashes = wide[:count].copy()
    for step in range(1, GRAM):
        hashes *= _FACTOR
        hashes += wide[step : step + count]
        hashes ^= hashes >> np.uint64(29)
    return hashes
