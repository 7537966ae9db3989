"""Chunks: spans of the text between cuts, with overlap, limits, and a reason for each cut.

The chunks of a tiling strategy cover the text without holes or repetition; the overlap of a chunk is a separate span
that ends where the chunk starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from chunking.chunks import limits, overlaps
from chunking.chunks.constraints import FREE, NONE, Constraints, words_of
from chunking.chunks.counts import TokenCounts, count_later
from chunking.chunks.cut_points import CutPoints
from chunking.chunks.cuts import Cut, hand_cut
from chunking.chunks.embedded import embedded_before, first_word, header_above, titles_above
from chunking.chunks.sizes import Maximum, SizeParameters
from chunking.document import Document, Span
from chunking.runtime.arrays import Float64, Int64
from chunking.runtime.wording import plural

NO_OVERLAP = "no room for an overlap"
SHORT_OVERLAP = "overlap shortened by the maximum"


@dataclass(frozen=True, slots=True)
class ExternalText:
    """The content of another program's chunk, if it differs from its span.

    Attributes:
        text: the chunk's text as that program wrote it.
        missing: spans that it lacks.
        added: pieces that it has and the span does not, verbatim.
    """

    text: str
    missing: tuple[Span, ...] = ()
    added: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of the document's text.

    Attributes:
        index: position among the chunks, from 0.
        start, end: half-open span; ``document.text[start:end] == text``.
        text: the text of the span, without overlap or heading.
        counts: the token counts, which are made when the first is read.
        overlap: the span before ``start`` that is repeated with the chunk, or ``None``.
        heading_path: titles of the headings above its first character, outermost first.
        cut: the cut at its start; ``None`` for the first chunk.
        notes: effects of the limits on it, in words.
        parent: index of the chunk that contains it, in strategies that nest; else ``None``.
        foreign: content of another program's chunk; ``None`` if it equals the text.
    """

    index: int
    start: int
    end: int
    text: str
    counts: TokenCounts
    overlap: Span | None
    heading_path: tuple[str, ...]
    cut: Cut | None
    notes: tuple[str, ...] = ()
    parent: int | None = None
    foreign: ExternalText | None = None

    @property
    def tokens(self) -> int:
        """Tokens of the text."""
        return self.counts.numbers[0]

    @property
    def overlap_tokens(self) -> int:
        """Tokens of the overlap's text."""
        return self.counts.numbers[1]

    @property
    def indexed_tokens(self) -> int:
        """Tokens of what is indexed, the text with its overlap before it, counted as one text: limits hold for them.

        They may differ from ``tokens + overlap_tokens``, as token counts do not add up.
        """
        return self.counts.numbers[2]

    @property
    def indexed_start(self) -> int:
        """Start of the retrieved text, including the overlap."""
        return self.overlap.start if self.overlap else self.start


class Limited(NamedTuple):
    """The result of applying the constraints and the limits to cuts.

    Attributes:
        cut_points: the cut points, with places inside oversized sentences.
        cuts: the remaining cuts and those forced by the maximum, ascending.
        suppressed: the cuts removed by the minima.
        kept: the cuts left out to keep something together; their detail says what.
    """

    cut_points: CutPoints
    cuts: list[Cut]
    suppressed: tuple[Cut, ...] = ()
    kept: tuple[Cut, ...] = ()


_INSIDE = -1.0
"""Strength of a place inside a sentence: weaker than any between sentences."""


