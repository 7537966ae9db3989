"""Where the database is: a SQLite file or a PostgreSQL server, by an environment variable."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.errors import ChunkscopeError
from chunking.installation import optional
from chunking.runtime import files
from chunking.runtime.patterns import compile_pattern
from chunking.store.database.sql import sa

if TYPE_CHECKING:
    from sqlalchemy import URL

VARIABLE = "CHUNKSCOPE_REVIEWS"
"""The environment variable that names the database."""

BUSY_SECONDS = 5.0
"""How long to wait for another program that writes."""

SAMPLE = "postgresql://user:password@host:5432/database"
"""The address of a PostgreSQL server, for messages."""

_QUERY = ("application_name", "sslmode", "sslrootcert", "unix_sock")
_SSL_MODES = ("disable", "allow", "prefer", "require", "verify-ca", "verify-full")
_MISSING_SLASHES = compile_pattern(r"(sqlite|postgres(ql)?)(\+\w+)?:(?!//)")
_POSTGRES = compile_pattern(r"^postgres(ql)?://")


def address() -> str:
    """Return where reviews are stored, as a SQLAlchemy URL (including its password, if any: never show it).

    That is the value of :data:`VARIABLE`, a URL or the path of a SQLite file; otherwise ``chunkscope/reviews.sqlite``
    in the user's data folder. The folder of a SQLite file is created.

    Raises:
        ChunkscopeError: it cannot be parsed, names a missing database or driver, or the folder cannot be created.
    """
    setting = os.environ.get(VARIABLE, "").strip()
    if _MISSING_SLASHES.match(setting):
        raise _invalid_address("has a colon without the two slashes after it")
    url = _parse_url(setting) if "://" in setting else sa.URL.create("sqlite", database=str(_file(setting)))
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
        return options | {"connect_args": {"timeout": BUSY_SECONDS}}
    return options | {"pool_pre_ping": True}


def describe(url: URL) -> str:
    """Return a database in words, without user and password."""
    if url.get_backend_name() == "sqlite":
        return f"the file {url.database}"
    server = f"{url.host or 'localhost'}:{url.port or 5432}"
    return f"the database {url.database or url.username} of the PostgreSQL server {server}"


def _file(setting: str) -> Path:
    return Path(setting).expanduser().absolute() if setting else data_folder() / "reviews.sqlite"


def data_folder() -> Path:
    """Return the user's data folder of Chunkscope.

    Raises:
        ChunkscopeError: the user has no home folder.
    """
    try:
        return files.user_folder("XDG_DATA_HOME", ".local/share")
    except RuntimeError:
        raise ChunkscopeError(
            "You have no home folder to keep reviews in.", f"Name a file in the environment variable {VARIABLE}."
        ) from None


def _make_folder(path: Path) -> None:
    if path.is_dir():
        raise ChunkscopeError(f"{path} is a folder.", f"Name a file in it in {VARIABLE}.")
    try:
        files.make_private_folder(path.parent)
    except OSError as error:
        raise ChunkscopeError(
            f"The folder {path.parent} for reviews cannot be made: {error.strerror}.",
            f"Name a file in another folder in {VARIABLE}.",
        ) from None


def _invalid_address(why: str) -> ChunkscopeError:
    return ChunkscopeError(
        f"The address of the reviews {why}.",
        f"Set {VARIABLE} to the path of a file, to sqlite:////path/of/a/file or to {SAMPLE}.",
    )


def _parse_url(text: str) -> URL:
    """Return the URL with its driver, checked as far as possible without a connection."""
    optional("sqlalchemy", "app", "The store of reviews")
    try:
        url = sa.make_url(_POSTGRES.sub("postgresql+pg8000://", text))
    except (sa.exc.ArgumentError, ValueError):
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
    try:
        dialect = url.get_dialect()
        dialect.import_dbapi()
    except (sa.exc.NoSuchModuleError, ImportError):
        raise ChunkscopeError(
            f"The driver {url.get_driver_name()} for PostgreSQL is not installed.",
            f"Write {SAMPLE}: the driver for that comes with Chunkscope.",
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
