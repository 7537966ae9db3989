"""Folders that are watched: their documents are in the library, and a scan brings it in step with them.

A file that changed becomes a new version that points to the one before, so that its reference and reviews can be
carried over (:mod:`chunking.work.reference_transfer`). A file that is gone stays in the library, with a note since
when. Files are compared by content, not by time, so that a clock that jumps hides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from chunking.errors import ChunkscopeError
from chunking.loading import DOCUMENT_SUFFIXES, isolated
from chunking.loading.files import read
from chunking.store.database.database import batches
from chunking.store.database.sql import sa, tables
from chunking.store.document_table import DocumentTable, NotFoundError, new_row
from chunking.store.documents import LibraryDocument, NewDocument
from chunking.store.library import Documents, Library
from chunking.store.storage import digest_of

MOST_FILES = 10_000
"""Documents of a watched folder."""


@dataclass(frozen=True)
class WatchedFolder:
    """A folder that is watched.

    Attributes:
        id: nobody can guess it.
        path: absolute.
        scanned: when it was last scanned, ISO 8601 in UTC; empty before the first time.
    """

    id: str
    path: str
    scanned: str = ""


@dataclass(frozen=True)
class Scan:
    """What a scan found.

    Attributes:
        added, changed: the documents as they are now; changed ones point to their version before.
        removed: documents whose files were there in the last scan and are not any more.
        unchanged: number of documents.
        problems: why files could not be read, by their path; what the library has of them stays.
    """

    added: tuple[LibraryDocument, ...]
    changed: tuple[LibraryDocument, ...]
    removed: tuple[LibraryDocument, ...]
    unchanged: int
    problems: tuple[tuple[str, ChunkscopeError], ...] = ()


class WatchedFolders:
    """The watched folders of one person.

    Whoever scans a folder reads the files of this machine, so it requires the role admin. Whoever uses the machine
    without a log-in has it.

    Args:
        library: the documents of the person.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def list(self) -> list[WatchedFolder]:
        """Return the folders by path."""
        return self._library.run(_folders)

    def documents(self, id: str) -> Documents:
        """Return the documents of a folder as they are now, those whose files are gone included."""
        columns = tables.library.c
        return self._library.run(lambda documents: documents.where(columns.folder == id, columns.replaced_by == ""))

    def watch(self, path: Path) -> WatchedFolder:
        """Watch a folder; one that is watched already is returned as it is.

        Raises:
            ChunkscopeError: there is no such folder, or the person is no admin.
        """
        self._require_right()
        _check_folder(path)
        new = WatchedFolder(self._library.storage.new_id(), str(path.resolve()))

        def work(documents: DocumentTable) -> WatchedFolder:
            for folder in _folders(documents):
                if folder.path == new.path:
                    return folder
            row = {**vars(new), "owner": documents.identity.subject}
            documents.connection.execute(sa.insert(tables.folders).values(row))
            return new

        return self._library.run(work, writes=True)

    def unwatch(self, id: str) -> None:
        """Watch a folder no more; its documents stay."""

        def work(documents: DocumentTable) -> None:
            folders, library = tables.folders, tables.library
            conditions = (folders.c.id == id, folders.c.owner == documents.identity.subject)
            if documents.connection.execute(sa.delete(folders).where(*conditions)).rowcount:
                statement = sa.update(library).where(library.c.folder == id)
                documents.connection.execute(statement.values(folder="", missing=""))

        self._library.run(work, writes=True)

    def scan(self, id: str) -> Scan:
        """Bring the library in step with a folder.

        Raises:
            ChunkscopeError: the folder is not watched, or cannot be read: then nothing counts as removed. Or the person
                is no admin.
        """
        self._require_right()
        folder = next((folder for folder in self.list() if folder.id == id), None)
        if folder is None:
            raise NotFoundError("watched folder")
        root = Path(folder.path)
        _check_folder(root)
        by_path = {document.path: document for document in self.documents(id)}
        files = {path.relative_to(root).as_posix(): path for path in _files(root)}
        added: Documents = []
        changed: Documents = []
        problems: list[tuple[str, ChunkscopeError]] = []
        for name, path in files.items():
            try:
                document = self._store(folder, name, path, by_path.get(name))
            except ChunkscopeError as error:
                problems.append((name, error))
                continue
            if document is not None:
                (changed if name in by_path else added).append(document)
        removed = [document for name, document in by_path.items() if name not in files and not document.missing]
        returned = [document for name, document in by_path.items() if name in files and document.missing]
        now = self._library.storage.now()

        def work(documents: DocumentTable) -> None:
            library, folders = tables.library, tables.folders
            for group, since in ((removed, now), (returned, "")):
                for batch in batches(document.id for document in group):
                    missing = sa.update(library).where(library.c.id.in_(batch)).values(missing=since)
                    documents.connection.execute(missing)
            documents.connection.execute(sa.update(folders).where(folders.c.id == id).values(scanned=now))

        self._library.run(work, writes=True)
        unchanged = len(files) - len(added) - len(changed) - len(problems)
        return Scan(tuple(added), tuple(changed), tuple(removed), unchanged, tuple(problems))

    def _require_right(self) -> None:
        self._library.identity.require("admin", "Watching a folder of this machine")

    def _store(
        self, folder: WatchedFolder, name: str, path: Path, previous: LibraryDocument | None
    ) -> LibraryDocument | None:
        """Store a file that is new or has changed; return ``None`` where it has not."""
        data = read(path)
        if previous is not None and digest_of(data) == previous.content:
            return None
        language = previous.choices.language if previous is not None else ""
        document = isolated.load(data, f"{Path(folder.path).name}/{name}", language or None)
        if not document.text.strip():
            raise ChunkscopeError(f"“{document.name}” is empty: it has no text.", "It is read again once it has some.")
        new = NewDocument(data, replace(document, name=previous.source if previous else document.name))
        library, storage = self._library, self._library.storage
        library.check_room({digest_of(data): len(data)})
        row = new_row(library.identity, storage, new)
        row |= {"content": storage.files.put(data), "folder": folder.id, "path": name}

        def work(documents: DocumentTable) -> LibraryDocument:
            if previous is None:
                stored = documents.insert(row, data, ())
                documents.update(stored.id, tables.library.c.folder == "", folder=folder.id, path=name)
                return documents.get(stored.id)
            documents.ensure_file(row["content"], data)
            before = documents.to_change(previous.id)
            if before.replaced_by:  # by another scan, or by a first try whose answer was lost
                return documents.get(before.replaced_by)
            return documents.replace_version(before, row)

        stored = library.run(work, writes=True)
        return stored if stored.folder == folder.id else None  # the same file of another folder


def _check_folder(path: Path) -> None:
    try:
        next(path.iterdir(), None)
    except OSError as error:
        raise ChunkscopeError(
            f"The folder {path} cannot be read: {error.strerror}.", "Check that it is there, and its permissions."
        ) from error


def _files(root: Path) -> Iterator[Path]:
    """Yield the documents in a folder, in order; hidden ones and links that lead out of it are left out."""
    resolved_root = root.resolve()
    count = 0
    for path in sorted(root.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if hidden or path.suffix.lower() not in DOCUMENT_SUFFIXES or not path.is_file():
            continue
        if not path.resolve().is_relative_to(resolved_root):
            continue
        count += 1
        if count > MOST_FILES:
            raise ChunkscopeError(f"{root} holds more than {MOST_FILES:,} documents.", "Watch folders inside it.")
        yield path


def _folders(documents: DocumentTable) -> list[WatchedFolder]:
    table = tables.folders
    query = sa.select(table).where(table.c.owner == documents.identity.subject).order_by(table.c.path)
    return [WatchedFolder(row.id, row.path, row.scanned) for row in documents.connection.execute(query)]
