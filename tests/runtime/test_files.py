"""Private files, files that are complete or not there, and temporary folders of processes that were killed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from chunking.runtime import files
from chunking.runtime.atomic import replacing
from chunking.runtime.files import ScratchFolder

CODE = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from chunking.runtime.files import ScratchFolder
folder = ScratchFolder()
(folder.path / "archive.zip").write_text("Of a person's library.")
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_a_killed_process_left_is_removed(temporary: Path, root: Path) -> None:
    command = [sys.executable, "-c", CODE, str(temporary)]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout
        folder = Path(running.stdout.readline().strip())
        assert files.remove_abandoned() == 0, "its process lives"
        assert (folder / "archive.zip").exists()
        running.kill()
        running.wait()
        assert (folder / "archive.zip").exists()
        assert files.remove_abandoned() == 1
    assert list(temporary.iterdir()) == []


def test_a_folder_goes_when_it_is_closed_and_nobody_else_reads_it(temporary: Path) -> None:
    with ScratchFolder() as folder:
        assert folder.stat().st_mode & 0o077 == 0
        assert files.remove_abandoned() == 0
    assert list(temporary.iterdir()) == []


def test_folders_that_are_not_of_chunkscope_stay(temporary: Path) -> None:
    (temporary / "other").mkdir()
    (temporary / f"{files.PREFIX}no-lock").mkdir()
    (temporary / f"{files.PREFIX}link").symlink_to(temporary / "other")
    assert files.remove_abandoned() == 0
    assert len(list(temporary.iterdir())) == 3


ON_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="locks and rights of POSIX")

LOCK = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB)"


def is_locked(path: Path) -> bool:
    """Return whether another process finds a file locked."""
    return subprocess.run([sys.executable, "-c", LOCK, str(path)], capture_output=True).returncode != 0


@ON_POSIX
def test_a_file_that_is_there_keeps_the_locks_of_this_process(tmp_path: Path) -> None:
    """SQLite has such a lock on a database: without it another process removes the log that is still written to."""
    import fcntl

    path = tmp_path / "database"
    path.touch()
    with path.open("r+b") as file:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert is_locked(path)
        files.make_private_file(path)
        assert is_locked(path)
    assert not is_locked(path)


@ON_POSIX
def test_what_is_made_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "above" / "folder" / "database"
    files.make_private_folder(path.parent)
    files.make_private_file(path)
    assert [each.stat().st_mode & 0o777 for each in (path, path.parent, path.parent.parent)] == [0o600, 0o700, 0o700]


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    for content in (b"first", b"second"):
        with replacing(path, durable=True) as file:
            file.write(content)
            assert path.exists() == (content == b"second")
        assert path.read_bytes() == content

    def fail() -> None:
        with replacing(path) as file:
            file.write(b"half of the th")
            raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        fail()
    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("result.json", b"second")]
