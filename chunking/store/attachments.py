"""Files that belong to a document: its reference, own chunks, and questions."""

from __future__ import annotations

from chunking.errors import ChunkscopeError
from chunking.store import removal
from chunking.store.database.sql import sa, tables
from chunking.store.document_table import DocumentTable, NotFoundError
from chunking.store.documents import (
    ATTACHMENT_KINDS,
    Attachment,
    AttachmentKind,
    LibraryDocument,
    check_size,
    checked_name,
)
from chunking.store.library import Library


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
        changed = self.put_as(id, Attachment(kind, checked_name(name), "", len(data), self._storage.now()), data)
        removal.finish(self._storage)
        return changed

    def put_as(self, id: str, attachment: Attachment, data: bytes) -> LibraryDocument:
        """Attach a file with the values of an attachment that were checked before, but for its content.

        A file that it replaces is deleted with the next deletion.
        """
        content = self._storage.files.put(data)

        def work(documents: DocumentTable) -> LibraryDocument:
            documents.ensure_file(content, data)
            document = documents.to_change(id)
            before = [older for older in document.attached(attachment.kind) if older.name == attachment.name]
            if any(older.content == content for older in before):
                return document
            for older in before:
                self._remove(documents, id, older)
            row = {"document": id, **vars(attachment), "content": content}
            documents.connection.execute(sa.insert(tables.attachments).values(row))
            return documents.count_change(document, attachment.kind)

        return self._library.run(work, writes=True)

    def delete(self, id: str, attachment: Attachment) -> LibraryDocument:
        """Delete an attachment of a document, with its file; one that is not there is deleted already."""

        def work(documents: DocumentTable) -> LibraryDocument:
            document = documents.to_change(id)
            if attachment not in document.attachments:
                return document
            self._remove(documents, id, attachment)
            return documents.count_change(document, attachment.kind)

        changed = self._library.run(work, writes=True)
        removal.finish(self._storage)
        return changed

    def read(self, entry: LibraryDocument, attachment: Attachment) -> bytes:
        """Return the file of an attachment.

        Args:
            entry: the document, as this person got it.
            attachment: one of its attachments.
        """
        if attachment not in entry.attachments:
            raise NotFoundError("attachment")
        return self._storage.files.get(attachment.content)

    def _remove(self, documents: DocumentTable, id: str, attachment: Attachment) -> None:
        table = tables.attachments
        same = (table.c.document == id, table.c.kind == attachment.kind, table.c.name == attachment.name)
        documents.connection.execute(sa.delete(table).where(*same))
        removal.note(documents.connection, [(attachment.content, "")], self._storage)
