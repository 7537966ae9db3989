"""What holds the pages together: the way through ``app.py``, and the one place where errors are shown.

Until ``app.py`` has run once in a server, Streamlit takes a link to ``/inspect`` for a page of its own and runs
``pages/inspect.py`` without the frame. Each page therefore begins with :func:`require_app_frame`, which sends such
a visit through ``app.py`` and keeps the parameters of its link.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from chunking import ChunkscopeError
from pages.shared import state
from pages.shared.components.base import component
from pages.shared.components.glossary import explain_terms, term
from pages.shared.frame import login, markup, projector
from pages.shared.server import metrics
from pages.shared.state import session

# A file of ours: the named icons and emoji of Streamlit would be fetched from another host for the browser's tab.
ICON = Path(__file__).parent / "icon.svg"

_FRAMED = state.SessionValue("_framed", bool)
_WANTED: state.SessionValue[tuple[str, Mapping[str, list[str]]] | None] = state.SessionValue(
    "_wanted_page", session.empty
)
_history = component("chunkscope_history", __file__, "history.js")


def require_app_frame(page: str) -> None:
    """Continue only inside the frame; ``page`` is the file of the page, from the folder of ``app.py``."""
    if not _FRAMED.get():
        _WANTED.set((page, state.unread()))
        st.switch_page("app.py")
    login.require_reader(Path(page).stem)
    state.arrive(page)


def resume() -> None:
    """In ``app.py``, after ``st.navigation``: go where :func:`require_app_frame` came from."""
    _FRAMED.set(True)
    destination = _WANTED.pop()
    if destination:
        st.switch_page(destination[0], query_params=destination[1])


def run(page: Callable[[], Callable[[], None] | None], *, sidebar: bool = True) -> None:
    """Draw a page, with projector mode, write its address, and let the browser report what it shows of both.

    Args:
        page: draws it; returns what draws the rest of it, where that is drawn again by itself when a control or a
            component in it reports something.
        sidebar: whether it has controls in the sidebar; the style sheet of the first page looks for the mark.
    """
    if sidebar:
        with st.container(key="_with_sidebar"):  # without content, it would not be in the page
            markup.show("<i></i>")
    projector.apply()
    rest = page()
    projector.offer()
    if rest is None:
        _end()
    else:
        _draw_rest(rest)


@st.fragment
def _draw_rest(rest: Callable[[], None]) -> None:
    """Draw the rest of a page: with the page, and by itself, which sends the browser this alone."""
    with metrics.measured_part() as by_itself:
        if by_itself and not _is_part_run_enough():
            st.rerun()
        rest()
        _end()


def _is_part_run_enough() -> bool:
    """Return whether a run of the rest of a page brings all that is shown up to date."""
    is_current = login.is_reader() and state.address().resume()
    return is_current and not session.has_reported_elsewhere() and not _is_popover_open()


def _end() -> None:
    """Write the address, and let the browser report what it shows."""
    state.address().write()
    with st.container(key="_number_frame"):
        state.address().send_number()


def stable_slot() -> DeltaGenerator:
    """Return a container for what may change in number, or for what comes after it.

    Streamlit knows columns and containers by their place among their siblings. A warning or a progress bar that comes
    or goes before them would let the browser build all that is in them anew, and a text lose its scroll position.
    """
    return st.container()


def watch_history() -> None:
    """In ``app.py``: mark the addresses that the user reaches by going back or forward in the browser."""
    with st.container(key="_history_frame"):
        _history(key="_history")


def define_terms() -> None:
    """In ``app.py``: let every term of the page show its definition."""
    explain_terms("_glossary")


def brand() -> None:
    """In ``app.py``: say at the top of the sidebar what this is."""
    with st.sidebar:
        markup.show(
            f"<b>Chunkscope</b> shows where a document breaks into {term('chunk', 'chunks')} for retrieval, and why."
        )


def show_empty(what: str, remedy: str) -> None:
    """Show why there is nothing to show, and what to do."""
    markup.show(markup.empty(what, remedy))


def show_error(error: ChunkscopeError) -> None:
    """Show a problem and its remedy, neither of them read as markup."""
    metrics.count_problem(error)
    markup.problem(error.problem, error.remedy)


# ---- popovers above the part of a page that runs by itself


_POPOVERS: set[str] = set()


def popover(label: str, key: str, *, icon: str, **options: Any) -> PopoverContainer:
    """Draw a popover whose page runs when it is opened.

    Args:
        label: of its button.
        key: of the popover.
        icon: name of the icon on its button.
        options: further arguments of ``st.popover``.
    """
    _POPOVERS.add(key)
    return st.popover(label, icon=f":material/{icon}:", key=key, on_change="rerun", **options)


def _is_popover_open() -> bool:
    """Return whether one is open: its content is not drawn by a run of another part of the page."""
    return any(session.widget_value(key) for key in _POPOVERS)


def close_popovers() -> None:
    """Close those that are open; in a callback."""
    for key in _POPOVERS:
        if session.widget_value(key):
            session.set_widget(key, False)
