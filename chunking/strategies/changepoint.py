"""The strategies that divide a document where its parts scatter least, see :mod:`chunking.curves.changepoint`.

A division costs ``α · ½ Σ scatter of its chunks − (1 − α) · Σ structural distance at its cuts + penalty · number of
cuts``, and the cheapest one is taken. What a gap is worth is how much cheaper the best division that cuts there is than
the best that does not, the penalty left out: so it is cut exactly where that exceeds the penalty.

``changepoint_tree`` does the same once more with what came out: each chunk is a sub-topic, represented by its mean, and
the row of sub-topics is divided into topics. Only what was cut can be cut again, so the two levels always nest.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from chunking.chunks import Chunk, Cut, Limited, SizeParameters, build, limited
from chunking.curves import changepoint, distances
from chunking.curves.changepoint import Parts
from chunking.curves.signals import Signals
from chunking.curves.thresholds import Bools, Threshold
from chunking.params import parameter
from chunking.strategies.base import Segmentation, Strategy
from chunking.structure import FEATURE_NAMES, FEATURE_SETS, FEATURES, FeatureSet
from chunking.workspace import Workspace

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_SHARE = 0.5
"""What a unit of scatter counts for as semantic distance. A cut saves scatter on both of its sides; half of it lies
mostly between 0 and 1, as other distances do."""

_SEMANTIC = 0.75
"""Semantic distance that a cut needs where structure says nothing. With :data:`_ABOVE` it gave about as many cuts as
there are true boundaries on four unlike gold sets alike (``benchmarks/changepoint.py``)."""

_ABOVE = 0.05
_BEYOND = 4.0
"""How far the structural distance must lie above the document's mean beside that: so far, and so many times the mean
square of what lies above it. Where headings tell topics apart, a gap without one has to show more."""

_TOPIC = 0.45
"""Semantic distance that the cut before a topic needs where structure is that of most that is cut. With it there were
about as many topics as highest headings, on the whole of sets with two levels and with one, with their headings and
without, and whichever set was left out (``benchmarks/changepoint.py``)."""

_LEVELS = 4.0
"""What layout counts for between topics, where wording counts for nothing: a question or a connective says that a part
begins or does not, and nothing of how large it is; headings, type and space do."""

_MORE = 1e-6
"""More than rounding leaves between equal distances."""

SEARCHED = 800
"""Sentences of a document up to which other settings are searched for what they do to a gap: at most some 90 divisions,
in about 0.2 seconds."""

SEARCHED_ANEW = 250
"""The same for other values of α where the number of cuts is given: each takes some ten divisions to reach it."""


@dataclass(frozen=True, kw_only=True)
class ChangepointParameters(SizeParameters):
    """Parameters of ``changepoint``."""

    alpha: float = parameter(
        0.35,
        "α",
        "Weight of meaning against structure: 1 is the scatter of the sentences' meanings alone, 0 structural distance "
        "alone.",
        minimum=0.0,
        maximum=1.0,
        step=0.01,
    )
    percentile: float = parameter(
        0.0,
        "Percentile",
        "Share of the gaps that are not cut: 90 makes chunks of ten sentences on average, 80 of five. 0 is automatic: "
        "as many chunks as the text has topics, at a boundary penalty that suits most texts.",
        minimum=0.0,
        maximum=99.9,
        step=0.1,
    )
    boundaries: int = parameter(
        0,
        "Boundaries",
        "Cut exactly so many gaps, before the limits, whatever the percentile; 0 to leave that to the percentile.",
        minimum=0,
        maximum=100000,
        step=1,
        unit="boundaries",
    )
    structure: str = parameter(
        "cues",
        "Structural features",
        "What structure means: the layout at the gap and the wording beside it (cues), its layout alone, or the "
        "reference program's comparison of the two sentences.",
        choices=FEATURE_SETS,
    )
    features_off: tuple[str, ...] = parameter(
        (), "Features off", "Structural features that are left out.", choices=FEATURE_NAMES
    )

    @property
    def idle(self) -> frozenset[str]:
        """The percentile where the number of boundaries is given."""
        return frozenset({"percentile"}) if self.boundaries else frozenset()


class _Problem(NamedTuple):
    """What is divided.

    Attributes:
        parts: the scatter of every part; none where α is 0.
        credit: ``(n_gaps,)`` what structure takes from the penalty of each cut, in the unit of scatter.
        unit: what a unit of scatter adds to the fused distance.
    """

    parts: Parts
    credit: Floats
    unit: float

    def penalties(self, penalty: float) -> Floats:
        """Return ``(n_gaps,)`` what each cut costs, in the unit of scatter."""
        found: Floats = penalty / self.unit - self.credit
        return found

    def cuts(self, penalty: float) -> Ints:
        """Return the cuts of the cheapest division."""
        return changepoint.divide(self.parts, self.penalties(penalty)).cuts

    def evidence(self, penalty: float) -> tuple[Ints, Floats]:
        """Return the cuts of the cheapest division, and what each gap is worth before the penalty."""
        division, gains = changepoint.gains(self.parts, self.penalties(penalty))
        return division.cuts, self.unit * gains + penalty


def _problem(parts: Parts, structural: Floats, alpha: float) -> _Problem:
    if alpha == 0:
        return _Problem(parts.level(), structural, 1.0)
    unit = _SHARE * alpha
    return _Problem(parts, (1 - alpha) / unit * structural, unit)


def _wanted(gaps: int, params: ChangepointParameters) -> int | None:
    """How many cuts the parameters ask for; ``None`` where the penalty decides."""
    if params.boundaries:
        return min(params.boundaries, gaps)
    return round(gaps * (1 - params.percentile / 100)) if params.percentile else None


def _usual(structural: Floats) -> float:
    """Return the structural distance that a gap must exceed in a document where meaning says nothing."""
    mean = structural.mean()
    return float(mean + _ABOVE + _BEYOND * (np.maximum(structural - mean, 0.0) ** 2).mean())


def _usual_penalty(structural: Floats, alpha: float) -> float:
    """Return the penalty that suits most texts."""
    return (1 - alpha) * _usual(structural) + alpha * _SEMANTIC


def _penalty(problem: _Problem, usual: float, wanted: int | None) -> float:
    """Return the boundary penalty: the usual one, or one that gives about so many cuts."""
    if wanted is not None:
        usual = problem.unit * changepoint.penalty_for(problem.parts, problem.credit, wanted)
    return round(float(usual), 12)


def _thinned(problem: _Problem, penalty: float, cuts: Ints, wanted: int | None) -> Ints:
    """Return no more cuts than are wanted."""
    return cuts if wanted is None else changepoint.thinned(problem.parts, problem.penalties(penalty), cuts, wanted)


def _decided(problem: _Problem, usual: float, wanted: int | None) -> tuple[float, Ints, Floats]:
    """Return the boundary penalty, the cuts, and what each gap is worth before the penalty."""
    penalty = _penalty(problem, usual, wanted)
    cuts, evidence = problem.evidence(penalty)
    return penalty, _thinned(problem, penalty, cuts, wanted), evidence


class _Elsewhere:
    """What other settings cut, each divided once; see :class:`chunking.curves.thresholds.Elsewhere`."""

    def __init__(self, parts: Parts, structural: Floats, params: ChangepointParameters) -> None:
        self._parts, self._structural = parts, structural
        self._wanted = _wanted(len(structural), params)
        self._own = _problem(parts, structural, params.alpha)
        self._known: dict[tuple[str, float], Bools] = {}

    @property
    def alphas(self) -> bool:
        return self._wanted is None or len(self._parts) <= SEARCHED_ANEW

    def at_alpha(self, alpha: float) -> Bools:
        known = self._known.get(("alpha", alpha))
        if known is None:
            problem = _problem(self._parts, self._structural, alpha)
            penalty = _penalty(problem, _usual_penalty(self._structural, alpha), self._wanted)
            cuts = _thinned(problem, penalty, problem.cuts(penalty), self._wanted)
            known = self._known["alpha", alpha] = self._bools(cuts)
        return known

    def at_penalty(self, penalty: float) -> Bools:
        known = self._known.get(("penalty", penalty))
        if known is None:
            known = self._known["penalty", penalty] = self._bools(self._own.cuts(penalty))
        return known

    def _bools(self, cuts: Ints) -> Bools:
        found = np.zeros(len(self._structural), dtype=np.bool_)
        found[cuts] = True
        return found


def changepoint_signals(workspace: Workspace, params: ChangepointParameters) -> Signals:
    """Return the curves of the strategy: a gap's semantic distance is half of the scatter that a cut there saves."""
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
    workspace: Workspace, structural: Floats, params: ChangepointParameters
) -> tuple[Floats, Floats, Threshold]:
    if not len(structural):
        empty = np.zeros(0)
        return (
            empty,
            empty,
            Threshold("penalty", params.percentile, empty, float("nan"), _warnings(workspace, params, 0)),
        )
    problem = _problem(workspace.parts, structural, params.alpha)
    usual, wanted = _usual_penalty(structural, params.alpha), _wanted(len(structural), params)
    penalty, cuts, evidence = _decided(problem, usual, wanted)
    amount = 0.0 if params.boundaries else params.percentile
    semantic = _saved(workspace, evidence, structural, params.alpha)
    fused = _parted(distances.fuse(semantic, structural, params.alpha), cuts, penalty)
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


