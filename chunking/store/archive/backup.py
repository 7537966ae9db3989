"""Backups of reviews and library while the app writes, and their restoration.

The database is copied before the files. A file is on the disk before its row, and is deleted after it: so every file
that the copy of the database needs was there when that was made, and is missing afterwards only because its document
was deleted meanwhile. Then the database is copied again, which needs fewer files, and so on until none is missing. The
other way around, a document that is added between the two copies would have its row in the backup and not its file.

A backup is a folder with the database, and the files by their content as the library has them: files that a backup
before has already are not copied again. It is restored in the other order, files first, so that at no time there is a
row without its file.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Set
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.runtime.atomic import replacing_path
from chunking.store.database.location import VARIABLE, address
from chunking.store.database.sql import sa, tables
from chunking.store.storage import ContentStore, LibraryStorage, files_place, open_storage

if TYPE_CHECKING:
    from sqlalchemy import URL

DATABASE, FILES = "reviews.sqlite", "library"
"""Names in the folder of a backup."""

MOST_COPIES = 20
"""Copies of the database for one backup: with each, only what was deleted during the last one can be missing."""

_BUSY_SECONDS = 30.0


@dataclass(frozen=True)
class Backup:
    """What was copied.

    Attributes:
        files: number of files that its documents need.
        copied: number of those that were copied just now.
        missing: hashes of files that are missing or damaged where they were copied from.
    """

    files: int
    copied: int
    missing: tuple[str, ...]


def backup(storage: LibraryStorage, folder: Path) -> Backup:
    """Copy database and files to a folder; one with an earlier backup is brought up to date.

    The earlier copy of the database is replaced once everything that the new one needs is there. Files of the backup
    are held against their hashes, and those that are damaged copied again.

    Raises:
        ChunkscopeError: the database is not a SQLite file, or the folder cannot be written.
    """
    source = _file(storage.database.engine.url)
    files = ContentStore(str(folder / FILES))
    total = Backup(0, 0, ())
    with _explain_failures(f"{folder} cannot be written"):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing_path(folder / DATABASE, durable=True) as growing:
            for _ in range(MOST_COPIES):
                _copy(source, growing)
                before, now = total, _copy_files(_needed_contents(growing), storage.files, files)
                total = replace(now, copied=before.copied + now.copied)
                if total.missing in ((), before.missing):
                    break
    return total


def restore(folder: Path) -> Backup:
    """Copy a backup to where the settings keep reviews and library, and bring its tables to the newest version.

    Raises:
        ChunkscopeError: there is a database already, the backup is damaged, or the place cannot be written.
    """
    backup_database, target = folder / DATABASE, _file(sa.make_url(address()))
    if target.exists():
        raise ChunkscopeError(
            f"There is a database already: {target}.",
            f"Nothing was restored. Move it away with its library, or name another place in {VARIABLE}.",
        )
    with _explain_failures(f"The backup in {folder} cannot be restored"):
        _check(backup_database)
        result = _copy_files(
            _needed_contents(backup_database), ContentStore(str(folder / FILES)), ContentStore(files_place())
        )
        with replacing_path(target, durable=True) as growing:
            _copy(backup_database, growing)
    open_storage()
    return result


def _file(url: URL) -> Path:
    """Return the file of a SQLite database."""
    if url.get_backend_name() != "sqlite":
        raise ChunkscopeError(
            "The reviews are in PostgreSQL, which has its own backups.",
            "Use pg_dump, then copy the files of the library: docs/deploy.md has the commands.",
        )
    return Path(url.database or "").absolute()


def _copy(source: Path, target: Path) -> None:
    """Copy a database as one file, as it is at one moment, while others write to it."""
    with closing(sqlite3.connect(f"{source.as_uri()}?mode=rw", timeout=_BUSY_SECONDS, uri=True)) as original:
        target.touch(0o600)
        with closing(sqlite3.connect(target)) as copy:
            original.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")


def _needed_contents(database: Path) -> set[str]:
    """Return the contents of the documents and attachments in a copy of the database."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        query = f"SELECT content FROM {tables.library.name} UNION SELECT content FROM {tables.attachments.name}"
        return {content for (content,) in connection.execute(query)}


def _copy_files(needed: Set[str], source: ContentStore, target: ContentStore) -> Backup:
    count = 0
    missing = []
    for content in sorted(needed):
        if _read(target, content) is not None:
            continue
        data = _read(source, content)
        if data is None:
            missing.append(content)
        else:
            target.put(data)
            count += 1
    return Backup(len(needed), count, tuple(missing))


def _read(store: ContentStore, content: str) -> bytes | None:
    """Return a content; ``None`` if its file is missing or damaged."""
    try:
        return store.get(content)
    except ChunkscopeError:
        return None


def _check(database: Path) -> None:
    if not database.is_file():
        raise ChunkscopeError(f"{database.parent} has no {DATABASE}.", "Name a folder that 'chunkscope backup' wrote.")
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            raise ChunkscopeError(f"{database} is damaged.", "Nothing was restored. Use an earlier backup.")


@contextmanager
def _explain_failures(problem: str) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        cause = error.strerror if isinstance(error, OSError) else str(error)
        raise ChunkscopeError(
            f"{problem}: {cause or error}.", "Check permissions and free space, then try again."
        ) from error
