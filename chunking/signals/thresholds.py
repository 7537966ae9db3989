"""Threshold rules: from a curve of distances to the value that a gap must exceed to be a boundary.

Every rule is ``score > threshold``, strictly. The score is the fused distance, or for ``gradient`` the slope of its
curve. The rules and their default amounts are those of LangChain's SemanticChunker (percentile 95; mean + 3 standard
deviations of the population; mean + 1.5 interquartile ranges; 95th percentile of ``numpy.gradient``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np

from chunking.runtime.arrays import Bools, Float64

Rule = Literal["percentile", "standard_deviation", "interquartile", "gradient"]
RULES: tuple[Rule, ...] = get_args(Rule)

AMOUNT_OF: dict[Rule, str] = {
    "percentile": "percentile",
    "standard_deviation": "deviations",
    "interquartile": "iqr_factor",
    "gradient": "percentile",
}
"""The parameter that sets the amount of each threshold rule."""
Kind = Rule | Literal["penalty"]
"""``penalty``, the cost of a boundary in :mod:`chunking.signals.change_points`, is no rule on a curve."""

_FLAT = 0.06
"""How little the highest distance may exceed the median before a percentile is said to cut a text without contrast.

Of thirty sentences that differ in a number alone it is below 0.06 under every strategy; of the samples, at least 0.076.
"""


class Counterfactual(Protocol):
    """The cuts at other settings of a ``penalty``, each a new division of the document, as ``(n_gaps,)`` bool."""

    @property
    def alphas(self) -> bool:
        """Whether the document is short enough to be divided at many values of α."""

    def at_alpha(self, alpha: float) -> Bools:
        """Return the cuts at another α, all else unchanged."""

    def at_penalty(self, penalty: float) -> Bools:
        """Return the cuts at another boundary penalty, all else unchanged."""


@dataclass(frozen=True, eq=False)
class Threshold:
    """The result of a rule on a curve.

    Attributes:
        rule, amount: the rule and its amount: percentile (50–99.9), or a factor of the spread; for ``penalty`` the
            percentile from which it was derived, 0 if it was set directly.
        score: ``(n_gaps,)`` float64, the values that are compared.
        value: the threshold; ``nan`` if there is no gap.
        warnings: why the statistic may be unreliable for this document.
        counterfactual: for ``penalty``, the cuts at other settings; ``None`` if the document is too long.
    """

    rule: Kind
    amount: float
    score: Float64
    value: float
    warnings: tuple[str, ...]
    counterfactual: Counterfactual | None = None

    @property
    def label(self) -> str:
        """The rule in words, e.g. ``95th percentile``."""
        return label(self.rule, self.amount)

    @property
    def exceeded(self) -> Bools:
        """``(n_gaps,)`` bool, whether the rule cuts each gap."""
        return self.score > self.value

    def flip_amount(self, gap: int) -> float | None:
        """Return the amount at which the decision on a gap flips: it is cut exactly while the amount is below this.

        For the percentile rules, linear interpolation reaches the gap's score exactly at
        ``100 · (number of smaller scores) / (n_gaps − 1)``. ``None`` if the amount has no effect (one gap, no spread),
        and for ``penalty``, which changes the scores themselves: see :func:`chunking.explain.count_flips`.
        """
        if self.rule == "penalty":
            return None
        if self.rule in ("percentile", "gradient"):
            if len(self.score) < 2:
                return None
            return float(100 * np.count_nonzero(self.score < self.score[gap]) / (len(self.score) - 1))
        spread = _spread(self.rule, self.score)
        return float((self.score[gap] - self.score.mean()) / spread) if spread > 0 else None


def label(rule: Kind, amount: float) -> str:
    """Return a rule with its amount, in words."""
    words = {
        "percentile": f"{ordinal(amount)} percentile",
        "standard_deviation": f"mean + {amount:g} standard deviations",
        "interquartile": f"mean + {amount:g} interquartile ranges",
        "gradient": f"{ordinal(amount)} percentile of the slope",
        "penalty": f"boundary penalty, {ordinal(amount)} percentile" if amount else "boundary penalty",
    }
    return words[rule]


def ordinal(number: float) -> str:
    """Return a number as an ordinal: ``95`` → ``95th``, ``92`` → ``92nd``, ``99.5`` → ``99.5th``."""
    integer = int(number)
    if number != integer or 10 <= integer % 100 <= 20:
        return f"{number:g}th"
    return f"{integer}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(integer % 10, 'th') }"


def apply(rule: Rule, amount: float, distances: Float64) -> Threshold:
    """Apply a rule to a curve.

    Args:
        rule: one of :data:`RULES`.
        amount: percentile, or factor of the spread.
        distances: ``(n_gaps,)`` float64.
    """
    score = gradient(distances) if rule == "gradient" else distances
    return Threshold(rule, amount, score, _value(rule, amount, score), _warnings(rule, amount, score))


def gradient(distances: Float64) -> Float64:
    """Return the slope by central differences (``numpy.gradient``) to 12 decimals; zero below two gaps."""
    return np.gradient(distances).round(12) if len(distances) > 1 else np.zeros_like(distances)


def _value(rule: Rule, amount: float, score: Float64) -> float:
    if not len(score):
        return float("nan")
    if rule in ("percentile", "gradient"):
        return float(np.percentile(score, amount))
    return float(score.mean() + amount * _spread(rule, score))


def _spread(rule: Kind, score: Float64) -> float:
    if rule == "standard_deviation":
        return float(score.std())
    low, high = np.percentile(score, [25, 75])
    return float(high - low)


def _warnings(rule: Rule, amount: float, score: Float64) -> tuple[str, ...]:
    gaps = len(score)
    if gaps == 0:
        return ("There are no gaps: a document of at most one sentence is one chunk.",)
    if np.ptp(score) == 0:
        return ("All distances are equal, so none exceeds the threshold.",)
    if rule in ("percentile", "gradient"):
        return _percentile_warnings(rule, amount, score)
    # Samuelson's inequality: no value lies further than sqrt(n − 1) population deviations from the mean.
    if rule == "standard_deviation" and amount >= (gaps - 1) ** 0.5:
        needed = int(amount**2) + 2
        return (f"With {gaps} gaps none can lie {amount:g} standard deviations above the mean; {needed} are required.",)
    if rule == "interquartile" and gaps < 8:
        return (f"Quartiles of {gaps} gaps are unreliable.",)
    return ()


def _percentile_warnings(rule: Rule, amount: float, score: Float64) -> tuple[str, ...]:
    gaps, share = len(score), percentile_cuts(len(score), amount)
    cuts = int(np.count_nonzero(score > np.percentile(score, amount)))
    if cuts < share:
        return (
            f"Gaps are tied at the threshold: the {ordinal(amount)} percentile should cut {share:,} of {gaps:,}, "
            f"but {cuts or 'none'} of them {'lies' if cuts == 1 else 'lie'} above it.",
        )
    if cuts <= 1:
        return (
            f"A percentile of {amount:g} over {gaps} gaps cuts {'exactly one' if cuts else 'none'} in any text: it "
            "selects a share of the gaps, not a distance.",
        )
    if rule == "percentile" and float(score.max() - np.median(score)) < _FLAT:
        return (
            f"All distances are much alike: the highest is {score.max() - np.median(score):.3f} above the median. The "
            f"{ordinal(amount)} percentile still cuts {cuts:,} of {gaps:,} gaps: it selects a share of the gaps, not a "
            "distance.",
        )
    return ()


def percentile_cuts(gaps: int, amount: float) -> int:
    """Return how many of ``gaps`` distinct values lie above their ``amount``-th percentile."""
    return gaps - 1 - int(np.floor((gaps - 1) * amount / 100 + 1e-9))
