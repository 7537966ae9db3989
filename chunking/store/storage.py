"""Where a library is kept: the database, the files, and the caches that must forget what is deleted."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from chunking.embedding.vector_cache import default_cache
from chunking.errors import ChunkscopeError
from chunking.installation import optional
from chunking.retrieval.result_store import ResultStore
from chunking.store.database.database import Database
from chunking.store.database.dialects import address, engine_options
from chunking.store.files import ContentStore

if TYPE_CHECKING:
    from sqlalchemy import Connection

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

    def forget(self, text_hash: str, is_used: Callable[[Connection], bool]) -> None:
        """Delete what was computed of a text, unless another document has it.

        Raises:
            ChunkscopeError: a cache cannot be written.
        """
        if not text_hash or self.database.run(is_used):
            return
        forgotten = [cache.forget(text_hash) for cache in self.caches]
        if not all(forgotten):
            raise ChunkscopeError(
                "The document is deleted, but what was computed of it could not be removed from a cache.",
                "Allow writing to the cache folder; it is removed with the next deletion.",
            )


def files_place() -> str:
    """Return where files are stored: the folder or address in :data:`VARIABLE`, else ``library`` beside the database.

    Where the database is a server, that is ``chunkscope/library`` in the user's data folder.
    """
    if chosen := os.environ.get(VARIABLE, "").strip():
        return chosen if "://" in chosen else str(Path(chosen).expanduser().absolute())
    from sqlalchemy import make_url

    from chunking.store.database.dialects import data_folder

    url = make_url(address())
    beside = Path(url.database or "").parent if url.get_backend_name() == "sqlite" else data_folder()
    return str(beside / "library")


def open_storage() -> LibraryStorage:
    """Return the storage that the settings name, ready for use.

    Raises:
        ChunkscopeError: SQLAlchemy is not installed, or the database cannot be used.
    """
    create_engine = optional("sqlalchemy", "app", "The library").create_engine
    url = address()
    database = Database(create_engine(url, **engine_options(url)))
    database.prepare()
    return LibraryStorage(database, ContentStore(files_place()), (default_cache(), ResultStore()))
