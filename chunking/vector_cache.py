"""Vectors that were computed before, on disk: one SQLite file, addressed by content.

What it guarantees:

- A vector that is returned is the one that was stored, whole: each row carries its length and a checksum over key and
  bytes; a row that does not agree with them is deleted and treated as missing.
- Several processes and threads can read and write at once. A process that is killed in mid-write leaves the rows of
  finished calls and nothing else (SQLite's write-ahead log).
- The file holds raw little-endian float32 numbers and hashes of texts: no pickles, no code, no texts.
- The stored vectors stay below a bound; those that were not used for longest go first.
- It never stops the work it is there to speed up. A file that is not a sound database is set aside and a new one
  begun; where nothing can be stored (no permission, full disk), there is one warning and no cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import os
import sqlite3
import tempfile
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Float32 = npt.NDArray[np.float32]
Bool = npt.NDArray[np.bool_]
Result = TypeVar("Result")

DEFAULT_MAX_BYTES = 512 * 2**20
"""Default bound of what is stored: 512 MiB, some 300,000 vectors of 384 dimensions."""

_APPLICATION = 0x43_68_6B_76  # "Chkv": tells our files from other people's databases
_OVERHEAD = 256  # bytes that keys, stamps, indices and unfilled pages take per vector; measured, rounded up
_PAGE_BYTES = 8192  # five vectors of 384 dimensions; the usual 4096 would hold two and waste a fifth
_SCHEMA = (
    """CREATE TABLE vectors (
        id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, dimension INTEGER NOT NULL, checksum INTEGER NOT NULL,
        vector BLOB NOT NULL)""",
    # Stamps are apart from the vectors, so that renewing or sorting them does not touch the pages with the numbers
    "CREATE TABLE uses (key BLOB PRIMARY KEY, used INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE INDEX uses_by_age ON uses (used)",
    "CREATE TABLE total (bytes INTEGER NOT NULL)",
    "INSERT INTO total VALUES (0)",
    f"""CREATE TRIGGER came AFTER INSERT ON vectors BEGIN
        UPDATE total SET bytes = bytes + 4 * new.dimension + {_OVERHEAD}; END""",
    f"""CREATE TRIGGER went AFTER DELETE ON vectors BEGIN
        UPDATE total SET bytes = bytes - 4 * old.dimension - {_OVERHEAD}; END""",
    f"PRAGMA application_id = {_APPLICATION}",
)

_TOTAL = "SELECT bytes FROM total"
_KEYS_A_QUERY = 900  # every SQLite takes 999 parameters
_BUSY_SECONDS = 10.0
_STAMP_SECONDS = 3600  # a use is recorded once in an hour: reading should seldom write
_KEEP = 0.9  # share of the bound that is left after eviction, so that not every write evicts
_UNSOUND = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}  # the last: a table is missing
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}

_inherited: list[sqlite3.Connection] = []
"""Connections that came over a fork: they are the parent's, so the child neither uses nor closes them."""


