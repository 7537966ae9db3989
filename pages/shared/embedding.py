"""Embedding with its progress shown and a way to stop, before anything that needs the vectors is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from chunking.workspace import Workspace
from pages.shared import documents

_CANCELLED = "_cancelled_embedding"


def ready(workspace: Workspace, windows: Sequence[int]) -> bool:
    """Make sure that the sentences are embedded with these windows; false where the user stopped it."""
    missing = [window for window in windows if not workspace.embedded(window)]
    if not missing:
        return True
    job = (workspace.document.key, tuple(missing))
    if st.session_state.get(_CANCELLED) == job:
        st.info("Embedding was stopped. What was done is kept, and it goes on from there.")
        st.button("Go on", on_click=lambda: st.session_state.pop(_CANCELLED), icon=":material/play_arrow:")
        st.button("Back to the document before", on_click=documents.go_back, icon=":material/undo:")
        return False
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Splitting into sentences…")
        st.button("Stop", on_click=st.session_state.__setitem__, args=(_CANCELLED, job), icon=":material/stop:")

    def told(what: str) -> Callable[[int, int], None]:
        def show(done: int, of: int) -> None:
            loading = "" if done else " (loading the model first)"
            bar.progress(done / of if of else 0.0, what.format(f"{done:,}", f"{of:,}") + loading)

        return show

    workspace.split(told("Splitting into sentences: {} of {} characters"))
    for window in missing:
        with_neighbours = f", with {window} on either side" if window else ""
        workspace.vectors(window, told(f"Embedding{with_neighbours}: {{}} of {{}} sentences"))
    place.empty()
    return True
