"""The workbench of the open document: its data, which stay while sliders move, and what the user has left there."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from chunking import ChunkscopeError
from chunking.gold import Reference
from chunking.params import Value
from chunking.rendering import has_layout
from chunking.standalone import controls
from chunking.standalone.divisions import divided
from chunking.standalone.document import document_data
from chunking.standalone.lane import lane_data
from chunking.strategies import Segmentation, Setting
from chunking.work import measures
from chunking.workspace import Workspace
from pages.shared import state
from pages.shared.components.workbench import Rest, send_data, workbench, workbench_rest
from pages.shared.components.workbench.component import pack_data
from pages.shared.documents import results
from pages.shared.inspect import gap_facts
from pages.shared.settings import places, strategy_settings
from pages.shared.state import session
from pages.shared.storage import current

KEY = "_workbench"
"""Of the component."""


@dataclass(frozen=True)
class _Left:
    """What the browser shows, as far as Python knows, and the number under which that was sent.

    Attributes:
        source: name of the data.
        values: of the sliders.
        gap: the selected gap.
        revision: of the message.
    """

    source: str
    values: Mapping[str, Any] | None
    gap: int | None
    revision: int = 0


_LEFT: state.Slot[_Left | None] = state.Slot("_workbench_left", session.empty)


def show(
    workspace: Workspace,
    setting: Setting,
    segmentation: Segmentation,
    reference: Reference,
    gap: int | None,
    pinned: tuple[Setting, Segmentation] | None = None,
) -> None:
    """Draw the workbench of a setting.

    Args:
        workspace: the document.
        setting: the setting that is shown.
        segmentation: what it makes of the document.
        reference: boundaries that people set.
        gap: the selected gap.
        pinned: another setting, with what it makes of the document.
    """
    base = _base(workspace, setting, segmentation)
    source = f"{workspace.key}/{workspace.tools.tokenizer}/{base.text}/{reference.boundaries}"
    send_data(_message(source, workspace, base, reference))
    signals = segmentation.signals
    values = None if signals is None else controls.setting_values(segmentation.params, segmentation.strategy)
    left = _LEFT.get()
    now = _Left(source, values, gap, left.revision if left else 0)
    if left is None or replace(left, revision=0) != replace(now, revision=0):
        now = replace(now, revision=now.revision + 1)
        _LEFT.set(now)

    def take() -> None:
        rest = workbench_rest(KEY)
        if rest is not None:
            _take(rest, workspace, setting, now)

    workbench(
        KEY,
        {
            "document": workspace.document.key,
            "source": source,
            "strategy": segmentation.strategy,
            "setting": values,
            "selected": gap,
            "pinned": _pinned_values(workspace, base, pinned),
            "facts": gap_facts.rows(segmentation, gap),
            "revision": now.revision,
            "remote": True,
        },
        take,
    )


def _base(workspace: Workspace, setting: Setting, segmentation: Segmentation) -> Setting:
    """Return the setting whose data hold for every position of the sliders; the present one where there is none."""
    if not (controls.is_live(workspace, segmentation) or _is_divided(segmentation)):
        return setting
    params = segmentation.params
    moved = {control.name for control in controls.controls(workspace, segmentation)}
    defaults = {name: params.lookup(name).default for name in moved}
    return Setting(setting.strategy, replace(params, **defaults))


def _pinned_values(
    workspace: Workspace, base: Setting, pinned: tuple[Setting, Segmentation] | None
) -> dict[str, Any] | None:
    """Return the values of the sliders of a pinned setting; ``None`` where it differs in more than these."""
    if pinned is None or _base(workspace, *pinned).text != base.text or pinned[1].signals is None:
        return None
    return controls.setting_values(pinned[1].params, pinned[1].strategy)


_LONGEST = 1_000
"""Sentences up to which a document is divided at change points under other settings in advance."""


def _is_divided(segmentation: Segmentation) -> bool:
    """Return whether the divisions of a document at change points are made in advance."""
    if segmentation.signals is None or len(segmentation.signals.sentences) > _LONGEST:
        return False
    return controls.is_divided(segmentation) and not any(
        getattr(segmentation.params, name, 0) for name in ("min_tokens", "max_tokens", "boundaries", "percentile")
    )


@current.cleared_on_deletion
@st.cache_resource(max_entries=8, ttl=3600, show_spinner=False)
def _message(source: str, _workspace: Workspace, _base: Setting, _reference: Reference) -> bytes:
    made = results.segmentation(_workspace, _base)
    divisions = divided(_workspace, made, pairs=False) if _is_divided(made) else ()
    rendering = measures.render(_workspace.document) if has_layout(_workspace.document) else None
    document = document_data(_workspace, _reference, rendering)
    lane = lane_data(_workspace, made, divisions, _base.title) | {"f1": None}
    return pack_data(source, document | {"lanes": [lane]})


def _take(rest: Rest, workspace: Workspace, setting: Setting, sent: _Left) -> None:
    """Take what the user has left in the browser; in a callback."""
    # What was moved holds for the strategy, also where another document has come meanwhile; a gap is of its document.
    if rest.strategy == setting.strategy.name:
        _take_moved(rest, setting)
    if rest.source == sent.source:
        _LEFT.set(replace(sent, values=dict(rest.setting) if rest.setting else sent.values, gap=rest.gap))
    if rest.document == workspace.document.key:
        places.put_gap(rest.gap, workspace.document)
        if rest.gap != sent.gap:
            state.current().put("page", None)  # the page is that of the gap


def _take_moved(rest: Rest, setting: Setting) -> None:
    """Set the parameters whose sliders were moved."""
    params = setting.params
    names = {**_NAMES, "amount": controls.amount_of(setting.strategy.name, params)}
    values: dict[str, Value] = {}
    for key in rest.moved:
        name = names.get(key)
        if name in params.values() and key in rest.setting:
            known = params.lookup(name)
            with contextlib.suppress(ChunkscopeError):  # from a browser that is not ours
                values[name] = known.check(_number(rest.setting[key], known.type))
    if values:
        strategy_settings.change(setting.strategy.name, values)


_NAMES = {
    "alpha": "alpha",
    "fineness": "fineness",
    "minimum": "min_tokens",
    "maximum": "max_tokens",
    "overlap": "overlap",
}
"""Names in the scripts with those of the parameters, beside the amount of a threshold rule."""


def _number(value: object, kind: str) -> Any:
    """Return a number as its parameter has it: JSON does not tell 3.0 from 3."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return float(value) if kind == "number" else int(value) if float(value).is_integer() else value
