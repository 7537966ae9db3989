"""Where a library is kept: the database, the files, and the caches that must forget what is deleted."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from chunking.document import Document
from chunking.embedding.vector_cache import default_cache
from chunking.errors import ChunkscopeError
from chunking.isolation import USUAL, Limits
from chunking.loading import LoadParameters, isolated
from chunking.retrieval.answers.store import AnswerStore
from chunking.retrieval.result_store import ResultStore
from chunking.runtime import remote
from chunking.runtime.atomic import UNFINISHED, replacing, sync_folder
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.progress import Progress
from chunking.store.database.database import Database
from chunking.store.database.location import address, data_folder, engine_options
from chunking.store.database.sql import sa
from chunking.store.documents import LibraryDocument

VARIABLE = "CHUNKSCOPE_LIBRARY"
"""The environment variable that names the place of the files: a folder, or an address such as ``s3://bucket/folder``."""


ABANDONED_SECONDS = 86_400.0
"""Age from which an unfinished file belongs to a process that was killed."""

_DIGEST = compile_pattern(r"[0-9a-f]{64}")


def digest_of(data: bytes) -> str:
    """Return the SHA-256 (hex) of a content."""
    return hashlib.sha256(data).hexdigest()


def is_digest(text: str) -> bool:
    """Return whether a text has the form of a SHA-256 in hexadecimal."""
    return _DIGEST.fullmatch(text) is not None


class ContentStore:
    """Files by the SHA-256 of their content. Any number of threads and processes may share it.

    A file is there whole or not at all: it is written under another name, flushed to the disk, and renamed. What is
    read is held against its hash. Nothing here knows which files are needed; see :mod:`chunking.store.removal`.

    Args:
        root: path of a folder, or an address.
    """

    def __init__(self, root: str) -> None:
        self.root = root.rstrip("/") or root
        self._remote = remote.is_address(root)

    def put(self, data: bytes) -> str:
        """Store a content, and return its hash once it is on the disk.

        A file that is there already stays, unless it is damaged.

        Raises:
            ChunkscopeError: it cannot be written; nothing was stored.
        """
        digest = digest_of(data)
        try:
            if self._is_intact(digest):
                self._settle(digest)
            elif self._remote:
                with remote.replacing(self._location(digest)) as file:
                    file.write(data)
            else:
                final = Path(self._location(digest))
                final.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with replacing(final, durable=True, private=True) as file:
                    file.write(data)
                _sync_above(final.parent)
        except OSError as error:
            raise self._unwritable(error) from error
        return digest

    def get(self, digest: str) -> bytes:
        """Return a content.

        Raises:
            ChunkscopeError: its file is missing, damaged or cannot be read.
        """
        try:
            data = self._read(digest)
        except FileNotFoundError:
            raise ChunkscopeError(
                f"The file of a document is missing in {self.root}.", "Add the document again, or import a backup."
            ) from None
        except OSError as error:
            raise self._unreadable(error) from error
        if digest_of(data) != digest:
            raise ChunkscopeError(
                f"The file of a document is damaged in {self.root}: its content does not have its hash.",
                "Add the document again, or import a backup.",
            )
        return data

    def has(self, digest: str) -> bool:
        """Return whether there is a file for a content.

        Raises:
            ChunkscopeError: the file system cannot be read.
        """
        location = self._location(digest)
        try:
            return remote.is_file(location) if self._remote else Path(location).is_file()
        except OSError as error:
            raise self._unreadable(error) from error

    def delete(self, digest: str) -> None:
        """Delete a content; one that is not there is deleted already.

        Raises:
            ChunkscopeError: it cannot be deleted.
        """
        location = self._location(digest)
        try:
            if not self._remote:
                Path(location).unlink(missing_ok=True)
                with contextlib.suppress(FileNotFoundError):
                    sync_folder(Path(location).parent)
            elif remote.is_file(location):
                remote.delete(location)
        except OSError as error:
            raise ChunkscopeError(
                f"A file in {self.root} cannot be deleted: {error.strerror or error}.",
                "Check its permissions; it is deleted with the next one.",
            ) from error

    def digests(self) -> Iterator[str]:
        """Yield the hashes of all files, in no order."""
        try:
            if self._remote:
                names = [path.rpartition("/")[2] for path in remote.below(self.root, recursive=True)]
            else:
                names = [path.name for path in Path(self.root).glob("??/*") if path.is_file()]
        except OSError as error:
            raise self._unreadable(error) from error
        yield from filter(is_digest, names)

    def tidy(self, now: float | None = None) -> None:
        """Delete what killed processes left unfinished a day ago or earlier.

        Args:
            now: seconds since the epoch; the clock's if absent.
        """
        if self._remote:
            return  # an address does not say how old a file is: the bucket's own rules for the ending are for that
        before = (time.time() if now is None else now) - ABANDONED_SECONDS
        for path in Path(self.root).glob(f"??/.*{UNFINISHED}"):
            with contextlib.suppress(OSError):
                if path.stat().st_mtime < before:
                    path.unlink()

    def _location(self, digest: str) -> str:
        if not is_digest(digest):
            raise ValueError("a content is named by its SHA-256")
        return f"{self.root}/{digest[:2]}/{digest}"

    def _read(self, digest: str) -> bytes:
        location = self._location(digest)
        if not self._remote:
            return Path(location).read_bytes()
        with remote.opened(location) as file:
            return file.read()

    def _is_intact(self, digest: str) -> bool:
        try:
            return digest_of(self._read(digest)) == digest
        except OSError:
            return False

    def _settle(self, digest: str) -> None:
        """Flush the name of a file that another process may have given it a moment ago."""
        if not self._remote:
            _sync_above(Path(self._location(digest)).parent)

    def _unreadable(self, error: OSError) -> ChunkscopeError:
        return ChunkscopeError(
            f"{self.root} cannot be read: {error.strerror or error}.", "Check its permissions, and try again."
        )

    def _unwritable(self, error: OSError) -> ChunkscopeError:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        remedy = "Free some space" if full else f"Allow writing to it, or name another place in {VARIABLE}"
        return ChunkscopeError(
            f"{self.root} cannot be written: {error.strerror or error}.", f"Nothing was stored. {remedy}."
        )


