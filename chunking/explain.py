"""Explanation of a gap: why it is a boundary, or is not, and what it would take to change that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from chunking.document import Span
from chunking.runtime.arrays import Bools, Float64, Int64
from chunking.signals.boundary_model import SCALES
from chunking.signals.distances import fuse
from chunking.signals.scales import TITLES
from chunking.signals.signals import Signals
from chunking.signals.thresholds import Counterfactual, apply, gradient
from chunking.strategies.base import Segmentation

Verdict = Literal["cut", "not cut", "merged", "kept", "forced", "by hand"]
"""``merged``: over the threshold, but the limits (mostly the minimum) took the cut away; ``kept``: to keep something
together. ``forced``: under it, but they (mostly the maximum) put a cut there. ``by hand``: so did an edit."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature adds to a distance of a gap.

    Attributes:
        name, title: of the feature.
        value: its distance, 0 to 1; of learned ones, the deviation from the document's mean in usual spreads.
        weight: its weight; 0 where it is switched off.
        share: what it adds, before the sum is clipped to 0–1; negative where it binds the two sides.
    """

    name: str
    title: str
    value: float
    weight: float
    share: float


@dataclass(frozen=True, slots=True)
class AlphaFlips:
    """The values of α nearest to the present one at which the gap's status changes, below it and above it.

    The present value itself means: as soon as α moves that way. ``None`` on a side where the gap keeps its status to
    the end. ``exact`` is false where the values were found by search (the interquartile rule, and change points, whose
    whole division moves with α), to 0.001; for the other rules they are solved.
    """

    below: float | None
    above: float | None
    exact: bool = True


@dataclass(frozen=True, slots=True)
class CountFlips:
    """Numbers of boundaries nearest to the present one at which the status of a change point's gap was found changed.

    Found by search, see :func:`count_flips`. With another number the whole division moves: a gap that is cut with more
    boundaries may be left out again with more still.

    Attributes:
        now: the present number, before the limits.
        fewer, more: the nearest on either side; ``None`` where none was found.
        gaps: how many there are.
    """

    now: int
    fewer: int | None
    more: int | None
    gaps: int

    def percentile(self, boundaries: int) -> float:
        """Return the share of the gaps in % that are not cut with so many boundaries."""
        return 100 * (1 - boundaries / self.gaps)


@dataclass(frozen=True, slots=True)
class GapExplanation:
    """Everything that decides about one gap.

    Attributes:
        gap: number of the gap, from 0; it lies between sentence ``gap`` and ``gap + 1``.
        offset: where it cuts the text.
        left, right: spans of the two sentences.
        semantic, structural, structural_raw, fused: the distances.
        shares: what each structural feature adds; empty where structure plays no part.
        clipped: what was cut off when the sum of the shares was brought to 0–1.
        scales: what each of the learned measurements of meaning adds to the semantic distance; empty where it has none.
        score, threshold, margin: what was compared; ``margin = score − threshold``.
        rank: 1 for the highest score of all gaps; gaps with equal scores share a rank.
        verdict: see :data:`Verdict`.
        driver: what lifts the gap above the average.
        alpha_flips: where α would change the verdict of the threshold; ``None`` where α plays no part, and of change
            points where the document is too long to be divided again and again.
        amount_flip: the percentile (or factor) below which the threshold cuts the gap; ``None`` where none decides,
            and of change points.
        probability: calibrated probability of a boundary here, from all evidence and whatever α; ``None`` where it is
            not computed.
        count_flips: of change points, the numbers of boundaries that would change the verdict; ``None`` of all else,
            and where the document is too long.
    """

    gap: int
    offset: int
    left: Span
    right: Span
    semantic: float
    structural: float
    structural_raw: float
    fused: float
    shares: tuple[Contribution, ...]
    clipped: float
    score: float
    threshold: float
    margin: float
    rank: int
    verdict: Verdict
    driver: str
    alpha_flips: AlphaFlips | None
    amount_flip: float | None
    count_flips: CountFlips | None = None
    probability: float | None = None
    scales: tuple[Contribution, ...] = ()


def explain_gap(segmentation: Segmentation, gap: int) -> GapExplanation:
    """Return why a gap is a boundary, or is not, and what it would take to change that.

    Raises:
        IndexError: there is no such gap, or the strategy has no curve.
    """
    signals = segmentation.signals
    if signals is None or not 0 <= gap < len(signals):
        raise IndexError(gap)
    spans = signals.sentences.spans
    threshold = signals.threshold
    score = float(threshold.score[gap])
    shares = _shares(signals, gap)
    return GapExplanation(
        gap=gap,
        offset=int(signals.offsets[gap]),
        left=Span(*spans[gap].tolist()),
        right=Span(*spans[gap + 1].tolist()),
        semantic=float(signals.semantic[gap]),
        structural=float(signals.structural[gap]),
        structural_raw=float(signals.structural_raw[gap]),
        fused=float(signals.fused[gap]),
        shares=shares,
        clipped=float(signals.structural[gap]) - sum(share.share for share in shares),
        score=score,
        threshold=threshold.value,
        margin=score - threshold.value,
        rank=1 + int(np.count_nonzero(threshold.score > score)),
        verdict=verdicts(segmentation)[gap],
        driver=signals.driver(gap),
        alpha_flips=alpha_flips(signals, gap),
        amount_flip=threshold.flip_amount(gap),
        count_flips=count_flips(signals, gap),
        probability=None if signals.probabilities is None else float(signals.probabilities[gap]),
        scales=_scale_shares(signals, gap),
    )


def verdicts(segmentation: Segmentation) -> Sequence[Verdict]:
    """Return the explanation of every gap."""
    signals = segmentation.signals
    if signals is None:
        return ()
    outcome = np.full(len(signals), "not cut", dtype="<U7")
    for chunk in segmentation.chunks:
        if chunk.cut and chunk.cut.gap is not None:
            outcome[chunk.cut.gap] = {"distance": "cut", "hand": "by hand"}.get(chunk.cut.reason, "forced")
    outcome[segmentation.suppressed_gaps] = "merged"
    outcome[list(segmentation.kept_gaps)] = "kept"
    outcomes: list[Verdict] = outcome.tolist()
    return outcomes


def _shares(signals: Signals, gap: int) -> tuple[Contribution, ...]:
    structure = signals.structure
    if structure is None:
        return ()
    weights, shares = structure.weights(signals.off), structure.gap_shares(gap, signals.off)
    return tuple(
        Contribution(feature.name, feature.title, float(value), float(weight), float(share))
        for feature, value, weight, share in zip(
            structure.features, structure.values[gap], weights, shares, strict=True
        )
    )


def _scale_shares(signals: Signals, gap: int) -> tuple[Contribution, ...]:
    if signals.scales is None:
        return ()
    unit = signals.scale_unit
    return tuple(
        Contribution(name, title, value, term.log_odds * unit, value * term.log_odds * unit)
        for (name, term), title, value in zip(SCALES.items(), TITLES, signals.scales[gap].tolist(), strict=True)
    )


def alpha_flips(signals: Signals, gap: int) -> AlphaFlips | None:
    """Return where the status of a gap changes as α moves and all else stays.

    The fused distance of every gap is linear in α, so for the percentile rules the gaps below this one change only
    where two lines cross, and for the standard deviation the condition is a quadratic: both are solved exactly. A
    status that holds at a single α between 0 and 1, where lines meet, is passed over. For the interquartile rule and
    change points a grid of α is asked, from the present value outwards.

    ``None`` where α plays no part, and of change points where the document is too long to be divided so often.
    """
    if signals.structure is None:
        return None
    rule, amount = signals.threshold.rule, signals.threshold.amount
    low, high = signals.structural, signals.semantic
    if rule == "interquartile":

        def apart(alpha: float) -> Bools:
            return apply("interquartile", amount, fuse(high, low, alpha)).exceeded

        return _search_flips(signals, gap, apart, _SEARCH_STEPS)
    if rule == "penalty":
        counterfactual = signals.threshold.counterfactual
        if counterfactual is None or not counterfactual.alphas:
            return None
        return _search_flips(signals, gap, counterfactual.at_alpha, _DIVISION_STEPS)
    ends = (bool(apply(rule, amount, low).exceeded[gap]), bool(apply(rule, amount, high).exceeded[gap]))
    if rule == "gradient":
        low, high = gradient(low), gradient(high)
    solve = _deviation_status if rule == "standard_deviation" else _percentile_status
    edges, between = solve(low, high, gap, amount)
    return _nearest(edges, between, ends, signals.alpha, bool(signals.threshold.exceeded[gap]))


def _percentile_status(low: Float64, high: Float64, gap: int, amount: float) -> tuple[Float64, Bools]:
    """Return the values of α from 0 to 1 where the status may change, and the status inside each stretch between two of
    them.

    A gap is cut exactly while more than ``(n_gaps − 1) · percentile / 100`` scores are smaller than its own.
    """
    start, end = low - low[gap], high - high[gap]
    crossing = np.flatnonzero(start * end < 0)
    where = start[crossing] / (start[crossing] - end[crossing])
    order = np.argsort(where, kind="stable")
    edges, last = _apart(where[order])
    changes = np.cumsum(np.where(start[crossing] < 0, -1, 1)[order])
    # Just right of 0 a line that starts level with this gap's has already left it.
    smaller = np.count_nonzero((start < 0) | ((start == 0) & (end < 0)))
    counts = smaller + np.concatenate(([0], changes[last]))
    return edges, counts > (len(low) - 1) * amount / 100


def _deviation_status(low: Float64, high: Float64, gap: int, amount: float) -> tuple[Float64, Bools]:
    """As :func:`_percentile_status`, for ``score − mean > amount · deviation``."""
    start, slope = low - low.mean(), (high - high.mean()) - (low - low.mean())
    # (lift)² − amount² · variance as a polynomial in α; its roots are the only places the status can change.
    lift = np.array([slope[gap] ** 2, 2 * slope[gap] * start[gap], start[gap] ** 2])
    variance = np.array([(slope**2).mean(), 2 * (slope * start).mean(), (start**2).mean()])
    roots = np.roots(lift - amount**2 * variance)
    zero_lift = [-start[gap] / slope[gap]] if slope[gap] else []
    real = np.concatenate((roots.real[np.abs(roots.imag) < 1e-12], zero_lift))
    edges, _ = _apart(np.sort(real[(real > 0) & (real < 1)]))
    middles = (edges[:-1] + edges[1:]) / 2
    lifts = start[gap] + middles * slope[gap]
    spread = np.sqrt(np.maximum(np.polyval(variance, middles), 0))
    return edges, lifts > amount * spread


_SAME = 1e-9
"""Crossings nearer to each other than this are one; rounding has moved them apart."""


def _apart(where: Float64) -> tuple[Float64, Int64]:
    """Return edges 0, the crossings that differ, 1; and the place of the last of each group of equal crossings."""
    last = np.flatnonzero(np.append(np.diff(where) > _SAME, True)) if len(where) else np.zeros(0, dtype=np.int64)
    return np.concatenate(([0.0], where[last], [1.0])), last


def _nearest(edges: Float64, between: Bools, ends: tuple[bool, bool], alpha: float, now: bool) -> AlphaFlips:
    """Return the first change on either side: at the edge of a stretch with another status, or at 0 or 1 alone."""
    other = between != now
    after = np.flatnonzero(other & (edges[1:] > alpha + _SAME))
    before = np.flatnonzero(other & (edges[:-1] < alpha - _SAME))
    above = max(float(edges[after[0]]), alpha) if len(after) else 1.0 if alpha < 1 and ends[1] != now else None
    below = min(float(edges[before[-1] + 1]), alpha) if len(before) else 0.0 if alpha > 0 and ends[0] != now else None
    return AlphaFlips(below, above)


_SEARCH_STEPS = 200
_DIVISION_STEPS = 40
"""Steps of α from 0 to 1 that are tried: of the interquartile rule, and of change points."""


def _search_flips(signals: Signals, gap: int, cut: Callable[[float], Bools], steps: int) -> AlphaFlips:
    """Search the flips on a grid of α and narrow them by bisection; a flip that returns within one step is missed."""
    now = bool(signals.threshold.exceeded[gap])

    def seek(stops: Float64) -> float | None:
        inside = signals.alpha
        for stop in stops.tolist():
            if cut(stop)[gap] != now:
                while abs(stop - inside) > 0.0005:
                    middle = (inside + stop) / 2
                    inside, stop = (middle, stop) if cut(middle)[gap] == now else (inside, middle)
                return float((inside + stop) / 2)
            inside = stop
        return None

    grid = np.linspace(0, 1, steps + 1)
    return AlphaFlips(seek(grid[grid < signals.alpha][::-1]), seek(grid[grid > signals.alpha]), exact=False)


def count_flips(signals: Signals, gap: int) -> CountFlips | None:
    """Return with how many boundaries the status of a change point's gap is another, found by search.

    The boundary penalty is moved, downwards in twelfths of itself until all is cut or it is as far below 0, upwards
    in steps that grow by a tenth until nothing is cut; where the status changes it is narrowed by bisection. With the
    number of boundaries found there the gap does have the other status: of the divisions with so many, the cheapest is
    the same at any penalty, but for ties. A number nearer to the present one may have it too where the gap is cut,
    left out and cut again between two steps.

    ``None`` of other signals, and where the document is too long to be divided so often.
    """
    threshold = signals.threshold
    if threshold.counterfactual is None:
        return None
    gaps, now = len(signals), int(np.count_nonzero(threshold.exceeded))
    step = max(abs(threshold.value), _MIN_PENALTY) / _PENALTY_STEPS
    down = (threshold.value - step * number for number in range(2 * _PENALTY_STEPS + 1))
    up = (threshold.value + step * (_GROWTH**number - 1) / (_GROWTH - 1) for number in range(_MOST_STEPS))
    status = bool(threshold.exceeded[gap])
    more = _other_count(threshold.counterfactual, gap, status, down, lambda count: count > now, gaps)
    fewer = _other_count(threshold.counterfactual, gap, status, up, lambda count: count < now, 0)
    return CountFlips(now, fewer, more, gaps)


_PENALTY_STEPS = 12
_MIN_PENALTY = 0.05
_GROWTH = 1.1
_MOST_STEPS = 100
_BISECTIONS = 10


def _other_count(
    counterfactual: Counterfactual,
    gap: int,
    now: bool,
    penalties: Iterable[float],
    beyond: Callable[[int], bool],
    last: int,
) -> int | None:
    """Return the number of boundaries at the first of some penalties where the status is another, narrowed by
    bisection.

    Args:
        counterfactual: what is cut at other penalties.
        gap, now: whose status, and which.
        penalties: from the present one outwards.
        beyond: whether a number of boundaries lies on that side of the present one.
        last: the number at which there is nothing further to try.
    """

    def other(penalty: float) -> tuple[bool, int]:
        cuts = counterfactual.at_penalty(penalty)
        count = int(np.count_nonzero(cuts))
        return bool(cuts[gap]) != now and beyond(count), count

    def narrowed(inside: float, outside: float, count_outside: int) -> int:
        for _ in range(_BISECTIONS):
            middle = (inside + outside) / 2
            flipped, count = other(middle)
            inside, outside, count_outside = (inside, middle, count) if flipped else (middle, outside, count_outside)
        return count_outside

    before: float | None = None
    for penalty in penalties:
        flipped, count = other(penalty)
        if flipped:
            return count if before is None else narrowed(before, penalty, count)
        if count == last:
            break
        before = penalty
    return None
