"""The ledger: why a gap is a boundary, or is not, and what it would take to change that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from chunking.document import Span
from chunking.signals import Signals
from chunking.strategies.base import Segmentation
from chunking.thresholds import Threshold, apply, gradient

Floats = npt.NDArray[np.float64]
Verdict = Literal["cut", "not cut", "merged", "forced"]
"""``merged``: over the threshold, but the minimum size took the cut away. ``forced``: under it, but the maximum size
put a cut there."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one feature adds to the structural distance of a gap.

    Attributes:
        name, title: of the feature.
        value: its distance, 0 to 1.
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

    ``None`` on a side where it keeps its status to the end. ``exact`` is false where the values were found by search
    (the interquartile rule), to 0.001; all other rules are solved.
    """

    below: float | None
    above: float | None
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Ledger:
    """Everything that decides about one gap.

    Attributes:
        gap: number of the gap, from 0; it lies between sentence ``gap`` and ``gap + 1``.
        offset: where it cuts the text.
        left, right: spans of the two sentences.
        semantic, structural, structural_raw, fused: the distances.
        shares: what each structural feature adds; empty where structure plays no part.
        clipped: what was cut off when the sum of the shares was brought to 0–1.
        score, threshold, margin: what was compared; ``margin = score − threshold``.
        rank: 1 for the highest score of all gaps; gaps with equal scores share a rank.
        verdict: see :data:`Verdict`.
        driver: what lifts the gap above the average.
        alpha_flips: where α would change the verdict of the threshold; ``None`` where α plays no part.
        amount_flip: the percentile (or factor) below which the threshold cuts the gap; ``None`` where none decides.
    """

    gap: int
    offset: int
    left: Span
    right: Span
    semantic: float
    structural: float
    structural_raw: float
    fused: float
    shares: tuple[Share, ...]
    clipped: float
    score: float
    threshold: float
    margin: float
    rank: int
    verdict: Verdict
    driver: str
    alpha_flips: AlphaFlips | None
    amount_flip: float | None


def ledger(segmentation: Segmentation, gap: int) -> Ledger:
    """The ledger of a gap.

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
    return Ledger(
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
        alpha_flips=alpha_flips(signals, gap) if signals.structure else None,
        amount_flip=threshold.flip_amount(gap),
    )


def verdicts(segmentation: Segmentation) -> Sequence[Verdict]:
    """What became of every gap."""
    signals = segmentation.signals
    if signals is None:
        return ()
    outcome = np.full(len(signals), "not cut", dtype="<U7")
    for chunk in segmentation.chunks:
        if chunk.cut and chunk.cut.gap is not None:
            outcome[chunk.cut.gap] = "cut" if chunk.cut.reason == "distance" else "forced"
    outcome[list(segmentation.suppressed)] = "merged"
    known: list[Verdict] = outcome.tolist()
    return known


def _shares(signals: Signals, gap: int) -> tuple[Share, ...]:
    structure = signals.structure
    if structure is None:
        return ()
    weights, shares = structure.weights(signals.off), structure.gap_shares(gap, signals.off)
    return tuple(
        Share(feature.name, feature.title, float(value), float(weight), float(share))
        for feature, value, weight, share in zip(
            structure.features, structure.values[gap], weights, shares, strict=True
        )
    )


def alpha_flips(signals: Signals, gap: int) -> AlphaFlips:
    """Where the status of a gap changes as α moves and all else stays.

    The fused distance of every gap is linear in α, so for the percentile rules the gaps below this one change only
    where two lines cross, and for the standard deviation the condition is a quadratic: both are solved exactly.
    """
    rule, amount = signals.threshold.rule, signals.threshold.amount
    ends = signals.structural, signals.semantic
    if rule == "gradient":
        ends = gradient(ends[0]), gradient(ends[1])
    if rule in ("percentile", "gradient"):
        steps = _percentile_status(*ends, gap, amount)
    elif rule == "standard_deviation":
        steps = _deviation_status(*ends, gap, amount)
    else:
        return _searched(signals, gap)
    return _nearest(*steps, signals.alpha)


