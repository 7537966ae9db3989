"""Results of evaluations on disk, so that they survive a restart of the server: one JSON file each, the latest."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import streamlit as st

import chunking
from chunking.embedding import vector_cache

LIMIT = 64
"""Results that are kept; the least recently used are deleted first."""

_ENDING = ".json"


def folder() -> Path:
    """Return the folder of the results."""
    return vector_cache.default_folder() / "retrieval"


@st.cache_resource(max_entries=1, show_spinner=False)
def engine_version() -> str:
    """Return a digest of the engine's source: another version may give other results for the same documents."""
    root = Path(chunking.__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def read(key: str) -> dict[str, Any] | None:
    """Return the result of a key, or ``None`` where there is no intact file."""
    path = folder() / f"{key}{_ENDING}"
    try:
        found = json.loads(path.read_bytes())
        os.utime(path)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("key") == key and "shown" in found else None


def write(key: str, shown: dict[str, Any], about: dict[str, Any]) -> str:
    """Save a result.

    Args:
        key: hash of the request.
        shown: the summary.
        about: further fields of the file.

    Returns:
        Why it could not be saved; empty where it was.
    """
    content = json.dumps({"key": key, "shown": shown, **about}, ensure_ascii=False)
    try:
        folder().mkdir(parents=True, exist_ok=True)
        # Under another name first, so that nobody reads an incomplete file.
        handle, name = tempfile.mkstemp(dir=folder(), prefix=".", suffix=_ENDING)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(content)
            os.replace(name, folder() / f"{key}{_ENDING}")
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
        _tidy()
    except OSError as error:
        return f"The result could not be saved to disk ({error.strerror}). It is lost when the server stops."
    return ""


def _tidy() -> None:
    files = sorted(folder().glob(f"[!.]*{_ENDING}"), key=_last_use, reverse=True)
    for path in files[LIMIT:]:
        with contextlib.suppress(OSError):
            path.unlink()


def _last_use(path: Path) -> float:
    """Return when a result was last used; one that a clock which was ahead has stamped is the oldest."""
    stamp = path.stat().st_mtime
    return stamp if stamp <= time.time() else 0.0
