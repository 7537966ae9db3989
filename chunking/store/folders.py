"""Folders that are watched: their documents are in the library, and a scan brings it in step with them.

A file that changed becomes a new version that points to the one before, so that its reference and reviews can be
carried over (:mod:`chunking.work.reference_transfer`). A file that is gone stays in the library, with a note since
when. Files are compared by content, not by time, so that a clock that jumps hides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.errors import ChunkscopeError
from chunking.loading import DOCUMENT_SUFFIXES, isolated
from chunking.loading.files import read
from chunking.store import changes, limits, rows
from chunking.store.access import NotFoundError
from chunking.store.database.tables import decode_text, encode_text, tables
from chunking.store.documents import LibraryDocument, NewDocument
from chunking.store.files import digest_of
from chunking.store.identity import Identity
from chunking.store.library import Documents, Library
from chunking.store.storage import LibraryStorage

if TYPE_CHECKING:
    from sqlalchemy import Connection

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
        self._run = library.storage.database.run

    def list(self) -> list[WatchedFolder]:
        """Return the folders by path."""
        return self._run(partial(_folders, identity=self._library.identity))

    def documents(self, id: str) -> Documents:
        """Return the documents of a folder as they are now, those whose files are gone included."""
        return self._run(partial(_of_folder, identity=self._library.identity, id=id))

    def watch(self, path: Path) -> WatchedFolder:
        """Watch a folder; one that is watched already is returned as it is.

        Raises:
            ChunkscopeError: there is no such folder, or the person is no admin.
        """
        self._require_right()
        _check_folder(path)
        made = WatchedFolder(self._library.storage.new_id(), str(path.resolve()))
        return self._run(partial(_watch, identity=self._library.identity, made=made), writes=True)

    def unwatch(self, id: str) -> None:
        """Watch a folder no more; its documents stay."""
        self._run(partial(_unwatch, identity=self._library.identity, id=id), writes=True)

    def scan(self, id: str) -> Scan:
        """Bring the library in step with a folder.

        Raises:
            ChunkscopeError: the folder is not watched, or cannot be read: then nothing counts as removed. Or the person
                is no admin.
        """
        self._require_right()
        folder = next((each for each in self.list() if each.id == id), None)
        if folder is None:
            raise NotFoundError("watched folder")
        root = Path(folder.path)
        _check_folder(root)
        known = {each.path: each for each in self.documents(id)}
        added: Documents = []
        changed: Documents = []
        problems: list[tuple[str, ChunkscopeError]] = []
        there = list(_files(root))
        for path in there:
            name = path.relative_to(root).as_posix()
            try:
                now = self._take(folder, name, path, known.get(name))
            except ChunkscopeError as error:
                problems.append((name, error))
                continue
            if now is not None:
                (changed if name in known else added).append(now)
        names = {path.relative_to(root).as_posix() for path in there}
        removed = self._mark(
            [each for name, each in known.items() if name not in names and not each.missing], gone=True
        )
        self._mark([each for name, each in known.items() if name in names and each.missing], gone=False)
        self._run(partial(_scanned, id=id, now=self._library.storage.now()), writes=True)
        unchanged = len(there) - len(added) - len(changed) - len(problems)
        return Scan(tuple(added), tuple(changed), tuple(removed), unchanged, tuple(problems))

    def _require_right(self) -> None:
        self._library.identity.require("admin", "Watching a folder of this machine")

    def _take(
        self, folder: WatchedFolder, name: str, path: Path, known: LibraryDocument | None
    ) -> LibraryDocument | None:
        """Store a file that is new or has changed; return ``None`` where it has not."""
        data = read(path)
        if known is not None and digest_of(data) == known.content:
            return None
        language = known.choices.language if known is not None else ""
        document = isolated.load(data, f"{Path(folder.path).name}/{name}", language or None)
        if not document.text.strip():
            raise ChunkscopeError(f"“{document.name}” is empty: it has no text.", "It is read again once it has some.")
        new = NewDocument(data, replace(document, name=known.source if known else document.name))
        storage, identity = self._library.storage, self._library.identity
        limits.check_room(self._library, digest_of(data), len(data))
        row = changes.row_of(new, identity, storage, storage.files.put(data))
        row |= {"folder": folder.id, "path": encode_text(name)}
        work = partial(_put_version, row=row, new=new, known=known, identity=identity, storage=storage)
        found = storage.database.run(work, writes=True)
        return found if found.folder == folder.id else None  # the same file of another folder

    def _mark(self, documents: Documents, gone: bool) -> Documents:
        if documents:
            since = self._library.storage.now() if gone else ""
            self._run(partial(_mark, ids=[each.id for each in documents], since=since), writes=True)
        return documents


def _check_folder(path: Path) -> None:
    try:
        next(path.iterdir(), None)
    except OSError as error:
        raise ChunkscopeError(
            f"The folder {path} cannot be read: {error.strerror}.", "Check that it is there, and its permissions."
        ) from error


def _files(root: Path) -> Iterator[Path]:
    """Yield the documents in a folder, in order; hidden ones and links that lead out of it are left out."""
    inside = root.resolve()
    found = 0
    for path in sorted(root.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(root).parts)
        if hidden or path.suffix.lower() not in DOCUMENT_SUFFIXES or not path.is_file():
            continue
        if not path.resolve().is_relative_to(inside):
            continue
        found += 1
        if found > MOST_FILES:
            raise ChunkscopeError(f"{root} holds more than {MOST_FILES:,} documents.", "Watch folders inside it.")
        yield path


def _folders(connection: Connection, identity: Identity) -> list[WatchedFolder]:
    import sqlalchemy as sa

    table = tables().folders
    query = sa.select(table).where(table.c.owner == encode_text(identity.subject)).order_by(table.c.path)
    return [WatchedFolder(row.id, decode_text(row.path), row.scanned) for row in connection.execute(query)]


def _watch(connection: Connection, identity: Identity, made: WatchedFolder) -> WatchedFolder:
    import sqlalchemy as sa

    known = next((each for each in _folders(connection, identity) if each.path == made.path), None)
    if known is None:
        row = {"id": made.id, "owner": encode_text(identity.subject), "path": encode_text(made.path), "scanned": ""}
        connection.execute(sa.insert(tables().folders).values(row))
    return known or made


def _unwatch(connection: Connection, identity: Identity, id: str) -> None:
    import sqlalchemy as sa

    table, library = tables().folders, tables().library
    here = (table.c.id == encode_text(id), table.c.owner == encode_text(identity.subject))
    if connection.execute(sa.delete(table).where(*here)).rowcount:
        connection.execute(sa.update(library).where(library.c.folder == encode_text(id)).values(folder="", missing=""))


def _of_folder(connection: Connection, identity: Identity, id: str) -> list[LibraryDocument]:
    table = tables().library
    return rows.documents_where(connection, identity, table.c.folder == encode_text(id), table.c.replaced_by == "")


def _put_version(
    connection: Connection,
    row: dict[str, Any],
    new: NewDocument,
    known: LibraryDocument | None,
    identity: Identity,
    storage: LibraryStorage,
) -> LibraryDocument:
    """Store a document of a folder: alone, or as the version after a known one, in whose place it then is."""
    import sqlalchemy as sa

    if known is None:
        found = changes.insert(connection, row, new.data, (), identity, storage)
        table = tables().library
        here = (table.c.id == encode_text(found.id), table.c.folder == "")
        connection.execute(sa.update(table).where(*here).values(folder=row["folder"], path=row["path"]))
        return rows.document(connection, identity, found.id)
    changes.ensure_file(connection, row["content"], new.data, storage)
    before = rows.to_change(connection, identity, known.id)
    if before.replaced_by:  # by another scan, or by a first try whose answer was lost
        return rows.document(connection, identity, before.replaced_by)
    changes.replace_version(connection, before, row)
    return rows.document(connection, identity, row["id"])


def _mark(connection: Connection, ids: list[str], since: str) -> None:
    import sqlalchemy as sa

    table = tables().library
    for batch in rows.batches([encode_text(id) for id in ids]):
        connection.execute(sa.update(table).where(table.c.id.in_(batch)).values(missing=since))


def _scanned(connection: Connection, id: str, now: str) -> None:
    import sqlalchemy as sa

    table = tables().folders
    connection.execute(sa.update(table).where(table.c.id == encode_text(id)).values(scanned=now))
