"""The setting that a reference supports, with an unbiased estimate of its quality.

The best of 50,500 settings looks better on the data it was chosen on than it is: part of its advantage is
chance. So an honest score is given beside that apparent one, by nested cross-validation (Varma and Simon 2006; Cawley
and Talbot 2010): each unit is scored at the setting that is best on all *other* units. The region around the best
holds the settings that do not differ significantly from it. On synthetic sets of 8 to 20 documents, or of one, whose
best setting is known, the apparent F1 was 3 to 7 points above the honest one, and the region held the best in 95 % of
sets or more (``benchmarks/tuning.py``).

Units are documents, where at least :data:`~chunking.tuning.units.ENOUGH` have a reference; a score is then the mean
over documents, as in :mod:`chunking.evaluation`. Else they are contiguous parts of the documents with about equal
numbers of gaps. What the measure counts is then added up over them (hits, cuts and reference boundaries, or wrong
windows, each in the part of its first gap), so that all parts of a document together have its score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, get_args

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.evaluation import intervals
from chunking.runtime.arrays import Bools, Float32, Float64
from chunking.strategies.gaps import StructuralParameters
from chunking.tuning import plane
from chunking.tuning.landscape import ALPHAS, PERCENTILES
from chunking.tuning.units import ENOUGH, Measure, ReferenceCurves, Units, pseudo_values, ratio_of, units_of

GridPoint = tuple[float, float]
"""α and percentile."""

USUAL: GridPoint = (StructuralParameters().alpha, StructuralParameters().percentile)
"""The default of the strategy."""

FLIPS = 1024
"""Sign patterns that the region is found with; all there are of up to ten units."""

FEW = 20
"""Reference boundaries below which the figures come with a warning."""

_EQUAL = 1e-6
"""Scores that are no farther apart than this are one."""

_CELLS = 8192
"""Settings whose sign patterns are worked on at once."""

_RISK = 1 - intervals.LEVEL


@dataclass(frozen=True)
class ScoreEstimate:
    """A value with its 95 % bootstrap interval over units; both ends are NaN where fewer than two count."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Fold:
    """One unit, scored at the setting that is best on all others.

    Attributes:
        name: of the document, with the number of the part where there are several; of a group, its first document.
        setting: what the others chose.
        score: the measure of this unit there; NaN where nothing of it counts.
        usual: the same at the usual setting.
    """

    name: str
    setting: GridPoint
    score: float
    usual: float


@dataclass(frozen=True, eq=False)
class Choice:
    """The setting that a reference supports.

    Attributes:
        measure: ``"f1"``, higher is better, or ``"pk"``, lower is.
        alphas: ``(A,)`` float64.
        percentiles: ``(P,)`` float64.
        mean: ``(A, P)`` float32, the measure over all units at each setting.
        best: the middle of the best settings, see :func:`plateau_center`.
        apparent: its measure on the same data, which is biased upwards.
        honest: the cross-validated measure: each unit at the setting that the others chose; NaN of a single unit.
        folds: those choices, a unit each; none of a single unit.
        usual: the setting that all is compared with, of those the controls take the nearest.
        usual_score: its measure.
        difference: honest − usual, paired by units. That the choices share most of their units is not in its interval.
        p: of the paired permutation test of that difference, see :func:`chunking.evaluation.intervals.sign_flip`; 1 of
            a single unit.
        better: 1 where the honest choice is better than the usual setting, −1 where it is worse: its interval leaves
            out 0 and p is below 0.05; else 0.
        verdict: ``better`` in words.
        region: ``(A, P)`` bool, the settings without significant difference from the best.
        unit: the kind of unit.
        units: their number.
        documents: documents that count.
        n_boundaries: reference boundaries in them.
        warnings: reasons to distrust the result.
    """

    measure: Measure
    alphas: Float64
    percentiles: Float64
    mean: Float32
    best: GridPoint
    apparent: float
    honest: ScoreEstimate
    folds: tuple[Fold, ...]
    usual: GridPoint
    usual_score: float
    difference: ScoreEstimate
    p: float
    better: int
    verdict: str
    region: Bools
    unit: Literal["document", "part"]
    units: int
    documents: int
    n_boundaries: int
    warnings: tuple[str, ...]


