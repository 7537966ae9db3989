"""The library of whoever uses this session."""

from __future__ import annotations

import streamlit as st

from chunking.library import Library, LibraryStorage, open_storage
from chunking.library.limits import limits_of_environment
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
    return Library(_storage(str(address()), files_place()), person, limits_of_environment(), evicted.note)


@st.cache_resource(max_entries=2, show_spinner=False)
def _storage(database: str, files: str) -> LibraryStorage:
    """Return the storage, opened anew where a setting names another database or place of files."""
    return open_storage()
