"""Transactions in the database of the reviews, which class exercises and the library share."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from chunking.errors import ChunkscopeError
from chunking.store.database import dialects as database

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

Result = TypeVar("Result")


class Database:
    """A database with Chunkscope's tables. Any number of these, threads and processes may share it.

    Args:
        engine: for :func:`~chunking.store.database.dialects.address`; it is set up here, but for
            :func:`~chunking.store.database.dialects.engine_options`.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        database.attach(engine)

    @property
    def place(self) -> str:
        """Return the database in words, without user and password."""
        return database.describe(self.engine.url)

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
        from sqlalchemy.exc import SQLAlchemyError

        try:
            try:
                return self._once(work, writes)
            except (SQLAlchemyError, OSError) as error:
                if not database.is_retryable(error):
                    raise
                self.engine.dispose()
                return self._once(work, writes)
        except (SQLAlchemyError, OSError) as error:
            raise database.database_error(error, self.place, writes) from None  # the cause may say too much

    def _once(self, work: Callable[[Connection], Result], writes: bool) -> Result:
        with self.engine.connect() as connection:
            connection = connection.execution_options(**{database.WRITES: writes})
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
            try:
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.OperationalError:
                pass
            finally:
                connection.close()

    def _log_ahead(self) -> None:
        """Switch SQLite to a write-ahead log if possible, so that readers and a writer do not wait for each other."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            connection = self.engine.raw_connection()
        except SQLAlchemyError as error:
            raise database.database_error(error, self.place, writes=False) from None
        try:
            cursor = connection.cursor()
            cursor.execute("PRAGMA journal_mode")
            if cursor.fetchone() == ("delete",):
                cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            pass  # in use by others, read-only, or on a disk that cannot: all works without, more slowly
        finally:
            connection.close()


def hold(connection: Connection, keys: Iterable[str]) -> None:
    """Let no other transaction hold any of these keys until the end of this one, which writes.

    With SQLite such a transaction has the whole database. The order is always the same, so that no two wait for
    each other.
    """
    if connection.dialect.name != "postgresql":
        return
    import sqlalchemy as sa

    for key in sorted(set(keys)):
        number = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big", signed=True)
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(number)))
