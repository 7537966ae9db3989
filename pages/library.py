"""Library: the documents that are kept, found, described, shared, put into sets, and deleted."""

from __future__ import annotations

import streamlit as st

from chunking import ChunkscopeError
from chunking.store import Library, Query
from chunking.store.sets import DocumentSets
from pages.shared import state
from pages.shared.documents import session_documents
from pages.shared.frame import frame
from pages.shared.library import actions, archives, beginning, folders, limits, listing, outcome, sets
from pages.shared.library.document_sets import OfferedSets
from pages.shared.settings import controls
from pages.shared.storage import session_library

frame.require_app_frame("pages/library.py")

DOCUMENTS, SETS, FOLDERS, ARCHIVE, LIMITS = PARTS = ("Documents", "Sets", "Folders", "Archive", "Limits")


def main() -> None:
    with st.sidebar:
        session_documents.add()
        filters = frame.stable_slot()
    session_documents.read_waiting()
    part = controls.segments("Part of the library", PARTS, name="part", label_visibility="collapsed")
    with frame.stable_slot():
        outcome.show()
        beginning.show_evicted()
    try:
        show(session_library.library(), part, filters)
    except ChunkscopeError as error:
        frame.show_error(error)
    state.address().write()


def show(here: Library, part: str, filters: st.delta_generator.DeltaGenerator) -> None:
    """Show a part of the library."""
    if part == DOCUMENTS:
        show_documents(here, filters)
    elif part == SETS:
        document_sets = DocumentSets(here).list()
        with filters:
            chosen = listing.choose_set(
                OfferedSets({document_set.id: document_set.name for document_set in document_sets}), "All sets"
            )
        sets.show(document_sets, chosen)
    elif part == FOLDERS:
        folders.show(here)
    elif part == ARCHIVE:
        archives.show(here)
    else:
        limits.show(here)


def show_documents(here: Library, filters: st.delta_generator.DeltaGenerator) -> None:
    """Show the list of documents, and what can be done with the selected ones."""
    document_sets, facets = DocumentSets(here).list(), here.facets()
    with filters:
        query = listing.choose(
            facets,
            listing.choose_set(OfferedSets({document_set.id: document_set.name for document_set in document_sets})),
        )
    page = listing.read(here, query)
    if not page.listing.total:
        beginning.show_empty(is_filtered=query != Query(order=query.order, limit=query.limit))
        return
    selected = listing.show(page, here)
    with frame.stable_slot():
        actions.show(selected, actions.PanelContext(here, document_sets, facets.tags, page))


frame.run(main)
