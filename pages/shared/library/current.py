"""The library of whoever uses this session."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from chunking.library import Library, LibraryStorage, open_storage
from chunking.library.storage import files_place
from chunking.review.store import address
from pages.shared import identity
from pages.shared.storage import evicted


def library() -> Library:
    """Return the library as the person of this session sees it.

    Raises:
        ChunkscopeError: nobody is logged in, a limit is invalid, or the database or the folder cannot be used.
    """
    person = identity.current()
    person.require("reader", "The library")
    return Library(_storage(str(address()), files_place()), person, tell_evicted=evicted.note)


def is_begun() -> bool:
    """Return whether anything may be stored yet; a look at the library would create its database.

    Raises:
        ChunkscopeError: the address of the database cannot be read.
    """
    from sqlalchemy import make_url

    url = make_url(address())
    return url.get_backend_name() != "sqlite" or Path(url.database or "").exists()


@st.cache_resource(max_entries=2, show_spinner=False)
def _storage(database: str, files: str) -> LibraryStorage:
    """Return the storage, opened anew where a setting names another database or place of files."""
    return open_storage()
