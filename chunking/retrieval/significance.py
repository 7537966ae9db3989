"""Paired comparisons of many strategies, corrected for the number of comparisons.

All pairs are compared on the same questions at once. The interval of every difference is widened so that with 95 % none
of them misses (max-T, see :mod:`chunking.evaluation.intervals`). Whoever comes out ahead may therefore be named the
winner: having chosen the best of many is paid for. Questions are drawn within their corpora where there are several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil

import numpy as np

from chunking.evaluation.intervals import joint
from chunking.runtime.arrays import Float64, Int64
from chunking.runtime.wording import plural

MARGIN = 0.02
"""A difference that is certainly smaller is called none."""


@dataclass(frozen=True)
class Difference:
    """Of two rows, the first minus the second.

    Attributes:
        one, other: their names.
        mean: over questions.
        interval: of one comparison alone.
        simultaneous: of all comparisons together.
        questions: how many were asked.
        needed: about how many questions more would decide, if what was seen is how it is; 0 where it is decided,
            ``None`` where nothing differs at all.
    """

    one: str
    other: str
    mean: float
    interval: tuple[float, float]
    simultaneous: tuple[float, float]
    questions: int
    needed: int | None

    @property
    def better(self) -> str | None:
        """The row that is better, where that is certain."""
        low, high = self.simultaneous
        return self.one if low > 0 else self.other if high < 0 else None

    @property
    def turned(self) -> Difference:
        """The second row less the first."""
        ends = ((-high, -low) for low, high in (self.interval, self.simultaneous))
        interval, simultaneous = ends
        return replace(
            self, one=self.other, other=self.one, mean=-self.mean, interval=interval, simultaneous=simultaneous
        )

    @property
    def beyond(self) -> float:
        """The largest difference that the interval allows, in either direction."""
        return max(abs(end) for end in self.simultaneous)

    @property
    def verdict(self) -> str:
        """In words: which is better, no difference beyond a bound, or undecided."""
        if self.questions < FEWEST:
            return f"too few questions: {FEWEST} at least"
        if self.better:
            return f"{self.better} is better"
        if not self.beyond:
            return "the same on every question"
        if self.needed is None or self.beyond <= MARGIN:
            return f"no difference beyond {100 * self.beyond:.1f} points"
        return f"undecided: {more_questions(self.needed)} would decide"


FEWEST = 10
"""Questions below which nothing is said of a difference: an interval of so few does not hold what it says."""

MOST_QUESTIONS = 100_000
"""More questions than these are not counted: nobody will ask them."""


def more_questions(needed: int) -> str:
    """Return a number of further questions, in words."""
    if needed > MOST_QUESTIONS:
        return f"more than {MOST_QUESTIONS:,} more questions"
    return f"about {plural(needed, 'more question')}"


def differences(
    values: Mapping[str, Float64], strata: Int64 | None = None, baseline: str | None = None
) -> list[Difference]:
    """Return every pair of rows, or every other row less a baseline.

    Args:
        values: by row ``(n_questions,)`` float64, of the same questions.
        strata: ``(n_questions,)`` int64, the corpus of each question; ``None`` for one corpus.
        baseline: the row that is subtracted from each other one; ``None`` for all pairs.
    """
    pairs = list(combinations(values, 2)) if baseline is None else [(r, baseline) for r in values if r != baseline]
    questions = len(next(iter(values.values()))) if values else 0
    if not pairs or questions < 2:
        return []
    table = np.stack([values[one] - values[other] for one, other in pairs], axis=1)
    mean = table.mean(axis=0)
    intervals = joint(table, np.ones_like(table), strata=strata)
    reach = (intervals.joint_high - intervals.joint_low) / 2
    return [
        Difference(
            one,
            other,
            float(mean[pair_index]),
            (float(intervals.low[pair_index]), float(intervals.high[pair_index])),
            (float(intervals.joint_low[pair_index]), float(intervals.joint_high[pair_index])),
            questions,
            _questions_needed(float(mean[pair_index]), float(reach[pair_index]), questions),
        )
        for pair_index, (one, other) in enumerate(pairs)
    ]


def _questions_needed(mean: float, reach: float, questions: int) -> int | None:
    """Return more questions until the interval, which narrows with their square root, leaves out 0."""
    if abs(mean) > reach:
        return 0
    return ceil(questions * ((reach / abs(mean)) ** 2 - 1)) if mean else None if not reach else 10**9


def winner(values: Mapping[str, Float64], pairs: Sequence[Difference]) -> str:
    """Return the verdict on the row with the highest mean, in words."""
    if not values:
        return "nothing was compared"
    best = max(values, key=lambda name: float(values[name].mean()))
    pairs_with_best = [pair for pair in pairs if best in (pair.one, pair.other)]
    beaten_pairs = [pair for pair in pairs_with_best if pair.better == best]
    if len(values) == 1:
        return f"{best} is the only row"
    questions = len(values[best])
    if questions < FEWEST:
        return f"{best} has the highest mean, but {plural(questions, 'question')} cannot decide: ask {FEWEST} at least"
    if len(beaten_pairs) == len(pairs_with_best):
        return f"{best} is significantly better than all others"
    undecided_pairs = [pair for pair in pairs_with_best if pair.better != best]
    names = ", ".join(pair.other if pair.one == best else pair.one for pair in undecided_pairs)
    ahead = (
        f"{best} has the highest mean and is significantly better than {len(beaten_pairs)} of {len(pairs_with_best)}; "
        f"no significant difference from {names}"
    )
    needed = max((pair.needed or 0 for pair in undecided_pairs), default=0)
    if all(pair.beyond <= MARGIN or pair.needed is None for pair in undecided_pairs):
        return f"{ahead}, at most {100 * max(pair.beyond for pair in undecided_pairs):.1f} points"
    return f"{ahead}: {more_questions(needed)} would decide"
