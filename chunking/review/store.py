"""Where reviews are kept: events in a database, added and read, never changed.

The store is given a SQLAlchemy engine, whoever made it. What it promises:

- An event that was acknowledged is on disk and stays there, whatever is killed afterwards.
- :meth:`Store.append` stores all of its events or none. An event counts once however often it is sent, so a call that
  lost its connection is simply made again: the store does so once itself, with a new connection.
- The events of a document have numbers, 1, 2, 3 …, in the order in which they were stored. Whoever has read *n* of
  them has those to *n*, even while others write.
- Whatever goes wrong with the database is a :class:`~chunking.errors.ChunkscopeError`, and the next call tries afresh.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.gold.events import Event
from chunking.review import database
from chunking.review.database import address, engine_options
from chunking.review.tables import given, kept, tables

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, RowMapping

__all__ = ["KEY_LIMIT", "ReviewedDocument", "Store", "address", "engine_options"]

Result = TypeVar("Result")

KEY_LIMIT = 200
"""Characters of a token and of a document's hash; an index takes no longer ones."""

_BATCH = 500  # values a statement; databases take a few thousand or more
_LARGEST = 2**63 - 1  # of a column


@dataclass(frozen=True, slots=True)
class ReviewedDocument:
    """A document of which the store knows.

    Attributes:
        hash: :attr:`chunking.document.Document.text_hash`.
        name, characters, language: as it was last registered; empty and 0 where only its events came.
        events: how many events it has.
        reviewers: who has judged it, in the order in which they began.
        last: when its last event was stored, ISO 8601 in UTC; empty where it has none.
    """

    hash: str
    name: str
    characters: int
    language: str
    events: int = 0
    reviewers: tuple[str, ...] = ()
    last: str = ""


