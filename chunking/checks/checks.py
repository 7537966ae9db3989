"""What is doubtful in a set of chunks, without a question being asked.

Six things that make an answer hard to find or to understand, each a finding with the chunk's span and the reason:

- ``duplicate``: its words are those of another chunk, so that one answer fills two places of a ranking.
- ``orphan``: it needs what stands before it and is not in it: it opens with words that go on or point back, with
  text whose heading is elsewhere, with a list, table or code whose beginning or announcement is.
- ``fragment``: it is small, nothing but headings, or begins or ends inside a sentence.
- ``mixed``: inside it two runs of sentences are further apart than most neighbours that were cut.
- ``cut``: it begins inside a list, a table or a block of code, where an answer may lie on both sides.
- ``unread``: it is longer than the encoder reads, so a search by meaning knows nothing of its end.

What is repeated before a chunk as overlap is there for whoever reads it, so an orphan or a fragment is looked for with
its overlap. A finding is a reason to look, not a fault: a table that is longer than any chunk may be must be cut.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from math import ceil

import numpy as np

from chunking import embedding
from chunking.checks.findings import KINDS, UNAVOIDABLE, Cause, CheckReport, CheckThresholds, Finding, Kind
from chunking.chunks import Chunk, embedded_context, first_word
from chunking.comparison.chunk_sizes import requested_sizes
from chunking.document import BLOCK_KINDS, Block, Span
from chunking.embedding.encoders import Encoder
from chunking.retrieval.search.bm25 import words
from chunking.runtime.arrays import Float64, Int64
from chunking.runtime.patterns import compile_pattern
from chunking.signals import wording
from chunking.strategies import Segmentation
from chunking.strategies.sections.paragraphs import KIND_NAMES, Part, parts
from chunking.workspace import DocumentAnalysis


def check(
    segmentation: Segmentation,
    workspace: DocumentAnalysis,
    thresholds: CheckThresholds | None = None,
    kinds: Collection[Kind] = KINDS,
) -> CheckReport:
    """Look for findings.

    Args:
        segmentation: the chunks, of the workspace's document; they need not tile it.
        workspace: the document's sentences, features and vectors.
        thresholds: from where on something is found.
        kinds: what to look for; only ``mixed`` and ``unread`` need the encoder.

    Raises:
        ChunkscopeError: the encoder cannot be used.
    """
    look = _SegmentationCheck(segmentation, workspace, thresholds or CheckThresholds())
    searches = dict(zip(KINDS, look.searches(), strict=True))
    findings = [finding for kind in KINDS if kind in kinds for finding in searches[kind]()]
    order = {kind: index for index, kind in enumerate(KINDS)}
    findings.sort(key=lambda finding: (finding.chunk, order[finding.kind], finding.at or 0))
    unseen: list[tuple[Kind, str]] = []
    if "mixed" in kinds and look.limit is None:
        unseen.append(("mixed", f"fewer than {look.thresholds.cuts} cuts between sentences to compare with"))
    return CheckReport(tuple(findings), len(segmentation.chunks), look.thresholds, tuple(unseen))


def unread(segmentation: Segmentation, encoder: Encoder) -> dict[int, int]:
    """Return the chunks that an encoder does not read to their end: its own tokens of each, by its index.

    They are counted with their overlap and with what is embedded before them, the heading path and the header of a
    table.
    """
    nonblank = [chunk for chunk in segmentation.chunks if chunk.text.strip()]
    document = segmentation.document
    texts = [embedded_context(document, chunk) + document.text[chunk.indexed_start : chunk.end] for chunk in nonblank]
    long = np.flatnonzero(embedding.truncated(texts, encoder)).tolist()
    counts = encoder.token_counts([texts[index] for index in long]).tolist() if long else []
    return {nonblank[index].index: count for index, count in zip(long, counts, strict=True)}


_ANNOUNCED_BY = {"heading": "its heading", "caption": "its caption"}
_TEXTS = ("paragraph", "quote", "speaker_turn")
"""Blocks of sentences that may open with a word that goes on."""

_LINE_END = compile_pattern(r"\r\n?|\n")

_FORWARD = ("the following",)
"""What points to what comes after it."""

_WHOLE = ("table", "code")
"""Blocks that have rows or lines."""


class _SegmentationCheck:
    """One segmentation, looked at."""

    def __init__(self, segmentation: Segmentation, workspace: DocumentAnalysis, thresholds: CheckThresholds) -> None:
        self.segmentation = segmentation
        self.document = segmentation.document
        self.text = self.document.text
        self.chunks = segmentation.chunks
        self.nonblank = [chunk for chunk in self.chunks if chunk.text.strip()]
        self.workspace, self.thresholds = workspace, thresholds
        self.blocks = self.document.blocks
        self.block_starts = np.array([block.start for block in self.blocks], dtype=np.int64)

    @cached_property
    def spans(self) -> Int64:
        """``(n_sentences, 2)``."""
        return self.workspace.sentences.spans

    @cached_property
    def line_ends(self) -> Int64:
        """Where lines end."""
        return np.array([end.start() for end in _LINE_END.finditer(self.text)], dtype=np.int64)

    @cached_property
    def parts(self) -> dict[int, tuple[Part, Part | None]]:
        """Each part and the one before it, by the start of its block."""
        document_parts = parts(self.document)
        return {
            part.block.start: (part, before)
            for before, part in zip([None, *document_parts], document_parts, strict=False)
        }

    def searches(self) -> tuple[Callable[[], Iterator[Finding]], ...]:
        """Return what looks for each of :data:`KINDS`."""
        return (self.duplicates, self.orphans, self.fragments, self.mixed, self.cuts, self.unread)

    def _finding(self, kind: Kind, chunk: Chunk, *causes: Cause, other: int | None = None) -> Finding:
        reason = "; ".join(cause.reason for cause in causes)
        return Finding(kind, chunk.index, chunk.start, chunk.end, reason, other, causes[0].at, causes)

    @cached_property
    def maximum(self) -> tuple[int, str]:
        """The maximum that was asked for, and its unit; 0 without one."""
        requested = requested_sizes(self.segmentation.params)
        return requested.maximum, requested.maximum_unit

    def _cut_inside(self, rule: str, at: int, reason: str, whole: str, start: int, end: int) -> Cause:
        """Return the cause of a cut inside a part of the text: another one where that part alone is too large."""
        maximum, unit = self.maximum
        size = end - start
        if maximum and unit == "tokens":
            size = int(self.workspace.cut_points_only.counter.count([self.text[start:end]])[0])
        if not maximum or unit not in ("tokens", "characters") or size <= maximum:
            return Cause(rule, at, reason)
        return Cause(UNAVOIDABLE, at, f"{reason}; {whole} alone has {size:,} {unit}, the maximum is {maximum:,}")

    def _block_at(self, offset: int) -> Block | None:
        """Return the block that holds a character."""
        block_index = int(np.searchsorted(self.block_starts, offset, side="right")) - 1
        return self.blocks[block_index] if block_index >= 0 and offset < self.blocks[block_index].end else None

    # --- duplicates ------------------------------------------------------------------------------------------------

    def duplicates(self) -> Iterator[Finding]:
        """Yield each chunk with the earlier one most like it; chunks that share a stretch of the text are not compared.

        Pairs are found exactly: of a set of runs, two that are alike enough share one of the rarest (prefix filtering,
        Bayardo, Ma and Srikant 2007).
        """
        runs = [_runs(chunk.text, self.thresholds.run) for chunk in self.nonblank]
        frequent = Counter(run for chunk_runs in runs for run in chunk_runs)
        first: dict[frozenset[tuple[str, ...]], int] = {}
        holding: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for index, (chunk, own_runs) in enumerate(zip(self.nonblank, runs, strict=True)):
            if not own_runs:
                continue
            same = first.get(own_runs)
            if same is not None and not _is_overlapping(chunk, self.nonblank[same]):
                cause = Cause("duplicate", chunk.start, "the same words")
                yield self._finding("duplicate", chunk, cause, other=self.nonblank[same].index)
                continue
            first.setdefault(own_runs, index)
            rarest = sorted(own_runs, key=lambda run: (frequent[run], run))
            prefix = rarest[: len(own_runs) - ceil(self.thresholds.duplicate * len(own_runs)) + 1]
            best, most = None, 0.0
            for other in sorted({other for run in prefix for other in holding[run]}):
                alike = len(own_runs & runs[other]) / len(own_runs | runs[other])
                if (
                    alike >= self.thresholds.duplicate
                    and alike > most
                    and not _is_overlapping(chunk, self.nonblank[other])
                ):
                    best, most = self.nonblank[other].index, alike
            for run in prefix:
                holding[run].append(index)
            if best is not None:
                reason = f"{100 * most:.0f} % of the runs of {self.thresholds.run} words are shared"
                yield self._finding("duplicate", chunk, Cause("duplicate", chunk.start, reason), other=best)

    # --- orphans ---------------------------------------------------------------------------------------------------

    def orphans(self) -> Iterator[Finding]:
        """Yield the chunks that need what stands before them."""
        for chunk in self.nonblank:
            at = first_word(self.document, chunk.start, chunk.end)
            if (words := self.document.timeline.words_at(at)) < chunk.end:
                at = first_word(self.document, words, chunk.end)
            reach = chunk.indexed_start
            cause = self._without_beginning(at, reach)
            reason = self._goes_on(at) if cause is None and reach == chunk.start else None
            if cause or reason:
                yield self._finding("orphan", chunk, cause or Cause("missing-context", at, reason or ""))

    def _without_beginning(self, at: int, reach: int) -> Cause | None:
        block = self._block_at(at)
        if block is None:
            return None
        if block.kind in _WHOLE and block.start < reach:
            reason = "rows of a table without its head" if block.kind == "table" else "code without its beginning"
            return Cause("missing-context", at, reason)
        part, before = self.parts.get(block.start, (None, None))
        if part is None or before is None or at > block.content or before.block.start >= reach:
            return None
        if part.bound:
            name = KIND_NAMES.get(block.kind, "text")
            reason = f"{name} without {_ANNOUNCED_BY.get(before.block.kind, 'the line that announces it')}"
            return Cause("split-heading" if before.block.kind == "heading" else "missing-context", at, reason)
        if block.kind == before.block.kind == "list_item":
            return Cause("missing-context", at, "items of a list without its beginning")
        return None

    def _goes_on(self, at: int) -> str | None:
        sentence = int(np.searchsorted(self.spans[:, 0], at))
        if not 0 < sentence < len(self.spans) or self.spans[sentence, 0] != at:
            return None
        if BLOCK_KINDS[self.workspace.sentences.kinds[sentence]] not in _TEXTS:
            return None
        value = self._connective[sentence - 1]
        if not value:
            return None
        opening = " ".join(self.text[at : int(self.spans[sentence, 1])].split()[:2])
        if opening.casefold() in _FORWARD:
            return None
        verb = "continue" if value == 1 else "refer to"
        return f"opens with words that {verb} the text before: {opening!r:.40}"

    @cached_property
    def _connective(self) -> Float64:
        """``(n_gaps,)``: 1 where the right side opens with a word that goes on, a half where with one that points."""
        return wording.connectives(self.workspace.sentences)

    # --- fragments -------------------------------------------------------------------------------------------------

    def fragments(self) -> Iterator[Finding]:
        """Yield the chunks that are less than a thought."""
        for chunk in self.nonblank:
            reach = chunk.indexed_start
            causes = []
            if chunk.indexed_tokens < self.thresholds.small and len(self.nonblank) > 1:
                alone = "nothing but headings, " if self._is_headings(chunk) else ""
                causes.append(Cause("small-chunk", chunk.start, f"{alone}{chunk.indexed_tokens} tokens"))
            around = {verb: (at, self._sentence_around(at)) for verb, at in (("begins", reach), ("ends", chunk.end))}
            inside = {verb: (at, sentence) for verb, (at, sentence) in around.items() if sentence}
            if inside:
                reason = f"{' and '.join(inside)} inside a sentence"
                at = max(chunk.start, next(iter(inside.values()))[0])
                smaller = min((sentence for _, sentence in inside.values()), key=lambda span: span.end - span.start)
                causes.append(self._cut_inside("cut-sentence", at, reason, "the sentence", *smaller))
            if causes:
                yield self._finding("fragment", chunk, *causes)

    def _is_headings(self, chunk: Chunk) -> bool:
        low, high = np.searchsorted(self.block_starts, [chunk.start, chunk.end]).tolist()
        return low < high and all(block.kind == "heading" for block in self.blocks[low:high])

    def _sentence_around(self, offset: int) -> Span | None:
        """Return the sentence that an offset is inside of, unless it is of a table or code: that is a cut in it."""
        sentence = int(np.searchsorted(self.spans[:, 0], offset)) - 1
        if sentence < 0 or offset >= self.spans[sentence, 1]:
            return None
        if BLOCK_KINDS[self.workspace.sentences.kinds[sentence]] in _WHOLE:
            return None
        start, end = self.spans[sentence].tolist()
        return Span(start, end)

    # --- topics ----------------------------------------------------------------------------------------------------

    @cached_property
    def curve(self) -> Float64:
        """``(n_gaps,)``: how far the sentences on the two sides of each gap are apart."""
        return self.workspace.semantic(0, self.thresholds.block)

    @cached_property
    def limit(self) -> float | None:
        """What a place inside a chunk must exceed; ``None`` where there are too few cuts between sentences."""
        starts = np.unique(np.array([chunk.start for chunk in self.nonblank], dtype=np.int64))
        following = np.searchsorted(self.spans[:, 0], starts)
        starts, following = starts[following > 0], following[following > 0]
        gaps = np.unique(following[self.spans[following - 1, 1] <= starts] - 1)
        gaps = gaps[gaps < len(self.spans) - 1]
        if len(gaps) < self.thresholds.cuts:
            return None
        return float(np.quantile(self.curve[gaps], self.thresholds.mixed))

    def mixed(self) -> Iterator[Finding]:
        """Yield the chunks with a place inside that parts more than most cuts do: scatter inside against scatter
        between.
        """
        if self.limit is None:
            return
        block = self.thresholds.block
        for chunk in self.nonblank:
            first, last = np.searchsorted(self.spans[:, 0], [chunk.start, chunk.end]).tolist()
            # Gap g is between the sentences g and g + 1; both sides lie in the chunk.
            gaps = np.arange(first + block - 1, last - block)
            if not len(gaps):
                continue
            gap = int(gaps[np.argmax(self.curve[gaps])])
            if self.curve[gap] > self.limit:
                reason = (
                    f"{block} sentences on each side of one place are {self.curve[gap]:.2f} apart; "
                    f"{100 * self.thresholds.mixed:.0f} % of the cuts part less than {self.limit:.2f}"
                )
                yield self._finding("mixed", chunk, Cause("mixed-topics", int(self.workspace.offsets[gap]), reason))

    # --- cuts in lists, tables and code ------------------------------------------------------------------------------

    def cuts(self) -> Iterator[Finding]:
        """Yield the chunks that begin inside what belongs together."""
        lists = self._lists()
        for chunk in self.nonblank:
            if not chunk.start:
                continue
            cause = self._cut_in_block(chunk.start) or self._cut_in_list(chunk, lists)
            if cause:
                yield self._finding("cut", chunk, cause)

    def _cut_in_block(self, offset: int) -> Cause | None:
        block = self._block_at(offset)
        if block is None or block.kind not in _WHOLE or offset <= block.start:
            return None
        first, line, last = np.searchsorted(self.line_ends, [block.start, offset, block.end]).tolist()
        before, lines = line - first, last - first + 1
        unit, name = ("row", "a table") if block.kind == "table" else ("line", "a block of code")
        reason, whole = f"after {unit} {max(before, 1)} of {name} of {lines}", name.replace("a ", "the ", 1)
        return self._cut_inside(f"cut-{block.kind}", offset, reason, whole, block.start, block.end)

    def _lists(self) -> dict[int, tuple[int, int]]:
        """For each item that follows another: how many stand before it in its list, and how many the list has."""
        positions: dict[int, tuple[int, int]] = {}
        run: list[Block] = []
        for block in (*self.blocks, None):
            if block is not None and block.kind == "list_item":
                run.append(block)
                continue
            positions |= {item.start: (index, len(run)) for index, item in enumerate(run) if index}
            run = []
        return positions

    def _cut_in_list(self, chunk: Chunk, lists: dict[int, tuple[int, int]]) -> Cause | None:
        block = self._block_at(first_word(self.document, chunk.start, chunk.end))
        if block is None or block.kind != "list_item":
            return None
        if block.start < chunk.start:
            start, reason = chunk.start, "inside an item of a list"
            return self._cut_inside("cut-list-item", start, reason, "the item", block.start, block.end)
        before, items = lists.get(block.start, (0, 0))
        return Cause("cut-list", chunk.start, f"after item {before} of a list of {items}") if before else None

    # --- the encoder's reach -----------------------------------------------------------------------------------------

    def unread(self) -> Iterator[Finding]:
        """Yield chunks whose end the encoder does not read."""
        encoder = self.workspace.retrieval_encoder
        counts = unread(self.segmentation, encoder)
        for chunk in self.nonblank:
            if chunk.index in counts:
                reason = f"{counts[chunk.index]:,} tokens of {encoder.name}, which reads {encoder.max_tokens:,}"
                at = max(chunk.start, self._read_to(chunk, encoder))
                yield self._finding("unread", chunk, Cause("over-encoder-limit", at, reason))

    def _read_to(self, chunk: Chunk, encoder: Encoder) -> int:
        """Where about the encoder stops reading."""
        text, context = self.text[chunk.indexed_start : chunk.end], embedded_context(self.document, chunk)

        def tokens(length: int) -> int:
            return int(encoder.token_counts([context + text[:length]])[0])

        return chunk.indexed_start + bisect_right(range(len(text)), encoder.max_tokens, key=tokens) - 1


def _runs(text: str, length: int) -> frozenset[tuple[str, ...]]:
    """Return all runs of so many words; the words together where there are fewer."""
    all_words = words(text)
    if len(all_words) < length:
        return frozenset({tuple(all_words)} if all_words else ())
    return frozenset(zip(*(all_words[start:] for start in range(length)), strict=False))


def _is_overlapping(chunk: Chunk, other: Chunk) -> bool:
    return chunk.start < other.end and other.start < chunk.end
