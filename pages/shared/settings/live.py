"""What the browser needs to redraw a picture while a control of its setting is moved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from chunking.curves.thresholds import AMOUNT_OF, RULES, Rule
from chunking.params import Parameters
from chunking.runtime.arrays import AnyInts
from chunking.strategies import Segmentation
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import Workspace
from pages.shared.components.live import LiveCurves, LiveSetting, LiveSource

KeyOf = Callable[[str, str], str]
"""Returns the Streamlit key of a control from the names of its strategy and its parameter."""

_NAMES = {"alpha": "alpha", "overlap": "overlap", "min_tokens": "minimum", "max_tokens": "maximum"}
"""The parameters that can be moved, beside the amount of the rule, with their names in the scripts."""


def curves(
    workspace: Workspace, segmentation: Segmentation, key_of: KeyOf, *, subject: str = "", lenient: bool = True
) -> LiveCurves | None:
    """Return what a chart redraws by itself; ``None`` where a curve is more than a sum (change points).

    Args:
        workspace: the document.
        segmentation: what a strategy made of it.
        key_of: the keys of the strategy's controls on this page.
        subject: what the controls belong to, beside the document and the strategy.
        lenient: whether sizes that contradict each other are left out; otherwise the previous setting is kept.
    """
    params, signals = segmentation.params, segmentation.signals
    rule = rule_of(segmentation.strategy, params)
    if rule is None or signals is None:
        return None
    names = {**_NAMES, AMOUNT_OF[rule]: "amount"}
    head, tail, to_after, to_before = (_counts(each) for each in workspace.grid.tokens.parts())
    source: LiveSource = {
        "semantic": exact(signals.semantic),
        "structural": exact(signals.structural) if signals.structure else None,
        "head": head,
        "tail": tail,
        "toAfter": to_after,
        "toBefore": to_before,
    }
    return {
        "source": source,
        "setting": setting(rule, params),
        "controls": {
            key_of(segmentation.strategy, name): short for name, short in names.items() if hasattr(params, name)
        },
        "subject": f"{workspace.document.key}/{segmentation.strategy}/{subject}",
        "lenient": lenient,
    }


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
    """Return the ``(8 n,)`` uint8 bytes of ``(n,)`` float64 numbers, which the browser reads in full precision."""
    return np.frombuffer(np.ascontiguousarray(values, dtype="<f8").tobytes(), dtype=np.uint8)


def _counts(values: AnyInts) -> AnyInts:
    return values.astype(np.int32)
