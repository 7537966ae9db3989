"""Agreement of reviewers beyond chance, and the ceiling that it sets for strategies.

No strategy can be measured to be better than people agree: where they disagree, nobody can be right.

All random draws are seeded. Intervals come from resampling the positions of the one document (Efron's percentile
bootstrap): they tell the uncertainty for other positions like these, not for other people or documents.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from chunking.comparison import agreement
from chunking.comparison.report import DRAWS
from chunking.errors import ChunkscopeError
from chunking.evaluation.intervals import LEVEL, RESAMPLES, SEED
from chunking.reference.precision import Interval
from chunking.reference.state import Review
from chunking.review.reviewed import votes_at
from chunking.runtime.arrays import Float64, Int64
from chunking.sentences import Sentences

METRICS = ("boundary_similarity", "f1")
"""Measures of agreement between people: symmetric similarities, see :mod:`chunking.comparison.agreement`."""


@dataclass(frozen=True)
class AgreementEstimate:
    """An agreement, 1 at best.

    Attributes:
        value: of the measure.
        interval: its interval; ``None`` if fewer than two positions have a boundary.
        corrected: agreement beyond chance, see :func:`chunking.comparison.agreement.corrected`.
        corrected_interval: its interval, with the level of chance taken as known.
    """

    value: float
    interval: Interval | None
    corrected: float
    corrected_interval: Interval | None


@dataclass(frozen=True)
class Kappa:
    """Agreement in judgements beyond chance.

    Attributes:
        value: 1 at best, 0 at chance level; ``None`` if it is not defined.
        interval: ``None`` if there is none.
        places: number of positions judged by two or more reviewers.
        why: reason why it is not defined; else empty.
    """

    value: float | None
    interval: Interval | None
    places: int
    why: str = ""


@dataclass(frozen=True)
class Pair:
    """The agreement of two reviewers.

    Attributes:
        left, right: their names.
        agreed: number of positions with the same judgement, out of ``kappa.places`` that both judged.
        kappa: Cohen's (1960), on those positions.
        judged: by measure, on those positions alone; empty if there are none.
        whole: by measure, on all gaps, if both have declared the document complete; else empty.
    """

    left: str
    right: str
    agreed: int
    kappa: Kappa
    judged: Mapping[str, AgreementEstimate]
    whole: Mapping[str, AgreementEstimate]


@dataclass(frozen=True)
class Agreement:
    """The agreement of the reviewers of a document.

    Attributes:
        reviewers: their names.
        pairs: agreement of each two.
        kappa: Fleiss' (1971) of all, over the positions that two or more judged.
        why: reason why no agreement is defined; else empty.
    """

    reviewers: tuple[str, ...]
    pairs: tuple[Pair, ...]
    kappa: Kappa
    why: str = ""


ALONE = "Agreement needs at least two reviewers."
_NOTHING = "No position was judged by two reviewers."
_SAME = "All judgements are the same, so agreement beyond chance is undefined."


def agreement_of(reviews: Mapping[str, Review], axis: tuple[Sentences, Int64]) -> Agreement:
    """Return how far reviewers of a document agree.

    Places are gaps, by the rule of :func:`chunking.review.reviewed.resolve`.

    Args:
        reviews: by reviewer; those who judged nothing are left out.
        axis: the sentences, and ``(n_gaps,)`` int64 where each gap cuts the text.
    """
    votes = {name: votes_at(review.votes, axis) for name, review in reviews.items()}
    votes = {name: judgements for name, judgements in votes.items() if judgements}
    gaps, done = len(axis[1]), [name for name in votes if reviews[name].complete]
    cuts = [_cuts(votes[name]) for name in done]
    tables = {metric: _AgreementTable(cuts, gaps, metric) for metric in METRICS if gaps and len(done) > 1}
    pairs = []
    for left, right in combinations(votes, 2):
        both = (done.index(left), done.index(right)) if left in done and right in done else None
        whole = {metric: table.mean([both]) for metric, table in tables.items()} if both else {}
        pairs.append(_pair(left, right, votes[left], votes[right], gaps, whole))
    return Agreement(tuple(votes), tuple(pairs), fleiss([*votes.values()]), "" if len(votes) > 1 else ALONE)


def _pair(
    left: str,
    right: str,
    one: Mapping[int, bool],
    other: Mapping[int, bool],
    gaps: int,
    whole: Mapping[str, AgreementEstimate],
) -> Pair:
    positions = _ints(one.keys() & other.keys())
    verdicts = [(one[position], other[position]) for position in positions.tolist()]
    cuts = [np.intersect1d(_cuts(reviewer_votes), positions) for reviewer_votes in (one, other)]
    judged = {
        metric: _AgreementTable(cuts, gaps, metric, positions).mean([(0, 1)]) for metric in METRICS if gaps and verdicts
    }
    return Pair(left, right, sum(mine == hers for mine, hers in verdicts), cohen(verdicts), judged, whole)


def _ints(values: Collection[int]) -> Int64:
    return np.array(sorted(values), dtype=np.int64)


def _cuts(votes: Mapping[int, bool]) -> Int64:
    return _ints([position for position, boundary in votes.items() if boundary])


def cohen(pairs: Sequence[tuple[bool, bool]]) -> Kappa:
    """Return Cohen's kappa of two reviewers of the same positions, with its interval by bootstrap over positions."""
    if not pairs:
        return Kappa(None, None, 0, _NOTHING)
    counts = np.bincount([2 * one + other for one, other in pairs], minlength=4)
    samples = np.random.default_rng(SEED).multinomial(len(pairs), counts / len(pairs), RESAMPLES)

    def kappas(shares: Float64) -> Float64:
        neither, second, first, both = shares.T
        chance = (first + both) * (second + both) + (first + neither) * (second + neither)
        return _beyond(neither + both, chance)

    return _kappa(kappas(counts[None] / len(pairs))[0], kappas(samples / len(pairs)), len(pairs))


