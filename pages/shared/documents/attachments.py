"""Files that the user attached to a document: stored with it in the library, and there again when it is opened."""

from __future__ import annotations

from collections.abc import Callable

from chunking import ChunkscopeError
from chunking.document import Document
from chunking.store.documents import AttachmentKind
from pages.shared import state
from pages.shared.documents import own_documents, stored
from pages.shared.documents.documents import Opened
from pages.shared.documents.own_documents import Own

_RESTORED: state.Slot[set[tuple[AttachmentKind, str]]] = state.Slot("_attachments_restored", set)
"""Kinds with the keys of the documents that the session has read them of."""


def restore(opened: Opened, kind: AttachmentKind, take: Callable[[str, bytes], object]) -> ChunkscopeError | None:
    """Read the attachments of a document, once in a session.

    Args:
        opened: the document.
        kind: of the attachments.
        take: takes the name and the content of each; may raise a :class:`ChunkscopeError`.

    Returns:
        Why one could not be read.
    """
    own, mark, problem = opened.own, (kind, opened.document.key), None
    if own is None or own.entry is None or mark in _RESTORED.get():
        return None
    _RESTORED.get().add(mark)
    content = _content(opened.document)
    try:
        for name, data in stored.attached(own.entry, kind):
            if kind != "reference" or (name.startswith(content) and (content or "/" not in name)):
                take(name.removeprefix(content), data)
    except ChunkscopeError as error:
        problem = error
    return problem


def put(own: Own | None, kind: AttachmentKind, name: str, data: bytes, document: Document | None = None) -> None:
    """Store an attachment of a document of the user's own; of a reference, the last one stays.

    Args:
        own: the document; nothing is stored of one that is not in the library, or only shared.
        kind: of the attachment.
        name: of its file.
        data: its content.
        document: the text that its places are in, where it has some.

    Raises:
        ChunkscopeError: it cannot be stored.
    """
    if own is None or own.entry is None or not stored.is_own(own.entry):
        return
    begin = _content(document) if document else ""
    name = begin + name.rpartition("/")[2]
    try:
        entry = stored.attach(own.entry, kind, name, data)
        if kind == "reference":
            same = [each.name for each in entry.attached(kind) if ("/" in each.name) == bool(begin)]
            entry = stored.detach(entry, kind, [each for each in same if each != name])
    except ChunkscopeError as error:
        raise _in_session(error) from error
    own_documents.update(own, entry)


def delete(own: Own | None, kind: AttachmentKind, name: str = "") -> None:
    """Delete the attachments of a kind, or the one of a name.

    Raises:
        ChunkscopeError: that cannot be stored.
    """
    if own is None or own.entry is None or not stored.is_own(own.entry):
        return
    names = [name] if name else [each.name for each in own.entry.attached(kind)]
    own_documents.update(own, stored.detach(own.entry, kind, names))


def _content(document: Document) -> str:
    """Return what the names of attachments begin with whose places are in another text than that of the whole file."""
    chosen = dict(document.load_options).get("content", "")
    return f"{chosen}/" if chosen else ""


def _in_session(error: ChunkscopeError) -> ChunkscopeError:
    return ChunkscopeError(f"It is kept in this session alone: {error.problem}", f"{error.remedy} Then add it again.")
