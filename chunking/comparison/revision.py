"""What an edit of a text changes: the gaps of both versions that are one place, and the decisions that differ there."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chunking.chunks import Cut, reason_words
from chunking.comparison.cut_changes import cut_offsets, nearest_gaps
from chunking.comparison.report import at_gaps
from chunking.runtime.arrays import Int64
from chunking.runtime.wording import shorten
from chunking.sentences import Sentences
from chunking.strategies.base import Segmentation


@dataclass(frozen=True, eq=False)
class Version:
    """A version of a text with what a setting makes of it.

    Attributes:
        sentences: its sentences.
        offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        segmentation: its chunks.
    """

    sentences: Sentences
    offsets: Int64
    segmentation: Segmentation

    @cached_property
    def cuts(self) -> Mapping[int, Cut | None]:
        """The gaps that are cut, with why; a cut inside a sentence is at no gap and is left out."""
        starts = cut_offsets(self.segmentation)
        reasons = {chunk.start: chunk.cut for chunk in self.segmentation.chunks}
        places = at_gaps(starts, self.sentences, self.offsets)
        gaps, distances = nearest_gaps(places, self.offsets)
        is_gap = distances == 0
        pairs = zip(gaps[is_gap].tolist(), starts[is_gap].tolist(), strict=True)
        return {gap: reasons[start] for gap, start in pairs}

    def decision(self, gap: int) -> Decision:
        """Return whether a gap is cut, and why."""
        signals = self.segmentation.signals
        if signals is None or not gap < len(signals):
            return Decision(gap, gap in self.cuts, reason_words(self.cuts.get(gap)))
        score, threshold = float(signals.threshold.score[gap]), signals.threshold.value
        return Decision(gap, gap in self.cuts, self._reason(gap, score, threshold), score, threshold)

    def _reason(self, gap: int, score: float, threshold: float) -> str:
        segmentation = self.segmentation
        if gap in self.cuts:
            return reason_words(self.cuts[gap])
        if gap in segmentation.kept_gaps:
            return f"kept together: {segmentation.kept_gaps[gap]}"
        if gap in segmentation.suppressed_gaps:
            return "removed by the size limits"
        return f"{score:.3f} ≤ {threshold:.3f}"


@dataclass(frozen=True)
class Decision:
    """What a segmentation makes of a gap.

    Attributes:
        gap: number of the gap.
        is_cut: whether it is cut.
        reason: why, in words: what was compared, or what the limits did; empty where there is nothing to compare.
        score, threshold: what was compared; ``None`` where nothing was.
    """

    gap: int
    is_cut: bool
    reason: str
    score: float | None = None
    threshold: float | None = None


@dataclass(frozen=True)
class ChangedDecision:
    """A place that one version of a text cuts and the other does not.

    Attributes:
        before, after: the decisions; ``None`` in the version that lacks the place.
        words: what begins there, without line ends.
    """

    before: Decision | None
    after: Decision | None
    words: str

    @property
    def is_new(self) -> bool:
        """Whether the place is cut after the edit, and not before it."""
        return self.after is not None and self.after.is_cut


def matched_sentences(before: Sequence[str], after: Sequence[str]) -> Int64:
    """Return ``(n_after,)`` int64: the sentence before that each sentence after is; −1 for a new one.

    Those that are alone in both texts and in the same order are the same, and so are the equal ones next to them, as in
    patience diff: whatever the texts are, the time is that of sorting them.
    """
    matched = np.full(len(after), -1, dtype=np.int64)
    olds, news = _anchors(before, after)
    matched[news] = olds
    _spread(matched, before, after, range(len(after)), -1)
    _spread(matched, before, after, range(len(after) - 1, -1, -1), len(before))
    return matched


def _anchors(before: Sequence[str], after: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the longest series of sentences that are alone in both texts and in the same order: old and new places."""
    old_counts, new_counts = Counter(before), Counter(after)
    place = {sentence: old for old, sentence in enumerate(before) if old_counts[sentence] == 1}
    pairs = [(place[text], new) for new, text in enumerate(after) if new_counts[text] == 1 and text in place]
    lasts: list[int] = []  # the pair that ends the series of each length
    ends: list[int] = []
    earlier: list[int] = []
    for number, (old, _) in enumerate(pairs):
        length = bisect_left(ends, old)
        ends[length : length + 1] = [old]
        lasts[length : length + 1] = [number]
        earlier.append(lasts[length - 1] if length else -1)
    series, number = [], lasts[-1] if lasts else -1
    while number >= 0:
        series.append(pairs[number])
        number = earlier[number]
    return [old for old, _ in reversed(series)], [new for _, new in reversed(series)]