def _saved(workspace: Workspace, evidence: Floats, structural: Floats, alpha: float) -> Floats:
    """Return half of the scatter that a cut at each gap saves, the rest divided as well as can be either way.

    Where structure alone decides no division asks for it; what meaning alone would make of the document is shown.
    """
    if alpha > 0:
        saved = _semantic(evidence, structural, alpha)
    else:
        saved = _problem(workspace.parts, np.zeros_like(structural), 1.0).evidence(_SEMANTIC)[1]
    return np.maximum(saved, 0.0).round(_DIGITS)


def _semantic(fused: Floats | float, structural: Floats, alpha: float) -> Floats:
    """What the semantic distance is where the fused one is known."""
    found: Floats = (fused - (1 - alpha) * structural) / alpha
    return found


_DIGITS = 6
"""Decimals of scatter that are kept: the sums before them are of single precision."""


def _parted(fused: Floats, cuts: Ints, penalty: float) -> Floats:
    """Return the curve with the gaps whose worth is the penalty, within rounding, put on the side that they were given.

    So are gaps that were thinned out to reach a number of boundaries: they are worth no more than the penalty.
    """
    cut = np.zeros(len(fused), dtype=np.bool_)
    cut[cuts] = True
    return np.where(cut, np.maximum(fused, np.nextafter(penalty, np.inf)), np.minimum(fused, penalty))


