"""Chunks: from cuts to spans of the text, with overlap, limits, and a reason for each.

The chunks of a tiling strategy follow one another without a hole and without a repeat; the overlap of a chunk is a
separate span that ends where the chunk starts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from chunking import limits
from chunking.document import Document, Span
from chunking.errors import ChunkscopeError
from chunking.params import Parameters, parameter
from chunking.tokens import SpanTokens, TokenCounter

Ints = npt.NDArray[np.int64]

Reason = Literal["distance", "token_limit", "oversized_sentence"]
"""Why a cut is where it is: its distance exceeded the threshold; the maximum forced a cut at a gap; the maximum
forced one inside a sentence."""

Driver = Literal["semantic", "structural", "both", "limit"]
"""What moved a cut over the threshold, for colours and legends."""


NO_OVERLAP = "no room for an overlap"
SHORT_OVERLAP = "overlap shortened by the maximum"


@dataclass(frozen=True, kw_only=True)
class SizeParameters(Parameters):
    """Overlap and limits, which every strategy takes."""

    overlap: int = parameter(
        0, "Overlap", "How much of the text before a chunk is repeated with it.", minimum=0, maximum=1000, step=1
    )
    overlap_unit: str = parameter(
        "sentences", "Overlap in", "What the overlap is counted in.", choices=("sentences", "tokens")
    )
    min_tokens: int = parameter(
        0,
        "Minimum",
        "Chunks with fewer tokens are merged with a neighbour across the weaker cut; 0 for no minimum.",
        minimum=0,
        maximum=4000,
        step=10,
        unit="tokens",
    )
    max_tokens: int = parameter(
        0,
        "Maximum",
        "No chunk has more tokens, its overlap counted, unless it is a single character; 0 for no maximum.",
        minimum=0,
        maximum=32000,
        step=10,
        unit="tokens",
    )

    def check_together(self) -> None:
        """Refuse a minimum over the maximum and an overlap that leaves a chunk no room."""
        if self.max_tokens and self.min_tokens > self.max_tokens:
            raise ChunkscopeError(
                f"min_tokens ({self.min_tokens}) is larger than max_tokens ({self.max_tokens}).",
                "Lower the minimum or raise the maximum.",
            )
        room = self.max_tokens - self.overlap
        if self.max_tokens and self.overlap_unit == "tokens" and room < max(self.min_tokens, 1):
            need = f"chunks of {self.min_tokens} to {self.max_tokens}" if room > 0 else f"at most {self.max_tokens}"
            raise ChunkscopeError(
                f"An overlap of {self.overlap} tokens leaves no room in {need} tokens.",
                "Lower the overlap or the minimum, or raise the maximum.",
            )


@dataclass(frozen=True, slots=True)
class Cut:
    """Why a chunk starts where it does.

    Attributes:
        offset: where the text is cut.
        reason: see :data:`Reason`.
        driver: see :data:`Driver`.
        gap: the gap that is cut; ``None`` inside a sentence.
        score, threshold: what was compared, where a threshold was asked.
    """

    offset: int
    reason: Reason
    driver: Driver
    gap: int | None = None
    score: float | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A span of the document's text.

    Attributes:
        index: position among the chunks, from 0.
        start, end: half-open span; ``document.text[start:end] == text``.
        text: the text of the span, without overlap or heading.
        tokens: tokens of ``text``.
        overlap: the span before ``start`` that is repeated with the chunk, or ``None``.
        overlap_tokens: tokens of the overlap's text.
        heading_path: titles of the headings the chunk's first character stands under, outermost first.
        cut: the cut that opens the chunk; ``None`` for the first.
        notes: what the limits did to it, in words.
    """

    index: int
    start: int
    end: int
    text: str
    tokens: int
    overlap: Span | None
    overlap_tokens: int
    heading_path: tuple[str, ...]
    cut: Cut | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Grid:
    """Where a document may be cut, with the tokens between.

    Attributes:
        document: the document.
        offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        tokens: token counts of the runs between neighbouring offsets (the *atoms*, ``n_gaps + 1`` of them).
        counter: the counter behind them.
    """

    document: Document
    offsets: Ints
    tokens: SpanTokens
    counter: TokenCounter

    @cached_property
    def word_starts(self) -> Ints:
        """Where the words of the document start."""
        found = _WORD.finditer(self.document.text)
        return np.fromiter((match.start() for match in found), dtype=np.int64)

    @cached_property
    def words(self) -> SpanTokens:
        """Token counts of runs of words, made only for an overlap in tokens."""
        cuts = np.union1d(self.word_starts, self.tokens.cuts)
        return SpanTokens(self.document.text, cuts, self.counter)


