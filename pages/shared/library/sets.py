"""The Sets part: create, rename and delete sets of documents, and put their documents in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from chunking.runtime.wording import plural
from chunking.store import DocumentSet, LibraryDocument
from chunking.store.sets import DocumentSets
from pages.shared import state
from pages.shared.frame import frame, markup
from pages.shared.library import listing, outcome
from pages.shared.library.document_sets import CHOICE, entries
from pages.shared.state import session
from pages.shared.state.address import DOCUMENT
from pages.shared.storage.session_library import library

_SELECTED: state.SessionValue[tuple[str, ...]] = state.SessionValue("_library_members", tuple)
_NEW, _NAME = "_library_new_set", "_library_set_name"
_PAGES = (("Collection", "library_books"), ("Evaluate", "insights"), ("Review", "rate_review"))

Reordered = Callable[[Sequence[str], frozenset[str]], list[str]]
"""Returns the ids of all documents in a new order, given those that were selected."""


def show(sets: Sequence[DocumentSet], chosen_id: str) -> None:
    """Show all sets, or the chosen one.

    Raises:
        ChunkscopeError: the library does not answer.
    """
    document_set = next((other for other in sets if other.id == chosen_id), None)
    if document_set is not None:
        _show_one(document_set)
    else:
        _create()
        _show_all(sets)


def _create() -> None:
    options: dict[str, Any] = {"width": 480, "max_chars": 200, "placeholder": "its name"}
    outcome.line_form("_library_create_set", _NEW, "New set", "Create", _take_new, **options)


def _take_new() -> None:
    with outcome.reported():
        document_set = DocumentSets(library()).create(str(session.widget_value(_NEW, "")).strip())
        session.set_widget(_NEW, "")
        outcome.done(f"“{document_set.name}” was created. Select documents under “Documents” to add them.")


def _show_all(sets: Sequence[DocumentSet]) -> None:
    if not sets:
        frame.show_empty("There is no set yet.", "Create one here, or select documents and add them to a new one.")
        return
    for document_set in sets:
        with st.container(horizontal=True, vertical_alignment="center", key=f"_library_set_row_{document_set.id}"):
            st.button(
                markup.plain(document_set.name), key=f"_library_set_open_{document_set.id}",
                icon=":material/playlist_play:", on_click=_choose, args=(document_set.id,),
            )  # fmt: skip
            st.caption(plural(len(document_set.documents), "document"))


def _choose(id: str) -> None:
    _SELECTED.clear()
    state.address().put(CHOICE, id or None)


def _show_one(document_set: DocumentSet) -> None:
    documents = entries(document_set.id)
    st.button("All sets", key="_library_set_back", icon=":material/arrow_back:", type="tertiary",
              on_click=_choose, args=("",))  # fmt: skip
    markup.show(
        f"<b>{markup.escape(document_set.name)}</b> <span class='cs-quiet'>{plural(len(documents), 'document')}</span>"
    )
    with frame.stable_slot():
        selected = _table(documents) if documents else []
        if documents:
            _order(document_set, selected)
        else:
            frame.show_empty("The set has no documents.", "Select some under “Documents”, and add them to it.")
    left, right, _ = st.columns(3, gap="medium")
    with left:
        _rename(document_set)
    with right:
        if documents:
            _open(document_set, documents)
        with st.popover("Delete the set…", icon=":material/delete:", width="stretch", key="_library_set_delete"):
            st.text("Its documents stay in the library.")
            st.button("Delete the set", key="_library_set_delete_now", type="primary",
                      on_click=_take_delete, args=(document_set,))  # fmt: skip


def _table(documents: Sequence[LibraryDocument]) -> list[LibraryDocument]:
    values: dict[str, list[Any]] = {
        "Place": list(range(1, len(documents) + 1)),
        "Name": [document.name for document in documents],
        "Format": [listing.format_title(document.format) for document in documents],
        "Size": [document.size / 2**10 for document in documents],
        "Characters": [document.characters for document in documents],
        "Tags": [list(document.tags) for document in documents],
    }
    return listing.select(values, documents, _SELECTED)


def _open(document_set: DocumentSet, documents: Sequence[LibraryDocument]) -> None:
    for page, icon in _PAGES:
        st.button(
            f"Open in {page}", key=f"_library_set_{page}", icon=f":material/{icon}:", width="stretch",
            on_click=_go, args=(f"pages/{page.lower()}.py", document_set.id, documents[0].link_name),
        )  # fmt: skip


def _go(page: str, set_id: str, document: str) -> None:
    state.go(page, {CHOICE: set_id, DOCUMENT: document})


# ---- the order


def _order(document_set: DocumentSet, selected: Sequence[LibraryDocument]) -> None:
    ids = frozenset(document.id for document in selected)
    moves: tuple[tuple[str, str, Reordered], ...] = (
        ("First", "vertical_align_top", first),
        ("Up", "arrow_upward", up),
        ("Down", "arrow_downward", down),
        ("Last", "vertical_align_bottom", last),
        ("Remove", "playlist_remove", removed),
    )
    with st.container(horizontal=True, key="_library_set_order"):
        for title, icon, move in moves:
            st.button(
                title, key=f"_library_move_{title}", icon=f":material/{icon}:", disabled=not ids,
                on_click=_take_order, args=(document_set, ids, move),
            )  # fmt: skip


def _take_order(document_set: DocumentSet, ids: frozenset[str], move: Reordered) -> None:
    with outcome.reported():
        DocumentSets(library()).save(replace(document_set, documents=tuple(move(document_set.documents, ids))))


def first(all: Sequence[str], chosen: frozenset[str]) -> list[str]:
    """Return the chosen before the others."""
    return sorted(all, key=lambda id: id not in chosen)


def last(all: Sequence[str], chosen: frozenset[str]) -> list[str]:
    """Return the chosen after the others."""
    return sorted(all, key=lambda id: id in chosen)


def up(all: Sequence[str], chosen: frozenset[str]) -> list[str]:
    """Return each of the chosen one place earlier, as far as there is one."""
    order = list(all)
    for index in range(1, len(order)):
        if order[index] in chosen and order[index - 1] not in chosen:
            order[index - 1], order[index] = order[index], order[index - 1]
    return order


def down(all: Sequence[str], chosen: frozenset[str]) -> list[str]:
    """Return each of the chosen one place later, as far as there is one."""
    return up(all[::-1], chosen)[::-1]


def removed(all: Sequence[str], chosen: frozenset[str]) -> list[str]:
    """Return the others."""
    return [id for id in all if id not in chosen]


# ---- name and deletion


def _rename(document_set: DocumentSet) -> None:
    key = f"{_NAME}_{document_set.id}"
    form = f"_library_rename_set_{document_set.id}"
    outcome.line_form(
        form, key, "Name of the set", "Save", _take_name, document_set, key, value=document_set.name, max_chars=200
    )


def _take_name(document_set: DocumentSet, key: str) -> None:
    with outcome.reported():
        changed = DocumentSets(library()).save(replace(document_set, name=str(session.widget_value(key, "")).strip()))
        outcome.done(f"Renamed to “{changed.name}”.")


def _take_delete(document_set: DocumentSet) -> None:
    with outcome.reported():
        DocumentSets(library()).delete(document_set.id)
        _choose("")
        outcome.done(f"“{document_set.name}” was deleted. Its documents are still in the library.")
