"""The user's own chunks and reference boundaries of a document, stored with it where it is in the library."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from chunking import ChunkscopeError
from chunking.alignment.pieces import Piece
from chunking.comparison.report import ComparisonEntry, own_entry
from chunking.reference import Reference
from chunking.store.documents import AttachmentKind
from chunking.work import inputs
from chunking.workspace import DocumentAnalysis
from pages.shared.documents import attachments
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.documents.uploads import Files, UploadField
from pages.shared.frame import frame, markup
from pages.shared.reference import review_store
from pages.shared.state import SessionValue, widget_value

_LIMIT = 4
_PASTED = "_pasted_chunks"
_SEPARATORS = (
    "JSON, JSON Lines, CSV, or text with separators between the chunks: lines of dashes, equal signs or hashes, or "
    "blank lines."
)

OwnChunks = dict[str, tuple[Piece, ...]]
"""The chunk sets of a document by name."""
_Aligned = dict[tuple[str, str, str], tuple[tuple[Piece, ...], ComparisonEntry | ChunkscopeError]]

_KEPT: SessionValue[dict[str, OwnChunks]] = SessionValue("_own_chunks", dict)
_ALIGNED: SessionValue[_Aligned] = SessionValue("_own_chunks_placed", dict)
_UPLOADED: SessionValue[dict[str, Reference]] = SessionValue("_own_gold_offsets", dict)
_CHUNKS_UPLOAD, _REFERENCE_UPLOAD = UploadField("_own_chunks_upload"), UploadField("_own_gold_upload")


def choose(opened: OpenDocument) -> OwnChunks:
    """Show the uploaders; return the chunk sets of this document by name."""
    document = opened.document
    chunk_sets = _KEPT.get().setdefault(document.key, {})
    _restore(opened, "chunks", lambda name, data: chunk_sets.setdefault(name[-60:], inputs.read_chunks(data, name)))
    _restore_reference(opened)
    help = "Chunks of your pipeline as a lane, and reference boundaries"
    with st.popover("Your own chunks", icon=":material/upload_file:", width="stretch", help=help):
        st.caption(
            "Chunks of this document from your pipeline: JSON, JSONL, CSV, Parquet, text with separators, or an export "
            "of Chroma, Qdrant or pgvector. They become a lane."
        )
        receive = partial(_receive_chunks, opened)
        _CHUNKS_UPLOAD.draw("A file of chunks", receive, document.key, label_visibility="collapsed")
        with st.form("paste_chunks", border=False, clear_on_submit=True):
            st.text_area("Or paste chunks", key=_PASTED, height=120, help=_SEPARATORS)
            st.form_submit_button("Add chunks", on_click=_receive_paste, args=(opened,))
        st.caption(
            "Reference boundaries: JSON with character offsets, or the true chunks. They become the reference lane."
        )
        receive = partial(_receive_reference, opened)
        _REFERENCE_UPLOAD.draw("A file of reference boundaries", receive, document.key, label_visibility="collapsed")
        if document.key in _UPLOADED.get():
            _remove_button("the reference boundaries", "_remove_gold", _remove_reference, opened)
        for name in chunk_sets:
            _remove_button(markup.plain(name), f"_remove_own_{name}", _remove_chunks, opened, name)
    _CHUNKS_UPLOAD.show_problem(document.key)
    _REFERENCE_UPLOAD.show_problem(document.key)
    return chunk_sets


def _remove_button(title: str, key: str, remove: Callable[..., None], *arguments: Any) -> None:
    st.button(f"Remove {title}", key=key, on_click=remove, args=arguments, icon=":material/delete:")


def reference_of(opened: OpenDocument) -> Reference:
    """Return the reference of a document: what the user uploaded, else what came with it, else its reviews.

    On the Review page the user can put reviews before what came with the document.
    """
    _restore_reference(opened)
    uploaded = _UPLOADED.get().get(opened.document.key)
    if uploaded is not None:
        return uploaded
    if review_store.is_reference_from_reviews(opened.document, bool(opened.boundaries)):
        reviewed = review_store.reference(opened.document)
        if reviewed.judgements:
            return reviewed
    return Reference(opened.boundaries, added=opened.boundaries)


def _restore(opened: OpenDocument, kind: AttachmentKind, receive: Callable[[str, bytes], object]) -> None:
    problem = attachments.restore(opened, kind, receive)
    if problem:
        _CHUNKS_UPLOAD.report(problem, opened.document.key)


def _restore_reference(opened: OpenDocument) -> None:
    references, document = _UPLOADED.get(), opened.document

    def receive(name: str, data: bytes) -> None:
        references.setdefault(document.key, inputs.read_reference(data, name, document))

    _restore(opened, "reference", receive)


def _receive_reference(opened: OpenDocument, files: Files) -> None:
    for name, data in files:
        _UPLOADED.get()[opened.document.key] = inputs.read_reference(data, name, opened.document)
        attachments.put(opened.now, "reference", name, data, opened.document)


def _remove_reference(opened: OpenDocument) -> None:
    _UPLOADED.get().pop(opened.document.key, None)
    with _REFERENCE_UPLOAD.reported(opened.document.key):
        attachments.delete(opened.now, "reference")


def entries(workspace: DocumentAnalysis, chunk_sets: OwnChunks) -> list[ComparisonEntry]:
    """Return each chunk set as a lane, and show why one cannot be; it is aligned to the document once, not in every
    run.
    """
    before = _ALIGNED.get()
    aligned: _Aligned = {}
    for name, pieces in chunk_sets.items():
        key = (workspace.key, workspace.tools.tokenizer, name)
        cached = before.get(key)
        aligned[key] = cached if cached and cached[0] is pieces else (pieces, _entry(workspace, name, pieces))
    _ALIGNED.set(aligned)
    lanes = []
    for (_, _, name), (_, entry) in aligned.items():
        if isinstance(entry, ChunkscopeError):
            frame.show_error(ChunkscopeError(f"yours: {name}: {entry.problem}", entry.remedy))
        else:
            lanes.append(entry)
    return lanes


def _entry(workspace: DocumentAnalysis, name: str, pieces: tuple[Piece, ...]) -> ComparisonEntry | ChunkscopeError:
    try:
        return own_entry(workspace, name, pieces)
    except ChunkscopeError as error:
        return error


def _remove_chunks(opened: OpenDocument, name: str) -> None:
    _KEPT.get()[opened.document.key].pop(name, None)
    with _CHUNKS_UPLOAD.reported(opened.document.key):
        attachments.delete(opened.now, "chunks", name)


def _receive_paste(opened: OpenDocument) -> None:
    names = ["pasted", *(f"pasted {number}" for number in range(2, _LIMIT + 2))]
    name = next(name for name in names if name not in _KEPT.get()[opened.document.key])
    with _CHUNKS_UPLOAD.reported(opened.document.key):
        _receive_chunks(opened, [(name, widget_value(_PASTED).encode("utf-8", "replace"))])


def _receive_chunks(opened: OpenDocument, files: Files) -> None:
    chunk_sets = _KEPT.get()[opened.document.key]
    for path, data in files:
        name = path.rpartition("/")[2][-60:]
        if len(chunk_sets) >= _LIMIT:
            raise ChunkscopeError(f"There are {_LIMIT} chunk sets already.", "Remove one first.")
        chunk_sets[name] = inputs.read_chunks(data, name)
        attachments.put(opened.now, "chunks", name, data)
