"""Versions of the tables, and migrations from any of them to the newest, by Alembic and without a settings file.

A version is a file in ``versions/``, named by its number; a released one is never changed. Each migration runs alone in
one transaction: a second server that starts at the same time waits, and then has nothing left to do.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.store.database.sql import sa, tables

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from sqlalchemy import Connection, Inspector

FOLDER = Path(__file__).parent
VERSIONS = (FOLDER / "versions",)
"""Folders of the versions."""

_LOCK = 0x43_68_75_6E_6B_73  # "Chunks": what two servers must not hold at once
_ELSEWHERE = "name another database in CHUNKSCOPE_REVIEWS."
_alembic = threading.Lock()  # Alembic keeps what it is working on in a module


def is_newest(connection: Connection) -> bool:
    """Return whether the tables are of the newest version."""
    newest = (_scripts(VERSIONS).get_current_head(),)
    return _has_version(sa.inspect(connection)) and _heads(connection) == newest


def upgrade(connection: Connection, where: str, versions: Sequence[Path] = VERSIONS) -> None:
    """Migrate the tables to the newest version.

    Args:
        connection: in a transaction; with SQLite one that holds the lock for writing.
        where: the database in words.
        versions: folders with the versions.

    Raises:
        ChunkscopeError: the tables are of an unknown version, or not Chunkscope's; nothing was changed.
    """
    from alembic import command

    if connection.dialect.name == "postgresql":
        _wait_for_others(connection, where)
    scripts = _scripts(tuple(versions))
    _check(connection, where, {script.revision for script in scripts.walk_revisions()})
    config = _config(tuple(versions))
    config.attributes["connection"] = connection
    with _alembic:
        command.upgrade(config, "head")


def _config(versions: tuple[Path, ...]) -> Config:
    from alembic.config import Config

    def escaped(path: Path) -> str:
        return str(path).replace("%", "%%")  # of ConfigParser

    config = Config()
    config.set_main_option("script_location", escaped(FOLDER))
    config.set_main_option("path_separator", "newline")
    config.set_main_option("version_locations", "\n".join(map(escaped, versions)))
    return config


@cache
def _scripts(versions: tuple[Path, ...]) -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_config(versions))


def _has_version(inspector: Inspector) -> bool:
    """Return whether there is a version table of Alembic's."""
    return inspector.has_table(tables.VERSION) and [
        column["name"] for column in inspector.get_columns(tables.VERSION)
    ] == ["version_num"]


def _heads(connection: Connection) -> tuple[str, ...]:
    from alembic.migration import MigrationContext

    return MigrationContext.configure(connection, opts={"version_table": tables.VERSION}).get_current_heads()


def _wait_for_others(connection: Connection, where: str) -> None:
    connection.exec_driver_sql("SET LOCAL statement_timeout TO 0")  # a large table may take its time
    connection.exec_driver_sql("SET LOCAL lock_timeout TO '60s'")
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise ChunkscopeError(
            f"Text is kept as {encoding} in {where}, which not every text fits.",
            "Create a database with createdb --encoding=UTF8 --template=template0 and name that.",
        )


def _check(connection: Connection, where: str, revisions: set[str]) -> None:
    inspector = sa.inspect(connection)
    present = [name for name in tables.NAMES if inspector.has_table(name)]
    heads = _heads(connection) if _has_version(inspector) else ()
    if present and not heads:
        raise ChunkscopeError(
            f"There are tables named {', '.join(present)} in {where} that are not Chunkscope's.",
            f"Nothing was changed; {_ELSEWHERE}",
        )
    if set(heads) - revisions:
        raise ChunkscopeError(
            f"The reviews in {where} are of a newer version than this program knows.",
            f"Nothing was changed; update Chunkscope, or {_ELSEWHERE}",
        )
