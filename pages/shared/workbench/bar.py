"""The row above a workbench: the document, the strategy, more choices, and what can be done with the view."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared.frame import markup


@dataclass(frozen=True)
class Bar:
    """Places of the row.

    Attributes:
        document: for the choice of the document.
        strategy: for the choice of what cuts it.
        more: for what few people change; in a popover.
        actions: for advice and exports, at the right.
    """

    document: DeltaGenerator
    strategy: DeltaGenerator
    more: DeltaGenerator
    actions: DeltaGenerator


def draw() -> Bar:
    """Draw the empty row, and let the page take the whole window, without a sidebar."""
    markup.add_style(_STYLE)
    with st.container(key="_bar", horizontal=True, vertical_alignment="center", gap="small"):
        # The popover stands behind the choice of a strategy, and is filled in the order of the run.
        document, strategy = (
            st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key=key)
            for key in ("_bar_document", "_bar_strategy")
        )
        # It holds what the workbench moves as well, and the browser is told of that when it is opened.
        help = "Language, encoder and every parameter"
        more = st.popover("More", icon=":material/tune:", key="_more", help=help, on_change="rerun")
        actions = st.container(horizontal=True, gap="small", width="content", key="_head_actions")
    return Bar(document, strategy, more, actions)


_STYLE = """
[data-testid="stSidebar"]:not(:has(.st-key-_login_name)), [data-testid="stExpandSidebarButton"] { display: none; }
[data-testid="stMainBlockContainer"].stMainBlockContainer { padding: 2.6rem 0 1rem; }
.st-key-_bar { padding: 0 1.25rem; min-height: 2.6rem; flex-wrap: wrap; }
[data-testid="stMain"] :is(.st-key-_bar, .st-key-_bar_document, .st-key-_bar_strategy) { gap: 0.45rem; }
@media (max-width: 1200px) { .st-key-_bar .st-key-doc { max-width: 13rem; } }
.st-key-_bar :is(.st-key-_bar_document, .st-key-_bar_strategy, .st-key-_head_actions)
  { flex-wrap: nowrap; width: auto; }
.st-key-_bar [data-testid="stLayoutWrapper"]:has(> .st-key-_head_actions) { margin-left: auto; }
.st-key-_bar [data-testid="stLayoutWrapper"] { width: auto; flex: 0 0 auto; }
[data-testid="stMain"] .stMainBlockContainer > [data-testid="stVerticalBlock"],
[data-testid="stMain"] [data-testid="stVerticalBlock"]:has(> :is(.st-key-_workbench, .st-key-_tuner)) { gap: 0; }
@media (max-width: 700px) {
  .st-key-_bar { padding: 0 0.75rem; flex-wrap: nowrap; overflow-x: auto; gap: 0.4rem; scrollbar-width: none; }
  .st-key-_bar .st-key-doc { flex: 0 0 11rem; }
}
@media screen { html:has(.st-key-_leave_projector) { font-size: clamp(18px, min(2.6vh, 1.64vw), 36px) !important; } }
.st-key-_below { padding: 0.6rem 1.25rem; }
.st-key-_workbench_data { display: none; }
.st-key-_workbench, .st-key-_tuner { min-height: calc(100dvh - 5.15rem); }
"""
