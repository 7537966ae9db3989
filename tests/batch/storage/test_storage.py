from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chunking.batch.storage import storage
from chunking.errors import ChunkscopeError


def test_what_was_left_unfinished_is_tidied_away(tmp_path: Path) -> None:
    left = subprocess.run(
        [sys.executable, "-c", _KILLED_WHILE_WRITING, str(tmp_path / "sub" / "file")], cwd=Path.cwd(), check=False
    )
    assert left.returncode < 0
    assert len(list((tmp_path / "sub").iterdir())) == 1
    assert storage.listed(str(tmp_path / "sub")) == []
    storage.tidy(str(tmp_path))
    assert list((tmp_path / "sub").iterdir()) == []


_KILLED_WHILE_WRITING = """
import os, signal, sys
from chunking.batch.storage import storage
with storage.replacing(sys.argv[1]) as file:
    file.write(b"some"); file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_is_not_there_is_none_and_what_cannot_be_is_an_error(tmp_path: Path) -> None:
    assert storage.read(str(tmp_path / "nothing")) is None
    (tmp_path / "file").write_text("x")
    with pytest.raises(ChunkscopeError, match="file/below cannot be written: .*stays"):
        storage.write(str(tmp_path / "file" / "below"), b"")
    with pytest.raises(ChunkscopeError, match="cannot be read: Is a directory"):
        storage.read(str(tmp_path))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_told(tmp_path: Path) -> None:
    def grow() -> None:
        with storage.replacing(str(tmp_path / "file")) as file:
            os.dup2(os.open("/dev/full", os.O_WRONLY), file.fileno())
            file.write(b"x" * 100_000)

    with pytest.raises(ChunkscopeError, match="No space left on device.*Make room; what is finished stays"):
        grow()
    assert list(tmp_path.iterdir()) == []


def test_names_are_plain_and_distinct() -> None:
    found = storage.distinct(["a:b=1;c=2", "a b=1 c=2", "../../etc", "", "é", "A", "a"])
    assert found == ["a_b=1_c=2", "a_b=1_c=2-2", "etc", "unnamed", "é", "A", "a-2"]


_HOLDS = """
import sys
from chunking.batch.storage import storage
with storage.sole(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_folder_is_one_runs_at_a_time_and_a_killed_one_frees_it(tmp_path: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    with (
        pytest.raises(ChunkscopeError, match=f"Another run is working in .*process {other.pid} on .*another --out"),
        storage.sole(str(tmp_path)),
    ):
        pass
    other.kill()
    other.communicate()
    with storage.sole(str(tmp_path)):
        assert f"process {os.getpid()} " in (tmp_path / "running.txt").read_text()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ChunkscopeError, match="cannot be written"), storage.sole(str(tmp_path / "file" / "work")):
        pass