def default_folder() -> Path:
    """Where caches are kept: ``$CHUNKSCOPE_CACHE``, or ``chunkscope`` in ``$XDG_CACHE_HOME`` or ``~/.cache``."""
    if chosen := os.environ.get("CHUNKSCOPE_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # the XDG specification: a relative path is to be ignored
        return Path(base) / "chunkscope"
    try:
        return Path.home() / ".cache" / "chunkscope"
    except RuntimeError:  # a user without a home, as in some containers
        user = f"-{os.getuid()}" if hasattr(os, "getuid") else ""  # Windows has a temporary folder for each user
        return Path(tempfile.gettempdir()) / f"chunkscope{user}"


def default_cache() -> VectorCache:
    """The cache in the default folder."""
    return VectorCache(default_folder() / "vectors-1.sqlite3")


class VectorCache:
    """A bounded cache of vectors by encoder and text, see the module.

    Args:
        path: the database file; it and its folder are made when first needed.
        max_bytes: bound of :attr:`size`.
        clock: the time in seconds, for the stamps of last use.
    """

    def __init__(
        self, path: Path | str, max_bytes: int = DEFAULT_MAX_BYTES, clock: Callable[[], float] = time.time
    ) -> None:
        self.path = Path(path)
        self.max_bytes = max_bytes
        self._clock = clock
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._file = (0, 0)
        self._readable = True
        self._writable = True
        self._warned = False

    def get_many(self, encoder_key: str, texts: Sequence[str], dimension: int) -> tuple[Float32, Bool]:
        """Look texts up.

        Args:
            encoder_key: identity of the encoder's weights.
            texts: what to look up.
            dimension: of the encoder's vectors; a vector of another one counts as damaged.

        Returns:
            ``(n, dimension)`` float32 vectors, zero where missing, and ``(n,)`` bool, which were found.
        """
        vectors = np.zeros((len(texts), dimension), dtype=np.float32)
        found = np.zeros(len(texts), dtype=np.bool_)
        if not texts or not self._readable:
            return vectors, found
        keys = [_key(encoder_key, text) for text in texts]
        places = {key: place for place, key in enumerate(keys)}
        damaged: list[bytes] = []
        unstamped: list[bytes] = []
        fresh = self._now() - _STAMP_SECONDS * 1_000_000

        def look_up(connection: sqlite3.Connection) -> None:
            found[:] = False
            damaged.clear()
            unstamped.clear()
            for batch in _batches(list(places), _KEYS_A_QUERY):
                rows: list[int] = []
                blobs: list[bytes] = []
                for key, stored, checksum, blob, used in connection.execute(_select(len(batch)), batch):
                    if stored != dimension or not _is_whole(key, dimension, checksum, blob):
                        damaged.append(key)
                        continue
                    rows.append(places[key])
                    blobs.append(blob)
                    if used is None or used < fresh:
                        unstamped.append(key)
                vectors[rows] = np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(rows), dimension)
                found[rows] = True

        if not self._attempt(look_up, writes=False):
            found[:] = False
        if damaged or unstamped:
            self._attempt(lambda connection: self._tidy(connection, damaged, unstamped), writes=True)
        if len(places) < len(texts):
            source = [places[key] for key in keys]
            vectors, found = vectors[source], found[source]
        vectors[~found] = 0
        return vectors, found

    def put_many(self, encoder_key: str, texts: Sequence[str], vectors: npt.ArrayLike) -> None:
        """Store vectors, all in one transaction; texts that are there already stay as they are.

        Args:
            encoder_key: identity of the encoder's weights.
            texts: ``n`` texts.
            vectors: ``(n, dimension)``, stored as float32.
        """
        rows = np.ascontiguousarray(vectors, dtype="<f4")
        if rows.ndim != 2 or len(rows) != len(texts):
            raise ValueError("vectors must be one row a text")
        if not texts:
            return
        now = self._now()
        keys = [_key(encoder_key, text) for text in texts]
        entries = []
        for key, row in zip(keys, rows, strict=True):
            blob = row.tobytes()
            entries.append((key, rows.shape[1], _checksum(key, blob), blob))

        def store(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                connection.executemany(
                    "INSERT OR IGNORE INTO vectors (key, dimension, checksum, vector) VALUES (?, ?, ?, ?)", entries
                )
                connection.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?)", [(key, now) for key in keys])
                self._evict(connection)

        self._attempt(store, writes=True)

    def clear(self) -> None:
        """Forget everything and give the disk space back."""

        def empty(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                connection.execute("DELETE FROM vectors")
                connection.execute("DELETE FROM uses")
            connection.executescript("PRAGMA incremental_vacuum")  # execute() would free a single page
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

        self._attempt(empty, writes=True)

    @property
    def size(self) -> int:
        """Bytes that the vectors take, with their keys and indices; 0 where there is no cache."""
        sizes: list[int] = []
        self._attempt(lambda connection: sizes.append(_number(connection, _TOTAL)), writes=False)
        return sizes[-1] if sizes else 0

    def __len__(self) -> int:
        """How many vectors are stored."""
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
        return int(self._clock() * 1_000_000)  # fine enough that what was stored first goes first

    def _tidy(self, connection: sqlite3.Connection, damaged: Sequence[bytes], used: Sequence[bytes]) -> None:
        now = self._now()
        with _transaction(connection):
            for key in damaged:
                connection.execute("DELETE FROM vectors WHERE key = ?", (key,))
                connection.execute("DELETE FROM uses WHERE key = ?", (key,))
            connection.executemany("UPDATE uses SET used = ? WHERE key = ?", [(now, key) for key in used])

    def _evict(self, connection: sqlite3.Connection) -> None:
        size = _number(connection, _TOTAL)
        if size <= self.max_bytes:
            return
        target = _KEEP * self.max_bytes
        while size > target:
            count = _number(connection, "SELECT count(*) FROM uses")
            surplus = max(1, math.ceil(count * (size - target) / size))
            oldest = connection.execute("SELECT key FROM uses ORDER BY used LIMIT ?", (surplus,)).fetchall()
            if not oldest:
                return
            connection.executemany("DELETE FROM vectors WHERE key = ?", oldest)
            connection.executemany("DELETE FROM uses WHERE key = ?", oldest)
            size = _number(connection, _TOTAL)

    # --- one way to the database: what can go wrong with files is dealt with here ---

    def _attempt(self, action: Callable[[sqlite3.Connection], object], *, writes: bool) -> bool:
        """Do something with the database; say whether it was done."""
        with self._lock:
            for repaired in (False, True):
                if not self._readable or (writes and not self._writable):
                    return False
                try:
                    action(self._open())
                    return True
                except sqlite3.Error as error:
                    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
                    if code in _UNSOUND and not repaired and self._set_aside():
                        continue
                    self._give_up(error, code, writes)
                    return False
                except OSError as error:
                    self._give_up(error, sqlite3.SQLITE_CANTOPEN, writes)
                    return False
        return False

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._process == os.getpid():
            return self._connection
        if self._connection is not None:
            _inherited.append(self._connection)
            self._connection = None
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        self._file = _identity(self.path)
        try:
            _prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._connection, self._process = connection, os.getpid()
        return connection

    def _set_aside(self) -> bool:
        """Rename a database that is not sound, unless another process has done so already."""
        self.close()
        try:
            if _identity(self.path) == self._file:
                os.replace(self.path, self.path.with_name(f"{self.path.name}.corrupt"))
                for suffix in ("-wal", "-shm"):
                    self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        except OSError:
            return False
        return True

    def _give_up(self, error: Exception, code: int, writes: bool) -> None:
        if code not in _BUSY:
            if writes and self._connection is not None:
                self._writable = False  # what is stored can still be read
            else:
                self._readable = False
                self.close()
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"Vectors cannot be {'stored' if writes else 'read'} in {self.path} ({error}); "
                "they are computed again each time.",
                RuntimeWarning,
                stacklevel=4,
            )


