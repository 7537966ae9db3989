"""Deletion of documents with all that was made of them, at whatever moment the process is killed.

The rows are deleted first, in one transaction that notes what is left to be done (``removals``). Then vectors and
sentences are overwritten, and files that nobody else refers to are deleted, while no other transaction may refer to
them; with the last copy of a text go its reviews, which quote it. A note that is left by a killed process is worked off
with the next deletion, or by :func:`finish`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from chunking.errors import ChunkscopeError
from chunking.loading import LoadParameters
from chunking.store.database.database import hold
from chunking.store.database.tables import encode_text, tables
from chunking.store.documents import LibraryDocument
from chunking.store.reading import read_again
from chunking.store.reviews import delete_events
from chunking.store.rows import batches, is_referenced, referenced
from chunking.store.storage import LibraryStorage

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
    import sqlalchemy as sa

    known, library = tables(), tables().library
    noted = [(each.content, each.text_hash) for each in documents]
    noted += [(attached.content, "") for each in documents for attached in each.attachments]
    note(connection, noted, storage)
    for each in documents:
        id = encode_text(each.id)
        for table in (known.tags, known.attachments, known.members):
            connection.execute(sa.delete(table).where(table.c.document == id))
        for name in ("previous", "replaced_by"):
            linked = sa.update(library).where(library.c[name] == id)
            connection.execute(linked.values({name: encode_text(getattr(each, name))}))
        connection.execute(sa.delete(library).where(library.c.id == id))


def other_texts(storage: LibraryStorage, documents: Iterable[LibraryDocument]) -> list[tuple[str, str]]:
    """Return contents with the hashes of the other texts that they may be read as: a web page has two.

    Reviews, vectors and sentences are those of the text that was chosen for a document, which may have been another one
    than that by which the library knows it.
    """
    found = []
    for each in documents:
        for content in LoadParameters.describe()[0].choices if each.format == "html" else ():
            entry = replace(each, choices=replace(each.choices, content=str(content)))
            with contextlib.suppress(ChunkscopeError):  # a file that is not readable any more has no text
                found.append((each.content, read_again(entry, storage.files.get(each.content)).text_hash))
    return found


def note(connection: Connection, noted: Iterable[tuple[str, str]], storage: LibraryStorage) -> None:
    """Note contents whose files may be needed no more, and hashes of texts whose caches may be."""
    import sqlalchemy as sa

    now = storage.now()
    rows = [
        {"id": storage.new_id(), "content": content, "text_hash": text_hash, "at": now}
        for content, text_hash in dict.fromkeys(noted)
    ]
    if rows:
        connection.execute(sa.insert(tables().removals), rows)


def finish(storage: LibraryStorage) -> None:
    """Delete the files and caches of all deleted documents.

    Raises:
        ChunkscopeError: one cannot be deleted; it is tried again with the next deletion.
    """
    problems, done = [], False
    for removal in storage.database.run(_noted):
        try:
            storage.forget(removal.text_hash, partial(_is_text_used, text_hash=removal.text_hash))
            storage.database.run(partial(_delete_file, removal=removal, storage=storage), writes=True)
            done = True
        except ChunkscopeError as error:
            problems.append(error)
    if done:
        storage.database.empty_log()
    if problems:
        raise problems[0]


def forget_again(storage: LibraryStorage, text_hash: str) -> None:
    """Delete what was computed of a deleted text since, unless another document has it by now.

    Raises:
        ChunkscopeError: a cache cannot be written.
    """
    storage.forget(text_hash, partial(_is_text_used, text_hash=text_hash))


def collect(storage: LibraryStorage) -> int:
    """Delete files that no document refers to, as a killed process leaves them; return how many there were."""
    finish(storage)
    storage.files.tidy()
    orphans = set(storage.files.digests()) - storage.database.run(referenced)
    found = 0
    for content in sorted(orphans):
        found += storage.database.run(partial(_delete_file, removal=_Removal(content), storage=storage), writes=True)
    return found


def _noted(connection: Connection) -> list[_Removal]:
    import sqlalchemy as sa

    table = tables().removals
    found: dict[tuple[str, str], list[str]] = {}
    for row in connection.execute(sa.select(table).order_by(table.c.at, table.c.id)):
        found.setdefault((row.content, row.text_hash), []).append(row.id)
    return [_Removal(*what, tuple(ids)) for what, ids in found.items()]


def _is_text_used(connection: Connection, text_hash: str) -> bool:
    import sqlalchemy as sa

    table = tables().library
    query = sa.select(table.c.id).where(table.c.text_hash == encode_text(text_hash)).limit(1)
    return connection.execute(query).first() is not None


def _delete_reviews(connection: Connection, text_hash: str) -> None:
    """Delete the reviews of a text that nobody has in a library any more; everybody has the samples."""
    import sqlalchemy as sa

    from chunking import samples

    table = tables().documents
    known = sa.select(table.c.hash).where(table.c.hash == encode_text(text_hash))
    if connection.execute(known).first() is not None and text_hash not in samples.text_hashes():
        delete_events(connection, text_hash)


def _delete_file(connection: Connection, removal: _Removal, storage: LibraryStorage) -> bool:
    """Delete the file of a content that nobody refers to, and return whether there was one."""
    import sqlalchemy as sa

    hold(connection, [removal.content])
    needed = is_referenced(connection, removal.content)
    found = not needed and storage.files.has(removal.content)
    if found:
        storage.files.delete(removal.content)
    if removal.text_hash and not needed and not _is_text_used(connection, removal.text_hash):
        _delete_reviews(connection, removal.text_hash)
    table = tables().removals
    for batch in batches(removal.ids):
        connection.execute(sa.delete(table).where(table.c.id.in_(batch)))
    return found