_WORD = re.compile(r"\S+")

_REACH = 64
"""Characters that an overlap counted in tokens may reach back for each of them."""


def limited(
    grid: Grid, cuts: Sequence[Cut], strength: npt.NDArray[np.float64], sizes: SizeParameters
) -> tuple[list[Cut], tuple[int, ...]]:
    """Apply the limits to cuts at gaps.

    Returns:
        The cuts that remain, with those the maximum forced; and the gaps whose cut the minimum took away.
    """
    by_gap = {cut.gap: cut for cut in cuts if cut.gap is not None}
    edges, room = sorted(by_gap), _room(sizes)
    forced: list[int] = []
    if sizes.min_tokens:
        edges = limits.merge_small(edges, strength, grid.tokens, sizes.min_tokens, room)
    if room:
        overlap = sizes.overlap if sizes.overlap_unit == "sentences" else 0
        forced = limits.split_large(edges, strength, grid.tokens, sizes.min_tokens, room, overlap)
    if forced and sizes.min_tokens:
        # What a forced cut left over may still find room beside the next chunk.
        remaining = set(limits.merge_small(sorted({*edges, *forced}), strength, grid.tokens, sizes.min_tokens, room))
        edges, forced = ([edge for edge in known if edge in remaining] for known in (edges, forced))
    kept = [by_gap[edge] for edge in edges]
    kept += [Cut(int(grid.offsets[edge]), "token_limit", "limit", edge, float(strength[edge])) for edge in forced]
    if room:
        kept += _inside_atoms(grid, room)
    suppressed = tuple(sorted(set(by_gap) - set(edges)))
    return sorted(kept, key=lambda cut: cut.offset), suppressed


def _room(sizes: SizeParameters) -> int:
    """Tokens a chunk's own text may have, so that an overlap counted in tokens still fits; 0 for no limit."""
    if not sizes.max_tokens:
        return 0
    return sizes.max_tokens - (sizes.overlap if sizes.overlap_unit == "tokens" else 0)


def _inside_atoms(grid: Grid, maximum: int) -> list[Cut]:
    """Cuts inside the sentences that alone exceed the maximum."""
    text, cuts = grid.document.text, grid.tokens.cuts
    alone = np.arange(len(cuts) - 1)
    found = []
    for atom in np.flatnonzero(grid.tokens.span_counts(alone, alone + 1) > maximum).tolist():
        start, end = int(cuts[atom]), int(cuts[atom + 1])
        inner = limits.split_atom(text[start:end], grid.counter, maximum)
        found += [Cut(start + offset, "oversized_sentence", "limit") for offset in inner]
    return found


def build(grid: Grid, cuts: Sequence[Cut], suppressed: Sequence[int], sizes: SizeParameters) -> tuple[Chunk, ...]:
    """Chunks from cuts in ascending order, with overlap, heading path and notes."""
    document = grid.document
    if not document.text:
        return ()
    starts = [0, *(cut.offset for cut in cuts)]
    ends = [*starts[1:], len(document.text)]
    counts = _counts(grid, starts, ends)
    merged = np.searchsorted(ends, grid.offsets[list(suppressed)]) if suppressed else np.zeros(0, dtype=np.int64)
    merges = np.bincount(merged, minlength=len(starts)).tolist()
    chunks = [
        Chunk(
            index=index,
            start=start,
            end=end,
            text=document.text[start:end],
            tokens=tokens,
            overlap=None,
            overlap_tokens=0,
            heading_path=document.heading_path(_first_word(document.text, start, end)),
            cut=cut,
            notes=_merge_note(merges[index], sizes.min_tokens, tokens),
        )
        for index, (start, end, tokens, cut) in enumerate(zip(starts, ends, counts, [None, *cuts], strict=True))
    ]
    return tuple(_with_overlaps(grid, chunks, sizes) if sizes.overlap else chunks)


def _first_word(text: str, start: int, end: int) -> int:
    """Where the chunk's first word is: a chunk that opens with blank lines stands under the heading after them."""
    while start < end - 1 and text[start].isspace():
        start += 1
    return start


def _merge_note(merges: int, minimum: int, tokens: int) -> tuple[str, ...]:
    notes: list[str] = []
    if merges:
        notes.append(f"{merges} {'cut' if merges == 1 else 'cuts'} taken away to reach {minimum} tokens")
    if minimum and tokens < minimum:
        notes.append(f"below the minimum of {minimum}")
    return tuple(notes)


