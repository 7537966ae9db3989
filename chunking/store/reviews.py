"""Storage of reviews: events in a database, appended and read, never changed.

The store works on any SQLAlchemy engine that it is given. It guarantees:

- An event that was acknowledged is on disk and stays there, whatever is killed afterwards.
- :meth:`ReviewStore.append` stores all of its events or none. An event counts once however often it is sent, so a call
  that lost its connection is simply repeated: the store does so once itself, with a new connection.
- The events of a document are numbered 1, 2, 3 … in the order in which they were stored. A reader of *n* events has
  exactly those up to *n*, even while others write.
- Any failure of the database is a :class:`~chunking.errors.ChunkscopeError`, and the next call tries afresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.reference.events import Event
from chunking.store import accounts
from chunking.store.database.database import Database
from chunking.store.database.dialects import address, engine_options
from chunking.store.database.tables import decode_text, encode_text, tables
from chunking.store.identity import Identity

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping

__all__ = ["KEY_LIMIT", "ReviewStore", "ReviewedDocument", "address", "engine_options"]

Result = TypeVar("Result")

KEY_LIMIT = 200
"""Maximum length of a token and of a document's hash, in characters, so that an index can hold them."""

_BATCH = 500  # values a statement; databases take a few thousand or more
_LARGEST = 2**63 - 1  # of a column


@dataclass(frozen=True, slots=True)
class ReviewedDocument:
    """A document known to the store.

    Attributes:
        hash: :attr:`chunking.document.Document.text_hash`.
        name, characters, language: as last registered; empty and 0 if only its events were stored.
        events: number of its events.
        reviewers: names of those who judged it, in the order in which they began.
        last: when its last event was stored, ISO 8601 in UTC; empty if it has none.
    """

    hash: str
    name: str
    characters: int
    language: str
    events: int = 0
    reviewers: tuple[str, ...] = ()
    last: str = ""


class ReviewStore(Database):
    """The reviews in one database, see the module."""

    def register(self, document: Document) -> None:
        """Register a document, or its new name and language."""
        row = {
            "hash": document.text_hash,
            "name": encode_text(document.name),
            "characters": len(document.text),
            "language": encode_text(document.language),
        }
        if not self.run(partial(_is_registered, row=row), writes=False):
            self.run(partial(_register, row=row), writes=True)

    def append(self, events: Sequence[Event]) -> list[Event]:
        """Store events, all or none; those already stored stay as they are.

        Args:
            events: their :attr:`~chunking.reference.events.Event.at` is ignored. Their document need not be registered.

        Returns:
            The stored events, unique, in the order of their numbers (document by document, in the order of first
            occurrence).

        Raises:
            ChunkscopeError: an event has the token of another one, bears the name of an identity that is not its
                subject, is too large, or the database cannot store it.
        """
        return self.run(partial(append_events, events=events), writes=True) if events else []

    def events(self, document: str, after: int = 0) -> list[Event]:
        """Return the events of a document, in the order in which they were stored.

        Args:
            document: its hash.
            after: number of leading events to omit, because the caller has them.
        """
        import sqlalchemy as sa

        table = tables().events
        query = sa.select(table).where(table.c.document == encode_text(document), table.c.number > after)
        rows = self.run(lambda connection: connection.execute(query.order_by(table.c.number)).mappings().all())
        return [_event(row) for row in rows]

    def register_account(self, identity: Identity) -> str:
        """Return the name under which an identity reviews, which stays the same and is that of nobody else.

        It is her display name, with a number where that belongs to another identity or was typed by somebody before.
        """
        return self.run(partial(accounts.register, identity=identity), writes=True)

    def accounts(self, names: Iterable[str]) -> dict[str, str]:
        """Return the subject of each name that belongs to an identity."""
        return self.run(partial(accounts.subjects, names=list(names)))

    def stored(self, tokens: Iterable[str]) -> set[str]:
        """Return those of the tokens that belong to stored events."""
        return set(self.by_token(tokens))

    def by_token(self, tokens: Iterable[str]) -> dict[str, Event]:
        """Return the stored events of tokens, by token."""
        asked = list(dict.fromkeys(tokens))
        found = self.run(partial(_by_token, tokens=asked)) if asked else {}
        return {token: event for token, (_, event) in found.items()}

    def reviewers(self, document: str) -> list[str]:
        """Return the names of those who judged a document, in the order in which they began."""
        return self.run(partial(_reviewers, document=document)).get(document, [])

    def documents(self) -> list[ReviewedDocument]:
        """Return all documents: latest events first, those without any last and by name."""
        found = self.run(_documents)
        return sorted(sorted(found, key=lambda each: (each.name, each.hash)), key=lambda each: each.last, reverse=True)


