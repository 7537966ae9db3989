"""Storage of reviews: events in a database, appended and read, never changed.

The store works on any SQLAlchemy engine that it is given. It guarantees:

- An event that was acknowledged is on disk and stays there, whatever is killed afterwards.
- :meth:`ReviewStore.append` stores all of its events or none. An event counts once however often it is sent, so a call
  that lost its connection is simply repeated: the store does so once itself, with a new connection.
- The events of a document are numbered 1, 2, 3 … in the order in which they were stored. A reader of *n* events has
  exactly those up to *n*, even while others write.
- Each name belongs to one identity, so that a name says who judged: events under a name that an identity has registered
  are refused if they are not hers, and no name is registered under which somebody else reviewed before.
- Any failure of the database is a :class:`~chunking.errors.ChunkscopeError`, and the next call tries afresh.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.reference.events import NAME_LIMIT, Event
from chunking.store.database.database import Database, batches, insert_or_keep
from chunking.store.database.sql import sa, tables
from chunking.store.identity import Identity

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping

KEY_LIMIT = 200
"""Maximum length of a token and of a document's hash, in characters, so that an index can hold them."""

UNVERIFIED = " (unverified)"
"""The end of a name that nobody vouches for."""

_LARGEST = 2**63 - 1  # of a column


@dataclass(frozen=True, slots=True)
class ReviewedText:
    """A text known to the store, with those who reviewed it.

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
        values = {"name": document.name, "characters": len(document.text), "language": document.language}
        table, hash = tables.documents, document.text_hash
        same = [table.c[name] == value for name, value in values.items()]
        is_registered = sa.select(sa.exists().where(table.c.hash == hash, *same))
        if self.run(lambda connection: connection.execute(is_registered).scalar_one()):
            return

        def work(connection: Connection) -> None:
            insert = insert_or_keep(connection, table).values(hash=hash, **values)
            connection.execute(insert.on_conflict_do_update(index_elements=["hash"], set_=values))

        self.run(work, writes=True)

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
        table = tables.events
        query = sa.select(table).where(table.c.document == document, table.c.number > after).order_by(table.c.number)
        return [_event(row) for row in self.run(lambda connection: connection.execute(query).mappings().all())]

    def register_account(self, identity: Identity) -> str:
        """Return the name under which an identity reviews, which stays the same and is that of nobody else.

        It is her display name, with a number where that belongs to another identity or was typed by somebody before.
        """
        return self.run(partial(_register_account, identity=identity), writes=True)

    def accounts(self, names: Iterable[str]) -> dict[str, str]:
        """Return the subject of each name that belongs to an identity."""
        return self.run(partial(_subjects, names=list(names)))

    def stored(self, tokens: Iterable[str]) -> set[str]:
        """Return those of the tokens that belong to stored events."""
        return set(self.by_token(tokens))

    def by_token(self, tokens: Iterable[str]) -> dict[str, Event]:
        """Return the stored events of tokens, by token."""
        unique = list(dict.fromkeys(tokens))
        stored = self.run(partial(_by_token, tokens=unique)) if unique else {}
        return {token: event for token, (_, event) in stored.items()}

    def documents(self) -> list[ReviewedText]:
        """Return all documents: latest events first, those without any last and by name."""
        documents = sorted(self.run(_documents), key=lambda document: (document.name, document.hash))
        return sorted(documents, key=lambda document: document.last, reverse=True)


def delete_events(connection: Connection, document: str) -> None:
    """Delete the events of a text, and what is registered of it, in a transaction that writes."""
    for column in (tables.events.c.document, tables.documents.c.hash):
        connection.execute(sa.delete(column.table).where(column == document))


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


def append_events(connection: Connection, events: Sequence[Event]) -> list[Event]:
    """Store events in a transaction that writes; see :meth:`ReviewStore.append`."""
    new_events = _distinct(events)
    if not new_events:
        return []
    documents = list(dict.fromkeys(event.document for event in new_events.values()))
    _hold(connection, documents)
    _check_names(connection, new_events.values())
    stored = _by_token(connection, list(new_events))
    for token, (_, event) in stored.items():
        if replace(event, at="") != new_events[token]:
            raise _other_content(token)
    last = _last_numbers(connection, documents)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    rows = []
    for token, event in new_events.items():
        if token not in stored:
            last[event.document] = number = last.get(event.document, 0) + 1
            stored[token] = number, replace(event, at=now)
            rows.append({"number": number, **asdict(stored[token][1])})
    if rows:
        # What is returned is of no use, but lets SQLAlchemy send many rows in one statement.
        connection.execute(sa.insert(tables.events).returning(tables.events.c.number), rows).all()
    order = {document: position for position, document in enumerate(documents)}
    return [event for _, event in sorted(stored.values(), key=lambda entry: (order[entry[1].document], entry[0]))]


def _distinct(events: Sequence[Event]) -> dict[str, Event]:
    """Return the events by token, without their time."""
    distinct: dict[str, Event] = {}
    for event in events:
        check_size(event)
        event = replace(event, at="")
        if distinct.setdefault(event.token, event) != event:
            raise _other_content(event.token)
    return distinct


def _other_content(token: str) -> ChunkscopeError:
    return ChunkscopeError(
        f"An event with the token {token!r:.60} is there already and says something else.",
        "Nothing was stored. Give each event a token of its own.",
    )


def _hold(connection: Connection, documents: Sequence[str]) -> None:
    """Lock these documents against new events until the end of the transaction."""
    table = tables.documents
    for batch in batches(sorted(documents)):  # always in the same order, so that no two wait for each other
        bare = [{"hash": document, "name": "", "characters": 0, "language": ""} for document in batch]
        connection.execute(insert_or_keep(connection, table).values(bare).on_conflict_do_nothing())
        query = sa.select(table.c.hash).where(table.c.hash.in_(batch))
        connection.execute(query.order_by(table.c.hash).with_for_update()).all()


def _last_numbers(connection: Connection, documents: Sequence[str]) -> dict[str, int]:
    table = tables.events
    last: dict[str, int] = {}
    for batch in batches(documents):
        query = sa.select(table.c.document, sa.func.max(table.c.number)).where(table.c.document.in_(batch))
        last |= dict(connection.execute(query.group_by(table.c.document)).all())
    return last


def _by_token(connection: Connection, tokens: Sequence[str]) -> dict[str, tuple[int, Event]]:
    """Return number and event of the tokens that are stored."""
    table = tables.events
    stored: dict[str, tuple[int, Event]] = {}
    for batch in batches(tokens):
        for row in connection.execute(sa.select(table).where(table.c.token.in_(batch))).mappings():
            stored[row["token"]] = row["number"], _event(row)
    return stored


def _reviewers(connection: Connection) -> dict[str, list[str]]:
    """Return the reviewers of each document."""
    table = tables.events
    query = sa.select(table.c.document, table.c.reviewer)
    grouped = query.group_by(table.c.document, table.c.reviewer).order_by(sa.func.min(table.c.number))
    reviewers: dict[str, list[str]] = {}
    for document, reviewer in connection.execute(grouped):
        reviewers.setdefault(document, []).append(reviewer)
    return reviewers


def _documents(connection: Connection) -> list[ReviewedText]:
    documents, events = tables.documents, tables.events
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
    reviewers = _reviewers(connection)
    return [
        ReviewedText(
            hash=row.hash,
            name=row.name,
            characters=row.characters,
            language=row.language,
            events=row.number or 0,
            reviewers=tuple(reviewers.get(row.hash, ())),
            last=row.at or "",
        )
        for row in connection.execute(query)
    ]


def _event(row: RowMapping) -> Event:
    values: dict[str, Any] = {field.name: row[field.name] for field in fields(Event)}
    return Event(**values)


# --- names


def _register_account(connection: Connection, identity: Identity) -> str:
    if name := _name_of(connection, identity.subject):
        return name
    for name in _candidate_names(identity.name):
        if not _was_typed(connection, name, identity.subject):
            # Nothing is inserted if the name belongs to somebody, or the subject has one.
            row = {"subject": identity.subject, "name": name}
            connection.execute(insert_or_keep(connection, tables.accounts).values(row).on_conflict_do_nothing())
            if name := _name_of(connection, identity.subject):
                break
    return name


def _candidate_names(name: str) -> Iterator[str]:
    while name.endswith(UNVERIFIED):  # a name that says of itself that nobody vouches for it belongs to nobody
        name = name.removesuffix(UNVERIFIED).rstrip()
    name = name or "Somebody"
    yield name
    for number in count(2):
        yield f"{name[: NAME_LIMIT - len(str(number)) - 3]} ({number})"


def _name_of(connection: Connection, subject: str) -> str:
    table = tables.accounts
    return connection.execute(sa.select(table.c.name).where(table.c.subject == subject)).scalar() or ""


def _was_typed(connection: Connection, name: str, subject: str) -> bool:
    """Return whether there are events of this name that are not the subject's."""
    columns = tables.events.c
    others = sa.exists().where(columns.reviewer == name, columns.subject != subject)
    return connection.execute(sa.select(others)).scalar_one()


def _subjects(connection: Connection, names: Sequence[str]) -> dict[str, str]:
    """Return the subject of each name that belongs to an identity."""
    table = tables.accounts
    subjects: dict[str, str] = {}
    for batch in batches(names):
        query = sa.select(table.c.name, table.c.subject).where(table.c.name.in_(batch))
        subjects |= dict(connection.execute(query).all())
    return subjects


def _check_names(connection: Connection, events: Iterable[Event]) -> None:
    """Refuse events whose subject is not the identity that their name belongs to."""
    events = list(events)
    subjects = _subjects(connection, list({event.reviewer for event in events}))
    for event in events:
        if subjects.get(event.reviewer, "") != event.subject:
            raise ChunkscopeError(
                f"The reviewer name {event.reviewer!r:.70} belongs to somebody else.",
                "Nothing was stored. Use another name.",
            )
