"""All files of the library, held against their hashes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.store import removal, rows
from chunking.store.database.tables import decode_text, tables
from chunking.store.storage import LibraryStorage

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True)
class DamagedFile:
    """A file that is missing or damaged.

    Attributes:
        content: SHA-256 that it should have.
        documents: names of the documents that need it.
        problem: what is wrong.
    """

    content: str
    documents: tuple[str, ...]
    problem: ChunkscopeError


@dataclass(frozen=True)
class Inspection:
    """What an inspection found.

    Attributes:
        files: number of files that are needed.
        damaged: those that are missing or damaged.
        collected: number of files that nobody needed, which were deleted.
    """

    files: int
    damaged: tuple[DamagedFile, ...]
    collected: int


def inspect(storage: LibraryStorage) -> Inspection:
    """Read all files that documents of anybody need, and delete the others."""
    needed = storage.database.run(rows.referenced)
    problems: dict[str, ChunkscopeError] = {}
    for content in sorted(needed):
        try:
            storage.files.get(content)
        except ChunkscopeError as error:
            problems[content] = error
    # What was deleted while its file was read is not damaged.
    still = storage.database.run(_names) if problems else {}
    damaged = tuple(
        DamagedFile(content, tuple(still[content]), error) for content, error in problems.items() if content in still
    )
    return Inspection(len(needed), damaged, removal.collect(storage))


def _names(connection: Connection) -> dict[str, list[str]]:
    """Return the names of the documents that need each content."""
    import sqlalchemy as sa

    library, attached = tables().library, tables().attachments
    direct = sa.select(library.c.content, library.c.name)
    through = sa.select(attached.c.content, library.c.name).join(library, library.c.id == attached.c.document)
    found: dict[str, list[str]] = {}
    for query in (direct, through):
        for content, name in connection.execute(query):
            found.setdefault(content, []).append(decode_text(name))
    return found
