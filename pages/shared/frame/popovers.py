"""Popovers above the part of a page that runs by itself: what stands in an open one follows that part all the same."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from pages.shared.state import session

_KEYS: set[str] = set()


def popover(label: str, key: str, *, icon: str, **options: Any) -> PopoverContainer:
    """Draw a popover whose page runs when it is opened.

    Args:
        label: of its button.
        key: of the popover.
        icon: name of the icon on its button.
        options: further arguments of ``st.popover``.
    """
    _KEYS.add(key)
    return st.popover(label, icon=f":material/{icon}:", key=key, on_change="rerun", **options)


def is_any_open() -> bool:
    """Return whether one is open: its content is not drawn by a run of another part of the page."""
    return any(session.widget_value(key) for key in _KEYS)


def close_all() -> None:
    """Close those that are open; in a callback."""
    for key in _KEYS:
        if session.widget_value(key):
            session.set_widget(key, False)
