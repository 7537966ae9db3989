"""Which document is open: a sample, or one that the user brought; and its measurements."""

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
from pages.shared.settings import controls

FIRST = "field-guide-to-backups"
_NOW = state.Slot("_document_now", lambda: FIRST)
_BEFORE = state.Slot("_document_before", lambda: FIRST)


@dataclass(frozen=True, eq=False)
class Opened:
    """The open document.

    Attributes:
        name: what the chooser calls it.
        document: the document.
        title: what to call it.
        path: where exported code looks for it, from the folder of ``app.py``.
        teaches: what it shows about chunking; empty for a user's own.
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
    """The one cache of vectors of this server."""
    return default_cache()


def workspace(opened: Opened, tools: Tools) -> Workspace:
    """A document with its measurements, shared by all sessions that measure the same text alike."""
    # What came with a document was made by the usual tools.
    known = opened.known if tools == Tools() else None
    return shelf().keep(Workspace(opened.document, tools, cache=vector_cache(), precomputed=known))


def names() -> list[str]:
    """All documents by name: the user's own, then the samples."""
    return [*own_documents.kept(), FIRST, *(name for name in samples.names() if name != FIRST)]


def get(name: str) -> Opened:
    """The document of that name."""
    own = own_documents.kept().get(name)
    if own:
        document = own.document
        return Opened(name, document, document.name, document.name, data=own.data)
    sample = _sample(name)
    path = f"{samples.FOLDER.name}/{sample.document.name}"
    return Opened(name, sample.document, sample.title, path, sample.teaches, sample.gold, sample.precomputed)


def choose() -> tuple[Opened, Tools]:
    """The controls that choose a document and how it is read, and what is chosen."""
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
    if len(own) > 1 and name in own:
        _steps(own, own.index(name))
    own_documents.add()
    opened = get(name)
    document, tools = reading.choose(opened.document)
    return (opened if document is opened.document else _read_otherwise(opened, document)), tools


def _read_otherwise(opened: Opened, document: Document) -> Opened:
    """The document in another language, or with another part of it: what was known of it no longer holds."""
    gold = opened.gold if document.text == opened.document.text else ()
    return replace(opened, document=document, gold=gold, known=None)


def _steps(own: list[str], place: int) -> None:
    """Buttons to the document before and the one after."""
    left, middle, right = st.columns([1, 2, 1], vertical_alignment="center")
    for column, step, icon in ((left, -1, "chevron_left"), (right, 1, "chevron_right")):
        to = own[(place + step) % len(own)]
        column.button(
            "Before" if step < 0 else "After", key=f"_step_{step}", icon=f":material/{icon}:", width="stretch",
            on_click=open_, args=(to,), help=None,
        )  # fmt: skip
    middle.caption(f"{place + 1} of {len(own)}", text_alignment="center")


def open_(name: str) -> None:
    """Choose a document, in a callback."""
    state.current().put(CHOICE, name)
    forget_place()


def chosen() -> str:
    """Return the name of the open document, which may not be here any more; empty before the first."""
    return state.current().text(CHOICE)


def go_back() -> None:
    """Choose the document that was open before this one."""
    open_(_BEFORE.get())


def forget_place() -> None:
    """A gap, a stretch of the chart and a page belong to the document they were chosen in."""
    for name in ("gap", "view", "page"):
        state.current().put(name, None)


def _tell_missing(options: list[str]) -> None:
    asked = chosen()
    if asked and asked not in options:
        own_documents.tell(
            ChunkscopeError(
                "This link is about a document that is not here.",
                "Uploaded and pasted documents stay in the session that opened them: add it again to see this view.",
            )
        )
