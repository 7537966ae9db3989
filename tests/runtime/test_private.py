from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chunking.runtime import private

fcntl = pytest.importorskip("fcntl", reason="locks and rights of POSIX")

LOCK = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB)"


def is_locked(path: Path) -> bool:
    """Return whether another process finds a file locked."""
    return subprocess.run([sys.executable, "-c", LOCK, str(path)], capture_output=True).returncode != 0


def test_a_file_that_is_there_keeps_the_locks_of_this_process(tmp_path: Path) -> None:
    """SQLite has such a lock on a database: without it another process removes the log that is still written to."""
    path = tmp_path / "database"
    path.touch()
    with path.open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert is_locked(path)
        private.make_file(path)
        assert is_locked(path)
    assert not is_locked(path)


def test_what_is_made_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "above" / "folder" / "database"
    private.make_folder(path.parent)
    private.make_file(path)
    assert [each.stat().st_mode & 0o777 for each in (path, path.parent, path.parent.parent)] == [0o600, 0o700, 0o700]
