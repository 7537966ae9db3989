"""Projector mode: any page without its sidebar, in type for the back of a room.

Everything on a page is sized in ``rem``, and what is drawn in pixels follows the size of the root's type
(``typeScale`` of the components), so that one rule enlarges all of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared import state
from pages.shared.frame import markup

NAME = "projector"
"""Of the parameter; the mode is the same on all pages."""

_ON = "true"
_SHORTCUT = "Alt+P"


def is_on() -> bool:
    """Return whether the address asks for the mode."""
    return state.address().text(NAME).lower() == _ON


def apply() -> None:
    """Enlarge the page and show the way back where the mode is on; takes the same place in the page where it is not."""
    with st.container(key="_projector_frame"):
        if is_on():
            markup.add_style(markup.read_sheet(Path(__file__), "projector"))
            _button("Leave projector mode", "_leave_projector", None)


_HELP = "Large type and no sidebar, on every page. The same keys lead back."


def offer() -> None:
    """Show at the end of the sidebar what switches the mode on; the sidebar is hidden where it is on."""
    if not is_on():
        with st.sidebar:
            _button("Projector mode", "_enter_projector", _ON, icon=":material/present_to_all:", help=_HELP)


def offer_here() -> None:
    """Show what switches the mode on, on a page that hides the sidebar, whose button still has the keys."""
    if not is_on():
        label, icon = f"Projector mode ({_SHORTCUT})", ":material/present_to_all:"
        st.button(label, key="_enter_projector_here", on_click=_put, args=(_ON,), icon=icon, help=_HELP)


def _button(label: str, key: str, value: str | None, **options: Any) -> None:
    """Show a button that switches the mode; the two are never there together, so that they share their keys."""
    st.button(label, key=key, on_click=_put, args=(value,), shortcut=_SHORTCUT, **options)


def _put(value: str | None) -> None:
    state.address().put(NAME, value)
