"""Kernel change points: the division of a sequence of vectors into parts of least scatter, with a penalty per boundary.

The scatter of a part is the sum of the squared distances of its vectors from their mean, ``Σ|v|² − |Σ v|² / n`` (the
linear kernel of Arlot, Celisse and Harchaoui, 2019). A division costs

    ``Σ scatter of its parts + Σ over its cuts of the penalty of the cut``,

and dynamic programming finds the cheapest one exactly (Jackson et al., 2005). Run from both ends, it also finds, for
every gap, the cheapest division with and without a cut there: their difference is the gain of that cut.

Parts of more than ``window`` vectors are not considered, so time and memory grow with ``n · window``. See
:func:`window_for` for its size; a window of all vectors considers every division.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from chunking.runtime.arrays import Float32, Float64, Int64
from chunking.tokens import SpanTokens

_MAX_PARTS = 1 << 22
"""Limit of the parts that are considered: all of them up to 2,048 vectors."""

_MIN_WINDOW = 256
"""Vectors that a part may have in any document."""

_ROWS = 256
"""Ends of parts that are processed at once."""


def window_for(n: int) -> int:
    """Return how many vectors a part may have: all of them up to 2,048, 419 of 10,000, and 256 from 16,384 on."""
    return max(min(n, max(_MIN_WINDOW, _MAX_PARTS // max(n, 1))), 1)


_BLEND = 0.1
"""Weight of each neighbour that is added to a vector."""

_HALF_MEAN = 8
"""Number of vectors at which half of the mean is subtracted."""


def normalize(vectors: npt.NDArray[np.floating]) -> Float32:
    """Return vectors blended with their neighbours, centred on the document's mean, with a mean square length of 1.

    What all parts of a document share is no evidence for a boundary. The mean of few vectors is uncertain, so less of
    it is subtracted: two vectors would become opposites, however close they are. A sentence that says little beyond
    what all share stays short, so that it does not weigh as much as one that says something.

    Args:
        vectors: ``(n, dim)``, of length 1.

    Returns:
        ``(n, dim)`` float32; zero if all vectors are equal.
    """
    normalized_vectors = vectors.astype(np.float32)
    if not len(normalized_vectors):
        return normalized_vectors
    weights = np.ones((len(normalized_vectors), 1), dtype=np.float32)
    for target, source in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
        normalized_vectors[target] += np.float32(_BLEND) * vectors[source]
        weights[target] += _BLEND
    normalized_vectors /= weights
    share = len(normalized_vectors) / (len(normalized_vectors) + _HALF_MEAN)
    normalized_vectors -= (share * normalized_vectors.mean(axis=0, dtype=np.float64)).astype(np.float32)
    squares = np.einsum("ij,ij->i", normalized_vectors, normalized_vectors, dtype=np.float64)
    # Below this, a difference from the mean is a rounding error.
    squares[squares < _NO_LENGTH**2] = 0.0
    normalized_vectors[squares == 0] = 0.0
    usual = float(np.sqrt(squares.mean()))
    return normalized_vectors / np.float32(usual) if usual else normalized_vectors


_NO_LENGTH = 1e-5


def means(vectors: npt.NDArray[np.floating], cuts: Int64) -> Float32:
    """Return the normalised mean of every part of a division: again a sequence of vectors that can be divided.

    Args:
        vectors: ``(n, dim)``, at least one.
        cuts: gaps that are cut, ascending.

    Returns:
        ``(n_cuts + 1, dim)`` float32, of length 1, or 0 if the vectors of a part cancel out.
    """
    sums = np.add.reduceat(vectors.astype(np.float64), np.concatenate(([0], cuts + 1)), axis=0)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    part_means: Float32 = (sums / np.where(lengths < _NO_LENGTH, np.inf, lengths)).astype(np.float32)
    return part_means


@dataclass(frozen=True, eq=False)
class SegmentCosts:
    """The scatter of every possible segment, a run of vectors.

    Attributes:
        scatter: ``(n, window)`` float32; row ``e``, column ``k`` is the part from ``e + 1 − window + k`` to ``e``, both
            inclusive; infinite if it would begin before the first vector, or is forbidden.
    """

    scatter: Float32

    def __len__(self) -> int:
        return len(self.scatter)

    @property
    def window(self) -> int:
        """The number of vectors that a part may have."""
        return int(self.scatter.shape[1])

    def without_scatter(self) -> SegmentCosts:
        """Return the same parts with zero scatter, so that only the penalties count."""
        return replace(self, scatter=np.where(np.isfinite(self.scatter), np.float32(0), np.float32(np.inf)))

    def within(self, tokens: SpanTokens, minimum: int, rooms: Int64, fine: float) -> SegmentCosts:
        """Return the same parts with limits on their tokens.

        Args:
            tokens: token counts of the units that the vectors represent.
            minimum: tokens below which a part costs ``fine`` more.
            rooms: ``(n,)`` int64, tokens above which a part of several units is forbidden that begins with each unit.
            fine: a cost larger than any gain in scatter.
        """
        n, wide = self.scatter.shape
        limited_scatter = self.scatter.copy()
        for first in range(0, n, _ROWS):
            rows = np.arange(first, min(first + _ROWS, n))
            starts = np.maximum(rows[:, None] + 1 - wide + np.arange(wide)[None, :], 0)
            ends = np.broadcast_to(rows[:, None] + 1, starts.shape)
            counts = tokens.span_counts(starts.ravel(), ends.ravel()).reshape(starts.shape)
            slab = limited_scatter[first : first + len(rows)]
            slab[counts < minimum] += np.float32(fine)
            slab[:, :-1][(counts > rooms[starts])[:, :-1]] = np.inf
        return replace(self, scatter=limited_scatter)


def segment_costs(vectors: npt.NDArray[np.floating], window: int | None = None) -> SegmentCosts:
    """Return the scatter of all segments of up to ``window`` vectors.

    Args:
        vectors: ``(n, dim)``.
        window: limit of a part; ``None`` for :func:`window_for`.
    """
    n = len(vectors)
    wide = window or window_for(n)
    scatter_table = np.full((n, wide), np.inf, dtype=np.float32)
    sizes = np.arange(wide, 0, -1, dtype=np.float64)
    for first in range(0, n, _ROWS):
        last = min(first + _ROWS, n)
        # Sums restart in every slab, so that they stay small and their differences exact.
        before = max(0, first + 1 - wide)
        slab = vectors[before:last].astype(np.float64)
        sums = np.concatenate((np.zeros((1, slab.shape[1])), np.cumsum(slab, axis=0)))
        squares = np.concatenate(([0.0], np.cumsum(np.einsum("ij,ij->i", slab, slab))))
        norms = np.einsum("ij,ij->i", sums, sums)
        ends = np.arange(first, last) + 1 - before
        dots = sums[ends] @ sums.T
        starts = ends[:, None] - wide + np.arange(wide)[None, :]
        exists = starts >= 0
        at = np.maximum(starts, 0)
        lengths = norms[ends][:, None] + norms[at] - 2 * np.take_along_axis(dots, at, axis=1)
        scatter = np.maximum(squares[ends][:, None] - squares[at] - lengths / sizes, 0.0)
        scatter_table[first:last] = np.where(exists, scatter, np.inf)
    return SegmentCosts(scatter_table)


def _forward(segments: SegmentCosts, penalties: Float64) -> tuple[Float64, Int64]:
    """Return the cost of the cheapest division of the first ``e`` vectors, ``(n + 1,)``, and the start of its last
    part.
    """
    n, wide = segments.scatter.shape
    costs = np.empty(n + 1)
    costs[0] = 0.0
    begins = np.zeros(n + 1, dtype=np.int64)
    paid = np.full(n + wide + 1, np.inf)  # cost up to a place and of the cut there, at place + wide
    paid[wide] = 0.0
    row = np.empty(wide)
    for end in range(1, n + 1):
        np.add(segments.scatter[end - 1], paid[end : end + wide], out=row)
        best = int(row.argmin())
        begins[end] = end - wide + best
        costs[end] = row[best]
        if end < n:
            paid[wide + end] = row[best] + penalties[end - 1]
    return costs, begins


def divide(segments: SegmentCosts, penalties: Float64) -> Int64:
    """Return the cuts of the cheapest division: gaps, ascending; gap ``g`` lies between vector ``g`` and ``g + 1``.

    Args:
        segments: the scatter of all segments.
        penalties: ``(n − 1,)`` cost of a cut at each gap.
    """
    return _path(_forward(segments, penalties)[1]) if len(segments) else np.zeros(0, dtype=np.int64)


def _path(begins: Int64) -> Int64:
    cuts: list[int] = []
    end_of_part = int(begins[-1])
    while end_of_part > 0:
        cuts.append(end_of_part - 1)
        end_of_part = int(begins[end_of_part])
    return np.array(cuts[::-1], dtype=np.int64)


def gains(segments: SegmentCosts, penalties: Float64) -> tuple[Int64, Float64]:
    """Return the cuts of the cheapest division, and the gain of a cut at each gap beyond its penalty.

    Returns:
        The cuts and ``(n − 1,)`` float64: the cost of the cheapest division without the cut minus that of the
        cheapest with it. Positive exactly at the cuts, except 0 for ties; infinite where every division cuts, minus
        infinity where none can.
    """
    n, wide = segments.scatter.shape
    if n < 2:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    costs, begins = _forward(segments, penalties)
    penalized = np.concatenate(([0.0], penalties, [0.0]))
    # Cost of everything before a place and of the cut there; of everything behind it and of the cut.
    ahead = np.full(n + wide + 1, np.inf)
    ahead[wide:] = costs + penalized
    behind = np.full(n + wide + 1, np.inf)
    behind[wide + n] = 0.0
    without = np.full(n + wide + 1, np.inf)
    row = np.empty(wide)
    for end in range(n, 0, -1):
        remaining_gain = behind[wide + end] + penalized[end]
        np.add(segments.scatter[end - 1], remaining_gain, out=row)
        best_gain = behind[end : end + wide]
        np.minimum(best_gain, row, out=best_gain)
        # The cheapest division with a part that begins at a place or before it and ends here spans all places between.
        row += ahead[end : end + wide]
        np.minimum.accumulate(row, out=row)
        spanned = without[end + 1 : end + wide]
        np.minimum(spanned, row[:-1], out=spanned)
    cut = costs[1:n] + behind[wide + 1 : wide + n] + penalties
    gain = np.full(n - 1, -np.inf)
    able = np.isfinite(cut)
    gain[able] = without[wide + 1 : wide + n][able] - cut[able]
    return _path(begins), gain


def thin(segments: SegmentCosts, penalties: Float64, cuts: Int64, number: int) -> Int64:
    """Return the cuts after removing those with the smallest loss, one by one, until ``number`` are left.

    This reaches numbers of cuts that the cheapest division has at no penalty: some cuts pay off only together, and tied
    gaps are all cut or none. Of equal losses, the cut that leaves the shorter part is removed. A cut is kept if the
    part without it would exceed the window.
    """
    if len(cuts) <= number:
        return cuts
    before = dict(zip(cuts.tolist(), [-1, *cuts[:-1].tolist()], strict=True))
    after = dict(zip(cuts.tolist(), [*cuts[1:].tolist(), len(segments) - 1], strict=True))

    def loss(cut: int) -> tuple[float, int, int]:
        first, last = before[cut], after[cut]
        apart = _scatter(segments, first, cut) + _scatter(segments, cut, last) + float(penalties[cut])
        return round(_scatter(segments, first, last) - apart, _LOSS_DIGITS), last - first, cut

    losses = [loss(cut) for cut in before]
    heapq.heapify(losses)
    while losses and len(before) > number:
        least = heapq.heappop(losses)
        cut = least[2]
        if cut not in before or least != loss(cut):  # it was removed, or its parts have grown since
            continue
        if not math.isfinite(least[0]):
            break
        first, last = before.pop(cut), after.pop(cut)
        for neighbour, side, other in ((first, after, last), (last, before, first)):
            if neighbour in before:
                side[neighbour] = other
                heapq.heappush(losses, loss(neighbour))
    return np.array(sorted(before), dtype=np.int64)


_LOSS_DIGITS = 5
"""Decimals to which losses are compared."""


def _scatter(segments: SegmentCosts, before: int, last: int) -> float:
    """Return the scatter of the part between two gaps; infinite if it is too long."""
    length = last - before
    return float(segments.scatter[last, segments.window - length]) if length <= segments.window else float("inf")


def penalty_for(segments: SegmentCosts, discount: Float64, cuts: int) -> float:
    """Return a penalty at which the cheapest division has about that many cuts.

    The number of cuts never grows with the penalty. If no penalty gives exactly that number, the highest one that gives
    more is returned; if parts are limited in length, one that gives as few cuts as possible.

    Args:
        segments: the scatter of all segments.
        discount: ``(n − 1,)`` amount by which the penalty of each gap is reduced.
        cuts: requested number of cuts.
    """
    cuts = _possible(segments, discount, cuts)
    low, high = float(discount.min()) - 1.0, float(discount.max()) + _FIRST_BRACKET
    while len(divide(segments, high - discount)) > cuts and high < _LAST_BRACKET:
        low, high = high, 2 * high + _FIRST_BRACKET
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        n_cuts = len(divide(segments, middle - discount))
        if n_cuts == cuts:
            return middle
        low, high = (middle, high) if n_cuts > cuts else (low, middle)
    return low


def _possible(segments: SegmentCosts, discount: Float64, cuts: int) -> int:
    """Return a number of cuts, or the fewest that the limited length of parts allows."""
    if segments.window >= len(segments):
        return cuts
    return max(cuts, len(divide(segments, _LAST_BRACKET - discount)))


_FIRST_BRACKET = 8.0
_LAST_BRACKET = 1e6
_HALVINGS = 20
"""Number of times the bracket is halved: to a millionth of it."""


def near_penalty(segments: SegmentCosts, discount: Float64, cuts: int) -> float:
    """Return a penalty at which the cheapest division has nearly that many cuts, in fewer divisions.

    Exactly that number is sought up to 19 cuts, and within a twentieth above; of a number that no penalty gives, the
    nearest is taken.

    Args:
        segments: the scatter of all segments.
        discount: ``(n − 1,)`` amount by which the penalty of each gap is reduced.
        cuts: requested number of cuts.
    """
    cuts = _possible(segments, discount, cuts)
    low, high = float(discount.min()) - 1.0, float(discount.max()) + _LAST_BRACKET
    most, least = len(segments) - 1, 0
    if cuts >= most:
        return low
    penalty = min(max(_FIRST, low), high)
    while high - low > _NARROW:
        n_cuts = len(divide(segments, penalty - discount))
        if cuts and abs(n_cuts - cuts) <= cuts // _NEAR:
            return penalty  # of no cut, the lowest penalty is sought: a curve has its threshold just above it
        width = high - low
        low, most, high, least = (penalty, n_cuts, high, least) if n_cuts > cuts else (low, most, penalty, n_cuts)
        # A number that no penalty gives is never approached by counts: then the bracket is halved.
        penalty = _between(low, high, most, least, cuts) if high - low < _SHRUNK * width else (low + high) / 2
    # No penalty gives that number: the nearer one of both sides, of equally near ones the lower.
    return low if most - cuts < cuts - least else high


_FIRST = 2.0
"""The penalty that is tried first, in units of scatter."""

_SHRUNK = 0.8
"""Share of a bracket to which a step must reduce it for the next to go by the number of cuts as well."""

_NARROW = 1e-6
"""Width of a bracket that is not divided further."""

_NEAR = 20
"""Cuts for each one by which their number may differ from the wanted one."""

_WIDE = 4.0
"""Ratio of the ends of a bracket from which its middle is sought by their size and not by the number of cuts."""


def _between(low: float, high: float, most: int, least: int, cuts: int) -> float:
    """Return the next penalty to try: the number of cuts falls about exponentially with it."""
    if high > _WIDE * max(low, 1.0):
        return _WIDE * max(low, 0.25)
    share = math.log((most + 0.5) / (cuts + 0.5)) / math.log((most + 0.5) / (least + 0.5))
    return low + (high - low) * min(max(share, 0.1), 0.9)
