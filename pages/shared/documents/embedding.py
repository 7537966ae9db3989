"""Embedding in the background with a progress bar and a stop button, before the views that need the vectors."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import streamlit as st

from chunking import ChunkscopeError
from chunking.jobs.queue import Job
from chunking.runtime.progress import Progress, Tell
from chunking.work.backend import QuickBackend, Slow, WorkerBackend
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.documents import documents
from pages.shared.frame import frame, markup, runs
from pages.shared.frame.runs import TimeLeft
from pages.shared.state import session

_CANCELLED: state.SessionValue[Hashable] = state.SessionValue("_cancelled_embedding", session.empty)


def is_quick(workspace: DocumentAnalysis, window: int) -> bool:
    """Return whether the sentences have their vectors with a window, and get them where that takes no worker.

    Raises:
        ChunkscopeError: they cannot be embedded.
    """
    if not workspace.has_vectors(window):
        try:
            workspace.vectors(window, _refuse_to_wait, QuickBackend())
        except Slow:
            return False
    return True


def _refuse_to_wait(*_: int) -> None:
    raise Slow


def ready(workspace: DocumentAnalysis, windows: Sequence[int]) -> bool:
    """Embed the sentences with these windows where needed; return false if that was stopped, or failed and said so."""
    missing = [window for window in windows if not workspace.has_vectors(window)]
    job = (workspace.key, tuple(missing))
    if missing and _CANCELLED.get() == job:
        frame.show_empty("Embedding was stopped.", "Finished work is kept; it resumes from there.")
        st.button("Resume", on_click=_CANCELLED.clear, icon=":material/play_arrow:")
        st.button("Back to the previous document", on_click=documents.go_back, icon=":material/undo:")
        return False
    try:
        if all(is_quick(workspace, window) for window in missing):
            return True
    except ChunkscopeError as error:
        frame.show_error(error)
        return False
    run = _start(workspace, missing)
    slot = st.empty()
    with slot.container():
        bar = st.progress(0.0, "Splitting into sentences…")
        st.button("Stop", on_click=_stop, args=(job, run), icon=":material/stop:")
    time_left = TimeLeft()
    step = ""

    def show() -> None:
        nonlocal time_left, step
        if run.what != step:
            time_left, step = TimeLeft(), run.what
        bar.progress(min(run.done / run.total, 1.0) if run.total else 0.0, _words(run, time_left))

    runs.follow(run, show)
    slot.empty()
    if run.problem:
        frame.show_error(run.problem)
    return run.state == "done" and all(workspace.has_vectors(window) for window in missing)


def _stop(job: Hashable, run: Job) -> None:
    _CANCELLED.set(job)
    run.owner.stop(run)


def _words(run: Job, time_left: TimeLeft) -> str:
    if run.state == "waiting":
        return f"Embedding: waiting, {runs.waiting(run.owner.place(run))}"
    if not run.total:
        return f"{run.what or 'Embedding'} (loading the model first)"
    loading = "" if run.done else " (loading the model first)"
    return f"{run.what}: {run.done:,} of {run.total:,}{loading}{time_left.words(run.done, run.total)}"


def _start(workspace: DocumentAnalysis, windows: Sequence[int]) -> Job:
    """Start to embed a document in the background."""
    queue = runs.runs("vectors")
    backend = WorkerBackend(queue.call)

    def work(tell: Tell) -> None:
        workspace.split(_named(tell, "Splitting into sentences, characters"), backend)
        for window in windows:
            with_neighbours = f", with {window} neighbours on either side" if window else ""
            workspace.vectors(window, _named(tell, f"Embedding{with_neighbours}, sentences"), backend)

    key = f"{workspace.key}:{workspace.instance}:{tuple(windows)}"
    return queue.start("vectors", key, workspace.encoder.name, work, [workspace.document.text_hash])


def _named(tell: Tell, what: str) -> Progress:
    return lambda done, total: tell(what, done, total)


def ready_all(workspaces: Mapping[str, DocumentAnalysis], window: int) -> dict[str, ChunkscopeError]:
    """Embed many documents where needed, one after the other.

    Returns:
        Errors by document name. If the user stopped it, a button resumes with the rest.
    """
    missing = {name: workspace for name, workspace in workspaces.items() if not workspace.has_vectors(window)}
    job = ("all", window, *(workspace.key for workspace in missing.values()))
    if missing and _CANCELLED.get() == job:
        frame.show_empty("Embedding was stopped.", "Finished work is kept; it resumes from there.")
        st.button(
            f"Embed the remaining {len(missing)}",
            on_click=_CANCELLED.clear, icon=":material/play_arrow:",
        )  # fmt: skip
        return {}
    missing, problems = _slow(missing, window)
    if not missing:
        return problems
    slot = st.empty()
    current: list[Job] = []
    with slot.container():
        bar = st.progress(0.0, "Splitting into sentences…")
        st.button("Stop", on_click=_cancel, args=(workspaces, window, current), icon=":material/stop:")
    time_left = TimeLeft()
    for number, (name, workspace) in enumerate(missing.items()):
        run = _start(workspace, [window])
        current[:] = [run]

        def show(run: Job = run, number: int = number, name: str = name) -> None:
            share = min((number + (run.done / run.total if run.total else 0.0)) / len(missing), 1.0)
            waits = f", waiting, {runs.waiting(run.owner.place(run))}" if run.state == "waiting" else ""
            words = f"Document {number + 1} of {len(missing)}: {markup.plain(name)}{time_left.words(share, 1.0)}{waits}"
            bar.progress(share, words)

        runs.follow(run, show)
        if run.problem:
            problems[name] = run.problem
    slot.empty()
    return problems


def _slow(
    workspaces: Mapping[str, DocumentAnalysis], window: int
) -> tuple[dict[str, DocumentAnalysis], dict[str, ChunkscopeError]]:
    """Return the documents that a worker must embed, and the errors of those that cannot be embedded."""
    slow, problems = {}, {}
    for name, workspace in workspaces.items():
        try:
            if not is_quick(workspace, window):
                slow[name] = workspace
        except ChunkscopeError as error:
            problems[name] = error
    return slow, problems


def _cancel(workspaces: Mapping[str, DocumentAnalysis], window: int, current: Sequence[Job]) -> None:
    missing_keys = [workspace.key for workspace in workspaces.values() if not workspace.has_vectors(window)]
    _CANCELLED.set(("all", window, *missing_keys))
    for run in current:
        run.owner.stop(run)
