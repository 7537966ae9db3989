"""The open document, a sample or one of the user's, and its measurements."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking import ChunkscopeError, samples
from chunking.document import Document
from chunking.embedding.vector_cache import VectorCache, default_cache
from chunking.runtime.progress import Progress
from chunking.work.backend import WorkerBackend
from chunking.workspace import DocumentAnalysis, Models
from pages.shared import state
from pages.shared.documents import add_documents, choices, reading, session_documents
from pages.shared.documents.session_documents import CHOICE, OpenDocument
from pages.shared.frame import frame
from pages.shared.frame.runs import TimeLeft
from pages.shared.server import workers
from pages.shared.settings import controls
from pages.shared.storage import forgetting
from pages.shared.storage.workspace_cache import Storage, workspace_cache

FIRST = "community-garden-faq"
_NOW = state.SessionValue("_document_now", lambda: FIRST)
_BEFORE = state.SessionValue("_document_before", lambda: FIRST)


@st.cache_resource(max_entries=32, show_spinner=False)
def _sample(name: str) -> samples.Sample:
    return samples.load(name)


@st.cache_resource(max_entries=1, show_spinner=False)
def vector_cache() -> VectorCache:
    """Return the vector cache of this server."""
    return default_cache()


def workspace(opened: OpenDocument, tools: Models) -> DocumentAnalysis:
    """Return the workspace of a document, shared by all sessions with the same text and tools."""
    forgetting.note(opened.document, *([opened.source] if opened.source else []))
    precomputed = opened.precomputed if tools.splitter is None else None
    cache = None if opened.is_transient else vector_cache()
    # The text that the session has: what is shown may be a part of it, such as the main text of a web page.
    source = opened.source if opened.entry is None else None
    storage = Storage(source.text_hash, opened.is_transient) if source else Storage()
    return workspace_cache().keep(
        DocumentAnalysis(opened.document, tools, cache, precomputed, WorkerBackend(workers.call())), storage
    )


def names() -> list[str]:
    """Return the names of all documents: the user's own, then the samples."""
    return [*session_documents.names(), *sample_names()]


def sample_names() -> list[str]:
    """Return the names of the samples in the order of the list."""
    return [FIRST, *(name for name in samples.names() if name != FIRST)]


def is_open(opened: OpenDocument) -> bool:
    """Return whether the session still has a document under its name: it may be deleted or renamed elsewhere."""
    session_documents.look()
    return opened.source is None or opened.name in session_documents.kept()


def is_shown(opened: OpenDocument) -> bool:
    """Return whether a document is the one that is open, as it is now: it may be edited in the meantime."""
    now = opened.now
    is_same = now is None or now.source is opened.source
    return is_open(opened) and open_name() in ("", opened.name) and is_same


def open_names() -> list[str]:
    """Return the names of the documents that are read already: those open in the session, then the samples."""
    return [*session_documents.kept(), *sample_names()]


def is_sample(name: str) -> bool:
    """Return whether a name is that of a sample."""
    return name in samples.names()


def get(name: str, progress: Progress | None = None) -> OpenDocument:
    """Return the document of a name; one of the library is read now where the session has not opened it.

    Raises:
        ChunkscopeError: it cannot be read.
    """
    own_document = session_documents.get(name, progress)
    if own_document:
        return own_document
    sample = _sample(name)
    path = f"{samples.folder_for_commands()}/{sample.document.name}"
    return OpenDocument(name, sample.document, sample.title, path, sample.teaches, sample.boundaries, sample.sentences)


def choose(more: DeltaGenerator | None = None) -> tuple[OpenDocument, Models]:
    """Show the controls of the document and of how it is read; return the document and the tools.

    Args:
        more: where the controls of how it is read are shown; below the others where it is not given.
    """
    beside: dict[str, Any] = {"label_visibility": "collapsed", "width": 260} if more is not None else {}
    session_documents.look()
    name_to_open = session_documents.to_open()
    if name_to_open in session_documents.kept():
        open_(name_to_open)
    _find_missing()
    before = open_name()
    titles = session_documents.titles()
    name = controls.select(
        "Document", names(), name=CHOICE, default=FIRST, titles=lambda name: titles.get(name, name), **beside
    )
    if before and name != before:
        forget_place()
    with frame.stable_slot():
        opened = _opened(name)
        own_names = list(session_documents.kept())
        if len(own_names) > 1 and name in own_names:
            _steps(own_names, own_names.index(name))
    state.address().explicit = opened.entry is not None
    if name != _NOW.get():
        _BEFORE.set(_NOW.get())
        _NOW.set(name)
        if name != before or not state.address().came_by_history:
            choices.restore(opened)
    add_documents.show_popover()
    with more or contextlib.nullcontext():
        document, tools = reading.choose(opened.document)
    choices.note(opened)
    return (opened if document is opened.document else _read_otherwise(opened, document)), tools


def _opened(name: str) -> OpenDocument:
    """Return the document of a name, with progress where it has to be read; the first sample where it cannot be."""
    slot = st.empty()
    time_left = TimeLeft()

    def show(done: int, total: int) -> None:
        words = f"Reading… ({done:,} of {total:,})" + time_left.words(done, total) if total else "Reading…"
        slot.progress(min(done / total, 1.0) if total else 0.0, words)

    try:
        return get(name, show)
    except ChunkscopeError as error:
        session_documents.tell(error)
        open_(FIRST)
        st.rerun()
    finally:
        slot.empty()


def _read_otherwise(opened: OpenDocument, document: Document) -> OpenDocument:
    """Return the document in another language or with other content, without its bundled sentences."""
    boundaries = opened.boundaries if document.text == opened.document.text else ()
    return replace(opened, document=document, boundaries=boundaries, sentences=None)


def _steps(own_names: list[str], index: int) -> None:
    """Show buttons to the previous and the next document."""
    left, middle, right = st.columns([1, 2, 1], vertical_alignment="center")
    for column, step, icon in ((left, -1, "chevron_left"), (right, 1, "chevron_right")):
        to = own_names[(index + step) % len(own_names)]
        column.button(
            "Previous" if step < 0 else "Next", key=f"_step_{step}", icon=f":material/{icon}:", width="stretch",
            on_click=open_, args=(to,), help=None,
        )  # fmt: skip
    middle.caption(f"{index + 1} of {len(own_names)}", text_alignment="center")


def open_(name: str) -> None:
    """Open a document; for a callback."""
    state.address().put(CHOICE, name)
    forget_place()


def open_name() -> str:
    """Return the name of the open document, which may not be here any more; empty before the first."""
    return state.address().text(CHOICE)


def go_back() -> None:
    """Open the previous document."""
    open_(_BEFORE.get())


def forget_place() -> None:
    """Remove gap, view and page from the address, which belong to the previous document."""
    for name in ("gap", "view", "page"):
        state.address().put(name, None)


def _find_missing() -> None:
    """Look for the document that a link names if it is not in the list, and report if there is none."""
    name = open_name()
    if not name or name in names():
        return
    try:
        missing = None if session_documents.find(name) else ChunkscopeError(*_MISSING)
    except ChunkscopeError as error:
        missing = error
    if missing:
        session_documents.tell(missing)


_MISSING = (
    "The document in this link is not available.",
    "It was deleted, not kept, or belongs to somebody else. If you have the file, add it again to see this view.",
)
