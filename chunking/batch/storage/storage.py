"""Files that are there whole or not at all, and the right of one run at a time to a folder.

Every file of a run is opened and written here, by its path as text; one that is an address is of another file system
(:mod:`~chunking.runtime.remote`).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import socket
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from chunking.errors import ChunkscopeError
from chunking.runtime import atomic, remote
from chunking.runtime.atomic import UNFINISHED
from chunking.runtime.patterns import compile_pattern

_NOT_PORTABLE = compile_pattern(r"[^\w.+=-]+")


def opened(path: str) -> IO[bytes]:
    """Return a file to read from, at any place of it.

    Raises:
        OSError: it is not there, or cannot be read.
    """
    return remote.opened(path) if remote.is_address(path) else Path(path).open("rb")


def read(path: str) -> bytes | None:
    """Return a file; ``None`` where there is none.

    Raises:
        ChunkscopeError: it is there and cannot be read.
    """
    try:
        with opened(path) as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error) from error


@contextlib.contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """Yield a file to write to, which takes its place when all of it is written and never before.

    Raises:
        ChunkscopeError: it cannot be written.
    """
    try:
        if not remote.is_address(path):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        with remote.replacing(path) if remote.is_address(path) else atomic.replacing(Path(path)) as file:
            yield file
    except OSError as error:
        raise _unwritable(path, error) from error


def write(path: str, data: bytes) -> None:
    """Put a file into its place at once."""
    with replacing(path) as file:
        file.write(data)


def listed(folder: str, recursive: bool = False) -> list[str]:
    """Return the sorted paths of the finished files of a folder; none if it does not exist."""
    if remote.is_address(folder):
        paths = _below(folder, recursive)
    elif recursive:
        paths = [str(path) for path in Path(folder).rglob("*") if path.is_file()]
    else:
        try:
            paths = [entry.path for entry in os.scandir(folder) if entry.is_file()]
        except (FileNotFoundError, NotADirectoryError):
            paths = []
    return sorted(path for path in paths if not path.endswith(UNFINISHED))


def tidy(folder: str) -> None:
    """Take away what a run that was killed left unfinished."""
    if remote.is_address(folder):
        for unfinished_path in _below(folder, recursive=True):
            if unfinished_path.endswith(UNFINISHED):
                with contextlib.suppress(OSError):
                    remote.delete(unfinished_path)
        return
    for path in Path(folder).rglob(f"*{UNFINISHED}"):
        with contextlib.suppress(OSError):
            path.unlink()


def _below(folder: str, recursive: bool = False) -> list[str]:
    try:
        return remote.below(folder, recursive)
    except OSError as error:
        raise _unreadable(folder, error) from error


def plain(name: str) -> str:
    """Return a name that any file system takes, the same for the same text."""
    return _NOT_PORTABLE.sub("_", name).strip("._")[:100] or "unnamed"


def distinct(names: list[str]) -> list[str]:
    """Return plain names, later ones that are the same as an earlier one with a number."""
    distinct_names: list[str] = []
    for name in map(plain, names):
        number = 1
        tried = name
        while tried.casefold() in {name.casefold() for name in distinct_names}:
            number += 1
            tried = f"{name}-{number}"
        distinct_names.append(tried)
    return distinct_names


@contextlib.contextmanager
def sole(folder: str) -> Iterator[None]:
    """Yield the right to write to a folder, which one run has at a time.

    It is a lock of SQLite on a file, which the operating system takes back from a process that ended in any way, so a
    run that was killed bars nobody. Of a folder that has an address the lock is on this machine alone: runs of several
    machines in it at once do the same work twice, and may have to be started again.

    Raises:
        ChunkscopeError: another run has it, or the folder cannot be written.
    """
    base = Path(folder)
    if remote.is_address(folder):
        base = Path(tempfile.gettempdir(), f"chunkscope-{hashlib.sha256(folder.encode()).hexdigest()[:16]}")
    holder = base / "running.txt"
    try:
        base.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(base / "running.lock", timeout=0, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise _unwritable(folder, error) from error
    try:
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if (error.sqlite_errorcode & 0xFF) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise _unwritable(folder, error) from error
            raise ChunkscopeError(
                f"Another run is working in {folder}{_describe_holder(holder)}.",
                "Wait for it, stop it, or name another --out.",
            ) from error
        try:
            write(str(holder), f"process {os.getpid()} on {socket.gethostname()}".encode())
            yield
        finally:
            with contextlib.suppress(OSError):
                holder.unlink(missing_ok=True)
    finally:
        connection.close()


def _describe_holder(holder: Path) -> str:
    try:
        return f" ({holder.read_text(encoding='utf-8')})"
    except (OSError, ValueError):
        return ""


def _unreadable(path: str, error: OSError) -> ChunkscopeError:
    return ChunkscopeError(f"{path} cannot be read: {error.strerror or error}.", "Check its permissions.")


def _unwritable(path: str, error: Exception) -> ChunkscopeError:
    reason = getattr(error, "strerror", None) or str(error)
    full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
    remedy = "Make room" if full else "Check the folder and its permissions, or name another --out"
    return ChunkscopeError(f"{path} cannot be written: {reason}.", f"{remedy}; what is finished stays.")
