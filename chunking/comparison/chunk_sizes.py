"""Requested and actual sizes of chunks.

Chunks need not tile: they may omit text, repeat it, or lie inside one another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

import numpy as np

from chunking.chunks import Chunk
from chunking.errors import ChunkscopeError
from chunking.params import Parameters
from chunking.runtime.arrays import Bools, Int64
from chunking.runtime.patterns import compile_pattern
from chunking.strategies.base import Segmentation
from chunking.tokens import SpanTokens, TokenCounter


@dataclass(frozen=True)
class RequestedSizes:
    """The sizes that parameters request; 0 where none is requested.

    Attributes:
        overlap, overlap_unit: amount to repeat; ``"sentences"``, ``"tokens"``, ``"characters"`` or ``"lines"``.
        minimum, minimum_unit: of a chunk's own text; tokens or characters.
        maximum, maximum_unit: of a chunk with its overlap; tokens or characters.
    """

    overlap: int
    overlap_unit: str
    minimum: int
    minimum_unit: str
    maximum: int
    maximum_unit: str


_OVERLAPS = ("overlap", "chunk_overlap")
_MINIMA = ("min_tokens", "min_chunk_size")
_MAXIMA = ("max_tokens", "max_chars", "chunk_size", "capacity", "size")
"""Names that a size may have, of ours and of other libraries; the first that is in use and not 0 is taken."""


def requested_sizes(params: Parameters) -> RequestedSizes:
    """Return the sizes that parameters request, whatever their names."""
    return RequestedSizes(*_amount(params, _OVERLAPS), *_amount(params, _MINIMA), *_amount(params, _MAXIMA))


def _amount(params: Parameters, names: Sequence[str]) -> tuple[int, str]:
    set_names = [name for name in names if name not in params.inactive and isinstance(getattr(params, name, None), int)]
    name = next((name for name in set_names if getattr(params, name)), set_names[0] if set_names else None)
    if name is None:
        return 0, "tokens"
    overlap_unit = getattr(params, "overlap_unit", None)
    own_unit = (overlap_unit if name in _OVERLAPS else None) or params.lookup(name).unit
    amount_unit = own_unit or getattr(params, "unit", None) or overlap_unit or "characters"
    return cast(int, getattr(params, name)), cast(str, amount_unit)


# --- actual sizes --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SizeSummary:
    """Summary statistics of chunk sizes; all 0 without chunks.

    Attributes:
        total: their sum.
        minimum, median, mean, p95, maximum: of one chunk; ``p95`` is the 95th percentile, interpolated.
    """

    total: int
    minimum: int
    median: float
    mean: float
    p95: float
    maximum: int


def sizes(values: Int64) -> SizeSummary:
    """Return the summary of sizes, ``(n,)`` int64."""
    if not len(values):
        return SizeSummary(0, 0, 0.0, 0.0, 0.0, 0)
    median, p95 = np.percentile(values, [50, 95]).tolist()
    return SizeSummary(int(values.sum()), int(values.min()), median, float(values.mean()), p95, int(values.max()))


@dataclass(frozen=True)
class TokenSizes:
    """Chunk sizes as counted by one tokenizer.

    Attributes:
        own: tokens of the chunks' own text.
        whole: indexed tokens: each chunk with its overlap, or as another program gave it. Its
            ``total`` is the cost of the index.
        document: tokens of the document.
    """

    own: SizeSummary
    whole: SizeSummary
    document: int

    @property
    def ratio(self) -> float:
        """Tokens of the index for each token of the document; 1 where both are empty."""
        return self.whole.total / self.document if self.document else 1.0


@dataclass(frozen=True, eq=False)
class OverlapOutcome:
    """The overlap reached at every boundary between two chunks, against the requested one.

    Attributes:
        requested, unit: see :class:`RequestedSizes`.
        chunks: ``(n_boundaries,)`` int64, index of the chunk after each boundary.
        reached: ``(n_boundaries,)`` int64, how much is repeated, in ``unit``; of sentences and lines the whole ones,
            where a part that the strategy itself cut off counts as one.
        characters: ``(n_boundaries,)`` int64, the same in characters.
        full: ``(n_boundaries,)`` bool: as much as requested, or as there is before the boundary; for tokens
            and characters also where the next word before would be too much.
    """

    requested: int
    unit: str
    chunks: Int64
    reached: Int64
    characters: Int64
    full: Bools

    @property
    def in_full(self) -> int:
        """Boundaries with the full requested overlap; 0 if none was requested."""
        return int(np.count_nonzero(self.full)) if self.requested else 0

    @property
    def in_part(self) -> int:
        """Boundaries with less than the requested overlap, but some."""
        return int(np.count_nonzero(~self.full & (self.characters > 0))) if self.requested else 0

    @property
    def not_at_all(self) -> int:
        """Boundaries without overlap although some was requested."""
        return int(np.count_nonzero(~self.full & (self.characters == 0))) if self.requested else 0


@dataclass(frozen=True, eq=False)
class SizeOutcome:
    """Requested and actual sizes of a segmentation.

    Attributes:
        strategy: its name.
        requested: the requested sizes.
        chunks: number of chunks.
        tokens: by tokenizer.
        characters: of the chunks' own text.
        overlap: at each boundary.
        over_maximum: chunks that exceed, with their overlap, the requested maximum; parents, which
            contain other chunks, are not counted.
        under_minimum: chunks whose own text is smaller than the requested minimum.
        lost: characters of the source in no chunk.
        lost_text: the same, without white space.
        duplicated: characters of the source in the own text of more than one chunk.
    """

    strategy: str
    requested: RequestedSizes
    chunks: int
    tokens: Mapping[str, TokenSizes]
    characters: SizeSummary
    overlap: OverlapOutcome
    over_maximum: int
    under_minimum: int
    lost: int
    lost_text: int
    duplicated: int


def outcomes(
    segmentations: Sequence[Segmentation], counters: Mapping[str, TokenCounter], gap_offsets: Int64 | None = None
) -> list[SizeOutcome]:
    """Return the requested and actual sizes of each segmentation of one document.

    The document is counted once for each tokenizer, however many segmentations there are.

    Args:
        segmentations: of the same document.
        counters: tokenizers by name; limits and overlaps in tokens are checked with the first.
        gap_offsets: ``(n_gaps,)`` where each gap cuts the text, which an overlap in sentences is counted by; else
            those of a segmentation's own signals.

    Raises:
        ChunkscopeError: there is no tokenizer; the documents differ; or an overlap in sentences was requested and
        nothing gives their places.
    """
    if not counters:
        raise ChunkscopeError("Sizes cannot be compared without a tokenizer.", "Give at least one.")
    if not segmentations:
        return []
    text = segmentations[0].document.text
    if any(segmentation.document.text != text for segmentation in segmentations):
        raise ChunkscopeError(
            "The segmentations belong to different documents.", "Compare segmentations of one document."
        )
    if gap_offsets is None:
        gap_offsets = next(
            (segmentation.signals.offsets for segmentation in segmentations if segmentation.signals is not None), None
        )
    spans = [_Spans(segmentation) for segmentation in segmentations]
    cuts = np.unique(np.concatenate([[0, len(text)], *(chunk_spans.offsets for chunk_spans in spans)]))
    tables = {name: SpanTokens(text, cuts, counter) for name, counter in counters.items()}
    return [_outcome(chunk_spans, tables, gap_offsets) for chunk_spans in spans]


class _Spans:
    """The places of a segmentation's chunks, as arrays.

    Attributes:
        start, end: ``(n_chunks,)`` int64, the chunks' own spans.
        indexed_start: ``(n_chunks,)`` int64, where each begins with its overlap.
        is_parent: ``(n_chunks,)`` bool, which hold other chunks.
        bounded: ``(n_boundaries,)`` int64, the chunks that have another before them, of the same parent.
        shared: ``(n_boundaries, 2)`` int64, what each of these repeats of the text before it.
        foreign_texts: the texts that another program made, by chunk, where they are not exactly the span.
        missing: stretches of chunks' own spans that such a text lacks.
    """

    def __init__(self, segmentation: Segmentation) -> None:
        self.segmentation = segmentation
        self.text = segmentation.document.text
        chunks = segmentation.chunks
        spans = [(chunk.start, chunk.end, chunk.indexed_start) for chunk in chunks]
        self.start, self.end, self.indexed_start = np.array(spans, dtype=np.int64).reshape(-1, 3).T
        parents = {chunk.parent for chunk in chunks}
        self.is_parent = np.array([index in parents for index in range(len(chunks))], dtype=np.bool_)
        self.foreign_texts = {index: chunk.foreign.text for index, chunk in enumerate(chunks) if chunk.foreign}
        # What a program left out may lie in the overlap, which the chunk's own span does not hold.
        self.missing = [
            (max(start, chunk.start), min(end, chunk.end))
            for chunk in chunks
            for start, end in (chunk.foreign.missing if chunk.foreign else ())
            if end > chunk.start
        ]
        shared = _shared_spans(chunks)
        self.bounded = np.array(list(shared), dtype=np.int64)
        self.shared = np.array(list(shared.values()), dtype=np.int64).reshape(-1, 2)

    @property
    def offsets(self) -> Int64:
        """All offsets between which tokens are counted."""
        return np.concatenate([self.start, self.end, self.indexed_start, self.shared.reshape(-1)])

    def indexed_lengths(self) -> Int64:
        """Return ``(n_chunks,)`` int64: indexed characters of each chunk."""
        lengths = self.end - self.indexed_start
        for index, text in self.foreign_texts.items():
            lengths[index] = len(text)
        return lengths


def _shared_spans(chunks: Sequence[Chunk]) -> dict[int, tuple[int, int]]:
    """Return the span that each chunk shares with the previous one: its overlap, else the intersection."""
    reached: dict[int | None, int] = {}
    spans = {}
    for index, chunk in enumerate(chunks):
        if chunk.parent in reached:
            common = (chunk.start, max(chunk.start, min(chunk.end, reached[chunk.parent])))
            spans[index] = (chunk.overlap.start, chunk.overlap.end) if chunk.overlap else common
        reached[chunk.parent] = max(reached.get(chunk.parent, 0), chunk.end)
    return spans


def _span_counts(table: SpanTokens, starts: Int64, ends: Int64) -> Int64:
    """Return ``(n,)`` int64: tokens of spans whose ends are cuts of the table."""
    return table.span_counts(np.searchsorted(table.cuts, starts), np.searchsorted(table.cuts, ends))


def _outcome(spans: _Spans, tables: Mapping[str, SpanTokens], gap_offsets: Int64 | None) -> SizeOutcome:
    segmentation = spans.segmentation
    requested = requested_sizes(segmentation.params)
    main = next(iter(tables.values()))
    own_counts = {name: _span_counts(table, spans.start, spans.end) for name, table in tables.items()}
    whole_counts = {name: _whole_counts(table, spans) for name, table in tables.items()}
    document = {name: int(table.span_counts([0], [len(table.cuts) - 1])[0]) for name, table in tables.items()}
    name = next(iter(tables))
    large = whole_counts[name] if requested.maximum_unit == "tokens" else spans.indexed_lengths()
    small = own_counts[name] if requested.minimum_unit == "tokens" else spans.end - spans.start
    lost_characters, lost_text, duplicated = _coverage(spans)
    return SizeOutcome(
        strategy=segmentation.strategy,
        requested=requested,
        chunks=len(segmentation.chunks),
        tokens={
            name: TokenSizes(sizes(own_counts[name]), sizes(whole_counts[name]), document[name]) for name in tables
        },
        characters=sizes(spans.end - spans.start),
        overlap=_overlap(spans, requested, main, gap_offsets),
        over_maximum=int(np.count_nonzero((large > requested.maximum) & ~spans.is_parent)) if requested.maximum else 0,
        under_minimum=int(np.count_nonzero(small < requested.minimum)) if requested.minimum else 0,
        lost=lost_characters,
        lost_text=lost_text,
        duplicated=duplicated,
    )


def _whole_counts(table: SpanTokens, spans: _Spans) -> Int64:
    """Return ``(n_chunks,)`` int64: indexed tokens of each chunk."""
    counts = _span_counts(table, spans.indexed_start, spans.end)
    if spans.foreign_texts:
        counts[list(spans.foreign_texts)] = table.counter.count(list(spans.foreign_texts.values()))
    return counts


@dataclass(frozen=True, eq=False)
class Coverage:
    """The coverage of a text by chunks.

    Attributes:
        lost: ``(k, 2)`` int64, spans in no chunk, without blank ones.
        duplicated: ``(k, 2)`` int64, spans in the own text of several chunks.
    """

    lost: Int64
    duplicated: Int64


def coverage(segmentation: Segmentation) -> Coverage:
    """Return the text that is in no chunk and in several chunks; overlap does not count."""
    holder_counts, text = _holder_counts(_Spans(segmentation)), segmentation.document.text
    lost_spans = [span for span in _stretches(holder_counts <= 0).tolist() if not text[slice(*span)].isspace()]
    return Coverage(np.array(lost_spans, dtype=np.int64).reshape(-1, 2), _stretches(holder_counts > 1))


def _holder_counts(spans: _Spans) -> Int64:
    """Return ``(n_characters,)`` int64: how many chunks hold each character in their own text."""
    length = len(spans.text) + 1
    steps = np.bincount(spans.start, minlength=length) - np.bincount(spans.end, minlength=length)
    for start, end in spans.missing:
        steps[start] -= 1
        steps[end] += 1
    holder_counts: Int64 = np.cumsum(steps[:-1])
    return holder_counts


def _stretches(where: Bools) -> Int64:
    """Return ``(k, 2)`` int64: the half-open runs of true."""
    return np.flatnonzero(np.diff(where, prepend=False, append=False)).reshape(-1, 2)


def _coverage(spans: _Spans) -> tuple[int, int, int]:
    """Return the characters in no chunk, those of them that are not white space, and characters in several chunks."""
    holder_counts = _holder_counts(spans)
    stretches = [spans.text[start:end] for start, end in _stretches(holder_counts <= 0).tolist()]
    lost_text = sum(len(part) for stretch in stretches for part in stretch.split())
    return sum(map(len, stretches)), lost_text, int(np.count_nonzero(holder_counts > 1))


# --- the overlap at each boundary ----------------------------------------------------------------------------------


def _overlap(spans: _Spans, requested: RequestedSizes, table: SpanTokens, gap_offsets: Int64 | None) -> OverlapOutcome:
    start, end = spans.shared[:, 0], spans.shared[:, 1]
    characters = end - start
    amount, unit = requested.overlap, requested.overlap_unit
    if not amount or unit == "characters":
        reached = characters
    elif unit == "tokens":
        reached = _span_counts(table, start, end)
    else:
        begins = _begins(spans, unit, gap_offsets)
        reached = np.searchsorted(begins, end) - np.searchsorted(begins, start)
    full = (reached >= amount) | ((start == 0) & (characters > 0))
    if unit in ("tokens", "characters"):
        short = np.flatnonzero(~full & (characters > 0))
        full[short] = _no_word_fits(
            spans.text, spans.shared[short], amount, table.counter if unit == "tokens" else None
        )
    return OverlapOutcome(amount, unit if amount else "characters", spans.bounded, reached, characters, full)


def _begins(spans: _Spans, unit: str, gap_offsets: Int64 | None) -> Int64:
    """Return the starts of sentences or lines, and of chunks: a part that was cut off counts as one."""
    if unit == "lines":
        return np.union1d(spans.segmentation.document.line_starts, spans.start)
    if gap_offsets is None:
        raise ChunkscopeError(
            "An overlap in sentences cannot be measured without sentences.", "Give the offsets of the gaps."
        )
    return np.union1d(gap_offsets, np.append(spans.start, 0))


_REACH = 64
"""Characters of a word for each token that it may have; a longer one does not fit."""


def _no_word_fits(text: str, shared: Int64, amount: int, counter: TokenCounter | None) -> Bools:
    """Return whether the word before each span would make it longer than requested: ``(n,)`` bool."""
    reach = amount * (_REACH if counter else 1) + 1
    longer = []
    for start, end in shared.tolist():
        before = text[max(0, start - reach) : start]
        blank = len(before) - len(before.rstrip())
        word = before.split()[-1:]
        longer.append(text[start - blank - sum(map(len, word)) : end])
    lengths = counter.count(longer) if counter else np.array([len(stretch) for stretch in longer], dtype=np.int64)
    return lengths > amount


_WORD = compile_pattern(r"\S+")
_FIRST_WORDS = 8
_LONGEST = 60


def first_words(text: str, start: int, end: int) -> str:
    """Return the first words of a span, at most eight and 60 characters, with ``…`` where more follow."""
    matches = islice(_WORD.finditer(text, start, end), _FIRST_WORDS + 1)
    words = [text[match.start() : min(match.end(), match.start() + _LONGEST + 1)] for match in matches]
    first = " ".join(words[:_FIRST_WORDS])
    has_more = len(words) > _FIRST_WORDS or len(first) > _LONGEST
    return first[:_LONGEST].rstrip() + "…" if has_more else first
