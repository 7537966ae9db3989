"""Library: the documents that are kept, found, described, shared, put into sets, and deleted."""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError
from chunking.store import Library, Query
from chunking.store.sets import DocumentSets
from pages.shared import state
from pages.shared.documents import add_documents
from pages.shared.frame import frame
from pages.shared.library import actions, archives, beginning, folders, limits, listing, outcome, sets
from pages.shared.library.document_sets import OfferedSets
from pages.shared.settings import controls
from pages.shared.storage import session_library

frame.require_app_frame("pages/library.py")

DOCUMENTS, SETS, FOLDERS, ARCHIVE, LIMITS = PARTS = ("Documents", "Sets", "Folders", "Archive", "Limits")


def main() -> None:
    with st.sidebar:
        add_documents.show_popover()
        filters = frame.stable_slot()
    add_documents.read_waiting()
    part = controls.segments("Part of the library", PARTS, name="part", label_visibility="collapsed")
    with frame.stable_slot():
        outcome.show()
        beginning.show_evicted()
    try:
        show(session_library.library(), part, filters)
    except ChunkscopeError as error:
        frame.show_error(error)
    state.address().write()


def show(user_library: Library, part: str, filters: st.delta_generator.DeltaGenerator) -> None:
    """Show a part of the library."""
    if part == DOCUMENTS:
        show_documents(user_library, filters)
    elif part == SETS:
        document_sets = DocumentSets(user_library).list()
        with filters:
            set_id = listing.choose_set(
                OfferedSets({document_set.id: document_set.name for document_set in document_sets}), "All sets"
            )
        sets.show(document_sets, set_id)
    elif part == FOLDERS:
        folders.show(user_library)
    elif part == ARCHIVE:
        archives.show(user_library)
    else:
        limits.show(user_library)


def show_documents(user_library: Library, filters: st.delta_generator.DeltaGenerator) -> None:
    """Show the list of documents, and what can be done with the selected ones."""
    document_sets, facets = DocumentSets(user_library).list(), user_library.facets()
    with filters:
        query = listing.choose(
            facets,
            listing.choose_set(OfferedSets({document_set.id: document_set.name for document_set in document_sets})),
        )
    page = listing.read(user_library, query)
    if not page.listing.total:
        beginning.show_empty(is_filtered=query != Query(order=query.order, limit=query.limit))
        return
    selected = listing.show(page, user_library)
    with frame.stable_slot():
        actions.show(selected, actions.PanelContext(user_library, document_sets, facets.tags, page))


frame.run(main)
