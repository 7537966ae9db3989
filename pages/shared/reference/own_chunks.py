"""The user's own chunks and reference boundaries of a document, kept for the session."""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError
from chunking.alignment import uploads
from chunking.alignment.pieces import Piece
from chunking.comparison.report import ComparisonEntry, own_entry
from chunking.document import Document
from chunking.gold import gold
from chunking.workspace import Workspace
from pages.shared.documents import uploaders
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.review import store as review_store

_KEPT = "_own_chunks"
_LIMIT = 4
_PROBLEM = "_own_chunks_problem"
_ROUND = "_own_chunks_round"

_PLACED = "_own_chunks_placed"
_GOLD = "_own_gold_offsets"

_PASTED = "_pasted_chunks"
_SEPARATORS = (
    "JSON, JSON Lines, CSV, or text with separators between the chunks: lines of dashes, equal signs or hashes, or "
    "blank lines."
)

Own = dict[str, tuple[Piece, ...]]
Placed = dict[tuple[str, str, str], tuple[tuple[Piece, ...], ComparisonEntry]]


def choose(document: Document) -> Own:
    """Show the uploaders; return the chunk sets of this document by name."""
    own: Own = st.session_state.setdefault(_KEPT, {}).setdefault(document.key, {})
    with st.popover("Your own chunks and reference", icon=":material/upload_file:", width="stretch"):
        st.caption(
            "Chunks of this document from your pipeline: JSON, JSONL, CSV, or text with separators. They become a lane."
        )
        key = f"_own_chunks_{st.session_state.setdefault(_ROUND, 0)}"
        st.file_uploader(
            "A file of chunks",
            key=key,
            label_visibility="collapsed",
            on_change=_take,
            args=(key, document.key),
        )
        with st.form("paste_chunks", border=False, clear_on_submit=True):
            st.text_area("Or paste chunks", key=_PASTED, height=120, help=_SEPARATORS)
            st.form_submit_button("Add chunks", on_click=_take_paste, args=(document.key,))
        st.caption(
            "Reference boundaries: JSON with character offsets, or the true chunks. They become the reference lane."
        )
        key = f"_own_gold_{st.session_state[_ROUND]}"
        st.file_uploader(
            "A file of reference boundaries",
            key=key,
            label_visibility="collapsed",
            on_change=_take_gold,
            args=(key, document),
        )
        if document.key in st.session_state.setdefault(_GOLD, {}):
            st.button(
                "Remove the reference boundaries", key="_remove_gold", on_click=_remove_gold, args=(document.key,),
                icon=":material/delete:",
            )  # fmt: skip
        for name in list(own):
            st.button(
                f"Remove {markup.plain(name)}",
                key=f"_remove_own_{name}",
                on_click=_remove,
                args=(own, name),
                icon=":material/delete:",
            )
    about, problem = st.session_state.get(_PROBLEM, ("", None))
    if problem and about == document.key:
        frame.show_error(problem)
        st.button("Dismiss", key="_dismiss_own", on_click=_dismiss, type="tertiary")
    return own


def gold_of(opened: Opened) -> tuple[int, ...]:
    """Return the offsets of the reference boundaries: uploaded ones, else those of the document, else of reviews.

    On the Review page the user can let reviews come first.
    """
    given: dict[str, tuple[int, ...]] = st.session_state.get(_GOLD, {})
    if opened.document.key in given:
        return given[opened.document.key]
    if review_store.counts(opened.document, bool(opened.gold)):
        return review_store.gold(opened.document) or opened.gold
    return opened.gold


def _take_gold(key: str, document: Document) -> None:
    for name, data in uploaders.contents(key):
        # A new key for each upload clears the widget.
        st.session_state[_ROUND] += 1
        _take_gold_of(document, name, data)


def _take_gold_of(document: Document, name: str, data: bytes) -> None:
    st.session_state.pop(_PROBLEM, None)
    try:
        st.session_state[_GOLD][document.key] = gold.read(data, name, document)
    except ChunkscopeError as error:
        st.session_state[_PROBLEM] = (document.key, error)


def _remove_gold(key: str) -> None:
    st.session_state[_GOLD].pop(key, None)


def entries(workspace: Workspace, own: Own) -> list[ComparisonEntry]:
    """Return each chunk set as a lane; it is aligned to the document once, not in every run."""
    placed: Placed = st.session_state.setdefault(_PLACED, {})
    found: Placed = {}
    for name, pieces in own.items():
        key = (workspace.key, workspace.tools.tokenizer, name)
        known = placed.get(key)
        found[key] = known if known and known[0] is pieces else (pieces, own_entry(workspace, name, pieces))
    st.session_state[_PLACED] = found
    return [entry for _, entry in found.values()]


def _remove(own: Own, name: str) -> None:
    own.pop(name, None)
    _dismiss()


def _dismiss() -> None:
    st.session_state.pop(_PROBLEM, None)


def _take(key: str, document: str) -> None:
    for name, data in uploaders.contents(key):
        # A new key for each upload clears the widget.
        st.session_state[_ROUND] += 1
        _take_chunks(document, name, data)


def _take_paste(document: str) -> None:
    own: Own = st.session_state[_KEPT][document]
    names = (f"pasted {number}" if number > 1 else "pasted" for number in range(1, _LIMIT + 2))
    data = st.session_state[_PASTED].encode("utf-8", "replace")
    _take_chunks(document, next(name for name in names if name not in own), data)


def _take_chunks(document: str, name: str, data: bytes) -> None:
    _dismiss()
    own: Own = st.session_state[_KEPT][document]
    try:
        if len(own) >= _LIMIT:
            raise ChunkscopeError(f"There are {_LIMIT} chunk sets already.", "Remove one first.")
        own[name[-60:]] = uploads.read(data, name)
    except ChunkscopeError as error:
        st.session_state[_PROBLEM] = (document, error)
