"""Files and folders of a user: private ones, and temporary folders that are removed even after a kill."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO

PREFIX = "chunkscope-scratch-"
_LOCK = "lock"


def user_folder(variable: str, below: str) -> Path:
    """Return Chunkscope's folder in the one that the XDG specification has for a user.

    Args:
        variable: the environment variable that names it; a relative path in it is ignored.
        below: where it is in the home folder otherwise.

    Raises:
        RuntimeError: the user has no home folder.
    """
    base = os.environ.get(variable, "")
    return (Path(base) if os.path.isabs(base) else Path.home() / below) / "chunkscope"


def file_identity(path: Path | str) -> tuple[int, int]:
    """Return device and inode of a file; zeros if it does not exist."""
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def make_private_folder(folder: Path) -> None:
    """Create a folder with those above it, each for its owner alone; one that is there stays as it is.

    Raises:
        OSError: it cannot be created.
    """
    if not folder.is_dir():
        make_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def make_private_file(path: Path) -> None:
    """Create an empty file for its owner alone; one that is there stays as it is, and is not even opened.

    To close a file gives up all locks that this process has on it, whoever opened it: another process would then take a
    database of SQLite for unused, and remove the log that this one still writes to.

    Raises:
        OSError: it cannot be created.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL, 0o600))


class ScratchFolder:
    """A folder for this process alone, until it is closed, collected or the process ends.

    It has a lock that the system releases with the process. :func:`remove_abandoned` removes the folders that nobody
    holds any more; a server calls it when it starts.
    """

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
        self._lock = (Path(self._temporary.name) / _LOCK).open("wb")
        _hold(self._lock)

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self._temporary.name)

    def close(self) -> None:
        """Delete the folder with all that is in it."""
        self._lock.close()
        self._temporary.cleanup()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def remove_abandoned() -> int:
    """Delete the folders of this user whose processes were killed, and return how many there were."""
    count = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if _is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)
            count += 1
    return count


def _is_abandoned(folder: Path) -> bool:
    try:
        if folder.is_symlink() or (hasattr(os, "getuid") and folder.stat().st_uid != os.getuid()):
            return False
        with (folder / _LOCK).open("rb") as lock:
            return _hold(lock)
    except OSError:
        return False


def _hold(lock: IO[bytes]) -> bool:
    """Take the lock of a folder unless another process has it; without locks of files, as if one had."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
