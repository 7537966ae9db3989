"""A bounded disk cache of byte strings by key, in one SQLite file.

It guarantees:

- Returned bytes are exactly those stored: each row has its length and a checksum over key and bytes; a row that
  disagrees with them is deleted and treated as missing.
- Several processes and threads can read and write at once. A process killed during a write leaves the rows of
  finished calls and nothing else (SQLite's write-ahead log).
- The size stays below a limit; the least recently used rows are evicted first.
- A row may say which text it was made of (its origin). When that text is to be forgotten, its rows are overwritten, and
  with them all that say nothing of their origin.
- It never stops the work it speeds up. A corrupt file is renamed and a new one created, and so is one that was deleted;
  while nothing can be stored (no permission, full disk), there is one warning and no cache. It is tried again once in a
  while, so that the cache returns with its folder.
- A clock that jumps changes which rows are evicted, and nothing else.
"""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
import tempfile
import threading
import time
import warnings
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from chunking.runtime.caches import cache_use
from chunking.runtime.files import file_identity, user_folder

_TOTAL = "SELECT bytes FROM total"
_KEYS_PER_QUERY = 900  # every SQLite takes 999 parameters
_BUSY_SECONDS = 10.0
_STAMP_SECONDS = 3600  # a use is recorded once an hour, so that reads seldom write
_ORIGIN_BYTES = 16
REST_SECONDS = 30.0
"""How long a file is left alone that cannot be read or written."""

_KEEP = 0.9  # share of the limit that eviction leaves, so that not every write evicts
_CORRUPT = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}  # the last: a table is missing
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}

_inherited: list[sqlite3.Connection] = []
"""Connections inherited by a fork: they belong to the parent, so the child neither uses nor closes them."""


@dataclass(frozen=True)
class Layout:
    """The layout of a database.

    Attributes:
        application: SQLite's application id, which distinguishes our files from other databases.
        table: name of the table.
        value: the column of the bytes.
        count: the column of their number of units.
        unit: bytes of a unit.
        overhead: bytes per row for key, stamp, indices and unfilled pages.
        page: bytes of a page of the file.
        contents: its contents, for messages.
    """

    application: int
    table: str
    value: str
    count: str
    unit: int
    overhead: int
    page: int
    contents: str

    def schema(self) -> tuple[str, ...]:
        """Return the statements that create the tables."""
        table = self.table
        new, old = (f"{self.unit} * {row}.{self.count} + {self.overhead}" for row in ("new", "old"))
        return (
            f"""CREATE TABLE {table} (
                id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, {self.count} INTEGER NOT NULL,
                checksum INTEGER NOT NULL, {self.value} BLOB NOT NULL, origin BLOB)""",
            f"CREATE INDEX {self.origins} ON {table} (origin)",
            # A table of its own, so that updating or sorting the stamps does not touch the pages of the values
            "CREATE TABLE uses (key BLOB PRIMARY KEY, used INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE INDEX uses_by_age ON uses (used)",
            "CREATE TABLE total (bytes INTEGER NOT NULL)",
            "INSERT INTO total VALUES (0)",
            f"CREATE TRIGGER came AFTER INSERT ON {table} BEGIN UPDATE total SET bytes = bytes + ({new}); END",
            f"CREATE TRIGGER went AFTER DELETE ON {table} BEGIN UPDATE total SET bytes = bytes - ({old}); END",
            f"PRAGMA application_id = {self.application}",
        )

    @property
    def origins(self) -> str:
        """Name of the index by origin."""
        return f"{self.table}_by_origin"

    def select(self, keys: int) -> str:
        """Return the query for so many keys."""
        return (
            f"SELECT key, {self.count}, checksum, {self.value}, used FROM {self.table} LEFT JOIN uses USING (key) "
            f"WHERE key IN ({','.join('?' * keys)})"
        )

    def is_whole(self, key: bytes, count: int, checksum: object, blob: object) -> bool:
        """Return whether a row is as it was stored."""
        return isinstance(blob, bytes) and len(blob) == self.unit * count and _checksum(key, blob) == checksum


