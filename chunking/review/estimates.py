"""What a review says of a strategy: its precision and, where the review is blind, its recall and F1.

The intervals hold for a fair sample of the places; :mod:`chunking.review.candidates` says which order gives one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunking.reference.precision import LEVEL, Interval, Precision, limits, precision
from chunking.reference.state import Review
from chunking.review.candidates import Candidate


@dataclass(frozen=True)
class Estimate:
    """An estimated share.

    Attributes:
        value: ``None`` if it cannot be estimated.
        interval: its confidence interval.
        why: reason why it cannot be estimated; else empty.
    """

    value: float | None
    interval: Interval = (0.0, 1.0)
    why: str = ""


@dataclass(frozen=True)
class BlindEstimates:
    """Scores of a strategy estimated from a blind review.

    Attributes:
        precision: share of its cuts that are boundaries.
        missed: share of the other gaps that are boundaries.
        recall: share of all boundaries that it cuts.
        f1: harmonic mean of precision and recall.
    """

    precision: Precision
    missed: Precision
    recall: Estimate
    f1: Estimate


def of_candidates(candidates: Sequence[Candidate], review: Review, level: float = LEVEL) -> Precision:
    """Return the precision of the strategy whose cuts are among the candidates; mixed-in gaps do not count."""
    votes = [review.votes.get(candidate.offset) for candidate in candidates if candidate.proposed]
    return precision(votes.count(True), votes.count(False), len(votes), level)


def of_blind(candidates: Sequence[Candidate], review: Review, total_gaps: int, level: float = LEVEL) -> BlindEstimates:
    """Return recall and F1 of a strategy from a review in which gaps that it does not cut are mixed in.

    The cuts and the other gaps are two strata, each with its own share of boundaries. The judged ones are a sample of
    their stratum, so its number of boundaries is estimated by its share times its size. Recall and F1 grow with the
    right cuts and fall with the missed boundaries, so their intervals run from one corner to the other of the exact
    intervals of both shares, each at 1 − (1 − ``level``) ÷ 2 (Bonferroni): wide, but never too short.

    Args:
        candidates: all of them, judged or not.
        review: the judgements.
        total_gaps: number of gaps of the document.
    """
    others = [review.votes.get(candidate.offset) for candidate in candidates if not candidate.proposed]
    cut = {candidate.gap for candidate in candidates if candidate.proposed}
    uncut = max(total_gaps - len(cut), len(others))
    at_cuts, elsewhere = (
        of_candidates(candidates, review, level),
        precision(others.count(True), others.count(False), uncut, level),
    )
    why = ""
    if at_cuts.total and at_cuts.value is None:
        why = "No cut was judged."
    elif uncut and elsewhere.value is None:
        why = "No gap that the strategy does not cut was judged: what it misses shows only in a blind review."
    elif not at_cuts.accepted and not elsewhere.accepted:
        why = "No boundary was found so far, neither at a cut nor elsewhere."
    if why:
        return BlindEstimates(at_cuts, elsewhere, Estimate(None, why=why), Estimate(None, why=why))
    narrow = 1 - (1 - level) / 2
    right = _counts(at_cuts.accepted, at_cuts.judged, at_cuts.total, narrow)
    lost = _counts(elsewhere.accepted, elsewhere.judged, elsewhere.total, narrow)
    return BlindEstimates(
        at_cuts,
        elsewhere,
        Estimate(_recall(right[0], lost[0]), (_recall(right[1], lost[2]), _recall(right[2], lost[1]))),
        Estimate(
            _f1(right[0], lost[0], at_cuts.total),
            (_f1(right[1], lost[2], at_cuts.total), _f1(right[2], lost[1], at_cuts.total)),
        ),
    )


def _counts(right: int, judged: int, total: int, level: float) -> tuple[float, float, float]:
    """Return the estimated, the least and the largest number among all."""
    return (total * right / judged, *limits(right, judged, total, level)) if judged else (0.0, 0.0, float(total))


def _recall(right: float, missed: float) -> float:
    return right / (right + missed) if right + missed else 0.0


def _f1(right: float, missed: float, cuts: int) -> float:
    return 2 * right / (cuts + right + missed) if cuts + right + missed else 0.0
