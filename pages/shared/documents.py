"""Which document is open: a sample, or one that the user brought, kept for the session."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from chunking import ChunkscopeError, from_text, load, samples
from chunking.document import Document
from chunking.loading import MAX_BYTES
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
