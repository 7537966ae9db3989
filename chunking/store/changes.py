"""Changes of documents in one transaction each. A writer that knows an older version of a document is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from chunking.errors import ChunkscopeError
from chunking.store.access import StaleError
from chunking.store.audited import record_act, record_change
from chunking.store.checks import checked_name
from chunking.store.database.database import hold
from chunking.store.database.tables import encode_text, tables
from chunking.store.documents import LibraryDocument, NewDocument
from chunking.store.identity import Identity
from chunking.store.rows import complete, document, folded, to_change
from chunking.store.storage import LibraryStorage

if TYPE_CHECKING:
    from sqlalchemy import Connection


def row_of(new: NewDocument, identity: Identity, storage: LibraryStorage, content: str) -> dict[str, Any]:
    """Return the row of a new document."""
    now, name = storage.now(), checked_name(new.document.name)
    return {
        "id": storage.new_id(),
        "owner": encode_text(identity.subject),
        "name": encode_text(name),
        "folded": folded(name),
        "source": encode_text(name),
        "content": content,
        "text_hash": new.document.text_hash,
        "key": new.document.key,
        "format": new.document.format,
        "language": encode_text(new.document.language),
        "options": json.dumps(new.document.load_options),
        "size": len(new.data),
        "characters": len(new.document.text),
        "pasted": new.pasted,
        "choices": new.choices.as_json(),
        "visibility": "private",
        "team": "",
        "link": None,
        "added": now,
        "opened": now,
        **dict.fromkeys(("previous", "replaced_by", "folder", "path", "missing"), ""),
        "version": 1,
    }


def insert(
    connection: Connection,
    row: Mapping[str, Any],
    data: bytes,
    tags: tuple[str, ...],
    identity: Identity,
    storage: LibraryStorage,
) -> LibraryDocument:
    """Store a document whose file was stored before; the same content under the same name is there once."""
    import sqlalchemy as sa

    table = tables().library
    ensure_file(connection, row["content"], data, storage)
    same = [table.c[name] == row[name] for name in ("owner", "content", "name", "replaced_by")]
    found = connection.execute(sa.select(table).where(*same)).mappings().one_or_none()
    if found is None:
        connection.execute(sa.insert(table).values(row))
        put_tags(connection, row["id"], tags)
        return document(connection, identity, row["id"])
    touch(connection, found["id"], row["opened"])
    return document(connection, identity, found["id"])


def ensure_file(connection: Connection, content: str, data: bytes, storage: LibraryStorage) -> None:
    """See that a file is there, and stays until the end of the transaction: a deletion may have taken it meanwhile."""
    hold(connection, [content])
    if not storage.files.has(content):
        storage.files.put(data)


def touch(connection: Connection, id: str, now: str) -> None:
    """Note that a document was opened; a clock that was set back does not make it older."""
    import sqlalchemy as sa

    table = tables().library
    connection.execute(sa.update(table).where(table.c.id == id, table.c.opened < now).values(opened=now))


def put_tags(connection: Connection, id: str, tags: tuple[str, ...]) -> None:
    """Replace the tags of a document."""
    import sqlalchemy as sa

    table = tables().tags
    connection.execute(sa.delete(table).where(table.c.document == id))
    if tags:
        connection.execute(sa.insert(table), [{"document": id, "tag": encode_text(tag)} for tag in tags])


def change(
    connection: Connection,
    identity: Identity,
    known: LibraryDocument,
    values: Mapping[str, Any],
    tags: tuple[str, ...] | None = None,
) -> LibraryDocument:
    """Change a document, and return it.

    Args:
        connection: in a transaction that writes.
        identity: who asks.
        known: the document as the person knows it.
        values: columns with what they are to be.
        tags: new tags; ``None`` to leave them.

    Raises:
        StaleError: somebody changed it meanwhile; nothing was stored.
    """
    import sqlalchemy as sa

    now = to_change(connection, identity, known.id)
    table = tables().library
    if now.version != known.version:
        if now.version == known.version + 1 and _is_done(connection, identity, now, values, tags):
            return now  # by the first try of this very change, whose answer was lost
        raise StaleError
    if "name" in values:
        _check_free(connection, now, str(values["name"]))
    here = table.c.id == encode_text(known.id)
    connection.execute(sa.update(table).where(here).values({**values, "version": now.version + 1}))
    if tags is not None:
        put_tags(connection, encode_text(known.id), tags)
    if "visibility" in values:
        record_act(connection, identity, "share", now, {name: str(values[name]) for name in ("visibility", "team")})
    else:
        record_change(connection, identity, now, {*values, *(["tags"] if tags is not None else [])} - {"folded"})
    return document(connection, identity, known.id)


def _is_done(
    connection: Connection,
    identity: Identity,
    now: LibraryDocument,
    values: Mapping[str, Any],
    tags: tuple[str, ...] | None,
) -> bool:
    import sqlalchemy as sa

    table = tables().library
    row = connection.execute(sa.select(table).where(table.c.id == encode_text(now.id))).mappings().one()
    wanted = complete(connection, identity, [row])[0] if tags is None else replace(now, tags=tags)
    return all(row[name] == value for name, value in values.items()) and wanted == now


def _check_free(connection: Connection, known: LibraryDocument, name: str) -> None:
    import sqlalchemy as sa

    table = tables().library
    query = sa.select(table.c.id).where(
        table.c.owner == encode_text(known.owner),
        table.c.content == known.content,
        table.c.name == name,
        table.c.replaced_by == encode_text(known.replaced_by),
        table.c.id != encode_text(known.id),
    )
    if connection.execute(query).first() is not None:
        raise ChunkscopeError(
            "The same document is in the library under this name already.",
            "Choose another name, or delete one of them.",
        )


def bump(connection: Connection, known: LibraryDocument) -> None:
    """Count a change of a document."""
    import sqlalchemy as sa

    table = tables().library
    counted = sa.update(table).where(table.c.id == encode_text(known.id)).values(version=table.c.version + 1)
    connection.execute(counted)


def replace_version(connection: Connection, before: LibraryDocument, row: Mapping[str, Any]) -> None:
    """Store a new version of a document: it takes over name, tags, choices, sharing and places in sets.

    Own chunks come along, since they are aligned to whatever text there is; a reference and questions have places in
    the text before, and stay there.
    """
    import sqlalchemy as sa

    known = tables()
    old, new = encode_text(before.id), row["id"]
    kept = connection.execute(sa.select(known.library).where(known.library.c.id == old)).mappings().one()
    names = ("owner", "name", "folded", "source", "choices", "visibility", "team", "link")
    connection.execute(sa.update(known.library).where(known.library.c.id == old).values(link=None, replaced_by=new))
    connection.execute(
        sa.insert(known.library).values({**row, **{name: kept[name] for name in names}, "previous": old})
    )
    put_tags(connection, new, before.tags)
    chunks = sa.select(known.attachments).where(
        known.attachments.c.document == old, known.attachments.c.kind == "chunks"
    )
    copied = [{**each, "document": new} for each in connection.execute(chunks).mappings()]
    if copied:
        connection.execute(sa.insert(known.attachments), copied)
    connection.execute(sa.update(known.members).where(known.members.c.document == old).values(document=new))
