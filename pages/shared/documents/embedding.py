"""Embedding with a progress bar and a stop button, before the views that need the vectors."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

import streamlit as st

from chunking import ChunkscopeError
from chunking.workspace import Workspace
from pages.shared import state
from pages.shared.documents import documents
from pages.shared.frame import frame, markup
from pages.shared.frame.time_left import TimeLeft
from pages.shared.state import session

_CANCELLED: state.Slot[Hashable] = state.Slot("_cancelled_embedding", session.empty)


def ready(workspace: Workspace, windows: Sequence[int]) -> bool:
    """Embed the sentences with these windows where needed; return false if that was stopped, or failed and said so."""
    missing = [window for window in windows if not workspace.has_vectors(window)]
    if not missing:
        return True
    job = (workspace.key, tuple(missing))
    if _CANCELLED.get() == job:
        frame.show_empty("Embedding was stopped.", "Finished work is kept; it resumes from there.")
        st.button("Resume", on_click=_CANCELLED.clear, icon=":material/play_arrow:")
        st.button("Back to the previous document", on_click=documents.go_back, icon=":material/undo:")
        return False
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Splitting into sentences…")
        st.button("Stop", on_click=_CANCELLED.set, args=(job,), icon=":material/stop:")

    def progress(what: str) -> Callable[[int, int], None]:
        left = TimeLeft()

        def show(done: int, of: int) -> None:
            loading = "" if done else " (loading the model first)"
            words = what.format(f"{done:,}", f"{of:,}") + loading + left.words(done, of)
            bar.progress(done / of if of else 0.0, words)

        return show

    try:
        workspace.split(progress("Splitting into sentences: {} of {} characters"))
        for window in missing:
            with_neighbours = f", with {window} neighbours on either side" if window else ""
            workspace.vectors(window, progress(f"Embedding{with_neighbours}: {{}} of {{}} sentences"))
    except ChunkscopeError as error:
        place.empty()
        frame.show_error(error)
        return False
    place.empty()
    return True


def ready_all(workspaces: Mapping[str, Workspace], window: int) -> dict[str, ChunkscopeError]:
    """Embed many documents where needed, one after the other.

    Returns:
        Errors by document name. If the user stopped it, a button resumes with the rest.
    """
    missing = {name: workspace for name, workspace in workspaces.items() if not workspace.has_vectors(window)}
    job = ("all", window, *(workspace.key for workspace in missing.values()))
    if not missing:
        return {}
    if _CANCELLED.get() == job:
        frame.show_empty("Embedding was stopped.", "Finished work is kept; it resumes from there.")
        st.button(
            f"Embed the remaining {len(missing)}",
            on_click=_CANCELLED.clear, icon=":material/play_arrow:",
        )  # fmt: skip
        return {}
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Splitting into sentences…")
        st.button("Stop", on_click=_cancel, args=(workspaces, window), icon=":material/stop:")
    problems = {}
    left = TimeLeft()
    for number, (name, workspace) in enumerate(missing.items()):

        def show(done: int, of: int, number: int = number, name: str = name) -> None:
            share = min((number + (done / of if of else 0.0)) / len(missing), 1.0)
            words = f"Document {number + 1} of {len(missing)}: {markup.plain(name)}{left.words(share, 1.0)}"
            bar.progress(share, words)

        try:
            workspace.vectors(window, show)
        except ChunkscopeError as error:
            problems[name] = error
    place.empty()
    return problems


def _cancel(workspaces: Mapping[str, Workspace], window: int) -> None:
    left = [workspace.key for workspace in workspaces.values() if not workspace.has_vectors(window)]
    _CANCELLED.set(("all", window, *left))
