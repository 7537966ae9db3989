"""What goes wrong with a database, in words; no password and no SQL is ever part of an error."""

from __future__ import annotations

import sqlite3
import ssl
from collections.abc import Mapping
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.store.database.location import SAMPLE, VARIABLE
from chunking.store.database.sql import sa


def is_disconnected(error: BaseException) -> bool:
    """Return whether a connection broke, so that a new one may work."""
    if isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(error, OSError) or _state(error)[:2] == "08" or _state(error) in ("57P01", "57P02", "57P03")


def is_retryable(error: BaseException) -> bool:
    """Return whether the same work may succeed on a second try: its connection broke, or others were faster."""
    return is_disconnected(error) or isinstance(error, sa.exc.IntegrityError) or _state(error) in ("40001", "40P01")


def database_error(error: BaseException, where: str, writes: bool) -> ChunkscopeError:
    """Return an error of a database with its cause and its remedy.

    Args:
        error: an ``OSError`` or what SQLAlchemy raised.
        where: see :func:`describe`.
        writes: whether something should have been stored.
    """
    problem, remedy = _explain(error)
    problem = problem.format(where=where)
    return ChunkscopeError(problem[0].upper() + problem[1:], f"Nothing was stored. {remedy}" if writes else remedy)


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
    reason = cause.args[0] if cause.args else None
    if isinstance(reason, dict):
        return str(reason.get("C", ""))
    return str(getattr(cause, "sqlstate", None) or "")


def _explain(error: BaseException) -> tuple[str, str]:
    if isinstance(error, sa.exc.TimeoutError):
        return _BUSY
    cause: Any = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error):
        return _explained_sqlite(cause)
    if explanation := _POSTGRESQL.get(_state(error)):
        return explanation
    reason = cause.args[0] if cause.args else ""
    if "refuses SSL" in str(reason):
        return (
            "{where} does not offer encrypted connections.",
            f"Enable them there, or leave sslmode out of {VARIABLE}.",
        )
    if "no password was provided" in str(reason):
        return "{where} asks for a password.", f"Write it in {VARIABLE}: {SAMPLE}."
    if isinstance(cause, ssl.SSLError):
        return "{where} shows no certificate that can be trusted.", f"Name the right one in sslrootcert in {VARIABLE}."
    if is_disconnected(error) or "connection" in str(reason) or "network error" in str(reason):
        return _UNREACHABLE
    words = str(reason.get("M", "")) if isinstance(reason, dict) else str(reason)
    return _unknown_failure(words)


def _explained_sqlite(cause: sqlite3.Error) -> tuple[str, str]:
    if str(cause).startswith("no such table"):
        return _MISSING
    code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF  # the rest says more than a user can use
    return _SQLITE.get(code) or _unknown_failure(str(cause))


def _unknown_failure(words: str) -> tuple[str, str]:
    words = " ".join(words.split())[:200].replace("{", "{{").replace("}", "}}")
    return f"{{where}} refuses: {words or 'no reason given'}.", "See that it is whole and is used by Chunkscope alone."
