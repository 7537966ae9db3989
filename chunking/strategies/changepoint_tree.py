"""Change points at two levels: topics and their sub-topics.

The strategy repeats :mod:`chunking.strategies.changepoint` on its own result: each chunk is a sub-topic, represented by
its mean vector, and the sequence of sub-topics is divided into topics. Only existing cuts can separate topics, so the
two levels always nest.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from chunking.chunks import NO_LIMITS, Cut, Limited, SizeParameters, build, nest
from chunking.params import parameter
from chunking.runtime.arrays import Float64, Int64
from chunking.signals import change_points
from chunking.signals.features import FEATURES, PAPER
from chunking.signals.signals import Signals
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.changepoint import ROUNDING, ChangepointParameters, divide, make_problem, settle_ties
from chunking.workspace import DocumentAnalysis

_TOPIC = 0.45
"""Semantic distance that the cut before a topic needs at the typical structural distance of a cut. With it there were
about as many topics as highest headings, on the whole of sets with two levels and with one, with their headings and
without, and whichever set was left out (``benchmarks/changepoint.py``)."""


_SEMANTIC_PER_SCATTER = 0.5
"""Semantic distance of one unit of scatter between topics."""

_LEVELS = 6.0
"""Weight of layout between topics; wording has none: a question or a connective shows that a part
begins, but not how large it is; headings, type and space do."""


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
    workspace: DocumentAnalysis, signals: Signals, gaps: Int64, alpha: float, number: int | None = None
) -> tuple[float, dict[int, float]]:
    """Return the cuts that open a topic.

    Args:
        workspace: of the document.
        signals: the curves of the division into sub-topics.
        gaps: ``(n,)`` int64, the gaps between the sub-topics, ascending; at least one.
        alpha: weight of semantic against structural distance.
        number: how many of them open a topic; ``None`` if the penalty decides.

    Returns:
        The topic penalty, and the score of every gap that opens a topic.
    """
    means = change_points.means(change_points.normalize(workspace.vectors()), gaps)
    structural = _topic_distances(signals)[gaps]
    problem = make_problem(change_points.segment_costs(means), structural, alpha, _SEMANTIC_PER_SCATTER)
    penalty = (1 - alpha) * (_weighted_mean(structural) + ROUNDING) + alpha * _TOPIC
    if number is not None:
        penalty = problem.unit * change_points.penalty_for(problem.costs, problem.penalty_discount, number)
    penalty = round(float(penalty), 12)
    cuts, scores = problem.scores(penalty, number)
    scores = settle_ties(scores, cuts, penalty)
    return penalty, {int(gaps[cut]): float(scores[cut]) for cut in cuts.tolist()}


def _weighted_mean(structural: Float64) -> float:
    """Return the mean of what is cut where each distance counts as much as it is: where headings of several levels
    stand beside cuts without any, it lies between the levels.
    """
    total = float(structural.sum())
    return float((structural**2).sum()) / total if total > 0 else 0.0


def _topic_distances(signals: Signals) -> Float64:
    """Return the structural distance between topics, ``(n_gaps,)``; those of the paper have no levels."""
    structure = signals.structure
    if structure is None or structure.name == PAPER:
        return signals.structural
    layout = {feature.name for feature in FEATURES["layout"]}
    wording = tuple(feature.name for feature in structure.features if feature.name not in layout)
    distances: Float64 = _LEVELS * np.maximum(structure.raw((*signals.off, *wording)), 0.0)
    return distances


def _run_tree(workspace: DocumentAnalysis, params: ChangepointTreeParameters) -> Segmentation:
    division = divide(workspace, params)
    signals, cuts = division.signals, division.limited.cuts
    gaps = np.array([cut.gap for cut in cuts if cut.gap is not None], dtype=np.int64)
    penalty, scores = float("nan"), dict[int, float]()
    if len(gaps):
        number = max(round((len(gaps) + 1) / max(params.subtopics, 1.0)), 1) - 1 if params.subtopics else None
        penalty, scores = topics(workspace, signals, gaps, params.alpha, number)
    opening = [
        Cut(int(signals.offsets[gap]), "distance", signals.driver(gap), gap, score, penalty, "topic")
        for gap, score in scores.items()
    ]
    parents = build(Limited(division.limited.cut_points, opening), SizeParameters())
    leaves = division.chunks([_with_level(cut, scores) for cut in cuts], params, [cut.offset for cut in opening])
    return Segmentation(
        workspace.document,
        "changepoint_tree",
        params,
        nest(parents, leaves),
        division.dropped_cuts,
        signals,
        (*signals.threshold.warnings, *_topic_warnings(len(gaps), len(scores))),
        kept=division.limited.kept,
    )


def _with_level(cut: Cut, opening: Collection[int]) -> Cut:
    """Return a leaf's cut with its level; a cut inside a sentence has none."""
    return cut if cut.gap is None else replace(cut, detail="topic" if cut.gap in opening else "sub-topic")


def _topic_warnings(cuts: int, opening: int) -> tuple[str, ...]:
    warnings: list[str] = []
    if cuts and not opening:
        warnings.append("No cut exceeds the topic penalty, so the document is one topic with all of its sub-topics.")
    window = change_points.window_for(cuts + 1)
    if window <= cuts:
        warnings.append(f"A document of this length is searched for topics of at most {window:,} sub-topics.")
    return tuple(warnings)


STRATEGIES: tuple[Strategy, ...] = (
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
        presets={"default": {}, "unlimited": NO_LIMITS},
        cut=_run_tree,
        on_curves=True,
        tiles=False,
    ),
)
