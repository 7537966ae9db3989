"""Agreement of random cuts, and of every pair of segmentations beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chunking.comparison.agreement.measures import check_tolerance, checked, dense_rows
from chunking.comparison.agreement.metrics import Metric, get_metric
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float64, Int64


def random_cuts(cuts: Int64, units: int, draws: int, seed: int) -> Int64:
    """Return segmentations whose segments have the same lengths, in random order.

    Args:
        cuts: the segmentation.
        units: number of units.
        draws: number of segmentations wanted.
        seed: the same seed and segmentation give the same draws, whatever else is drawn.

    Returns:
        ``(draws, n_boundaries)`` int64, each row a segmentation.

    Raises:
        ChunkscopeError: the segmentation is not one of that many units, or ``draws`` or ``seed`` is negative.
    """
    if draws < 0 or seed < 0:
        raise ChunkscopeError(f"Draws ({draws}) and seed ({seed}) must not be negative.")
    checked_cuts = checked(cuts, units)
    lengths = np.diff(checked_cuts, prepend=-1, append=max(units - 1, 0))
    orders = np.random.default_rng(seed).permuted(np.tile(lengths, (draws, 1)), axis=1)
    ends: Int64 = np.cumsum(orders[:, :-1], axis=1, dtype=np.int64) - 1
    return ends


@dataclass(frozen=True)
class Chance:
    """A measure with its values for random cuts of the same sizes.

    Attributes:
        value: the measure.
        mean: its mean over the draws.
        low, high: the range that holds 95 % of the draws.
        corrected: see :func:`corrected`.
    """

    value: float
    mean: float
    low: float
    high: float
    corrected: float


def corrected(value: npt.ArrayLike, chance: npt.ArrayLike, best: float) -> Float64:
    """Return agreement beyond chance: (value − chance) ÷ (best − chance), in the manner of Cohen's kappa.

    1 is perfect agreement, 0 what chance gives, below 0 less than that (without a lower limit); for an error as for a
    similarity. Where chance alone is perfect (no boundary at all, or one at every gap) there is nothing beyond it,
    and the result is 0.
    """
    values, chances = np.asarray(value, dtype=np.float64), np.asarray(chance, dtype=np.float64)
    room = best - chances
    has_room = np.abs(room) > 1e-12
    return np.where(has_room, (values - chances) / np.where(has_room, room, 1.0), 0.0)


def chance(
    reference: Int64,
    hypothesis: Int64,
    units: int,
    metric: str,
    tolerance: int = 0,
    draws: int = 100,
    seed: int = 0,
) -> Chance:
    """Return a measure of one pair, and what it is when the hypothesis is replaced by random cuts of the same sizes.

    Raises:
        ChunkscopeError: as :func:`agreement_matrix`.
    """
    _check_draws(draws)
    check_tolerance(tolerance)
    measure = get_metric(metric)
    left, right = checked(reference, units), checked(hypothesis, units)
    rows = dense_rows([right, *random_cuts(right, units, draws, seed)], units)
    values = measure.table([left], rows, tolerance)[0]
    mean, (low, high) = float(values[1:].mean()), np.quantile(values[1:], _RANGE).tolist()
    return Chance(float(values[0]), mean, low, high, float(corrected(values[0], mean, measure.best)))


_RANGE = (0.025, 0.975)


def _check_draws(draws: int) -> None:
    if draws < 1:
        raise ChunkscopeError(f"Chance cannot be estimated from {draws} draws.", "It takes a whole number from 1 on.")


@dataclass(frozen=True, eq=False)
class AgreementMatrix:
    """A measure of every pair of *k* segmentations; rows are references, columns hypotheses.

    Attributes:
        metric: the measure.
        values: ``(k, k)`` float64.
        chance: ``(k, k)`` float64, the mean over the draws.
        chance_low, chance_high: ``(k, k)`` float64, the range that holds 95 % of the draws.
        corrected: ``(k, k)`` float64, see :func:`corrected`.
    """

    metric: Metric
    values: Float64
    chance: Float64
    chance_low: Float64
    chance_high: Float64
    corrected: Float64


def agreement_matrix(
    segmentations: Sequence[Int64],
    units: int,
    metric: str,
    tolerance: int = 0,
    draws: int = 100,
    seed: int = 0,
) -> AgreementMatrix:
    """Return the agreement of each pair of segmentations, with chance.

    For chance, the hypothesis of a pair is replaced by ``draws`` segmentations with its segment lengths in random
    order. In a symmetric measure neither of the two is the hypothesis, so each is replaced in turn and the draws are
    taken together: the matrix is symmetric too.

    Args:
        segmentations: ``k`` ascending arrays of gaps.
        units: number of units.
        metric: a name of :data:`METRICS`.
        tolerance: gaps that two matched boundaries may lie apart, where the measure takes one.
        draws: segmentations drawn for each.
        seed: of the draws. What is drawn for a segmentation depends on it and the seed alone.

    Raises:
        ChunkscopeError: there is no such measure, a segmentation is not one of that many units, or a number is out
            of range.
    """
    _check_draws(draws)
    check_tolerance(tolerance)
    measure = get_metric(metric)
    cuts_by_row = [checked(cuts, units) for cuts in segmentations]
    k = len(cuts_by_row)
    if not k:
        return AgreementMatrix(measure, *(np.zeros((0, 0)) for _ in range(5)))
    random_rows = np.zeros((k, draws, max(units - 1, 0)), dtype=np.uint8)
    for bits, cuts in zip(random_rows, cuts_by_row, strict=True):
        np.put_along_axis(bits, random_cuts(cuts, units, draws, seed), 1, axis=1)
    values = measure.table(cuts_by_row, dense_rows(cuts_by_row, units), tolerance)
    by_chance = measure.table(cuts_by_row, random_rows.reshape(k * draws, -1), tolerance).reshape(k, k, draws)
    if measure.symmetric:
        by_chance = np.concatenate([by_chance, by_chance.swapaxes(0, 1)], axis=2)
    mean = by_chance.mean(axis=2)
    low, high = np.quantile(by_chance, _RANGE, axis=2)
    return AgreementMatrix(measure, values, mean, low, high, corrected(values, mean, measure.best))
