"""The documents of a set as pages open them, read when they are needed."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from chunking import ChunkscopeError
from chunking.store import Library, LibraryDocument
from chunking.store.attachments import Attachments
from chunking.work import inputs
from pages.shared.documents.documents import Opened
from pages.shared.library import document_sets
from pages.shared.storage.current import cleared_on_deletion, library

MOST = 200
"""Documents of a set that a page opens at once."""


@dataclass(frozen=True)
class Members:
    """The documents of a set.

    Attributes:
        opened: in the order of the set.
        problems: why others could not be opened, by their names.
    """

    opened: tuple[Opened, ...] = ()
    problems: tuple[tuple[str, ChunkscopeError], ...] = ()


def opened(set_id: str) -> Members:
    """Return the documents of a set; where there is none, or the library does not answer, with that as the problem."""
    found: list[Opened] = []
    problems: list[tuple[str, ChunkscopeError]] = []
    try:
        entries = document_sets.members(set_id)
    except ChunkscopeError as error:
        return Members((), (("set of documents", error),))
    for each in entries[:MOST]:
        try:
            found.append(read(each))
        except ChunkscopeError as error:
            problems.append((each.link_name, ChunkscopeError(f"{each.name}: {error.problem}", error.remedy)))
    if len(entries) > MOST:
        left = f"{len(entries) - MOST:,} of {len(entries):,} documents of the set were left out."
        problems.append(("set of documents", ChunkscopeError(left, f"Make sets of at most {MOST} documents.")))
    return Members(tuple(found), tuple(problems))


def after(set_id: str, name: str) -> tuple[Opened, ...]:
    """Return the documents of a set that follow the one of a name, and then those before it; all for another name."""
    together = opened(set_id).opened
    names = [each.name for each in together]
    if name not in names:
        return together
    here = names.index(name)
    return together[here + 1 :] + together[:here]


def read(entry: LibraryDocument) -> Opened:
    """Return a document of the library.

    Raises:
        ChunkscopeError: it cannot be read.
    """
    return _read(entry.id, entry.version, library(), entry)


@cleared_on_deletion
@st.cache_resource(max_entries=MOST, ttl=3600, show_spinner="Reading the documents of the set…")
def _read(id: str, version: int, _library: Library, _entry: LibraryDocument) -> Opened:
    """Keyed by the number of changes too, which a new name, language or reference adds to."""
    document, data = _library.open(_entry)[1:]
    boundaries: tuple[int, ...] = ()
    for attached in _entry.attached("reference"):
        data_of_reference = Attachments(_library).read(_entry, attached)
        boundaries = inputs.read_reference(data_of_reference, attached.name, document).gold
    return Opened(
        _entry.link_name,
        document,
        _entry.name,
        _entry.source,
        gold=boundaries,
        data=data if document.format == "pdf" else None,
    )
