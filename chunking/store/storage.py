"""Where a library is kept: the database, the files, and the caches that must forget what is deleted."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from chunking.document import Document
from chunking.embedding.vector_cache import default_cache
from chunking.isolation import USUAL, Limits
from chunking.loading import LoadParameters, isolated
from chunking.retrieval.result_store import ResultStore
from chunking.runtime.progress import Progress
from chunking.store.database.database import Database
from chunking.store.database.location import address, data_folder, engine_options
from chunking.store.database.sql import sa
from chunking.store.documents import LibraryDocument
from chunking.store.files import ContentStore

VARIABLE = "CHUNKSCOPE_LIBRARY"
"""The environment variable that names the place of the files: a folder, or an address such as ``s3://bucket/folder``."""


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
    if chosen := os.environ.get(VARIABLE, "").strip():
        return chosen if "://" in chosen else str(Path(chosen).expanduser().absolute())
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
    return LibraryStorage(database, ContentStore(files_place()), (default_cache(), ResultStore()))


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
