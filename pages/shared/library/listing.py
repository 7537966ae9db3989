"""The list of documents: what is listed, as a table of which rows are selected."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, cast, get_args

import streamlit as st

from chunking.loading import FORMATS
from chunking.loading.language import LANGUAGES
from chunking.runtime.wording import file_size
from chunking.store import Facets, Library, LibraryDocument, Listing, Query
from pages.shared import state
from pages.shared.components.glossary import columns as table_columns
from pages.shared.frame import markup
from pages.shared.library.document_sets import CHOICE, OfferedSets
from pages.shared.settings import controls

PAGE = 50
"""Documents of a page of the list."""

ANY = " "
"""The choice that filters nothing; no tag, format or set has this name."""

Order = Literal["opened", "added", "name", "size"]
ORDERS: tuple[Order, ...] = get_args(Order)
_ORDER_TITLES = {"opened": "Last opened", "added": "Last added", "name": "Name", "size": "Size"}
_ROW, _HEAD, _MOST_HEIGHT = 35, 38, 388

SELECTED: state.SessionValue[tuple[str, ...]] = state.SessionValue("_library_selected", tuple)


@dataclass(frozen=True)
class ListedDocuments:
    """A page of the list.

    Attributes:
        listing: its documents, and how many are found in all.
        earlier: the versions before each, by id.
    """

    listing: Listing
    earlier: Mapping[str, tuple[LibraryDocument, ...]]


def choose_set(sets: OfferedSets, all: str = "All documents") -> str:
    """Draw the choice of a set, and return its id; empty for all documents."""
    set_id = controls.select(
        "Set of documents",
        [ANY, *sets.titles],
        name=CHOICE,
        titles=lambda id: all if id == ANY else sets.title(id),
        help="Sets are made under “Sets”, or from selected documents.",
    )
    return set_id.strip()


def choose(facets: Facets, document_set: str) -> Query:
    """Draw the controls of what is listed, and return it without the page."""
    text = controls.text("Search in names", name="find", max_chars=200, placeholder="words of the name")
    tag = controls.select("Tag", [ANY, *facets.tags], name="tag", titles=lambda tag: "Any tag" if tag == ANY else tag)
    format = controls.select("Format", [ANY, *facets.formats], name="format", titles=format_title)
    order = controls.select("Sort by", ORDERS, name="order", titles=_ORDER_TITLES.__getitem__)
    superseded = controls.toggle(
        "Earlier versions", name="versions", help="List versions that were replaced as well, with what belongs to them."
    )
    return Query(text, tag.strip() and tag, format.strip(), document_set, order, superseded, limit=PAGE)


def read(user_library: Library, query: Query) -> ListedDocuments:
    """Show how many documents are found, with the choice of the page where there are several; return those of the page.

    Raises:
        ChunkscopeError: the library does not answer.
    """
    listing = user_library.list(query)
    pages = -(-listing.total // PAGE)
    with st.container(horizontal=True, vertical_alignment="center", key="_library_head"):
        if listing.total:
            figures = (
                markup.figure(listing.total, "document"),
                markup.figure(file_size(user_library.total_bytes()), "in all", "in all", help="All files of yours"),
            )
            markup.show(markup.figures(*figures), width="content")
        if pages > 1:
            page = controls.number(f"Page, of {pages}", 1, pages, 1, name="page", width=140)
            if page > 1:
                listing = user_library.list(replace(query, offset=PAGE * (page - 1)))
    return ListedDocuments(listing, user_library.earlier(listing.documents))


def show(listed: ListedDocuments, user_library: Library) -> list[LibraryDocument]:
    """Show the table; return the documents of the selected rows.

    Args:
        listed: the documents, with their earlier versions.
        user_library: the library of the person.
    """
    documents = listed.listing.documents
    values: dict[str, list[Any]] = {
        "Name": [document.name for document in documents],
        "Tags": [list(document.tags) for document in documents],
        "Format": [format_title(document.format) for document in documents],
        "Size": [document.size / 2**10 for document in documents],
        "Opened": [moment(document.opened) for document in documents],
        "Access": [access(document, user_library) for document in documents],
        "Versions": [_versions(document, listed.earlier) for document in documents],
        "Watched folder": [_folder(document) for document in documents],
        "Language": [LANGUAGES.get(document.language, document.language) for document in documents],
        "Characters": [document.characters for document in documents],
        "Added": [moment(document.added) for document in documents],
    }
    return select(values, documents, SELECTED)


def select(
    values: Mapping[str, Sequence[Any]],
    documents: Sequence[LibraryDocument],
    selected: state.SessionValue[tuple[str, ...]],
) -> list[LibraryDocument]:
    """Show documents as a table, and return those of the selected rows.

    A row of another list is another document: each list is a table of its own, which begins with the documents that
    were selected before.

    Args:
        values: values of the columns by their names.
        documents: of the rows.
        selected: keeps the ids of the selected ones.
    """
    import pandas as pd  # type: ignore[import-untyped]

    before = selected.get()
    ids = [document.id for document in documents]
    event = st.dataframe(
        pd.DataFrame(values),
        key=key_of(selected, ids),
        on_select="rerun",
        selection_mode="multi-row",
        selection_default=cast(Any, {"selection": {"rows": [ids.index(id) for id in before if id in ids]}}),
        hide_index=True,
        height=min(_MOST_HEIGHT, _HEAD + _ROW * len(ids)),
        column_config=table_columns.explained(values, columns()),
    )
    rows = cast(Any, event).selection.rows
    chosen_documents = [documents[row] for row in sorted(rows) if row < len(documents)]
    selected.set(tuple(document.id for document in chosen_documents))
    return chosen_documents


def key_of(selected: state.SessionValue[tuple[str, ...]], ids: Sequence[str]) -> str:
    """Return the key of the table of documents."""
    return f"{selected.key}_{hashlib.sha256(''.join(ids).encode()).hexdigest()[:16]}"


def columns() -> dict[str, Any]:
    """Return the columns of tables of documents."""
    column, zone = st.column_config, st.context.timezone
    when = "YYYY-MM-DD HH:mm"
    return {
        "Name": column.TextColumn(width=270, help="Select a row to see what can be done with the document."),
        "Format": column.TextColumn(width=90, help="How the file is read."),
        "Language": column.TextColumn(width=90, help="The language that was detected or chosen."),
        "Size": column.NumberColumn(format="%.1f KiB", width=90, help="Size of the file."),
        "Characters": column.NumberColumn(format="localized", width=95, help="Characters of the text."),
        "Tags": column.ListColumn(width=140, help="Words that you gave the document, to find it by."),
        "Added": column.DatetimeColumn(format=when, timezone=zone, width=130, help="When it was added."),
        "Opened": column.DatetimeColumn(format=when, timezone=zone, width=130, help="When you last opened it."),
        "Access": column.TextColumn(width=95, help="Who may read it: you alone, a team, or whoever has its link."),
        "Versions": column.TextColumn(width=70, help="The versions that are kept, this one included."),
        "Place": column.NumberColumn(width=60, help="Its place in the order of the set."),
        "Why it stays": column.TextColumn(width=260, help="What you put into it, which would be lost."),
        "Watched folder": column.TextColumn(width=190, help="Its place in a watched folder, or since when it is gone."),
    }


def format_title(name: str) -> str:
    """Return the title of a format."""
    return FORMATS[name].title if name in FORMATS else "Any format" if name == ANY else name


def access(entry: LibraryDocument, user_library: Library) -> str:
    """Return who may read a document, in words."""
    if entry.owner != user_library.identity.subject:
        return "of somebody else" if user_library.may_change(entry) else "shared with you"
    return f"team {entry.team}" if entry.visibility == "team" else entry.visibility


def moment(text: str) -> datetime | None:
    """Return a time of the library; ``None`` where an archive had something else there."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def day(text: str) -> str:
    """Return the day of a time of the library."""
    return text[:10]


def _versions(entry: LibraryDocument, earlier: Mapping[str, tuple[LibraryDocument, ...]]) -> str:
    return "replaced" if entry.replaced_by else str(1 + len(earlier.get(entry.id, ())))


def _folder(entry: LibraryDocument) -> str:
    return f"missing since {day(entry.missing)}" if entry.missing else entry.path
