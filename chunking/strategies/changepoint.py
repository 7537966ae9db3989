"""The strategy that divides a document so that its parts scatter least, see :mod:`chunking.curves.changepoint`.

A division costs ``α · ¼ (Σ scatter of its chunks − Σ evidence of the scales at its cuts) − (1 − α) · Σ structural
distance at its cuts + penalty · number of cuts``, and the cheapest one is taken. The score of a gap is how much cheaper
the best division that cuts there is than the best that does not, without the penalty: so a gap is cut exactly where its
score exceeds the penalty. Unless a number is given, the penalty is one at which about as many gaps are cut as the text
supports: eight tenths of the sum of the probabilities of its gaps (:mod:`chunking.evidence`), and in a document with
paragraphs at least one for each 550 bytes. ``fineness`` doubles that number with each step up and halves it with each
step down, so one value means the same on every document.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np

from chunking.chunks import Chunk, Cut, Limited, SizeParameters, build, limited
from chunking.curves import changepoint, distances
from chunking.curves.changepoint import Parts
from chunking.curves.signals import Signals, Supported
from chunking.curves.thresholds import Threshold
from chunking.evidence import CAUTION
from chunking.params import parameter
from chunking.runtime.arrays import Bools, Float64, Int64
from chunking.sentences import Sentences
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.gaps import FEATURES_HELP
from chunking.structure import FEATURE_NAMES, FEATURE_SETS, RETIRED_FEATURES, FeatureSet
from chunking.workspace import Workspace

SHARE = 0.25
"""Semantic distance of one unit of scatter. A cut saves scatter on both of its sides; a quarter of it lies mostly
between 0 and 1, as other distances do."""

SCATTER = 0.46
"""Units of scatter in one unit of log-odds: what :mod:`chunking.curves.scales` adds to the scatter saved. Chosen with
the kind of text left out that is measured (``benchmarks/boundaries.py``); from 0.3 to 0.7 little changes."""

MORE = 1e-6
"""Larger than the rounding error between equal distances."""

FINEST = 3.0
"""Largest ``fineness``: eight times as many boundaries as the text supports; the smallest is an eighth of them."""

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
    features_off: tuple[str, ...] = parameter(
        (),
        "Disabled features",
        "Structural features that are ignored.",
        choices=FEATURE_NAMES,
        retired=RETIRED_FEATURES,
    )

    @property
    def idle(self) -> frozenset[str]:
        """``fineness`` if a percentile or the number of boundaries is given, ``percentile`` if that number is."""
        if self.boundaries:
            return frozenset({"fineness", "percentile"})
        return frozenset({"fineness"}) if self.percentile else frozenset()


class Problem(NamedTuple):
    """The division problem of a document.

    Attributes:
        parts: the scatter of every part; zero if α is 0.
        credit: ``(n_gaps,)`` reduction of each cut's penalty by its structural distance and by what the scales say, in
            units of scatter.
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