def delete_events(connection: Connection, document: str) -> None:
    """Delete the events of a text, and what is registered of it, in a transaction that writes."""
    import sqlalchemy as sa

    for table, column in ((tables().events, "document"), (tables().documents, "hash")):
        connection.execute(sa.delete(table).where(table.c[column] == encode_text(document)))


def _distinct(events: Sequence[Event]) -> dict[str, Event]:
    """Return the events by token, without their time."""
    wanted: dict[str, Event] = {}
    for event in events:
        check_size(event)
        event = replace(event, at="")
        if wanted.setdefault(event.token, event) != event:
            raise _other_content(event.token)
    return wanted


def check_size(event: Event) -> None:
    """Check that the database can hold an event.

    Raises:
        ChunkscopeError: it cannot.
    """
    if max(len(event.token), len(event.document)) > KEY_LIMIT:
        raise ChunkscopeError(
            f"The token or the document's hash of an event is longer than {KEY_LIMIT} characters.",
            "Nothing was stored. Use short tokens, such as UUIDs.",
        )
    if max(event.offset, event.target or 0) > _LARGEST:
        raise ChunkscopeError("A place in the text lies beyond any text.", "Nothing was stored. Correct it.")


def _other_content(token: str) -> ChunkscopeError:
    return ChunkscopeError(
        f"An event with the token {token!r:.60} is there already and says something else.",
        "Nothing was stored. Give each event a token of its own.",
    )


def append_events(connection: Connection, events: Sequence[Event]) -> list[Event]:
    """Store events in a transaction that writes; see :meth:`ReviewStore.append`."""
    import sqlalchemy as sa

    if not (wanted := _distinct(events)):
        return []
    documents = list(dict.fromkeys(event.document for event in wanted.values()))
    _hold(connection, documents)
    accounts.check(connection, wanted.values())
    stored = _by_token(connection, list(wanted))
    for token, (_, event) in stored.items():
        if replace(event, at="") != wanted[token]:
            raise _other_content(token)
    last = _last_numbers(connection, documents)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    rows = []
    for token, event in wanted.items():
        if token not in stored:
            last[event.document] = number = last.get(event.document, 0) + 1
            stored[token] = number, replace(event, at=now)
            rows.append(_row(stored[token][1], number))
    if rows:
        # What is returned is of no use, but lets SQLAlchemy send many rows in one statement.
        connection.execute(sa.insert(tables().events).returning(tables().events.c.number), rows).all()
    order = {document: place for place, document in enumerate(documents)}
    return [event for _, event in sorted(stored.values(), key=lambda each: (order[each[1].document], each[0]))]


def _hold(connection: Connection, documents: Sequence[str]) -> None:
    """Lock these documents against new events until the end of the transaction."""
    import sqlalchemy as sa

    table = tables().documents
    for batch in _batches(
        sorted(map(encode_text, documents))
    ):  # always in the same order, so that no two wait for each other
        bare = [{"hash": each, "name": "", "characters": 0, "language": ""} for each in batch]
        connection.execute(_insert(connection)(table).values(bare).on_conflict_do_nothing())
        held = sa.select(table.c.hash).where(table.c.hash.in_(batch))
        connection.execute(held.order_by(table.c.hash).with_for_update()).all()


