"""What was learned about boundaries from many kinds of text: a table of weights that can be read.

The log-odds that a gap is a boundary are a sum: of how far each measurement of the gap deviates from the document's own
mean, times a weight. The weights (``boundary_weights.toml``) were fitted to documents of several kinds whose
headings had been taken out, within each document, so that they tell which of its gaps is a boundary and not how many it
has. ``BOUNDARY_MODEL.md`` beside this file names the sources, and what the weights are good and bad at.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from chunking.runtime.arrays import Float64


class LearnedTerm(NamedTuple):
    """What was learned about one measurement.

    Attributes:
        mean: the mean of its means over the gaps of each document.
        spread: the standard deviation of its deviations from each document's mean.
        log_odds: what one spread above the document's mean adds to the log-odds of a boundary.
    """

    mean: float
    spread: float
    log_odds: float


class NumberTerms(NamedTuple):
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


_TABLE = tomllib.loads(Path(__file__).with_name("boundary_weights.toml").read_text(encoding="utf-8"))
WORDING, HABITS, SCALES = (
    {name: LearnedTerm(*numbers) for name, numbers in _TABLE[key].items()} for key in ("wording", "habits", "scales")
)
"""The terms by name: of :mod:`chunking.signals.wording`, of the same where questions open a part, and of
:mod:`chunking.signals.scales`."""

NUMBER = NumberTerms(**_TABLE["number"])

LOG_ODDS = 16.0
"""Log-odds from a distance of 0 to a distance of 1, of a distance that is evidence; 0.5 says nothing either way."""

PRIOR_GAPS = 8
"""Gaps of an average document that are added to each document when its mean is taken: few gaps have no usual value."""

MAX_DEVIATION = 4.0
"""Largest deviation that counts, in spreads: a single odd gap must not outweigh all other evidence."""

EXPECTED_SHARE = 0.8
"""Share of the expected number of boundaries that is cut. With all of them, kinds of text that were left out of the fit
got up to twice as many as they have; errors (Pk) were lowest between 0.7 and 0.9."""

WEAK_EVIDENCE = 0.2
"""Mean probability of the gaps that would be cut below which it is unknown how many there are: a text without layout
whose sections are long and change little, as lectures. There the number begins at its coarse end."""

COARSE_SHARE = 0.6
"""Share of the number that is cut where the evidence is weak. On 33 lectures, whose sections have some 70 sentences, it
brought the cuts from 1.8 of the true number to 1.0 and Pk from 40.0 to 32.4 (none: 41.5). It was chosen on them; eight
of 789 other documents have as weak an evidence, and seven of those three times as many sections."""

_TELLING = 0.3
_SPREADS = {False: (-0.42, 1.98), True: (-0.68, 0.78)}
"""By which powers of two the true number differed from the one that is cut, where the mean probability reaches
:data:`_TELLING` and where not: 10 % and 90 % quantile of 727 and 95 documents of eight sets, some with headings."""

_DIGITS = 10


def centres(values: Float64, means: Float64) -> Float64:
    """Return the mean of each column, ``(n_terms,)``, with :data:`PRIOR_GAPS` gaps of an average document."""
    centre: Float64 = (values.sum(axis=0) + PRIOR_GAPS * means) / (len(values) + PRIOR_GAPS)
    return centre


def deviations(values: Float64, terms: Mapping[str, LearnedTerm]) -> Float64:
    """Return how far measurements lie from the document's mean, in the spreads of the table.

    Args:
        values: ``(n_gaps, n_terms)`` float64, a column for each term, in its order.
        terms: the terms.

    Returns:
        ``(n_gaps, n_terms)`` float64 in −:data:`MAX_DEVIATION` to :data:`MAX_DEVIATION`. Equal values of a column stay
        equal.
    """
    means = np.array([term.mean for term in terms.values()])
    spreads = np.array([term.spread for term in terms.values()])
    in_spreads = ((values - centres(values, means)) / spreads).round(_DIGITS)
    clipped: Float64 = np.clip(in_spreads, -MAX_DEVIATION, MAX_DEVIATION)
    return clipped


def weighted(deviations: Float64, terms: Mapping[str, LearnedTerm]) -> Float64:
    """Return the evidence of each gap, ``(n_gaps,)``: the deviations times the weights, summed."""
    total = np.zeros(len(deviations))
    for column, term in zip(deviations.T, terms.values(), strict=True):
        total += term.log_odds * column  # in a fixed order: a matrix product rounds equal rows differently
    return total.round(_DIGITS)


def log_gaps(gaps: int) -> float:
    """Return the natural logarithm of a number of gaps, of :data:`PRIOR_GAPS` at least: fewer have no rate."""
    return float(np.log(max(gaps, PRIOR_GAPS)))


def probabilities(evidence: Float64, length: float, number: NumberTerms = NUMBER) -> Float64:
    """Return the calibrated probability that each gap is a boundary.

    Args:
        evidence: ``(n_gaps,)`` sum of all terms of each gap.
        length: mean of ``ln(1 + characters)`` of the document's sentences.
        number: what was learned about the number of boundaries.

    Returns:
        ``(n_gaps,)`` float64, 0 to 1.
    """
    common = number.intercept + number.log_gaps * log_gaps(len(evidence)) + number.log_length * length
    shares: Float64 = 1 / (1 + np.exp(-(common + number.evidence * evidence)))
    return shares.round(_DIGITS)


def expected(probabilities: Float64) -> tuple[int, tuple[float, float]]:
    """Return how many boundaries the gaps of a document make likely, and how uncertain that number is.

    Args:
        probabilities: ``(n_gaps,)`` float64.

    Returns:
        The number, and the powers of two by which the true one differs from it in eight of ten documents.
    """
    number = EXPECTED_SHARE * float(probabilities.sum())
    strongest = np.sort(probabilities)[::-1][: max(round(number), 1)]
    evidence = float(strongest.mean()) if len(strongest) else 1.0
    share = COARSE_SHARE if evidence < WEAK_EVIDENCE else 1.0
    return round(share * number), _SPREADS[evidence >= _TELLING]
