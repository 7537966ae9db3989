"""The open document, a sample or one of the user's, and its measurements."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from chunking import ChunkscopeError, samples
from chunking.document import Document
from chunking.embedding.vector_cache import VectorCache, default_cache
from chunking.workspace import Precomputed, Tools, Workspace
from pages.shared import state
from pages.shared.documents import own_documents, reading
from pages.shared.documents.own_documents import CHOICE
from pages.shared.documents.shelf import shelf
from pages.shared.frame import frame
from pages.shared.settings import controls

FIRST = "field-guide-to-backups"
_NOW = state.Slot("_document_now", lambda: FIRST)
_BEFORE = state.Slot("_document_before", lambda: FIRST)


@dataclass(frozen=True, eq=False)
class Opened:
    """The open document.

    Attributes:
        name: as listed.
        document: the document.
        title: for display.
        path: for exported code, from the folder of ``app.py``.
        teaches: what it shows about chunking; empty for documents of the user.
        gold: offsets of gold boundaries; empty where there are none.
        known: sentences and vectors that came with it.
        data: the file itself, where its pages can be drawn.
    """

    name: str
    document: Document
    title: str
    path: str
    teaches: str = ""
    gold: tuple[int, ...] = ()
    known: Precomputed | None = None
    data: bytes | None = None


@st.cache_resource(max_entries=32, show_spinner=False)
def _sample(name: str) -> samples.Sample:
    return samples.load(name)


@st.cache_resource(max_entries=1, show_spinner=False)
def vector_cache() -> VectorCache:
    """Return the vector cache of this server."""
    return default_cache()


def workspace(opened: Opened, tools: Tools) -> Workspace:
    """Return the workspace of a document, shared by all sessions with the same text and tools."""
    # Precomputed data was made with the default tools.
    known = opened.known if tools == Tools() else None
    return shelf().keep(Workspace(opened.document, tools, cache=vector_cache(), precomputed=known))


def names() -> list[str]:
    """Return the names of all documents: the user's own, then the samples."""
    return [*own_documents.kept(), FIRST, *(name for name in samples.names() if name != FIRST)]


def get(name: str) -> Opened:
    """Return the document of a name."""
    own = own_documents.kept().get(name)
    if own:
        document = own.document
        return Opened(name, document, document.name, document.name, data=own.data)
    sample = _sample(name)
    path = f"{samples.folder_for_commands()}/{sample.document.name}"
    return Opened(name, sample.document, sample.title, path, sample.teaches, sample.gold, sample.precomputed)


def choose() -> tuple[Opened, Tools]:
    """Show the controls of the document and of how it is read; return the document and the tools."""
    options = names()
    wanted = own_documents.to_open()
    if wanted in options:
        open_(wanted)
    _tell_missing(options)
    before = chosen()
    name = controls.select("Document", options, name=CHOICE, default=FIRST)
    if before and name != before:
        forget_place()
    if name != _NOW.get():
        _BEFORE.set(_NOW.get())
        _NOW.set(name)
    own = list(own_documents.kept())
    with frame.part():
        if len(own) > 1 and name in own:
            _steps(own, own.index(name))
    own_documents.add()
    opened = get(name)
    document, tools = reading.choose(opened.document)
    return (opened if document is opened.document else _read_otherwise(opened, document)), tools


def _read_otherwise(opened: Opened, document: Document) -> Opened:
    """Return the document in another language or with other content, without its precomputed data."""
    gold = opened.gold if document.text == opened.document.text else ()
    return replace(opened, document=document, gold=gold, known=None)


def _steps(own: list[str], place: int) -> None:
    """Show buttons to the previous and the next document."""
    left, middle, right = st.columns([1, 2, 1], vertical_alignment="center")
    for column, step, icon in ((left, -1, "chevron_left"), (right, 1, "chevron_right")):
        to = own[(place + step) % len(own)]
        column.button(
            "Previous" if step < 0 else "Next", key=f"_step_{step}", icon=f":material/{icon}:", width="stretch",
            on_click=open_, args=(to,), help=None,
        )  # fmt: skip
    middle.caption(f"{place + 1} of {len(own)}", text_alignment="center")


def open_(name: str) -> None:
    """Open a document; for a callback."""
    state.current().put(CHOICE, name)
    forget_place()


def chosen() -> str:
    """Return the name of the open document, which may not be here any more; empty before the first."""
    return state.current().text(CHOICE)


def go_back() -> None:
    """Open the previous document."""
    open_(_BEFORE.get())


def forget_place() -> None:
    """Remove gap, view and page from the address, which belong to the previous document."""
    for name in ("gap", "view", "page"):
        state.current().put(name, None)


def _tell_missing(options: list[str]) -> None:
    asked = chosen()
    if asked and asked not in options:
        own_documents.tell(
            ChunkscopeError(
                "The document in this link is not available.",
                "Uploaded and pasted documents exist only in the session that added them. Add the file "
                "again to see this view.",
            )
        )
