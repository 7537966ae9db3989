from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chunking.__main__ import main
from tests.batch.sets import beir, content, in_files

METHODS = "sentence:max_tokens=24;overlap=4,percentile"

LINE = (
    "run",
    "--mode",
    "eval",
    "--method",
    METHODS,
    "--encoder",
    "char-ngrams",
    "--retriever",
    "dense,bm25",
    "--splitter",
    "rules",
)


def line(folder: Path, out: Path, workers: int = 1) -> list[str]:
    sets = f"{folder / 'sea'},{folder / 'files'}"
    return [*LINE, "--datasets", sets, "--out", str(out), "--workers", str(workers), "--part-bytes", "300"]


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    beir(folder / "sea")
    in_files(folder / "files")
    return folder


@pytest.fixture(scope="module")
def undisturbed(sets: Path) -> dict[str, bytes]:
    assert main(line(sets, sets / "undisturbed")) == 0
    return without_line(sets / "undisturbed")


def without_line(out: Path) -> dict[str, bytes]:
    """What a run wrote, with nothing of the line that asked for it, which names its folder."""
    return {
        name: b"\n".join(row for row in data.split(b"\n") if b"chunking run" not in row)
        for name, data in content(out).items()
        if name != "results/report.html"
    }


KILLED = """
import os, signal, sys
from chunking.__main__ import main
from chunking.batch import engines
from chunking.batch.engines import LocalEngine

class Dying(LocalEngine):
    left = int(sys.argv[1])
    def run(self, work, jobs):
        for result in super().run(work, jobs):
            if not Dying.left:
                os.kill(os.getpid(), signal.SIGKILL)
            Dying.left -= 1
            yield result

if __name__ == "__main__":
    engines.LocalEngine = Dying
    sys.exit(main(sys.argv[2:]))
"""


def test_a_run_that_was_killed_goes_on(
    sets: Path,
    undisturbed: dict[str, bytes],
    tmp_path: Path,
    root: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    arguments = line(sets, tmp_path / "out")
    killed = subprocess.run(
        [sys.executable, str(script), "3", *arguments], env={"PYTHONPATH": str(root)}, cwd=tmp_path, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert list((tmp_path / "out" / "work").rglob("*.parquet"))
    assert main(arguments) == 0
    rest = json.loads(capsys.readouterr().out)["made"]
    assert rest["searched"] > 0
    assert without_line(tmp_path / "out") == undisturbed
    assert main(arguments) == 0
    assert not any(json.loads(capsys.readouterr().out)["made"].values())


def test_the_number_of_workers_does_not_matter(
    sets: Path, undisturbed: dict[str, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(line(sets, tmp_path / "out", workers=2)) == 0
    assert without_line(tmp_path / "out") == undisturbed
    found = json.loads(capsys.readouterr().out)
    assert sorted(found["files"]) == sorted(content(tmp_path / "out"))
    assert set(found["seconds"]) >= {"cutting", "searching", "measuring", "in all"}


def test_a_budget_and_the_form_of_chunks_are_heeded(
    sets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [*line(sets, tmp_path), "--datasets", str(sets / "files"), "--budget", "30", "--chunks-format", "both"]
    assert main(asked) == 0
    written = json.loads(capsys.readouterr().out)["files"]
    assert {Path(name).suffix for name in written if name.startswith("data/")} == {".jsonl", ".parquet"}
    quality = json.loads((tmp_path / "results" / "retrieval_quality_metrics.json").read_text())
    assert quality["files"]["primary"] == "recall@30"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--datasets", "/nowhere"), "/nowhere is no folder"),
        (("--datasets", ","), "No data set is named"),
        (("--method", "astrology"), "Unknown strategy 'astrology'"),
        (("--retriever", "smell"), "There is no way to search 'smell'"),
        (("--workers", "0"), "counted from 1"),
        (("--budget", "50"), "sea: judged documents have no recall within a number of tokens"),
        (("--budget", "50", "--top-k", "5"), "not allowed with argument"),
        (("--budget", "-1"), "counted from 1"),
        (("--top-k", "0"), "counted from 1"),
        (("--chunks-format", "csv"), "invalid choice: 'csv'"),
        (("--engine", "steam"), "invalid choice: 'steam'"),
        (("--nlp", "spacy", "--splitter", "kiwi"), "--nlp spacy is not --splitter kiwi"),
        (("--out", "/dev/null/below"), "cannot be written"),
        (("-p", "astrology=1"), "astrology"),
    ],
)
def test_what_is_wrong_is_said(
    sets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], problem: str
) -> None:
    assert main([*line(sets, tmp_path / "out"), *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert problem in err
    assert "Traceback" not in err


def test_what_is_not_installed_is_said_before_any_work(
    sets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    assert main(line(sets, tmp_path / "out")) == 2
    assert "needs ir_measures, which is not installed" in capsys.readouterr().err
    assert not (tmp_path / "out").exists(), "nothing was begun"
