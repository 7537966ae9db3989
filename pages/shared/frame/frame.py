"""What holds the pages together: the way through ``app.py``, and the one place where errors are shown.

Until ``app.py`` has run once in a server, Streamlit takes a link to ``/inspect`` for a page of its own and runs
``pages/inspect.py`` without the frame. Each page therefore begins with :func:`routed`, which sends such a visit
through ``app.py`` and keeps what its link asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from chunking import ChunkscopeError
from pages.shared.frame import markup

# A file of ours: the named icons and emoji of Streamlit would be fetched from another host for the browser's tab.
ICON = Path(__file__).parent / "icon.svg"

_FRAMED = "_framed"
_KEPT = "_kept_address"
_PAGE = "_page_now"
_WANTED = "_wanted_page"
_SAID = "_said_in_addresses"
_ARRIVED = "_arrived"


def routed(path: str) -> None:
    """Go on only inside the frame; ``path`` is the page's own, from the folder of ``app.py``."""
    if not st.session_state.get(_FRAMED):
        st.session_state[_WANTED] = (path, st.query_params.to_dict())
        st.switch_page("app.py")


def resume() -> None:
    """In ``app.py``, after ``st.navigation``: go where :func:`routed` came from."""
    st.session_state[_FRAMED] = True
    wanted = st.session_state.pop(_WANTED, None)
    if wanted:
        st.switch_page(wanted[0], query_params=wanted[1])


def recall(path: str, names: Sequence[str]) -> None:
    """Keep what a page's address says beside its widgets, and put it back when the user returns to the page.

    Args:
        path: the page's own, from the folder of ``app.py``.
        names: of the query parameters; those that the address has already win.
    """
    kept: dict[str, str] = st.session_state.setdefault(_KEPT, {}).setdefault(path, {})
    if st.session_state.get(_PAGE) != path:
        st.session_state[_ARRIVED] = True
        _say_again()
        for name in set(kept) - set(st.query_params):
            st.query_params[name] = kept[name]
    st.session_state[_PAGE] = path
    st.session_state.setdefault(_SAID, set()).update(st.query_params)
    kept.clear()
    kept |= {name: st.query_params[name] for name in names if name in st.query_params}


def arrived() -> bool:
    """Whether the user has just come to the page, after :func:`recall`; answers so once."""
    return bool(st.session_state.pop(_ARRIVED, False))


def _say_again() -> None:
    """Set the controls to what they are: of a value that a link brought and nobody moved, a new page knows nothing."""
    for name in st.session_state.get(_SAID, ()):
        if name in st.session_state and name not in st.query_params:
            st.session_state[name] = st.session_state[name]


def show_error(error: ChunkscopeError) -> None:
    """A problem and its remedy, neither of them read as markup."""
    markup.problem(error.problem, error.remedy)
