"""What an edit of a text changes: the gaps of both versions that are one place, and the decisions that differ there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import takewhile

import numpy as np

from chunking.chunks import Cut, reason_words
from chunking.comparison.cut_changes import cut_offsets
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
        gaps = np.minimum(np.searchsorted(self.offsets, places), max(len(self.offsets) - 1, 0))
        is_gap = self.offsets[gaps] == places if len(self.offsets) else np.zeros(len(places), dtype=bool)
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

    Sentences that are the same, in the same order, are one; see :class:`difflib.SequenceMatcher`.
    """
    pairs = list(zip(before, after, strict=False))
    start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    backwards = list(zip(reversed(before[start:]), reversed(after[start:]), strict=False))
    end = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], backwards))
    matched = np.full(len(after), -1, dtype=np.int64)
    matched[:start] = np.arange(start)
    if end:
        matched[-end:] = np.arange(len(before) - end, len(before))
    inner = SequenceMatcher(None, before[start : len(before) - end], after[start : len(after) - end], autojunk=False)
    for one, other, length in inner.get_matching_blocks():
        matched[start + other : start + other + length] = np.arange(start + one, start + one + length)
    return matched


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


def changed_decisions(before: Version, after: Version) -> list[ChangedDecision]:
    """Return the places that one version of a text cuts and the other does not, in the order of the text."""
    matched = matched_gaps(before.sentences.texts, after.sentences.texts)
    place_of = {old: new for new, old in enumerate(matched.tolist()) if old >= 0}
    changed: list[tuple[float, ChangedDecision]] = []
    for new in after.cuts:
        old = int(matched[new])
        if old not in before.cuts:
            earlier = before.decision(old) if old >= 0 else None
            changed.append((new, ChangedDecision(earlier, after.decision(new), _words(after, new))))
    for old in before.cuts:
        here = place_of.get(old)
        if here not in after.cuts:
            later = None if here is None else after.decision(here)
            position = _position(old, place_of) if here is None else here
            changed.append((position, ChangedDecision(before.decision(old), later, _words(before, old))))
    return [change for _, change in sorted(changed, key=lambda pair: pair[0])]


def _position(old: int, place_of: dict[int, int]) -> float:
    """Return where a place that is gone stood: behind the last one before it that is still there."""
    return next((place_of[gap] + 0.5 for gap in range(old, -1, -1) if gap in place_of), -0.5)


def _words(version: Version, gap: int) -> str:
    """Return the first words behind a gap, by which a reader knows the place."""
    return shorten(" ".join(version.sentences.texts[gap + 1].split()))
