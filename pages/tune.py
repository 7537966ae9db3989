"""Tune: every setting of α and percentile on one map, judged by people's boundaries or by the size of the chunks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import streamlit as st

from chunking.strategies import Setting
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.documents import add_documents, documents, embedding, results
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame, projector
from pages.shared.settings import address_positions, controls, strategy_settings
from pages.shared.settings.strategy_settings import STRUCTURAL
from pages.shared.tune import settings_map, views
from pages.shared.tune.tuned_document import TunedDocument
from pages.shared.workbench import workbench

frame.require_app_frame("pages/tune.py")


def main() -> Callable[[], None] | None:
    for retired in ("map", "view"):  # in old links
        state.address().put(retired, None)
    row = workbench.draw_bar()
    with row.document:
        opened, tools = documents.choose(row.more)
    with row.more:
        params, errors = strategy_settings.choose_structural()
        counted_by = controls.tokenizer(tools)
        projector.offer_here()
    state.address().write()
    with frame.stable_slot():
        for problem in (*errors, *address_positions.problems(("gap",))):
            frame.show_error(problem)
        add_documents.read_waiting()
        workspace = documents.workspace(opened, tools).with_tokenizer(counted_by)
        if not embedding.ready(workspace, (params.window,)):
            return None
    tuned = tuned_document(opened, workspace, params)
    if len(tuned.signals) < 2:
        frame.show_empty(
            "This document has fewer than two gaps, so there is nothing to tune.",
            "Open a document with at least three sentences.",
        )
    elif params.threshold != "percentile":
        other_rule(params)
    else:
        with row.actions:
            views.exports_of(tuned)
        return partial(work, opened, workspace)
    return None


def work(opened: OpenDocument, workspace: DocumentAnalysis) -> None:
    """Show the map of a document at the present setting, and the views below it."""
    if not documents.is_open(opened):
        st.rerun()
    setting = strategy_settings.moved(STRUCTURAL)
    tuned = tuned_document(opened, workspace, cast(StructuralParameters, setting.params))
    with frame.stable_slot():
        settings_map.show(tuned, setting)
    with st.container(key="_below"):
        views.below(tuned)


def tuned_document(opened: OpenDocument, workspace: DocumentAnalysis, params: StructuralParameters) -> TunedDocument:
    """Return a document at a setting."""
    return TunedDocument(opened, workspace, results.segmentation(workspace, Setting(STRUCTURAL, params)))


def other_rule(params: StructuralParameters) -> None:
    """Explain that the page covers the percentile rule, and offer to switch to it."""
    frame.show_empty(
        "This page covers the percentile rule: the percentile at which each gap becomes a boundary.",
        f"The current rule is {params.threshold}: switch to the percentile rule to see the page.",
    )
    st.button(
        "Switch to the percentile rule",
        key="_use_percentile",
        icon=":material/swap_horiz:",
        on_click=strategy_settings.change,
        args=(STRUCTURAL.name, {"threshold": "percentile"}),
    )


frame.run(main, sidebar=False)