def _warnings(workspace: Workspace, params: ChangepointParameters, cuts: int) -> tuple[str, ...]:
    found: list[str] = []
    sentences = len(workspace.sentences)
    if sentences < 2:
        found.append("There is no gap: a single sentence, or none, is one chunk.")
    elif not cuts:
        found.append("No gap is worth the boundary penalty: the document is one chunk.")
    if params.boundaries > max(sentences - 1, 0):
        found.append(
            f"{params.boundaries:,} boundaries are asked for, but there are only {max(sentences - 1, 0):,} gaps."
        )
    window = changepoint.window_for(sentences)
    if window < sentences:
        few = _wanted(sentences - 1, params)
        fewer = f", so {cuts:,} boundaries are the fewest" if few is not None and few < cuts else ""
        found.append(f"In so long a document no chunk of more than {window:,} sentences is looked at{fewer}.")
    return tuple(found)


def _limited_cuts(workspace: Workspace, signals: Signals, params: ChangepointParameters) -> Ints:
    """Return the cuts of the cheapest division whose chunks keep the limits, as far as whole sentences can."""
    problem = _problem(workspace.parts, signals.structural, params.alpha)
    penalties = problem.penalties(signals.threshold.value)
    overlap = params.overlap if params.overlap_unit == "tokens" else 0
    room = params.max_tokens - overlap if params.max_tokens else 0
    # More than any part scatters and any cut costs, so that parts below the minimum are the last resort.
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
        signals: its curves.
        found: the cuts that remain, and where the document may be cut.
        given_up: cuts that were given up to keep the limits.
    """

    signals: Signals
    found: Limited
    given_up: tuple[Cut, ...]

    def chunks(self, cuts: Sequence[Cut], params: SizeParameters, fences: Sequence[int] = ()) -> tuple[Chunk, ...]:
        """Return the chunks between cuts, with notes; overlaps end at fences."""
        return _noted(build(self.found.grid, cuts, (), params, fences=fences), self.given_up)


def _divided(workspace: Workspace, params: ChangepointParameters) -> _Divided:
    signals = changepoint_signals(workspace, params)
    own = np.flatnonzero(signals.threshold.exceeded)
    limits = len(signals) > 0 and (params.min_tokens > 0 or params.max_tokens > 0)
    chosen = _limited_cuts(workspace, signals, params) if limits else own
    # What is left to the limits is to cut oversized sentences and to join what remains of them.
    found = limited(workspace.grid, [_cut(signals, gap) for gap in chosen.tolist()], signals.fused, params)
    kept = {cut.gap for cut in found.cuts}
    return _Divided(signals, found, tuple(signals.cut(gap) for gap in own.tolist() if gap not in kept))


def _run(workspace: Workspace, params: ChangepointParameters) -> Segmentation:
    divided = _divided(workspace, params)
    chunks, signals = divided.chunks(divided.found.cuts, params), divided.signals
    warnings = signals.threshold.warnings
    return Segmentation(workspace.document, "changepoint", params, chunks, divided.given_up, signals, warnings)


def _noted(chunks: Sequence[Chunk], given_up: Sequence[Cut]) -> tuple[Chunk, ...]:
    """Return the chunks, with a note on those that cuts were given up in."""
    if not given_up:
        return tuple(chunks)
    inside = np.searchsorted([chunk.end for chunk in chunks], [cut.offset for cut in given_up])
    counts = np.bincount(inside, minlength=len(chunks)).tolist()
    return tuple(
        replace(chunk, notes=(f"{count} {'cut' if count == 1 else 'cuts'} given up to keep the limits", *chunk.notes))
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
        "How many sub-topics, which are the leaves, a topic has on average. 0 is automatic: as many topics as the text "
        "has, at a penalty that suits most texts.",
        minimum=0.0,
        maximum=20.0,
        step=0.5,
    )


def topics(
    workspace: Workspace, signals: Signals, gaps: Ints, alpha: float, wanted: int | None = None
) -> tuple[float, dict[int, float]]:
    """Which cuts open a topic.

    Args:
        workspace: of the document.
        signals: the curves of the division into sub-topics.
        gaps: ``(n,)`` int64, the gaps between the sub-topics, ascending; at least one.
        alpha: weight of meaning against structure.
        wanted: how many of them are to open a topic; ``None`` leaves it to the penalty.

    Returns:
        The topic penalty, and of every gap that opens one what it is worth before the penalty.
    """
    means = changepoint.means(changepoint.prepared(workspace.vectors()), gaps)
    structural = _of_topics(signals)[gaps]
    problem = _problem(changepoint.parts(means), structural, alpha)
    usual = (1 - alpha) * (_among(structural) + _MORE) + alpha * _TOPIC
    penalty, cuts, evidence = _decided(problem, usual, wanted)
    worth = _parted(evidence, cuts, penalty)
    return penalty, {int(gaps[cut]): float(worth[cut]) for cut in cuts.tolist()}


def _among(structural: Floats) -> float:
    """Return the mean of what is cut where each distance counts as much as it is: where headings of several levels
    stand beside cuts without any, it lies between the levels.
    """
    total = float(structural.sum())
    return float((structural**2).sum()) / total if total > 0 else 0.0


def _of_topics(signals: Signals) -> Floats:
    """Return ``(n_gaps,)`` what structure says of topics; the reference program's features know no levels."""
    structure = signals.structure
    if structure is None or structure.name == "reference":
        return signals.structural
    layout = {feature.name for feature in FEATURES["layout"]}
    wording = tuple(feature.name for feature in structure.features if feature.name not in layout)
    found: Floats = _LEVELS * np.maximum(structure.raw((*signals.off, *wording)), 0.0)
    return found


