"""Which database reviews are kept in, how it is talked to, and what goes wrong with it, in words.

SQLite and PostgreSQL are spoken to. All settings are made by events of a SQLAlchemy engine, so that they hold for an
engine that someone else made; no password and no SQL is ever part of an error.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import ssl
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from chunking.errors import ChunkscopeError
from chunking.installation import optional
from chunking.runtime import private
from chunking.runtime.patterns import compile_pattern

_MISSING_SLASHES = compile_pattern(r"(sqlite|postgres(ql)?)(\+\w+)?:(?!//)")
_POSTGRES = compile_pattern(r"^postgres(ql)?://")

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.engine import ExceptionContext
    from sqlalchemy.pool import ConnectionPoolEntry

VARIABLE = "CHUNKSCOPE_REVIEWS"
"""The environment variable that names the database."""

WRITES = "chunkscope_writes"
"""The execution option of a connection whose transaction will write: SQLite then takes its lock at once, so that it
waits for another writer instead of failing in the middle."""

_BUSY_SECONDS = 5.0
_STATEMENT_SECONDS = 10
_SOCKET_SECONDS = 20  # above the server's own limit, so that the server is the one to say what took too long
_SAMPLE = "postgresql://user:password@host:5432/database"
_QUERY = ("application_name", "sslmode", "sslrootcert", "unix_sock")
_SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_attached: WeakSet[Engine] = WeakSet()
_attaching = threading.Lock()


def address() -> str:
    """Return where reviews are stored, as a SQLAlchemy URL (including its password, if any: never show it).

    That is the value of :data:`VARIABLE`, a URL or the path of a SQLite file; otherwise ``chunkscope/reviews.sqlite``
    in the user's data folder. The folder of a SQLite file is created.

    Raises:
        ChunkscopeError: it cannot be parsed, names a missing database or driver, or the folder cannot be created.
    """
    from sqlalchemy import URL

    chosen = os.environ.get(VARIABLE, "").strip()
    if _MISSING_SLASHES.match(chosen):
        raise _invalid_address("has a colon without the two slashes after it")
    url = _parsed(chosen) if "://" in chosen else URL.create("sqlite", database=str(_file(chosen)))
    if url.get_backend_name() == "sqlite":
        _make_folder(Path(url.database or ""))
    return url.render_as_string(hide_password=False)


def engine_options(url: str) -> dict[str, Any]:
    """Return the options for ``sqlalchemy.create_engine`` that belong to an address.

    Args:
        url: see :func:`address`.
    """
    # What reviewers wrote does not belong into the log of a server.
    options: dict[str, Any] = {"hide_parameters": True}
    if url.startswith("sqlite"):
        return options | {"connect_args": {"timeout": _BUSY_SECONDS}}
    return options | {"pool_pre_ping": True}


def attach(engine: Engine) -> None:
    """Set up an engine's connections as reviews need them; existing ones are reopened."""
    from sqlalchemy import event

    with _attaching:
        if engine in _attached:
            return
        if engine.dialect.name == "sqlite":
            event.listen(engine, "do_connect", _make_sqlite_file)
            event.listen(engine, "connect", _set_up_sqlite)
            event.listen(engine, "checkout", _notice_another_file)
            event.listen(engine, "begin", _begin_sqlite)
            event.listen(engine, "handle_error", _notice_spoiled_connection)
        else:
            event.listen(engine, "connect", _set_up_postgresql)
            if engine.dialect.driver == "pg8000":
                event.listen(engine, "do_connect", _prepare_pg8000)
        engine.dispose()
        _attached.add(engine)


def describe(url: URL) -> str:
    """Return a database in words, without user and password."""
    if url.get_backend_name() == "sqlite":
        return f"the file {url.database}"
    server = f"{url.host or 'localhost'}:{url.port or 5432}"
    return f"the database {url.database or url.username} of the PostgreSQL server {server}"


def is_disconnected(error: BaseException) -> bool:
    """Return whether a connection broke, so that a new one may work."""
    from sqlalchemy.exc import DBAPIError

    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(error, OSError) or _state(error)[:2] == "08" or _state(error) in ("57P01", "57P02", "57P03")


def is_retryable(error: BaseException) -> bool:
    """Return whether the same work may succeed on a second try: its connection broke, or others were faster."""
    from sqlalchemy.exc import IntegrityError

    return is_disconnected(error) or isinstance(error, IntegrityError) or _state(error) in ("40001", "40P01")


def database_error(error: BaseException, where: str, writes: bool) -> ChunkscopeError:
    """Return an error of a database with its cause and its remedy.

    Args:
        error: an ``OSError`` or what SQLAlchemy raised.
        where: see :func:`describe`.
        writes: whether something should have been stored.
    """
    problem, remedy = _explained(error)
    problem = problem.format(where=where)
    return ChunkscopeError(problem[0].upper() + problem[1:], f"Nothing was stored. {remedy}" if writes else remedy)


