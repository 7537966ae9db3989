"""Strategies by size: the whole document, tokens, sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from chunking.chunks import Cut, Limited, SizeParameters, build, hand_cut, limits, overlaps, reach_minima
from chunking.chunks.constraints import Constraints
from chunking.chunks.cut_points import CutPoints
from chunking.document.graphemes import between_clusters, without_inner
from chunking.params import parameter
from chunking.runtime.arrays import Int64
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.cutting import constraints_for, segment
from chunking.tokens import TextCounter, furthest_within, is_within, last_fitting
from chunking.workspace import DocumentAnalysis

# Parameters --------------------------------------------------------------------------------------------------------

_MAXIMUM_HELP = "Maximum tokens of a chunk, including its overlap; only a single character may exceed it."
_OVERLAP_HELP = "Amount of text before a chunk that is repeated with it."
_IN = ("tokens", "sentences")


@dataclass(frozen=True, kw_only=True)
class WholeParameters(SizeParameters):
    """Parameters of ``whole``: the size limits and the overlap."""


@dataclass(frozen=True, kw_only=True)
class FixedSizeParameters(SizeParameters):
    """Parameters of ``fixed_size``."""

    max_tokens: int = parameter(512, "Size", _MAXIMUM_HELP, minimum=1, maximum=32000, step=16, unit="tokens")
    overlap: int = parameter(50, "Overlap", _OVERLAP_HELP, minimum=0, maximum=1000, step=1)
    overlap_unit: str = parameter("tokens", "Overlap unit", "Unit of the overlap.", choices=_IN)
    sentence_share: float = parameter(
        0.2,
        "Sentence end within the last",
        "Share of the size, at its end, in which a cut moves back to a sentence end; 0 to ignore sentences.",
        minimum=0.0,
        maximum=0.5,
        step=0.05,
    )


@dataclass(frozen=True, kw_only=True)
class SentenceParameters(SizeParameters):
    """Parameters of ``sentence``."""

    max_tokens: int = parameter(1024, "Size", _MAXIMUM_HELP, minimum=1, maximum=32000, step=16, unit="tokens")
    overlap: int = parameter(20, "Overlap", _OVERLAP_HELP, minimum=0, maximum=1000, step=1)
    overlap_unit: str = parameter("tokens", "Overlap unit", "Unit of the overlap.", choices=_IN)


# Filling chunks with tokens ----------------------------------------------------------------------------------------


class _Ends(NamedTuple):
    """The places where chunks may end, ascending; the last one is the end of the text.

    Attributes:
        offsets: ``(n,)`` int64.
        cuts: ``(n,)`` int64, their indices in the table of words.
    """

    offsets: Int64
    cuts: Int64

    def after(self, offset: int) -> int:
        """Return the first end after an offset."""
        return int(self.offsets[np.searchsorted(self.offsets, offset, side="right")])


@dataclass(frozen=True, eq=False)
class _Filler:
    """The ends of chunks that are filled with tokens one after the other."""

    cut_points: CutPoints
    sizes: SizeParameters
    constraints: Constraints

    @property
    def text(self) -> str:
        return self.cut_points.document.text

    @cached_property
    def words(self) -> _Ends:
        """Ends between words, and between sentences if they are known."""
        return self._ends(self.cut_points.words.cuts[1:])

    @cached_property
    def sentences(self) -> _Ends:
        """Ends between sentences."""
        return self._ends(np.append(self.cut_points.offsets[self.cut_points.gaps >= 0], len(self.text)))

    def _ends(self, offsets: Int64) -> _Ends:
        return _Ends(offsets, np.searchsorted(self.cut_points.words.cuts, offsets))

    def count(self, start: int, end: int) -> int:
        """Return the token count of a span."""
        return self.cut_points.counts([start], [end], self.cut_points.words)[0]

    def is_within(self, start: int, end: int, maximum: int) -> bool:
        """Return whether a span has at most ``maximum`` tokens."""
        table = self.cut_points.words
        first, last = np.searchsorted(table.cuts, (start, end)).tolist()
        if last < len(table.cuts) and table.cuts[first] == start and table.cuts[last] == end:
            return table.is_within(first, last, maximum)
        return is_within(self.text, start, end, self.cut_points.counter, maximum, self._spans.count)

    @cached_property
    def _spans(self) -> TextCounter:
        """Token counts of spans that begin or end inside a word."""
        return TextCounter(self.text, self.cut_points.counter)

    def furthest(self, ends: _Ends, lead: int, start: int) -> int:
        """Return the furthest end after ``start`` up to which the text from ``lead`` keeps the maximum; else
        ``start``.
        """
        table, maximum = self.cut_points.words, self.sizes.max_tokens
        cut = int(np.searchsorted(table.cuts, lead))
        first = int(np.searchsorted(ends.offsets, start, side="right"))
        begin = int(ends.cuts[first])
        if table.cuts[cut] == lead:
            counts = table.counts_within(cut, begin, len(table.cuts), maximum)
            stops = ends.cuts[first : np.searchsorted(ends.cuts, begin + len(counts))]
            fitting = np.flatnonzero(counts[stops - begin] <= maximum)
            return int(ends.offsets[first + fitting[-1]]) if len(fitting) else start
        # Inside a word there is no table to look counts up in.
        last = max(int(np.searchsorted(ends.cuts, table.reach(cut, cut, len(table.cuts), maximum))), first)
        index = last_fitting(
            first - 1, last - 1, first, lambda index: self.is_within(lead, int(ends.offsets[index]), maximum)
        )
        return int(ends.offsets[index]) if index >= first else start

    def inside(self, lead: int, start: int, stop: int) -> int:
        """Return the furthest character before ``stop`` up to which the text from ``lead`` keeps the maximum.

        The result is at least one after ``start``, since no span is smaller than a character.
        """
        counter, maximum = self.cut_points.counter, self.sizes.max_tokens
        end = furthest_within(self.text, lead, stop - 1, counter, maximum, self._spans.count)
        return between_clusters(self.cut_points.document.inside_clusters, start, max(end, start + 1))

    def unparted(self, start: int, end: int) -> int:
        """Return the last end of a chunk, up to the one given, that parts nothing which is kept together: neither a cue
        from its times nor, if asked for, anything else; the one given if that leaves nothing.
        """
        if (before_mark := self.cut_points.document.timeline.before_mark(end)) > start:
            end = before_mark
        held, ends = self.sizes.held(self.constraints), self._whole_ends.offsets
        free = end
        while free > start and (stretch := held.stretch_of(free)):
            index = int(np.searchsorted(ends, stretch.start, side="right")) - 1
            free = int(ends[index]) if index >= 0 else start
        return free if free > start else end

    def forced_within(self, start: int, end: int) -> int | None:
        """Return the first place after ``start`` and up to ``end`` that is cut by hand; ``None`` without one."""
        forced = self.constraints.forced
        index = int(np.searchsorted(forced, start, side="right"))
        return int(forced[index]) if index < len(forced) and forced[index] <= end else None

    @cached_property
    def _whole_ends(self) -> _Ends:
        return self.sentences if len(self.sentences.offsets) > 1 else self.words

    def lead(self, start: int, cuts: Sequence[int]) -> int:
        """Return the start of a chunk's overlap: whole words or sentences just before ``start``."""
        overlap, words = self.sizes.overlap, self.cut_points.word_starts
        if not start or not overlap:
            return start
        if self.sizes.overlap_unit == "sentences":
            return self._of_sentences(start, cuts)
        stop = int(np.searchsorted(words, start))
        # A word has at least one token; in endless words, the limit of looking back keeps the work in bounds.
        near = words[max(stop - overlap, int(np.searchsorted(words, start - overlaps.REACH * overlap))) : stop]
        counts = np.array(self.cut_points.counts(near, np.full(len(near), start), self.cut_points.words))
        fitting = near[counts <= overlap]
        if len(fitting):
            return int(fitting[0])
        return self._lead_inside(int(words[stop - 1]), start) if stop else start

    def _lead_inside(self, word: int, start: int) -> int:
        """Return the start of the longest suffix of a word that fits the overlap, where the word alone is longer."""
        overlap = self.sizes.overlap
        fits = last_fitting(
            0, start - word - 1, 4 * overlap, lambda back: self.is_within(start - back, start, overlap), 4 * overlap
        )
        inside = self.cut_points.document.inside_clusters
        return between_clusters(inside, start - fits - 1, start - fits) if fits else start

    def _of_sentences(self, start: int, cuts: Sequence[int]) -> int:
        """Return the start of the last sentences before a chunk, or pieces of a split one, up to half the maximum."""
        # A sentence has at least one token, so at most ``room`` of them need to be considered.
        most = max(1, min(self.sizes.overlap, self.sizes.max_tokens // 2))
        first_sentence = int(np.searchsorted(self.sentences.offsets, start))
        near = self.sentences.offsets[max(0, first_sentence - most) : first_sentence]
        begins = np.union1d(near if first_sentence > most else np.append(near, 0), cuts[-most:])
        begins = begins[(begins < start) & (begins >= start - overlaps.REACH * self.sizes.max_tokens)][-most:]
        counts = self.cut_points.counts(begins, np.full(len(begins), start), self.cut_points.words)
        fitting = (
            begin for begin, tokens in zip(begins.tolist(), counts, strict=True) if 2 * tokens <= self.sizes.max_tokens
        )
        return next(fitting, start)


Inside = Callable[[int, str], Cut]
"""``inside(offset, detail)``: returns the cut at an offset that is not a gap."""

Step = Callable[[_Filler, int, int], int]
"""``step(filler, lead, start)``: returns the end of the chunk that starts at ``start`` with its overlap at ``lead``."""


def _fill(
    name: str, cut_points: CutPoints, params: SizeParameters, constraints: Constraints, step: Step, inside: Inside
) -> Segmentation:
    """Fill the chunks of a document one after the other.

    No chunk with its overlap exceeds the maximum; the minimum may still remove a cut, where an overlap was shorter
    than allowed or the last chunk is small.

    Args:
        name, params: of the strategy.
        cut_points: the places where the document may be cut, and its words.
        constraints: what is kept together, if the parameters ask for it.
        step: returns the end of a chunk.
        inside: returns the cut where there is no gap.
    """
    filler = _Filler(cut_points, params, constraints)
    length = len(filler.text)
    leads, ends, start = list[int](), list[int](), 0
    by_hand = set[int]()
    while start < length:
        lead = filler.lead(start, ends)
        end = step(filler, lead, start)
        forced = filler.forced_within(start, end)
        if forced is not None:
            by_hand |= {forced} - {end}
            end = forced
        elif end < length:
            end = filler.unparted(start, end)
        if ends and filler.text[start:end].isspace() and start not in by_hand:
            previous = ends[-2] if len(ends) > 1 else 0
            moved = limits.before_white_space(filler.text, cut_points.document.inside_clusters, previous, start)
            # A word without its last letter may have more tokens.
            spans = ((leads[-1], moved), (moved, end))
            if moved < start and all(filler.is_within(*span, params.max_tokens) for span in spans):
                ends[-1] = moved
                lead = lead if lead < moved and filler.is_within(lead, end, params.max_tokens) else moved
        leads.append(lead)
        ends.append(start := end)
    cuts = [
        hand_cut(cut.offset, cut.gap) if cut.offset in by_hand else cut
        for cut in _with_reasons(filler, leads, ends, inside)
    ]
    overlap_starts = _inside_words(cut_points, leads[1:], ends) if params.overlap_unit == "tokens" else None
    cut_points_with_ends = cut_points.with_places(ends[:-1])
    limited_cuts = _without_small(cut_points_with_ends, cuts, params, constraints)
    chunks = build(limited_cuts, params, overlap_starts=overlap_starts)
    return Segmentation(cut_points.document, name, params, chunks, limited_cuts.suppressed)


def _without_small(
    cut_points: CutPoints, cuts: Sequence[Cut], params: SizeParameters, constraints: Constraints
) -> Limited:
    """Merge chunks below the minima with a neighbour."""
    if not (params.min_tokens or params.soft_min_tokens):
        return Limited(cut_points, list(cuts))
    by_index = dict(zip(cut_points.cut_indices([cut.offset for cut in cuts]).tolist(), cuts, strict=True))
    alike = np.zeros(len(cut_points.offsets))
    left = set(reach_minima(cut_points, list(by_index), alike, params, constraints))
    removed = tuple(cut for index, cut in by_index.items() if index not in left)
    return Limited(cut_points, [cut for index, cut in by_index.items() if index in left], removed)


def _inside_words(cut_points: CutPoints, leads: Sequence[int], starts: Sequence[int]) -> dict[int, int]:
    """Return the starts of overlaps that begin inside a word, by their ends; others are computed as for any
    strategy.
    """
    words = cut_points.word_starts
    is_word_start = np.append(words, -1)[np.searchsorted(words, leads)] == leads if leads else []
    overlap_starts = zip(starts, leads, is_word_start, strict=False)
    return {start: lead for start, lead, is_word in overlap_starts if lead < start and not is_word}


def _with_reasons(filler: _Filler, leads: Sequence[int], ends: Sequence[int], inside: Inside) -> Iterator[Cut]:
    cut_points, maximum = filler.cut_points, filler.sizes.max_tokens
    gap_of: Mapping[int, int] = dict(zip(cut_points.offsets.tolist(), cut_points.gaps.tolist(), strict=True))
    for offset, tokens in zip(ends[:-1], cut_points.counts(leads, ends, cut_points.words), strict=False):
        detail = f"{tokens:,} of {maximum:,} tokens"
        gap = gap_of.get(offset, -1)
        yield Cut(offset, "sentence", gap=gap, detail=detail) if gap >= 0 else inside(offset, detail)


def _run_fixed_size(workspace: DocumentAnalysis, params: FixedSizeParameters) -> Segmentation:
    seek = params.sentence_share > 0
    needs_sentences = seek or (params.overlap and params.overlap_unit == "sentences") or workspace.edits
    least = (1 - params.sentence_share) * params.max_tokens

    def step(filler: _Filler, lead: int, start: int) -> int:
        end = _fill_with_words(filler, lead, start)
        if seek and end < len(filler.text):
            gaps = filler.sentences.offsets
            gap = int(gaps[np.searchsorted(gaps, end, side="right") - 1])
            if start < gap < end and filler.count(lead, gap) >= least:
                return gap
        return end

    def inside(offset: int, detail: str) -> Cut:
        text = workspace.document.text
        within = not (text[offset - 1].isspace() or text[offset].isspace())
        return Cut(offset, "size", detail=f"{detail}; inside a word" if within else detail)

    return _fill(
        "fixed_size",
        workspace.cut_points if needs_sentences else workspace.cut_points_only,
        params,
        constraints_for(workspace, params),
        step,
        inside,
    )


def _fill_with_words(filler: _Filler, lead: int, start: int) -> int:
    """Return the end of a chunk filled with words, and with a part of the next word if that alone exceeds the
    size.
    """
    maximum = filler.sizes.max_tokens
    end = filler.furthest(filler.words, lead, start)
    if end == len(filler.text):
        return end
    stop = filler.words.after(end)
    # A token has at least one byte, and a character at most four.
    if 4 * (stop - end) > maximum and not filler.is_within(end, stop, maximum):
        return filler.inside(lead, start, stop)
    return end if end > start else filler.furthest(filler.words, start, start)


def _run_sentence(workspace: DocumentAnalysis, params: SentenceParameters) -> Segmentation:
    def step(filler: _Filler, lead: int, start: int) -> int:
        end = filler.furthest(filler.sentences, lead, start)
        if end > start:
            return end
        stop = filler.sentences.after(start)
        if filler.is_within(start, stop, params.max_tokens):
            return stop  # the sentence fits without its overlap, which is shortened
        return _clause_end(filler, lead, start, _fill_with_words(filler, lead, start))

    def inside(offset: int, detail: str) -> Cut:
        return Cut(offset, "oversized_sentence", "limit", detail=detail)

    return _fill("sentence", workspace.cut_points, params, constraints_for(workspace, params), step, inside)


def _clause_end(filler: _Filler, lead: int, start: int, end: int) -> int:
    """Return the last clause mark in the later half of a part of a sentence, so that parts do not get tiny; else its
    end.
    """
    matches = limits.CLAUSE.finditer(filler.text, start + (end - start) // 2, end)
    clause_ends = np.array([match.end() for match in matches], dtype=np.int64)
    clause_ends = without_inner(clause_ends, filler.cut_points.document.inside_clusters)
    last = int(clause_ends[-1]) if len(clause_ends) else end
    return last if start < last and filler.is_within(lead, last, filler.sizes.max_tokens) else end


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="whole",
        title="Whole document",
        family="size",
        summary="Keeps the document as one chunk, as a baseline.",
        origin="Baseline",
        params=WholeParameters,
        cut=lambda workspace, params: segment(workspace, "whole", params, []),
    ),
    Strategy(
        name="fixed_size",
        title="Fixed size",
        family="size",
        summary="Fills chunks with tokens up to a size, preferably to the end of a sentence.",
        origin="Sliding windows of tokens, as in most pipelines",
        params=FixedSizeParameters,
        cut=_run_fixed_size,
    ),
    Strategy(
        name="sentence",
        title="Sentences",
        family="size",
        summary="Fills chunks with whole sentences up to a size in tokens.",
        origin="Sentence splitters such as LlamaIndex SentenceSplitter",
        params=SentenceParameters,
        cut=_run_sentence,
    ),
)
