"""Evaluations that have begun, noted on disk, so that one whose process was killed begins again by itself.

A note is an empty file. The process that evaluates holds a lock on it, which the system releases however it ends.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from chunking.retrieval.result_store import EvaluationFolder

_ENDING = ".begun"
_OLDEST_SECONDS = 7 * 86_400.0
"""Seconds after which nobody waits for an evaluation any more."""


class BegunEvaluations(EvaluationFolder):
    """Notes of evaluations in a folder; nothing is noted where it cannot be written: they are then begun by hand."""

    def note(self, key: str) -> None:
        """Note that an evaluation is to run."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._path(key).touch()
            for path in self.folder.glob(f"*{_ENDING}"):
                if time.time() - path.stat().st_mtime > _OLDEST_SECONDS:
                    path.unlink(missing_ok=True)

    def drop(self, key: str) -> None:
        """Remove the note of an evaluation that has ended, or that nobody wants any more."""
        with contextlib.suppress(OSError):
            self._path(key).unlink(missing_ok=True)

    @contextlib.contextmanager
    def running(self, key: str) -> Iterator[None]:
        """Hold the note of an evaluation while it runs in this thread, and remove it at the end."""
        held = _lock(self._path(key))
        try:
            yield
        finally:
            if held:
                held.close()
            self.drop(key)

    def is_interrupted(self, key: str) -> bool:
        """Return whether an evaluation has begun, and no process runs it."""
        held = _lock(self._path(key))
        if held:
            held.close()
        return held is not None

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_ENDING}"


def _lock(path: Path) -> sqlite3.Connection | None:
    """Lock a note that is there; ``None`` where there is none, or another process holds it."""
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
