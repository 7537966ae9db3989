"""The precision of a strategy's cuts, as far as some of them were judged, with an exact interval."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float64

Interval = tuple[float, float]

LEVEL = 0.95
"""How often an interval holds the true value, at least."""


@dataclass(frozen=True)
class Precision:
    """The share of all cuts of a strategy that are right, estimated from those that were judged.

    Attributes:
        value: share of the judged cuts; ``None`` if none was judged.
        interval: of the share among all cuts; (0, 1) if none was judged, one value if all were.
        accepted, judged, total: numbers of cuts.
        level: minimum probability that such an interval holds the true share.
    """

    value: float | None
    interval: Interval
    accepted: int
    judged: int
    total: int
    level: float

    @property
    def half_width(self) -> float:
        """Return half the length of the interval."""
        return (self.interval[1] - self.interval[0]) / 2

    def needed_for(self, half_width: float = 0.05) -> int:
        """Return how many more judgements narrow the interval to ± ``half_width``, if the share stays about the same.

        0 if it is narrow enough. If nothing is judged, the share is assumed to be one half, which needs most.
        """
        share = 0.5 if self.value is None else self.value
        if not self.total or (self.judged and self.half_width <= half_width):
            return 0

        def enough(judged: int) -> bool:
            low, high = limits(round(share * judged), judged, self.total, self.level)
            return high - low <= 2 * half_width * self.total + 1e-9

        return bisect_left(range(self.judged, self.total + 1), True, key=enough)


def precision(accepted: int, rejected: int, total_cuts: int, level: float = LEVEL) -> Precision:
    """Return the share of right cuts, with an exact interval.

    The judged cuts are treated as a random sample, without replacement, of all cuts of the document. The interval holds
    every number of right cuts among all of them that both tests at (1 − ``level``) ÷ 2 leave possible: Clopper and
    Pearson's (1934) construction with the hypergeometric distribution (Buonaccorsi, American Statistician 41, 1987).
    So it is never too short, and it shrinks to one value as the last cut is judged.

    Args:
        accepted, rejected: numbers of cuts; a cut that was moved is rejected, one that was skipped neither.
        total_cuts: all cuts, judged or not.
        level: of the interval.

    Raises:
        ChunkscopeError: a number is negative, or more cuts are judged than there are.
    """
    judged = accepted + rejected
    if min(accepted, rejected) < 0 or judged > total_cuts:
        raise ChunkscopeError(f"Of {total_cuts} cuts, {accepted} cannot be accepted and {rejected} rejected.")
    if not judged:
        return Precision(None, (0.0, 1.0), 0, 0, total_cuts, level)
    low, high = limits(accepted, judged, total_cuts, level)
    return Precision(accepted / judged, (low / total_cuts, high / total_cuts), accepted, judged, total_cuts, level)


def limits(right: int, judged: int, total: int, level: float) -> tuple[int, int]:
    """Return the least and the largest number of right cuts among all that are consistent with the sample."""
    tail = (1 - level) / 2
    possible = range(right, total - judged + right + 1)
    low = bisect_right(possible, tail, key=lambda among: _chances(among, judged, total)[right:].sum())
    high = bisect_left(possible, True, key=lambda among: _chances(among, judged, total)[: right + 1].sum() <= tail)
    return possible[min(low, len(possible) - 1)], possible[max(high - 1, 0)]


def _chances(among: int, judged: int, total: int) -> Float64:
    """Return ``(judged + 1,)`` probabilities of each number of right cuts in a sample, if ``among`` are right."""
    logs = _log_factorials(total)
    right_counts = np.arange(judged + 1)
    fits = (right_counts <= among) & (judged - right_counts <= total - among)
    right, wrong = right_counts[fits], judged - right_counts[fits]
    probabilities = np.zeros(judged + 1)
    probabilities[fits] = np.exp(
        logs[among] - logs[right] - logs[among - right]
        + logs[total - among] - logs[wrong] - logs[total - among - wrong]
        - (logs[total] - logs[judged] - logs[total - judged])
    )  # fmt: skip
    return probabilities


@lru_cache(maxsize=8)
def _log_factorials(largest: int) -> Float64:
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, largest + 1, dtype=np.float64)))))
