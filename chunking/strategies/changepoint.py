"""Strategies that divide a document so that its parts scatter least, see :mod:`chunking.curves.changepoint`.

A division costs ``α · ½ Σ scatter of its chunks − (1 − α) · Σ structural distance at its cuts + penalty · number of
cuts``, and the cheapest one is taken. The score of a gap is how much cheaper the best division that cuts there is than
the best that does not, without the penalty: so a gap is cut exactly where its score exceeds the penalty.

``changepoint_tree`` repeats this on its own result: each chunk is a sub-topic, represented by its mean vector, and
the sequence of sub-topics is divided into topics. Only existing cuts can separate topics, so the two levels always
nest.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
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
from chunking.structure import FEATURE_NAMES, FEATURE_SETS, FEATURES, FeatureSet
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

_TOPIC = 0.45
"""Semantic distance that the cut before a topic needs at the typical structural distance of a cut. With it there were
about as many topics as highest headings, on the whole of sets with two levels and with one, with their headings and
without, and whichever set was left out (``benchmarks/changepoint.py``)."""

_LEVELS = 4.0
"""Weight of layout between topics; wording has none: a question or a connective shows that a part
begins, but not how large it is; headings, type and space do."""

_MORE = 1e-6
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


class _Problem(NamedTuple):
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


def _problem(parts: Parts, structural: Float64, alpha: float) -> _Problem:
    if alpha == 0:
        return _Problem(parts.level(), structural, 1.0)
    unit = _SHARE * alpha
    return _Problem(parts, (1 - alpha) / unit * structural, unit)


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


def _penalty(problem: _Problem, usual: float, wanted: int | None) -> float:
    """Return the boundary penalty: the automatic one, or one that gives about as many cuts as wanted."""
    if wanted is not None:
        usual = problem.unit * changepoint.penalty_for(problem.parts, problem.credit, wanted)
    return round(float(usual), 12)


def _thinned(problem: _Problem, penalty: float, cuts: Int64, wanted: int | None) -> Int64:
    """Return at most as many cuts as wanted."""
    return cuts if wanted is None else changepoint.thinned(problem.parts, problem.penalties(penalty), cuts, wanted)


def _solve(problem: _Problem, usual: float, wanted: int | None) -> tuple[float, Int64, Float64]:
    """Return the boundary penalty, the cuts, and the score of each gap."""
    penalty = _penalty(problem, usual, wanted)
    cuts, evidence = problem.evidence(penalty)
    return penalty, _thinned(problem, penalty, cuts, wanted), evidence


class _Elsewhere:
    """What other settings cut, each divided once; see :class:`chunking.curves.thresholds.Elsewhere`."""

    def __init__(self, parts: Parts, structural: Float64, params: ChangepointParameters) -> None:
        self._parts, self._structural = parts, structural
        self._requested_cuts = _requested_cuts(len(structural), params)
        self._own = _problem(parts, structural, params.alpha)
        self._known: dict[tuple[str, float], Bools] = {}

    @property
    def alphas(self) -> bool:
        return self._requested_cuts is None or len(self._parts) <= SEARCHED_ANEW

    def at_alpha(self, alpha: float) -> Bools:
        known = self._known.get(("alpha", alpha))
        if known is None:
            problem = _problem(self._parts, self._structural, alpha)
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
    problem = _problem(workspace.parts, structural, params.alpha)
    usual, wanted = _automatic_penalty(structural, params.alpha), _requested_cuts(len(structural), params)
    penalty, cuts, evidence = _solve(problem, usual, wanted)
    amount = 0.0 if params.boundaries else params.percentile
    semantic = _saved_scatter(workspace, evidence, structural, params.alpha)
    fused = _settle_ties(distances.fuse(semantic, structural, params.alpha), cuts, penalty)
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
        saved = _problem(workspace.parts, np.zeros_like(structural), 1.0).evidence(_SEMANTIC)[1]
    return np.maximum(saved, 0.0).round(_DIGITS)


def _semantic(fused: Float64 | float, structural: Float64, alpha: float) -> Float64:
    """Return the semantic distance that gives a fused distance."""
    found: Float64 = (fused - (1 - alpha) * structural) / alpha
    return found


_DIGITS = 6
"""Decimals of scatter that are kept: its sums have single precision."""


def _settle_ties(fused: Float64, cuts: Int64, penalty: float) -> Float64:
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


def _limited_cuts(workspace: Workspace, signals: Signals, params: ChangepointParameters) -> Int64:
    """Return the cuts of the cheapest division whose chunks keep the limits, as far as whole sentences allow."""
    problem = _problem(workspace.parts, signals.structural, params.alpha)
    penalties = problem.penalties(signals.threshold.value)
    overlap = params.overlap if params.overlap_unit == "tokens" else 0
    room = params.max_tokens - overlap if params.max_tokens else 0
    # Exceeds the scatter of any part and the cost of any cut, so that parts below the minimum are the last resort.
    fine = 4.0 * (problem.parts.window + float(np.abs(penalties).max()))
    parts = problem.parts.within(workspace.grid.tokens, params.min_tokens, room, fine)
    return changepoint.divide(parts, penalties).cuts


def _cut(signals: Signals, gap: int) -> Cut:
    if signals.threshold.exceeded[gap]:
        return signals.cut(gap)
    return Cut(int(signals.offsets[gap]), "token_limit", "limit", gap, float(signals.fused[gap]))


class _Divided(NamedTuple):
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


def _divided(workspace: Workspace, params: ChangepointParameters) -> _Divided:
    signals = changepoint_signals(workspace, params)
    own = np.flatnonzero(signals.threshold.exceeded)
    limits = len(signals) > 0 and (params.min_tokens > 0 or params.max_tokens > 0)
    chosen = _limited_cuts(workspace, signals, params) if limits else own
    # The limits then only split oversized sentences and join their remainders.
    found = limited(workspace.grid, [_cut(signals, gap) for gap in chosen.tolist()], signals.fused, params)
    kept = {cut.gap for cut in found.cuts}
    return _Divided(signals, found, tuple(signals.cut(gap) for gap in own.tolist() if gap not in kept))


def _run(workspace: Workspace, params: ChangepointParameters) -> Segmentation:
    divided = _divided(workspace, params)
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


# changepoint_tree --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ChangepointTreeParameters(ChangepointParameters):
    """Parameters of ``changepoint_tree``."""

    subtopics: float = parameter(
        0.0,
        "Sub-topics",
        "Number of sub-topics (the leaves) per topic, on average. 0 is automatic: "
        "a topic penalty that suits most texts.",
        minimum=0.0,
        maximum=20.0,
        step=0.5,
    )


def topics(
    workspace: Workspace, signals: Signals, gaps: Int64, alpha: float, wanted: int | None = None
) -> tuple[float, dict[int, float]]:
    """Return the cuts that open a topic.

    Args:
        workspace: of the document.
        signals: the curves of the division into sub-topics.
        gaps: ``(n,)`` int64, the gaps between the sub-topics, ascending; at least one.
        alpha: weight of meaning against structure.
        wanted: how many of them open a topic; ``None`` if the penalty decides.

    Returns:
        The topic penalty, and the score of every gap that opens a topic.
    """
    means = changepoint.means(changepoint.prepared(workspace.vectors()), gaps)
    structural = _topic_distances(signals)[gaps]
    problem = _problem(changepoint.parts(means), structural, alpha)
    usual = (1 - alpha) * (_weighted_mean(structural) + _MORE) + alpha * _TOPIC
    penalty, cuts, evidence = _solve(problem, usual, wanted)
    scores = _settle_ties(evidence, cuts, penalty)
    return penalty, {int(gaps[cut]): float(scores[cut]) for cut in cuts.tolist()}


def _weighted_mean(structural: Float64) -> float:
    """Return the mean of what is cut where each distance counts as much as it is: where headings of several levels
    stand beside cuts without any, it lies between the levels.
    """
    total = float(structural.sum())
    return float((structural**2).sum()) / total if total > 0 else 0.0


def _topic_distances(signals: Signals) -> Float64:
    """Return the structural distance between topics, ``(n_gaps,)``; the reference features have no levels."""
    structure = signals.structure
    if structure is None or structure.name == "reference":
        return signals.structural
    layout = {feature.name for feature in FEATURES["layout"]}
    wording = tuple(feature.name for feature in structure.features if feature.name not in layout)
    found: Float64 = _LEVELS * np.maximum(structure.raw((*signals.off, *wording)), 0.0)
    return found


def _run_tree(workspace: Workspace, params: ChangepointTreeParameters) -> Segmentation:
    divided = _divided(workspace, params)
    signals, cuts = divided.signals, divided.found.cuts
    gaps = np.array([cut.gap for cut in cuts if cut.gap is not None], dtype=np.int64)
    penalty, scores = float("nan"), dict[int, float]()
    if len(gaps):
        number = max(round((len(gaps) + 1) / max(params.subtopics, 1.0)), 1)
        wanted = number - 1 if params.subtopics else None
        penalty, scores = topics(workspace, signals, gaps, params.alpha, wanted)
    opening = [
        Cut(int(signals.offsets[gap]), "distance", signals.driver(gap), gap, score, penalty, "topic")
        for gap, score in scores.items()
    ]
    parents = build(divided.found.grid, opening, (), SizeParameters())
    leaves = divided.chunks([_with_level(cut, scores) for cut in cuts], params, [cut.offset for cut in opening])
    return Segmentation(
        workspace.document,
        "changepoint_tree",
        params,
        _nested(parents, leaves),
        divided.given_up,
        signals,
        (*signals.threshold.warnings, *_topic_warnings(len(gaps), len(scores))),
    )


def _with_level(cut: Cut, opening: Collection[int]) -> Cut:
    """Return a leaf's cut with its level; a cut inside a sentence has none."""
    return cut if cut.gap is None else replace(cut, detail="topic" if cut.gap in opening else "sub-topic")