def _percentile_status(low: Floats, high: Floats, gap: int, amount: float) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Breakpoints of α in (0, 1) and the status between them (one more than breakpoints).

    A gap is cut exactly while more than ``(n_gaps − 1) · percentile / 100`` scores are smaller than its own.
    """
    start, end = low - low[gap], high - high[gap]
    crossing = np.flatnonzero(start * end < 0)
    where = start[crossing] / (start[crossing] - end[crossing])
    change = np.where(start[crossing] < 0, -1, 1)
    order = np.argsort(where, kind="stable")
    breakpoints, changes = where[order], change[order]
    # Just right of 0 a line that starts level with this gap's has already left it.
    smaller = np.count_nonzero((start < 0) | ((start == 0) & (end < 0)))
    counts = smaller + np.concatenate(([0], np.cumsum(changes)))
    return breakpoints, counts > (len(low) - 1) * amount / 100


def _deviation_status(low: Floats, high: Floats, gap: int, amount: float) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """As :func:`_percentile_status`, for ``score − mean > amount · deviation``."""
    start, slope = low - low.mean(), (high - high.mean()) - (low - low.mean())
    # (lift)² − amount² · variance as a polynomial in α; its roots are the only places the status can change.
    lift = np.array([slope[gap] ** 2, 2 * slope[gap] * start[gap], start[gap] ** 2])
    variance = np.array([(slope**2).mean(), 2 * (slope * start).mean(), (start**2).mean()])
    roots = np.roots(lift - amount**2 * variance)
    zero_lift = [-start[gap] / slope[gap]] if slope[gap] else []
    real = np.concatenate((roots.real[np.abs(roots.imag) < 1e-12], zero_lift))
    breakpoints = np.sort(real[(real > 0) & (real < 1)])
    edges = np.concatenate(([0.0], breakpoints, [1.0]))
    middles = (edges[:-1] + edges[1:]) / 2
    lifts = start[gap] + middles * slope[gap]
    spread = np.sqrt(np.maximum(np.polyval(variance, middles), 0))
    return breakpoints, lifts > amount * spread


def _nearest(breakpoints: Floats, status: npt.NDArray[np.bool_], alpha: float) -> AlphaFlips:
    here = int(np.searchsorted(breakpoints, alpha, side="left" if alpha > 0 else "right"))
    now = status[here]
    before = np.flatnonzero(status[:here] != now)
    after = np.flatnonzero(status[here + 1 :] != now)
    below = float(breakpoints[before[-1]]) if len(before) else None
    above = float(breakpoints[here + after[0]]) if len(after) else None
    return AlphaFlips(below, above)


_SEARCH_STEPS = 200


def _searched(signals: Signals, gap: int) -> AlphaFlips:
    """Flips found on a grid of α and narrowed by bisection; a flip and its return within one step are not seen."""

    def cut(alpha: float) -> bool:
        fused = alpha * signals.semantic + (1 - alpha) * signals.structural
        known: Threshold = apply(signals.threshold.rule, signals.threshold.amount, fused)
        return bool(known.exceeded[gap])

    now = cut(signals.alpha)

    def seek(stops: Floats) -> float | None:
        inside = signals.alpha
        for stop in stops.tolist():
            if cut(stop) != now:
                while abs(stop - inside) > 0.0005:
                    middle = (inside + stop) / 2
                    inside, stop = (middle, stop) if cut(middle) == now else (inside, middle)
                return float((inside + stop) / 2)
            inside = stop
        return None

    grid = np.linspace(0, 1, _SEARCH_STEPS + 1)
    return AlphaFlips(seek(grid[grid < signals.alpha][::-1]), seek(grid[grid > signals.alpha]), exact=False)
