"""The library of whoever uses this session."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.library import Library, LibraryDocument, LibraryStorage, open_storage
from chunking.library.limits import limits_of_environment
from chunking.library.storage import files_place
from chunking.review.store import address
from pages.shared import identity, state

_EVICTED: state.Slot[list[str]] = state.Slot("_library_evicted", list)
_MOST_EVICTED = 100


def library() -> Library:
    """Return the library as the person of this session sees it.

    Raises:
        ChunkscopeError: nobody is logged in, a limit is invalid, or the database or the folder cannot be used.
    """
    person = identity.current()
    person.require("reader", "The library")
    return Library(_storage(str(address()), files_place()), person, limits_of_environment(), _note_evicted)


@st.cache_resource(max_entries=2, show_spinner=False)
def _storage(database: str, files: str) -> LibraryStorage:
    """Return the storage, opened anew where a setting names another database or place of files."""
    return open_storage()


def evicted() -> list[str]:
    """Return the names of the documents that adding others has evicted in this session, until they are dismissed."""
    return _EVICTED.get()


def dismiss_evicted() -> None:
    """Forget the names of :func:`evicted`."""
    _EVICTED.clear()


def _note_evicted(documents: Sequence[LibraryDocument]) -> None:
    _EVICTED.set([*_EVICTED.get(), *(each.name for each in documents)][-_MOST_EVICTED:])