def fleiss(votes: Sequence[Mapping[int, bool]]) -> Kappa:
    """Return Fleiss' kappa of any number of reviewers, with its interval by bootstrap over positions.

    Not all reviewers need to have judged every position: a position counts if two or more have, with the share of pairs
    that agree, and the level of chance follows from the mean share of boundaries (as Gwet 2014 extends it to missing
    judgements). If all have judged every position, it is Fleiss' own.
    """
    verdicts_at: dict[int, list[bool]] = {}
    for reviewer_votes in votes:
        for position, boundary in reviewer_votes.items():
            verdicts_at.setdefault(position, []).append(boundary)
    several = [verdicts for verdicts in verdicts_at.values() if len(verdicts) > 1]
    if not several:
        return Kappa(None, None, 0, _NOTHING if len(votes) > 1 else ALONE)
    judges = np.array([len(verdicts) for verdicts in several], dtype=np.float64)
    yes = np.array([sum(verdicts) for verdicts in several], dtype=np.float64)
    no = judges - yes
    agreed = (yes * (yes - 1) + no * (no - 1)) / (judges * (judges - 1))
    columns = np.stack([agreed, yes / judges], axis=1)

    def kappas(means: Float64) -> Float64:
        return _beyond(means[:, 0], means[:, 1] ** 2 + (1 - means[:, 1]) ** 2)

    samples = np.concatenate([weights @ columns for weights in _resamples(len(several), len(several))]) / len(several)
    return _kappa(kappas(columns.mean(axis=0)[None])[0], kappas(samples), len(several))


def _beyond(observed: Float64, chance: Float64) -> Float64:
    """Return kappa; NaN if the level of chance is perfect agreement."""
    open_ = chance < 1 - 1e-12
    return np.where(open_, (observed - chance) / np.where(open_, 1 - chance, 1.0), np.nan)


def _kappa(value: float, samples: Float64, count: int) -> Kappa:
    if np.isnan(value):
        return Kappa(None, None, count, _SAME)
    return Kappa(float(value), _interval(samples[~np.isnan(samples)]) if count > 1 else None, count)


def _interval(samples: Float64) -> Interval | None:
    if not len(samples):
        return None
    low, high = np.quantile(samples, ((1 - LEVEL) / 2, (1 + LEVEL) / 2)).tolist()
    return low, high


