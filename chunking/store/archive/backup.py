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

import os
import sqlite3
import uuid
from collections.abc import Set
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.store.database.dialects import VARIABLE, address
from chunking.store.database.tables import ATTACHMENTS, LIBRARY
from chunking.store.files import ContentStore, sync_folder
from chunking.store.storage import LibraryStorage, files_place, open_storage

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
    kept = ContentStore(str(folder / FILES))
    growing = folder / f".{DATABASE}.{uuid.uuid4().hex}"
    found = Backup(0, 0, ())
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for _ in range(MOST_COPIES):
            _copy(source, growing)
            before, now = found, _copy_files(_needed(growing), storage.files, kept)
            found = replace(now, copied=before.copied + now.copied)
            if found.missing in ((), before.missing):
                break
        _settle(growing, folder / DATABASE)
    except (OSError, sqlite3.Error) as error:
        raise _failed(f"{folder} cannot be written", error) from error
    finally:
        growing.unlink(missing_ok=True)
    return found


def restore(folder: Path) -> Backup:
    """Copy a backup to where the settings keep reviews and library, and bring its tables to the newest version.

    Raises:
        ChunkscopeError: there is a database already, the backup is damaged, or the place cannot be written.
    """
    kept, target = folder / DATABASE, _file(_url())
    if target.exists():
        raise ChunkscopeError(
            f"There is a database already: {target}.",
            f"Nothing was restored. Move it away with its library, or name another place in {VARIABLE}.",
        )
    growing = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        _check(kept)
        found = _copy_files(_needed(kept), ContentStore(str(folder / FILES)), ContentStore(files_place()))
        _copy(kept, growing)
        _settle(growing, target)
    except (OSError, sqlite3.Error) as error:
        raise _failed(f"The backup in {folder} cannot be restored", error) from error
    finally:
        growing.unlink(missing_ok=True)
    open_storage()
    return found


def _url() -> URL:
    from sqlalchemy import make_url

    return make_url(address())


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
    with closing(sqlite3.connect(f"{source.as_uri()}?mode=rw", timeout=_BUSY_SECONDS, uri=True)) as known:
        target.touch(0o600)
        with closing(sqlite3.connect(target)) as made:
            known.backup(made)
            made.execute("PRAGMA journal_mode = DELETE")


def _needed(database: Path) -> set[str]:
    """Return the contents of the documents and attachments in a copy of the database."""
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as connection:
        found = connection.execute(f"SELECT content FROM {LIBRARY} UNION SELECT content FROM {ATTACHMENTS}")
        return {content for (content,) in found}


def _copy_files(needed: Set[str], source: ContentStore, target: ContentStore) -> Backup:
    copied = 0
    missing = []
    for content in sorted(needed):
        if _read(target, content) is not None:
            continue
        data = _read(source, content)
        if data is None:
            missing.append(content)
        else:
            target.put(data)
            copied += 1
    return Backup(len(needed), copied, tuple(missing))


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


def _settle(growing: Path, final: Path) -> None:
    """Flush a file to the disk, and give it its name."""
    with growing.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(growing, final)
    sync_folder(final.parent)


def _failed(what: str, error: Exception) -> ChunkscopeError:
    cause = error.strerror if isinstance(error, OSError) else str(error)
    return ChunkscopeError(f"{what}: {cause or error}.", "Check permissions and free space, then try again.")
