"""The row above a workbench: the document, the strategy, more choices, and what can be done with the view."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.shared.frame.popovers import popover


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
    """Draw the empty row; a page with it takes the whole window, without a sidebar."""
    with st.container(key="_bar", horizontal=True, vertical_alignment="center", gap="small"):
        # The popover stands behind the choice of a strategy, and is filled in the order of the run.
        document, strategy = (
            st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key=key)
            for key in ("_bar_document", "_bar_strategy")
        )
        more = popover("More", "_more", icon="tune", help="Language, encoder and every parameter")
        actions = st.container(horizontal=True, gap="small", width="content", key="_head_actions")
    return Bar(document, strategy, more, actions)