def _counts(
    grid: Grid, starts: Sequence[int] | Ints, ends: Sequence[int] | Ints, table: SpanTokens | None = None
) -> list[int]:
    """Exact token counts of spans: from a table where both ends are cuts of it, else counted."""
    table = table or grid.tokens
    begins, stops = np.asarray(starts, dtype=np.int64), np.asarray(ends, dtype=np.int64)
    last_cut = len(table.cuts) - 1
    first = np.minimum(np.searchsorted(table.cuts, begins), last_cut)
    last = np.minimum(np.searchsorted(table.cuts, stops), last_cut)
    known = (table.cuts[first] == begins) & (table.cuts[last] == stops)
    counts = np.zeros(len(begins), dtype=np.int64)
    counts[known] = table.span_counts(first[known], last[known])
    others = np.flatnonzero(~known)
    if len(others):
        text = grid.document.text
        spans = zip(begins[others].tolist(), stops[others].tolist(), strict=True)
        counts[others] = grid.counter.count([text[start:end] for start, end in spans])
    found: list[int] = counts.tolist()
    return found


def _with_overlaps(grid: Grid, chunks: list[Chunk], sizes: SizeParameters) -> list[Chunk]:
    """Give every chunk but the first the overlap that was asked for, less where the maximum leaves no room."""
    later = [chunk for chunk in chunks if chunk.start]
    find = _sentence_overlaps if sizes.overlap_unit == "sentences" else _token_overlaps
    own, ends = (np.array([getattr(chunk, name) for chunk in later], dtype=np.int64) for name in ("start", "end"))
    starts = find(grid, own, ends, sizes)
    asked = find(grid, own, ends, replace(sizes, min_tokens=0, max_tokens=0)) if sizes.max_tokens else starts
    tokens = _counts(grid, starts, own)
    given = zip(later, starts.tolist(), (starts > asked).tolist(), tokens, strict=True)
    return [*chunks[: len(chunks) - len(later)], *(_with_overlap(*each) for each in given)]


def _with_overlap(chunk: Chunk, start: int, shortened: bool, tokens: int) -> Chunk:
    if start >= chunk.start:
        return replace(chunk, notes=(*chunk.notes, NO_OVERLAP))
    notes = (*chunk.notes, SHORT_OVERLAP) if shortened else chunk.notes
    return replace(chunk, overlap=Span(start, chunk.start), overlap_tokens=tokens, notes=notes)


def _sentence_overlaps(grid: Grid, own: Ints, ends: Ints, sizes: SizeParameters) -> Ints:
    """Starts of the last ``overlap`` sentences before each chunk, of fewer where more would exceed the maximum.

    A piece of a sentence that had to be cut counts as one.
    """
    begins = np.union1d(np.concatenate(([0], grid.offsets)), own)
    place = np.searchsorted(begins, own)
    first = np.maximum(place - sizes.overlap, 0)
    bounds = np.append(begins, len(grid.document.text))
    while sizes.max_tokens:
        open_ = np.flatnonzero(first < place)
        counts = np.array(_counts(grid, begins[first[open_]], ends[open_]), dtype=np.int64)
        over = open_[counts > sizes.max_tokens]
        if not len(over):
            break
        first[over] += 1
    return np.where(first < place, bounds[first], own)


def _token_overlaps(grid: Grid, own: Ints, ends: Ints, sizes: SizeParameters) -> Ints:
    """Starts of the longest runs of whole words before each chunk that keep the overlap and the maximum."""
    words, table = grid.word_starts, grid.words
    high = np.searchsorted(words, own)
    # No word has less than a token; and where words are endless, an end to looking back keeps the work in bounds.
    low = np.maximum(high - sizes.overlap, np.searchsorted(words, own - _REACH * sizes.overlap))
    stop = high.copy()

    def fits(place: Ints, among: Ints) -> npt.NDArray[np.bool_]:
        tail = np.array(_counts(grid, words[place], own[among], table), dtype=np.int64)
        if not sizes.max_tokens:
            return tail <= sizes.overlap
        whole = np.array(_counts(grid, words[place], ends[among], table), dtype=np.int64)
        return (tail <= sizes.overlap) & (whole <= sizes.max_tokens)

    while len(among := np.flatnonzero(low < high)):
        middle = (low[among] + high[among]) // 2
        good = fits(middle, among)
        high[among[good]] = middle[good]
        low[among[~good]] = middle[~good] + 1
    return np.where(low < stop, np.append(words, 0)[low], own)
