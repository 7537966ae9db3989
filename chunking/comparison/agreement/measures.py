"""Matching of two segmentations, and measures of one reference against many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float64, Int64, UInt8

NEAR = 2
"""``n_t`` of boundary similarity: a boundary one gap away is a near miss and costs half."""

_BYTE = 255
"""Maximum of uint8: longer sums are taken in pieces."""


# --- one pair ------------------------------------------------------------------------------------------------------


def match_boundaries(reference: Int64, hypothesis: Int64, tolerance: int = 0) -> Int64:
    """Return the largest possible one-to-one matching of boundaries at most ``tolerance`` gaps apart.

    Going through both in order and matching the first two that are close enough loses nothing: the earlier of two
    boundaries has no later partner that the other could not have had as well.

    Returns:
        ``(n_matched, 2)`` int64, places in ``reference`` and in ``hypothesis``, ascending in both.

    Raises:
        ChunkscopeError: a segmentation is not strictly ascending, or the tolerance is negative.
    """
    check_tolerance(tolerance)
    left, right = (checked(cuts).tolist() for cuts in (reference, hypothesis))
    pairs: list[tuple[int, int]] = []
    at = other = 0
    while at < len(left) and other < len(right):
        apart = left[at] - right[other]
        if abs(apart) <= tolerance:
            pairs.append((at, other))
        at, other = at + (apart <= tolerance), other + (apart >= -tolerance)
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def boundary_f1(reference: Int64, hypothesis: Int64, tolerance: int = 0) -> float:
    """Return F1 of boundaries matched one to one within ``tolerance`` gaps: a symmetric similarity, 0 to 1.

    It is 2 · matched ÷ all boundaries, the harmonic mean of precision and recall; 1 where neither side has any.

    Raises:
        ChunkscopeError: as :func:`match_boundaries`.
    """
    matched, boundaries = len(match_boundaries(reference, hypothesis, tolerance)), len(reference) + len(hypothesis)
    return 2 * matched / boundaries if boundaries else 1.0


def window_size(reference: Int64, units: int) -> int:
    """Return the gaps in the window of Pk and WindowDiff.

    Half the mean length of the reference's segments, a half rounded to the even neighbour, at least 2: segeval's
    convention. One or two units have fewer gaps than that; the window then has as many as there are.
    """
    segments = len(reference) + 1
    quotient, remainder = divmod(units, 2 * segments)
    rounded = quotient + (remainder > segments or (remainder == segments and quotient % 2 == 1))
    return min(max(rounded, 2), max(units - 1, 0))


def checked(cuts: Int64, units: int | None = None) -> Int64:
    """Return the boundaries as an array; raise if they are not a segmentation."""
    array = np.asarray(cuts)
    if array.size and (array.ndim != 1 or array.dtype.kind not in "iu" or np.any(array[1:] <= array[:-1])):
        raise ChunkscopeError("Boundaries must be strictly ascending whole numbers.")
    gaps = array.astype(np.int64).reshape(-1)
    if gaps.size and (gaps[0] < 0 or (units is not None and gaps[-1] >= units - 1)):
        wrong = gaps[0] if gaps[0] < 0 else gaps[-1]
        length = "" if units is None else f" among {units} units"
        raise ChunkscopeError(f"Unknown gap {wrong}{length}.", "Number gaps from 0; there is one gap less than units.")
    return gaps


def check_tolerance(tolerance: int) -> None:
    """Raise if a tolerance is negative."""
    if tolerance < 0:
        raise ChunkscopeError(f"Invalid tolerance: {tolerance}.", "Give a whole number of gaps, 0 or more.")


# --- one reference against many hypotheses -------------------------------------------------------------------------


def dense_rows(segmentations: Sequence[Int64], units: int) -> UInt8:
    """Return ``(n, n_gaps)`` uint8, 1 at each boundary."""
    rows = np.zeros((len(segmentations), max(units - 1, 0)), dtype=np.uint8)
    for row, cuts in zip(rows, segmentations, strict=True):
        row[cuts] = 1
    return rows


class Hypotheses:
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
        reference_sums = np.searchsorted(reference, np.arange(self.gaps + 1)).astype(self.counts.dtype)
        inside = reference_sums[size:] - reference_sums[:-size]
        total = np.zeros(self.counts.shape[1], dtype=np.int64)
        for start in range(0, windows, _BYTE):  # pieces that stay in the processor's cache and count in a byte
            stop = min(start + _BYTE, windows)
            counts_inside = self.counts[start + size : stop + size] - self.counts[start:stop]
            reference_counts = inside[start:stop, None]
            unlike = (
                (counts_inside > 0) != (reference_counts > 0) if any_boundary else counts_inside != reference_counts
            )
            total += np.add.reduce(unlike.view(np.uint8), axis=0, dtype=np.uint8)
        shares: Float64 = total / windows
        return shares


def similarity_rows(reference: Int64, rows: UInt8) -> Float64:
    """Return boundary similarity of one segmentation and each row: ``(n_rows,)`` float64."""
    matches = rows[:, reference].sum(axis=1, dtype=np.int64)
    unlike = len(reference) + rows.sum(axis=1, dtype=np.int64) - 2 * matches
    near = _near_misses(dense_rows([reference], rows.shape[1] + 1)[0], rows)
    shared = unlike - near + matches  # each near miss is one edit for two boundaries without a match
    wrong = unlike - 2 * near + near / NEAR
    return np.where(shared > 0, 1 - wrong / np.maximum(shared, 1), 1.0)


def _near_misses(reference_row: UInt8, rows: UInt8) -> Int64:
    """Return how many boundaries of each row have one of the reference right beside them, taken one to one.

    From left to right, two boundaries of different sides are taken unless the left one is taken already. In a run of
    such neighbours these are the first and every second after it, so no step depends on the one before.
    """
    n_rows, gaps = rows.shape
    # +1: only the reference has it; −1: only the row; a zero at the end keeps the rows apart.
    sides = np.zeros((n_rows, gaps + 1), dtype=np.int8)
    np.subtract(reference_row.view(np.int8), rows.view(np.int8), out=sides[:, :-1])
    flat = sides.reshape(-1)
    near = np.flatnonzero(flat[:-1] * flat[1:] < 0)
    order = np.arange(len(near))
    opens = np.ones(len(near), dtype=np.bool_)
    opens[1:] = near[1:] != near[:-1] + 1
    first = np.maximum.accumulate(np.where(opens, order, 0))
    alternate = near[(order - first) % 2 == 0]
    return np.bincount(alternate // (gaps + 1), minlength=n_rows).astype(np.int64)


def matched_counts(references: Sequence[Int64], rows: UInt8, tolerance: int) -> Int64:
    """Return boundaries matched within the tolerance, of each reference with each row: ``(n_references, n_rows)``
    int64.

    All pairs go through the gaps together. What waits for a partner is remembered by how long ago it came; the one
    that came first is matched first, and one that waited longer than the tolerance stays without a partner.
    """
    n_rows, gaps = rows.shape
    if not tolerance:
        return np.stack([rows[:, cuts].sum(axis=1, dtype=np.int64) for cuts in references])
    reference_rows = dense_rows(references, gaps + 1)
    shape = (len(references), n_rows)
    tolerance = min(tolerance, max(gaps, 1))  # nothing is farther apart
    left_rows = np.ascontiguousarray(reference_rows.T)[:, :, None]
    right = np.ascontiguousarray(rows.T)[:, None, :]
    waiting = np.zeros((2, tolerance, *shape), dtype=np.uint8)
    new = np.zeros((2, *shape), dtype=np.uint8)
    pair, expired = np.zeros(shape, dtype=np.uint8), np.zeros(shape, dtype=np.uint8)
    alone = np.zeros(shape, dtype=np.int64)
    for gap in range(gaps):
        new[0], new[1] = left_rows[gap], right[gap]
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
    sizes = reference_rows.sum(axis=1, dtype=np.int64)[:, None] + rows.sum(axis=1, dtype=np.int64)
    matched: Int64 = (sizes - alone) // 2
    return matched


def _match(row: UInt8, other: UInt8, pair: UInt8) -> None:
    """Take out of both what is in both; ``pair`` is room for it."""
    np.bitwise_and(row, other, out=pair)
    np.bitwise_xor(row, pair, out=row)
    np.bitwise_xor(other, pair, out=other)
