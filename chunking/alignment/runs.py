"""Runs of characters that a piece shares with its source."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from math import log2
from typing import NamedTuple

import numpy as np

from chunking.alignment.normalized import GRAM, NormalizedText, fold
from chunking.runtime.arrays import Int64, UInt64
from chunking.runtime.patterns import compile_pattern


class Run(NamedTuple):
    """A run of ``size`` equal characters, folded, from ``piece`` and ``source`` on; collapsed offsets."""

    piece: int
    source: int
    size: int


_WORD = compile_pattern("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
                   "|[^\\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
                   "|\\S")  # fmt: skip
"""A word; in scripts without spaces between words, a character; else a single symbol."""

_MAX_PAIRS = 50_000
"""Limit of the pairs of equal words, or characters, in a comparison."""


_SENTENCE_END = compile_pattern(r"\w{0,2}[.,;:!?)\]}…。、，！？]+")
"""The end of a sentence, which two texts may share by chance."""

_MIN_GROWTH = 3
"""Minimum growth of the first run to the left, in characters, unless it reaches the start of the piece."""


class Comparison:
    """A piece and the source, compared for common runs."""

    def __init__(self, piece: NormalizedText, source: NormalizedText) -> None:
        self.piece = piece
        self.source = source

    def between(self, first: int, last: int, low: int, high: int, depth: int = 4) -> list[Run]:
        """Return runs of the piece's ``first:last`` in the source's ``low:high``."""
        if first >= last or low >= high:
            return []
        runs = self._unique_runs(first, last, low, high) if depth else []
        if not runs:
            return self.by_words(first, last, low, high)
        all_runs: list[Run] = []
        for run in [*runs, Run(last, high, 0)]:
            all_runs += self.between(first, run.piece, low, run.source, depth - 1)
            all_runs += [run] if run.size else []
            first, low = run.piece + run.size, run.source + run.size
        return all_runs

    def _unique_runs(self, first: int, last: int, low: int, high: int) -> list[Run]:
        """Return runs around the grams that occur once on either side (a patience diff of grams)."""
        ours = self.piece.grams[first : max(last - GRAM + 1, first)]
        theirs = self.source.grams[low : max(high - GRAM + 1, low)]
        our_keys, our_places = _singles(ours)
        their_keys, their_places = _singles(theirs)
        _, our_indices, their_indices = np.intersect1d(our_keys, their_keys, assume_unique=True, return_indices=True)
        order = np.argsort(our_places[our_indices])
        inside, where = our_places[our_indices][order] + first, their_places[their_indices][order] + low
        increasing_indices = _increasing(where.tolist())
        runs: list[Run] = []
        for at in increasing_indices:
            begin, source_start = int(inside[at]), int(where[at])
            floor, base = (runs[-1].piece + runs[-1].size, runs[-1].source + runs[-1].size) if runs else (first, low)
            if begin < floor or source_start < base:
                # Inside the previous run, or across its end on another diagonal.
                continue
            back = self._same_before(begin, source_start, min(begin - floor, source_start - base))
            size = back + self._same_after(begin, source_start, min(last - begin, high - source_start))
            if size >= GRAM:
                runs.append(Run(begin - back, source_start - back, size))
        return runs

    def by_words(self, first: int, last: int, low: int, high: int) -> list[Run]:
        """Return runs of whole words that both sides have."""
        if first >= last or low >= high:
            return []
        ours, our_places = _words(self.piece, first, last)
        theirs, their_places = _words(self.source, low, high)
        for spelled in (str, fold):
            ours, theirs = [spelled(word) for word in ours], [spelled(word) for word in theirs]
            counts = Counter(theirs)
            if sum(counts[word] for word in ours) > _MAX_PAIRS:
                return self._by_halves(first, last, low, high)
            visible_words = self._outside_tags(theirs, their_places)
            runs = [
                [
                    Run(our_places[left], their_places[right], our_places[left + count] - our_places[left])
                    for left, right, count in blocks
                    if count > 2 or any(word.isalnum() or occurrences[word] == 1 for word in ours[left : left + count])
                ]
                for words, occurrences in ([(visible_words, Counter(visible_words))] if visible_words != theirs else [])
                + [(theirs, counts)]
                for blocks in (_longest_blocks(ours, words), _subsequence_blocks(ours, words))
            ]
            # The longest blocks are usually best, but with repeated words a common subsequence may keep more.
            best_runs = max(runs, key=lambda runs: _net_length(runs, self.source))
            if best_runs:
                return best_runs
        return self._by_characters(first, last, low, high)

    def _outside_tags(self, words: Sequence[str], offsets: Sequence[int]) -> list[str]:
        """Return the words of a range of the source, with an empty string for those in tags."""
        outside_before = self.source.outside_tags
        starts = np.array(offsets[:-1], dtype=np.int64)
        is_visible = (outside_before[starts + 1] > outside_before[starts]).tolist()
        return [word if visible else "" for word, visible in zip(words, is_visible, strict=True)]

    def _by_characters(self, first: int, last: int, low: int, high: int) -> list[Run]:
        """Return runs of at least three characters and a quarter of the shorter side, if no word matches."""
        ours, theirs = self.piece.folded[first:last], self.source.folded[low:high]
        counts = Counter(theirs)
        if sum(counts[char] for char in ours) > _MAX_PAIRS:
            return self._by_halves(first, last, low, high)
        blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
        fewest = max(3, min(len(ours), len(theirs)) // 4)
        return [Run(first + left, low + right, count) for left, right, count in blocks if count >= fewest]

    def _by_halves(self, first: int, last: int, low: int, high: int) -> list[Run]:
        """Return runs of a text whose repetition makes comparison too slow: the whole, or its halves, and so on."""
        size = last - first
        at = self.source.folded.find(self.piece.folded[first:last], low, high)
        if at >= 0:
            return [Run(first, at, size)]
        if size < 2 * GRAM:
            return []
        middle = first + size // 2
        left_runs = self._by_halves(first, middle, low, high)
        return left_runs + self._by_halves(
            middle, last, left_runs[-1].source + left_runs[-1].size if left_runs else low, high
        )

    def grown(self, runs: list[Run], low: int, high: int) -> list[Run]:
        """Extend runs by equal characters before and after them on both sides, and join them."""
        grown: list[Run] = []
        for at, run in enumerate(runs):
            floor, base = (grown[-1].piece + grown[-1].size, grown[-1].source + grown[-1].size) if grown else (0, low)
            top, roof = (runs[at + 1].piece, runs[at + 1].source) if at + 1 < len(runs) else (len(self.piece), high)
            end, stop = run.piece + run.size, run.source + run.size
            back = self._same_before(run.piece, run.source, min(run.piece - floor, run.source - base))
            forward = self._same_after(end, stop, min(top - end, roof - stop))
            # Text added before a piece may end like the source there by chance.
            if not at and back < _MIN_GROWTH and back < run.piece:
                back = 0
            chance = _SENTENCE_END.match(self.piece.text, run.piece, end)
            if not at and run.piece > back and chance and chance.end() < end:
                back = run.piece - chance.end()
            run = Run(run.piece - back, run.source - back, back + run.size + forward)
            if grown and (run.piece, run.source) == (floor, base):
                run = Run(grown[-1].piece, grown[-1].source, grown.pop().size + run.size)
            grown.append(run)
        return grown

    def _same_after(self, inside: int, where: int, most: int) -> int:
        """Return the number of equal characters from there on, up to ``most``."""
        ours, theirs = self.piece.folded_codes, self.source.folded_codes
        differ = ours[inside : inside + most] != theirs[where : where + most]
        return int(np.argmax(differ)) if differ.any() else max(most, 0)

    def _same_before(self, inside: int, where: int, most: int) -> int:
        """Return the number of equal characters up to there, up to ``most``."""
        ours, theirs = self.piece.folded_codes, self.source.folded_codes
        differ = (ours[inside - most : inside] != theirs[where - most : where])[::-1]
        return int(np.argmax(differ)) if differ.any() else max(most, 0)


def _singles(hashes: UInt64) -> tuple[UInt64, Int64]:
    """Return the hashes that occur once, ascending, and their places."""
    keys, first_indices, counts = np.unique(hashes, return_index=True, return_counts=True)
    once = counts == 1
    return keys[once], first_indices[once].astype(np.int64)


def _increasing(values: list[int]) -> list[int]:
    """Return indices of a longest increasing subsequence."""
    tails: list[int] = []
    ends: list[int] = []
    parents: list[int] = []
    for at, value in enumerate(values):
        rank = bisect_left(tails, value)
        parents.append(ends[rank - 1] if rank else -1)
        tails[rank : rank + 1] = [value]
        ends[rank : rank + 1] = [at]
    subsequence: list[int] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        subsequence.append(at)
        at = parents[at]
    return subsequence[::-1]


def _longest_blocks(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the longest common block, then the longest on either side of it, and so on."""
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return [(left, right, size) for left, right, size in blocks if size]