def _run_tree(workspace: Workspace, params: ChangepointTreeParameters) -> Segmentation:
    divided = _divided(workspace, params)
    signals, cuts = divided.signals, divided.found.cuts
    gaps = np.array([cut.gap for cut in cuts if cut.gap is not None], dtype=np.int64)
    penalty, worth = float("nan"), dict[int, float]()
    if len(gaps):
        number = max(round((len(gaps) + 1) / max(params.subtopics, 1.0)), 1)
        wanted = number - 1 if params.subtopics else None
        penalty, worth = topics(workspace, signals, gaps, params.alpha, wanted)
    opening = [
        Cut(int(signals.offsets[gap]), "distance", signals.driver(gap), gap, score, penalty, "topic")
        for gap, score in worth.items()
    ]
    parents = build(divided.found.grid, opening, (), SizeParameters())
    leaves = divided.chunks([_levelled(cut, worth) for cut in cuts], params, [cut.offset for cut in opening])
    return Segmentation(
        workspace.document,
        "changepoint_tree",
        params,
        _nested(parents, leaves),
        divided.given_up,
        signals,
        (*signals.threshold.warnings, *_topic_warnings(len(gaps), len(worth))),
    )


def _levelled(cut: Cut, opening: Collection[int]) -> Cut:
    """Return a leaf's cut with its level; one inside a sentence has none."""
    return cut if cut.gap is None else replace(cut, detail="topic" if cut.gap in opening else "sub-topic")