def make_problem(parts: Parts, structural: Float64, alpha: float, share: float) -> Problem:
    """Return the division problem of parts with the structural distance of each gap between them.

    Args:
        parts: the scatter of every part.
        structural: ``(n_gaps,)``.
        alpha: weight of meaning against structure.
        share: semantic distance of one unit of scatter.
    """
    if alpha == 0:
        return Problem(parts.level(), structural, 1.0)
    return Problem(parts, (1 - alpha) / (share * alpha) * structural, share * alpha)


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a document says about its boundaries, before α weighs it.

    Attributes:
        parts: the scatter of every part.
        scales: ``(n_gaps,)`` what the distances at several scales add to the scatter that a cut saves, in its units.
        structural: ``(n_gaps,)`` structural distances.
        number: boundaries that are cut unless a setting gives their number: what the text supports, at the fineness
            of the setting.
    """

    parts: Parts
    scales: Float64
    structural: Float64
    number: int

    def problem(self, alpha: float) -> Problem:
        """Return the division problem at some α."""
        found = make_problem(self.parts, self.structural, alpha, SHARE)
        return found._replace(credit=found.credit + self.scales) if alpha else found

    def penalty(self, problem: Problem, wanted: int | None) -> float:
        """Return a boundary penalty that gives about as many cuts as wanted; ``None`` for :attr:`number`.

        Args:
            problem: the problem at some α.
            wanted: number of cuts.
        """
        if wanted is not None:
            found = changepoint.penalty_for(problem.parts, problem.credit, wanted)
        else:
            found = changepoint.near_penalty(problem.parts, problem.credit, self.number)
        return round(float(problem.unit * found), 12)


def evidence(workspace: Workspace, params: ChangepointParameters) -> Evidence:
    """Return what a document with at least one gap says about its boundaries."""
    structural = workspace.structure(cast(FeatureSet, params.structure)).distances(params.features_off)
    most = supported(workspace, cast(FeatureSet, params.structure)).number
    number = min(round(most * 2.0**params.fineness), len(structural))
    return Evidence(workspace.parts, SCATTER * workspace.scales, structural, number)


def supported(workspace: Workspace, name: FeatureSet = "cues") -> Supported:
    """Return the number of boundaries that the text of a document supports.

    Args:
        workspace: of the document.
        name: the set of structural features, see :meth:`chunking.workspace.Workspace.probabilities`.
    """
    learned = round(CAUTION * float(workspace.probabilities(name).sum()))
    return Supported(learned, _passages(workspace.sentences))


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
    whole = int(sizes.sum())
    prose = min(int(sizes[inside].sum()) / (_PROSE * whole), 1.0) if whole else 0.0
    return int(prose * whole) // _PASSAGE


def _requested_cuts(gaps: int, params: ChangepointParameters) -> int | None:
    """Return the number of cuts that the parameters request; ``None`` if the penalty decides."""
    if params.boundaries:
        return min(params.boundaries, gaps)
    return round(gaps * (1 - params.percentile / 100)) if params.percentile else None


def _thinned(problem: Problem, penalty: float, cuts: Int64, wanted: int | None) -> Int64:
    """Return at most as many cuts as wanted."""
    return cuts if wanted is None else changepoint.thinned(problem.parts, problem.penalties(penalty), cuts, wanted)


def solve(problem: Problem, penalty: float, wanted: int | None) -> tuple[Int64, Float64]:
    """Return the cuts at a boundary penalty, at most as many as wanted, and the score of each gap."""
    cuts, scores = problem.evidence(penalty)
    return _thinned(problem, penalty, cuts, wanted), scores


class _Elsewhere:
    """What other settings cut, each divided once; see :class:`chunking.curves.thresholds.Counterfactual`."""

    def __init__(self, known: Evidence, params: ChangepointParameters) -> None:
        self._evidence = known
        self._requested_cuts = _requested_cuts(len(known.structural), params)
        self._own = known.problem(params.alpha)
        self._known: dict[tuple[str, float], Bools] = {}

    @property
    def alphas(self) -> bool:
        return len(self._evidence.parts) <= SEARCHED_ANEW

    def at_alpha(self, alpha: float) -> Bools:
        known = self._known.get(("alpha", alpha))
        if known is None:
            problem = self._evidence.problem(alpha)
            penalty = self._evidence.penalty(problem, self._requested_cuts)
            cuts = _thinned(problem, penalty, problem.cuts(penalty), self._requested_cuts)
            known = self._known["alpha", alpha] = self._bools(cuts)
        return known

    def at_penalty(self, penalty: float) -> Bools:
        known = self._known.get(("penalty", penalty))
        if known is None:
            known = self._known["penalty", penalty] = self._bools(self._own.cuts(penalty))
        return known

    def _bools(self, cuts: Int64) -> Bools:
        found = np.zeros(len(self._evidence.structural), dtype=np.bool_)
        found[cuts] = True
        return found


def changepoint_signals(workspace: Workspace, params: ChangepointParameters) -> Signals:
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
        scale_unit=SHARE * SCATTER,
    )


def _curves(workspace: Workspace, params: ChangepointParameters) -> tuple[Float64, Float64, Threshold]:
    gaps = len(workspace.offsets)
    if not gaps:
        empty = np.zeros(0)
        warnings = _warnings(workspace, params, 0)
        return empty, empty, Threshold("penalty", params.percentile, empty, float("nan"), warnings)
    known, wanted = evidence(workspace, params), _requested_cuts(gaps, params)
    problem = known.problem(params.alpha)
    penalty = known.penalty(problem, wanted)
    cuts, scores = solve(problem, penalty, wanted)
    amount = 0.0 if params.boundaries else params.percentile
    semantic = _shown_semantic(known, scores, params.alpha)
    fused = settle_ties(distances.fuse(semantic, known.structural, params.alpha), cuts, penalty)
    if params.alpha:
        most = _semantic(penalty, known.structural, params.alpha)
        semantic = np.where(fused > penalty, semantic, np.minimum(semantic, most))
    elsewhere = _Elsewhere(known, params) if gaps < SEARCHED else None
    warnings = _warnings(workspace, params, len(cuts))
    return semantic, fused, Threshold("penalty", amount, fused, penalty, warnings, elsewhere)


def _shown_semantic(known: Evidence, scores: Float64, alpha: float) -> Float64:
    """Return the semantic distance of each gap: what a cut there saves, with the rest divided optimally either way.

    At α = 0 no division depends on it; then the values of a semantic division (α = 1) are shown.
    """
    if alpha > 0:
        saved = _semantic(scores, known.structural, alpha)
    else:
        problem = known.problem(1.0)
        saved = problem.evidence(known.penalty(problem, None))[1]
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
            "No gap exceeds the boundary penalty, so the document is one chunk. Choose a finer division, or give a "
            "number of boundaries."
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
        self._workspace, self._params = workspace, params
        self._evidence = evidence(workspace, params)
        self._problem = self._evidence.problem(params.alpha)
        self._wanted = _requested_cuts(len(self._evidence.structural), params)

    def penalty(self) -> float:
        """Return the boundary penalty of the setting."""
        return self._evidence.penalty(self._problem, self._wanted)

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
        problem = evidence(workspace, params).problem(params.alpha)
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
        cut=_run,
        on_curves=True,
    ),
)
