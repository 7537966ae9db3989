"""The documents of a user that the session has open; those that are kept are in the library too.

The session has the document alone, and the bytes of files whose pages are drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from chunking import ChunkscopeError
from chunking.document import Document
from chunking.sentences import Sentences
from chunking.store import LibraryDocument, NewDocument
from chunking.workspace import Precomputed
from pages.shared import state
from pages.shared.documents import library_documents
from pages.shared.state import session
from pages.shared.state.address import DOCUMENT
from pages.shared.storage import forgetting
from pages.shared.storage.workspace_cache import workspace_cache

CHOICE = DOCUMENT
"""Key of the selectbox, and its name in the address."""


LIMIT = 200
"""Documents that a session has open; the oldest are dropped first, but never the one that is shown."""

BYTES_LIMIT = 200 * 2**20
"""Maximum total size of their texts and files."""


@dataclass(frozen=True, eq=False)
class OpenDocument:
    """A document that a page shows: a sample, one of the user's, or one of a set of the library.

    Attributes:
        name: in the list and in links.
        document: as it is shown, in the language and with the content that were chosen.
        title: for display.
        path: for exported code, from the folder of ``app.py``.
        teaches: what it shows about chunking; empty for documents of the user.
        boundaries: offsets of reference boundaries that came with it; empty where there are none.
        sentences: that came with it.
        data: the file itself, where its pages can be drawn.
        source: the document as it was read, where the session has it open; ``None`` for a sample and a member of a set.
        entry: what the library knows of it; ``None`` where it is not there.
        is_transient: whether the user chose not to keep it, so that nothing of it is written to disk.
    """

    name: str
    document: Document
    title: str
    path: str
    teaches: str = ""
    boundaries: tuple[int, ...] = ()
    sentences: Sentences | None = None
    data: bytes | None = None
    source: Document | None = None
    entry: LibraryDocument | None = None
    is_transient: bool = False

    @property
    def precomputed(self) -> Precomputed | None:
        """What its measurements can begin with, by the sentence splitter of its language."""
        return (self.sentences,) if self.sentences else None

    @property
    def now(self) -> OpenDocument | None:
        """The document as the session has it now, for a callback; ``None`` where it is not open there."""
        return kept().get(self.name)

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        origin = sum(map(len, self.document.origin.texts)) if self.document.origin else 0
        return len(self.document.text) + origin + len(self.data or b"")


def of_user(
    document: Document, entry: LibraryDocument | None = None, *, link: str = "", is_transient: bool = False,
    data: bytes | None = None,
) -> OpenDocument:  # fmt: skip
    """Return a document of the user's.

    Args:
        document: as it was read.
        entry: what the library knows of it; ``None`` where it is not there.
        link: the public link that opened it; empty for none.
        is_transient: whether nothing of it is written to disk.
        data: the file, where its pages can be drawn.
    """
    name = library_documents.name_of(entry, link) if entry else f"{document.name[-60:]} ({document.key[:6]})"
    return OpenDocument(
        name, document, document.name, document.name,
        data=data, source=document, entry=entry, is_transient=is_transient,
    )  # fmt: skip


@dataclass
class _NotStored:
    """Documents that could not be stored, and why."""

    names: list[str] = field(default_factory=list)
    error: ChunkscopeError | None = None

    def note(self, name: str, error: ChunkscopeError | None) -> None:
        """Note whether a document could be stored."""
        self.names = [other for other in self.names if other != name] + ([name] if error else [])
        self.error = error or (self.error if self.names else None)


_OWN: state.SessionValue[dict[str, OpenDocument]] = state.SessionValue("_own_documents", dict)

_PROBLEMS: state.SessionValue[list[ChunkscopeError]] = state.SessionValue("_document_problems", list)
_NOT_STORED: state.SessionValue[_NotStored] = state.SessionValue("_documents_not_stored", _NotStored)

_OPEN: state.SessionValue[str | None] = state.SessionValue("_open_next", session.empty)


def kept() -> dict[str, OpenDocument]:
    """Return the documents that the session has open by name, the oldest first."""
    return _OWN.get()


def names() -> list[str]:
    """Return the names of the documents that the session has open, then of the latest others in the library."""
    return list(dict.fromkeys((*kept(), *library_documents.latest())))


def titles() -> dict[str, str]:
    """Return the words that the list shows for documents whose names do not say all, by their names."""
    unkept = {name: f"{name} · not kept" for name, document in kept().items() if document.is_transient}
    unkept |= {name: f"{name} · not kept" for name in _NOT_STORED.get().names}
    return unkept | {
        name: f"{document.document.name[-60:]} · public"
        for name, document in kept().items()
        if name.startswith(library_documents.PUBLIC)
    }


def get(name: str, progress: Callable[[int, int], None] | None = None) -> OpenDocument | None:
    """Return a document of the user's; one of the library is read now, and then open in the session.

    Raises:
        ChunkscopeError: it cannot be read.
    """
    entry = None if name in kept() else library_documents.latest().get(name)
    if entry is not None:
        document, data = library_documents.open_(entry, progress)
        put(of_user(document, entry, data=data))
    return kept().get(name)


def look() -> None:
    """Bring the session in step with the library, now and then: what was deleted there closes, with a message."""
    opened = {name: document.entry for name, document in kept().items() if document.entry is not None}
    for name, entry in library_documents.look(opened).items():
        if entry is not None:
            _update(name, entry)
            continue
        removed = kept().pop(name)
        tell(ChunkscopeError(f"“{removed.document.name}” is not in the library any more.", "It was closed here."))
        if state.address().text(CHOICE) == name:
            state.address().put(CHOICE, None)


def _update(name: str, entry: LibraryDocument) -> None:
    """Note how a document is now, under a new name where it was renamed."""
    before = kept()[name]
    document = before.document if before.title == entry.name else replace(before.document, name=entry.name)
    link = name.removeprefix(library_documents.PUBLIC) if name.startswith(library_documents.PUBLIC) else ""
    now = of_user(document, entry, link=link, data=before.data)
    open_documents = [now if opened is before else opened for opened in kept().values()]
    _OWN.set({opened.name: opened for opened in open_documents})
    if now.name != name and state.address().text(CHOICE) == name:
        state.address().put(CHOICE, now.name)


def update(opened: OpenDocument, entry: LibraryDocument) -> None:
    """Note what the library knows of an open document after a change."""
    now = opened.now
    if now is not None:
        kept()[now.name] = replace(now, entry=entry)


def find(name: str) -> bool:
    """Open the document of a name in a link that is not in the list, and return whether there is one.

    Raises:
        ChunkscopeError: the library cannot be used, or the document not be read.
    """
    entry = library_documents.find(name)
    if entry is None:
        return False
    document, data = library_documents.open_(entry)
    link = name.removeprefix(library_documents.PUBLIC) if name.startswith(library_documents.PUBLIC) else ""
    now = put(of_user(document, entry, link=link, data=data))
    if now != name:  # renamed since, or by the beginning of its key
        state.address().put(CHOICE, now)
    return True


def forget_left() -> None:
    """Remove what this server has in memory of documents that were in sessions alone, once these have ended."""
    opened = {document.document.text_hash for by_name in _OWN.everywhere() for document in list(by_name.values())}
    for text_hash in workspace_cache().in_sessions_alone() - opened:
        forgetting.forget(text_hash)


def to_open() -> str | None:
    """Return the name of the document to open next, once."""
    return _OPEN.pop()


def tell(problem: ChunkscopeError) -> None:
    """Show a problem below the upload controls until the user dismisses it."""
    _PROBLEMS.get().append(problem)


def problems() -> list[ChunkscopeError]:
    """Return the problems to show: why documents could not be stored, as one, then the others."""
    failures = _NOT_STORED.get()
    if failures.error is None:
        return _PROBLEMS.get()
    which = f"“{failures.names[0]}” is" if len(failures.names) == 1 else f"{len(failures.names)} documents are"
    return [
        ChunkscopeError(
            f"{which} open in this session alone, and could not be stored in the library. {failures.error.problem}",
            f"{failures.error.remedy} Then add it again.",
        ),
        *_PROBLEMS.get(),
    ]


def dismiss_problems() -> None:
    """Remove the problems that are shown."""
    _PROBLEMS.clear()
    failures = _NOT_STORED.get()
    _NOT_STORED.set(_NotStored(failures.names))  # the list still marks them


def keep(new: NewDocument, *, transient: bool = False) -> str:
    """Store a document in the library, unless it is not to be kept there, and open it next; return its name."""
    entry, error = None, None
    try:
        entry = None if transient else library_documents.add(new)
    except ChunkscopeError as caught:
        error = caught
    data = new.data if new.document.format == "pdf" else None
    name = put(of_user(new.document, entry, data=data, is_transient=transient))
    _NOT_STORED.get().note(name, error)
    if _OPEN.get() is None:
        _OPEN.set(name)
    return name


def put(opened: OpenDocument) -> str:
    """Have a document open in the session, and return its name."""
    open_documents, name = kept(), opened.name
    open_documents.pop(name, None)
    open_documents[name] = opened
    while len(open_documents) > 1 and (
        len(open_documents) > LIMIT or sum(document.size for document in open_documents.values()) > BYTES_LIMIT
    ):
        oldest = next((other for other in open_documents if other not in (name, state.address().text(CHOICE))), None)
        if oldest is None:
            break
        dropped = open_documents.pop(oldest)
        if dropped.entry is None:
            tell(ChunkscopeError(f"{oldest} was removed to make room.", "Add fewer or smaller files at a time."))
    return name