def _last_numbers(connection: Connection, documents: Sequence[str]) -> dict[str, int]:
    import sqlalchemy as sa

    table = tables().events
    last: dict[str, int] = {}
    for batch in _batches(list(map(encode_text, documents))):
        query = sa.select(table.c.document, sa.func.max(table.c.number)).where(table.c.document.in_(batch))
        for document, number in connection.execute(query.group_by(table.c.document)):
            last[decode_text(document)] = number
    return last


def _by_token(connection: Connection, tokens: Sequence[str]) -> dict[str, tuple[int, Event]]:
    """Return number and event of the tokens that are stored."""
    import sqlalchemy as sa

    table = tables().events
    found: dict[str, tuple[int, Event]] = {}
    for batch in _batches(list(map(encode_text, tokens))):
        for row in connection.execute(sa.select(table).where(table.c.token.in_(batch))).mappings():
            event = _event(row)
            found[event.token] = row["number"], event
    return found


def _is_registered(connection: Connection, row: dict[str, Any]) -> bool:
    import sqlalchemy as sa

    table = tables().documents
    found = connection.execute(sa.select(table).where(table.c.hash == row["hash"])).mappings().one_or_none()
    return found is not None and dict(found) == row


def _register(connection: Connection, row: dict[str, Any]) -> None:
    later = {name: value for name, value in row.items() if name != "hash"}
    insert = _insert(connection)(tables().documents).values(row)
    connection.execute(insert.on_conflict_do_update(index_elements=["hash"], set_=later))


def _reviewers(connection: Connection, document: str | None = None) -> dict[str, list[str]]:
    """Return the reviewers of each document."""
    import sqlalchemy as sa

    table = tables().events
    query = sa.select(table.c.document, table.c.reviewer).group_by(table.c.document, table.c.reviewer)
    if document is not None:
        query = query.where(table.c.document == encode_text(document))
    found: dict[str, list[str]] = {}
    for of, reviewer in connection.execute(query.order_by(sa.func.min(table.c.number))):
        found.setdefault(decode_text(of), []).append(decode_text(reviewer))
    return found


def _documents(connection: Connection) -> list[ReviewedDocument]:
    import sqlalchemy as sa

    documents, events = tables().documents, tables().events
    # Numbers have no gap, so that the last one is how many there are.
    last = (
        sa.select(events.c.document, sa.func.max(events.c.number).label("count")).group_by(events.c.document).subquery()
    )
    query = (
        sa.select(documents, events.c.number, events.c.at)
        .select_from(documents)
        .outerjoin(last, last.c.document == documents.c.hash)
        .outerjoin(events, sa.and_(events.c.document == documents.c.hash, events.c.number == last.c.count))
    )
    rows = connection.execute(query).all()
    reviewers = _reviewers(connection)
    return [
        ReviewedDocument(
            hash=(document := decode_text(row.hash)),
            name=decode_text(row.name),
            characters=row.characters,
            language=decode_text(row.language),
            events=row.number or 0,
            reviewers=tuple(reviewers.get(document, ())),
            last=row.at or "",
        )
        for row in rows
    ]


def _insert(connection: Connection) -> Any:
    """Return the dialect's own ``INSERT``, which can handle rows that exist."""
    from sqlalchemy.dialects import postgresql, sqlite

    return sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert


def _row(event: Event, number: int) -> dict[str, Any]:
    row: dict[str, Any] = {"number": number}
    for field in fields(Event):
        value = getattr(event, field.name)
        row[field.name] = encode_text(value) if isinstance(value, str) else value
    return row


def _event(row: RowMapping) -> Event:
    values: dict[str, Any] = {}
    for field in fields(Event):
        value = row[field.name]
        values[field.name] = decode_text(value) if isinstance(value, str) else value
    return Event(**values)


def _batches(items: Sequence[Result]) -> Iterator[Sequence[Result]]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))