def _file(chosen: str) -> Path:
    return Path(chosen).expanduser().absolute() if chosen else data_folder() / "reviews.sqlite"


def data_folder() -> Path:
    """Return the user's data folder of Chunkscope.

    Raises:
        ChunkscopeError: the user has no home folder.
    """
    base = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(base):  # the XDG specification: a relative path is to be ignored
        return Path(base) / "chunkscope"
    try:
        return Path.home() / ".local" / "share" / "chunkscope"
    except RuntimeError:
        raise ChunkscopeError(
            "You have no home folder to keep reviews in.", f"Name a file in the environment variable {VARIABLE}."
        ) from None


def _make_folder(path: Path) -> None:
    if path.is_dir():
        raise ChunkscopeError(f"{path} is a folder.", f"Name a file in it in {VARIABLE}.")
    try:
        private.make_folder(path.parent)
    except OSError as error:
        raise ChunkscopeError(
            f"The folder {path.parent} for reviews cannot be made: {error.strerror}.",
            f"Name a file in another folder in {VARIABLE}.",
        ) from None


def _invalid_address(why: str) -> ChunkscopeError:
    return ChunkscopeError(
        f"The address of the reviews {why}.",
        f"Set {VARIABLE} to the path of a file, to sqlite:////path/of/a/file or to {_SAMPLE}.",
    )


def _parsed(text: str) -> URL:
    """Return the URL with its driver, checked as far as possible without a connection."""
    optional("sqlalchemy", "app", "The store of reviews")
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(_POSTGRES.sub("postgresql+pg8000://", text))
    except (ArgumentError, ValueError):
        raise _invalid_address("cannot be read") from None  # the cause may hold the password
    if url.get_backend_name() == "sqlite":
        if url.drivername not in ("sqlite", "sqlite+pysqlite"):
            raise _invalid_address("names another driver of SQLite than Python's own")
        if not url.database or url.database == ":memory:" or url.query:
            raise _invalid_address("names no file")
        return url
    if url.get_backend_name() != "postgresql":
        raise _invalid_address("names neither SQLite nor PostgreSQL")
    _check_postgresql(url)
    return url


def _check_postgresql(url: URL) -> None:
    from sqlalchemy.exc import NoSuchModuleError

    try:
        dialect = url.get_dialect()
        dialect.import_dbapi()
    except (NoSuchModuleError, ImportError):
        raise ChunkscopeError(
            f"The driver {url.get_driver_name()} for PostgreSQL is not installed.",
            f"Write {_SAMPLE}: the driver for that comes with Chunkscope.",
        ) from None
    if dialect.is_async:
        raise _invalid_address(f"names {url.get_driver_name()}, which cannot be used here")
    if not url.username:
        raise _invalid_address("names no user")
    if dialect.driver == "pg8000":
        if unknown := sorted(set(url.query) - set(_QUERY)):
            raise _invalid_address(
                f"has {', '.join(unknown)} after its question mark, where only {', '.join(_QUERY)} may be"
            )
        if url.query.get("sslmode", "prefer") not in _SSL_MODES:
            raise _invalid_address(f"has another sslmode than {', '.join(_SSL_MODES)}")
        if "sslrootcert" in url.query and not Path(str(url.query["sslrootcert"])).is_file():
            raise _invalid_address("names a file in sslrootcert that is not there")


# SQLite


def _make_sqlite_file(_dialect: object, _record: object, arguments: list[Any], _options: object) -> None:
    """Create the file for its owner alone; SQLite would let everybody read it, and gives its log the same rights."""
    with contextlib.suppress(OSError):  # SQLite says what is wrong
        private.make_file(Path(arguments[0]))