def _sync_above(folder: Path) -> None:
    for directory in (folder, folder.parent, folder.parent.parent):
        sync_folder(directory)


class Forgetful(Protocol):
    """Something that keeps what was computed of documents, such as a cache of vectors."""

    def forget(self, text_hash: str) -> bool:
        """Delete what was computed of a text, and return whether that could be done."""


def _clock() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class LibraryStorage:
    """Where a library is kept. Any number of threads and processes may share it.

    Attributes:
        database: the rows; see :meth:`Database.prepare`.
        files: the files.
        caches: what must forget a text with its last document.
        clock: tells the time, which may jump.
    """

    database: Database
    files: ContentStore
    caches: Sequence[Forgetful] = ()
    clock: Callable[[], datetime] = field(default=_clock, compare=False)

    def now(self) -> str:
        """Return the time as it is stored: ISO 8601 in UTC."""
        return self.clock().astimezone(UTC).isoformat(timespec="milliseconds")

    @staticmethod
    def new_id() -> str:
        """Return an id that nobody has and nobody can guess."""
        return uuid.uuid4().hex


def files_place() -> str:
    """Return where files are stored: the folder or address in :data:`VARIABLE`, else ``library`` beside the database.

    Where the database is a server, that is ``chunkscope/library`` in the user's data folder.
    """
    if setting := os.environ.get(VARIABLE, "").strip():
        return setting if "://" in setting else str(Path(setting).expanduser().absolute())
    url = sa.make_url(address())
    beside = Path(url.database or "").parent if url.get_backend_name() == "sqlite" else data_folder()
    return str(beside / "library")


def open_storage() -> LibraryStorage:
    """Return the storage that the settings name, ready for use.

    Raises:
        ChunkscopeError: SQLAlchemy is not installed, or the database cannot be used.
    """
    url = address()
    database = Database(sa.create_engine(url, **engine_options(url)))
    database.prepare()
    return LibraryStorage(database, ContentStore(files_place()), (default_cache(), ResultStore(), AnswerStore()))


def read_document(
    entry: LibraryDocument, data: bytes, progress: Progress | None = None, limits: Limits = USUAL
) -> Document:
    """Return a stored document from its file, read as it was when it was added, under its present name.

    The language is the one that was chosen, else that of the first reading; a later version of a reader may find
    another text, which its hash tells.

    Args:
        entry: what the library knows of it.
        data: its file.
        progress: as of :func:`chunking.loading.isolated.load`.
        limits: of the process that reads it.

    Raises:
        ChunkscopeError: it cannot be read, or not within the limits.
    """
    language = entry.choices.language or (None if entry.language == "und" else entry.language)
    if entry.pasted:
        text = data.decode("utf-8", "replace")
        return isolated.from_text(text, entry.name, entry.format, language, limits, progress)
    options: dict[str, Any] = dict(entry.options)
    if entry.choices.content:
        options["content"] = entry.choices.content
    document = isolated.load(data, entry.source, language, LoadParameters(**options), limits, progress)
    return replace(document, name=entry.name)
