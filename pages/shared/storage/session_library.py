"""The library of whoever uses this session, its drafts, and what adding documents has evicted from it."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import streamlit as st

from chunking import ChunkscopeError
from chunking.store import Library, LibraryDocument, LibraryStorage, open_storage, removal
from chunking.store.database.location import address
from chunking.store.identity import Identity
from chunking.store.sets import Drafts
from chunking.store.storage import files_place
from pages.shared import identity
from pages.shared.server import hosts
from pages.shared.state import SessionValue, session
from pages.shared.storage.forgetting import DELETED, MEMORY


def library() -> Library:
    """Return the library as the person of this session sees it.

    Raises:
        ChunkscopeError: nobody is logged in, a limit is invalid, or the database or the folder cannot be used.
    """
    person = identity.current()
    person.require("reader", "The library")
    if not is_personal():
        raise ChunkscopeError(
            "This server keeps no documents, since it does not know who is who: they end with the session.",
            "Whoever runs it can set up a log-in.",
        )
    return _library(person)


def _library(person: Identity) -> Library:
    return Library(_storage(str(address()), files_place()), person, tell_evicted=_note_evicted)


def own_library() -> Library:
    """Return the library as :func:`library`; for an admin, too, without the documents of others that are not shared."""
    person = library().identity
    return _library(replace(person, roles=person.roles - {"admin"}))


def is_personal() -> bool:
    """Return whether it is known whose documents are added: of who logged in, or of who uses this machine alone."""
    return identity.login() is not None or hosts.is_local()


def is_usable() -> bool:
    """Return whether documents can be kept: it is known whose they are, and what the library needs is installed."""
    return _is_installed() and is_personal()


@cache
def _is_installed() -> bool:
    """Return whether the package that the library needs is installed, without importing it."""
    return importlib.util.find_spec("sqlalchemy") is not None


def is_begun() -> bool:
    """Return whether anything may be stored yet; a look at the library would create its database.

    Raises:
        ChunkscopeError: the address of the database cannot be read.
    """
    from sqlalchemy import make_url

    if not is_personal():
        return False
    url = make_url(address())
    return url.get_backend_name() != "sqlite" or Path(url.database or "").exists()


def prepare() -> None:
    """Open the storage if there is anything in it, so that the first visitor does not wait for that."""
    with contextlib.suppress(ChunkscopeError):  # whoever needs it gets the error
        if is_usable() and is_begun():
            _storage(str(address()), files_place())


def forget_again() -> None:
    """Delete once more what was computed of texts that were deleted a while ago."""
    for text_hash in DELETED.pop_due():
        with contextlib.suppress(ChunkscopeError):  # the database or the cache is gone, and so is what was in it
            opened = _storage(str(address()), files_place())
            caches = [cache for cache in opened.caches if cache is not DELETED]
            removal.forget_text(replace(opened, caches=caches), text_hash)


@st.cache_resource(max_entries=2, show_spinner=False)
def _storage(database: str, files: str) -> LibraryStorage:
    """Return the storage, opened anew where a setting names another database or place of files."""
    opened = open_storage()
    return replace(opened, caches=(*opened.caches, MEMORY, DELETED))


# ---- drafts: text that was typed and not sent yet, kept over a reload as soon as its field is left


_BEGUN: SessionValue[set[str]] = SessionValue("_drafts_begun", set)


def begin_draft(key: str, field: str) -> None:
    """Put the draft of a key into a field when the session first draws it; to be called before it is drawn."""
    if key in _BEGUN.get():
        return
    _BEGUN.get().add(key)
    with contextlib.suppress(ChunkscopeError):  # a page without its draft is better than none
        if is_usable() and is_begun() and (draft := Drafts(library()).get(key)):
            session.set_widget(field, draft)


def keep_draft(key: str, field: str) -> None:
    """Keep what a field holds as the draft of a key; in its callback."""
    _put_draft(key, str(session.widget_value(field) or ""))


def drop_draft(key: str) -> None:
    """Delete the draft of a key, which was sent."""
    _put_draft(key, "")


def _put_draft(key: str, text: str) -> None:
    with contextlib.suppress(ChunkscopeError):  # too long, or no library: the field still has it
        if is_usable() and (text or is_begun()):
            Drafts(library()).put(key, text)


# ---- documents that adding others has evicted in this session


EVICTED: SessionValue[tuple[str, ...]] = SessionValue("_library_evicted", tuple)
"""Their names, until they are dismissed on the Library page."""

_MOST = 100


def _note_evicted(documents: Sequence[LibraryDocument]) -> None:
    EVICTED.set((*EVICTED.get(), *(document.name for document in documents))[-_MOST:])
