"""The strategy that divides a document so that its parts scatter least, see :mod:`chunking.signals.change_points`.

A division costs ``α · ¼ (Σ scatter of its chunks − Σ evidence of the scales at its cuts) − (1 − α) · Σ structural
distance at its cuts + penalty · number of cuts``, and the cheapest one is taken. The score of a gap is how much cheaper
the best division that cuts there is than the best that does not, without the penalty: so a gap is cut exactly where its
score exceeds the penalty. Unless a number is given, the penalty is one at which about as many gaps are cut as the text
supports: eight tenths of the sum of the probabilities of its gaps, fewer where they tell little
(:mod:`chunking.signals.boundary_model`), and in a
document with paragraphs at least one for each 550 bytes. ``fineness`` doubles that number with each step up and halves
it with each step down, so one value means the same on every document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np

from chunking.chunks import (
    NO_LIMITS,
    Chunk,
    Cut,
    Limited,
    RetrievalSizeParameters,
    SizeParameters,
    build,
    counts_inside,
    hand_cut,
    limited,
    with_kept,
)
from chunking.chunks.constraints import CODE, FREE, HAND
from chunking.params import parameter
from chunking.runtime.arrays import Bools, Float64, Int8, Int64
from chunking.runtime.wording import plural
from chunking.sentences import Sentences
from chunking.signals import boundary_model, change_points, distances
from chunking.signals.change_points import SegmentCosts
from chunking.signals.features import FEATURE_SETS, FeatureSet
from chunking.signals.signals import Signals, Supported
from chunking.signals.thresholds import Threshold
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.cutting import constraints_for
from chunking.strategies.gaps import FEATURES_HELP, FEATURES_OFF
from chunking.workspace import DocumentAnalysis

SEMANTIC_PER_SCATTER = 0.25
"""Semantic distance of one unit of scatter. A cut saves scatter on both of its sides; a quarter of it lies mostly
between 0 and 1, as other distances do."""

SCATTER_PER_LOG_ODDS = 0.46
"""Units of scatter in one unit of log-odds: what :mod:`chunking.signals.scales` adds to the scatter saved. Chosen with
the kind of text left out that is measured (``benchmarks/boundaries.py``); from 0.3 to 0.7 little changes."""

ROUNDING = 1e-6
"""Larger than the rounding error between equal distances."""

FINEST = 3.0
"""Largest ``fineness``: eight times as many boundaries as the text supports; the smallest is an eighth of them."""

SEARCHED = 800
"""Sentences up to which a document is divided under other settings to find when a gap flips: at most some 90 divisions,
in about 0.2 seconds."""

SEARCHED_ANEW = 250
"""The same limit for other values of α at a fixed number of cuts: each takes some ten divisions."""


@dataclass(frozen=True, kw_only=True)
class ChangepointParameters(RetrievalSizeParameters):
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
    fineness: float = parameter(
        0.0,
        "Coarse to fine",
        "How finely the document is divided: 0 is automatic and cuts as many gaps as the text supports; each whole "
        "step up doubles their number, each one down halves it.",
        minimum=-FINEST,
        maximum=FINEST,
        step=0.25,
    )
    percentile: float = parameter(
        0.0,
        "Percentile",
        "Share of the gaps that are not cut: 90 gives chunks of ten sentences on average, 80 of five; overrides coarse "
        "to fine. 0 to use that.",
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
        f"{FEATURES_HELP} The number of boundaries that the text supports counts all cues, also disabled ones.",
        choices=FEATURE_SETS,
    )
    features_off: tuple[str, ...] = FEATURES_OFF

    @property
    def inactive(self) -> frozenset[str]:
        """``fineness`` if a percentile or the number of boundaries is given, ``percentile`` if that number is."""
        if self.boundaries:
            return frozenset({"fineness", "percentile"})
        return frozenset({"fineness"}) if self.percentile else frozenset()


class Problem(NamedTuple):
    """The division problem of a document under one weighting of its distances.

    Attributes:
        costs: the scatter of every segment; zero if α is 0.
        penalty_discount: ``(n_gaps,)`` reduction of each cut's penalty by its structural distance and by the distances
            at several scales, in units of scatter.
        unit: the fused distance of one unit of scatter.
    """

    costs: SegmentCosts
    penalty_discount: Float64
    unit: float

    def penalties(self, penalty: float) -> Float64:
        """Return the cost of each cut, ``(n_gaps,)``, in units of scatter."""
        penalties: Float64 = penalty / self.unit - self.penalty_discount
        return penalties

    def cuts(self, penalty: float, number: int | None = None) -> Int64:
        """Return the cuts of the cheapest division at a boundary penalty, at most as many as a number."""
        return self.thin(change_points.divide(self.costs, self.penalties(penalty)), penalty, number)

    def scores(self, penalty: float, number: int | None = None) -> tuple[Int64, Float64]:
        """Return the cuts at a boundary penalty, as :meth:`cuts` does, and the score of each gap."""
        cuts, gains = change_points.gains(self.costs, self.penalties(penalty))
        return self.thin(cuts, penalty, number), self.unit * gains + penalty

    def thin(self, cuts: Int64, penalty: float, number: int | None) -> Int64:
        """Return at most ``number`` of the cuts; all of them if it is ``None``."""
        return cuts if number is None else change_points.thin(self.costs, self.penalties(penalty), cuts, number)


def make_problem(costs: SegmentCosts, structural: Float64, alpha: float, unit: float) -> Problem:
    """Return the division problem of segments with the structural distance of each gap between them.

    Args:
        costs: the scatter of every segment.
        structural: ``(n_gaps,)``.
        alpha: weight of semantic against structural distance.
        unit: semantic distance of one unit of scatter.
    """
    if alpha == 0:
        return Problem(costs.without_scatter(), structural, 1.0)
    return Problem(costs, (1 - alpha) / (unit * alpha) * structural, unit * alpha)


class ChangepointInputs:
    """The inputs of a division by document and setting, before α weighs the distances.

    It also answers what other settings would cut, each divided once; see
    :class:`chunking.signals.thresholds.Counterfactual`.

    Args:
        workspace: a document with at least one gap.
        params: the setting.
    """

    def __init__(self, workspace: DocumentAnalysis, params: ChangepointParameters) -> None:
        features = cast(FeatureSet, params.structure)
        self.costs = workspace.segment_costs
        self.scales = SCATTER_PER_LOG_ODDS * workspace.scales
        self.structural = workspace.structure(features).distances(params.features_off)
        number = supported(workspace, features).number
        self._automatic = min(round(number * 2.0**params.fineness), len(self.structural))
        self.requested = _requested_cuts(len(self.structural), params)
        self._problem = self.problem(params.alpha)
        self._cuts_elsewhere: dict[tuple[str, float], Bools] = {}

    def problem(self, alpha: float) -> Problem:
        """Return the division problem at some α."""
        problem = make_problem(self.costs, self.structural, alpha, SEMANTIC_PER_SCATTER)
        return problem._replace(penalty_discount=problem.penalty_discount + self.scales) if alpha else problem

    def penalty(self, problem: Problem, requested: int | None) -> float:
        """Return a boundary penalty that gives about the requested number of cuts; the automatic one for ``None``."""
        find = change_points.near_penalty if requested is None else change_points.penalty_for
        number = self._automatic if requested is None else requested
        return round(float(problem.unit * find(problem.costs, problem.penalty_discount, number)), 12)

    @property
    def alphas(self) -> bool:
        """Whether the document is short enough to be divided at many values of α."""
        return len(self.costs) <= SEARCHED_ANEW

    def at_alpha(self, alpha: float) -> Bools:
        """Return the cuts at another α, ``(n_gaps,)`` bool."""
        if ("alpha", alpha) not in self._cuts_elsewhere:
            problem = self.problem(alpha)
            cuts = problem.cuts(self.penalty(problem, self.requested), self.requested)
            self._cuts_elsewhere["alpha", alpha] = _as_mask(cuts, len(self.structural))
        return self._cuts_elsewhere["alpha", alpha]

    def at_penalty(self, penalty: float) -> Bools:
        """Return the cuts at another boundary penalty, ``(n_gaps,)`` bool."""
        if ("penalty", penalty) not in self._cuts_elsewhere:
            cuts = self._problem.cuts(penalty)
            self._cuts_elsewhere["penalty", penalty] = _as_mask(cuts, len(self.structural))
        return self._cuts_elsewhere["penalty", penalty]


def _as_mask(cuts: Int64, gaps: int) -> Bools:
    mask = np.zeros(gaps, dtype=np.bool_)
    mask[cuts] = True
    return mask


def supported(workspace: DocumentAnalysis, name: FeatureSet = "cues") -> Supported:
    """Return the number of boundaries that the text of a document supports.

    Args:
        workspace: of the document.
        name: the set of structural features, see :meth:`chunking.workspace.DocumentAnalysis.probabilities`.
    """
    learned, spread = boundary_model.expected(workspace.probabilities(name))
    return Supported(learned, _passages(workspace.sentences), spread)


_PASSAGE = 550
"""Bytes of UTF-8 in a passage: some 140 tokens of any script. With them 85 % of the text of ten real documents of many
formats is in chunks of 50 to 512 tokens, with 800 bytes 74 %."""

_PROSE = 0.1
"""Share of a text in blocks of several sentences from which it is divided into passages in full."""


def _passages(sentences: Sentences) -> int:
    """Return the number of passages of a document with paragraphs; of a mere list of sentences or turns there are none.

    The number that is learned comes from such lists, and grows slowly with their length: over a long document it would
    leave most of the text in parts that are too long to be searched for.
    """
    block = sentences.block
    inside = np.zeros(len(block), dtype=np.bool_)
    together = np.diff(block) == 0
    inside[1:] |= together
    inside[:-1] |= together
    sizes = np.array([len(text.encode()) for text in sentences.texts], dtype=np.int64)
    total = int(sizes.sum())
    prose = min(int(sizes[inside].sum()) / (_PROSE * total), 1.0) if total else 0.0
    return int(prose * total) // _PASSAGE


def _requested_cuts(gaps: int, params: ChangepointParameters) -> int | None:
    """Return the number of cuts that the parameters request; ``None`` if the penalty decides."""
    if params.boundaries:
        return min(params.boundaries, gaps)
    return round(gaps * (1 - params.percentile / 100)) if params.percentile else None


def changepoint_signals(workspace: DocumentAnalysis, params: ChangepointParameters) -> Signals:
    """Return the curves of the strategy; the semantic distance of a gap is a quarter of the scatter that a cut there
    saves, with what the distances at several scales add to it.
    """
    structure = workspace.structure(cast(FeatureSet, params.structure))
    structural = structure.distances(params.features_off)
    semantic, fused, threshold = _curves(workspace, params)
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
        probabilities=workspace.probabilities(structure.name),
        supported=supported(workspace, structure.name),
        scales=workspace.scale_measurements,
        scale_unit=SEMANTIC_PER_SCATTER * SCATTER_PER_LOG_ODDS,
    )


def _curves(workspace: DocumentAnalysis, params: ChangepointParameters) -> tuple[Float64, Float64, Threshold]:
    gaps = len(workspace.offsets)
    if not gaps:
        empty = np.zeros(0)
        warnings = _warnings(workspace, params, 0)
        return empty, empty, Threshold("penalty", params.percentile, empty, float("nan"), warnings)
    inputs = ChangepointInputs(workspace, params)
    problem = inputs.problem(params.alpha)
    penalty = inputs.penalty(problem, inputs.requested)
    cuts, scores = problem.scores(penalty, inputs.requested)
    amount = 0.0 if params.boundaries else params.percentile
    semantic = _shown_semantic(inputs, scores, params.alpha)
    fused = settle_ties(distances.fuse(semantic, inputs.structural, params.alpha), cuts, penalty)
    if params.alpha:
        highest = _semantic(penalty, inputs.structural, params.alpha)
        semantic = np.where(fused > penalty, semantic, np.minimum(semantic, highest))
    counterfactual = inputs if gaps < SEARCHED else None
    warnings = _warnings(workspace, params, len(cuts))
    return semantic, fused, Threshold("penalty", amount, fused, penalty, warnings, counterfactual)


def _shown_semantic(inputs: ChangepointInputs, scores: Float64, alpha: float) -> Float64:
    """Return the semantic distance of each gap: what a cut there saves, with the rest divided optimally either way.

    At α = 0 no division depends on it; then the values of a semantic division (α = 1) are shown.
    """
    if alpha > 0:
        saved = _semantic(scores, inputs.structural, alpha)
    else:
        problem = inputs.problem(1.0)
        saved = problem.scores(inputs.penalty(problem, None))[1]
    return np.maximum(saved, 0.0).round(_DIGITS)


def _semantic(fused: Float64 | float, structural: Float64, alpha: float) -> Float64:
    """Return the semantic distance that gives a fused distance."""
    semantic: Float64 = (fused - (1 - alpha) * structural) / alpha
    return semantic


_DIGITS = 6
"""Decimals of scatter that are kept: its sums have single precision."""


def settle_ties(fused: Float64, cuts: Int64, penalty: float) -> Float64:
    """Return the curve with scores equal to the penalty, within rounding, moved to the side of the decision.

    So are the scores of gaps that were removed to reach a number of boundaries: they do not exceed the penalty.
    """
    cut = _as_mask(cuts, len(fused))
    return np.where(cut, np.maximum(fused, np.nextafter(penalty, np.inf)), np.minimum(fused, penalty))


def _warnings(workspace: DocumentAnalysis, params: ChangepointParameters, cuts: int) -> tuple[str, ...]:
    warnings: list[str] = []
    sentences = len(workspace.sentences)
    if sentences < 2:
        warnings.append("The text has no gap between sentences, so it is one chunk.")
    elif not cuts:
        warnings.append(
            "No gap exceeds the boundary penalty, so the document is one chunk. Choose a finer division, or give a "
            "number of boundaries."
        )
    if params.boundaries > max(sentences - 1, 0):
        warnings.append(
            f"{params.boundaries:,} boundaries are requested, but there are only {max(sentences - 1, 0):,} gaps."
        )
    window = change_points.window_for(sentences)
    if window < sentences:
        few = _requested_cuts(sentences - 1, params)
        fewer = f", so {cuts:,} boundaries are the fewest" if few is not None and few < cuts else ""
        warnings.append(f"A document of this length is searched for chunks of at most {window:,} sentences{fewer}.")
    return tuple(warnings)


def _limited_cuts(
    workspace: DocumentAnalysis, penalty: float, params: ChangepointParameters, kept: Int8, by_hand: Bools
) -> Int64:
    """Return the cuts of the cheapest division that keeps the limits, parts nothing that is kept together and has all
    cuts by hand, as far as whole sentences allow.

    Args:
        workspace: of the document.
        penalty: the boundary penalty.
        params: the limits.
        kept: ``(n_gaps,)``, what each gap would part.
        by_hand: ``(n_gaps,)``, whether each is cut by hand.
    """
    problem = ChangepointInputs(workspace, params).problem(params.alpha)
    penalties = problem.penalties(penalty)
    # Exceeds the scatter of any segment and the cost of any cut, so segments below the minimum are the last resort.
    fine = 4.0 * (problem.costs.window + float(np.abs(penalties).max()))
    rooms = workspace.cut_points.rooms(params.maximum)
    costs = problem.costs.within(workspace.cut_points.tokens, params.min_tokens, rooms, fine)
    kinds = [by_hand, kept == FREE, kept == CODE, kept == HAND]
    shares = np.select(kinds, [_BY_HAND, 0.0, _CODE_FINE, _HAND_FINE], _FINE)
    return change_points.divide(costs, penalties + fine * shares)


_FINE, _CODE_FINE, _HAND_FINE, _BY_HAND = 0.5, 0.25, 0.75, -2.0
"""Costs of parting what is kept together, of parting code, of parting what was joined by hand and of a cut by hand, as
shares of the cost of a part below the minimum."""


def _cut(signals: Signals, gap: int, *, by_hand: bool) -> Cut:
    if signals.threshold.exceeded[gap]:
        return signals.cut(gap)
    offset, score = int(signals.offsets[gap]), float(signals.fused[gap])
    return hand_cut(offset, gap, score) if by_hand else Cut(offset, "token_limit", "limit", gap, score)


def _own(signals: Signals, kept: Int8, cut: Cut) -> Cut:
    """Return a cut that the maximum forced as the strategy's own where the gap exceeds the threshold anyway."""
    if cut.gap is None or kept[cut.gap] != FREE or not signals.threshold.exceeded[cut.gap]:
        return cut
    return signals.cut(cut.gap)