def _key(encoder_key: str, text: str) -> bytes:
    content = f"{encoder_key}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=16).digest()


def _is_whole(key: bytes, dimension: int, checksum: object, blob: object) -> bool:
    return isinstance(blob, bytes) and len(blob) == 4 * dimension and _checksum(key, blob) == checksum


def _checksum(key: bytes, blob: bytes) -> int:
    return zlib.crc32(blob, zlib.crc32(key))


def _select(count: int) -> str:
    return (
        "SELECT key, dimension, checksum, vector, used FROM vectors LEFT JOIN uses USING (key) "
        f"WHERE key IN ({','.join('?' * count)})"
    )


def _batches(items: list[bytes], size: int) -> Iterator[list[bytes]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _number(connection: sqlite3.Connection, query: str) -> int:
    (value,) = connection.execute(query).fetchone()
    return int(value)


def _identity(path: Path) -> tuple[int, int]:
    try:
        stat = path.stat()
    except OSError:
        return (0, 0)
    return (stat.st_dev, stat.st_ino)


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN")  # both from one snapshot: another process may be making the tables right now
    application = _number(connection, "PRAGMA application_id")
    tables = _number(connection, "SELECT count(*) FROM sqlite_master")
    connection.execute("COMMIT")
    if application != _APPLICATION and tables:
        raise sqlite3.OperationalError("the file is a database of another program")
    if application != _APPLICATION:
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {8 * 2**20}").fetchall()
    if application != _APPLICATION:
        with _transaction(connection):
            if _number(connection, "PRAGMA application_id") != _APPLICATION:  # no other process was quicker
                for statement in _SCHEMA:
                    connection.execute(statement)


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