def default_folder() -> Path:
    """Return the cache folder: ``$CHUNKSCOPE_CACHE``, or ``chunkscope`` in ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    if folder := os.environ.get("CHUNKSCOPE_CACHE"):
        return Path(folder)
    try:
        return user_folder("XDG_CACHE_HOME", ".cache")
    except RuntimeError:  # a user without a home, as in some containers
        user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""  # Windows has a temporary folder for each user
        return Path(tempfile.gettempdir()) / f"chunkscope{user}"


class DiskCache:
    """A bounded cache of bytes by key, see the module.

    Args:
        path: the database file; it and its folder are created when first needed.
        layout: the layout of the database.
        max_bytes: limit of :attr:`size`.
        clock: returns the time in seconds, for the stamps of last use.
    """

    def __init__(
        self, path: Path | str, layout: Layout, max_bytes: int, clock: Callable[[], float] = time.time
    ) -> None:
        self.path = Path(path)
        self.max_bytes = max_bytes
        self._layout = layout
        self._clock = clock
        self._use = cache_use(layout.table)
        this = weakref.ref(self)
        self._use.size = lambda: cache.size if (cache := this()) else 0
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._file = (0, 0)
        self._unreadable_until = 0.0
        self._unwritable_until = 0.0
        self._warned = False

    def read_many(self, keys: Sequence[bytes], count: int | None = None) -> dict[bytes, bytes]:
        """Return the stored bytes of keys; missing keys are left out.

        Args:
            keys: distinct keys.
            count: number of units of each; a row of another number counts as damaged. ``None`` for any.
        """
        blobs: dict[bytes, bytes] = {}
        if not keys or self._rests(writes=False):
            return blobs
        damaged: list[bytes] = []
        unstamped: list[bytes] = []
        now = self._now()
        fresh = now - _STAMP_SECONDS * 1_000_000

        def look_up(connection: sqlite3.Connection) -> None:
            blobs.clear()
            damaged.clear()
            unstamped.clear()
            for batch in _batches(keys, _KEYS_PER_QUERY):
                for key, stored_count, checksum, blob, used in connection.execute(
                    self._layout.select(len(batch)), batch
                ):
                    expected_count = stored_count if count is None else count
                    if stored_count != expected_count or not self._layout.is_whole(key, stored_count, checksum, blob):
                        damaged.append(key)
                        continue
                    blobs[key] = blob
                    if used is None or not fresh <= used <= now:
                        unstamped.append(key)

        if not self._attempt(look_up, writes=False):
            blobs.clear()
        self._use.count(len(blobs), len(keys) - len(blobs))
        if damaged or unstamped:
            self._attempt(lambda connection: self._tidy(connection, damaged, unstamped), writes=True)
        return blobs

    def write_many(self, values: Mapping[bytes, bytes], origins: Mapping[bytes, str] | None = None) -> None:
        """Store bytes by key, all in one transaction. Keys that exist are left as they are.

        Args:
            values: bytes by key.
            origins: by key, the hash (hex) of the text that the bytes were made of, as far as it is known.
        """
        if not values:
            return
        now = self._now()
        layout = self._layout
        entries = [
            (key, len(blob) // layout.unit, _checksum(key, blob), blob, _origin((origins or {}).get(key)))
            for key, blob in values.items()
        ]

        def store(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                connection.executemany(
                    f"INSERT OR IGNORE INTO {layout.table} (key, {layout.count}, checksum, {layout.value}, origin) "
                    "VALUES (?, ?, ?, ?, ?)",
                    entries,
                )
                connection.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?)", [(key, now) for key in values])
                self._evict(connection)

        self._attempt(store, writes=True)

    def forget(self, text_hash: str) -> bool:
        """Overwrite what was made of a text, and what may have been; return whether that could be done.

        Args:
            text_hash: hash (hex) of the text.
        """
        if not self.path.exists():
            return True
        table = self._layout.table

        def overwrite(connection: sqlite3.Connection) -> None:
            connection.execute("PRAGMA secure_delete = ON").fetchall()
            with _transaction(connection):
                rows_of_text = f"FROM {table} WHERE origin = ? OR origin IS NULL"
                connection.execute(f"DELETE FROM uses WHERE key IN (SELECT key {rows_of_text})", (_origin(text_hash),))
                connection.execute(f"DELETE {rows_of_text}", (_origin(text_hash),))
            connection.executescript("PRAGMA incremental_vacuum")  # execute() would free a single page
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

        return self._attempt(overwrite, writes=True)

    @property
    def size(self) -> int:
        """Bytes of all rows, with keys and indices; 0 if there is no cache."""
        sizes: list[int] = []
        self._attempt(lambda connection: sizes.append(_number(connection, _TOTAL)), writes=False)
        return sizes[-1] if sizes else 0

    def __bool__(self) -> bool:
        """Return true: a cache that is empty is a cache, and counting its keys would read the file."""
        return True

    def __len__(self) -> int:
        """Return the number of stored keys."""
        counts: list[int] = []
        self._attempt(lambda connection: counts.append(_number(connection, "SELECT count(*) FROM uses")), writes=False)
        return counts[-1] if counts else 0

    def close(self) -> None:
        """Close the file; it is opened again when needed."""
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                with contextlib.suppress(sqlite3.Error):
                    self._connection.close()
            self._connection = None

    def _now(self) -> int:
        return int(self._clock() * 1_000_000)  # fine enough to evict in the order of storage

    def _tidy(self, connection: sqlite3.Connection, damaged: Sequence[bytes], used: Sequence[bytes]) -> None:
        now = self._now()
        with _transaction(connection):
            for key in damaged:
                connection.execute(f"DELETE FROM {self._layout.table} WHERE key = ?", (key,))
                connection.execute("DELETE FROM uses WHERE key = ?", (key,))
            connection.executemany("UPDATE uses SET used = ? WHERE key = ?", [(now, key) for key in used])

    def _evict(self, connection: sqlite3.Connection) -> None:
        size = _number(connection, _TOTAL)
        if size <= self.max_bytes:
            return
        # A clock that was ahead has left stamps of the future, beside which all that is new would be the oldest.
        now = self._now()
        connection.execute("UPDATE uses SET used = ? WHERE used > ?", (now - _STAMP_SECONDS * 1_000_000, now))
        target = _KEEP * self.max_bytes
        while size > target:
            count = _number(connection, "SELECT count(*) FROM uses")
            surplus = max(1, math.ceil(count * (size - target) / size))
            oldest = connection.execute("SELECT key FROM uses ORDER BY used LIMIT ?", (surplus,)).fetchall()
            if not oldest:
                return
            connection.executemany(f"DELETE FROM {self._layout.table} WHERE key = ?", oldest)
            connection.executemany("DELETE FROM uses WHERE key = ?", oldest)
            size = _number(connection, _TOTAL)

    # --- all access to the database, with the handling of file errors ---

    def _attempt(self, action: Callable[[sqlite3.Connection], object], *, writes: bool) -> bool:
        """Run an action on the database. Return whether it succeeded."""
        with self._lock:
            for repaired in (False, True):
                if self._rests(writes):
                    return False
                try:
                    action(self._open())
                    self._warned = self._warned and not writes
                    return True
                except sqlite3.Error as error:
                    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
                    if code in _CORRUPT and not repaired and self._rename_corrupt():
                        continue
                    self._give_up(error, code, writes)
                    return False
                except OSError as error:
                    self._give_up(error, sqlite3.SQLITE_CANTOPEN, writes)
                    return False
        return False

    def _rests(self, writes: bool) -> bool:
        """Return whether the file is left alone for now, because it could not be read or written a moment ago."""
        now = time.monotonic()
        return now < self._unreadable_until or (writes and now < self._unwritable_until)

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._process == os.getpid():
            if file_identity(self.path) == self._file:
                return self._connection
            self.close()  # what was written would be in a file that was deleted or replaced
        if self._connection is not None:
            _inherited.append(self._connection)
            self._connection = None
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        self._file = file_identity(self.path)
        try:
            _prepare(connection, self._layout)
        except BaseException:
            connection.close()
            raise
        if self._file == (0, 0):  # it was made just now
            self._file = file_identity(self.path)
        self._connection, self._process = connection, os.getpid()
        return connection

    def _rename_corrupt(self) -> bool:
        """Rename a corrupt database, unless another process has done so already."""
        self.close()
        try:
            if file_identity(self.path) == self._file:
                os.replace(self.path, self.path.with_name(f"{self.path.name}.corrupt"))
                for suffix in ("-wal", "-shm"):
                    self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        except OSError:
            return False
        return True

    def _give_up(self, error: Exception, code: int, writes: bool) -> None:
        if code not in _BUSY:
            until = time.monotonic() + REST_SECONDS
            if writes and self._connection is not None:
                self._unwritable_until = until  # reading may still work
            else:
                self._unreadable_until = until
                self.close()
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"{self._layout.contents} cannot be {'stored' if writes else 'read'} in {self.path} ({error}); "
                "they are computed again until that works.",
                RuntimeWarning,
                stacklevel=5,
            )


def _origin(text_hash: str | None) -> bytes | None:
    return bytes.fromhex(text_hash)[:_ORIGIN_BYTES] if text_hash else None


def _checksum(key: bytes, blob: bytes) -> int:
    return zlib.crc32(blob, zlib.crc32(key))


def _batches(items: Sequence[bytes], size: int) -> Iterator[Sequence[bytes]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _number(connection: sqlite3.Connection, query: str) -> int:
    (value,) = connection.execute(query).fetchone()
    return int(value)


def _prepare(connection: sqlite3.Connection, layout: Layout) -> None:
    connection.execute("BEGIN")  # both from one snapshot: another process may be creating the tables
    application = _number(connection, "PRAGMA application_id")
    tables = _number(connection, "SELECT count(*) FROM sqlite_master")
    connection.execute("COMMIT")
    if application != layout.application and tables:
        raise sqlite3.OperationalError("the file is a database of another program")
    if application != layout.application:
        connection.execute(f"PRAGMA page_size = {layout.page}")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {8 * 2**20}").fetchall()
    if application != layout.application:
        with _transaction(connection):
            if _number(connection, "PRAGMA application_id") != layout.application:  # no other process was faster
                for statement in layout.schema():
                    connection.execute(statement)
    elif not _has_origins(connection, layout):
        with _transaction(connection):
            if not _has_origins(connection, layout):
                # A file of an earlier version; its rows do not say where they come from.
                connection.execute(f"ALTER TABLE {layout.table} ADD COLUMN origin BLOB")
                connection.execute(f"CREATE INDEX {layout.origins} ON {layout.table} (origin)")


def _has_origins(connection: sqlite3.Connection, layout: Layout) -> bool:
    names = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({layout.table})")]
    return not names or "origin" in names  # a table that is missing is a damaged file, which the first query finds


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
