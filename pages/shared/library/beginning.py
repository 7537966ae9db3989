"""What the page says where the list is empty, and of what was evicted."""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError, samples
from chunking.store import NewDocument
from pages.shared.documents import documents
from pages.shared.frame import frame
from pages.shared.library import outcome
from pages.shared.storage.session_library import EVICTED, library


def show_empty(*, is_filtered: bool) -> None:
    """Show why the list is empty, and what to do.

    Args:
        is_filtered: whether some documents may be left out.
    """
    if is_filtered:
        frame.show_empty("No document matches.", "Use other words, or change the filters in the sidebar.")
        return
    frame.show_empty(
        "Your library is empty.",
        "Add files under “Add your own” in the sidebar: they are kept until you delete them. Or begin with a sample.",
    )
    st.button("Add a sample", key="_library_sample", icon=":material/note_add:", on_click=_add_sample)


def _add_sample() -> None:
    with outcome.reported():
        document = samples.load(documents.FIRST).document
        added = library().add(NewDocument((samples.FOLDER / document.name).read_bytes(), document, tags=("sample",)))
        outcome.done(f"{added.name} was added.")


def show_evicted() -> None:
    """Show which documents made room for others in this session."""
    names = EVICTED.get()
    if names:
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        frame.show_error(
            ChunkscopeError(
                f"Evicted to make room for what you added: {', '.join(names[:5])}{more}.",
                "Documents with a reference, reviews or a place in a set are never evicted.",
            )
        )
        st.button("Dismiss", key="_library_evicted_dismiss", on_click=EVICTED.clear, type="tertiary")
