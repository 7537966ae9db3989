"""Evaluations on disk: the latest results, and notes of those that run, so that both survive a restart.

A result is a JSON file, which says which texts it was made of, so that it can be deleted with them. A note is an empty
file. The process that evaluates holds a lock on it, which the system releases however the process ends; so an
evaluation whose process was killed is known to be interrupted, and starts again by itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import chunking
from chunking.runtime import atomic
from chunking.runtime.disk_cache import default_folder

LIMIT = 64
"""Results that are kept; the least recently used are deleted first."""

_ENDING = ".json"


@cache
def engine_version() -> str:
    """Return a digest of the engine's source: another version may give other results for the same documents."""
    root = Path(chunking.__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


class EvaluationFolder:
    """A folder of files about evaluations. Any number of threads and processes may share it.

    Args:
        folder: is created when first needed; ``None`` for the default one, which is looked up with each use.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return self._folder or default_folder() / "retrieval"


class ResultStore(EvaluationFolder):
    """The results of evaluations in a folder."""

    def read(self, key: str) -> dict[str, Any] | None:
        """Return the result of a key, or ``None`` where there is no intact file."""
        path = self.folder / f"{key}{_ENDING}"
        result = _content(path)
        if result is None or result.get("key") != key or "shown" not in result:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return result

    def write(self, key: str, shown: dict[str, Any], about: dict[str, Any], texts: Iterable[str]) -> str:
        """Save a result.

        Args:
            key: hash of the request.
            shown: the summary.
            about: further fields of the file.
            texts: hashes of the texts that it was made of.

        Returns:
            Why it could not be saved; empty where it was.
        """
        result = {"key": key, "shown": shown, "texts": sorted(set(texts)), **about}
        content = json.dumps(result, ensure_ascii=False)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with atomic.replacing(self.folder / f"{key}{_ENDING}", private=True) as file:
                file.write(content.encode("utf-8", "backslashreplace"))
            self._tidy()
        except OSError as error:
            return f"The result could not be saved to disk ({error.strerror}). It is lost when the server stops."
        return ""

    def forget(self, text_hash: str) -> bool:
        """Delete the results that were made of a text, and those that do not say of which; return whether all went."""
        forgotten = True
        for path in self._files():
            result = _content(path) or {}
            if text_hash in result.get("texts", [text_hash]):
                try:
                    path.unlink(missing_ok=True)
                except OSError:
                    forgotten = False
        return forgotten

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob(f"[!.]*{_ENDING}"))

    def _tidy(self) -> None:
        files = sorted(self._files(), key=_last_use, reverse=True)
        for path in files[LIMIT:]:
            with contextlib.suppress(OSError):
                path.unlink()


def _last_use(path: Path) -> float:
    """Return when a result was last used; one that a clock which was ahead has stamped is the oldest."""
    stamp = path.stat().st_mtime
    return stamp if stamp <= time.time() else 0.0


def _content(path: Path) -> dict[str, Any] | None:
    try:
        result = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) else None


_NOTE = ".begun"
_OLDEST_SECONDS = 7 * 86_400.0
"""Seconds after which nobody waits for an evaluation any more."""


class InterruptedRuns(EvaluationFolder):
    """Notes of running evaluations in a folder; where it cannot be written, evaluations are not restarted."""

    def note(self, key: str) -> None:
        """Note that an evaluation is to run."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._path(key).touch()
            for path in self.folder.glob(f"*{_NOTE}"):
                if time.time() - path.stat().st_mtime > _OLDEST_SECONDS:
                    path.unlink(missing_ok=True)

    def drop(self, key: str) -> None:
        """Remove the note of an evaluation that has ended, or that nobody wants any more."""
        with contextlib.suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    @contextlib.contextmanager
    def running(self, key: str) -> Iterator[None]:
        """Hold the note of an evaluation while it runs in this thread, and remove it at the end."""
        lock_file = _lock(self._path(key))
        try:
            yield
        finally:
            if lock_file:
                lock_file.close()
            self.drop(key)

    def is_interrupted(self, key: str) -> bool:
        """Return whether an evaluation has begun, and no process runs it."""
        lock_file = _lock(self._path(key))
        if lock_file:
            lock_file.close()
        return lock_file is not None

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_NOTE}"


def _lock(path: Path) -> sqlite3.Connection | None:
    """Lock an existing note and return its file; ``None`` where it does not exist, or another process holds it."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", timeout=0, isolation_level=None, uri=True)
    except sqlite3.Error:
        return None
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error:
        connection.close()
        return None
    return connection
