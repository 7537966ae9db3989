"""Files and folders that nobody else on the machine may read."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def make_folder(folder: Path) -> None:
    """Create a folder with those above it, each for its owner alone; one that is there stays as it is.

    Raises:
        OSError: it cannot be created.
    """
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def make_file(path: Path) -> None:
    """Create an empty file for its owner alone; one that is there stays as it is, and is not even opened.

    To close a file gives up all locks that this process has on it, whoever opened it: another process would then take a
    database of SQLite for unused, and remove the log that this one still writes to.

    Raises:
        OSError: it cannot be created.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o600))
