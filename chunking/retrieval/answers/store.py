"""The replies of models as files of a server, so that they survive a restart, and go with the texts that they quote."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from chunking.retrieval.result_store import EvaluationFolder
from chunking.runtime import structured
from chunking.runtime.progress import Tell

LIMIT = 64
"""Files that are kept; the least recently written are deleted first."""

_POLL_SECONDS = 0.2
_ENDING = ".jsonl"
_locks: dict[Path, threading.Lock] = {}
_locks_lock = threading.Lock()


class AnswerStore(EvaluationFolder):
    """Files of :class:`~chunking.retrieval.answers.exchanges.Exchanges` in a folder, which one server uses."""

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return super().folder / "answers"

    def path(self, key: str) -> Path:
        """Return the file of a key."""
        return self.folder / f"{key}{_ENDING}"

    @contextlib.contextmanager
    def exclusive(self, key: str, tell: Tell) -> Iterator[Path]:
        """Hold the file of a key, for one thread at a time; ``tell`` is called while waiting, and may raise to stop."""
        path = self.path(key)
        with _locks_lock:
            lock = _locks.setdefault(path, threading.Lock())
        while not lock.acquire(timeout=_POLL_SECONDS):
            tell("waiting for another run", 0, 0)
        try:
            self._tidy(path)
            yield path
        finally:
            lock.release()

    def forget(self, text_hash: str) -> bool:
        """Delete the replies on a text, and those that do not say on which; return whether all went."""
        forgotten = True
        for path in self.folder.glob(f"*{_ENDING}"):
            try:
                with path.open("rb") as file:
                    head = structured.json_or_none(file.readline())
                texts = head.get("texts", [text_hash]) if isinstance(head, dict) else [text_hash]
                if text_hash in texts:
                    path.unlink(missing_ok=True)
            except OSError:
                forgotten = False
        return forgotten

    def _tidy(self, current: Path) -> None:
        with contextlib.suppress(OSError):
            files = sorted(self.folder.glob(f"*{_ENDING}"), key=lambda path: path.stat().st_mtime, reverse=True)
            for path in files[LIMIT:]:
                if path != current:
                    path.unlink(missing_ok=True)
