"""The chunks of an earlier run, in one file, so that a later run gives only what is added, changed and removed."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from chunking.errors import ChunkscopeError
from chunking.export.tables import Row
from chunking.runtime.surrogates import decode_text, encode_text

_APPLICATION, _VERSION = 0x43686B73, 1
"""What marks the file as one of these, and its format."""

_TABLES = """
CREATE TABLE documents (name TEXT PRIMARY KEY, digest BLOB NOT NULL, run INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE chunks (document TEXT NOT NULL, id BLOB NOT NULL, digest BLOB NOT NULL, PRIMARY KEY (document, id))
WITHOUT ROWID;
"""


class SplitState:
    """What the chunks of documents were after the last run, and are after this one.

    Chunks are the same by their IDs (:func:`~chunking.export.chunk_ids`). One that stays is ``changed`` where anything
    else of its row differs: where it begins, or the hash of its document. Its vector serves as it is then.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        last = database.execute("SELECT max(run) FROM documents").fetchone()[0]
        self._run = (last or 0) + 1

    def keep_unchanged(self, document: str, digest: bytes) -> bool:
        """Return whether a document and its setting are those of the last run; its chunks are kept then."""
        changed = self._database.execute(
            "UPDATE documents SET run = ? WHERE name = ? AND digest = ?", (self._run, encode_text(document), digest)
        )
        return changed.rowcount > 0

    def keep(self, document: str) -> None:
        """Keep the chunks of a document that could not be read this time."""
        self._database.execute("UPDATE documents SET run = ? WHERE name = ?", (self._run, encode_text(document)))

    def changes(self, document: str, digest: bytes, rows: Sequence[Row]) -> list[Row]:
        """Return the chunks of a document that are added, changed or removed, each with its ``change``; take them over.

        Args:
            document: its name.
            digest: of its bytes and of all that its chunks depend on.
            rows: its chunks, each with its ``id``.
        """
        name = encode_text(document)
        before = dict(self._database.execute("SELECT id, digest FROM chunks WHERE document = ?", (name,)))
        after = {uuid.UUID(row["id"]).bytes: _digest(row) for row in rows}
        changes: list[Row] = []
        for row, (chunk, chunk_digest) in zip(rows, after.items(), strict=True):
            if chunk not in before:
                changes.append({"change": "added"} | row)
            elif before[chunk] != chunk_digest:
                changes.append({"change": "changed"} | row)
        changes += [_removed(document, chunk) for chunk in before if chunk not in after]
        self._database.execute("DELETE FROM chunks WHERE document = ?", (name,))
        self._database.executemany("INSERT INTO chunks VALUES (?, ?, ?)", [(name, *pair) for pair in after.items()])
        self._database.execute("REPLACE INTO documents VALUES (?, ?, ?)", (name, digest, self._run))
        return changes

    def remove_absent(self) -> Iterator[Row]:
        """Yield the chunks of documents that this run has not met, as removed ones; forget these documents."""
        absent = self._database.execute(
            "SELECT name FROM documents WHERE run < ? ORDER BY name", (self._run,)
        ).fetchall()
        for (name,) in absent:
            chunks = self._database.execute("SELECT id FROM chunks WHERE document = ?", (name,)).fetchall()
            yield from (_removed(decode_text(name), chunk) for (chunk,) in chunks)
            self._database.execute("DELETE FROM chunks WHERE document = ?", (name,))
            self._database.execute("DELETE FROM documents WHERE name = ?", (name,))


def _removed(document: str, chunk: bytes) -> Row:
    return {"change": "removed", "document": document, "id": str(uuid.UUID(bytes=chunk))}


def _digest(row: Row) -> bytes:
    return hashlib.blake2b(json.dumps(row).encode(), digest_size=12).digest()


@contextmanager
def split_state(path: Path) -> Iterator[SplitState]:
    """Open a state, or begin one; it is as before where the run does not end well.

    Raises:
        ChunkscopeError: the file cannot be read or written, or is no state.
    """
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            _prepare(database, path)
            try:
                yield SplitState(database)
            except BaseException:
                database.execute("ROLLBACK")
                raise
            database.execute("COMMIT")
    except sqlite3.Error as error:
        raise ChunkscopeError(
            f"{path} cannot be used as the state of a split: {error}.",
            "Name a file that split --since wrote, or one that does not exist yet.",
        ) from error


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    """Begin a transaction, in which the tables are there."""
    database.execute("BEGIN IMMEDIATE")
    application = database.execute("PRAGMA application_id").fetchone()[0]
    version = database.execute("PRAGMA user_version").fetchone()[0]
    tables = database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not tables:
        for statement in filter(str.strip, _TABLES.split(";")):
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {_APPLICATION}")
        database.execute(f"PRAGMA user_version = {_VERSION}")
    elif (application, version) != (_APPLICATION, _VERSION):
        database.execute("ROLLBACK")
        raise ChunkscopeError(
            f"{path} is not a state of split that this version reads.",
            "Name another file, which makes every chunk an added one.",
        )