def choose(curves: Sequence[ReferenceCurves], measure: Measure = "f1", usual: GridPoint = USUAL) -> Choice:
    """Find the setting that a reference supports, with its uncertainty.

    Args:
        curves: the documents. Those without a gap do not count, nor for F1 those without a reference boundary.
        measure: ``"f1"`` (exact boundaries) or ``"pk"``.
        usual: what to compare with.

    Raises:
        ChunkscopeError: no document counts, its curves or its reference are invalid, or the usual setting is out of
            range.
    """
    if measure not in get_args(Measure):
        raise ChunkscopeError(f"Unknown measure {measure!r:.60}.", "Choose one of: f1, pk.")
    _check(usual)
    counted_curves = [
        document for document in curves if len(document.semantic) and (len(document.reference) or measure == "pk")
    ]
    if not any(len(document.reference) for document in counted_curves):
        raise ChunkscopeError(
            "No document has a reference boundary, so no setting can be chosen.", "Add reference boundaries."
        )
    units = units_of(counted_curves, measure)
    sign = 1 if measure == "f1" else -1
    overall = units.score(units.totals)
    best, default_cell = (
        plateau_center(sign * overall),
        (plane.nearest(ALPHAS, usual[0]), plane.nearest(PERCENTILES, usual[1])),
    )
    validation = _cross_validate(units, default_cell, sign)
    return Choice(
        measure=measure,
        alphas=ALPHAS,
        percentiles=PERCENTILES,
        mean=overall.astype(np.float32),
        best=_grid_point(best),
        apparent=float(overall[best]),
        honest=validation.honest,
        folds=validation.folds,
        usual=_grid_point(default_cell),
        usual_score=float(overall[default_cell]),
        difference=validation.difference,
        p=validation.p,
        better=validation.better,
        verdict=_verdict(validation, _grid_point(default_cell), sign),
        region=_region(units, best, sign),
        unit=units.unit,
        units=len(units.names),
        documents=len(counted_curves),
        n_boundaries=sum(len(document.reference) for document in counted_curves),
        warnings=_warnings(curves, counted_curves, units),
    )


def _check(usual: GridPoint) -> None:
    for name, value, stops in (("α", usual[0], ALPHAS), ("percentile", usual[1], PERCENTILES)):
        if not stops[0] <= value <= stops[-1]:
            raise ChunkscopeError(
                f"Invalid {name} to compare with: {value:g}.", f"Give a number from {stops[0]:g} to {stops[-1]:g}."
            )


def _grid_point(cell: tuple[int, int]) -> GridPoint:
    return float(ALPHAS[cell[0]]), float(PERCENTILES[cell[1]])


# --- the best setting -----------------------------------------------------------------------------------------------


def plateau_center(score: Float64) -> tuple[int, int]:
    """Return row and column of the middle of the best settings.

    Of those that share the highest score the largest connected patch is taken (the first from low α, where two are
    equal), and of that the setting that is farthest from the patch's edge, each axis being 1 long and its ends edges
    too; of several the one nearest to their mean, then that of the lowest α and percentile.

    Args:
        score: ``(A, P)`` float64, higher is better.
    """
    ndimage: Any = import_module("scipy.ndimage")  # takes a moment, and has no types
    labels, _ = ndimage.label(score >= score.max() - _EQUAL)
    patch = labels == np.bincount(labels[labels > 0]).argmax()
    rows, columns = (np.flatnonzero(patch.any(axis=axis)) for axis in (1, 0))
    corner = rows[0], columns[0]
    inner = np.pad(patch[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], 1)
    sampling = tuple(1 / max(size - 1, 1) for size in score.shape)
    depth = ndimage.distance_transform_edt(inner, sampling=sampling)[1:-1, 1:-1]
    deepest = np.argwhere(depth >= depth.max() - 1e-12)
    away = (((deepest - deepest.mean(axis=0)) * sampling) ** 2).sum(axis=1)
    row, column = deepest[int(away.round(12).argmin())].tolist()
    return int(corner[0]) + row, int(corner[1]) + column


