"""The documents of the library as one person may read and change them, within one transaction.

This is the one place that decides who may see and change what. Each query has the condition
:meth:`DocumentTable.readable` of the person who asks, so that what is not theirs is never found; an id of somebody else
and an id of nobody give the same error. An admin may do what owners may; whoever uses Chunkscope without a log-in owns
one library and sees that alone. What the audit log has to hold is recorded here as well, in the same transaction.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chunking.errors import ChunkscopeError
from chunking.store.audit import Action, AuditEvent, foreign_owner, record
from chunking.store.database.database import batches, hold
from chunking.store.database.sql import sa, tables
from chunking.store.documents import (
    Attachment,
    DocumentSettings,
    Facets,
    LibraryDocument,
    ListedDocument,
    Listing,
    NewDocument,
    Query,
    checked_name,
)
from chunking.store.identity import Identity
from chunking.store.storage import LibraryStorage

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection, RowMapping, Table

_STORED_OTHERWISE = ("folded", "link", "options", "choices", "pasted")
"""Columns whose values are no attributes of a document, or other ones."""


class NotFoundError(ChunkscopeError):
    """The error for what does not exist and for what a person may not see, so that nobody can tell them apart."""

    def __init__(self, kind: str = "document") -> None:
        super().__init__(f"There is no such {kind}.", "Check the link; it may have been deleted.")


class StaleError(ChunkscopeError):
    """The error for a change that rests on an older version."""

    def __init__(self, kind: str = "document") -> None:
        super().__init__(
            f"The {kind} was changed in another window.", "Nothing was stored. Look at it again, then repeat."
        )


def _is_admin(identity: Identity) -> bool:
    return identity.is_known and identity.may("admin")


def may_change(identity: Identity, owner: str) -> bool:
    """Return whether a person may change the documents of an owner."""
    return _is_admin(identity) or owner == identity.subject


def new_row(identity: Identity, storage: LibraryStorage, new: NewDocument | ListedDocument) -> dict[str, Any]:
    """Return the row of a document that is to be stored for a person.

    Args:
        identity: the person.
        storage: where it is to be stored.
        new: the document: loaded just now, or as an archive lists it.
    """
    if isinstance(new, NewDocument):
        document = new.document
        values: dict[str, Any] = {name: getattr(document, name) for name in ("text_hash", "key", "format", "language")}
        values |= {"name": document.name, "source": document.name, "options": document.load_options}
        values |= {"content": "", "size": len(new.data), "characters": len(document.text)}
    else:
        values = {name: getattr(new, name) for name in ("text_hash", "key", "format", "language", "name", "source")}
        values |= {name: getattr(new, name) for name in ("options", "content", "size", "characters")}
    name, now = checked_name(values["name"]), storage.now()
    return values | {
        "id": storage.new_id(),
        "owner": identity.subject,
        "name": name,
        "folded": name.casefold(),
        "source": checked_name(values["source"]),
        "options": json.dumps(values["options"]),
        "pasted": new.pasted,
        "choices": new.choices.as_json(),
        "visibility": "private",
        "link": None,
        "added": new.added if isinstance(new, ListedDocument) else now,
        "opened": now,
        **dict.fromkeys(("team", "previous", "replaced_by", "folder", "path", "missing"), ""),
        "version": 1,
    }


class DocumentTable:
    """The documents as one person may read and change them, see the module.

    Args:
        connection: in a transaction; one that writes, for methods that change something.
        identity: the person.
        storage: where the files are.
    """

    def __init__(self, connection: Connection, identity: Identity, storage: LibraryStorage) -> None:
        self.connection = connection
        self.identity = identity
        self.storage = storage

    # --- reading

    def readable(self) -> ColumnElement[bool]:
        """Return the condition on documents that the person may read without a link."""
        columns = tables.library.c
        shared = sa.and_(columns.visibility == "team", columns.team.in_(sorted(filter(None, self.identity.teams))))
        return sa.or_(self._is_owned(), shared)

    def _is_owned(self) -> ColumnElement[bool]:
        return sa.true() if _is_admin(self.identity) else tables.library.c.owner == self.identity.subject

    def where(self, *conditions: ColumnElement[bool]) -> list[LibraryDocument]:
        """Return the documents that the person may read and that meet conditions, the latest opened first."""
        table = tables.library
        query = sa.select(table).where(self.readable(), *conditions).order_by(table.c.opened.desc(), table.c.id)
        return self._complete(self.connection.execute(query).mappings().all())

    def get(self, id: str) -> LibraryDocument:
        """Return a document.

        Raises:
            NotFoundError: there is none, or not for this person.
        """
        documents = self.where(tables.library.c.id == id)
        if not documents:
            raise NotFoundError
        return documents[0]

    def get_many(self, ids: Iterable[str]) -> dict[str, LibraryDocument]:
        """Return documents by id, without those that do not exist or that the person may not read."""
        column = tables.library.c.id
        return {document.id: document for batch in batches(ids) for document in self.where(column.in_(batch))}

    def get_public(self, link: str) -> LibraryDocument:
        """Return the document that a link opens, in a time that says nothing about how much of the link is right.

        Raises:
            NotFoundError: no document has this link.
        """
        table = tables.library
        row = self.connection.execute(sa.select(table).where(table.c.link == link)).mappings().one_or_none()
        if row is None or row["visibility"] != "public" or not _is_same(row["link"], link):
            raise NotFoundError
        return self._complete([row])[0]

    def earlier(self, documents: Sequence[LibraryDocument]) -> dict[str, tuple[LibraryDocument, ...]]:
        """Return the versions before each document that was not replaced, the latest first, by its id."""
        current = [document for document in documents if not document.replaced_by]
        versions: dict[str, tuple[LibraryDocument, ...]] = {document.id: () for document in current}
        latest = {document.previous: document.id for document in current if document.previous}
        while latest:
            previous = self.get_many(latest).values()
            for version in previous:
                versions[latest[version.id]] += (version,)
            latest = {version.previous: latest[version.id] for version in previous if version.previous}
        return versions

    def facets(self) -> Facets:
        """Return what the documents that the person may read can be filtered by."""
        table, tags = tables.library, tables.tags
        conditions = (self.readable(), table.c.replaced_by == "")
        tagged = sa.select(tags.c.tag).join(table, table.c.id == tags.c.document).where(*conditions).distinct()
        formats = sa.select(table.c.format).where(*conditions).distinct()
        return Facets(*(tuple(sorted(self.connection.execute(query).scalars())) for query in (tagged, formats)))

    def listing(self, query: Query | None = None) -> Listing:
        """Return a part of the documents that the person may read, and how many there are."""
        query, columns = query or Query(), tables.library.c
        selected = sa.select(tables.library).where(self.readable(), *_conditions(query))
        total = self.connection.execute(sa.select(sa.func.count()).select_from(selected.subquery())).scalar_one()
        order = {
            "opened": columns.opened.desc(),
            "added": columns.added.desc(),
            "size": columns.size.desc(),
            "name": columns.folded,
        }
        ordered = selected.order_by(order[query.order], columns.name, columns.id)
        part = ordered.limit(max(query.limit, 0)).offset(max(query.offset, 0))
        return Listing(tuple(self._complete(self.connection.execute(part).mappings().all())), total)

    def total_bytes(self, arriving: Mapping[str, int]) -> int:
        """Return the bytes of all files of the person; a content that several documents have counts once.

        Args:
            arriving: sizes of files that are counted as well, by their content.
        """
        library, attached = tables.library, tables.attachments
        is_owned = library.c.owner == self.identity.subject
        direct = sa.select(library.c.content, library.c.size).where(is_owned)
        through = sa.select(attached.c.content, attached.c.size).join(library, library.c.id == attached.c.document)
        more = [sa.select(sa.literal(name), sa.literal(size, sa.BigInteger)) for name, size in arriving.items()]
        files = sa.union(direct, through.where(is_owned), *more).subquery()
        return int(self.connection.execute(sa.select(sa.func.coalesce(sa.func.sum(files.c.size), 0))).scalar_one())

    def _complete(self, rows: Sequence[RowMapping]) -> list[LibraryDocument]:
        """Return documents with their tags and attachments, in the order of their rows."""
        ids = [row["id"] for row in rows]
        tags, attached = (self._by_document(table, ids) for table in (tables.tags, tables.attachments))
        return [
            LibraryDocument(
                **{name: value for name, value in row.items() if name not in _STORED_OTHERWISE},
                options=tuple((str(name), str(value)) for name, value in json.loads(row["options"])),
                pasted=bool(row["pasted"]),
                choices=DocumentSettings.from_json(row["choices"]),
                link=(row["link"] or "") if may_change(self.identity, row["owner"]) else "",
                tags=tuple(sorted(tag["tag"] for tag in tags.get(row["id"], ()))),
                attachments=tuple(
                    sorted(
                        map(_attachment, attached.get(row["id"], ())),
                        key=lambda file: (file.kind, file.name),
                    )
                ),
            )
            for row in rows
        ]

    def _by_document(self, table: Table, ids: Sequence[str]) -> dict[str, list[RowMapping]]:
        rows: dict[str, list[RowMapping]] = {}
        for batch in batches(ids):
            for row in self.connection.execute(sa.select(table).where(table.c.document.in_(batch))).mappings():
                rows.setdefault(row["document"], []).append(row)
        return rows

    # --- changing

    def to_change(self, id: str) -> LibraryDocument:
        """Return a document that the person wants to change, held until the end of the transaction.

        Raises:
            ChunkscopeError: there is none, not for this person, or it is only shared.
        """
        table = tables.library
        query = sa.select(table).where(self._is_owned(), table.c.id == id).with_for_update()
        row = self.connection.execute(query).mappings().one_or_none()
        if row is None:
            self.get(id)
            raise ChunkscopeError("The document is shared with you for reading.", "Ask its owner to change it.")
        return self._complete([row])[0]

    def with_earlier(self, id: str) -> list[LibraryDocument]:
        """Return a document that the person wants to change after its earlier versions, the oldest first.

        One that was replaced is returned alone.
        """
        versions = [self.to_change(id)]
        while not versions[-1].replaced_by and versions[0].previous:
            versions.insert(0, self.to_change(versions[0].previous))
        return versions

    def update(self, id: str, *conditions: ColumnElement[bool], **values: Any) -> None:
        """Change columns of a document, if it meets conditions."""
        table = tables.library
        self.connection.execute(sa.update(table).where(table.c.id == id, *conditions).values(**values))

    def insert(self, row: Mapping[str, Any], data: bytes, tags: tuple[str, ...]) -> LibraryDocument:
        """Store a document whose file was stored before; the same content under the same name is there once."""
        table = tables.library
        self.ensure_file(row["content"], data)
        same = [table.c[name] == row[name] for name in ("owner", "content", "name", "replaced_by")]
        id = self.connection.execute(sa.select(table.c.id).where(*same)).scalar()
        if id is None:
            id = row["id"]
            self.connection.execute(sa.insert(table).values(row))
            self.put_tags(id, tags)
        else:
            self.touch(id, row["opened"])
        return self.get(id)

    def ensure_file(self, content: str, data: bytes) -> None:
        """See that a file is there, and stays until the end of the transaction: it may have been deleted meanwhile."""
        hold(self.connection, [content])
        if not self.storage.files.has(content):
            self.storage.files.put(data)

    def touch(self, id: str, now: str) -> None:
        """Note that a document was opened; a clock that was set back does not make it older."""
        self.update(id, tables.library.c.opened < now, opened=now)

    def put_tags(self, id: str, tags: tuple[str, ...]) -> None:
        """Replace the tags of a document."""
        table = tables.tags
        self.connection.execute(sa.delete(table).where(table.c.document == id))
        if tags:
            self.connection.execute(sa.insert(table), [{"document": id, "tag": tag} for tag in tags])

    def change(
        self, document: LibraryDocument, values: Mapping[str, Any], tags: tuple[str, ...] | None = None
    ) -> LibraryDocument:
        """Change a document, and return it.

        Args:
            document: as the person knows it.
            values: columns with what they are to be.
            tags: new tags; ``None`` to leave them.

        Raises:
            StaleError: somebody changed it meanwhile; nothing was stored.
        """
        now = self.to_change(document.id)
        if now.version != document.version:
            if now.version == document.version + 1 and self._is_done(now, values, tags):
                return now  # by the first try of this very change, whose answer was lost
            raise StaleError
        if "name" in values:
            self._check_free(now, str(values["name"]))
        self.update(document.id, **values, version=now.version + 1)
        if tags is not None:
            self.put_tags(document.id, tags)
        if "visibility" in values:
            self.record("share", now, {name: str(values[name]) for name in ("visibility", "team")})
        else:
            self.record_change(now, {*values, *(["tags"] if tags is not None else [])} - {"folded"})
        return self.get(document.id)

    def _is_done(self, now: LibraryDocument, values: Mapping[str, Any], tags: tuple[str, ...] | None) -> bool:
        table = tables.library
        row = self.connection.execute(sa.select(table).where(table.c.id == now.id)).mappings().one()
        return all(row[name] == value for name, value in values.items()) and tags in (None, now.tags)

    def _check_free(self, document: LibraryDocument, name: str) -> None:
        columns = tables.library.c
        query = sa.select(columns.id).where(
            columns.owner == document.owner,
            columns.content == document.content,
            columns.name == name,
            columns.replaced_by == document.replaced_by,
            columns.id != document.id,
        )
        if self.connection.execute(query).first() is not None:
            raise ChunkscopeError(
                "The same document is in the library under this name already.",
                "Choose another name, or delete one of them.",
            )

    def count_change(self, document: LibraryDocument, field: str) -> LibraryDocument:
        """Count a change of what belongs to a document, and return the document as it is then."""
        self.update(document.id, version=tables.library.c.version + 1)
        self.record_change(document, [field])
        return self.get(document.id)

    def replace_version(self, before: LibraryDocument, row: Mapping[str, Any]) -> LibraryDocument:
        """Store a new version of a document: it takes over name, tags, choices, sharing and places in sets.

        Own chunks come along, since they are aligned to whatever text there is; a reference and questions have places
        in the text before, and stay there.
        """
        library, attached = tables.library, tables.attachments
        values_before = self.connection.execute(sa.select(library).where(library.c.id == before.id)).mappings().one()
        names = ("owner", "name", "folded", "source", "choices", "visibility", "team", "link")
        self.update(before.id, link=None, replaced_by=row["id"])
        values = {**row, **{name: values_before[name] for name in names}, "previous": before.id}
        self.connection.execute(sa.insert(library).values(values))
        self.put_tags(row["id"], before.tags)
        chunks = sa.select(attached).where(attached.c.document == before.id, attached.c.kind == "chunks")
        copies = [{**file, "document": row["id"]} for file in self.connection.execute(chunks).mappings()]
        if copies:
            self.connection.execute(sa.insert(attached), copies)
        members = tables.members
        self.connection.execute(sa.update(members).where(members.c.document == before.id).values(document=row["id"]))
        return self.get(row["id"])

    # --- the audit log

    def record(self, action: Action, document: LibraryDocument, detail: Mapping[str, str | int] | None = None) -> None:
        """Record what the person does to a document."""
        event = AuditEvent(action, "document", document.id, foreign_owner(self.identity, document.owner), detail or {})
        record(self.connection, self.identity, event)

    def record_change(self, document: LibraryDocument, fields: Iterable[str]) -> None:
        """Record that an admin changes fields of somebody else's document; one's own changes are one's own matter."""
        if foreign_owner(self.identity, document.owner):
            self.record("change", document, {"fields": " ".join(sorted(fields))})


def _attachment(row: RowMapping) -> Attachment:
    return Attachment(row["kind"], row["name"], row["content"], row["size"], row["added"])


def _is_same(secret: str, text: str) -> bool:
    return hmac.compare_digest(secret.encode("utf-8", "surrogatepass"), text.encode("utf-8", "surrogatepass"))


def _conditions(query: Query) -> Iterator[ColumnElement[bool]]:
    columns, tags, members = tables.library.c, tables.tags, tables.members
    for word in query.text.split():
        yield columns.folded.contains(word.casefold(), autoescape=True)
    if query.tag:
        yield columns.id.in_(sa.select(tags.c.document).where(tags.c.tag == query.tag))
    if query.format:
        yield columns.format == query.format
    if query.document_set:
        yield columns.id.in_(sa.select(members.c.document).where(members.c.set_id == query.document_set))
    if not query.superseded:
        yield columns.replaced_by == ""
