"""Which controls of a setting a page can follow exactly, why it cannot follow the others, and divisions in advance.

To divide a document at change points, the script would need the scatter of all its parts, so a page has the results of
the strategy at some settings. A short document has one for every α at every fineness; a longer one for every α at the
fineness of its setting, and for every fineness at its α.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import Any, cast

import numpy as np

from chunking.chunks import SizeParameters
from chunking.params import Parameters
from chunking.signals.features import FeatureSet
from chunking.signals.thresholds import AMOUNT_OF, RULES, Rule
from chunking.standalone.places import places_of
from chunking.strategies import Segmentation, run
from chunking.strategies.changepoint import FINEST, ChangepointParameters, supported
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import DocumentAnalysis

ALPHAS = tuple(np.linspace(0, 1, 21).round(2).tolist())
"""Values of α at which a page has the divisions at change points, beside that of the setting."""

FINENESSES = tuple(np.linspace(-FINEST, FINEST, 13).tolist())
"""Values of the fineness, in the same way."""

ALL_PAIRS = 200
"""Sentences up to which a page has every α at every fineness: up to two seconds of work and 0.6 MB of a file."""

_LONGEST = 5_000
"""Sentences of a document that is divided so often."""


def amount_of(strategy: str, params: Parameters) -> str:
    """Return the name of the parameter that sets the amount of a strategy's threshold rule; empty without one."""
    rule = rule_of(strategy, params)
    return AMOUNT_OF[rule] if rule else ""


@dataclass(frozen=True)
class Control:
    """A parameter that can be moved on the page.

    Attributes:
        name: of the parameter.
        key: its name in the scripts.
        title, unit, help: for people.
        value, low, high, step: of the slider.
        reason: why it cannot be moved; empty if it can.
        note: what else a move does.
        band: range of values that the document supports; empty if it has none.
        band_words: the same in words.
    """

    name: str
    key: str
    title: str
    unit: str
    help: str
    value: float
    low: float
    high: float
    step: float
    reason: str = ""
    note: str = ""
    band: tuple[float, ...] = ()
    band_words: str = ""


def rule_of(strategy: str, params: Parameters) -> Rule | None:
    """Return the threshold rule of a strategy; ``None`` if it has none."""
    rule_name = params.threshold if isinstance(params, StructuralParameters) else strategy
    return next((rule for rule in RULES if rule == rule_name), None)


def controls(workspace: DocumentAnalysis, segmentation: Segmentation) -> tuple[Control, ...]:
    """Return the controls of a segmentation; none for a strategy without curves."""
    params = segmentation.params
    if segmentation.signals is None or not isinstance(params, SizeParameters):
        return ()
    if isinstance(params, ChangepointParameters):
        return _division_controls(workspace, params) if is_divided(segmentation) else ()
    rule = rule_of(segmentation.strategy, params)
    if rule is None:
        return ()
    reason = obstacle(workspace, params)
    alpha = (_control(params, "alpha", "alpha", reason),) if isinstance(params, StructuralParameters) else ()
    minimum = _control(params, "min_tokens", "minimum", reason)
    maximum = _control(params, "max_tokens", "maximum", reason)
    return (*alpha, _control(params, AMOUNT_OF[rule], "amount", reason), minimum, maximum, _overlap(workspace, params))


def obstacle(workspace: DocumentAnalysis, params: SizeParameters) -> str:
    """Return why no control of a setting can be followed; empty where all tokens that it needs are known."""
    positions = places_of(workspace)
    if positions is None:
        return _UNCOUNTED
    if positions.inside:
        return ""
    if params.overlap and params.overlap_unit == "tokens":
        return _UNCOUNTED
    return _UNCOUNTED if _divides_sentences(workspace, params) else ""


def _divides_sentences(workspace: DocumentAnalysis, params: SizeParameters) -> bool:
    """Return whether a sentence alone exceeds the maximum."""
    return workspace.cut_points.divided(params.maximum) is not workspace.cut_points


def _overlap(workspace: DocumentAnalysis, params: SizeParameters) -> Control:
    reason, positions = obstacle(workspace, params), places_of(workspace)
    if params.overlap_unit == "sentences":
        return replace(_control(params, "overlap", "overlap", reason), high=_most_sentences(params))
    if positions is not None and not positions.inside:
        reason = _UNCOUNTED
    return replace(_control(params, "overlap", "overlap", reason), high=200.0 if params.overlap <= 200 else 1000.0)


def _most_sentences(params: SizeParameters) -> float:
    return max(5.0, float(params.overlap))


