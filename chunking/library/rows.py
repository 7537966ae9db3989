"""Rows of the database as documents of the library, and the queries for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from chunking.access import Identity
from chunking.library.access import NotFoundError, may_change, not_yours, opens, owned, readable
from chunking.library.contract import Attachment, Choices, LibraryDocument, Listing, Query
from chunking.review.tables import decode_text, encode_text, tables

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, RowMapping, Select

Item = TypeVar("Item")

BATCH = 500
"""Values of a statement; databases take a few thousand or more."""

_PRIVATE = ("folded", "link", "options", "choices", "pasted")


def batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Yield items in parts that a statement takes."""
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))


def folded(text: str) -> str:
    """Return a text as names are searched: without its case."""
    return encode_text(text.casefold())


def is_referenced(connection: Connection, content: str) -> bool:
    """Return whether a document or an attachment has a content."""
    import sqlalchemy as sa

    return any(
        connection.execute(sa.select(sa.literal(1)).where(table.c.content == content).limit(1)).first()
        for table in (tables().library, tables().attachments)
    )


def referenced(connection: Connection) -> set[str]:
    """Return the contents of all documents and attachments."""
    import sqlalchemy as sa

    found: set[str] = set()
    for table in (tables().library, tables().attachments):
        found |= set(connection.execute(sa.select(table.c.content).distinct()).scalars())
    return found


def documents_where(
    connection: Connection, identity: Identity, *conditions: ColumnElement[bool]
) -> list[LibraryDocument]:
    """Return the documents that a person may read and that meet conditions, the latest opened first."""
    import sqlalchemy as sa

    table = tables().library
    query = sa.select(table).where(readable(identity), *conditions).order_by(table.c.opened.desc(), table.c.id)
    return complete(connection, identity, connection.execute(query).mappings().all())


def document(connection: Connection, identity: Identity, id: str, link: str = "") -> LibraryDocument:
    """Return a document.

    Args:
        connection: in a transaction.
        identity: who asks.
        id: of the document; empty to find it by its link.
        link: of a public document.

    Raises:
        NotFoundError: there is none, or not for this person.
    """
    import sqlalchemy as sa

    table = tables().library
    if id:
        query = sa.select(table).where(readable(identity), table.c.id == encode_text(id))
        row = connection.execute(query).mappings().one_or_none()
    else:
        row = connection.execute(sa.select(table).where(table.c.link == encode_text(link))).mappings().one_or_none()
        row = row if row is not None and opens(encode_text(link), row) else None
    if row is None:
        raise NotFoundError
    return complete(connection, identity, [row])[0]


def to_change(connection: Connection, identity: Identity, id: str) -> LibraryDocument:
    """Return a document that a person wants to change, held until the end of the transaction.

    Raises:
        ChunkscopeError: there is none, not for this person, or it is only shared.
    """
    import sqlalchemy as sa

    table = tables().library
    query = sa.select(table).where(owned(identity), table.c.id == encode_text(id)).with_for_update()
    row = connection.execute(query).mappings().one_or_none()
    if row is None:
        document(connection, identity, id)
        raise not_yours()
    return complete(connection, identity, [row])[0]


def listing(connection: Connection, identity: Identity, query: Query) -> Listing:
    """Return a part of the documents that a person may read."""
    import sqlalchemy as sa

    table = tables().library
    chosen = sa.select(table).where(readable(identity), *_conditions(query))
    total = connection.execute(sa.select(sa.func.count()).select_from(chosen.subquery())).scalar_one()
    column = {"opened": table.c.opened, "added": table.c.added, "size": table.c.size, "name": table.c.folded}[
        query.order
    ]
    ordered = chosen.order_by(column if query.order == "name" else column.desc(), table.c.name, table.c.id)
    rows = connection.execute(_part(ordered, query)).mappings().all()
    return Listing(tuple(complete(connection, identity, rows)), total)


def _part(ordered: Select[Any], query: Query) -> Select[Any]:
    return ordered.limit(max(query.limit, 0)).offset(max(query.offset, 0))


def _conditions(query: Query) -> Iterator[ColumnElement[bool]]:
    import sqlalchemy as sa

    table, tags, members = tables().library, tables().tags, tables().members
    for word in query.text.split():
        yield table.c.folded.contains(folded(word), autoescape=True)
    if query.tag:
        yield table.c.id.in_(sa.select(tags.c.document).where(tags.c.tag == encode_text(query.tag)))
    if query.format:
        yield table.c.format == encode_text(query.format)
    if query.document_set:
        chosen = sa.select(members.c.document).where(members.c.set_id == encode_text(query.document_set))
        yield table.c.id.in_(chosen)
    if not query.superseded:
        yield table.c.replaced_by == ""


def complete(connection: Connection, identity: Identity, rows: Sequence[RowMapping]) -> list[LibraryDocument]:
    """Return documents with their tags and attachments, in the order of their rows."""
    ids = [row["id"] for row in rows]
    tags = _by_document(connection, tables().tags, ids)
    attached = _by_document(connection, tables().attachments, ids)
    return [_document(identity, row, tags.get(row["id"], []), attached.get(row["id"], [])) for row in rows]


def _by_document(connection: Connection, table: Any, ids: Sequence[str]) -> dict[str, list[RowMapping]]:
    import sqlalchemy as sa

    found: dict[str, list[RowMapping]] = {}
    for batch in batches(ids):
        for row in connection.execute(sa.select(table).where(table.c.document.in_(batch))).mappings():
            found.setdefault(row["document"], []).append(row)
    return found


def _document(
    identity: Identity, row: RowMapping, tags: Sequence[RowMapping], attached: Sequence[RowMapping]
) -> LibraryDocument:
    plain: dict[str, Any] = {
        name: decode_text(value) if isinstance(value, str) else value
        for name, value in row.items()
        if name not in _PRIVATE
    }
    return LibraryDocument(
        **plain,
        options=tuple((str(name), str(value)) for name, value in json.loads(row["options"])),
        pasted=bool(row["pasted"]),
        choices=Choices.from_mapping(json.loads(row["choices"])),
        link=(row["link"] or "") if may_change(identity, row) else "",
        tags=tuple(sorted(decode_text(each["tag"]) for each in tags)),
        attachments=tuple(sorted(map(attachment, attached), key=lambda each: (each.kind, each.name))),
    )


def attachment(row: RowMapping) -> Attachment:
    """Return the attachment of a row."""
    return Attachment(row["kind"], decode_text(row["name"]), row["content"], row["size"], row["added"])
