"""What the browser needs to redraw a picture while a control of its setting is moved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import numpy as np
import streamlit as st

from chunking.curves.signals import Signals
from chunking.curves.thresholds import AMOUNT_OF
from chunking.runtime.arrays import AnyInts
from chunking.standalone.controls import rule_of, setting_values
from chunking.strategies import Segmentation
from chunking.strategies.changepoint import ChangepointParameters
from chunking.tuning import ladder
from chunking.tuning.ladder import Ladder
from chunking.workspace import Workspace
from pages.shared.components.live import (
    LiveCurves,
    LiveDivisions,
    LiveLadder,
    LiveSetting,
    LiveSource,
    send_source,
)
from pages.shared.storage import current

KeyOf = Callable[[str, str], str]
"""Returns the Streamlit key of a control from the names of its strategy and its parameter."""

_NAMES = {"alpha": "alpha", "overlap": "overlap", "min_tokens": "minimum", "max_tokens": "maximum"}
"""The parameters that can be moved, beside the amount of the rule, with their names in the scripts."""

_DIVIDED_NAMES = {"alpha": "alpha", "fineness": "fineness", "percentile": "amount", "boundaries": "count"}
"""The same of change points."""


def curves(
    workspace: Workspace,
    segmentation: Segmentation,
    key_of: KeyOf,
    *,
    subject: str = "",
    lenient: bool = True,
    later: bool = False,
) -> LiveCurves | None:
    """Return what a chart redraws by itself; ``None`` where it has nothing to go by.

    A division at change points is too slow for every frame: its source, the divisions at some other settings, takes a
    moment to make and is sent by :func:`send_later`.

    Args:
        workspace: the document.
        segmentation: what a strategy made of it.
        key_of: the keys of the strategy's controls on this page.
        subject: what the controls belong to, beside the document and the strategy.
        lenient: whether sizes that contradict each other are left out; otherwise the previous setting is kept.
        later: whether the page calls :func:`send_later`.
    """
    params, signals = segmentation.params, segmentation.signals
    if signals is None:
        return None
    source: LiveSource | str
    if isinstance(params, ChangepointParameters):
        if not later or not _steps(segmentation):
            return None
        names = _DIVIDED_NAMES
        source = _later(workspace, segmentation)
    else:
        rule = rule_of(segmentation.strategy, params)
        if rule is None:
            return None
        names = {**_NAMES, AMOUNT_OF[rule]: "amount"}
        source = _source(workspace, signals)
    return {
        "source": source,
        "setting": setting(params, segmentation.strategy),
        "controls": {
            key_of(segmentation.strategy, name): short for name, short in names.items() if hasattr(params, name)
        },
        "subject": f"{workspace.document.key}/{segmentation.strategy}/{subject}",
        "lenient": lenient,
    }


def send_later(chart: str, workspace: Workspace, segmentation: Segmentation) -> None:
    """Divide the document in advance where its strategy needs that, and send it to the chart, which is drawn already.

    Args:
        chart: Streamlit key of the chart.
        workspace: the document.
        segmentation: that is shown.
    """
    params, signals, steps = segmentation.params, segmentation.signals, _steps(segmentation)
    if not steps or signals is None or not isinstance(params, ChangepointParameters):
        return
    key, tokenizer = workspace.key, workspace.tools.tokenizer
    others = replace(params, alpha=ChangepointParameters().alpha)
    automatic = replace(params, fineness=0.0, percentile=0.0, boundaries=0)
    divisions: LiveDivisions = {
        "fused": exact(signals.fused),
        "alpha": params.alpha,
        "alphas": _ladder(_alphas(key, tokenizer, others, workspace, steps)),
        "levels": _ladder(_levels(key, tokenizer, automatic, workspace, steps)),
    }
    source: LiveSource = {**_source(workspace, signals), "divisions": divisions}
    send_source(chart, _later(workspace, segmentation), source)


def _steps(segmentation: Segmentation) -> int:
    """Return how many divisions are made in advance for each parameter."""
    if segmentation.strategy != "changepoint" or segmentation.signals is None:
        return 0
    return ladder.steps_for(len(segmentation.signals.sentences))


@current.cleared_on_deletion
@st.cache_resource(max_entries=8, ttl=3600, show_spinner=False)
def _alphas(key: str, tokenizer: str, params: ChangepointParameters, _workspace: Workspace, steps: int) -> Ladder:
    return ladder.alpha_ladder(_workspace, params, steps)


# A run that only selects a gap divides nothing anew.
@current.cleared_on_deletion
@st.cache_resource(max_entries=8, ttl=3600, show_spinner=False)
def _levels(key: str, tokenizer: str, params: ChangepointParameters, _workspace: Workspace, steps: int) -> Ladder:
    return ladder.fineness_ladder(_workspace, params, steps)


def _ladder(made: Ladder) -> LiveLadder:
    lengths = [len(cuts) for cuts in made.cuts]
    return {
        "values": made.values.tolist(),
        "begins": [0, *np.cumsum(lengths).tolist()],
        "gaps": np.concatenate(made.cuts).astype(np.int32),
    }


def _later(workspace: Workspace, segmentation: Segmentation) -> str:
    """Return the name of a source that is made later."""
    return f"{workspace.key}/{workspace.tools.tokenizer}/{segmentation.params.values()}"


def _source(workspace: Workspace, signals: Signals) -> LiveSource:
    head, tail, to_after, to_before = (_counts(each) for each in workspace.grid.tokens.parts())
    return {
        "semantic": exact(signals.semantic),
        "structural": exact(signals.structural) if signals.structure else None,
        "head": head,
        "tail": tail,
        "toAfter": to_after,
        "toBefore": to_before,
        "divisions": None,
    }


def setting(params: Any, strategy: str) -> LiveSetting:
    """Return the values that the browser begins with."""
    return cast(LiveSetting, setting_values(params, strategy))


def exact(values: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the ``(8 n,)`` uint8 bytes of ``(n,)`` float64 numbers, which the browser reads in full precision."""
    return np.frombuffer(np.ascontiguousarray(values, dtype="<f8").tobytes(), dtype=np.uint8)


def _counts(values: AnyInts) -> AnyInts:
    return values.astype(np.int32)