_LIMITED = "A sentence alone exceeds the maximum: each value divides it otherwise, which needs Chunkscope."
_ALONE = "In a document of this length, a move returns {} to {}."
_IDLE = "The number of boundaries is given, so the fineness has no effect."
_UNCOUNTED = "Some places of this text lie inside a token, so that counts need a tokenizer."


def _division_controls(workspace: DocumentAnalysis, params: ChangepointParameters) -> tuple[Control, ...]:
    sentences = len(workspace.sentences)
    limits = _LIMITED if _divides_sentences(workspace, params) else ""
    idle = _IDLE if "fineness" in params.inactive else ""
    alpha = replace(_control(params, "alpha", "alpha", limits), step=ALPHAS[1] - ALPHAS[0])
    fineness = replace(_control(params, "fineness", "fineness", limits or idle), step=FINENESSES[1] - FINENESSES[0])
    if not idle:
        number = supported(workspace, cast(FeatureSet, params.structure))
        low, high = number.range
        fineness = replace(fineness, band=number.spread, band_words=f"text supports {low:,}–{high:,} cuts")
    if sentences > ALL_PAIRS and not (limits or idle):
        alpha = replace(alpha, note=_ALONE.format(fineness.title, f"{fineness.value:g}"))
        fineness = replace(fineness, note=_ALONE.format(alpha.title, f"{alpha.value:g}"))
    return (
        alpha,
        fineness,
        replace(_control(params, "overlap", "overlap", limits), high=_most_sentences(params))
        if params.overlap_unit == "sentences"
        else _control(params, "overlap", "overlap", "An overlap in tokens needs Chunkscope here."),
    )


def _control(params: Parameters, name: str, key: str, reason: str = "") -> Control:
    parameter = params.lookup(name)
    unit = str(getattr(params, "overlap_unit", "")) if name == "overlap" else parameter.unit
    low, high, step = float(parameter.minimum or 0), float(parameter.maximum or 0), float(parameter.step or 1)
    return Control(
        name, key, parameter.title, unit, parameter.help, float(getattr(params, name)), low, high, step, reason
    )


def is_divided(segmentation: Segmentation) -> bool:
    """Return whether a segmentation is one of change points, of which some divisions can be made in advance."""
    sentences = len(segmentation.signals.sentences) if segmentation.signals is not None else 0
    return segmentation.strategy == "changepoint" and 2 <= sentences <= _LONGEST


def is_live(workspace: DocumentAnalysis, segmentation: Segmentation) -> bool:
    """Return whether a script can compute the segmentation by itself."""
    params = segmentation.params
    if segmentation.signals is None or not isinstance(params, SizeParameters):
        return False
    return rule_of(segmentation.strategy, params) is not None and not obstacle(workspace, params)


def setting_values(params: Any, strategy: str) -> dict[str, Any]:
    """Return the values that the scripts begin with, see ``Setting`` in ``cuts.js``."""
    rule = rule_of(strategy, params)
    return {
        "rule": rule or "penalty",
        "alpha": getattr(params, "alpha", 1.0),
        "amount": getattr(params, AMOUNT_OF[rule] if rule else "percentile", 0.0),
        "count": getattr(params, "boundaries", 0),
        "fineness": getattr(params, "fineness", 0.0),
        "minimum": params.min_tokens,
        "softMinimum": params.soft_min_tokens,
        "maximum": params.max_tokens,
        "overlap": params.overlap,
        "overlapUnit": params.overlap_unit,
        "fitEncoder": params.fits_encoder,
        "keepTogether": params.keep_together == "yes",
    }


def divided(workspace: DocumentAnalysis, segmentation: Segmentation, *, pairs: bool = True) -> tuple[Segmentation, ...]:
    """Return the divisions that a page can show of a segmentation at change points; none of another one.

    Args:
        workspace: the document.
        segmentation: of it.
        pairs: whether a short document is divided at every α with every fineness.
    """
    params = segmentation.params
    movable = {control.name for control in controls(workspace, segmentation) if not control.reason}
    if not isinstance(params, ChangepointParameters) or not movable:
        return ()
    alphas = {*ALPHAS, params.alpha} if "alpha" in movable else {params.alpha}
    finenesses = {*FINENESSES, params.fineness} if "fineness" in movable else {params.fineness}
    settings = set(product(alphas, finenesses))
    if not pairs or len(workspace.sentences) > ALL_PAIRS:
        settings = {pair for pair in settings if params.alpha in pair[:1] or params.fineness in pair[1:]}
    return tuple(
        run("changepoint", workspace, replace(params, alpha=alpha, fineness=fineness))
        for alpha, fineness in sorted(settings)
    )
