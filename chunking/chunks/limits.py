"""Size limits: merge chunks that are too small and split those that are too large.

A text consists of *segments*, the runs between neighbouring places of possible cuts (for most strategies the gaps
between sentences). Limits move no cut: they remove or add cuts, and each change is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from chunking.chunks.constraints import CODE, FREE, HAND
from chunking.document.graphemes import between_clusters, inside_clusters
from chunking.runtime.arrays import Bools, Float64, Int8, Int64
from chunking.runtime.patterns import compile_pattern
from chunking.tokens import SpanTokens, TokenCounter, furthest_within, is_within


def merge_small(
    cut_indices: Sequence[int],
    strength: Float64,
    tokens: SpanTokens,
    minimum: int,
    rooms: Int64,
    lasting: Bools | None = None,
) -> list[int]:
    """Remove cuts, the weakest first, until no chunk is below the minimum, as far as the maximum allows.

    One pass in ascending order of strength is enough: chunks only grow, so a cut that was kept because both its sides
    were large enough, or would exceed the maximum together, need not be checked again.

    Args:
        cut_indices: the cuts, ascending; cut ``e`` lies between segment ``e`` and ``e + 1``.
        strength: ``(n_segments − 1,)`` evidence for a cut at each cut point.
        tokens: token counts of segments.
        minimum: tokens that a chunk must have.
        rooms: ``(n_segments,)``, tokens that a merged chunk may have that starts with each segment.
        lasting: ``(n_segments − 1,)``, cut points at which no cut is removed; ``None`` for none.

    Returns:
        The cuts that remain, ascending.
    """
    bounds = [-1, *cut_indices, len(tokens.cuts) - 2]
    before = {cut_index: index for index, cut_index in enumerate(bounds)}
    previous = list(range(-1, len(bounds) - 1))
    following = list(range(1, len(bounds) + 1))
    remaining_cuts = set(cut_indices)
    sizes = tokens.span_counts(np.array(bounds[:-1]) + 1, np.array(bounds[1:]) + 1).tolist()
    # sizes[k] is the chunk that ends at bounds[k + 1]; merging makes the right-hand chunk the larger one.
    size_before = {index + 1: size for index, size in enumerate(sizes)}
    for cut_index in sorted(cut_indices, key=lambda cut_index: (strength[cut_index], cut_index)):
        index = before[cut_index]
        left, right = previous[index], following[index]
        if size_before[index] >= minimum and size_before[right] >= minimum:
            continue
        if lasting is not None and lasting[cut_index]:
            continue
        merged = tokens.count(bounds[left] + 1, bounds[right] + 1)
        if merged > rooms[bounds[left] + 1]:
            continue
        remaining_cuts.remove(cut_index)
        following[left], previous[right] = right, left
        size_before[right] = merged
    return sorted(remaining_cuts)


def split_large(
    cut_indices: Sequence[int],
    strength: Float64,
    tokens: SpanTokens,
    minimum: int,
    rooms: Int64,
    overlap: int = 0,
    kept: Int8 | None = None,
) -> list[int]:
    """Add cuts until no chunk of several segments exceeds the maximum.

    An oversized chunk is divided from its start into as few as fit: each time the strongest cut is taken after which
    the rest still needs no more of them, if possible with no part below ``minimum`` or a quarter of the maximum. What
    is kept together is parted only where it does not fit otherwise, code before anything else.

    Args:
        cut_indices: the cuts, ascending.
        strength: ``(n_segments − 1,)`` evidence for a cut at each cut point.
        tokens: token counts of segments.
        minimum: tokens of a chunk.
        rooms: ``(n_segments,)``, tokens that a chunk may have that starts with each segment.
        overlap: segments before its start that a chunk repeats; added cuts leave room for them, up to half of the
            maximum.
        kept: ``(n_segments − 1,)``, what each cut point would part, see :meth:`Constraints.at`; ``None`` for nothing.

    Returns:
        The added cuts, ascending. A single segment over the maximum is left for :func:`split_segment`.
    """
    bounds = np.array([-1, *cut_indices, len(tokens.cuts) - 2])
    sizes = tokens.span_counts(bounds[:-1] + 1, bounds[1:] + 1)
    kept = np.zeros(len(strength), dtype=np.int8) if kept is None else kept
    division = _Division(strength, tokens, max(minimum, int(rooms.max()) // 4), rooms, overlap, kept)
    added: list[int] = []
    for chunk in np.flatnonzero(sizes > rooms[bounds[:-1] + 1]).tolist():
        first, last = int(bounds[chunk]) + 1, int(bounds[chunk + 1]) + 1
        starts, lead = division.starts(first, last), first
        while last - first > 1 and not tokens.is_within(first, last, int(rooms[first])):
            cut = division.cut(first, last, lead, starts)
            added.append(cut)
            first = cut + 1
            lead = division.lead(first)
    return added


class _Division(NamedTuple):
    """What oversized chunks are divided by, see :func:`split_large`."""

    strength: Float64
    tokens: SpanTokens
    least: int
    rooms: Int64
    overlap: int
    kept: Int8

    def lead(self, first: int) -> int:
        """Return the segment from which on the text is repeated before a part: up to half of the maximum."""
        lead = max(0, first - self.overlap)
        while lead < first and 2 * self.tokens.count(lead, first) > self.rooms[first]:
            lead += 1
        return lead

    def starts(self, first: int, last: int) -> Int64:
        """Return the segments ``(n_parts,)`` from which one part, two, … reach the end of a chunk, ascending."""
        starts, end, largest = list[int](), last, int(self.rooms.max())
        while end > first:
            low, high = max(first, end - largest), end - 1  # a segment has a token at least
            while low < high:
                middle = (low + high) // 2
                lead = self.lead(middle) if middle > first else first
                if self.tokens.is_within(lead, end, int(self.rooms[middle])):
                    high = middle
                else:
                    low = middle + 1
            starts.append(end := low)
        return np.array(starts[::-1], dtype=np.int64)

    def cut(self, first: int, last: int, lead: int, starts: Int64) -> int:
        """Return the cut after the part that begins with a segment and repeats the text from ``lead`` on."""
        room = int(self.rooms[first])
        sizes = self.tokens.counts_within(lead, first + 1, last, room)
        places = first + np.flatnonzero(sizes <= room)
        if not len(places):
            return first
        places = _least_parting(places, self.kept[places])
        places = places[places + 1 >= starts[np.searchsorted(starts, places[-1] + 1, side="right") - 1]]
        repeated = sizes[0] - self.tokens.count(first, first + 1) if lead < first else 0
        rest = self.tokens.span_counts(places + 1, np.full(len(places), last))
        is_large = (sizes[places - first] - repeated >= self.least) & (rest >= self.least)
        places = places[is_large] if is_large.any() else places
        return int(places[self.strength[places].argmax()])


def _least_parting(places: Int64, kept: Int8) -> Int64:
    """Return those of some places that part nothing, else code, else anything but what was joined by hand, else all."""
    for is_least in (kept == FREE, kept == CODE, kept != HAND):
        least: Int64 = places[is_least]
        if len(least):
            return least
    return places


CLAUSE = compile_pattern(r"[;:,，；：、]\s*|[\r\n]+")
"""The end of a clause, with the white space after it."""

_WORD = compile_pattern(r"\s+")


def pieces_of(text: str, inside: Int64 | None = None) -> tuple[set[int], set[int]]:
    """Return the offsets in a segment at which a clause ends, and those at which a word ends: where it may be cut.

    Args:
        text: the segment's text.
        inside: the offsets inside its grapheme clusters; by default they are looked up.
    """
    inner = set((inside_clusters(text) if inside is None else inside).tolist())
    clauses, words = ({match.end() for match in pattern.finditer(text)} - inner for pattern in (CLAUSE, _WORD))
    return clauses, words


def split_segment(text: str, counter: TokenCounter, maximum: int, first_maximum: int = 0) -> list[int]:
    """Cut an oversized segment: at line ends and clause marks, else between words, else anywhere.

    Args:
        text: the segment's text.
        counter: token counter.
        maximum: tokens that a piece may have, at least 1.
        first_maximum: tokens that the first piece may have, which is kept together with what is before it; 0 for the
            same.

    Returns:
        Offsets within ``text``, ascending, such that each piece has at most ``maximum`` tokens (a single grapheme
        cluster that has more stays whole, since nothing smaller is a character).
    """
    inside = inside_clusters(text)
    clauses, words = pieces_of(text, inside)
    candidates = np.array(sorted({0, len(text), *clauses, *words}), dtype=np.int64)
    table = SpanTokens(text, candidates, counter)
    is_clause = np.isin(candidates, list(clauses))
    cuts: list[int] = []
    first, last = 0, len(candidates) - 1
    while first < last and not table.is_within(first, last, room := (first_maximum if first == 0 else 0) or maximum):
        best = _best_place(first, last, candidates, is_clause, table, room)
        if best == first:  # a single word exceeds the maximum
            start, end = int(candidates[first]), int(candidates[first + 1])
            inner = inside[np.searchsorted(inside, start) : np.searchsorted(inside, end)] - start
            cuts += [start + offset for offset in _split_word(text[start:end], inner, counter, maximum)]
            best = first + 1
        if best < last:
            cuts.append(int(candidates[best]))
        first = best
    for number in range(len(cuts) - 1, -1, -1):
        start, end = cuts[number], cuts[number + 1] if number + 1 < len(cuts) else len(text)
        if text[start:end].isspace():
            previous = cuts[number - 1] if number else 0
            moved = before_white_space(text, inside, previous, start)
            spans = ((previous, moved), (moved, end))  # a word without its last letter may have more tokens
            cuts[number] = moved if all(is_within(text, *span, counter, maximum) for span in spans) else start
    return cuts


def before_white_space(text: str, inside: Int64, start: int, stop: int) -> int:
    """Return where the last character before white space begins, so that it need not be a piece of its own; ``stop`` if
    that leaves nothing.

    Args:
        text: the text.
        inside: the offsets inside its grapheme clusters.
        start: where the piece before the white space starts.
        stop: where the white space starts.
    """
    moved = between_clusters(inside, start, stop - 1) if stop - 1 > start else start
    return moved if start < moved < stop and not text[start:moved].isspace() else stop


def _best_place(first: int, last: int, candidates: Int64, is_clause: Bools, table: SpanTokens, maximum: int) -> int:
    """Return the last place that ends a clause, else a word, for a piece that fits and is not tiny; else ``first``."""
    fitting = first + 1 + np.flatnonzero(table.counts_within(first, first + 1, last, maximum) <= maximum)
    if not len(fitting):
        return first
    late = fitting[2 * (candidates[fitting] - candidates[first]) >= candidates[fitting[-1]] - candidates[first]]
    clauses = late[is_clause[late]]
    return int(clauses[-1] if len(clauses) else late[-1])


def _split_word(text: str, inside: Int64, counter: TokenCounter, maximum: int) -> list[int]:
    """Cut an oversized word between any two grapheme clusters."""
    cuts = [0]
    while (stop := furthest_within(text, cuts[-1], len(text), counter, maximum)) < len(text):
        cuts.append(between_clusters(inside, cuts[-1], max(stop, cuts[-1] + 1)))
    return [cut for cut in cuts[1:] if cut < len(text)]