def limited(
    cut_points: CutPoints,
    cuts: Sequence[Cut],
    strength: Float64,
    sizes: SizeParameters,
    constraints: Constraints = NONE,
    *,
    packed: bool = False,
) -> Limited:
    """Apply the constraints and the limits to cuts.

    Args:
        cut_points: cut points with the places of all cuts, also of those by hand.
        cuts: the cuts, ascending.
        strength: ``(n_cut_points,)`` float64, evidence for a cut at each cut point: the minimum removes the weakest,
            the maximum forces the strongest.
        sizes: the limits.
        constraints: what is kept together, if the sizes ask for it, where headings are, and what a hand has cut or
            joined.
        packed: whether the cuts already keep the maximum, with their overlap, except for single segments.
    """
    maximum, undivided_points = sizes.maximum, cut_points
    inside, held = np.zeros(0, dtype=np.int64), sizes.held(constraints)
    if (cut_points := undivided_points.divided(maximum, held)) is not undivided_points:
        # A sentence that alone exceeds the maximum is cut first, so that its ends can be joined with their neighbours.
        existing_indices = cut_points.cut_indices(undivided_points.offsets)
        spread = np.full(len(cut_points.offsets), _INSIDE)
        spread[existing_indices] = strength
        strength, inside = spread, np.delete(np.arange(len(spread)), existing_indices)
    kept = held.at(cut_points.offsets)
    own_cuts = dict(zip(cut_points.cut_indices([cut.offset for cut in cuts]).tolist(), cuts, strict=True))
    for index in cut_points.cut_indices(constraints.forced).tolist():
        offset, gap = int(cut_points.offsets[index]), int(cut_points.gaps[index])
        own_cuts.setdefault(index, hand_cut(offset, gap if gap >= 0 else None, float(strength[index])))
    kept_cuts = {index: own_cuts.pop(index) for index in list(own_cuts) if kept[index] != FREE}
    cut_indices = reach_minima(cut_points, sorted({*own_cuts, *inside.tolist()}), strength, sizes, constraints)
    if maximum.tokens and (kept_cuts or not packed):
        overlap = sizes.overlap if sizes.overlap_unit == "sentences" else 0
        least = max(sizes.min_tokens, sizes.soft_min_tokens)
        rooms = cut_points.rooms(maximum)
        forced = limits.split_large(cut_indices, strength, cut_points.tokens, least, rooms, overlap, kept)
        if forced:  # the rest after a forced cut may still fit into the next chunk
            cut_indices = reach_minima(cut_points, sorted({*cut_indices, *forced}), strength, sizes, constraints)
    remaining_cuts = [
        own_cuts.get(index) or _forced_cut(cut_points, index, float(strength[index]), int(kept[index]))
        for index in cut_indices
    ]
    remaining = set(cut_indices)
    suppressed = tuple(cut for index, cut in own_cuts.items() if index not in remaining)
    left_out = tuple(with_kept(cut, kept[index]) for index, cut in kept_cuts.items() if index not in remaining)
    return Limited(cut_points, remaining_cuts, suppressed, left_out)


def with_kept(cut: Cut, code: int) -> Cut:
    """Return a cut that is left out, with what it would part as its detail."""
    return replace(cut, detail=words_of(int(code)))


def reach_minima(
    cut_points: CutPoints,
    cut_indices: list[int],
    strength: Float64,
    sizes: SizeParameters,
    constraints: Constraints = NONE,
) -> list[int]:
    """Remove cuts to reach the minima, as far as the maximum allows: first to the soft one, none before a heading.

    Args:
        cut_points: the cut points.
        cut_indices: indices of those that are cut, ascending.
        strength: as for :func:`limited`.
        sizes: the limits.
        constraints: where headings are, and what a hand has cut.

    Returns:
        The indices that remain, ascending.
    """
    by_hand, rooms = constraints.is_forced(cut_points.offsets), cut_points.rooms(sizes.maximum)
    if sizes.soft_min_tokens:
        lasting = constraints.before_heading(cut_points.offsets) | by_hand
        soft = sizes.soft_min_tokens
        cut_indices = limits.merge_small(cut_indices, strength, cut_points.tokens, soft, rooms, lasting)
    if sizes.min_tokens:
        cut_indices = limits.merge_small(cut_indices, strength, cut_points.tokens, sizes.min_tokens, rooms, by_hand)
    return cut_indices