# --- the ceiling ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ceiling:
    """The agreement of people with each other, and of strategies with people.

    Attributes:
        metric: the measure.
        people: mean over all pairs of people: the highest value a strategy can be measured to reach. ``None`` with
            fewer than two people.
        reviewers: each person's mean with the others; empty with fewer than two people.
        strategies: each strategy's mean with the people.
        differences: each strategy minus the people; an interval below 0 means that people agree better with each other
            than with it. Empty with fewer than two people.
        why: reason why it is not defined; else empty.
    """

    metric: str
    people: AgreementEstimate | None
    reviewers: Mapping[str, AgreementEstimate]
    strategies: Mapping[str, AgreementEstimate]
    differences: Mapping[str, AgreementEstimate]
    why: str = ""


def ceiling(
    people: Mapping[str, Int64],
    strategies: Mapping[str, Int64],
    units: int,
    metric: str = "boundary_similarity",
    positions: Int64 | None = None,
) -> Ceiling:
    """Return the agreement of people with each other, and of strategies with people.

    Everybody is compared with single people and never with a reference that they contributed to, so people and
    strategies are measured against the same, and no strategy gains from a reference that averages all reviews. People
    who saw what a strategy proposed agree with it more than they otherwise would; only blind reviews are free of that.

    Args:
        people: boundaries of everybody who has completed the review, as ascending gaps.
        strategies: boundaries of strategies, likewise.
        units: number of sentences of the document.
        metric: one of :data:`METRICS`.
        positions: the gaps that all people judged, if they have not completed it: nothing else is compared. If a
            strategy proposed these, they say little about other strategies, which cut elsewhere.

    Raises:
        ChunkscopeError: the measure is unknown, or a segmentation does not fit the number of units.
    """
    if metric not in METRICS:
        raise ChunkscopeError(f"There is no measure {metric!r:.40} of people.", f"There are: {', '.join(METRICS)}.")
    cuts = [*people.values(), *strategies.values()]
    if positions is not None:
        cuts = [np.intersect1d(boundaries, positions) for boundaries in cuts]
    table = _AgreementTable(cuts, max(units - 1, 0), metric, positions)
    persons = range(len(people))
    with_people = {name: [(person, index) for person in persons] for index, name in enumerate(strategies, len(people))}
    measured = {name: table.mean(pairs) for name, pairs in with_people.items()} if people else {}
    if len(people) < 2:
        return Ceiling(metric, None, {}, measured, {}, ALONE if people else "Nobody has finished.")
    each_two = list(combinations(persons, 2))
    return Ceiling(
        metric,
        table.mean(each_two),
        {name: table.mean([pair for pair in each_two if index in pair]) for index, name in enumerate(people)},
        measured,
        {name: table.mean(pairs, each_two) for name, pairs in with_people.items()},
    )


