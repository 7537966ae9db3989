"""Tune: every setting of α and percentile in one figure, its reference score, and the stability of boundaries."""

from __future__ import annotations

import streamlit as st

from chunking import strategies
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import Workspace
from pages.shared import state
from pages.shared.documents import documents, embedding, own_documents, stand_in
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame
from pages.shared.settings import controls, places, strategy_settings, structural_settings
from pages.shared.settings.structural_settings import STRATEGY
from pages.shared.tune import views as tune_views
from pages.shared.tune.views import TunedDocument

frame.routed("pages/tune.py")


def main() -> None:
    with st.sidebar:
        opened, tools = documents.choose()
        params, errors = structural_settings.choose()
        counted_by = controls.tokenizer(tools.encoder)
    state.current().write()
    for problem in (*errors, *places.problems(("gap", "view"))):
        frame.show_error(problem)
    own_documents.read_waiting()
    workspace = documents.workspace(opened, tools).with_tokenizer(counted_by)
    workspace = stand_in.choose(opened, workspace, (params.window,))
    if embedding.ready(workspace, (params.window,)):
        show(opened, workspace, params)


def show(opened: Opened, workspace: Workspace, params: StructuralParameters) -> None:
    """Show the page beside the sidebar."""
    tuned = TunedDocument(opened, workspace, strategies.run(STRATEGY.name, workspace, params))
    tune_views.head(tuned)
    if len(tuned.signals) < 2:
        frame.show_empty(
            "This document has fewer than two gaps, so there is nothing to tune.",
            "Open a document with at least three sentences.",
        )
    elif params.threshold != "percentile":
        other_rule(params)
    else:
        tune_views.landscape_view(tuned)
        tune_views.chosen_view(tuned)


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
        args=(STRATEGY.name, {"threshold": "percentile"}),
    )


frame.run(main)
