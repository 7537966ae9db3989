"""Agreement of two segmentations of the same units, and of random cuts.

A segmentation of *n* units (sentences) is an ascending int64 array of gap numbers in ``[0, n − 1)``: gap *g* lies
between unit *g* and unit *g + 1*. A segmentation without a boundary is an empty array.

| measure | kind | best | symmetric |
|---|---|---|---|
| :func:`boundary_f1` | similarity, 0 to 1 | 1 | yes (precision and recall change places) |
| :func:`boundary_similarity` | similarity, 0 to 1 | 1 | yes |
| :func:`window_diff` | error, 0 to 1 | 0 | no: the window comes from the reference |
| :func:`pk` | error, 0 to 1 | 0 | no: the window comes from the reference |

Two segmentations without any boundary agree perfectly (similarity 1, error 0); where only one has boundaries, both
similarities are 0. Fewer than two units have no gap, so there is nothing to disagree on. No measure is ever NaN.

None of these alone shows whether two strategies agree: with many cuts, many coincide by chance.
So :func:`agreement_matrix` also gives each value for random cuts of the same sizes, and the
chance-corrected agreement.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from chunking import glossary
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float64, Int8, Int64, UInt8

NEAR = 2
"""``n_t`` of boundary similarity where none is given: a boundary one gap away is a near miss."""

_BYTE = 255
"""Maximum of uint8: longer sums are taken in pieces."""


# --- one pair ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BoundaryScores:
    """The result of matching boundaries one to one.

    Attributes:
        matched: pairs of boundaries.
        precision: matched ÷ boundaries of the hypothesis.
        recall: matched ÷ boundaries of the reference.
        f1: their harmonic mean, 2 · matched ÷ all boundaries.
    """

    matched: int
    precision: float
    recall: float
    f1: float


def match_boundaries(reference: Int64, hypothesis: Int64, tolerance: int = 0) -> Int64:
    """Return the largest possible one-to-one matching of boundaries at most ``tolerance`` gaps apart.

    Going through both in order and matching the first two that are close enough loses nothing: the earlier of two
    boundaries has no later partner that the other could not have had as well.

    Returns:
        ``(n_matched, 2)`` int64, places in ``reference`` and in ``hypothesis``, ascending in both.

    Raises:
        ChunkscopeError: a segmentation is not strictly ascending, or the tolerance is negative.
    """
    _check_tolerance(tolerance)
    left, right = (_checked(cuts).tolist() for cuts in (reference, hypothesis))
    pairs: list[tuple[int, int]] = []
    at = other = 0
    while at < len(left) and other < len(right):
        apart = left[at] - right[other]
        if abs(apart) <= tolerance:
            pairs.append((at, other))
        at, other = at + (apart <= tolerance), other + (apart >= -tolerance)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def boundary_scores(reference: Int64, hypothesis: Int64, tolerance: int = 0) -> BoundaryScores:
    """Return precision, recall and F1 of boundaries, matched one to one within ``tolerance`` gaps.

    Both without boundaries: all three are 1. A share of no boundaries, where the other side has some, is 0.

    Raises:
        ChunkscopeError: as :func:`match_boundaries`.
    """
    matched = len(match_boundaries(reference, hypothesis, tolerance))
    if not len(reference) and not len(hypothesis):
        return BoundaryScores(0, 1.0, 1.0, 1.0)
    precision, recall = (matched / max(size, 1) for size in (len(hypothesis), len(reference)))
    return BoundaryScores(matched, precision, recall, 2 * matched / (len(reference) + len(hypothesis)))


def boundary_f1(reference: Int64, hypothesis: Int64, tolerance: int = 0) -> float:
    """Return F1 of boundaries matched one to one within ``tolerance`` gaps: a symmetric similarity, 0 to 1.

    See :func:`boundary_scores` for what goes into it and for segmentations without boundaries.
    """
    return boundary_scores(reference, hypothesis, tolerance).f1


def window_size(reference: Int64, units: int) -> int:
    """Return the gaps in the window of :func:`pk` and :func:`window_diff`.

    Half the mean length of the reference's segments, a half rounded to the even neighbour, at least 2: segeval's
    convention. One or two units have fewer gaps than that; the window then has as many as there are.
    """
    segments = len(reference) + 1
    whole, rest = divmod(units, 2 * segments)
    rounded = whole + (rest > segments or (rest == segments and whole % 2 == 1))
    return min(max(rounded, 2), max(units - 1, 0))


def pk(reference: Int64, hypothesis: Int64, units: int) -> float:
    """Return Pk of Beeferman, Berger and Lafferty (1999): an error, 0 to 1, not symmetric.

    The share of windows of :func:`window_size` gaps in which one segmentation has a boundary and the other none.
    Equal to segeval's ``pk`` from three units on; of two units, where segeval finds no window, the one gap is the
    window. Below two units it is 0.

    Raises:
        ChunkscopeError: a segmentation is not strictly ascending, or has a gap that the units have not.
    """
    return _single(_pk_rows, reference, hypothesis, units)


def window_diff(reference: Int64, hypothesis: Int64, units: int) -> float:
    """Return WindowDiff of Pevzner and Hearst (2002): an error, 0 to 1, not symmetric.

    The share of windows of :func:`window_size` gaps in which the segmentations differ in their number of boundaries.
    Equal to segeval's ``window_diff`` without the correction of Lamprier et al.; one and two units as in :func:`pk`.

    Raises:
        ChunkscopeError: as :func:`pk`.
    """
    return _single(_window_diff_rows, reference, hypothesis, units)


def boundary_similarity(a: Int64, b: Int64, units: int, n_t: int = NEAR) -> float:
    """Return boundary similarity B of Fournier (2013): a symmetric similarity, 0 to 1.

    1 − (additions + Σ distance ÷ ``n_t`` of near misses) ÷ (additions + near misses + matches). A near miss is a
    boundary of one that the other has less than ``n_t`` gaps away, both otherwise without a match; near misses are
    taken the closest first and from left to right, as segeval does for one type of boundary. Both without
    boundaries: 1, where segeval gives no value.

    Raises:
        ChunkscopeError: as :func:`pk`, or ``n_t`` is below 1.
    """
    if n_t < 1:
        raise ChunkscopeError(f"Invalid n_t: {n_t}.", "Give a whole number of at least 1.")
    left, right = _checked(a, units), _checked(b, units)
    found = _similarity_rows(left, _dense(right, units)[None], n_t)
    return float(found[0])


def _single(rows: Callable[[Int64, _Hypotheses], Float64], reference: Int64, hypothesis: Int64, units: int) -> float:
    known, other = _checked(reference, units), _checked(hypothesis, units)
    return float(rows(known, _Hypotheses(_dense(other, units)[None]))[0])


def _checked(cuts: Int64, units: int | None = None) -> Int64:
    """Return the boundaries as an array; raise if they are not a segmentation."""
    found = np.asarray(cuts)
    if found.size and (found.ndim != 1 or found.dtype.kind not in "iu" or np.any(found[1:] <= found[:-1])):
        raise ChunkscopeError("Boundaries must be strictly ascending whole numbers.")
    given = found.astype(np.int64).reshape(-1)
    if given.size and (given[0] < 0 or (units is not None and given[-1] >= units - 1)):
        wrong = given[0] if given[0] < 0 else given[-1]
        length = "" if units is None else f" among {units} units"
        raise ChunkscopeError(f"Unknown gap {wrong}{length}.", "Number gaps from 0; there is one gap less than units.")
    return given


def _check_tolerance(tolerance: int) -> None:
    if tolerance < 0:
        raise ChunkscopeError(f"Invalid tolerance: {tolerance}.", "Give a whole number of gaps, 0 or more.")


# --- one reference against many hypotheses -------------------------------------------------------------------------


def _dense(cuts: Int64, units: int) -> UInt8:
    """Return ``(n_gaps,)`` uint8, 1 at each boundary."""
    bits = np.zeros(max(units - 1, 0), dtype=np.uint8)
    bits[cuts] = 1
    return bits


class _Hypotheses:
    """Segmentations of the same units, with their boundaries counted from the start.

    Args:
        rows: ``(n_rows, n_gaps)`` uint8, 1 at each boundary.
    """

    def __init__(self, rows: UInt8) -> None:
        self.gaps = rows.shape[1]
        # Differences of counts stay right when counts wrap, as long as no window holds more than the type does.
        kind = np.int16 if self.gaps < 2**15 else np.int32
        self.counts = np.zeros((self.gaps + 1, len(rows)), dtype=kind)
        np.cumsum(rows.T, axis=0, dtype=kind, out=self.counts[1:])

    def differing(self, reference: Int64, any_boundary: bool) -> Float64:
        """Return ``(n_rows,)`` share of windows that differ in boundaries, or in whether there is any."""
        if not self.gaps:
            return np.zeros(self.counts.shape[1])
        size = window_size(reference, self.gaps + 1)
        windows = self.gaps - size + 1
        known = np.searchsorted(reference, np.arange(self.gaps + 1)).astype(self.counts.dtype)
        inside = known[size:] - known[:-size]
        total = np.zeros(self.counts.shape[1], dtype=np.int64)
        for start in range(0, windows, _BYTE):  # pieces that stay in the processor's cache and count in a byte
            stop = min(start + _BYTE, windows)
            found = self.counts[start + size : stop + size] - self.counts[start:stop]
            here = inside[start:stop, None]
            unlike = (found > 0) != (here > 0) if any_boundary else found != here
            total += np.add.reduce(unlike.view(np.uint8), axis=0, dtype=np.uint8)
        shares: Float64 = total / windows
        return shares


def _pk_rows(reference: Int64, hypotheses: _Hypotheses) -> Float64:
    return hypotheses.differing(reference, any_boundary=True)


def _window_diff_rows(reference: Int64, hypotheses: _Hypotheses) -> Float64:
    return hypotheses.differing(reference, any_boundary=False)


def _similarity_rows(reference: Int64, rows: UInt8, n_t: int) -> Float64:
    """Return boundary similarity of one segmentation and each row: ``(n_rows,)`` float64."""
    known = _dense(reference, rows.shape[1] + 1)
    matches = rows[:, reference].sum(axis=1, dtype=np.int64)
    unlike = len(reference) + rows.sum(axis=1, dtype=np.int64) - 2 * matches
    near = np.zeros(len(rows), dtype=np.int64)
    weight = np.zeros(len(rows), dtype=np.int64)
    # +1: only the reference has it; −1: only the row; a zero at the end keeps the rows apart.
    sides = np.zeros((len(rows), rows.shape[1] + 1), dtype=np.int8)
    np.subtract(known.view(np.int8), rows.view(np.int8), out=sides[:, :-1])
    for distance in range(1, min(n_t, rows.shape[1])):
        found = _take_near(sides, distance)
        near += found
        weight += distance * found
    edits = unlike - near  # each near miss is one edit for two boundaries without a match
    additions = unlike - 2 * near
    shared = edits + matches
    wrong = additions + weight / n_t
    return np.where(shared > 0, 1 - wrong / np.maximum(shared, 1), 1.0)


def _take_near(sides: Int8, distance: int) -> Int64:
    """Take out the near misses that span a distance: ``(n_rows,)`` how many; ``sides`` is changed.

    From left to right, two boundaries of different sides are taken unless the left one is taken already. In a run of
    such neighbours these are the first and every second after it, so no step depends on the one before.
    """
    n_rows, width = sides.shape
    if distance == 1:
        strided = sides
    else:  # gaps that are the distance apart become neighbours, with a zero after each such track
        length = -(-width // distance)
        padded = np.zeros((n_rows, length * distance), dtype=np.int8)
        padded[:, :width] = sides
        strided = np.zeros((n_rows, distance, length + 1), dtype=np.int8)
        strided[:, :, :-1] = padded.reshape(n_rows, length, distance).swapaxes(1, 2)
    flat = strided.reshape(-1)
    near = np.flatnonzero(flat[:-1] * flat[1:] < 0)
    order = np.arange(len(near))
    opens = np.ones(len(near), dtype=np.bool_)
    opens[1:] = near[1:] != near[:-1] + 1
    first = np.maximum.accumulate(np.where(opens, order, 0))
    taken = near[(order - first) % 2 == 0]
    flat[taken] = 0
    flat[taken + 1] = 0
    if distance > 1:
        restored = strided[:, :, :-1].swapaxes(1, 2).reshape(n_rows, -1)
        sides[:] = restored[:, :width]
    return np.bincount(taken // (strided.size // max(n_rows, 1)), minlength=n_rows).astype(np.int64)


def _matched(references: Sequence[Int64], rows: UInt8, tolerance: int) -> Int64:
    """Return boundaries matched within the tolerance, of each reference with each row: ``(n_references, n_rows)``
    int64.

    All pairs go through the gaps together. What waits for a partner is remembered by how long ago it came; the one
    that came first is matched first, and one that waited longer than the tolerance stays without a partner.
    """
    n_rows, gaps = rows.shape
    if not tolerance:
        return np.stack([rows[:, cuts].sum(axis=1, dtype=np.int64) for cuts in references])
    known = _rows(references, gaps + 1)
    shape = (len(references), n_rows)
    tolerance = min(tolerance, max(gaps, 1))  # nothing is farther apart
    left = np.ascontiguousarray(known.T)[:, :, None]
    right = np.ascontiguousarray(rows.T)[:, None, :]
    waiting = np.zeros((2, tolerance, *shape), dtype=np.uint8)
    new = np.zeros((2, *shape), dtype=np.uint8)
    pair, expired = np.zeros(shape, dtype=np.uint8), np.zeros(shape, dtype=np.uint8)
    alone = np.zeros(shape, dtype=np.int64)
    for gap in range(gaps):
        new[0], new[1] = left[gap], right[gap]
        for age in range(tolerance, 0, -1):
            slot = (gap - age) % tolerance
            for side in (0, 1):
                _match(new[side], waiting[1 - side, slot], pair)
        _match(new[0], new[1], pair)
        oldest = waiting[:, gap % tolerance]
        expired += oldest[0]
        expired += oldest[1]
        oldest[:] = new
        if gap % 100 == 99:  # before a byte can overflow
            alone += expired
            expired[:] = 0
    alone += expired
    alone += waiting.sum(axis=(0, 1), dtype=np.int64)
    sizes = known.sum(axis=1, dtype=np.int64)[:, None] + rows.sum(axis=1, dtype=np.int64)
    matched: Int64 = (sizes - alone) // 2
    return matched


def _match(one: UInt8, other: UInt8, pair: UInt8) -> None:
    """Take out of both what is in both; ``pair`` is room for it."""
    np.bitwise_and(one, other, out=pair)
    np.bitwise_xor(one, pair, out=one)
    np.bitwise_xor(other, pair, out=other)


# --- many references against many hypotheses -----------------------------------------------------------------------

_BLOCK = 128
"""Rows that are measured together."""


def _each(rows: UInt8, measure: Callable[[UInt8], Float64]) -> Float64:
    """Measure the rows block by block, so that what is in between stays small."""
    return np.concatenate(
        [measure(rows[start : start + _BLOCK]) for start in range(0, max(len(rows), 1), _BLOCK)], axis=1
    )


def _f1_table(references: Sequence[Int64], rows: UInt8, tolerance: int) -> Float64:
    matched = _matched(references, rows, tolerance)
    sizes = np.array([len(cuts) for cuts in references])[:, None] + rows.sum(axis=1, dtype=np.int64)
    return np.where(sizes > 0, 2 * matched / np.maximum(sizes, 1), 1.0)


def _similarity_table(references: Sequence[Int64], rows: UInt8, tolerance: int) -> Float64:
    return _each(rows, lambda some: np.stack([_similarity_rows(cuts, some, NEAR) for cuts in references]))


def _windowed_table(any_boundary: bool) -> Callable[[Sequence[Int64], UInt8, int], Float64]:
    def measure(references: Sequence[Int64], some: UInt8) -> Float64:
        hypotheses = _Hypotheses(some)
        return np.stack([hypotheses.differing(cuts, any_boundary) for cuts in references])

    return lambda references, rows, tolerance: _each(rows, lambda some: measure(references, some))


@dataclass(frozen=True)
class Metric:
    """A measure of agreement.

    Attributes:
        name: its name on the command line and in exports.
        title: for people.
        best: its value where two segmentations are the same: 1 of a similarity, 0 of an error.
        symmetric: whether reference and hypothesis may change places.
        takes_tolerance: whether the tolerance changes it.
        function: ``(reference, hypothesis, units, tolerance) -> value``.
        table: the same of many pairs: ``(references, rows, tolerance) -> (n_references, n_rows)`` float64, with rows
            ``(n_rows, n_gaps)`` uint8, 1 at each boundary.
        help: one or two sentences.
    """

    name: str
    title: str
    best: float
    symmetric: bool
    takes_tolerance: bool
    function: Callable[[Int64, Int64, int, int], float]
    table: Callable[[Sequence[Int64], UInt8, int], Float64]
    help: str


def _f1(reference: Int64, hypothesis: Int64, units: int, tolerance: int) -> float:
    return boundary_f1(_checked(reference, units), _checked(hypothesis, units), tolerance)


def _without_tolerance(function: Callable[[Int64, Int64, int], float]) -> Callable[[Int64, Int64, int, int], float]:
    return lambda reference, hypothesis, units, tolerance: function(reference, hypothesis, units)


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            "f1",
            "Boundary F1",
            1.0,
            True,
            True,
            _f1,
            _f1_table,
            glossary.define("boundary F1"),
        ),
        Metric(
            "boundary_similarity",
            "Boundary similarity",
            1.0,
            True,
            False,
            _without_tolerance(boundary_similarity),
            _similarity_table,
            glossary.define("boundary similarity"),
        ),
        Metric(
            "window_diff",
            "WindowDiff",
            0.0,
            False,
            False,
            _without_tolerance(window_diff),
            _windowed_table(any_boundary=False),
            glossary.define("WindowDiff"),
        ),
        Metric(
            "pk",
            "Pk",
            0.0,
            False,
            False,
            _without_tolerance(pk),
            _windowed_table(any_boundary=True),
            glossary.define("Pk"),
        ),
    )
}
"""The measures by name."""


def get_metric(name: str) -> Metric:
    """Return the measure of that name; raise :class:`ChunkscopeError` if there is none."""
    if name not in METRICS:
        raise ChunkscopeError(f"Unknown measure {name!r:.60}.", f"Choose one of: {', '.join(METRICS)}.")
    return METRICS[name]


# --- chance --------------------------------------------------------------------------------------------------------


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
    given = _checked(cuts, units)
    lengths = np.diff(given, prepend=-1, append=max(units - 1, 0))
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
    open_ = np.abs(room) > 1e-12
    return np.where(open_, (values - chances) / np.where(open_, room, 1.0), 0.0)


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
    _check_tolerance(tolerance)
    known = get_metric(metric)
    left, right = _checked(reference, units), _checked(hypothesis, units)
    rows = _rows([right, *random_cuts(right, units, draws, seed)], units)
    values = known.table([left], rows, tolerance)[0]
    mean, (low, high) = float(values[1:].mean()), np.quantile(values[1:], _RANGE).tolist()
    return Chance(float(values[0]), mean, low, high, float(corrected(values[0], mean, known.best)))


_RANGE = (0.025, 0.975)


def _check_draws(draws: int) -> None:
    if draws < 1:
        raise ChunkscopeError(f"Chance cannot be estimated from {draws} draws.", "It takes a whole number from 1 on.")


def _rows(segmentations: Sequence[Int64], units: int) -> UInt8:
    """Return ``(n, n_gaps)`` uint8, 1 at each boundary."""
    rows = np.zeros((len(segmentations), max(units - 1, 0)), dtype=np.uint8)
    for row, cuts in zip(rows, segmentations, strict=True):
        row[cuts] = 1
    return rows


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
    _check_tolerance(tolerance)
    known = get_metric(metric)
    given = [_checked(cuts, units) for cuts in segmentations]
    k = len(given)
    if not k:
        return AgreementMatrix(known, *(np.zeros((0, 0)) for _ in range(5)))
    drawn = np.zeros((k, draws, max(units - 1, 0)), dtype=np.uint8)
    for bits, cuts in zip(drawn, given, strict=True):
        np.put_along_axis(bits, random_cuts(cuts, units, draws, seed), 1, axis=1)
    values = known.table(given, _rows(given, units), tolerance)
    by_chance = known.table(given, drawn.reshape(k * draws, -1), tolerance).reshape(k, k, draws)
    if known.symmetric:
        by_chance = np.concatenate([by_chance, by_chance.swapaxes(0, 1)], axis=2)
    mean = by_chance.mean(axis=2)
    low, high = np.quantile(by_chance, _RANGE, axis=2)
    return AgreementMatrix(known, values, mean, low, high, corrected(values, mean, known.best))
