"""Files that the user attached to a document: stored with it in the library, and there again when it is opened."""

from __future__ import annotations

from collections.abc import Callable

from chunking import ChunkscopeError
from chunking.document import Document
from chunking.store.documents import AttachmentKind
from pages.shared import state
from pages.shared.documents import library_documents, session_documents
from pages.shared.documents.session_documents import OpenDocument

_RESTORED: state.SessionValue[set[tuple[AttachmentKind, str]]] = state.SessionValue("_attachments_restored", set)
"""Kinds with the keys of the documents that the session has read them of."""


def restore(opened: OpenDocument, kind: AttachmentKind, take: Callable[[str, bytes], object]) -> ChunkscopeError | None:
    """Read the attachments of a document, once in a session.

    Args:
        opened: the document.
        kind: of the attachments.
        take: takes the name and the content of each; may raise a :class:`ChunkscopeError`.

    Returns:
        Why one could not be read.
    """
    mark, problem = (kind, opened.document.key), None
    if opened.entry is None or mark in _RESTORED.get():
        return None
    _RESTORED.get().add(mark)
    content = _content(opened.document)
    try:
        for name, data in library_documents.attached(opened.entry, kind):
            if kind != "reference" or (name.startswith(content) and (content or "/" not in name)):
                take(name.removeprefix(content), data)
    except ChunkscopeError as error:
        problem = error
    return problem


def put(
    opened: OpenDocument | None, kind: AttachmentKind, name: str, data: bytes, document: Document | None = None
) -> None:
    """Store an attachment of a document of the user's own; of a reference, the last one stays.

    Args:
        opened: the document; nothing is stored of one that is not in the library, or only shared.
        kind: of the attachment.
        name: of its file.
        data: its content.
        document: the text that its places are in, where it has some.

    Raises:
        ChunkscopeError: it cannot be stored.
    """
    if opened is None or opened.entry is None or not library_documents.is_own(opened.entry):
        return
    begin = _content(document) if document else ""
    name = begin + name.rpartition("/")[2]
    try:
        entry = library_documents.attach(opened.entry, kind, name, data)
        if kind == "reference":
            same = [attachment.name for attachment in entry.attached(kind) if ("/" in attachment.name) == bool(begin)]
            entry = library_documents.detach(entry, kind, [other for other in same if other != name])
    except ChunkscopeError as error:
        raise _in_session(error) from error
    session_documents.update(opened, entry)


def delete(opened: OpenDocument | None, kind: AttachmentKind, name: str = "") -> None:
    """Delete the attachments of a kind, or the one of a name.

    Raises:
        ChunkscopeError: that cannot be stored.
    """
    if opened is None or opened.entry is None or not library_documents.is_own(opened.entry):
        return
    names = [name] if name else [attachment.name for attachment in opened.entry.attached(kind)]
    session_documents.update(opened, library_documents.detach(opened.entry, kind, names))


def _content(document: Document) -> str:
    """Return what the names of attachments begin with whose places are in another text than that of the whole file."""
    content = dict(document.load_options).get("content", "")
    return f"{content}/" if content else ""


def _in_session(error: ChunkscopeError) -> ChunkscopeError:
    return ChunkscopeError(f"It is kept in this session alone: {error.problem}", f"{error.remedy} Then add it again.")