def _nested(parents: Sequence[Chunk], leaves: Sequence[Chunk]) -> tuple[Chunk, ...]:
    """Return each parent, and after it the leaves inside it."""
    starts = [parent.start for parent in parents]
    above = [bisect_right(starts, leaf.start) - 1 for leaf in leaves]
    firsts = [bisect_left(above, number) for number in range(len(parents))]
    # Before a parent stand the parents before it and the leaves inside them; before a leaf also its own parent.
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
        found.append("No cut opens a topic: the document is one topic with all of its sub-topics.")
    window = changepoint.window_for(cuts + 1)
    if window <= cuts:
        found.append(f"In so long a document no topic of more than {window:,} sub-topics is looked at.")
    return tuple(found)


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="changepoint",
        title="Change points (fused)",
        family="fused",
        summary="Divides the document where the meanings within its chunks scatter least, cheaper where structure "
        "asks for a cut.",
        origin="Kernel change points after Arlot, Celisse and Harchaoui (2019); structure, limits and penalty are "
        "Chunkscope's own",
        params=ChangepointParameters,
        run=_run,
    ),
    Strategy(
        name="changepoint_tree",
        title="Change point tree",
        family="fused",
        summary="Divides the document at change points into sub-topics, and these in the same way into topics: parents "
        "with their children.",
        origin="Kernel change points after Arlot, Celisse and Harchaoui (2019), at two levels; the levels are "
        "Chunkscope's own",
        params=ChangepointTreeParameters,
        run=_run_tree,
        tiles=False,
    ),
)
