"""Results of evaluations on disk, so that they survive a restart: one JSON file each, the latest.

Each file says which texts its result was made of, so that it can be deleted with them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import chunking
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
        found = _content(path)
        if found is None or found.get("key") != key or "shown" not in found:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return found

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
        made = {"key": key, "shown": shown, "texts": sorted(set(texts)), **about}
        content = json.dumps(made, ensure_ascii=False)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # Under another name first, so that nobody reads an incomplete file.
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=".", suffix=_ENDING)
            try:
                with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(content)
                os.replace(name, self.folder / f"{key}{_ENDING}")
            except OSError:
                with contextlib.suppress(OSError):
                    os.unlink(name)
                raise
            self._tidy()
        except OSError as error:
            return f"The result could not be saved to disk ({error.strerror}). It is lost when the server stops."
        return ""

    def forget(self, text_hash: str) -> bool:
        """Delete the results that were made of a text, and those that do not say of which; return whether all went."""
        forgotten = True
        for path in self._files():
            found = _content(path) or {}
            if text_hash in found.get("texts", [text_hash]):
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
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
