"""Which document is open: a sample, or one that the user brought, kept for the session."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import streamlit as st

from chunking import ChunkscopeError, from_text, load, samples
from chunking.document import Document
from chunking.loading import MAX_BYTES
from chunking.report import Entry, entry
from chunking.strategies import Segmentation, Setting
from chunking.vector_cache import VectorCache, default_cache
from chunking.workspace import Known, Workspace
from pages.shared import frame

FIRST = "field-guide-to-backups"
_OWN = "_own_documents"
_OWN_LIMIT = 8
_CHOICE = "doc"
_NOW = "_document_now"
_BEFORE = "_document_before"
_UPLOAD = "_upload"
_PROBLEM = "_document_problem"


@dataclass(frozen=True, eq=False)
class Opened:
    """The open document.

    Attributes:
        document: the document.
        title: what to call it.
        path: where exported code looks for it, from the folder of ``app.py``.
        teaches: what it shows about chunking; empty for a user's own.
        gold: offsets of gold boundaries; empty where there are none.
        known: sentences and vectors that came with it.
    """

    document: Document
    title: str
    path: str
    teaches: str = ""
    gold: tuple[int, ...] = ()
    known: Known | None = None


@st.cache_resource(max_entries=32, show_spinner=False)
def _sample(name: str) -> samples.Sample:
    return samples.load(name)


@st.cache_resource(max_entries=1, show_spinner=False)
def vector_cache() -> VectorCache:
    """The one cache of vectors of this server."""
    return default_cache()


# The time in seconds: as words it would cost the import of pandas.
@st.cache_resource(max_entries=12, ttl=6 * 3600, show_spinner=False)
def _workspace(key: str, _opened: Opened) -> Workspace:
    return Workspace(_opened.document, cache=vector_cache(), known=_opened.known)


def workspace(opened: Opened) -> Workspace:
    """The open document with its measurements, shared by all sessions that look at the same text."""
    return _workspace(opened.document.key, opened)


T = TypeVar("T")

_DERIVED = 16
"""Tables that are kept of a document."""


class Results:
    """What strategies made of a document, the latest of them kept; any number of threads may share it."""

    def __init__(self, limit: int = 48) -> None:
        self._limit = limit
        self._kept: OrderedDict[tuple[str, str], Entry] = OrderedDict()
        self._derived: OrderedDict[Hashable, tuple[tuple[Segmentation, ...], Any]] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, workspace: Workspace, setting: Setting) -> Entry | None:
        """What the strategy made, if it is kept."""
        with self._lock:
            return self._kept.get((workspace.tools.tokenizer, setting.text))

    def get(self, workspace: Workspace, setting: Setting) -> Entry:
        """What the strategy made or now makes."""
        key = (workspace.tools.tokenizer, setting.text)
        found = self.known(workspace, setting) or entry(setting, setting.run(workspace))
        with self._lock:
            self._kept[key] = found
            self._kept.move_to_end(key)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return found

    def derive(self, what: Hashable, entries: Sequence[Entry], make: Callable[[], T]) -> T:
        """What follows from some entries, of which the latest are kept: ``what`` names it, ``make`` makes it."""
        # By identity, since two files of the same name may hold different chunks; kept with the segmentations, so that
        # no other gets the id of one while it is a key.
        held = tuple(entry.segmentation for entry in entries)
        key = (what, tuple(map(id, held)))
        with self._lock:
            known = self._derived.get(key)
            if known is not None:
                self._derived.move_to_end(key)
                return cast(T, known[1])
        found = make()
        with self._lock:
            self._derived[key] = (held, found)
            while len(self._derived) > _DERIVED:
                self._derived.popitem(last=False)
        return found


@st.cache_resource(max_entries=12, ttl=6 * 3600, show_spinner=False)
def _results(key: str) -> Results:
    return Results()


def results(workspace: Workspace) -> Results:
    """What strategies made of the document, shared by all sessions that look at the same text."""
    return _results(workspace.document.key)


def choose() -> Opened:
    """The controls that choose a document, and the one that is chosen."""
    known = samples.names()
    own: dict[str, Document] = st.session_state.setdefault(_OWN, {})
    options = [*own, FIRST, *(name for name in known if name != FIRST)]
    _tell_missing(options)
    name = st.selectbox(
        "Document",
        options,
        options.index(FIRST),
        key=_CHOICE,
        # No format_func: a bound widget writes what it shows into the address, and a name stays valid there.
        bind="query-params",
        on_change=_forget_place,
    )
    if name != st.session_state.get(_NOW):
        st.session_state[_BEFORE], st.session_state[_NOW] = st.session_state.get(_NOW, FIRST), name
    _add_own()
    if name in own:
        return Opened(own[name], own[name].name, own[name].name)
    sample = _sample(name)
    path = f"{samples.FOLDER.name}/{sample.document.name}"
    return Opened(sample.document, sample.title, path, sample.teaches, sample.gold, sample.known)


def go_back() -> None:
    """Choose the document that was open before this one."""
    st.session_state[_CHOICE] = st.session_state.get(_BEFORE, FIRST)
    _forget_place()


def _forget_place() -> None:
    """A gap and a stretch of the chart belong to the document they were chosen in."""
    for name in ("gap", "view"):
        st.query_params.pop(name, None)


def _tell_missing(options: list[str]) -> None:
    asked = st.query_params.get(_CHOICE)
    if asked and asked not in options:
        st.session_state[_PROBLEM] = ChunkscopeError(
            "This link is about a document that is not here.",
            "Uploaded and pasted documents stay in the session that opened them: add it again to see this view.",
        )


def _add_own() -> None:
    with st.popover("Add your own", icon=":material/note_add:", width="stretch"):
        round_ = st.session_state.setdefault("_upload_round", 0)
        st.file_uploader(
            f"A text or Markdown file, up to {MAX_BYTES // 2**20} MiB",
            # A new key for each upload clears the widget, so that the server does not keep the bytes.
            key=f"{_UPLOAD}_{round_}",
            on_change=_take_upload,
            args=(f"{_UPLOAD}_{round_}",),
        )
        with st.form("paste", border=False, clear_on_submit=True):
            st.text_area("Or paste a text", key="_pasted", height=160)
            st.segmented_control(
                "It is", ["Markdown", "Plain text"], default="Markdown", key="_pasted_format", required=True
            )
            st.form_submit_button("Open this text", on_click=_take_paste)
    problem = st.session_state.get(_PROBLEM)
    if problem:
        frame.show_error(problem)
        st.button("Dismiss", on_click=lambda: st.session_state.pop(_PROBLEM, None), type="tertiary")


def _take_upload(key: str) -> None:
    upload = st.session_state.get(key)
    if upload is None:
        return
    st.session_state["_upload_round"] += 1
    try:
        _open(load(upload.getvalue(), upload.name))
    except ChunkscopeError as error:
        st.session_state[_PROBLEM] = error


def _take_paste() -> None:
    pasted = st.session_state["_pasted"]
    kind = "markdown" if st.session_state["_pasted_format"] == "Markdown" else "text"
    try:
        if not pasted.strip():
            raise ChunkscopeError("There is nothing to open: the text is empty.", "Paste a text first.")
        _open(from_text(pasted, name="pasted.md" if kind == "markdown" else "pasted.txt", format=kind))
    except ChunkscopeError as error:
        st.session_state[_PROBLEM] = error


def _open(document: Document) -> None:
    own: dict[str, Document] = st.session_state[_OWN]
    key = f"{document.name[-60:]} ({document.key[:6]})"
    own[key] = document
    while len(own) > _OWN_LIMIT:
        own.pop(next(name for name in own if name not in (key, st.session_state.get(_CHOICE))))
    st.session_state[_CHOICE] = key
    _forget_place()
    st.session_state.pop(_PROBLEM, None)
