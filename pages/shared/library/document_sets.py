"""The sets of the person of this session, as other pages choose and open them; the address names one by its id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import streamlit as st

from chunking import ChunkscopeError
from chunking.store import Library, LibraryDocument, Query
from chunking.store.attachments import Attachments
from chunking.store.sets import MOST_MEMBERS, DocumentSets
from chunking.work import inputs
from pages.shared import identity, state
from pages.shared.documents.session_documents import OpenDocument
from pages.shared.frame import frame
from pages.shared.storage.forgetting import cleared_on_deletion
from pages.shared.storage.session_library import is_begun, library

CHOICE = "set"
"""Name of the set in the address."""


@dataclass(frozen=True)
class OfferedSets:
    """The sets that can be chosen.

    Attributes:
        titles: their names by id.
        problem: why there are none, where the library does not answer.
    """

    titles: dict[str, str] = field(default_factory=dict)
    problem: ChunkscopeError | None = None

    def title(self, id: str) -> str:
        """Return the name of a set; any other text as it is."""
        return self.titles.get(id, id)


def offered() -> OfferedSets:
    """Return the sets of this person; none where nobody is logged in or the library does not answer."""
    if not identity.current().may("reader"):
        return OfferedSets()
    try:
        document_sets = DocumentSets(library()).list() if is_begun() else []
        return OfferedSets({document_set.id: document_set.name for document_set in document_sets})
    except ChunkscopeError as error:
        return OfferedSets(problem=error)


def show_missing(sets: OfferedSets, options: Sequence[str], name: str = CHOICE) -> None:
    """Show why the set that the address names cannot be chosen, where it is none of the options."""
    requested = state.address().text(name)
    if requested and requested not in options:
        missing = ChunkscopeError(
            f"There is no such set of documents: {requested:.60}.",
            "It was deleted, or belongs to somebody else. Choose another one.",
        )
        frame.show_error(sets.problem or missing)


def entries(id: str) -> list[LibraryDocument]:
    """Return the documents of a set in its order, without reading their files.

    Raises:
        NotFoundError: there is no such set, or not for this person.
    """
    user_library = library()
    document_set = DocumentSets(user_library).get(id)
    members = user_library.list(Query(document_set=id, superseded=True, limit=MOST_MEMBERS)).documents
    by_id = {member.id: member for member in members}
    return [by_id[document_id] for document_id in document_set.documents if document_id in by_id]


MOST_OPENED = 200
"""Documents of a set that a page opens at once."""


@dataclass(frozen=True)
class SetDocuments:
    """The documents of a set.

    Attributes:
        opened: in the order of the set.
        problems: why others could not be opened, by their names.
    """

    opened: tuple[OpenDocument, ...] = ()
    problems: tuple[tuple[str, ChunkscopeError], ...] = ()


def open_set(set_id: str) -> SetDocuments:
    """Return the documents of a set; where there is none, or the library does not answer, with that as the problem."""
    opened: list[OpenDocument] = []
    problems: list[tuple[str, ChunkscopeError]] = []
    try:
        members = entries(set_id)
    except ChunkscopeError as error:
        return SetDocuments((), (("set of documents", error),))
    for entry in members[:MOST_OPENED]:
        try:
            opened.append(_open_document(entry))
        except ChunkscopeError as error:
            problems.append((entry.link_name, ChunkscopeError(f"{entry.name}: {error.problem}", error.remedy)))
    if len(members) > MOST_OPENED:
        problem = f"{len(members) - MOST_OPENED:,} of {len(members):,} documents of the set were left out."
        set_error = ChunkscopeError(problem, f"Make sets of at most {MOST_OPENED} documents.")
        problems.append(("set of documents", set_error))
    return SetDocuments(tuple(opened), tuple(problems))


def documents_after(set_id: str, name: str) -> tuple[OpenDocument, ...]:
    """Return the documents of a set that follow the one of a name, and then those before it; all for another name."""
    together = open_set(set_id).opened
    names = [opened.name for opened in together]
    if name not in names:
        return together
    index = names.index(name)
    return together[index + 1 :] + together[:index]


def _open_document(entry: LibraryDocument) -> OpenDocument:
    """Return a document of the library.

    Raises:
        ChunkscopeError: it cannot be read.
    """
    return _open_cached(entry.id, entry.version, library(), entry)


@cleared_on_deletion
@st.cache_resource(max_entries=MOST_OPENED, ttl=3600, show_spinner="Reading the documents of the set…")
def _open_cached(id: str, version: int, _library: Library, _entry: LibraryDocument) -> OpenDocument:
    """Keyed by the number of changes too, which a new name, language or reference adds to."""
    document, data = _library.open(_entry)[1:]
    boundaries: tuple[int, ...] = ()
    for attached in _entry.attached("reference"):
        data_of_reference = Attachments(_library).read(_entry, attached)
        boundaries = inputs.read_reference(data_of_reference, attached.name, document).complete_boundaries
    return OpenDocument(
        _entry.link_name,
        document,
        _entry.name,
        _entry.source,
        boundaries=boundaries,
        data=data if document.format == "pdf" else None,
    )