class LimitedDivision(NamedTuple):
    """A division within the limits.

    Attributes:
        signals: the curves.
        limited: the remaining cuts, and the places where the document may be cut.
        dropped_cuts: cuts that were dropped to keep the limits.
    """

    signals: Signals
    limited: Limited
    dropped_cuts: tuple[Cut, ...]

    def chunks(
        self, cuts: Sequence[Cut], params: SizeParameters, overlap_barriers: Sequence[int] = ()
    ) -> tuple[Chunk, ...]:
        """Return the chunks between cuts, with a note on each that contains dropped cuts; overlaps stop at barriers."""
        built = Limited(self.limited.cut_points, list(cuts), (), self.limited.kept)
        chunks = build(built, params, overlap_barriers=overlap_barriers)
        counts = counts_inside(self.dropped_cuts, [chunk.end for chunk in chunks])
        return tuple(
            replace(chunk, notes=(f"{plural(count, 'cut')} dropped to keep the limits", *chunk.notes))
            if count
            else chunk
            for chunk, count in zip(chunks, counts, strict=True)
        )


def divide(workspace: DocumentAnalysis, params: ChangepointParameters) -> LimitedDivision:
    """Divide a document at its change points, within the constraints and the limits."""
    signals = changepoint_signals(workspace, params)
    exceeding = np.flatnonzero(signals.threshold.exceeded)
    constraints = constraints_for(workspace, params)
    kept = params.held(constraints).at(workspace.offsets)
    by_hand = constraints.is_forced(workspace.offsets)
    cuts = exceeding
    if len(signals) and (params.min_tokens or params.max_tokens):
        cuts = _limited_cuts(workspace, signals.threshold.value, params, kept, by_hand)
    # The limits then only split oversized sentences and join their remainders.
    own_cuts = [_cut(signals, gap, by_hand=bool(by_hand[gap])) for gap in cuts.tolist()]
    limited_cuts = limited(workspace.cut_points, own_cuts, signals.fused, params, constraints)
    limited_cuts = limited_cuts._replace(cuts=[_own(signals, kept, cut) for cut in limited_cuts.cuts])
    remaining = {cut.gap for cut in limited_cuts.cuts}
    dropped = [gap for gap in exceeding.tolist() if gap not in remaining]
    held = tuple(with_kept(signals.cut(gap), kept[gap]) for gap in dropped if kept[gap] != FREE)
    others = tuple(signals.cut(gap) for gap in dropped if kept[gap] == FREE)
    return LimitedDivision(signals, limited_cuts._replace(suppressed=(), kept=held), others)


def _run(workspace: DocumentAnalysis, params: ChangepointParameters) -> Segmentation:
    division = divide(workspace, params)
    return Segmentation(
        workspace.document,
        "changepoint",
        params,
        division.chunks(division.limited.cuts, params),
        division.dropped_cuts,
        division.signals,
        division.signals.threshold.warnings,
        kept=division.limited.kept,
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
        presets={"default": {}, "unlimited": NO_LIMITS},
        cut=_run,
        on_curves=True,
    ),
)