class _AgreementTable:
    """A measure of all pairs of segmentations, with its level of chance and resamples of positions.

    Args:
        cuts: ascending gaps of each segmentation.
        gaps: number of gaps of the document.
        metric: one of :data:`METRICS`.
        positions: the only gaps that are compared; ``None``: all.
    """

    def __init__(self, cuts: Sequence[Int64], gaps: int, metric: str, positions: Int64 | None = None) -> None:
        if positions is not None and len(positions):
            # Gaps that were not looked at only keep others apart, for which one of them is enough.
            distances = np.diff(positions, prepend=positions[0])
            shorter = np.cumsum(np.minimum(distances, agreement.NEAR))
            cuts = [shorter[np.searchsorted(positions, boundaries)] for boundaries in cuts]
            positions, gaps = shorter, int(shorter[-1]) + 1
        self.size = gaps if positions is None else len(positions)
        self.pairs = {pair: column for column, pair in enumerate(combinations(range(len(cuts)), 2))}
        parts = [_parts(cuts[one], cuts[other], gaps, metric) for one, other in self.pairs]
        empty = np.zeros((gaps, 0))
        self.credit, self.edits = (np.stack([part[side] for part in parts], 1) if parts else empty for side in (0, 1))
        if positions is None:
            chances = agreement.agreement_matrix(cuts, gaps + 1, metric, draws=DRAWS[metric], seed=SEED).chance
        else:
            chances = _chance_at(cuts, gaps, metric, positions)
        self.chance = np.array([chances[pair] for pair in self.pairs])

    @cached_property
    def drawn(self) -> Float64:
        """Return ``(resamples, n_pairs)`` values of the measure of each pair in each resample of the positions."""
        with_edits = np.flatnonzero(self.edits.any(axis=1))
        credit, edits = self.credit[with_edits], self.edits[with_edits]
        return np.concatenate([_ratio(rows @ credit, rows @ edits) for rows in _resamples(len(with_edits), self.size)])

    def mean(self, pairs: Sequence[tuple[int, int]], less: Sequence[tuple[int, int]] = ()) -> AgreementEstimate:
        """Return the mean over some pairs, minus the mean over others."""
        weights = np.zeros(len(self.pairs))
        for group, sign in ((pairs, 1), (less, -1)):
            for pair in group:
                weights[self.pairs[pair]] += sign / len(group)
        values = _ratio(self.credit.sum(axis=0), self.edits.sum(axis=0))
        value, corrected = (
            float(pair_values @ weights) for pair_values in (values, agreement.corrected(values, self.chance, 1.0))
        )
        if np.count_nonzero(self.edits[:, weights != 0].any(axis=1)) < 2:
            return AgreementEstimate(value, None, corrected, None)
        in_draws = agreement.corrected(self.drawn, self.chance, 1.0)
        return AgreementEstimate(value, _interval(self.drawn @ weights), corrected, _interval(in_draws @ weights))


def _ratio(credit: Float64, edits: Float64) -> Float64:
    """Return the similarity; 1 for two segmentations without any boundary."""
    return np.where(edits > 0, credit / np.where(edits > 0, edits, 1.0), 1.0)


def _parts(one: Int64, other: Int64, gaps: int, metric: str) -> tuple[Float64, Float64]:
    credit, edits = np.zeros(gaps), np.zeros(gaps)
    shared = np.intersect1d(one, other)
    if metric == "f1":
        credit[shared] = 2
        for cuts in (one, other):
            edits[cuts] += 1
        return credit, edits
    credit[shared] = edits[shared] = 1
    side = np.zeros(gaps + 1, dtype=np.int8)
    side[one] += 1
    side[other] -= 1
    paired_gap = -1
    for gap in np.flatnonzero(side).tolist():
        if gap == paired_gap:
            continue
        edits[gap] = 1
        if side[gap] * side[gap + 1] < 0:  # a near miss is one edit, of half a boundary
            credit[gap] = 1 - 1 / agreement.NEAR
            paired_gap = gap + 1
    return credit, edits


def _chance_at(cuts: Sequence[Int64], gaps: int, metric: str, positions: Int64) -> Float64:
    """Return ``(k, k)`` means with the boundaries of either placed at random among the positions."""
    draws = DRAWS[metric]
    rows = np.zeros((len(cuts), draws, gaps), dtype=np.uint8)
    for row, boundaries in zip(rows, cuts, strict=True):
        bits = np.isin(positions, boundaries).astype(np.uint8)
        row[:, positions] = np.random.default_rng(SEED).permuted(np.tile(bits, (draws, 1)), axis=1)
    if not len(cuts):
        return np.zeros((0, 0))
    table = agreement.METRICS[metric].table(list(cuts), rows.reshape(-1, gaps), 0)
    mean = table.reshape(len(cuts), len(cuts), draws).mean(axis=2)
    both: Float64 = (mean + mean.T) / 2
    return both


_ROOM = 4_000_000
"""Maximum number of values held in memory at once."""


def _resamples(edited_count: int, count: int) -> Iterator[Float64]:
    """Yield resamples in rows: how often each compared position is drawn, when as many are drawn as there are."""
    random = np.random.default_rng(SEED)
    shares = [1 / count] * edited_count + [max(1 - edited_count / count, 0.0)]
    block = max(1, _ROOM // (edited_count + 1))
    for start in range(0, RESAMPLES, block):
        rows = min(block, RESAMPLES - start)
        yield random.multinomial(count, shares, rows)[:, :edited_count].astype(np.float64)
