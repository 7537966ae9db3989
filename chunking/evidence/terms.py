"""What was learned about one measurement, and about the number of boundaries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LearnedTerm:
    """What was learned about one measurement.

    Attributes:
        mean: the mean of its means over the gaps of each document.
        spread: the standard deviation of its deviations from each document's mean.
        log_odds: what one spread above the document's mean adds to the log-odds of a boundary.
    """

    mean: float
    spread: float
    log_odds: float


@dataclass(frozen=True, slots=True)
class NumberTerms:
    """How the share of boundaries depends on the document as a whole, in log-odds.

    Attributes:
        intercept: of a document with one gap and empty sentences.
        evidence: factor of the sum of all terms of a gap.
        log_gaps: per unit of the natural logarithm of the number of gaps.
        log_length: per unit of the mean of ``ln(1 + characters)`` of the sentences.
    """

    intercept: float
    evidence: float
    log_gaps: float
    log_length: float
