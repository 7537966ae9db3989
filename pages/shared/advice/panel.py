"""The popover with the advice; nothing is computed before it is opened, and it moves nothing on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from chunking import ChunkscopeError, advice
from chunking.advice import Advice
from chunking.reference import Reference
from chunking.workspace import Workspace
from pages.shared import state
from pages.shared.advice import rendering
from pages.shared.documents import embedding, own_documents
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup, popovers
from pages.shared.reference import own_chunks
from pages.shared.settings import lane_settings, strategy_settings
from pages.shared.storage import current

TITLE = "What should I use?"
_WINDOW = 0
"""Neighbours on either side that the candidates embed with each sentence."""


def show(opened: Opened, workspace: Workspace) -> None:
    """Show the popover with the advice for the open document."""
    popover = _popover("_advice")
    if not popover.open:
        return
    with popover:
        if not embedding.ready(workspace, (_WINDOW,)):
            return
        try:
            found = _advised(workspace, own_chunks.reference_of(opened))
        except ChunkscopeError as error:
            frame.show_error(error)
            return
        markup.show(rendering.one(found))
        _buttons(opened.name, found.setting, found.second.setting)


def show_all(shown: Sequence[Opened], workspaces: Mapping[str, Workspace], chosen: str) -> None:
    """Show the popover with the advice for several documents.

    Args:
        shown: the documents.
        workspaces: by the name of the document.
        chosen: name of the open document, in which the setting is opened.
    """
    popover = _popover("_advice_all")
    if not popover.open:
        return
    with popover:
        problems = dict(embedding.ready_all(workspaces, _WINDOW))
        found: list[Advice] = []
        for each in shown:
            workspace = workspaces[each.name]
            if each.name in problems or not workspace.has_vectors(_WINDOW):
                continue
            try:
                found.append(_advised(workspace, own_chunks.reference_of(each)))
            except ChunkscopeError as error:
                problems[each.name] = error
        for name, problem in problems.items():
            frame.show_error(ChunkscopeError(f"{name}: {problem.problem}", problem.remedy))
        if not found:
            return
        together = advice.shared(found)
        markup.show(rendering.several(together))
        other = next((one.second.setting for one in found if one.strategy == together.strategy), "")
        _buttons(chosen, together.setting, other)


def _popover(key: str) -> PopoverContainer:
    return popovers.popover(TITLE, key, icon="assistant_direction", width="stretch")


def _advised(workspace: Workspace, reference: Reference) -> Advice:
    """Return the advice for a document, shared by all sessions with the same text, tools and reference."""
    return _advice(workspace.key, workspace.tools.tokenizer, repr(reference), workspace, reference)


@current.cleared_on_deletion
@st.cache_resource(max_entries=128, ttl=6 * 3600, show_spinner="Comparing the candidates…")
def _advice(key: str, tokenizer: str, judged: str, _workspace: Workspace, _reference: Reference) -> Advice:
    return advice.advise(_workspace, _reference)


def _buttons(name: str, setting: str, second: str) -> None:
    """Show what opens a setting of a document, and what compares it with the second best."""
    left, right = st.columns(2)
    if setting.partition(":")[0] in strategy_settings.CURVED:
        left.button(
            "Open this setting", key="_advice_open", icon=":material/query_stats:", width="stretch",
            on_click=_open, args=(name, setting),
        )  # fmt: skip
    lanes = ",".join(dict.fromkeys(filter(None, (setting, second))))
    right.button(
        "Compare with the second best", key="_advice_compare", icon=":material/view_column:", width="stretch",
        on_click=_compare, args=(name, lanes),
    )  # fmt: skip


def _open(name: str, setting: str) -> None:
    popovers.close_all()  # it would stand before what it opens
    gap = state.current().text("gap") if state.current().page == "pages/inspect.py" else ""
    texts = {own_documents.CHOICE: name, strategy_settings.KEY: setting, "gap": gap}
    state.go("pages/inspect.py", texts)


def _compare(name: str, lanes: str) -> None:
    popovers.close_all()
    state.go("pages/compare.py", {own_documents.CHOICE: name, lane_settings.ADDRESS: lanes})
