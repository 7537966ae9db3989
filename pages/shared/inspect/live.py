"""What the browser needs to redraw the curves while a control is dragged."""

from __future__ import annotations

from typing import Any

import numpy as np

from chunking.curves.thresholds import AMOUNT_OF, RULES, Rule
from chunking.params import Parameters
from chunking.runtime.arrays import AnyInts
from chunking.strategies import Segmentation
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import Workspace
from pages.shared.components.curve_chart import LiveCurves, LiveSetting, LiveSource
from pages.shared.settings import strategy_settings

_NAMES = {"alpha": "alpha", "overlap": "overlap", "min_tokens": "minimum", "max_tokens": "maximum"}
"""The parameters that can be dragged, beside the amount of the rule, with their names in the scripts."""


def curves(workspace: Workspace, segmentation: Segmentation) -> LiveCurves | None:
    """Return what the chart redraws by itself; ``None`` where a curve is more than a sum (change points)."""
    params, signals = segmentation.params, segmentation.signals
    rule = rule_of(segmentation.strategy, params)
    if rule is None or signals is None:
        return None
    names = {**_NAMES, AMOUNT_OF[rule]: "amount"}
    keys = {
        strategy_settings.key_of(segmentation.strategy, name): short
        for name, short in names.items()
        if hasattr(params, name)
    }
    head, tail, to_after, to_before = (_counts(each) for each in workspace.grid.tokens.parts())
    source: LiveSource = {
        "semantic": exact(signals.semantic),
        "structural": exact(signals.structural) if signals.structure else None,
        "head": head,
        "tail": tail,
        "toAfter": to_after,
        "toBefore": to_before,
    }
    return {"source": source, "setting": setting(rule, params), "controls": keys}


def rule_of(strategy: str, params: Parameters) -> Rule | None:
    """Return the threshold rule of a strategy; ``None`` if it has none."""
    named = params.threshold if isinstance(params, StructuralParameters) else strategy
    return next((rule for rule in RULES if rule == named), None)


def setting(rule: Rule, params: Any) -> LiveSetting:
    """Return the values that the browser begins with."""
    return {
        "rule": rule,
        "alpha": getattr(params, "alpha", 1.0),
        "amount": getattr(params, AMOUNT_OF[rule]),
        "minimum": params.min_tokens,
        "maximum": params.max_tokens,
        "overlap": params.overlap,
        "overlapUnit": params.overlap_unit,
    }


def exact(values: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the bytes of numbers, which the browser reads in full precision."""
    return np.frombuffer(np.ascontiguousarray(values, dtype="<f8").tobytes(), dtype=np.uint8)


def _counts(values: AnyInts) -> AnyInts:
    return values.astype(np.int32)