def _forced_cut(cut_points: CutPoints, cut_index: int, strength: float, kept: int) -> Cut:
    offset, gap = int(cut_points.offsets[cut_index]), int(cut_points.gaps[cut_index])
    if strength == _INSIDE:
        return Cut(offset, "oversized_sentence", "limit")
    detail = f"parts {words_of(kept)}" if kept != FREE else ""
    return Cut(offset, "token_limit", "limit", gap if gap >= 0 else None, strength, detail=detail)


def build(
    limited_cuts: Limited,
    sizes: SizeParameters,
    *,
    overlap_barriers: Sequence[int] = (),
    overlap_starts: Mapping[int, int] | None = None,
) -> tuple[Chunk, ...]:
    """Build chunks from cuts in ascending order, with overlap, heading path and notes.

    Args:
        limited_cuts: the cuts within their constraints and limits.
        sizes: the overlap and the limits.
        overlap_barriers: offsets that no overlap may cross, ascending.
        overlap_starts: start of the overlap by the offset of the cut, for strategies that choose their own overlap;
            other cuts get the default one.
    """
    cut_points, cuts, suppressed, kept = limited_cuts
    document = cut_points.document
    if not document.text:
        return ()
    starts = [0, *(cut.offset for cut in cuts)]
    ends = [*starts[1:], len(document.text)]
    reaches, notes = starts, list[tuple[str, ...]]([()] * len(starts))
    if sizes.overlap and cuts:
        reaches, notes = _overlaps(cut_points, starts, ends, sizes, overlap_barriers, overlap_starts or {})
    counts = count_later(document.text, cut_points.counter, reaches, starts, ends)
    if sizes.min_tokens or suppressed or kept:
        limit_notes = _limit_notes(limited_cuts, ends, sizes, counts)
        notes = [(*first, *then) for first, then in zip(limit_notes, notes, strict=True)]
    return tuple(
        Chunk(
            index=index,
            start=start,
            end=end,
            text=document.text[start:end],
            counts=counts[index],
            overlap=Span(reach, start) if reach < start else None,
            heading_path=document.heading_path(first_word(document, start, end)),
            cut=cut,
            notes=note,
        )
        for index, (reach, start, end, cut, note) in enumerate(
            zip(reaches, starts, ends, [None, *cuts], notes, strict=True)
        )
    )


