"""Atomic file writes: a file is there whole or not at all, whatever is killed meanwhile."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO

UNFINISHED = ".unfinished"
"""The end of the name of a file that is being written."""


@contextlib.contextmanager
def replacing_path(final: Path, durable: bool = False) -> Iterator[Path]:
    """Yield the path of a file to make, which takes its final name at the end and never before.

    Args:
        final: the path that it is to have; an earlier file there is replaced.
        durable: whether the file and its name are to be on the disk then, even if power is lost.

    Raises:
        OSError: it cannot be written; nothing was replaced.
    """
    # The same number of a process may be at work on another machine that sees the folder.
    growing = final.with_name(f".{final.name}.{uuid.uuid4().hex}{UNFINISHED}")
    try:
        yield growing
        if durable:
            with growing.open("rb+") as file:
                os.fsync(file.fileno())
        os.replace(growing, final)
        if durable:
            sync_folder(final.parent)
    finally:
        with contextlib.suppress(OSError):
            growing.unlink(missing_ok=True)


@contextlib.contextmanager
def replacing(final: Path, durable: bool = False, private: bool = False) -> Iterator[IO[bytes]]:
    """Yield a file to write to, see :func:`replacing_path`.

    Args:
        final: the path that it is to have.
        durable: see there.
        private: whether nobody else on the machine may read it.
    """
    with replacing_path(final, durable) as growing:
        handle = os.open(growing, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
        with open(handle, "wb") as file:
            yield file


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system can do that."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
