"""What holds the pages together: the way through ``app.py``, and the one place where errors are shown.

Until ``app.py`` has run once in a server, Streamlit takes a link to ``/inspect`` for a page of its own and runs
``pages/inspect.py`` without the frame. Each page therefore begins with :func:`routed`, which sends such a visit
through ``app.py`` and keeps what its link asked for.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from chunking import ChunkscopeError
from pages.shared import markup

# A file of ours: the named icons and emoji of Streamlit would be fetched from another host for the browser's tab.
ICON = Path(__file__).parent / "icon.svg"

_FRAMED = "_framed"
_WANTED = "_wanted_page"


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


def show_error(error: ChunkscopeError) -> None:
    """A problem and its remedy, neither of them read as markup."""
    markup.problem(error.problem, error.remedy)
