"""Rows of the database as documents of the library, and the queries for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from chunking.store.access import NotFoundError, may_change, not_yours, opens, owned, readable
from chunking.store.database.tables import decode_text, encode_text, tables
from chunking.store.documents import Attachment, Choices, Facets, LibraryDocument, Listing, Query
from chunking.store.identity import Identity

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


def with_earlier(connection: Connection, identity: Identity, known: LibraryDocument) -> list[LibraryDocument]:
    """Return a document after its earlier versions, the oldest first; one that was replaced is returned alone."""
    found = [known]
    while not known.replaced_by and found[0].previous:
        found.insert(0, to_change(connection, identity, found[0].previous))
    return found


def earlier(
    connection: Connection, identity: Identity, documents: Sequence[LibraryDocument]
) -> dict[str, tuple[LibraryDocument, ...]]:
    """Return the versions before each document that was not replaced, the latest first, by its id."""
    table = tables().library
    found: dict[str, tuple[LibraryDocument, ...]] = {each.id: () for each in documents if not each.replaced_by}
    waiting = {each.previous: each.id for each in documents if each.previous and each.id in found}
    while waiting:
        after, waiting = waiting, {}
        for batch in batches(list(after)):
            for each in documents_where(connection, identity, table.c.id.in_(map(encode_text, batch))):
                found[after[each.id]] += (each,)
                if each.previous:
                    waiting[each.previous] = after[each.id]
    return found


def facets(connection: Connection, identity: Identity) -> Facets:
    """Return what the documents that a person may read can be filtered by."""
    import sqlalchemy as sa

    table, tags = tables().library, tables().tags
    here = (readable(identity), table.c.replaced_by == "")
    tagged = sa.select(tags.c.tag).join(table, table.c.id == tags.c.document).where(*here).distinct()
    formats = sa.select(table.c.format).where(*here).distinct()
    return Facets(
        tuple(sorted(map(decode_text, connection.execute(tagged).scalars()))),
        tuple(sorted(connection.execute(formats).scalars())),
    )


def total_bytes(connection: Connection, owner: str, arriving: Mapping[str, int]) -> int:
    """Return the bytes of all files of a person; a content that several documents have counts once.

    Args:
        connection: in a transaction.
        owner: of the files.
        arriving: sizes of files that are counted as well, by their content.
    """
    import sqlalchemy as sa

    library, attached = tables().library, tables().attachments
    mine = library.c.owner == encode_text(owner)
    direct = sa.select(library.c.content, library.c.size).where(mine)
    through = sa.select(attached.c.content, attached.c.size).join(library, library.c.id == attached.c.document)
    more = [sa.select(sa.literal(name), sa.literal(size, sa.BigInteger)) for name, size in arriving.items()]
    files = sa.union(direct, through.where(mine), *more).subquery()
    return int(connection.execute(sa.select(sa.func.coalesce(sa.func.sum(files.c.size), 0))).scalar_one())


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
        link=(row["link"] or "") if may_change(identity, decode_text(row["owner"])) else "",
        tags=tuple(sorted(decode_text(each["tag"]) for each in tags)),
        attachments=tuple(sorted(map(attachment, attached), key=lambda each: (each.kind, each.name))),
    )


def attachment(row: RowMapping) -> Attachment:
    """Return the attachment of a row."""
    return Attachment(row["kind"], decode_text(row["name"]), row["content"], row["size"], row["added"])
