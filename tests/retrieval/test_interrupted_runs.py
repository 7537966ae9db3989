from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chunking.retrieval.result_store import InterruptedRuns

_RUNS = """
import sys
from pathlib import Path
from chunking.retrieval.result_store import InterruptedRuns
with InterruptedRuns(Path(sys.argv[1])).running("abc"):
    print("runs", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def notes(tmp_path: Path) -> InterruptedRuns:
    return InterruptedRuns(tmp_path / "retrieval")


def test_an_evaluation_that_ends_leaves_no_note_however_it_ends(notes: InterruptedRuns) -> None:
    notes.note("abc")
    with pytest.raises(KeyboardInterrupt), notes.running("abc"):
        assert not notes.is_interrupted("abc")
        raise KeyboardInterrupt
    assert not list(notes.folder.iterdir())


def test_one_that_waits_when_its_server_ends_is_interrupted(notes: InterruptedRuns) -> None:
    assert not notes.is_interrupted("abc")
    notes.note("abc")
    assert notes.is_interrupted("abc")
    assert not notes.is_interrupted("another")
    notes.drop("abc")
    assert not notes.is_interrupted("abc")


def test_one_whose_process_is_killed_is_interrupted_and_one_that_another_process_runs_is_not(
    notes: InterruptedRuns,
) -> None:
    notes.note("abc")
    command = [sys.executable, "-c", _RUNS, str(notes.folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "runs\n"
        assert not notes.is_interrupted("abc")
        os.kill(process.pid, signal.SIGKILL)
        process.wait(30)
    assert notes.is_interrupted("abc")


def test_notes_that_nobody_waits_for_go(notes: InterruptedRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    notes.note("old")
    monkeypatch.setattr("chunking.retrieval.result_store._OLDEST_SECONDS", -1.0)
    notes.note("new")
    assert not notes.is_interrupted("old")


def test_a_folder_that_cannot_be_written_notes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    notes = InterruptedRuns(tmp_path / "file")
    notes.note("abc")
    with notes.running("abc"):
        assert not notes.is_interrupted("abc")
