"""The strategy that divides a document so that its parts scatter least, see :mod:`chunking.curves.changepoint`.

A division costs ``α · ½ Σ scatter of its chunks − (1 − α) · Σ structural distance at its cuts + penalty · number of
cuts``, and the cheapest one is taken. The score of a gap is how much cheaper the best division that cuts there is than
the best that does not, without the penalty: so a gap is cut exactly where its score exceeds the penalty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np

from chunking.chunks import Chunk, Cut, Limited, SizeParameters, build, limited
from chunking.curves import changepoint, distances
from chunking.curves.changepoint import Parts
from chunking.curves.signals import Signals
from chunking.curves.thresholds import Threshold
from chunking.params import parameter
from chunking.runtime.arrays import Bools, Float64, Int64
from chunking.strategies.base import Segmentation, Strategy
from chunking.structure import FEATURE_NAMES, FEATURE_SETS, FeatureSet
from chunking.workspace import Workspace

_SHARE = 0.5
"""Semantic distance of one unit of scatter. A cut saves scatter on both of its sides; half of it lies mostly between 0
and 1, as other distances do."""

_SEMANTIC = 0.75
"""Semantic distance that a cut needs where the structural distance is flat. With :data:`_ABOVE` it gives about as many
cuts as there are true boundaries on four unlike gold sets alike (``benchmarks/changepoint.py``).
"""

_ABOVE = 0.05
_BEYOND = 4.0
"""How far the structural distance must also lie above the document's mean: by ``_ABOVE`` plus ``_BEYOND`` times the
mean square of the distances above the mean. Where headings separate topics, a gap without one needs a larger distance.
"""

MORE = 1e-6
"""Larger than the rounding error between equal distances."""

SEARCHED = 800
"""Sentences up to which a document is divided under other settings to find when a gap flips: at most some 90 divisions,
in about 0.2 seconds."""

SEARCHED_ANEW = 250
"""The same limit for other values of α at a fixed number of cuts: each takes some ten divisions."""


@dataclass(frozen=True, kw_only=True)
class ChangepointParameters(SizeParameters):
    """Parameters of ``changepoint``."""

    alpha: float = parameter(
        0.35,
        "α",
        "Weight of semantic against structural distance: 1 is the scatter of the sentence vectors alone, 0 "
        "structural distance "
        "alone.",
        minimum=0.0,
        maximum=1.0,
        step=0.01,
    )
    percentile: float = parameter(
        0.0,
        "Percentile",
        "Share of the gaps that are not cut: 90 gives chunks of ten sentences on average, 80 of five. 0 is automatic: "
        "a boundary penalty that suits most texts.",
        minimum=0.0,
        maximum=99.9,
        step=0.1,
    )
    boundaries: int = parameter(
        0,
        "Boundaries",
        "Number of gaps to cut, before the size limits; overrides the percentile. 0 to use the percentile.",
        minimum=0,
        maximum=100000,
        step=1,
        unit="boundaries",
    )
    structure: str = parameter(
        "cues",
        "Structural features",
        "Features of the structural distance: layout and wording at the gap (cues), layout alone, or the "
        "reference program's comparison of the two sentences.",
        choices=FEATURE_SETS,
    )
    features_off: tuple[str, ...] = parameter(
        (), "Disabled features", "Structural features that are ignored.", choices=FEATURE_NAMES
    )

    @property
    def idle(self) -> frozenset[str]:
        """``percentile`` if the number of boundaries is given."""
        return frozenset({"percentile"}) if self.boundaries else frozenset()


class Problem(NamedTuple):
    """The division problem of a document.

    Attributes:
        parts: the scatter of every part; zero if α is 0.
        credit: ``(n_gaps,)`` reduction of each cut's penalty by its structural distance, in units of scatter.
        unit: the fused distance of one unit of scatter.
    """

    parts: Parts
    credit: Float64
    unit: float

    def penalties(self, penalty: float) -> Float64:
        """Return the cost of each cut, ``(n_gaps,)``, in units of scatter."""
        found: Float64 = penalty / self.unit - self.credit
        return found

    def cuts(self, penalty: float) -> Int64:
        """Return the cuts of the cheapest division."""
        return changepoint.divide(self.parts, self.penalties(penalty)).cuts

    def evidence(self, penalty: float) -> tuple[Int64, Float64]:
        """Return the cuts of the cheapest division and the score of each gap, without the penalty."""
        division, gains = changepoint.gains(self.parts, self.penalties(penalty))
        return division.cuts, self.unit * gains + penalty


def make_problem(parts: Parts, structural: Float64, alpha: float) -> Problem:
    """Return the division problem of parts with the structural distance of each gap between them."""
    if alpha == 0:
        return Problem(parts.level(), structural, 1.0)
    unit = _SHARE * alpha
    return Problem(parts, (1 - alpha) / unit * structural, unit)


def _requested_cuts(gaps: int, params: ChangepointParameters) -> int | None:
    """Return the number of cuts that the parameters request; ``None`` if the penalty decides."""
    if params.boundaries:
        return min(params.boundaries, gaps)
    return round(gaps * (1 - params.percentile / 100)) if params.percentile else None


def _usual_structural(structural: Float64) -> float:
    """Return the structural distance that a gap must exceed where the semantic distance is flat."""
    mean = structural.mean()
    return float(mean + _ABOVE + _BEYOND * (np.maximum(structural - mean, 0.0) ** 2).mean())


def _automatic_penalty(structural: Float64, alpha: float) -> float:
    """Return the automatic penalty, which suits most texts."""
    return (1 - alpha) * _usual_structural(structural) + alpha * _SEMANTIC


def _penalty(problem: Problem, usual: float, wanted: int | None) -> float:
    """Return the boundary penalty: the automatic one, or one that gives about as many cuts as wanted."""
    if wanted is not None:
        usual = problem.unit * changepoint.penalty_for(problem.parts, problem.credit, wanted)
    return round(float(usual), 12)


def _thinned(problem: Problem, penalty: float, cuts: Int64, wanted: int | None) -> Int64:
    """Return at most as many cuts as wanted."""
    return cuts if wanted is None else changepoint.thinned(problem.parts, problem.penalties(penalty), cuts, wanted)


def solve(problem: Problem, usual: float, wanted: int | None) -> tuple[float, Int64, Float64]:
    """Return the boundary penalty, the cuts, and the score of each gap."""
    penalty = _penalty(problem, usual, wanted)
    cuts, evidence = problem.evidence(penalty)
    return penalty, _thinned(problem, penalty, cuts, wanted), evidence


class _Elsewhere:
    """What other settings cut, each divided once; see :class:`chunking.curves.thresholds.Elsewhere`."""

    def __init__(self, parts: Parts, structural: Float64, params: ChangepointParameters) -> None:
        self._parts, self._structural = parts, structural
        self._requested_cuts = _requested_cuts(len(structural), params)
        self._own = make_problem(parts, structural, params.alpha)
        self._known: dict[tuple[str, float], Bools] = {}

    @property
    def alphas(self) -> bool:
        return self._requested_cuts is None or len(self._parts) <= SEARCHED_ANEW

    def at_alpha(self, alpha: float) -> Bools:
        known = self._known.get(("alpha", alpha))
        if known is None:
            problem = make_problem(self._parts, self._structural, alpha)
            penalty = _penalty(problem, _automatic_penalty(self._structural, alpha), self._requested_cuts)
            cuts = _thinned(problem, penalty, problem.cuts(penalty), self._requested_cuts)
            known = self._known["alpha", alpha] = self._bools(cuts)
        return known

    def at_penalty(self, penalty: float) -> Bools:
        known = self._known.get(("penalty", penalty))
        if known is None:
            known = self._known["penalty", penalty] = self._bools(self._own.cuts(penalty))
        return known

    def _bools(self, cuts: Int64) -> Bools:
        found = np.zeros(len(self._structural), dtype=np.bool_)
        found[cuts] = True
        return found


def changepoint_signals(workspace: Workspace, params: ChangepointParameters) -> Signals:
    """Return the curves of the strategy; the semantic distance of a gap is half of the scatter that a cut there
    saves.
    """
    structure = workspace.structure(cast(FeatureSet, params.structure))
    structural = structure.distances(params.features_off)
    semantic, fused, threshold = _curves(workspace, structural, params)
    return Signals(
        sentences=workspace.sentences,
        offsets=workspace.offsets,
        semantic=semantic,
        structure=structure,
        off=params.features_off,
        alpha=params.alpha,
        structural=structural,
        structural_raw=structure.raw(params.features_off),
        fused=fused,
        threshold=threshold,
    )


def _curves(
    workspace: Workspace, structural: Float64, params: ChangepointParameters
) -> tuple[Float64, Float64, Threshold]:
    if not len(structural):
        empty = np.zeros(0)
        return (
            empty,
            empty,
            Threshold("penalty", params.percentile, empty, float("nan"), _warnings(workspace, params, 0)),
        )
    problem = make_problem(workspace.parts, structural, params.alpha)
    usual, wanted = _automatic_penalty(structural, params.alpha), _requested_cuts(len(structural), params)
    penalty, cuts, evidence = solve(problem, usual, wanted)
    amount = 0.0 if params.boundaries else params.percentile
    semantic = _saved_scatter(workspace, evidence, structural, params.alpha)
    fused = settle_ties(distances.fuse(semantic, structural, params.alpha), cuts, penalty)
    if params.alpha:
        semantic = np.where(
            fused > penalty, semantic, np.minimum(semantic, _semantic(penalty, structural, params.alpha))
        )
    elsewhere = _Elsewhere(workspace.parts, structural, params) if len(structural) < SEARCHED else None
    return (
        semantic,
        fused,
        Threshold("penalty", amount, fused, penalty, _warnings(workspace, params, len(cuts)), elsewhere),
    )


def _saved_scatter(workspace: Workspace, evidence: Float64, structural: Float64, alpha: float) -> Float64:
    """Return half of the scatter that a cut at each gap saves, with the rest divided optimally either way.

    At α = 0 no division depends on it; then the values of a semantic division (α = 1) are shown.
    """
    if alpha > 0:
        saved = _semantic(evidence, structural, alpha)
    else:
        saved = make_problem(workspace.parts, np.zeros_like(structural), 1.0).evidence(_SEMANTIC)[1]
    return np.maximum(saved, 0.0).round(_DIGITS)


def _semantic(fused: Float64 | float, structural: Float64, alpha: float) -> Float64:
    """Return the semantic distance that gives a fused distance."""
    found: Float64 = (fused - (1 - alpha) * structural) / alpha
    return found


_DIGITS = 6
"""Decimals of scatter that are kept: its sums have single precision."""


def settle_ties(fused: Float64, cuts: Int64, penalty: float) -> Float64:
    """Return the curve with scores equal to the penalty, within rounding, moved to the side of the decision.

    So are the scores of gaps that were removed to reach a number of boundaries: they do not exceed the penalty.
    """
    cut = np.zeros(len(fused), dtype=np.bool_)
    cut[cuts] = True
    return np.where(cut, np.maximum(fused, np.nextafter(penalty, np.inf)), np.minimum(fused, penalty))


def _warnings(workspace: Workspace, params: ChangepointParameters, cuts: int) -> tuple[str, ...]:
    found: list[str] = []
    sentences = len(workspace.sentences)
    if sentences < 2:
        found.append("The text has no gap between sentences, so it is one chunk.")
    elif not cuts:
        found.append(
            "No gap exceeds the boundary penalty, so the document is one chunk. Raise the number of boundaries "
            "to divide it."
        )
    if params.boundaries > max(sentences - 1, 0):
        found.append(
            f"{params.boundaries:,} boundaries are requested, but there are only {max(sentences - 1, 0):,} gaps."
        )
    window = changepoint.window_for(sentences)
    if window < sentences:
        few = _requested_cuts(sentences - 1, params)
        fewer = f", so {cuts:,} boundaries are the fewest" if few is not None and few < cuts else ""
        found.append(f"A document of this length is searched for chunks of at most {window:,} sentences{fewer}.")
    return tuple(found)


def _limited_cuts(workspace: Workspace, problem: Problem, penalty: float, params: ChangepointParameters) -> Int64:
    """Return the cuts of the cheapest division whose chunks keep the limits, as far as whole sentences allow."""
    penalties = problem.penalties(penalty)
    overlap = params.overlap if params.overlap_unit == "tokens" else 0
    room = params.max_tokens - overlap if params.max_tokens else 0
    # Exceeds the scatter of any part and the cost of any cut, so that parts below the minimum are the last resort.
    fine = 4.0 * (problem.parts.window + float(np.abs(penalties).max()))
    parts = problem.parts.within(workspace.grid.tokens, params.min_tokens, room, fine)
    return changepoint.divide(parts, penalties).cuts


class Divider:
    """The division of a document under one setting, without its curves.

    Args:
        workspace: a document with at least one gap.
        params: the setting.
    """

    def __init__(self, workspace: Workspace, params: ChangepointParameters) -> None:
        structure = workspace.structure(cast(FeatureSet, params.structure))
        self._structural = structure.distances(params.features_off)
        self._workspace, self._params = workspace, params
        self._problem = make_problem(workspace.parts, self._structural, params.alpha)
        self._wanted = _requested_cuts(len(self._structural), params)

    def penalty(self) -> float:
        """Return the boundary penalty of the setting."""
        return _penalty(self._problem, _automatic_penalty(self._structural, self._params.alpha), self._wanted)

    def cuts(self, penalty: float) -> Int64:
        """Return ``(n_cuts,)`` int64, the gaps that are cut at a boundary penalty, ascending."""
        if self._params.min_tokens or self._params.max_tokens:
            return _limited_cuts(self._workspace, self._problem, penalty, self._params)
        return _thinned(self._problem, penalty, self._problem.cuts(penalty), self._wanted)


def _cut(signals: Signals, gap: int) -> Cut:
    if signals.threshold.exceeded[gap]:
        return signals.cut(gap)
    return Cut(int(signals.offsets[gap]), "token_limit", "limit", gap, float(signals.fused[gap]))


class Divided(NamedTuple):
    """A division within the limits.

    Attributes:
        signals: the curves.
        found: the remaining cuts, and the places where the document may be cut.
        given_up: cuts that were dropped to keep the limits.
    """

    signals: Signals
    found: Limited
    given_up: tuple[Cut, ...]

    def chunks(self, cuts: Sequence[Cut], params: SizeParameters, fences: Sequence[int] = ()) -> tuple[Chunk, ...]:
        """Return the chunks between cuts, with notes; overlaps stop at fences."""
        return _with_notes(build(self.found.grid, cuts, (), params, fences=fences), self.given_up)


def divide(workspace: Workspace, params: ChangepointParameters) -> Divided:
    """Divide a document at its change points, within the limits."""
    signals = changepoint_signals(workspace, params)
    own = np.flatnonzero(signals.threshold.exceeded)
    limits = len(signals) > 0 and (params.min_tokens > 0 or params.max_tokens > 0)
    chosen = own
    if limits:
        problem = make_problem(workspace.parts, signals.structural, params.alpha)
        chosen = _limited_cuts(workspace, problem, signals.threshold.value, params)
    # The limits then only split oversized sentences and join their remainders.
    found = limited(workspace.grid, [_cut(signals, gap) for gap in chosen.tolist()], signals.fused, params)
    kept = {cut.gap for cut in found.cuts}
    return Divided(signals, found, tuple(signals.cut(gap) for gap in own.tolist() if gap not in kept))


def _run(workspace: Workspace, params: ChangepointParameters) -> Segmentation:
    divided = divide(workspace, params)
    chunks, signals = divided.chunks(divided.found.cuts, params), divided.signals
    warnings = signals.threshold.warnings
    return Segmentation(workspace.document, "changepoint", params, chunks, divided.given_up, signals, warnings)


def _with_notes(chunks: Sequence[Chunk], given_up: Sequence[Cut]) -> tuple[Chunk, ...]:
    """Return the chunks, with a note on each that contains dropped cuts."""
    if not given_up:
        return tuple(chunks)
    inside = np.searchsorted([chunk.end for chunk in chunks], [cut.offset for cut in given_up])
    counts = np.bincount(inside, minlength=len(chunks)).tolist()
    return tuple(
        replace(chunk, notes=(f"{count} {'cut' if count == 1 else 'cuts'} dropped to keep the limits", *chunk.notes))
        if count
        else chunk
        for chunk, count in zip(chunks, counts, strict=True)
    )


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="changepoint",
        title="Change points (fused)",
        family="fused",
        summary="Divides the document so that the sentence vectors within a chunk scatter least; a cut costs "
        "less where "
        "the structural distance is high.",
        origin="Kernel change points after Arlot, Celisse and Harchaoui (2019); structure, limits and penalty are "
        "Chunkscope's own",
        params=ChangepointParameters,
        run=_run,
    ),
)