# --- cross-validation -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _CrossValidation:
    """The results of nested cross-validation; see :class:`Choice`."""

    honest: ScoreEstimate
    difference: ScoreEstimate
    p: float
    better: int
    folds: tuple[Fold, ...]


def _cross_validate(units: Units, default_cell: tuple[int, int], sign: int) -> _CrossValidation:
    """Score each unit at the setting that the others choose, and at the usual setting."""
    if len(units.names) < 2:
        unknown = ScoreEstimate(float("nan"), float("nan"), float("nan"))
        return _CrossValidation(unknown, unknown, 1.0, 0, ())
    cells = [plateau_center(sign * units.score(units.without(unit))) for unit in range(len(units.names))]
    ours, usuals = units.at(cells), units.at([default_cell] * len(cells))
    differences = (pseudo_values(*ours) - pseudo_values(*usuals))[:, None]
    difference = _estimate(differences, np.ones_like(differences))
    p = float(intervals.sign_flip(differences)[0])
    is_significant = p < _RISK and difference.low * difference.high > 0
    better = sign * int(np.sign(difference.value)) if is_significant else 0
    honest = _estimate(ours[0][:, None], ours[1][:, None])
    return _CrossValidation(honest, difference, p, better, _folds(units, cells, ours, usuals))


def _estimate(above: Float64, below: Float64) -> ScoreEstimate:
    low, high = intervals.bootstrap(above, below)
    return ScoreEstimate(ratio_of(above.sum(), below.sum()), float(low[0]), float(high[0]))


def _verdict(validation: _CrossValidation, usual: GridPoint, sign: int) -> str:
    """Return the verdict in words; an improvement is positive also for errors."""
    name = f"α {usual[0]:g} and percentile {usual[1]:g}"
    if not validation.folds:
        return f"A single unit cannot show whether another setting is better than {name}."
    better, difference = validation.better, validation.difference
    gain, low, high = sign * difference.value, *sorted((sign * difference.low, sign * difference.high))
    if not better:
        interval = f"[{_format_signed(low)}, {_format_signed(high)}]"
        return f"No significant difference from {name}: {_format_signed(gain)} {interval}."
    if better < 0:
        gain, low, high = -gain, -high, -low
    return f"{'Better' if better > 0 else 'Worse'} than {name} by {gain:.3f} [{low:.3f}, {high:.3f}]."


def _format_signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")


def _folds(
    units: Units,
    cells: Sequence[tuple[int, int]],
    ours: tuple[Float64, Float64],
    usuals: tuple[Float64, Float64],
) -> tuple[Fold, ...]:
    scores, usual_scores = ([ratio_of(*pair) for pair in zip(*parts, strict=True)] for parts in (ours, usuals))
    rows = zip(units.names, cells, scores, usual_scores, strict=True)
    return tuple(Fold(name, _grid_point(cell), score, usual) for name, cell, score, usual in rows)


def _warnings(
    curves: Sequence[ReferenceCurves], counted_curves: Sequence[ReferenceCurves], units: Units
) -> tuple[str, ...]:
    warnings = []
    n_boundaries, number = sum(len(document.reference) for document in counted_curves), len(units.names)
    if len(counted_curves) < len(curves):
        n_left_out = len(curves) - len(counted_curves)
        warnings.append(
            f"{n_left_out:,} document{'s have' if n_left_out > 1 else ' has'} no reference boundary and "
            f"{_do(n_left_out)} not count."
        )
    if n_boundaries < FEW:
        warnings.append(
            f"{n_boundaries} reference boundar{'ies are' if n_boundaries > 1 else 'y is'} too few: "
            "a single one changes the choice."
        )
    if number < 2:
        warnings.append("There is only one unit, so the result cannot be generalized.")
    elif number < ENOUGH:
        warnings.append(f"{number} units are too few to distinguish any setting from the best.")
    if units.unit == "part" and number >= 2:
        warnings.append(
            f"The units are {number} parts of {_documents_in_words(len(counted_curves))}: the result holds for texts "
            "like these, and neighbouring parts are similar, so the intervals may be too narrow."
        )
    if units.unit == "document" and number < len(counted_curves):
        warnings.append(f"The {len(counted_curves):,} documents are evaluated in {number} groups.")
    return tuple(warnings)


