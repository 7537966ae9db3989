"""Connections as the store needs them, by events of an engine, so that this holds for an engine of anybody."""

from __future__ import annotations

import contextlib
import sqlite3
import ssl
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from chunking.runtime import files
from chunking.store.database.location import BUSY_SECONDS
from chunking.store.database.sql import sa

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine import ExceptionContext
    from sqlalchemy.pool import ConnectionPoolEntry

WRITES = "chunkscope_writes"
"""The execution option of a connection whose transaction will write: SQLite then takes its lock at once, so that it
waits for another writer instead of failing in the middle."""

_STATEMENT_SECONDS = 10
_SOCKET_SECONDS = 20  # above the server's own limit, so that the server is the one to say what took too long
_attached: WeakSet[Engine] = WeakSet()
_attaching = threading.Lock()


def attach(engine: Engine) -> None:
    """Set up an engine's connections as reviews need them; existing ones are reopened."""
    with _attaching:
        if engine in _attached:
            return
        if engine.dialect.name == "sqlite":
            sa.event.listen(engine, "do_connect", _make_sqlite_file)
            sa.event.listen(engine, "connect", _set_up_sqlite)
            sa.event.listen(engine, "checkout", _notice_another_file)
            sa.event.listen(engine, "begin", _begin_sqlite)
            sa.event.listen(engine, "handle_error", _notice_spoiled_connection)
        else:
            sa.event.listen(engine, "connect", _set_up_postgresql)
            if engine.dialect.driver == "pg8000":
                sa.event.listen(engine, "do_connect", _prepare_pg8000)
        engine.dispose()
        _attached.add(engine)


# SQLite


def _make_sqlite_file(_dialect: object, _record: object, arguments: list[Any], _options: object) -> None:
    """Create the file for its owner alone; SQLite would let everybody read it, and gives its log the same rights."""
    with contextlib.suppress(OSError):  # SQLite says what is wrong
        files.make_private_file(Path(arguments[0]))


def _set_up_sqlite(connection: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # transactions begin where SQLAlchemy says, see _begin_sqlite
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")  # what is acknowledged outlives a loss of power, in WAL too
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
    record.info["file"] = path = connection.execute("PRAGMA database_list").fetchone()[2]
    record.info["identity"] = files.file_identity(path)


def _notice_another_file(connection: object, record: ConnectionPoolEntry, _proxy: object) -> None:
    """Discard a connection to a file that was deleted or replaced: it would write where nobody can read again."""
    if files.file_identity(record.info["file"]) != record.info["identity"]:
        raise sa.exc.DisconnectionError


def _notice_spoiled_connection(context: ExceptionContext) -> None:
    # A connection never checks again what it found when it opened the file, such as that it is read-only.
    code = getattr(context.original_exception, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_IOERR):
        context.is_disconnect = True


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


# PostgreSQL


def _set_up_postgresql(connection: Any, _record: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    for name, value in {
        "client_encoding": "UTF8",
        "default_transaction_isolation": "read committed",
        "statement_timeout": f"{_STATEMENT_SECONDS}s",
        "lock_timeout": f"{BUSY_SECONDS:.0f}s",
        "idle_in_transaction_session_timeout": "60s",
    }.items():
        cursor.execute(f"SET {name} TO '{value}'")
    # A server may be set to acknowledge what is not on its disk yet.
    cursor.execute(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )
    cursor.close()
    connection.commit()


def _prepare_pg8000(_dialect: object, _record: object, _arguments: object, options: dict[str, Any]) -> None:
    """Set the driver's time limits, and translate libpq's ``sslmode`` for it."""
    options.setdefault("timeout", _SOCKET_SECONDS)
    options.setdefault("application_name", "chunkscope")
    context = ssl_context(options.pop("sslmode", None), options.pop("sslrootcert", None))
    if context is not None:
        options["ssl_context"] = context


def ssl_context(mode: str | None, certificate: str | None) -> ssl.SSLContext | bool | None:
    """Return the ``ssl_context`` of pg8000 for libpq's ``sslmode`` and ``sslrootcert``; ``None`` for its own choice."""
    if mode == "disable":
        return False
    if mode in (None, "allow", "prefer"):
        return None
    context = ssl.create_default_context(cafile=certificate)
    context.check_hostname = mode == "verify-full"
    context.verify_mode = ssl.CERT_NONE if mode == "require" and not certificate else ssl.CERT_REQUIRED
    return context
