"""Cut points: the places where a document may be cut, and the tokens between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from chunking.chunks import limits
from chunking.chunks.constraints import CODE, FREE, NONE, Constraints
from chunking.chunks.embedded import ContextTokens, context_tokens
from chunking.chunks.sizes import Maximum
from chunking.document import Document
from chunking.document.graphemes import without_inner
from chunking.runtime.arrays import Bools, Int8, Int64
from chunking.tokens import SpanTokens, TokenCounter

ENDLESS = 1 << 40
"""Tokens of a chunk without a maximum."""

_DIVIDED = 4
"""Number of maxima whose divided cut points are cached."""


@cache
def _white() -> Bools:
    """Return whether each code point below 2¹⁶ is white space; none above is."""
    return np.array([chr(code).isspace() for code in range(0x10000)])


@dataclass(frozen=True, eq=False)
class CutPoints:
    """The places where a document may be cut, with the tokens between them.

    Attributes:
        document: the document.
        offsets: ``(n_cut_points,)`` int64, the places, strictly ascending, inside the text; place ``e`` is between the
            *segments* ``e`` and ``e + 1``, the runs of text between neighbouring places.
        gaps: ``(n_cut_points,)`` int64, the gap at each place, −1 if there is none.
        counter: the token counter.
        encoder_limit: tokens of a text that the encoder reads, if it counts them as the counter does; 0 if it reads
            any number or counts otherwise.
        base: cut points whose places are a subset of these and whose words are shared; may be ``None``.
    """

    document: Document
    offsets: Int64
    gaps: Int64
    counter: TokenCounter
    encoder_limit: int = 0
    base: CutPoints | None = None

    @cached_property
    def tokens(self) -> SpanTokens:
        """Token counts of runs of segments, computed on first use."""
        text = self.document.text
        bounds = np.concatenate(([0], self.offsets, [len(text)])) if text else np.zeros(1, dtype=np.int64)
        return SpanTokens(text, bounds, self.counter)

    @cached_property
    def word_starts(self) -> Int64:
        """``(n_words,)`` int64, offsets at which the words of the document start.

        The number and times of a cue are one word: neither a chunk nor an overlap begins inside them.
        """
        if self.base:
            return self.base.word_starts
        codes = np.frombuffer(self.document.text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        white = _white()[np.minimum(codes, 0xFFFF)]
        starts = np.flatnonzero(~white & np.concatenate(([True], white[:-1])))
        starts = starts[~self.document.timeline.inside_marks(starts)]
        return without_inner(starts, self.document.inside_clusters)

    @cached_property
    def words(self) -> SpanTokens:
        """Token counts of runs of words, for sizes and overlaps that end between words."""
        if self.base:
            return self.base.words
        # The array is nearly sorted, so a stable sort is faster than a hash table.
        ends = np.concatenate((self.word_starts, self.offsets, [0, len(self.document.text)]))
        ends.sort(kind="stable")
        return SpanTokens(self.document.text, ends[np.diff(ends, prepend=-1) > 0], self.counter)

    def with_places(self, offsets: Sequence[int] | Int64) -> CutPoints:
        """Return the cut points with additional places, given in any order; itself if it has them all."""
        new_offsets = np.asarray(offsets, dtype=np.int64)
        positions = np.searchsorted(self.offsets, new_offsets)
        if (positions < len(self.offsets)).all() and (self.offsets[positions] == new_offsets).all():
            return self
        union = np.union1d(self.offsets, new_offsets)
        gaps = np.full(len(union), -1, dtype=np.int64)
        gaps[np.searchsorted(union, self.offsets)] = self.gaps
        return CutPoints(self.document, union, gaps, self.counter, self.encoder_limit, self.base or self)

    @cached_property
    def context(self) -> ContextTokens:
        """The tokens that are embedded before a chunk, by where it starts."""
        return self.base.context if self.base else context_tokens(self.document, self.counter)

    def maxima(self, starts: Int64, maximum: Maximum) -> Int64:
        """Return the tokens that chunks may have with their overlap, ``(n,)`` int64; :data:`ENDLESS` for any number.

        Of what the encoder reads, half is left for a chunk, however long what is embedded before it.

        Args:
            starts: ``(n,)`` int64, where the chunks start.
            maximum: the most that a chunk may have.
        """
        maxima = np.full(len(starts), maximum.tokens or ENDLESS, dtype=np.int64)
        if maximum.tokens and maximum.fits_encoder and self.encoder_limit:
            left = np.maximum(self.encoder_limit - self.context.at(starts), self.encoder_limit // 2)
            maxima = np.minimum(maxima, left)
        return maxima

    def rooms(self, maximum: Maximum) -> Int64:
        """Return the tokens that the own text of a chunk may have, for each segment that it may start with.

        Returns:
            ``(n_segments,)`` int64, at least 1: :meth:`maxima` without an overlap in tokens.
        """
        starts = np.concatenate((np.zeros(1, dtype=np.int64), self.offsets))
        rooms: Int64 = np.maximum(self.maxima(starts, maximum) - maximum.overlap, 1)
        return rooms

    def divided(self, maximum: Maximum, constraints: Constraints = NONE) -> CutPoints:
        """Return the cut points with places inside segments that alone exceed a maximum; itself if there are none.

        Args:
            maximum: the most that a chunk may have.
            constraints: what is kept together: a first piece leaves room for what it belongs to.
        """
        key = maximum, constraints
        divided_points = self._divided.get(key)
        if divided_points is None:
            divided_points = self.with_places(self._inside(maximum, constraints))
            self._divided[key] = divided_points
            while len(self._divided) > _DIVIDED:
                self._divided.pop(next(iter(self._divided)), None)
        return divided_points

    @cached_property
    def _divided(self) -> dict[tuple[Maximum, Constraints], CutPoints]:
        return {}

    def _inside(self, maximum: Maximum, constraints: Constraints) -> list[int]:
        if not self.document.text or not maximum.tokens:
            return []
        text, cuts, rooms = self.document.text, self.tokens.cuts, self.rooms(maximum)
        alone = np.arange(len(cuts) - 1)
        large = np.flatnonzero(self.tokens.span_counts(alone, alone + 1) > rooms).tolist()
        kept = constraints.at(self.offsets) if large else constraints.at(self.offsets[:0])
        offsets: list[int] = []
        for segment in large:
            start, end = int(cuts[segment]), int(cuts[segment + 1])
            whole = int(rooms[segment])
            words, room = self._words_after_mark(start, end, whole)
            first = room - (self._bound_before(segment, kept, whole) if words == start else 0)
            pieces = limits.split_segment(text[words:end], self.counter, room, first)
            offsets += [words + inner for inner in pieces]
        return offsets

    def _bound_before(self, segment: int, kept: Int8, maximum: int) -> int:
        """Return the tokens before a segment that are kept together with it; 0 if there are none or too many."""
        first = segment
        while first and kept[first - 1] not in (FREE, CODE):
            first -= 1
        bound = self.tokens.count(first, segment) if first < segment else 0
        return bound if 2 * bound <= maximum else 0

    def _words_after_mark(self, start: int, end: int, maximum: int) -> tuple[int, int]:
        """Return the start of the words of a segment, after the times of a cue, and the maximum that these leave."""
        mark_end = self.document.timeline.first_content(start, end)
        used = self.counter.count([self.document.text[start:mark_end]])[0] if mark_end > start else 0
        return (mark_end, maximum - used) if used < maximum else (start, maximum)

    def cut_indices(self, offsets: Sequence[int] | Int64) -> Int64:
        """Return ``(n,)`` int64: the indices of the cut points at offsets."""
        return np.searchsorted(self.offsets, np.asarray(offsets, dtype=np.int64))

    def counts(
        self, starts: Sequence[int] | Int64, ends: Sequence[int] | Int64, table: SpanTokens | None = None
    ) -> list[int]:
        """Return exact token counts of spans: from a table if both ends are among its cuts, else counted.

        Args:
            starts, ends: ``(n,)`` offsets.
            table: ``None`` for the runs of segments.
        """
        table = table or self.tokens
        begins, stops = np.asarray(starts, dtype=np.int64), np.asarray(ends, dtype=np.int64)
        last_cut = len(table.cuts) - 1
        first = np.minimum(np.searchsorted(table.cuts, begins), last_cut)
        last = np.minimum(np.searchsorted(table.cuts, stops), last_cut)
        in_table = (table.cuts[first] == begins) & (table.cuts[last] == stops)
        token_counts = np.zeros(len(begins), dtype=np.int64)
        token_counts[in_table] = table.span_counts(first[in_table], last[in_table])
        uncounted_spans = np.flatnonzero(~in_table)
        if len(uncounted_spans):
            text = self.document.text
            spans = zip(begins[uncounted_spans].tolist(), stops[uncounted_spans].tolist(), strict=True)
            token_counts[uncounted_spans] = self.counter.count([text[start:end] for start, end in spans])
        numbers: list[int] = token_counts.tolist()
        return numbers