def _nested(parents: Sequence[Chunk], leaves: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return every parent, each followed by the leaves inside it."""
    starts = [parent.start for parent in parents]
    above = [bisect_right(starts, leaf.start) - 1 for leaf in leaves]
    firsts = [bisect_left(above, number) for number in range(len(parents))]
    # A parent follows the earlier parents and their leaves; a leaf also follows its own parent.
    places = [number + first for number, first in enumerate(firsts)]
    found = [replace(parent, index=place) for parent, place in zip(parents, places, strict=True)]
    found += [
        replace(leaf, index=number + holder + 1, parent=places[holder])
        for number, (leaf, holder) in enumerate(zip(leaves, above, strict=True))
    ]
    return tuple(sorted(found, key=lambda chunk: chunk.index))


def _topic_warnings(cuts: int, opening: int) -> tuple[str, ...]:
    found: list[str] = []
    if cuts and not opening:
        found.append("No cut exceeds the topic penalty, so the document is one topic with all of its sub-topics.")
    window = changepoint.window_for(cuts + 1)
    if window <= cuts:
        found.append(f"A document of this length is searched for topics of at most {window:,} sub-topics.")
    return tuple(found)


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
    Strategy(
        name="changepoint_tree",
        title="Change point tree",
        family="fused",
        summary="Divides the document at change points into sub-topics, and the sub-topics in the same way "
        "into topics: "
        "parents with their children.",
        origin="Kernel change points after Arlot, Celisse and Harchaoui (2019), at two levels; the levels are "
        "Chunkscope's own",
        params=ChangepointTreeParameters,
        run=_run_tree,
        tiles=False,
    ),
)
