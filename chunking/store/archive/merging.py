"""Documents of an archive, put together with those that are in the library already."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from chunking.errors import ChunkscopeError
from chunking.store.archive.format import ListedSet
from chunking.store.attachments import Attachments
from chunking.store.database.sql import tables
from chunking.store.document_table import DocumentTable, new_row
from chunking.store.documents import LibraryDocument, ListedDocument
from chunking.store.drafts import Drafts
from chunking.store.library import Library
from chunking.store.sets import DocumentSets


class LibraryMerger:
    """Takes the documents of one archive into a library.

    What the library has already stays as it is: an attachment of the same name and another content is left out, and
    listed among the problems.

    Args:
        library: of the person, whose documents they become.
        read: returns a file of the archive by its content.

    Attributes:
        added, known: numbers of documents that are new, and that were there.
        texts: hashes of the texts of both.
        problems: what was left out.
    """

    def __init__(self, library: Library, read: Callable[[str], bytes]) -> None:
        self._library = library
        self._read = read
        self._ids: dict[str, str] = {}  # in the library, by those in the archive
        self.added = 0
        self.known = 0
        self.texts: set[str] = set()
        self.problems: list[ChunkscopeError] = []

    def import_document(self, listed: ListedDocument) -> None:
        """Store a document, after the version that replaced it; or leave it out, where it does not fit."""
        library, data = self._library, self._read(listed.content)
        try:
            library.check_room(listed.file_sizes | {listed.content: len(data)})
        except ChunkscopeError as error:
            self.problems.append(ChunkscopeError(f"“{listed.name}” was left out. {error.problem}", error.remedy))
            return
        library.storage.files.put(data)
        newer = self._ids.get(listed.replaced_by, "")
        row = new_row(library.identity, library.storage, listed) | {"replaced_by": newer}

        def work(documents: DocumentTable) -> LibraryDocument:
            stored = documents.insert(row, data, listed.tags)
            if newer:
                documents.update(newer, tables.library.c.previous == "", previous=stored.id)
            if not set(listed.tags) <= set(stored.tags):
                documents.put_tags(stored.id, tuple(sorted({*stored.tags, *listed.tags})))
            return documents.get(stored.id)

        stored = library.run(work, writes=True)
        self._ids[listed.id] = stored.id
        self.texts.add(listed.text_hash)
        self.added += stored.id == row["id"]
        self.known += stored.id != row["id"]
        for attachment in listed.attachments:
            same_name = [each for each in stored.attached(attachment.kind) if each.name == attachment.name]
            if not same_name:
                Attachments(library).put_as(stored.id, attachment, self._read(attachment.content))
            elif same_name[0].content != attachment.content:
                self.problems.append(
                    ChunkscopeError(
                        f"“{listed.name}” has another attachment named “{attachment.name}” already.",
                        "That was kept; rename it to import the other one.",
                    )
                )

    def import_set(self, listed: ListedSet) -> bool:
        """Make a set, or add to the one of that name; return whether that changed anything."""
        sets = DocumentSets(self._library)
        imported = tuple(self._ids[id] for id in listed.documents if id in self._ids)
        existing = next((each for each in sets.list() if each.name == listed.name), None)
        if existing is None:
            sets.create(listed.name, imported)
            return True
        documents = tuple(dict.fromkeys((*existing.documents, *imported)))
        if documents != existing.documents:
            sets.save(replace(existing, documents=documents))
        return documents != existing.documents

    def import_drafts(self, texts: Mapping[str, str]) -> None:
        """Keep drafts where there are none."""
        drafts = Drafts(self._library)
        existing = drafts.all()
        for key, text in texts.items():
            if key not in existing:
                drafts.put(key, text)
