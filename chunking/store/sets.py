"""Documents under a name, in an order: what Collection, Evaluate and Review work on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.store import rows
from chunking.store.access import NotFoundError, StaleError, readable
from chunking.store.audit import Act, record
from chunking.store.checks import check_key, checked_name
from chunking.store.database.tables import decode_text, encode_text, tables
from chunking.store.documents import DocumentSet
from chunking.store.identity import Identity
from chunking.store.library import Library

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, RowMapping

MOST_MEMBERS = 10_000
"""Documents of a set."""


class DocumentSets:
    """The sets of one person.

    Args:
        library: the documents that the person may read.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def list(self) -> list[DocumentSet]:
        """Return the sets by name."""
        found = self._library.storage.database.run(partial(_sets, identity=self._library.identity))
        return sorted(found, key=lambda each: (each.name.casefold(), each.id))

    def get(self, id: str) -> DocumentSet:
        """Return a set; its documents are those that the person may read now.

        Raises:
            NotFoundError: there is none, or not for this person.
        """
        found = self._library.storage.database.run(partial(_sets, identity=self._library.identity, id=id))
        if not found:
            raise NotFoundError("set of documents")
        return found[0]

    def create(self, name: str, documents: Sequence[str] = ()) -> DocumentSet:
        """Create a set.

        Raises:
            ChunkscopeError: there is one of that name, or one of the documents is not there.
        """
        made = DocumentSet(self._library.storage.new_id(), _checked(name), tuple(dict.fromkeys(documents)), 1)
        return self._library.storage.database.run(
            partial(_create, identity=self._library.identity, made=made), writes=True
        )

    def save(self, changed: DocumentSet) -> DocumentSet:
        """Store a new name or other documents, and return the set.

        Args:
            changed: the set as the person knows it, with what is new; its version says what it rests on.

        Raises:
            StaleError: it was changed meanwhile; nothing was stored.
        """
        _checked(changed.name)
        return self._library.storage.database.run(
            partial(_save, identity=self._library.identity, changed=changed), writes=True
        )

    def delete(self, id: str) -> None:
        """Delete a set; its documents stay. One that is not there is deleted already."""
        self._library.storage.database.run(partial(_delete, identity=self._library.identity, id=id), writes=True)


def _checked(name: str) -> str:
    name = checked_name(name)
    check_key(name, "The name of the set")
    return name


def _own(identity: Identity, id: str | None) -> list[ColumnElement[bool]]:
    table = tables().sets
    mine = table.c.owner == encode_text(identity.subject)
    return [mine] if id is None else [mine, table.c.id == encode_text(id)]


def _sets(connection: Connection, identity: Identity, id: str | None = None) -> list[DocumentSet]:
    import sqlalchemy as sa

    table, members, library = tables().sets, tables().members, tables().library
    found = connection.execute(sa.select(table).where(*_own(identity, id))).mappings().all()
    documents: dict[str, list[str]] = {}
    for batch in rows.batches([row["id"] for row in found]):
        query = (
            sa.select(members.c.set_id, members.c.document)
            .join(library, library.c.id == members.c.document)
            .where(members.c.set_id.in_(batch), readable(identity))
            .order_by(members.c.position, members.c.document)
        )
        for of, document in connection.execute(query):
            documents.setdefault(of, []).append(document)
    return [_set(row, documents.get(row["id"], [])) for row in found]


def _set(row: RowMapping, documents: Sequence[str]) -> DocumentSet:
    return DocumentSet(row["id"], decode_text(row["name"]), tuple(documents), row["version"])


def _create(connection: Connection, identity: Identity, made: DocumentSet) -> DocumentSet:
    import sqlalchemy as sa

    known = _sets(connection, identity, made.id)
    if known:
        return known[0]  # by a first try whose answer was lost
    _check_free(connection, identity, made)
    row = {"id": made.id, "owner": encode_text(identity.subject), "name": encode_text(made.name), "version": 1}
    connection.execute(sa.insert(tables().sets).values(row))
    _put_members(connection, identity, made)
    return _sets(connection, identity, made.id)[0]


def _check_free(connection: Connection, identity: Identity, wanted: DocumentSet) -> None:
    import sqlalchemy as sa

    table = tables().sets
    taken = sa.select(table.c.id).where(
        *_own(identity, None), table.c.name == encode_text(wanted.name), table.c.id != wanted.id
    )
    if connection.execute(taken).first() is not None:
        raise ChunkscopeError("There is a set of this name already.", "Choose another name.")


def _put_members(connection: Connection, identity: Identity, wanted: DocumentSet) -> None:
    import sqlalchemy as sa

    if len(wanted.documents) > MOST_MEMBERS:
        raise ChunkscopeError(f"A set has at most {MOST_MEMBERS:,} documents.", "Make several sets.")
    members, library = tables().members, tables().library
    ids = [encode_text(id) for id in dict.fromkeys(wanted.documents)]
    there: set[str] = set()
    for batch in rows.batches(ids):
        there |= set(
            connection.execute(sa.select(library.c.id).where(readable(identity), library.c.id.in_(batch))).scalars()
        )
    if len(there) < len(ids):
        raise NotFoundError
    connection.execute(sa.delete(members).where(members.c.set_id == wanted.id))
    if ids:
        placed = [{"set_id": wanted.id, "document": id, "position": place} for place, id in enumerate(ids)]
        connection.execute(sa.insert(members), placed)


def _save(connection: Connection, identity: Identity, changed: DocumentSet) -> DocumentSet:
    import sqlalchemy as sa

    table = tables().sets
    held = sa.select(table.c.id).where(*_own(identity, changed.id)).with_for_update()
    connection.execute(held).all()
    found = _sets(connection, identity, changed.id)
    if not found:
        raise NotFoundError("set of documents")
    (known,) = found
    if known.version != changed.version:
        if known.version == changed.version + 1 and (known.name, known.documents) == (changed.name, changed.documents):
            return known
        raise StaleError("set of documents")
    _check_free(connection, identity, changed)
    values = {"name": encode_text(changed.name), "version": known.version + 1}
    connection.execute(sa.update(table).where(table.c.id == changed.id).values(values))
    _put_members(connection, identity, changed)
    return _sets(connection, identity, changed.id)[0]


def _delete(connection: Connection, identity: Identity, id: str) -> None:
    import sqlalchemy as sa

    if _sets(connection, identity, id):
        connection.execute(sa.delete(tables().members).where(tables().members.c.set_id == encode_text(id)))
        connection.execute(sa.delete(tables().sets).where(tables().sets.c.id == encode_text(id)))
        record(connection, identity, Act("delete", "set", id))