def _do(number: int) -> str:
    return "do" if number > 1 else "does"


def _documents_in_words(number: int) -> str:
    return "one document" if number == 1 else f"{number} documents"


# --- the region around the best --------------------------------------------------------------------------------------


def _region(units: Units, best: tuple[int, int], sign: int) -> Bools:
    """Return ``(A, P)`` the settings that do not differ from the best, at 5 % for all of them together.

    A setting is left out where the best is better than it by more than the *largest* such difference of all settings
    would be by chance. Chance is the sign of each unit's difference, which could as well have been the other, were the
    two equally good: all signs of a unit are flipped together for all settings, so how alike these are is allowed for
    (Westfall and Young 1993, max-T; in steps, each without what is left out already, as Romano and Wolf 2005).
    Compared is Σd ÷ √Σd², which orders as Student's t does and whose divisor no flip changes, so with all patterns of
    up to ten units the test is exact where differences are symmetric. The best was chosen by the same data: what is
    kept is a confidence set for the best setting of all (comparisons with the best, Hsu 1984) as far as the largest
    difference by chance is as large around the one as around the other.
    """
    shape = units.above.shape[1:]
    differences = _from_best(units, best, sign)
    number = len(differences)
    observed = differences.sum(axis=0)
    patterns = _patterns(number)
    allowed = int(np.floor(_RISK * len(patterns)))
    is_kept = np.ones(len(observed), dtype=np.bool_)
    while True:
        columns = np.flatnonzero(is_kept)
        largest = np.full(len(patterns), -np.inf, dtype=np.float32)
        for start in range(0, len(columns), _CELLS):
            block = differences[:, columns[start : start + _CELLS]]
            np.maximum(largest, (patterns @ block).max(axis=1), out=largest)
        # Of the patterns at most ``allowed`` may reach what was observed, which is one of them: rounding must not part
        # the two.
        left_out = is_kept & (observed > np.sort(largest)[-1 - allowed] + 1e-4)
        if not left_out.any():
            break
        is_kept &= ~left_out
    return is_kept.reshape(shape)


def _from_best(units: Units, best: tuple[int, int], sign: int) -> Float32:
    """Return ``(U, A · P)`` float32: how much better the best is on each unit, each column scaled to length 1, or 0."""
    below = np.broadcast_to(units.below, units.above.shape)
    best_values = pseudo_values(units.above[:, best[0], best[1]], below[:, best[0], best[1]])
    scaled_differences: Float32 = np.empty(units.above.shape, dtype=np.float32)
    for row in range(len(ALPHAS)):
        differences = sign * (best_values[:, None] - pseudo_values(units.above[:, row], below[:, row]))
        length = np.sqrt((differences**2).sum(axis=0))
        scaled_differences[:, row] = np.divide(
            differences, length, out=np.zeros_like(differences), where=length > _EQUAL
        )
    return scaled_differences.reshape(len(scaled_differences), -1)


def _patterns(number: int) -> Float32:
    """Return ``(n_patterns, number)`` float32 signs, the observed ones first: all patterns where these are not too
    many.
    """
    if 2**number <= FLIPS:
        bits = (np.arange(2**number)[:, None] >> np.arange(number)) & 1
    else:
        bits = np.random.default_rng(intervals.SEED).integers(0, 2, (FLIPS, number))
        bits[0] = 0
    signs: Float32 = (1 - 2 * bits).astype(np.float32)
    return signs
