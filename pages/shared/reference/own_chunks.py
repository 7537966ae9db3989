"""The user's own chunks and reference boundaries of a document, stored with it where it is in the library."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chunking import ChunkscopeError
from chunking.alignment.pieces import Piece
from chunking.comparison.report import ComparisonEntry, own_entry
from chunking.reference import Reference
from chunking.store.documents import AttachmentKind
from chunking.work import inputs
from chunking.workspace import Workspace
from pages.shared.documents import attachments, uploaders
from pages.shared.documents.documents import Opened
from pages.shared.frame import frame, markup
from pages.shared.reference import review_store
from pages.shared.state import Slot, session, widget_value

_LIMIT = 4
_PASTED = "_pasted_chunks"
_SEPARATORS = (
    "JSON, JSON Lines, CSV, or text with separators between the chunks: lines of dashes, equal signs or hashes, or "
    "blank lines."
)

Own = dict[str, tuple[Piece, ...]]
Placed = dict[tuple[str, str, str], tuple[tuple[Piece, ...], ComparisonEntry | ChunkscopeError]]

_KEPT: Slot[dict[str, Own]] = Slot("_own_chunks", dict)
_PROBLEM: Slot[tuple[str, ChunkscopeError] | None] = Slot("_own_chunks_problem", session.empty)
_ROUND = Slot("_own_chunks_round", int)
_PLACED: Slot[Placed] = Slot("_own_chunks_placed", dict)
_GOLD: Slot[dict[str, Reference]] = Slot("_own_gold_offsets", dict)


def choose(opened: Opened) -> Own:
    """Show the uploaders; return the chunk sets of this document by name."""
    document = opened.document
    own = _KEPT.get().setdefault(document.key, {})
    _restore(opened, "chunks", lambda name, data: own.setdefault(name[-60:], inputs.read_chunks(data, name)))
    _restore_reference(opened)
    help = "Chunks of your pipeline as a lane, and reference boundaries"
    with st.popover("Your own chunks", icon=":material/upload_file:", width="stretch", help=help):
        st.caption(
            "Chunks of this document from your pipeline: JSON, JSONL, CSV, Parquet, text with separators, or an export "
            "of Chroma, Qdrant or pgvector. They become a lane."
        )
        key = f"_own_chunks_{_ROUND.get()}"
        st.file_uploader(
            "A file of chunks",
            key=key,
            label_visibility="collapsed",
            on_change=_take,
            args=(key, opened),
        )
        with st.form("paste_chunks", border=False, clear_on_submit=True):
            st.text_area("Or paste chunks", key=_PASTED, height=120, help=_SEPARATORS)
            st.form_submit_button("Add chunks", on_click=_take_paste, args=(opened,))
        st.caption(
            "Reference boundaries: JSON with character offsets, or the true chunks. They become the reference lane."
        )
        key = f"_own_gold_{_ROUND.get()}"
        st.file_uploader(
            "A file of reference boundaries",
            key=key,
            label_visibility="collapsed",
            on_change=_take_gold,
            args=(key, opened),
        )
        if document.key in _GOLD.get():
            st.button(
                "Remove the reference boundaries", key="_remove_gold", on_click=_remove_gold, args=(opened,),
                icon=":material/delete:",
            )  # fmt: skip
        for name in list(own):
            st.button(
                f"Remove {markup.plain(name)}",
                key=f"_remove_own_{name}",
                on_click=_remove,
                args=(opened, name),
                icon=":material/delete:",
            )
    problem = _PROBLEM.get()
    if problem and problem[0] == document.key:
        frame.show_error(problem[1])
        st.button("Dismiss", key="_dismiss_own", on_click=_dismiss, type="tertiary")
    return own


def reference_of(opened: Opened) -> Reference:
    """Return the reference of a document: what the user uploaded, else what came with it, else its reviews.

    On the Review page the user can put reviews before what came with the document.
    """
    _restore_reference(opened)
    given = _GOLD.get()
    if opened.document.key in given:
        return given[opened.document.key]
    if review_store.counts(opened.document, bool(opened.gold)):
        found = review_store.reference(opened.document)
        if found.judgements:
            return found
    return Reference(opened.gold, added=opened.gold)


def _restore(opened: Opened, kind: AttachmentKind, take: Callable[[str, bytes], object]) -> None:
    problem = attachments.restore(opened, kind, take)
    if problem:
        _PROBLEM.set((opened.document.key, problem))


def _restore_reference(opened: Opened) -> None:
    given, document = _GOLD.get(), opened.document
    _restore(
        opened,
        "reference",
        lambda name, data: given.setdefault(document.key, inputs.read_reference(data, name, document)),
    )


def _take_gold(key: str, opened: Opened) -> None:
    for name, data in uploaders.contents(key):
        # A new key for each upload clears the widget.
        _ROUND.set(_ROUND.get() + 1)
        _take_gold_of(opened, name, data)


def _take_gold_of(opened: Opened, name: str, data: bytes) -> None:
    _PROBLEM.clear()
    document = opened.document
    try:
        _GOLD.get()[document.key] = inputs.read_reference(data, name, document)
        attachments.put(opened.now, "reference", name, data, document)
    except ChunkscopeError as error:
        _PROBLEM.set((document.key, error))


def _remove_gold(opened: Opened) -> None:
    _GOLD.get().pop(opened.document.key, None)
    _delete(opened, "reference")


def _delete(opened: Opened, kind: AttachmentKind, name: str = "") -> None:
    _PROBLEM.clear()
    try:
        attachments.delete(opened.now, kind, name)
    except ChunkscopeError as error:
        _PROBLEM.set((opened.document.key, error))


def entries(workspace: Workspace, own: Own) -> list[ComparisonEntry]:
    """Return each chunk set as a lane, and show why one cannot be; it is aligned to the document once, not in every
    run.
    """
    placed = _PLACED.get()
    found: Placed = {}
    for name, pieces in own.items():
        key = (workspace.key, workspace.tools.tokenizer, name)
        known = placed.get(key)
        found[key] = known if known and known[0] is pieces else (pieces, _entry(workspace, name, pieces))
    _PLACED.set(found)
    lanes = []
    for (_, _, name), (_, entry) in found.items():
        if isinstance(entry, ChunkscopeError):
            frame.show_error(ChunkscopeError(f"yours: {name}: {entry.problem}", entry.remedy))
        else:
            lanes.append(entry)
    return lanes


def _entry(workspace: Workspace, name: str, pieces: tuple[Piece, ...]) -> ComparisonEntry | ChunkscopeError:
    try:
        return own_entry(workspace, name, pieces)
    except ChunkscopeError as error:
        return error


def _remove(opened: Opened, name: str) -> None:
    _KEPT.get()[opened.document.key].pop(name, None)
    _delete(opened, "chunks", name)


def _dismiss() -> None:
    _PROBLEM.clear()


def _take(key: str, opened: Opened) -> None:
    for name, data in uploaders.contents(key):
        # A new key for each upload clears the widget.
        _ROUND.set(_ROUND.get() + 1)
        _take_chunks(opened, name.rpartition("/")[2][-60:], data)


def _take_paste(opened: Opened) -> None:
    own = _KEPT.get()[opened.document.key]
    names = (f"pasted {number}" if number > 1 else "pasted" for number in range(1, _LIMIT + 2))
    data = widget_value(_PASTED).encode("utf-8", "replace")
    _take_chunks(opened, next(name for name in names if name not in own), data)


def _take_chunks(opened: Opened, name: str, data: bytes) -> None:
    _dismiss()
    own = _KEPT.get()[opened.document.key]
    try:
        if len(own) >= _LIMIT:
            raise ChunkscopeError(f"There are {_LIMIT} chunk sets already.", "Remove one first.")
        own[name] = inputs.read_chunks(data, name)
        attachments.put(opened.now, "chunks", name, data)
    except ChunkscopeError as error:
        _PROBLEM.set((opened.document.key, error))
