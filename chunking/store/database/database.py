"""Transactions in the database that reviews, documents, class exercises and the audit log share."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from chunking.errors import ChunkscopeError
from chunking.store.database import connections, failures, location
from chunking.store.database.sql import sa

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, Table

Result = TypeVar("Result")
Item = TypeVar("Item")

BATCH = 500
"""Values of a statement; databases take a few thousand or more."""


class Database:
    """A database with Chunkscope's tables. Any number of these, threads and processes may share it.

    Args:
        engine: for :func:`~chunking.store.database.location.address`; it is set up here, but for
            :func:`~chunking.store.database.location.engine_options`.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        connections.attach(engine)

    @property
    def place(self) -> str:
        """Return the database in words, without user and password."""
        return location.describe(self.engine.url)

    def prepare(self) -> None:
        """Create the tables or migrate them to the newest version; return at once if they are up to date.

        Raises:
            ChunkscopeError: the database is of a newer version, has other tables of these names, or cannot be used;
                nothing was changed.
        """
        from chunking.store.database import migrations

        if not self.run(migrations.is_newest, writes=False):
            self.run(partial(migrations.upgrade, where=self.place), writes=True)
        if self.engine.dialect.name == "sqlite":
            self._log_ahead()

    def run(self, work: Callable[[Connection], Result], writes: bool = False) -> Result:
        """Run work in one transaction, and a second time if that may help: repeating it must be harmless.

        Args:
            work: what to do with a connection.
            writes: whether it stores something.

        Raises:
            ChunkscopeError: the database cannot be used.
        """
        try:
            try:
                return self._run_once(work, writes)
            except (sa.exc.SQLAlchemyError, OSError) as error:
                if not failures.is_retryable(error):
                    raise
                self.engine.dispose()
                return self._run_once(work, writes)
        except (sa.exc.SQLAlchemyError, OSError) as error:
            raise failures.database_error(error, self.place, writes) from None  # the cause may say too much

    def _run_once(self, work: Callable[[Connection], Result], writes: bool) -> Result:
        with self.engine.connect() as connection:
            connection = connection.execution_options(**{connections.WRITES: writes})
            with connection.begin():
                return work(connection)

    def empty_log(self) -> None:
        """Write the log of SQLite into the file and empty it, so that none of what was deleted is left in it.

        While somebody reads or writes, that waits for the next deletion.
        """
        if self.engine.dialect.name != "sqlite":
            return
        with contextlib.suppress(ChunkscopeError):
            self.run(lambda connection: None)  # discards a connection to a file that was replaced
            connection = self.engine.raw_connection()
            with contextlib.closing(connection), contextlib.suppress(sqlite3.OperationalError):
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _log_ahead(self) -> None:
        """Switch SQLite to a write-ahead log if possible, so that readers and a writer do not wait for each other."""
        try:
            connection = self.engine.raw_connection()
        except sa.exc.SQLAlchemyError as error:
            raise failures.database_error(error, self.place, writes=False) from None
        # In use by others, read-only, or on a disk that cannot: all works without, more slowly.
        with contextlib.closing(connection), contextlib.suppress(sqlite3.OperationalError):
            cursor = connection.cursor()
            cursor.execute("PRAGMA journal_mode")
            if cursor.fetchone() == ("delete",):
                cursor.execute("PRAGMA journal_mode = WAL")


def hold(connection: Connection, keys: Iterable[str]) -> None:
    """Let no other transaction hold any of these keys until the end of this one, which writes.

    With SQLite such a transaction has the whole database. The order is always the same, so that no two wait for
    each other.
    """
    if connection.dialect.name != "postgresql":
        return
    for key in sorted(set(keys)):
        number = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big", signed=True)
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(number)))


def insert_or_keep(connection: Connection, table: Table) -> Any:
    """Return the ``INSERT`` of the dialect, which can handle rows that exist (``on_conflict_do_nothing``)."""
    from sqlalchemy.dialects import postgresql, sqlite

    return (sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert)(table)


def batches(items: Iterable[Item]) -> Iterator[Sequence[Item]]:
    """Yield items in parts that a statement takes."""
    items = list(items)
    return (items[start : start + BATCH] for start in range(0, len(items), BATCH))
