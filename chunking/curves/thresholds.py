"""Threshold rules: from a curve of distances to the value that a gap must exceed to be a boundary.

Every rule is ``score > threshold``, strictly. The score is the fused distance itself, but for ``gradient``, where it
is the slope of the curve. The rules and their usual amounts are those of LangChain's SemanticChunker (percentile 95;
mean + 3 standard deviations of the population; mean + 1.5 interquartile ranges; 95th percentile of
``numpy.gradient``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

Rule = Literal["percentile", "standard_deviation", "interquartile", "gradient"]
RULES: tuple[Rule, ...] = get_args(Rule)

AMOUNT_OF: dict[Rule, str] = {
    "percentile": "percentile",
    "standard_deviation": "deviations",
    "interquartile": "iqr_factor",
    "gradient": "percentile",
}
"""Which parameter sets the amount of each threshold rule."""
Kind = Rule | Literal["penalty"]
"""``penalty`` is the cost of a boundary in :mod:`chunking.curves.changepoint`, and not a rule on a curve."""

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


class Elsewhere(Protocol):
    """What is cut at another ``penalty``, which divides the document anew; ``(n_gaps,)`` bool each."""

    @property
    def alphas(self) -> bool:
        """Whether the document is short enough to divide it at many values of α."""

    def at_alpha(self, alpha: float) -> Bools:
        """What is cut at another α, all else as it is."""

    def at_penalty(self, penalty: float) -> Bools:
        """What is cut at another boundary penalty, all else as it is."""


@dataclass(frozen=True, eq=False)
class Threshold:
    """The outcome of a rule on a curve.

    Attributes:
            rule, amount: the rule and its amount: percentile (50–99.9), or a factor of the spread; of ``penalty`` the
                percentile that it was sought for, 0 where it was found without one.
        score: ``(n_gaps,)`` float64, what is compared.
        value: what it is compared with; ``nan`` where there is no gap.
        warnings: why the statistic may mean little here.
        elsewhere: of ``penalty``, what other settings cut; ``None`` where the document is too long to ask.
    """

    rule: Kind
    amount: float
    score: Floats
    value: float
    warnings: tuple[str, ...]
    elsewhere: Elsewhere | None = None

    @property
    def label(self) -> str:
        """The rule in words, e.g. ``95th percentile``."""
        return label(self.rule, self.amount)

    @property
    def exceeded(self) -> Bools:
        """``(n_gaps,)`` bool: which gaps the rule cuts."""
        return self.score > self.value

    def flip_amount(self, gap: int) -> float | None:
        """The amount at which the gap's status changes: it is cut exactly while the amount is below this.

        Exact. For the percentile rules, linear interpolation reaches the gap's score at
        ``100 · (number of smaller scores) / (n_gaps − 1)``. ``None`` where no amount decides (one gap, no spread), and
        for ``penalty``, which changes the scores themselves: see :func:`chunking.explain.count_flips`.
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
    """A rule with its amount, in words."""
    words = {
        "percentile": f"{ordinal(amount)} percentile",
        "standard_deviation": f"mean + {amount:g} standard deviations",
        "interquartile": f"mean + {amount:g} interquartile ranges",
        "gradient": f"{ordinal(amount)} percentile of the slope",
        "penalty": f"boundary penalty, {ordinal(amount)} percentile" if amount else "boundary penalty",
    }
    return words[rule]


def ordinal(number: float) -> str:
    """``95`` → ``95th``, ``92`` → ``92nd``, ``99.5`` → ``99.5th``."""
    whole = int(number)
    if number != whole or 10 <= whole % 100 <= 20:
        return f"{number:g}th"
    return f"{whole}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(whole % 10, 'th') }"


def apply(rule: Rule, amount: float, distances: Floats) -> Threshold:
    """Apply a rule to a curve.

    Args:
        rule: one of :data:`RULES`.
        amount: percentile, or factor of the spread.
        distances: ``(n_gaps,)`` float64.
    """
    score = gradient(distances) if rule == "gradient" else distances
    return Threshold(rule, amount, score, _value(rule, amount, score), _warnings(rule, amount, score))


def gradient(distances: Floats) -> Floats:
    """Slope by central differences, as ``numpy.gradient``, to 12 decimals; zero below two gaps."""
    return np.gradient(distances).round(12) if len(distances) > 1 else np.zeros_like(distances)


def _value(rule: Rule, amount: float, score: Floats) -> float:
    if not len(score):
        return float("nan")
    if rule in ("percentile", "gradient"):
        return float(np.percentile(score, amount))
    return float(score.mean() + amount * _spread(rule, score))


def _spread(rule: Kind, score: Floats) -> float:
    if rule == "standard_deviation":
        return float(score.std())
    low, high = np.percentile(score, [25, 75])
    return float(high - low)


def _warnings(rule: Rule, amount: float, score: Floats) -> tuple[str, ...]:
    gaps = len(score)
    if gaps == 0:
        return ("There is no gap: a single sentence, or none, is one chunk.",)
    if np.ptp(score) == 0:
        return ("All distances are equal, so none exceeds the threshold.",)
    if rule in ("percentile", "gradient"):
        return _percentile_warnings(amount, score)
    # Samuelson's inequality: no value lies further than sqrt(n − 1) population deviations from the mean.
    if rule == "standard_deviation" and amount >= (gaps - 1) ** 0.5:
        needed = int(amount**2) + 2
        return (f"With {gaps} gaps none can lie {amount:g} standard deviations above the mean; it takes {needed}.",)
    if rule == "interquartile" and gaps < 8:
        return (f"Quartiles of {gaps} gaps say little.",)
    return ()


def _percentile_warnings(amount: float, score: Floats) -> tuple[str, ...]:
    gaps, share = len(score), _percentile_cuts(len(score), amount)
    cuts = int(np.count_nonzero(score > np.percentile(score, amount)))
    if cuts < share:
        return (
            f"Gaps are tied at the threshold: the {ordinal(amount)} percentile is meant to cut {share:,} of {gaps:,}, "
            f"but {cuts or 'none'} of them {'lies' if cuts == 1 else 'lie'} above it.",
        )
    if cuts <= 1:
        return (
            f"A percentile of {amount:g} over {gaps} gaps cuts {'exactly one' if cuts else 'none'} whatever the text "
            "says: it takes a share, not a height.",
        )
    return ()


def _percentile_cuts(gaps: int, amount: float) -> int:
    """How many of ``gaps`` different values lie above their ``amount``-th percentile."""
    return gaps - 1 - int(np.floor((gaps - 1) * amount / 100 + 1e-9))
