"""Strategies that cut where a curve over the gaps exceeds a threshold: the fused and the semantic family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from chunking.chunks import NO_LIMITS, RetrievalSizeParameters, SizeParameters, build, limited
from chunking.params import Parameters, Value, parameter
from chunking.runtime.arrays import Float64
from chunking.signals.boundary_model import LOG_ODDS
from chunking.signals.features import FEATURE_NAMES, FEATURE_SETS, PAPER, RETIRED_FEATURES, FeatureSet
from chunking.signals.signals import Signals, measure
from chunking.signals.thresholds import AMOUNT_OF, RULES, Rule
from chunking.strategies.base import Segmentation, Strategy
from chunking.strategies.cutting import constraints_for, segmentation_of
from chunking.workspace import DocumentAnalysis


def _percentile(default: float) -> float:
    return cast(
        float,
        parameter(
            default,
            "Percentile",
            "Gaps whose distance exceeds this percentile of all distances are cut. It is a share of the gaps, not a "
            "height.",
            minimum=50.0,
            maximum=99.9,
            step=0.1,
        ),
    )


_DEVIATIONS = parameter(
    3.0,
    "Standard deviations",
    "How far above the mean a distance must lie to be cut.",
    minimum=0.0,
    maximum=6.0,
    step=0.1,
)
_IQR_FACTOR = parameter(
    1.5,
    "Interquartile ranges",
    "How far above the mean a distance must lie to be cut.",
    minimum=0.0,
    maximum=6.0,
    step=0.1,
)


def _window(default: int) -> int:
    return cast(
        int,
        parameter(
            default,
            "Sentence window",
            "Neighbours on each side that are embedded together with each sentence: 0 for the sentence alone, "
            "1 for LangChain's triples. Windows of neighbours overlap, which blurs the place of a boundary.",
            minimum=0,
            maximum=5,
            step=1,
            unit="sentences",
        ),
    )


FEATURES_HELP = (
    "Features of the structural distance: layout and wording at the gap (cues), the same where questions open a part, "
    "as in some dialogues (questions), layout alone, or the reference program's comparison of the two sentences."
)

FEATURES_OFF = parameter(
    (),
    "Disabled features",
    "Structural features that are ignored.",
    choices=FEATURE_NAMES,
    retired=RETIRED_FEATURES,
)

_SIDES = parameter(
    1,
    "Sentences per side",
    "Sentences on each side of a gap whose vectors are averaged before comparison; 1 for the two neighbours. With "
    "single sentences (window 0) the two sides do not overlap.",
    minimum=1,
    maximum=10,
    step=1,
    unit="sentences",
)


@dataclass(frozen=True, kw_only=True)
class StructuralParameters(RetrievalSizeParameters):
    """Parameters of ``structural``, the fused strategy."""

    alpha: float = parameter(
        0.5,
        "α",
        "Weight of semantic against structural distance: 1 is semantic distance alone, 0 structural distance alone.",
        minimum=0.0,
        maximum=1.0,
        step=0.01,
    )
    threshold: str = parameter(
        "percentile",
        "Threshold rule",
        "The rule that computes the threshold. 'gradient' compares the slope of the curve instead, which "
        "is steepest just before a peak.",
        choices=RULES,
    )
    percentile: float = _percentile(85.0)
    deviations: float = _DEVIATIONS
    iqr_factor: float = _IQR_FACTOR
    window: int = _window(0)
    block: int = parameter(
        0,
        "Sentences per side",
        "Sentences on each side of a gap whose vectors are averaged before comparison; 1 for the two neighbours. 0 for "
        "several scales at once, from 1 to 12, by how far each gap stands out from those around it.",
        minimum=0,
        maximum=10,
        step=1,
        unit="sentences",
    )
    structure: str = parameter("cues", "Structural features", FEATURES_HELP, choices=FEATURE_SETS)
    features_off: tuple[str, ...] = FEATURES_OFF

    @property
    def amount(self) -> float:
        """The value of the parameter that the threshold rule uses."""
        return cast(float, getattr(self, AMOUNT_OF[cast(Rule, self.threshold)]))

    @property
    def inactive(self) -> frozenset[str]:
        """The amounts of the other threshold rules."""
        return frozenset(AMOUNT_OF.values()) - {AMOUNT_OF[cast(Rule, self.threshold)]}


STRUCTURAL_PRESETS: dict[str, dict[str, Value]] = {
    "default": {},
    "unlimited": NO_LIMITS,
    "reference": {
        "alpha": 0.05,
        "threshold": "percentile",
        "percentile": 95.0,
        "window": 0,
        "block": 1,
        "structure": PAPER,
        **NO_LIMITS,
        "keep_together": "no",
    },
}


@dataclass(frozen=True, kw_only=True)
class PercentileParameters(SizeParameters):
    """Parameters of ``percentile`` and ``gradient``."""

    percentile: float = _percentile(95.0)
    window: int = _window(1)
    block: int = _SIDES


@dataclass(frozen=True, kw_only=True)
class StandardDeviationParameters(SizeParameters):
    """Parameters of ``standard_deviation``."""

    deviations: float = _DEVIATIONS
    window: int = _window(1)
    block: int = _SIDES


@dataclass(frozen=True, kw_only=True)
class InterquartileParameters(SizeParameters):
    """Parameters of ``interquartile``."""

    iqr_factor: float = _IQR_FACTOR
    window: int = _window(1)
    block: int = _SIDES


SEMANTIC_PRESETS: dict[str, dict[str, Value]] = {"default": {}, "blocks": {"window": 0, "block": 3}}
"""``blocks`` compares three sentences on each side, which do not overlap."""

_OFF_BY_ONE = (
    "Overlapping windows find the place but miss the gap: on the Choi set F1 is 24 % at the exact gap and 64 % within "
    "one gap (random cuts: 15 and 38). The preset “blocks” compares three sentences on each side instead: 71 and 73 %."
)
"""Measured with the encoder ``static`` at the true number of boundaries, see docs/measurements/findings.md."""


def window_note(params: Parameters) -> str:
    """Return what to know of overlapping windows where parameters of the semantic strategies ask for them, else
    nothing.
    """
    if not isinstance(params, PercentileParameters | StandardDeviationParameters | InterquartileParameters):
        return ""
    return _OFF_BY_ONE if params.window else ""


def _probabilities(workspace: DocumentAnalysis, params: StructuralParameters) -> Float64 | None:
    """Return the probabilities of the gaps where all that they were calibrated with is used."""
    learned = params.structure in ("cues", "questions") and not params.window
    return workspace.probabilities(cast(FeatureSet, params.structure)) if learned else None


def structural_signals(workspace: DocumentAnalysis, params: StructuralParameters) -> Signals:
    """Return the curves of ``structural``."""
    return measure(
        workspace.sentences,
        workspace.offsets,
        workspace.semantic(params.window, params.block),
        workspace.structure(cast(FeatureSet, params.structure)),
        alpha=params.alpha,
        off=params.features_off,
        rule=cast(Rule, params.threshold),
        amount=params.amount,
        probabilities=_probabilities(workspace, params),
        scales=None if params.block or params.window else workspace.scale_measurements,
        scale_unit=1 / LOG_ODDS,
    )


def segment(workspace: DocumentAnalysis, name: str, params: SizeParameters, signals: Signals) -> Segmentation:
    """Cut every gap over the threshold, apply the constraints and the limits, build the chunks."""
    constraints = constraints_for(workspace, params)
    limited_cuts = limited(workspace.cut_points, signals.cuts, signals.fused, params, constraints)
    warnings = (*signals.threshold.warnings, *_no_layout(signals))
    return segmentation_of(workspace, name, params, build(limited_cuts, params), limited_cuts, signals, warnings)


def _no_layout(signals: Signals) -> tuple[str, ...]:
    """Return a warning if the structural distance hardly varies; empty if it sets even one gap apart."""
    if signals.structure is None or len(signals) < 2:
        return ()
    if np.ptp(signals.structural) == 0:
        return (
            "This document has no layout: the structural distance is the same at every gap. α only scales the curve, "
            "so every α above 0 cuts the same gaps, and 0 cuts none.",
        )
    if _has_paragraphs_alone(signals):
        return (
            "The only layout of this document is one paragraph per sentence: the structural distance hardly "
            "differs between gaps, so α has little effect.",
        )
    return ()


def _has_paragraphs_alone(signals: Signals) -> bool:
    """Return whether every gap begins a paragraph and no other enabled layout feature occurs."""
    structure = signals.structure
    if structure is None or structure.name != "layout":
        return False
    columns = [column for column, weight in enumerate(structure.weights(signals.off)) if weight]
    paragraph = [feature.name for feature in structure.features].index("paragraph")
    has_feature = structure.values[:, columns] > 0
    return bool(
        (structure.values[:, paragraph] > 0).all() and (has_feature.sum(axis=1) <= (paragraph in columns)).all()
    )


def _run_structural(workspace: DocumentAnalysis, params: StructuralParameters) -> Segmentation:
    return segment(workspace, "structural", params, structural_signals(workspace, params))


def _semantic(
    rule: Rule, params: type[PercentileParameters | StandardDeviationParameters | InterquartileParameters], summary: str
) -> Strategy:
    def run(
        workspace: DocumentAnalysis,
        params: PercentileParameters | StandardDeviationParameters | InterquartileParameters,
    ) -> Segmentation:
        signals = measure(
            workspace.sentences,
            workspace.offsets,
            workspace.semantic(params.window, params.block),
            None,
            alpha=1.0,
            rule=rule,
            amount=getattr(params, AMOUNT_OF[rule]),
        )
        return segment(workspace, rule, params, signals)

    return Strategy(
        name=rule,
        title=f"Semantic, {rule.replace('_', ' ')}",
        family="semantic",
        summary=summary,
        origin="LangChain SemanticChunker, after Kamradt (2023)",
        params=params,
        cut=run,
        on_curves=True,
        presets=SEMANTIC_PRESETS,
    )


STRATEGIES: tuple[Strategy, ...] = (
    Strategy(
        name="structural",
        title="Fused (semantic + structural)",
        family="fused",
        summary="Cuts where the weighted sum of semantic and structural distance exceeds a threshold.",
        origin="Fused distance of the reference program; layout features, blocks and limits are Chunkscope's own",
        params=StructuralParameters,
        cut=_run_structural,
        on_curves=True,
        presets=STRUCTURAL_PRESETS,
    ),
    _semantic("percentile", PercentileParameters, "Cuts where the semantic distance exceeds a percentile."),
    _semantic(
        "standard_deviation",
        StandardDeviationParameters,
        "Cuts where the semantic distance exceeds the mean by a number of standard deviations.",
    ),
    _semantic(
        "interquartile",
        InterquartileParameters,
        "Cuts where the semantic distance exceeds the mean by a number of interquartile ranges.",
    ),
    _semantic("gradient", PercentileParameters, "Cuts where the slope of the semantic distance exceeds a percentile."),
)