def leaves(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """Return the chunks that contain no others, in order."""
    all_chunks = tuple(chunks)
    holders = {chunk.parent for chunk in all_chunks}
    return tuple(chunk for chunk in all_chunks if chunk.index not in holders)


def nest(parents: Iterable[Chunk], leaves: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """Return chunks of two kinds by their starts, parents first, each with the index of the innermost parent around it.

    A parent that contains no leaf is left out, with the limits as the reason: they merged its text with that of
    another.

    Args:
        parents: chunks that lie inside each other or apart.
        leaves: chunks that lie apart.
    """
    entries = [(parent, False) for parent in parents] + [(leaf, True) for leaf in leaves]
    entries.sort(key=lambda entry: (entry[0].start, entry[1], -entry[0].end))
    ordered = [chunk for chunk, _ in entries]
    holders: list[int | None] = []
    needed: set[int] = set()
    around: list[int] = []
    for number, (chunk, is_leaf) in enumerate(entries):
        while around and ordered[around[-1]].end <= chunk.start:
            around.pop()
        holders.append(next((holder for holder in reversed(around) if ordered[holder].end >= chunk.end), None))
        if not is_leaf:
            around.append(number)
            continue
        needed.add(number)
        holder = holders[-1]
        while holder is not None and holder not in needed:
            needed.add(holder)
            holder = holders[holder]
    index_of = {number: index for index, number in enumerate(sorted(needed))}
    return tuple(
        replace(ordered[number], index=index, parent=None if (holder := holders[number]) is None else index_of[holder])
        for number, index in index_of.items()
    )


def table_header(document: Document, chunk: Chunk) -> str:
    """Return the header of the table that a chunk continues, verbatim; empty for other chunks."""
    return header_above(document, first_word(document, chunk.start, chunk.end))


def embedded_context(document: Document, chunk: Chunk) -> str:
    """Return what is embedded before the indexed text of a chunk: its heading path, and the header of its table."""
    word = first_word(document, chunk.start, chunk.end)
    return embedded_before(titles_above(document, word), header_above(document, word))


def _limit_notes(
    limited_cuts: Limited, ends: Sequence[int], sizes: SizeParameters, counts: Sequence[TokenCounts]
) -> list[tuple[str, ...]]:
    """Return what the constraints and the minima did to each chunk; nothing is counted without a minimum."""
    aim = max(sizes.soft_min_tokens, sizes.min_tokens)
    notes: list[tuple[str, ...]] = []
    for merged, held, count in zip(
        counts_inside(limited_cuts.suppressed, ends), counts_inside(limited_cuts.kept, ends), counts, strict=True
    ):
        is_small = sizes.min_tokens and count.numbers[0] < sizes.min_tokens
        notes.append(
            (
                *((f"{plural(merged, 'cut')} removed to reach {aim} tokens",) if merged else ()),
                *((f"{plural(held, 'cut')} left out, to keep together what belongs together",) if held else ()),
                *((f"below the minimum of {sizes.min_tokens}",) if is_small else ()),
            )
        )
    return notes


def counts_inside(cuts: Sequence[Cut], ends: Sequence[int]) -> list[int]:
    """Return the number of cuts in each of the chunks that end at some offsets."""
    owners = np.searchsorted(ends, np.array([cut.offset for cut in cuts], dtype=np.int64))
    counts: list[int] = np.bincount(owners, minlength=len(ends)).tolist()
    return counts


def _overlaps(
    cut_points: CutPoints,
    starts: Sequence[int],
    ends: Sequence[int],
    sizes: SizeParameters,
    overlap_barriers: Sequence[int],
    overlap_starts: Mapping[int, int],
) -> tuple[list[int], list[tuple[str, ...]]]:
    """Return where the overlap of each chunk begins, shortened where the maximum leaves no room, and its notes."""
    starts_after, stops = (np.array(offsets[1:], dtype=np.int64) for offsets in (starts, ends))
    barriers = np.array([0, *overlap_barriers], dtype=np.int64)
    fence = barriers[np.searchsorted(barriers, starts_after, side="right") - 1]
    preset_starts = np.array([overlap_starts.get(offset, -1) for offset in starts_after.tolist()], dtype=np.int64)

    def starts_within(maximum: Maximum) -> Int64:
        fits, maxima = preset_starts >= 0, cut_points.maxima(starts_after, maximum)
        if maximum.tokens:
            counts = np.array(cut_points.counts(preset_starts[fits], stops[fits]), dtype=np.int64)
            fits[fits] = counts <= maxima[fits]
        limited_starts = preset_starts.copy()
        # Runs of sentences or lines are computed for all chunks, since all starts of chunks are starts of runs.
        requested = np.flatnonzero(~fits) if sizes.overlap_unit in overlaps.WORD_UNITS else np.arange(len(starts_after))
        if len(requested):
            computed = overlaps.starts(
                cut_points,
                starts_after[requested],
                stops[requested],
                sizes.overlap,
                sizes.overlap_unit,
                maxima[requested],
            )
            limited_starts[requested] = np.maximum(computed, np.maximum(fence, preset_starts)[requested])
        return np.where(fits, preset_starts, limited_starts)

    reaches = starts_within(sizes.maximum)
    requested = starts_within(Maximum(0)) if sizes.max_tokens else reaches
    is_missing = (starts_after > fence) & (preset_starts < 0) | (requested < starts_after)
    flags = zip((reaches < starts_after).tolist(), (reaches > requested).tolist(), is_missing.tolist(), strict=True)
    return [0, *np.minimum(reaches, starts_after).tolist()], [
        (),
        *(_overlap_note(*flags_of_chunk) for flags_of_chunk in flags),
    ]


def _overlap_note(exists: bool, shortened: bool, is_missing: bool) -> tuple[str, ...]:
    if not exists:
        return (NO_OVERLAP,) if is_missing else ()
    return (SHORT_OVERLAP,) if shortened else ()
