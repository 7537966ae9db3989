"""Bootstrap intervals and paired tests over documents.

Both are seeded, and both take many columns (a measure of a strategy, or a difference of two) at once, with the same
draws for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from chunking.runtime.arrays import Float64

SEED = 0
RESAMPLES = 2000
"""Resamples of the bootstrap."""

PERMUTATIONS = 10_000
"""Sign flips of the test; where there are no more than these, all of them are taken and the p-value is exact."""

LEVEL = 0.95

_ROOM = 4_000_000
"""Numbers that are held at once."""


def bootstrap(numerators: Float64, denominators: Float64) -> tuple[Float64, Float64]:
    """Return percentile intervals of ratios of sums over documents (Efron 1979; the percentile method).

    Documents are drawn with replacement, as many as there are. A mean is the ratio of the sum of values and the number
    of documents that have one.

    Args:
        numerators, denominators: ``(n_documents, n_columns)``; both 0 where a document does not count.

    Returns:
        Lower and upper ends, ``(n_columns,)`` each. NaN where fewer than two documents count: one says nothing of
        others. Resamples in which none counts are not looked at.
    """
    counts = np.count_nonzero(denominators, axis=0)
    low = np.full(numerators.shape[1], np.nan)
    high = low.copy()
    known = np.flatnonzero(counts >= 2)
    if len(known):
        pairs = [(w @ numerators[:, known], w @ denominators[:, known]) for w in resamples(len(numerators))]
        above, below = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
        means = np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)
        tail = (1 - LEVEL) / 2
        low[known], high[known] = np.nanquantile(means, (tail, 1 - tail), axis=0)
    return low, high


def resamples(documents: int) -> Iterator[Float64]:
    """Yield how often each document is drawn, one resample per row."""
    random = np.random.default_rng(SEED)
    block = max(1, _ROOM // documents)
    for start in range(0, RESAMPLES, block):
        rows = min(block, RESAMPLES - start)
        drawn = random.integers(0, documents, (rows, documents)) + documents * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * documents).reshape(rows, documents).astype(np.float64)


def sign_flip(differences: Float64) -> Float64:
    """Return two-sided p-values of the paired permutation test (Fisher 1935; the mean is the statistic).

    If two strategies were equally good, each document's difference could as well have had the other sign. The p-value
    is the share of sign patterns whose mean is at least as far from 0 as the one observed: of all patterns where there
    are at most :data:`PERMUTATIONS`, else of that many at random with the observed one among them, so that it is never
    0. Several tests are several chances to err: the values are not corrected for that.

    Args:
        differences: ``(n_documents, n_columns)``; 0 where a document does not count, which changes nothing.

    Returns:
        ``(n_columns,)``, 1 where no document differs.
    """
    found = np.ones(differences.shape[1])
    different = np.count_nonzero(differences, axis=0)
    few = different <= np.log2(PERMUTATIONS)
    for column in np.flatnonzero(few & (different > 0)).tolist():
        values = differences[:, column][differences[:, column] != 0]
        patterns = (np.arange(2 ** len(values))[:, None] >> np.arange(len(values))) & 1
        found[column] = _as_far((1 - 2 * patterns).astype(np.float64), values[:, None])[0] / len(patterns)
    many = np.flatnonzero(~few)
    if len(many):
        hits = sum(_as_far(signs, differences[:, many]) for signs in _signs(len(differences)))
        found[many] = (hits + 1) / (PERMUTATIONS + 1)
    return found


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