def _spread(matched: Int64, before: Sequence[str], after: Sequence[str], order: range, edge: int) -> None:
    """Match what is equal behind a match, in an order of the new sentences; ``edge`` is the old place before the first.

    The old place that is next in that order must be free: it is not where the next match leads.
    """
    step = order.step
    limits = np.where(matched >= 0, matched, len(before) if step > 0 else -1)
    limits = np.minimum.accumulate(limits[::-1])[::-1] if step > 0 else np.maximum.accumulate(limits)
    last = edge
    for new in order:
        old = last + step
        is_free = 0 <= old < len(before) and (limits[new] - old) * step > 0
        if matched[new] < 0 and is_free and before[old] == after[new]:
            matched[new] = old
        last = int(matched[new]) if matched[new] >= 0 else -2 if step > 0 else len(before) + 1


def matched_gaps(before: Sequence[str], after: Sequence[str]) -> Int64:
    """Return ``(n_gaps_after,)`` int64: the gap before that each gap after is; −1 for a new place.

    A gap is known by the sentence that begins there, or else by the one that ends there.

    Args:
        before, after: the sentences of both versions.
    """
    sentences = matched_sentences(before, after)
    begins, ends = sentences[1:] - 1, sentences[:-1]
    matched = np.where(begins >= 0, begins, -1)
    by_end = np.where((ends >= 0) & (ends < len(before) - 1), ends, -1)
    unmatched = (matched < 0) & ~np.isin(by_end, matched)
    return np.where(unmatched, by_end, matched)


@dataclass(frozen=True, eq=False)
class Revision:
    """A text before and after an edit, under one setting.

    Attributes:
        before, after: the versions.
    """

    before: Version
    after: Version

    @cached_property
    def matched(self) -> Int64:
        """``(n_gaps_after,)`` int64, see :func:`matched_gaps`."""
        return matched_gaps(self.before.sentences.texts, self.after.sentences.texts)

    @property
    def cut_before(self) -> list[int]:
        """The gaps after the edit that were cut before it."""
        return [new for new, old in enumerate(self.matched.tolist()) if old in self.before.cuts]

    @cached_property
    def changes(self) -> Sequence[ChangedDecision]:
        """The places that one version cuts and the other does not, in the order of the text."""
        before, after = self.before, self.after
        place_of = {old: new for new, old in enumerate(self.matched.tolist()) if old >= 0}
        changed: list[tuple[float, ChangedDecision]] = []
        for new in after.cuts:
            old = int(self.matched[new])
            if old not in before.cuts:
                earlier = before.decision(old) if old >= 0 else None
                changed.append((new, ChangedDecision(earlier, after.decision(new), _words(after, new))))
        positions = self._positions
        for old in before.cuts:
            here = place_of.get(old)
            if here not in after.cuts:
                later = None if here is None else after.decision(here)
                changed.append((positions[old], ChangedDecision(before.decision(old), later, _words(before, old))))
        return [change for _, change in sorted(changed, key=lambda pair: pair[0])]

    @property
    def _positions(self) -> list[float]:
        """Where each gap before the edit stands after it; one that is gone, behind the last before it that is there."""
        positions = np.full(len(self.before.offsets), -1.0)
        is_old = self.matched >= 0
        positions[self.matched[is_old]] = np.flatnonzero(is_old)
        reached = np.maximum.accumulate(positions)
        places: list[float] = np.where(positions >= 0, positions, reached + 0.5).tolist()
        return places


def _words(version: Version, gap: int) -> str:
    """Return the first words behind a gap, by which a reader knows the place."""
    return shorten(" ".join(version.sentences.texts[gap + 1].split()))
