"""Results of evaluations on disk, so that they are there again after the server was: a JSON file each, the latest."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import streamlit as st

import chunking
from chunking.embedding import vector_cache

LIMIT = 64
"""Results that are kept; those that were not looked at for longest go first."""

_ENDING = ".json"


def folder() -> Path:
    """Where they are."""
    return vector_cache.default_folder() / "retrieval"


@st.cache_resource(max_entries=1, show_spinner=False)
def program() -> str:
    """Identity of the engine: another one may find other results in the same documents."""
    root = Path(chunking.__file__).parent
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def read(key: str) -> dict[str, Any] | None:
    """The result of that key, where it is kept and whole."""
    path = folder() / f"{key}{_ENDING}"
    try:
        found = json.loads(path.read_bytes())
        os.utime(path)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("key") == key and "shown" in found else None


def write(key: str, shown: dict[str, Any], about: dict[str, Any]) -> str:
    """Keep a result.

    Args:
        key: of what was evaluated, a hash.
        shown: what it came to.
        about: what else is to be there with it.

    Returns:
        Why it could not be kept; empty where it was.
    """
    content = json.dumps({"key": key, "shown": shown, **about}, ensure_ascii=False)
    try:
        folder().mkdir(parents=True, exist_ok=True)
        # Under another name first, so that nobody reads half a file.
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
        return f"The result could not be kept on disk ({error.strerror}); it is gone when the server ends."
    return ""


def _tidy() -> None:
    files = sorted(folder().glob(f"[!.]*{_ENDING}"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[LIMIT:]:
        with contextlib.suppress(OSError):
            path.unlink()
