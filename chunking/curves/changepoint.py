"""Kernel change points: the division of a row of vectors whose parts scatter least, at a penalty for every boundary.

The scatter of a part is the sum of the squared distances of its vectors from their mean, ``Σ|v|² − |Σ v|² / n`` (the
linear kernel of Arlot, Celisse and Harchaoui, 2019). A division costs

    ``Σ scatter of its parts + Σ over its cuts of the penalty of the cut``,

and dynamic programming finds the cheapest one exactly (Jackson et al., 2005). Run from both ends it also gives, for
every gap, the cheapest division that cuts there and the cheapest that does not: their difference is what the gap is
worth, whatever else is cut.

Parts of more than ``window`` vectors are not considered, so time and memory grow with ``n · window``. With a window of
all vectors nothing is left out; :func:`window_for` says how wide it is.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from chunking.tokens import SpanTokens

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]

_CELLS = 1 << 22
"""Parts that are looked at without asking how many each vector needs: all of them up to 2,048 vectors."""

_LEAST_WINDOW = 256
"""Vectors a part may have in the longest of documents."""

_ROWS = 256
"""Ends of parts that are worked on at once."""


def window_for(n: int) -> int:
    """How many vectors a part may have: all of them up to 2,048, 419 of 10,000, and 256 from 16,384 on."""
    return max(min(n, max(_LEAST_WINDOW, _CELLS // max(n, 1))), 1)


_BLEND = 0.1
"""What each neighbour counts for in a vector, beside itself."""

_FEW = 8
"""Vectors of which half the mean is taken away."""


def prepared(vectors: npt.NDArray[np.floating]) -> Singles:
    """What is divided: vectors with a little of their neighbours, less the document's mean, of length 1.

    What all parts of a document share says nothing about where it breaks. The scatter itself does not change when the
    same vector is taken from all; the lengths do. Of few vectors the mean is little known, and less of it is taken: of
    two it would leave opposites, however near they are.

    Args:
        vectors: ``(n, dim)``, of length 1.

    Returns:
        ``(n, dim)`` float32, of length 1, or 0 where a vector is the mean.
    """
    found = vectors.astype(np.float32)
    if not len(found):
        return found
    weights = np.ones((len(found), 1), dtype=np.float32)
    for here, there in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
        found[here] += np.float32(_BLEND) * vectors[there]
        weights[here] += _BLEND
    found /= weights
    known = len(found) / (len(found) + _FEW)
    found -= (known * found.mean(axis=0, dtype=np.float64)).astype(np.float32)
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    # Below this a difference from the mean is what rounding left of none.
    found[lengths[:, 0] < _NO_LENGTH] = 0.0
    found /= np.where(lengths < _NO_LENGTH, 1.0, lengths)
    return found


_NO_LENGTH = 1e-5


def means(vectors: npt.NDArray[np.floating], cuts: Ints) -> Singles:
    """The mean of every part of a division, of length 1: a row of vectors again, which can be divided in its turn.

    Args:
        vectors: ``(n, dim)``, at least one.
        cuts: gaps that are cut, ascending.

    Returns:
        ``(n_cuts + 1, dim)`` float32, of length 1, or 0 where the vectors of a part cancel one another out.
    """
    sums = np.add.reduceat(vectors.astype(np.float64), np.concatenate(([0], cuts + 1)), axis=0)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    found: Singles = (sums / np.where(lengths < _NO_LENGTH, np.inf, lengths)).astype(np.float32)
    return found


@dataclass(frozen=True, eq=False)
class Parts:
    """The scatter of every part that may be.

    Attributes:
        scatter: ``(n, window)`` float32; row ``e``, column ``k`` is the part from ``e + 1 − window + k`` to ``e``, both
            inclusive; infinite where it would begin before the first vector, or where it is forbidden.
    """

    scatter: Singles

    def __len__(self) -> int:
        return len(self.scatter)

    @property
    def window(self) -> int:
        """How many vectors a part may have."""
        return int(self.scatter.shape[1])

    def level(self) -> Parts:
        """The same parts without any scatter: only the penalties of the cuts count."""
        return replace(self, scatter=np.where(np.isfinite(self.scatter), np.float32(0), np.float32(np.inf)))

    def within(self, tokens: SpanTokens, minimum: int, maximum: int, fine: float) -> Parts:
        """The same parts with limits on their tokens.

        Args:
            tokens: counts of the units that the vectors stand for.
            minimum: tokens below which a part costs ``fine`` more.
            maximum: tokens above which a part of more than one unit is forbidden; 0 for no maximum.
            fine: enough that no gain in scatter is worth it.
        """
        n, wide = self.scatter.shape
        found = self.scatter.copy()
        for first in range(0, n, _ROWS):
            rows = np.arange(first, min(first + _ROWS, n))
            starts = np.maximum(rows[:, None] + 1 - wide + np.arange(wide)[None, :], 0)
            ends = np.broadcast_to(rows[:, None] + 1, starts.shape)
            counts = tokens.span_counts(starts.ravel(), ends.ravel()).reshape(starts.shape)
            slab = found[first : first + len(rows)]
            slab[counts < minimum] += np.float32(fine)
            if maximum:
                slab[:, :-1][counts[:, :-1] > maximum] = np.inf
        return replace(self, scatter=found)


def parts(vectors: npt.NDArray[np.floating], window: int | None = None) -> Parts:
    """The scatter of all parts of up to ``window`` vectors.

    Args:
        vectors: ``(n, dim)``.
        window: see :func:`window_for`, which chooses it where none is given.
    """
    n = len(vectors)
    wide = window or window_for(n)
    found = np.full((n, wide), np.inf, dtype=np.float32)
    sizes = np.arange(wide, 0, -1, dtype=np.float64)
    for first in range(0, n, _ROWS):
        last = min(first + _ROWS, n)
        # Sums begin anew in every slab, so that they stay small and their differences exact.
        before = max(0, first + 1 - wide)
        slab = vectors[before:last].astype(np.float64)
        sums = np.concatenate((np.zeros((1, slab.shape[1])), np.cumsum(slab, axis=0)))
        squares = np.concatenate(([0.0], np.cumsum(np.einsum("ij,ij->i", slab, slab))))
        norms = np.einsum("ij,ij->i", sums, sums)
        ends = np.arange(first, last) + 1 - before
        dots = sums[ends] @ sums.T
        starts = ends[:, None] - wide + np.arange(wide)[None, :]
        there = starts >= 0
        at = np.maximum(starts, 0)
        lengths = norms[ends][:, None] + norms[at] - 2 * np.take_along_axis(dots, at, axis=1)
        scatter = np.maximum(squares[ends][:, None] - squares[at] - lengths / sizes, 0.0)
        found[first:last] = np.where(there, scatter, np.inf)
    return Parts(found)


@dataclass(frozen=True, eq=False)
class Division:
    """The cheapest division at some penalties.

    Attributes:
        cuts: gaps that are cut, ascending; gap ``g`` lies between vector ``g`` and ``g + 1``.
        cost: its scatter and the penalties of its cuts.
    """

    cuts: Ints
    cost: float


def _forward(known: Parts, penalties: Floats) -> tuple[Floats, Ints]:
    """Cost of the cheapest division of the first ``e`` vectors, ``(n + 1,)``, and where its last part begins."""
    n, wide = known.scatter.shape
    costs = np.empty(n + 1)
    costs[0] = 0.0
    begins = np.zeros(n + 1, dtype=np.int64)
    paid = np.full(n + wide + 1, np.inf)  # cost up to a place and of the cut there, at place + wide
    paid[wide] = 0.0
    row = np.empty(wide)
    for end in range(1, n + 1):
        np.add(known.scatter[end - 1], paid[end : end + wide], out=row)
        best = int(row.argmin())
        begins[end] = end - wide + best
        costs[end] = row[best]
        if end < n:
            paid[wide + end] = row[best] + penalties[end - 1]
    return costs, begins


def divide(known: Parts, penalties: Floats) -> Division:
    """The cheapest division.

    Args:
        known: the scatter of all parts.
        penalties: ``(n − 1,)`` what a cut at each gap costs.
    """
    if not len(known):
        return Division(np.zeros(0, dtype=np.int64), 0.0)
    costs, begins = _forward(known, penalties)
    return Division(_path(begins), float(costs[-1]))


def _path(begins: Ints) -> Ints:
    cuts: list[int] = []
    place = int(begins[-1])
    while place > 0:
        cuts.append(place - 1)
        place = int(begins[place])
    return np.array(cuts[::-1], dtype=np.int64)


def gains(known: Parts, penalties: Floats) -> tuple[Division, Floats]:
    """The cheapest division, and what each gap is worth beyond its penalty.

    Returns:
        The division and ``(n − 1,)`` float64: the cost of the cheapest division that does not cut the gap, less that of
        the cheapest that does. Positive exactly at the cuts, but for gaps whose two are equal, which have 0; infinite
        where every division cuts, minus infinite where none can.
    """
    n, wide = known.scatter.shape
    if n < 2:
        return Division(np.zeros(0, dtype=np.int64), 0.0), np.zeros(0)
    costs, begins = _forward(known, penalties)
    penalized = np.concatenate(([0.0], penalties, [0.0]))
    # Cost of what lies before a place and of the cut there; of what lies behind it and of the cut.
    ahead = np.full(n + wide + 1, np.inf)
    ahead[wide:] = costs + penalized
    behind = np.full(n + wide + 1, np.inf)
    behind[wide + n] = 0.0
    without = np.full(n + wide + 1, np.inf)
    row = np.empty(wide)
    for end in range(n, 0, -1):
        rest = behind[wide + end] + penalized[end]
        np.add(known.scatter[end - 1], rest, out=row)
        here = behind[end : end + wide]
        np.minimum(here, row, out=here)
        # The cheapest division with a part that begins at a place or before it and ends here spans all places between.
        row += ahead[end : end + wide]
        np.minimum.accumulate(row, out=row)
        spanned = without[end + 1 : end + wide]
        np.minimum(spanned, row[:-1], out=spanned)
    cut = costs[1:n] + behind[wide + 1 : wide + n] + penalties
    gain = np.full(n - 1, -np.inf)
    able = np.isfinite(cut)
    gain[able] = without[wide + 1 : wide + n][able] - cut[able]
    return Division(_path(begins), float(costs[n])), gain


def thinned(known: Parts, penalties: Floats, cuts: Ints, wanted: int) -> Ints:
    """The cuts without those whose loss costs least, one after the other, until so many are left.

    For the numbers of cuts that the cheapest division has at no penalty: some cuts are only worth it together, and of
    equal gaps all or none are cut. Of equal losses the one goes that leaves the shorter part. A cut stays where the
    part without it would be longer than parts may be.
    """
    if len(cuts) <= wanted:
        return cuts
    before = dict(zip(cuts.tolist(), [-1, *cuts[:-1].tolist()], strict=True))
    after = dict(zip(cuts.tolist(), [*cuts[1:].tolist(), len(known) - 1], strict=True))

    def loss(cut: int) -> tuple[float, int, int]:
        first, last = before[cut], after[cut]
        apart = _scatter(known, first, cut) + _scatter(known, cut, last) + float(penalties[cut])
        return round(_scatter(known, first, last) - apart, _LOSS_DIGITS), last - first, cut

    losses = [loss(cut) for cut in before]
    heapq.heapify(losses)
    while losses and len(before) > wanted:
        least = heapq.heappop(losses)
        cut = least[2]
        if cut not in before or least != loss(cut):  # it is gone, or its parts have grown since
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
"""Decimals by which losses are told apart."""


def _scatter(known: Parts, before: int, last: int) -> float:
    """The scatter of the part after one gap, to another; infinite where it is too long."""
    length = last - before
    return float(known.scatter[last, known.window - length]) if length <= known.window else float("inf")


def penalty_for(known: Parts, credit: Floats, cuts: int) -> float:
    """Return a penalty at which the cheapest division has about that many cuts.

    The number of cuts never grows with the penalty. Where no penalty gives exactly that number, the highest one that
    gives more is returned; where parts are limited in length, one that gives as few cuts as possible.

    Args:
        known: the scatter of all parts.
        credit: ``(n − 1,)`` what is taken from the penalty at each gap.
        cuts: how many are wanted.
    """
    if known.window < len(known):
        cuts = max(cuts, len(divide(known, _LAST_BRACKET - credit).cuts))
    low, high = float(credit.min()) - 1.0, float(credit.max()) + _FIRST_BRACKET
    while len(divide(known, high - credit).cuts) > cuts and high < _LAST_BRACKET:
        low, high = high, 2 * high + _FIRST_BRACKET
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        found = len(divide(known, middle - credit).cuts)
        if found == cuts:
            return middle
        low, high = (middle, high) if found > cuts else (low, middle)
    return low


_FIRST_BRACKET = 8.0
_LAST_BRACKET = 1e6
_HALVINGS = 20
"""How often the bracket is halved: to a millionth of it."""
