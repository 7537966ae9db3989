"""Bootstrap intervals and paired tests over documents or questions.

All are seeded, and all take many columns (a measure of a strategy, or a difference of two) at once, with the same
draws for all of them.

Whoever compares many strategies gets some large differences by chance. :func:`joint` therefore widens the intervals of
all comparisons of a family by the distribution of their largest studentised error (max-T, Westfall and Young 1993; by
bootstrap as in Romano and Wolf 2005), so that with 95 % none of them misses; :func:`holm` corrects p-values.

Where documents or questions come in groups (strata), such as corpora, they may be drawn within their groups: what is
estimated is then the mean over these groups, and not over others that might have been chosen.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chunking.runtime.arrays import Float64, Int64

SEED = 0
RESAMPLES = 2000
"""Resamples of the bootstrap."""

PERMUTATIONS = 10_000
"""Sign flips of the test; where there are no more than these, all of them are taken and the p-value is exact."""

LEVEL = 0.95

_ROOM = 4_000_000
"""Numbers that are held at once."""


@dataclass(frozen=True, eq=False)
class JointIntervals:
    """Intervals of the ratios of a family of comparisons: ``(n_columns,)`` each, NaN where there is none.

    Attributes:
        low, high: of each comparison alone.
        joint_low, joint_high: of all comparisons together.
    """

    low: Float64
    high: Float64
    joint_low: Float64
    joint_high: Float64


def bootstrap(numerators: Float64, denominators: Float64, strata: Int64 | None = None) -> tuple[Float64, Float64]:
    """Return percentile intervals of ratios of sums over documents (Efron 1979; the percentile method).

    Documents are drawn with replacement, as many as there are. A mean is the ratio of the sum of values and the number
    of documents that have one.

    Args:
        numerators, denominators: ``(n_documents, n_columns)``; both 0 where a document does not count.
        strata: ``(n_documents,)`` int64, the group of each document, to draw as many of each group as it has (see
            :func:`strata_of`); ``None`` draws from all.

    Returns:
        Lower and upper ends, ``(n_columns,)`` each. NaN where fewer than two documents count: one says nothing of
        others. Resamples in which none counts are not looked at.
    """
    countable_columns = _countable(denominators)
    ratios = _resampled_ratios(numerators[:, countable_columns], denominators[:, countable_columns], strata)
    return _percentiles(ratios, countable_columns, numerators.shape[1])


def joint(
    numerators: Float64, denominators: Float64, families: Int64 | None = None, strata: Int64 | None = None
) -> JointIntervals:
    """Return intervals of ratios that are compared with each other: each alone, and simultaneous ones by max-T.

    Args:
        numerators, denominators, strata: as of :func:`bootstrap`.
        families: ``(n_columns,)`` int64, the family of each comparison; ``None``: all are one.
    """
    columns = numerators.shape[1]
    countable_columns = _countable(denominators)
    above, below = numerators[:, countable_columns], denominators[:, countable_columns]
    ratios = _resampled_ratios(above, below, strata)
    low, high = _percentiles(ratios, countable_columns, columns)
    mean = above.sum(axis=0) / below.sum(axis=0)
    error = _errors(above, below, mean, strata)
    families = np.zeros(columns, dtype=np.int64) if families is None else families
    reach = np.zeros(len(countable_columns))
    for family in np.unique(families[countable_columns]).tolist():
        columns_of_family = families[countable_columns] == family
        reach[columns_of_family] = (
            _critical(ratios[:, columns_of_family], mean[columns_of_family], error[columns_of_family])
            * error[columns_of_family]
        )
    ends = np.full((2, columns), np.nan)
    ends[:, countable_columns] = mean - reach, mean + reach
    return JointIntervals(low, high, ends[0], ends[1])


def strata_of(labels: Sequence[Hashable]) -> Int64 | None:
    """Return the strata of documents or questions with these groups; ``None`` where there is one stratum.

    Groups of a single member are one stratum together: alone, nothing could vary in them.
    """
    counts: dict[Hashable, int] = {}
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
    numbers: dict[Hashable, int] = {}
    single = object()
    strata = [numbers.setdefault(label if counts[label] > 1 else single, len(numbers)) for label in labels]
    return np.array(strata, dtype=np.int64) if len(numbers) > 1 else None


def _countable(denominators: Float64) -> Int64:
    """Return the columns in which two documents or more count."""
    return np.flatnonzero(np.count_nonzero(denominators, axis=0) >= 2)


def _resampled_ratios(numerators: Float64, denominators: Float64, strata: Int64 | None) -> Float64:
    """Return the ratios in each resample, NaN where no document counts: ``(n_resamples, n_columns)``."""
    if not numerators.shape[1]:
        return np.zeros((0, 0))
    pairs = [(w @ numerators, w @ denominators) for w in resamples(len(numerators), strata)]
    above, below = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    ratios: Float64 = np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)
    return ratios


def _percentiles(ratios: Float64, countable_columns: Int64, columns: int) -> tuple[Float64, Float64]:
    ends = np.full((2, columns), np.nan)
    if len(countable_columns):
        ends[:, countable_columns] = np.nanquantile(ratios, ((1 - LEVEL) / 2, (1 + LEVEL) / 2), axis=0)
    return ends[0], ends[1]


def _errors(numerators: Float64, denominators: Float64, mean: Float64, strata: Int64 | None) -> Float64:
    """Return the standard errors of ratios (linearised, as of a ratio estimator), with documents drawn by stratum."""
    residuals = numerators - mean * denominators
    variance = np.zeros(len(mean))
    for rows in _members(len(numerators), strata):
        variance += len(rows) * residuals[rows].var(axis=0, ddof=1) if len(rows) > 1 else 0.0
    return np.asarray(np.sqrt(variance) / denominators.sum(axis=0))


def _critical(ratios: Float64, mean: Float64, error: Float64) -> float:
    """Return how many standard errors no ratio misses by, with 95 %."""
    real = error > 0
    if not real.any():
        return 0.0
    largest = np.nan_to_num(np.abs((ratios[:, real] - mean[real]) / error[real])).max(axis=1)
    return float(np.quantile(largest, LEVEL))


def _members(documents: int, strata: Int64 | None) -> list[Int64]:
    """Return the places of the documents of each stratum."""
    if strata is None:
        return [np.arange(documents, dtype=np.int64)]
    return [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]


def resamples(documents: int, strata: Int64 | None = None) -> Iterator[Float64]:
    """Yield how often each document is drawn, one resample per row; within its stratum where there are several."""
    random = np.random.default_rng(SEED)
    block = max(1, _ROOM // documents)
    members = _members(documents, strata)
    for start in range(0, RESAMPLES, block):
        rows = min(block, RESAMPLES - start)
        counts = np.zeros((rows, documents))
        for members_of_stratum in members:
            size = len(members_of_stratum)
            draws = random.integers(0, size, (rows, size)) + size * np.arange(rows)[:, None]
            counts[:, members_of_stratum] = np.bincount(draws.ravel(), minlength=rows * size).reshape(rows, size)
        yield counts


def holm(p: Float64, families: Int64) -> Float64:
    """Return p-values corrected for the number of tests of their family (Holm 1979): they are never smaller.

    Args:
        p: ``(n_tests,)``; NaN is no test and stays.
        families: ``(n_tests,)`` int64.
    """
    corrected_p = p.copy()
    for family in np.unique(families).tolist():
        members = np.flatnonzero((families == family) & np.isfinite(p))
        order = members[np.argsort(p[members], kind="stable")]
        steps = p[order] * np.arange(len(order), 0, -1)
        corrected_p[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(order) else steps
    return corrected_p


def sign_flip(differences: Float64) -> Float64:
    """Return two-sided p-values of the paired permutation test (Fisher 1935; the mean is the statistic).

    If two strategies were equally good, each document's difference could as well have had the other sign. The p-value
    is the share of sign patterns whose mean is at least as far from 0 as the one observed: of all patterns where there
    are at most :data:`PERMUTATIONS`, else of that many at random with the observed one among them, so that it is never
    0. Several tests are several chances to err: :func:`holm` corrects for that.

    Args:
        differences: ``(n_documents, n_columns)``; 0 where a document does not count, which changes nothing.

    Returns:
        ``(n_columns,)``, 1 where no document differs.
    """
    p_values = np.ones(differences.shape[1])
    different = np.count_nonzero(differences, axis=0)
    few = different <= np.log2(PERMUTATIONS)
    for column in np.flatnonzero(few & (different > 0)).tolist():
        values = differences[:, column][differences[:, column] != 0]
        patterns = (np.arange(2 ** len(values))[:, None] >> np.arange(len(values))) & 1
        p_values[column] = _as_far((1 - 2 * patterns).astype(np.float64), values[:, None])[0] / len(patterns)
    sampled_columns = np.flatnonzero(~few)
    if len(sampled_columns):
        hits = sum(_as_far(signs, differences[:, sampled_columns]) for signs in _signs(len(differences)))
        p_values[sampled_columns] = (hits + 1) / (PERMUTATIONS + 1)
    return p_values


def _signs(documents: int) -> Iterator[Float64]:
    random = np.random.default_rng(SEED)
    block = max(1, _ROOM // documents)
    for start in range(0, PERMUTATIONS, block):
        rows = min(block, PERMUTATIONS - start)
        yield (1 - 2 * random.integers(0, 2, (rows, documents))).astype(np.float64)


def _as_far(signs: Float64, values: Float64) -> Float64:
    """Return how many sign patterns are at least as far from 0 as the observed one; sums equal within rounding tie."""
    slack = 1e-9 * np.abs(values).sum(axis=0)
    counts: Float64 = np.count_nonzero(np.abs(signs @ values) >= np.abs(values.sum(axis=0)) - slack, axis=0)
    return counts.astype(np.float64)