def _set_up_sqlite(connection: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
    connection.isolation_level = None  # transactions begin where SQLAlchemy says, see _begin_sqlite
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")  # what is acknowledged outlives a loss of power, in WAL too
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten
    record.info["file"] = path = connection.execute("PRAGMA database_list").fetchone()[2]
    record.info["identity"] = _identity(path)


def _identity(path: str) -> tuple[int, int]:
    """Return device and inode of a file; zeros if it does not exist."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _notice_another_file(connection: object, record: ConnectionPoolEntry, _proxy: object) -> None:
    """Discard a connection to a file that was deleted or replaced: it would write where nobody can read again."""
    from sqlalchemy.exc import DisconnectionError

    if _identity(record.info["file"]) != record.info["identity"]:
        raise DisconnectionError


def _notice_spoiled_connection(context: ExceptionContext) -> None:
    # What a connection found when it opened the file (that it is read-only, say) it believes for ever.
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
        "lock_timeout": f"{_BUSY_SECONDS:.0f}s",
        "idle_in_transaction_session_timeout": "60s",
    }.items():
        cursor.execute(f"SET {name} TO '{value}'")
    # A server may be told to acknowledge what is not on its disk yet.
    cursor.execute(
        "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )
    cursor.close()
    connection.commit()


def _prepare_pg8000(_dialect: object, _record: object, _arguments: object, options: dict[str, Any]) -> None:
    """Set the driver's time limits, and translate libpq's ``sslmode`` for it."""
    options.setdefault("timeout", _SOCKET_SECONDS)
    options.setdefault("application_name", "chunkscope")
    mode = options.pop("sslmode", "prefer")
    certificate = options.pop("sslrootcert", None)
    if mode == "disable":
        options["ssl_context"] = False
    elif mode not in ("allow", "prefer"):
        context = ssl.create_default_context(cafile=certificate)
        context.check_hostname = mode == "verify-full"
        context.verify_mode = ssl.CERT_NONE if mode == "require" and not certificate else ssl.CERT_REQUIRED
        options["ssl_context"] = context


# In words

_AGAIN = "Try again in a moment."
_ELSEWHERE = f"name another database in {VARIABLE}."
# SQLite gives the files that it makes beside a file the rights of that.
_READ_ONLY = (
    "{where} is read-only.",
    f"Allow writing to it, to the files beside it that begin with its name, and to its folder, or {_ELSEWHERE}",
)
_FULL = ("The disk that holds {where} is full.", "Free some space and try again.")
_BUSY = ("{where} is locked by another program.", "Close that, or wait until it is done, and try again.")
_MISSING = (
    "{where} holds no tables of Chunkscope's.",
    "Put the right database back, or open the page again to begin a new one.",
)
_UNREACHABLE = (
    "{where} cannot be reached.",
    f"See that the server runs, and that {VARIABLE} names it rightly; then try again.",
)
_UNSOUND = ("{where} is not a sound SQLite database.", f"Put a sound copy in its place, or {_ELSEWHERE}")

_SQLITE: Mapping[int, tuple[str, str]] = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_CORRUPT: _UNSOUND,
    sqlite3.SQLITE_NOTADB: _UNSOUND,
    sqlite3.SQLITE_CANTOPEN: (
        "{where} cannot be opened.",
        f"See that its folder is there and that you may read and write both, or {_ELSEWHERE}",
    ),
    sqlite3.SQLITE_IOERR: (
        "{where} cannot be read or written: the disk reports an error.",
        f"See that the disk is there and not full, or {_ELSEWHERE}",
    ),
}
_POSTGRESQL: Mapping[str, tuple[str, str]] = {
    "28P01": ("{where} refuses the user or the password.", f"Correct them in {VARIABLE}."),
    "28000": ("{where} does not let the user in.", f"Correct the user in {VARIABLE}, or allow it on the server."),
    "3D000": ("There is no such database: {where}.", f"Create it on the server (createdb), or {_ELSEWHERE}"),
    "53100": _FULL,
    "53300": ("{where} has no connection free.", _AGAIN),
    "57014": ("{where} took too long.", _AGAIN),
    "55P03": _BUSY,
    "40P01": _BUSY,
    "25006": _READ_ONLY,
    "42501": (
        "The user may not do that in {where}.",
        "Grant it the right to create tables in the schema (GRANT CREATE ON SCHEMA public TO …), or name another user.",
    ),
    "42P01": _MISSING,
}


def _state(error: BaseException) -> str:
    """Return the SQLSTATE of PostgreSQL; empty if there is none."""
    cause: Any = getattr(error, "orig", None) or error
    told = cause.args[0] if cause.args else None
    if isinstance(told, dict):
        return str(told.get("C", ""))
    return str(getattr(cause, "sqlstate", None) or "")


def _explained(error: BaseException) -> tuple[str, str]:
    from sqlalchemy.exc import TimeoutError as PoolTimeout

    if isinstance(error, PoolTimeout):
        return _BUSY
    cause: Any = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error):
        return _explained_sqlite(cause)
    if known := _POSTGRESQL.get(_state(error)):
        return known
    told = cause.args[0] if cause.args else ""
    if "refuses SSL" in str(told):
        return (
            "{where} does not offer encrypted connections.",
            f"Enable them there, or leave sslmode out of {VARIABLE}.",
        )
    if "no password was provided" in str(told):
        return "{where} asks for a password.", f"Write it in {VARIABLE}: {_SAMPLE}."
    if isinstance(cause, ssl.SSLError):
        return "{where} shows no certificate that can be trusted.", f"Name the right one in sslrootcert in {VARIABLE}."
    if is_disconnected(error) or "connection" in str(told) or "network error" in str(told):
        return _UNREACHABLE
    words = str(told.get("M", "")) if isinstance(told, dict) else str(told)
    return _unknown_failure(words)


def _explained_sqlite(cause: sqlite3.Error) -> tuple[str, str]:
    if str(cause).startswith("no such table"):
        return _MISSING
    code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the rest says more than a user can use
    return _SQLITE.get(code) or _unknown_failure(str(cause))


def _unknown_failure(words: str) -> tuple[str, str]:
    words = " ".join(words.split())[:200].replace("{", "{{").replace("}", "}}")
    return f"{{where}} refuses: {words or 'no reason given'}.", "See that it is whole and is used by Chunkscope alone."
