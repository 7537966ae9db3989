"""Files that belong to a document: its reference, own chunks, and questions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.store import removal, rows
from chunking.store.access import NotFoundError
from chunking.store.audited import record_change
from chunking.store.changes import bump, ensure_file
from chunking.store.checks import check_size, checked_name
from chunking.store.database.tables import encode_text, tables
from chunking.store.documents import ATTACHMENT_KINDS, Attachment, AttachmentKind, LibraryDocument
from chunking.store.identity import Identity
from chunking.store.library import Library
from chunking.store.storage import LibraryStorage

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Attachments:
    """The attachments of documents, as one person may read and change them.

    Args:
        library: the documents of the person.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._storage = library.storage

    def put(self, id: str, kind: AttachmentKind, name: str, data: bytes) -> LibraryDocument:
        """Attach a file to a document; one of the same kind and name is replaced.

        Raises:
            ChunkscopeError: it is too large, cannot be stored, or the document is not this person's.
        """
        check_size(data)
        if kind not in ATTACHMENT_KINDS:
            raise ChunkscopeError("Unknown kind of attachment.", f"Choose one of {', '.join(ATTACHMENT_KINDS)}.")
        self._library.get(id)
        content = self._storage.files.put(data)
        made = Attachment(kind, checked_name(name), content, len(data), self._storage.now())
        work = partial(attach, identity=self._library.identity, id=id, made=made, data=data, storage=self._storage)
        found = self._storage.database.run(work, writes=True)
        removal.finish(self._storage)
        return found

    def delete(self, id: str, gone: Attachment) -> LibraryDocument:
        """Delete an attachment of a document, with its file; one that is not there is deleted already."""

        def work(connection: Connection) -> LibraryDocument:
            known = rows.to_change(connection, self._library.identity, id)
            if gone in known.attachments:
                _remove(connection, known, gone, self._storage)
                bump(connection, known)
                record_change(connection, self._library.identity, known, [gone.kind])
            return rows.document(connection, self._library.identity, id)

        found = self._storage.database.run(work, writes=True)
        removal.finish(self._storage)
        return found

    def read(self, entry: LibraryDocument, attached: Attachment) -> bytes:
        """Return the file of an attachment.

        Args:
            entry: the document, as this person got it.
            attached: one of its attachments.
        """
        if attached not in entry.attachments:
            raise NotFoundError("attachment")
        return self._storage.files.get(attached.content)


def attach(
    connection: Connection, identity: Identity, id: str, made: Attachment, data: bytes, storage: LibraryStorage
) -> LibraryDocument:
    """Attach a file that was stored before, and return the document."""
    import sqlalchemy as sa

    ensure_file(connection, made.content, data, storage)
    known = rows.to_change(connection, identity, id)
    before = next((each for each in known.attached(made.kind) if each.name == made.name), None)
    if before is not None and before.content == made.content:
        return known
    if before is not None:
        _remove(connection, known, before, storage)
    values = {"kind": made.kind, "name": encode_text(made.name), "content": made.content, "size": made.size}
    row = values | {"document": encode_text(id), "added": made.added}
    connection.execute(sa.insert(tables().attachments).values(row))
    bump(connection, known)
    record_change(connection, identity, known, [made.kind])
    return rows.document(connection, identity, id)


def _remove(connection: Connection, known: LibraryDocument, gone: Attachment, storage: LibraryStorage) -> None:
    import sqlalchemy as sa

    table = tables().attachments
    here = (
        table.c.document == encode_text(known.id),
        table.c.kind == gone.kind,
        table.c.name == encode_text(gone.name),
    )
    connection.execute(sa.delete(table).where(*here))
    removal.note(connection, [(gone.content, "")], storage)
