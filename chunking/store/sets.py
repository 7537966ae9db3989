"""What a person keeps beside documents: sets of them, and text that was typed and not sent yet.

A set is documents under a name, in an order: what Collection, Evaluate and Review work on. A draft is kept by a key,
such as the place where it is typed.
"""

from __future__ import annotations

from collections.abc import Sequence

from chunking.errors import ChunkscopeError
from chunking.store.audit import AuditEvent, record
from chunking.store.database.database import batches
from chunking.store.database.sql import sa, tables
from chunking.store.document_table import DocumentTable, NotFoundError, StaleError
from chunking.store.documents import DocumentSet, check_key, checked_name
from chunking.store.library import Library

MOST_MEMBERS = 10_000
"""Documents of a set."""

DRAFT_CHARACTERS = 100_000
"""Characters of a draft."""

MOST_DRAFTS = 500
"""Drafts of a person; the oldest go first."""


class DocumentSets:
    """The sets of one person.

    Args:
        library: the documents that the person may read.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def list(self) -> list[DocumentSet]:
        """Return the sets by name."""
        return sorted(
            self._library.run(_sets), key=lambda document_set: (document_set.name.casefold(), document_set.id)
        )

    def get(self, id: str) -> DocumentSet:
        """Return a set; its documents are those that the person may read now.

        Raises:
            NotFoundError: there is none, or not for this person.
        """
        return self._library.run(lambda documents: _set(documents, id))

    def create(self, name: str, documents: Sequence[str] = ()) -> DocumentSet:
        """Create a set.

        Raises:
            ChunkscopeError: there is one of that name, or one of the documents is not there.
        """
        new = DocumentSet(self._library.storage.new_id(), _check_name(name), tuple(dict.fromkeys(documents)), 1)

        def work(documents: DocumentTable) -> DocumentSet:
            if existing := _sets(documents, new.id):
                return existing[0]  # by a first try whose answer was lost
            _check_free(documents, new)
            row = {"id": new.id, "owner": documents.identity.subject, "name": new.name, "version": 1}
            documents.connection.execute(sa.insert(tables.sets).values(row))
            return _put_members(documents, new)

        return self._library.run(work, writes=True)

    def save(self, changed: DocumentSet) -> DocumentSet:
        """Store a new name or other documents, and return the set.

        Args:
            changed: the set as the person knows it, with what is new; its version says what it rests on.

        Raises:
            StaleError: it was changed meanwhile; nothing was stored.
        """
        _check_name(changed.name)

        def work(documents: DocumentTable) -> DocumentSet:
            columns = tables.sets.c
            documents.connection.execute(sa.select(columns.id).where(columns.id == changed.id).with_for_update()).all()
            stored = _set(documents, changed.id)
            if stored.version != changed.version:
                if stored == DocumentSet(changed.id, changed.name, changed.documents, changed.version + 1):
                    return stored
                raise StaleError("set of documents")
            _check_free(documents, changed)
            values = {"name": changed.name, "version": stored.version + 1}
            documents.connection.execute(sa.update(tables.sets).where(columns.id == changed.id).values(values))
            return _put_members(documents, changed)

        return self._library.run(work, writes=True)

    def delete(self, id: str) -> None:
        """Delete a set; its documents stay. One that is not there is deleted already."""

        def work(documents: DocumentTable) -> None:
            if _sets(documents, id):
                documents.connection.execute(sa.delete(tables.members).where(tables.members.c.set_id == id))
                documents.connection.execute(sa.delete(tables.sets).where(tables.sets.c.id == id))
                record(documents.connection, documents.identity, AuditEvent("delete", "set", id))

        self._library.run(work, writes=True)


def _check_name(name: str) -> str:
    name = checked_name(name)
    check_key(name, "The name of the set")
    return name


def _set(documents: DocumentTable, id: str) -> DocumentSet:
    sets = _sets(documents, id)
    if not sets:
        raise NotFoundError("set of documents")
    return sets[0]


def _sets(documents: DocumentTable, id: str | None = None) -> list[DocumentSet]:
    """Return the sets of a person, or the one with an id."""
    sets, members, library = tables.sets, tables.members, tables.library
    query = sa.select(sets).where(sets.c.owner == documents.identity.subject)
    rows = documents.connection.execute(query if id is None else query.where(sets.c.id == id)).all()
    members_of: dict[str, list[str]] = {row.id: [] for row in rows}
    for batch in batches(members_of):
        query = (
            sa.select(members.c.set_id, members.c.document)
            .join(library, library.c.id == members.c.document)
            .where(members.c.set_id.in_(batch), documents.readable())
            .order_by(members.c.position, members.c.document)
        )
        for set_id, document in documents.connection.execute(query):
            members_of[set_id].append(document)
    return [DocumentSet(row.id, row.name, tuple(members_of[row.id]), row.version) for row in rows]


def _check_free(documents: DocumentTable, document_set: DocumentSet) -> None:
    columns = tables.sets.c
    same = (
        columns.owner == documents.identity.subject,
        columns.name == document_set.name,
        columns.id != document_set.id,
    )
    if documents.connection.execute(sa.select(columns.id).where(*same)).first() is not None:
        raise ChunkscopeError("There is a set of this name already.", "Choose another name.")


def _put_members(documents: DocumentTable, document_set: DocumentSet) -> DocumentSet:
    """Store the documents of a set, and return it."""
    if len(document_set.documents) > MOST_MEMBERS:
        raise ChunkscopeError(f"A set has at most {MOST_MEMBERS:,} documents.", "Make several sets.")
    members, library = tables.members, tables.library
    ids = list(dict.fromkeys(document_set.documents))
    for batch in batches(ids):
        readable = sa.select(sa.func.count()).select_from(library).where(documents.readable(), library.c.id.in_(batch))
        if documents.connection.execute(readable).scalar_one() < len(batch):
            raise NotFoundError
    documents.connection.execute(sa.delete(members).where(members.c.set_id == document_set.id))
    if ids:
        rows = [{"set_id": document_set.id, "document": id, "position": position} for position, id in enumerate(ids)]
        documents.connection.execute(sa.insert(members), rows)
    return _set(documents, document_set.id)


# --- drafts -----------------------------------------------------------------------------------------------------------


class Drafts:
    """The drafts of one person.

    Args:
        library: of the person.
    """

    def __init__(self, library: Library) -> None:
        self._library = library

    def put(self, key: str, text: str) -> None:
        """Keep a text under a key in place of an earlier one; an empty text deletes it.

        Raises:
            ChunkscopeError: the text or the key is too long.
        """
        check_key(key, "The key of the draft")
        if len(text) > DRAFT_CHARACTERS:
            raise ChunkscopeError("The text is too long to be kept.", f"Use at most {DRAFT_CHARACTERS:,} characters.")
        owner, now = self._library.identity.subject, self._library.storage.now()

        def work(documents: DocumentTable) -> None:
            connection, table = documents.connection, tables.drafts
            is_owned = table.c.owner == owner
            connection.execute(sa.delete(table).where(is_owned, table.c.key == key))
            if text:
                connection.execute(sa.insert(table).values(owner=owner, key=key, text=text, at=now))
                latest = (
                    sa.select(table.c.key).where(is_owned).order_by(table.c.at.desc(), table.c.key).limit(MOST_DRAFTS)
                )
                # A clock that was set back must not make the latest one the oldest.
                connection.execute(sa.delete(table).where(is_owned, table.c.key.not_in(latest), table.c.key != key))

        self._library.run(work, writes=True)

    def get(self, key: str) -> str:
        """Return the text of a key; empty if there is none."""
        return self.all().get(key, "")

    def all(self) -> dict[str, str]:
        """Return all texts by key, the latest last."""
        table = tables.drafts
        query = sa.select(table.c.key, table.c.text).where(table.c.owner == self._library.identity.subject)
        ordered = query.order_by(table.c.at, table.c.key)
        return self._library.run(lambda documents: dict(documents.connection.execute(ordered).all()))
