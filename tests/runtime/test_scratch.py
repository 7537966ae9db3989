"""Temporary files of a process that was killed go when the next one starts, and those of one that lives stay."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from chunking.runtime import scratch
from chunking.runtime.scratch import ScratchFolder

CODE = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from chunking.runtime.scratch import ScratchFolder
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
        assert scratch.remove_abandoned() == 0, "its process lives"
        assert (folder / "archive.zip").exists()
        running.kill()
        running.wait()
        assert (folder / "archive.zip").exists()
        assert scratch.remove_abandoned() == 1
    assert list(temporary.iterdir()) == []


def test_a_folder_goes_when_it_is_closed_and_nobody_else_reads_it(temporary: Path) -> None:
    with ScratchFolder() as folder:
        assert folder.stat().st_mode & 0o077 == 0
        assert scratch.remove_abandoned() == 0
    assert list(temporary.iterdir()) == []


def test_folders_that_are_not_of_chunkscope_stay(temporary: Path) -> None:
    (temporary / "other").mkdir()
    (temporary / f"{scratch.PREFIX}no-lock").mkdir()
    (temporary / f"{scratch.PREFIX}link").symlink_to(temporary / "other")
    assert scratch.remove_abandoned() == 0
    assert len(list(temporary.iterdir())) == 3