class Store:
    """The reviews in one database, see the module. Any number of stores, threads and processes may share it.

    Args:
        engine: of :func:`address`; all that a store needs of it is set up here, but see :func:`engine_options`.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        database.attach(engine)

    @property
    def place(self) -> str:
        """The database in words, without user and password."""
        return database.place(self.engine.url)

    def prepare(self) -> None:
        """Make the tables, or bring them to the newest version; at once where they are.

        Raises:
            ChunkscopeError: the database is of a newer version, has other tables of these names, or cannot be used;
                nothing was changed.
        """
        from chunking.review import migrations

        if not self._run(migrations.is_newest, writes=False):
            self._run(partial(migrations.upgrade, where=self.place), writes=True)
        if self.engine.dialect.name == "sqlite":
            self._log_ahead()

    def register(self, document: Document) -> None:
        """Let the store know of a document, or of its new name and language."""
        row = {
            "hash": document.text_hash,
            "name": kept(document.name),
            "characters": len(document.text),
            "language": kept(document.language),
        }
        if not self._run(partial(_is_registered, row=row), writes=False):
            self._run(partial(_register, row=row), writes=True)

    def append(self, events: Sequence[Event]) -> list[Event]:
        """Store events, all or none; those that are stored already stay as they are.

        Args:
            events: their :attr:`~chunking.gold.events.Event.at` is not looked at. Their document need not be
                registered.

        Returns:
            They, each once, as they are stored, in the order of their numbers (document by document, in the order in
            which the documents first come).

        Raises:
            ChunkscopeError: an event has the token of another one, does not fit, or the database cannot store it.
        """
        wanted = _distinct(events)
        return self._run(partial(_append, wanted=wanted), writes=True) if wanted else []

    def events(self, document: str, after: int = 0) -> list[Event]:
        """The events of a document, in the order in which they were stored.

        Args:
            document: its hash.
            after: how many of the first are not wanted, because they are known already.
        """
        import sqlalchemy as sa

        table = tables().events
        query = sa.select(table).where(table.c.document == kept(document), table.c.number > after)
        rows = self._run(lambda connection: connection.execute(query.order_by(table.c.number)).mappings().all())
        return [_event(row) for row in rows]

    def stored(self, tokens: Iterable[str]) -> set[str]:
        """Which of these tokens are those of stored events."""
        asked = list(dict.fromkeys(tokens))
        return set(self._run(partial(_by_token, tokens=asked))) if asked else set()

    def reviewers(self, document: str) -> list[str]:
        """Who has judged a document, in the order in which they began."""
        return self._run(partial(_reviewers, document=document)).get(document, [])

    def documents(self) -> list[ReviewedDocument]:
        """All documents, those with the latest events first, those without any last and by name."""
        found = self._run(_documents)
        return sorted(sorted(found, key=lambda each: (each.name, each.hash)), key=lambda each: each.last, reverse=True)

    def _run(self, work: Callable[[Connection], Result], writes: bool = False) -> Result:
        """Do some work in one transaction; where that may help once more, since none of it does harm twice."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            try:
                return self._once(work, writes)
            except (SQLAlchemyError, OSError) as error:
                if not database.may_pass(error):
                    raise
                self.engine.dispose()
                return self._once(work, writes)
        except (SQLAlchemyError, OSError) as error:
            raise database.in_words(error, self.place, writes) from None  # the cause may say too much

    def _once(self, work: Callable[[Connection], Result], writes: bool) -> Result:
        with self.engine.connect() as connection:
            connection = connection.execution_options(**{database.WRITES: writes})
            with connection.begin():
                return work(connection)

    def _log_ahead(self) -> None:
        """Let SQLite keep a write-ahead log, where it can: then readers and a writer do not wait for each other."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            connection = self.engine.raw_connection()
        except SQLAlchemyError as error:
            raise database.in_words(error, self.place, writes=False) from None
        try:
            cursor = connection.cursor()
            cursor.execute("PRAGMA journal_mode")
            if cursor.fetchone() == ("delete",):
                cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            pass  # in use by others, read-only, or on a disk that cannot: all works without, more slowly
        finally:
            connection.close()


def _distinct(events: Sequence[Event]) -> dict[str, Event]:
    """The events by token, without their time."""
    wanted: dict[str, Event] = {}
    for event in events:
        _check_size(event)
        event = replace(event, at="")
        if wanted.setdefault(event.token, event) != event:
            raise _other_content(event.token)
    return wanted


def _check_size(event: Event) -> None:
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


def _append(connection: Connection, wanted: dict[str, Event]) -> list[Event]:
    import sqlalchemy as sa

    documents = list(dict.fromkeys(event.document for event in wanted.values()))
    _hold(connection, documents)
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
    """Let nobody else add events to these documents until the end of the transaction."""
    import sqlalchemy as sa

    table = tables().documents
    for batch in _batches(sorted(map(kept, documents))):  # always in the same order, so that no two wait for each other
        bare = [{"hash": each, "name": "", "characters": 0, "language": ""} for each in batch]
        connection.execute(_insert(connection)(table).values(bare).on_conflict_do_nothing())
        held = sa.select(table.c.hash).where(table.c.hash.in_(batch))
        connection.execute(held.order_by(table.c.hash).with_for_update()).all()


def _last_numbers(connection: Connection, documents: Sequence[str]) -> dict[str, int]:
    import sqlalchemy as sa

    table = tables().events
    last: dict[str, int] = {}
    for batch in _batches(list(map(kept, documents))):
        query = sa.select(table.c.document, sa.func.max(table.c.number)).where(table.c.document.in_(batch))
        for document, number in connection.execute(query.group_by(table.c.document)):
            last[given(document)] = number
    return last


def _by_token(connection: Connection, tokens: Sequence[str]) -> dict[str, tuple[int, Event]]:
    """Number and event of those tokens that are stored."""
    import sqlalchemy as sa

    table = tables().events
    found: dict[str, tuple[int, Event]] = {}
    for batch in _batches(list(map(kept, tokens))):
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
    """Who has judged each document."""
    import sqlalchemy as sa

    table = tables().events
    query = sa.select(table.c.document, table.c.reviewer).group_by(table.c.document, table.c.reviewer)
    if document is not None:
        query = query.where(table.c.document == kept(document))
    found: dict[str, list[str]] = {}
    for of, reviewer in connection.execute(query.order_by(sa.func.min(table.c.number))):
        found.setdefault(given(of), []).append(given(reviewer))
    return found


def _documents(connection: Connection) -> list[ReviewedDocument]:
    import sqlalchemy as sa

    documents, events = tables()
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
            hash=(document := given(row.hash)),
            name=given(row.name),
            characters=row.characters,
            language=given(row.language),
            events=row.number or 0,
            reviewers=tuple(reviewers.get(document, ())),
            last=row.at or "",
        )
        for row in rows
    ]


def _insert(connection: Connection) -> Any:
    """The database's own ``INSERT``, which knows what to do with a row that is there."""
    from sqlalchemy.dialects import postgresql, sqlite

    return sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert


def _row(event: Event, number: int) -> dict[str, Any]:
    row: dict[str, Any] = {"number": number}
    for field in fields(Event):
        value = getattr(event, field.name)
        row[field.name] = kept(value) if isinstance(value, str) else value
    return row


def _event(row: RowMapping) -> Event:
    values: dict[str, Any] = {}
    for field in fields(Event):
        value = row[field.name]
        values[field.name] = given(value) if isinstance(value, str) else value
    return Event(**values)


def _batches(items: Sequence[Result]) -> Iterator[Sequence[Result]]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))
