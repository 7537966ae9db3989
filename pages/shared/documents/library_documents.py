"""The documents of the library as a session lists, opens and changes them, seldom asking the database.

A library that cannot be used never stops a page: the session then has the documents that it has opened, and what is
asked of the library fails with a message.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import streamlit as st

from chunking import ChunkscopeError
from chunking.document import Document
from chunking.runtime.caches import LRUCache
from chunking.runtime.progress import Progress
from chunking.store import DocumentSettings, Library, LibraryDocument, NewDocument, NotFoundError, OpenedDocument, Query
from chunking.store.attachments import Attachments
from chunking.store.documents import AttachmentKind
from pages.shared import identity, state
from pages.shared.documents import parsing
from pages.shared.state import session
from pages.shared.storage import forgetting, session_library

Result = TypeVar("Result")

LISTED = 50
"""Documents of the library that the list offers; the others are found by their links."""

PUBLIC = "public:"
"""What the name of a document begins with that a public link opens; the rest is the link."""

_SECONDS, _LONGEST_REST_SECONDS = 5.0, 20.0
"""How old the list may be; how long a library is left alone that did not answer, at most."""


_LARGEST = 20 * 2**20
"""Size of a file whose text stays in memory after a session has ended."""


@dataclass(frozen=True)
class Listing:
    """The latest documents of the library by their names in links, as of a moment ago.

    Attributes:
        latest: the latest opened first.
        revision: of the memory of this server.
        until: when to look again, by :func:`time.monotonic`.
    """

    latest: Mapping[str, LibraryDocument] = field(default_factory=dict)
    revision: int = -1
    until: float = 0.0


_LISTING: state.SessionValue[Listing] = state.SessionValue("_library_listing", Listing)
_DOWN: state.SessionValue[tuple[float, ChunkscopeError] | None] = state.SessionValue("_library_down", session.empty)


def _use(work: Callable[[Library], Result]) -> Result:
    """Return what the library answers; after a slow failure it is not asked again for as long.

    Raises:
        ChunkscopeError: it cannot be used, or said so.
    """
    down, start = _DOWN.get(), time.monotonic()
    if down and start < down[0]:
        raise down[1]
    try:
        answer = work(session_library.own_library())
    except ChunkscopeError as error:
        now = time.monotonic()
        _DOWN.set((now + min(now - start, _LONGEST_REST_SECONDS), error))
        raise
    _DOWN.clear()
    return answer


# ---- the list


def latest() -> Mapping[str, LibraryDocument]:
    """Return the latest documents by their names in links, as of the last :func:`look`."""
    return _LISTING.get().latest


def look(opened: Mapping[str, LibraryDocument]) -> Mapping[str, LibraryDocument | None]:
    """Look what the library has, unless that was a moment ago.

    Args:
        opened: the documents that the session has opened, by their names there.

    Returns:
        What has become of these since: as they are now, ``None`` where they are gone. Those that are as they were are
        left out.
    """
    listing, revision, now = _LISTING.get(), forgetting.revision(), time.monotonic()
    if not session_library.is_usable() or (now < listing.until and listing.revision == revision):
        return {}
    try:
        documents, current = _use(lambda library: _looked(library, opened)) if session_library.is_begun() else ((), {})
    except ChunkscopeError:
        # Whoever opens or adds a document sees the error; the list stays as it was.
        _LISTING.set(Listing(listing.latest, revision, now + _LONGEST_REST_SECONDS))
        return {}
    # Of several documents with one name, the latest opened.
    by_name = {document.link_name: document for document in reversed(documents)}
    _LISTING.set(Listing(dict(reversed(by_name.items())), revision, now + _SECONDS))
    return {name: current.get(name) for name, entry in opened.items() if current.get(name) != entry}


def _looked(
    library: Library, opened: Mapping[str, LibraryDocument]
) -> tuple[tuple[LibraryDocument, ...], dict[str, LibraryDocument]]:
    documents = library.list(Query(limit=LISTED)).documents
    by_id = {document.id: document for document in documents}
    public = {name for name in opened if name.startswith(PUBLIC)}
    others = [entry.id for name, entry in opened.items() if entry.id not in by_id and name not in public]
    by_id |= library.get_many(others)
    current = {name: by_id[entry.id] for name, entry in opened.items() if entry.id in by_id and name not in public}
    for name in public:
        try:
            current[name] = library.get_public(name.removeprefix(PUBLIC))
        except NotFoundError:
            continue
    return documents, current


def look_again() -> None:
    """Discard the list, which has changed."""
    listing = _LISTING.get()
    _LISTING.set(Listing(listing.latest))


def find(name: str) -> LibraryDocument | None:
    """Return the document of a name in a link, of the person's own, shared with them or public.

    Returns:
        ``None`` where there is none, or not for this person.

    Raises:
        ChunkscopeError: the library cannot be used.
    """
    if not session_library.is_usable() or not session_library.is_begun():
        return None
    is_public = name.startswith(PUBLIC)
    try:
        library = session_library.own_library()
        return library.get_public(name.removeprefix(PUBLIC)) if is_public else library.find(name)
    except NotFoundError:
        return None


def name_of(entry: LibraryDocument, link: str = "") -> str:
    """Return the name under which a session has a document.

    Args:
        entry: the document.
        link: the public link by which it was found; empty for none.
    """
    return entry.link_name if not link or is_own(entry) else f"{PUBLIC}{link}"


# ---- adding and opening


def add(new: NewDocument) -> LibraryDocument | None:
    """Store a document, and return it once it is safe; ``None`` where this server keeps none.

    Raises:
        ChunkscopeError: it cannot be stored.
    """
    if not session_library.is_usable():
        return None
    entry = _use(lambda library: library.add(new))
    look_again()
    return entry


def open_(entry: LibraryDocument, progress: Progress | None = None) -> tuple[Document, bytes | None]:
    """Return a document as it was first read, and its file where its pages can be drawn.

    Raises:
        ChunkscopeError: its file is damaged, or cannot be read any more.
    """
    # What was chosen for it is applied by the controls, which then show it.
    plain = replace(entry, choices=DocumentSettings())
    key = (entry.content, entry.source, entry.name, entry.format, entry.language, entry.options, entry.pasted)
    library = session_library.own_library()
    document = _read().get(key) or _with_pages(library.read(plain, partial(parsing.read_again, progress=progress)))
    if entry.size <= _LARGEST:
        _read().put(key, document)
    with contextlib.suppress(ChunkscopeError):  # a database that cannot be written keeps nobody from reading
        library.note_opened(entry)
    return document


def _with_pages(opened: OpenedDocument) -> tuple[Document, bytes | None]:
    return opened.document, opened.data if opened.document.format == "pdf" else None


@st.cache_resource(max_entries=1, show_spinner=False)
def _read() -> LRUCache[tuple[object, ...], tuple[Document, bytes | None]]:
    """Return the documents that were read again lately, so that a reload does not read them once more."""
    return LRUCache(8, "documents")


forgetting.forget_with(lambda _: _read.clear())


# ---- changing


def is_own(entry: LibraryDocument) -> bool:
    """Return whether a document belongs to the person of this session; others only read it."""
    return entry.owner == identity.current().subject


def attach(entry: LibraryDocument, kind: AttachmentKind, name: str, data: bytes) -> LibraryDocument:
    """Attach a file to a document of the person's own, in place of one of the same name; return the document.

    Raises:
        ChunkscopeError: it cannot be stored.
    """
    return _use(lambda library: Attachments(library).put(entry.id, kind, name, data))


def detach(entry: LibraryDocument, kind: AttachmentKind, names: Iterable[str]) -> LibraryDocument:
    """Delete attachments of a document; return the document.

    Raises:
        ChunkscopeError: that cannot be stored.
    """
    unwanted = [attachment for attachment in entry.attached(kind) if attachment.name in set(names)]

    def work(library: Library) -> LibraryDocument:
        now = entry
        for attachment in unwanted:
            now = Attachments(library).delete(entry.id, attachment)
        return now

    return _use(work) if unwanted else entry


def attached(entry: LibraryDocument, kind: AttachmentKind) -> list[tuple[str, bytes]]:
    """Return name and content of the attachments of a kind.

    Raises:
        ChunkscopeError: a file is damaged, or the library cannot be used.
    """
    attachments = entry.attached(kind)
    if not attachments:
        return []
    return _use(
        lambda library: [(attachment.name, Attachments(library).read(entry, attachment)) for attachment in attachments]
    )