def _subsequence_blocks(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the blocks of a longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    blocks = LCSseq.opcodes(ours, theirs).as_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]


def _words(collapsed: NormalizedText, first: int, last: int) -> tuple[list[str], list[int]]:
    """Return the words of a range, and the start of each, followed by the end of the last."""
    start, end = collapsed.span(first, last)
    words = _WORD.findall(collapsed.whole[start:end])
    offsets: list[int] = np.cumsum([first, *map(len, words)]).tolist()
    return words, offsets


def _hole_cost(left: Run, right: Run, source: NormalizedText) -> float:
    """Return the cost of the hole between two runs, in characters."""
    ours = right.piece - left.piece - left.size
    theirs = source.between(left.source + left.size, right.source)
    return (0.2 + 2 * log2(1 + theirs / 40) if theirs else 0.0) + 3 * log2(1 + min(ours, theirs) / 8)


def _net_length(runs: Sequence[Run], source: NormalizedText) -> float:
    """Return the characters in runs, minus the cost of the holes between them."""
    return sum(run.size for run in runs) - sum(_hole_cost(left, right, source) for left, right in pairwise(runs))


def heaviest(runs: list[Run], source: NormalizedText) -> list[Run]:
    """Return the sequence of neighbouring runs with the most characters, minus a cost for each hole between them.

    The cost grows with the logarithm of the hole, so that markup costs little and a chance match far away is excluded.
    It is higher if both sides have characters in the hole, unlike removed markup. Whole HTML and XML tags are free.
    """
    best, best_score = (0, 0), 0.0
    begin, score = 0, 0.0
    for at, run in enumerate(runs):
        if at:
            score -= _hole_cost(runs[at - 1], run, source)
        if score <= 0:
            begin, score = at, 0.0
        score += run.size
        if score > best_score:
            best, best_score = (begin, at + 1), score
    return runs[best[0] : best[1]]
