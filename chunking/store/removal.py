"""Deletion of documents with all that was made of them, at whatever moment the process is killed.

The rows are deleted first, in one transaction that notes what is left to be done (``removals``). Then vectors and
sentences are overwritten, and files that nobody else refers to are deleted, while no other transaction may refer to
them; with the last copy of a text go its reviews, which quote it. A note that is left by a killed process is worked off
with the next deletion, or by :func:`finish`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from chunking.errors import ChunkscopeError
from chunking.loading import LoadParameters
from chunking.store.database.database import batches, hold
from chunking.store.database.sql import sa, tables
from chunking.store.documents import LibraryDocument
from chunking.store.reviews import delete_events
from chunking.store.storage import LibraryStorage, read_document

if TYPE_CHECKING:
    from sqlalchemy import Connection


class _Removal(NamedTuple):
    content: str
    text_hash: str = ""
    ids: tuple[str, ...] = ()


def remove_rows(connection: Connection, documents: Sequence[LibraryDocument], storage: LibraryStorage) -> None:
    """Delete documents with their tags, attachments and places in sets, and note what is left to be done.

    Args:
        connection: in a transaction that writes.
        documents: of several versions of one, the oldest first.
        storage: where they are.
    """
    library = tables.library
    contents = [(document.content, document.text_hash) for document in documents]
    contents += [(file.content, "") for document in documents for file in document.attachments]
    note(connection, contents, storage)
    for document in documents:
        for table in (tables.tags, tables.attachments, tables.members):
            connection.execute(sa.delete(table).where(table.c.document == document.id))
        for name in ("previous", "replaced_by"):
            linked = sa.update(library).where(library.c[name] == document.id)
            connection.execute(linked.values({name: getattr(document, name)}))
        connection.execute(sa.delete(library).where(library.c.id == document.id))


def other_texts(storage: LibraryStorage, documents: Iterable[LibraryDocument]) -> list[tuple[str, str]]:
    """Return contents with the hashes of the other texts that they may be read as: a web page has two.

    Reviews, vectors and sentences are those of the text that was chosen for a document, which may have been another one
    than that by which the library knows it.
    """
    texts = []
    for document in documents:
        for content in LoadParameters.describe()[0].choices if document.format == "html" else ():
            entry = replace(document, choices=replace(document.choices, content=str(content)))
            with contextlib.suppress(ChunkscopeError):  # a file that is not readable any more has no text
                text = read_document(entry, storage.files.get(document.content))
                texts.append((document.content, text.text_hash))
    return texts


def note(connection: Connection, contents: Iterable[tuple[str, str]], storage: LibraryStorage) -> None:
    """Note contents whose files may be needed no more, and hashes of texts whose caches may be."""
    now = storage.now()
    rows = [
        {"id": storage.new_id(), "content": content, "text_hash": text_hash, "at": now}
        for content, text_hash in dict.fromkeys(contents)
    ]
    if rows:
        connection.execute(sa.insert(tables.removals), rows)


def finish(storage: LibraryStorage) -> None:
    """Delete the files and caches of all deleted documents.

    Raises:
        ChunkscopeError: one cannot be deleted; it is tried again with the next deletion.
    """
    problems, is_finished = [], False
    for removal in storage.database.run(_noted_removals):
        try:
            forget_text(storage, removal.text_hash)
            storage.database.run(partial(_delete_file, removal=removal, storage=storage), writes=True)
            is_finished = True
        except ChunkscopeError as error:
            problems.append(error)
    if is_finished:
        storage.database.empty_log()
    if problems:
        raise problems[0]


def forget_text(storage: LibraryStorage, text_hash: str) -> None:
    """Delete what was computed of a text, unless a document has it.

    Raises:
        ChunkscopeError: a cache cannot be written.
    """
    if not text_hash or storage.database.run(partial(_is_text_used, text_hash=text_hash)):
        return
    forgotten = [cache.forget(text_hash) for cache in storage.caches]
    if not all(forgotten):
        raise ChunkscopeError(
            "The document is deleted, but what was computed of it could not be removed from a cache.",
            "Allow writing to the cache folder; it is removed with the next deletion.",
        )


def collect(storage: LibraryStorage) -> int:
    """Delete files that no document refers to, as a killed process leaves them; return how many there were."""
    finish(storage)
    storage.files.tidy()
    orphans = sorted(set(storage.files.digests()) - storage.database.run(_names).keys())
    return sum(
        storage.database.run(partial(_delete_file, removal=_Removal(content), storage=storage), writes=True)
        for content in orphans
    )


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
    """What an inspection of all files found.

    Attributes:
        files: number of files that are needed.
        damaged: those that are missing or damaged.
        collected: number of files that nobody needed, which were deleted.
    """

    files: int
    damaged: tuple[DamagedFile, ...]
    collected: int


def inspect(storage: LibraryStorage) -> Inspection:
    """Read all files that documents of anybody need, hold them against their hashes, and delete the others."""
    needed = storage.database.run(_names)
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
    return Inspection(len(needed), damaged, collect(storage))


def _names(connection: Connection) -> dict[str, list[str]]:
    """Return the names of the documents that need each content, as their own file or as that of an attachment."""
    library, attached = tables.library, tables.attachments
    direct = sa.select(library.c.content, library.c.name)
    through = sa.select(attached.c.content, library.c.name).join(library, library.c.id == attached.c.document)
    names: dict[str, list[str]] = {}
    for query in (direct, through):
        for content, name in connection.execute(query):
            names.setdefault(content, []).append(name)
    return names


def _noted_removals(connection: Connection) -> list[_Removal]:
    table = tables.removals
    notes: dict[tuple[str, str], list[str]] = {}
    for row in connection.execute(sa.select(table).order_by(table.c.at, table.c.id)):
        notes.setdefault((row.content, row.text_hash), []).append(row.id)
    return [_Removal(*text, tuple(ids)) for text, ids in notes.items()]


def _is_text_used(connection: Connection, text_hash: str) -> bool:
    return connection.execute(sa.select(sa.exists().where(tables.library.c.text_hash == text_hash))).scalar_one()


def _delete_reviews(connection: Connection, text_hash: str) -> None:
    """Delete the reviews of a text that nobody has in a library any more; everybody has the samples."""
    from chunking import samples

    in_library = connection.execute(sa.select(sa.exists().where(tables.documents.c.hash == text_hash))).scalar_one()
    if in_library and text_hash not in samples.text_hashes():
        delete_events(connection, text_hash)


def _delete_file(connection: Connection, removal: _Removal, storage: LibraryStorage) -> bool:
    """Delete the file of a content that nobody refers to, and return whether there was one."""
    hold(connection, [removal.content])
    needed = any(
        connection.execute(sa.select(sa.exists().where(table.c.content == removal.content))).scalar_one()
        for table in (tables.library, tables.attachments)
    )
    exists = not needed and storage.files.has(removal.content)
    if exists:
        storage.files.delete(removal.content)
    if removal.text_hash and not needed and not _is_text_used(connection, removal.text_hash):
        _delete_reviews(connection, removal.text_hash)
    for batch in batches(removal.ids):
        connection.execute(sa.delete(tables.removals).where(tables.removals.c.id.in_(batch)))
    return exists
