"""The command line: its stable form, and what it says of bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunking import strategies
from chunking.__main__ import main

TEXT = (
    "# Tea\n\nBoil the water. Wait a little. Pour it slowly.\n\n"
    "# Bread\n\nKnead the dough. Let it rest. Bake it well.\n"
)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    return (code, *capsys.readouterr())


def test_strategies_are_listed_with_their_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "strategies", "--json")
    rows = json.loads(out)
    assert code == 0
    assert [row["name"] for row in rows] == list(strategies.REGISTRY)
    for row in rows:
        assert list(row) == ["name", "title", "family", "summary", "origin", "tiles", "params"]
        for known in row["params"].values():
            assert {"type", "default", "min", "max", "unit", "help"} <= known.keys()
    assert run(capsys, "strategies")[1].startswith("structural")


TILING = [name for name, strategy in strategies.REGISTRY.items() if strategy.tiles]


@pytest.mark.parametrize("name", TILING)
def test_split_prints_chunks_that_tile_the_file(capsys: pytest.CaptureFixture[str], note: Path, name: str) -> None:
    code, out, _ = run(
        capsys, "split", note, "--strategy", name, "-p", "overlap=1", "-p", "min_tokens=0", "-p", "max_tokens=60"
    )
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert "".join(row["text"] for row in rows) == TEXT
    assert json.loads(run(capsys, "split", note, "--strategy", name, "--format", "json")[1])
    assert run(capsys, "split", note, "--strategy", name, "--format", "csv")[1].startswith("index,start,end,text,")


def test_signals_hold_both_distances_and_the_features(capsys: pytest.CaptureFixture[str], note: Path) -> None:
    code, out, _ = run(capsys, "signals", note, "-p", "preset=reference", "-p", "percentile=80")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert len(rows) == 7
    for row in rows:
        assert row["structural_raw"] == pytest.approx(0.18 + 0.82 * row["structural"])
        assert row["fused"] == pytest.approx(0.05 * row["semantic"] + 0.95 * row["structural"])
        assert row["boundary"] == (row["fused"] > row["threshold"])
        assert len(row["features"]) == 10
    assert run(capsys, "signals", note, "--format", "csv")[1].startswith("gap,offset,left_start,")


def test_the_encoders_own_tokenizer_can_count(capsys: pytest.CaptureFixture[str], note: Path) -> None:
    code, out, _ = run(capsys, "split", note, "--strategy", "structural", "--tokenizer", "all-MiniLM-L6-v2")
    assert code == 0
    assert all(json.loads(line)["tokens"] for line in out.splitlines())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["split", "{note}", "--strategy", "telepathy"], "no strategy"),
        (["split", "{note}", "--strategy", "structural", "-p", "alpha=2"], "a number from 0 to 1"),
        (["split", "{note}", "--strategy", "structural", "-p", "alpha"], "KEY=VALUE"),
        (["split", "{note}", "--strategy", "structural", "-p", "colour=red"], "no parameter"),
        (["split", "{note}", "--strategy", "structural", "-p", "min_tokens=9", "-p", "max_tokens=8"], "larger than"),
        (["split", "{note}", "--strategy", "structural", "-p", "preset=magic"], "preset"),
        (["split", "{note}", "--strategy", "structural", "--tokenizer", "abacus"], "tokenizer"),
        (["split", "{note}", "--strategy", "structural", "--encoder", "oracle"], "encoder"),
        (["split", "{note}", "--strategy", "structural", "--language", "Klingonese!"], "language"),
        (["split", "{note}", "--strategy", "structural", "--format", "xml"], "invalid choice"),
        (["split", "{note}.absent", "--strategy", "structural"], "cannot be read"),
        (["split", "{folder}", "--strategy", "structural"], "cannot be read"),
        (["split", "{note}"], "--strategy"),
        (["frobnicate"], "invalid choice"),
        ([], "required"),
    ],
)
def test_bad_input_is_told_on_standard_error(
    capsys: pytest.CaptureFixture[str], note: Path, words: list[str], said: str
) -> None:
    code, out, error = run(capsys, *(word.format(note=note, folder=note.parent) for word in words))
    assert code == 2
    assert out == ""
    assert said in error
    assert error.startswith("chunking: ")
    assert len(error.strip().splitlines()) == 1


def test_a_binary_file_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "picture.txt"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    code, out, error = run(capsys, "split", path, "--strategy", "structural")
    assert (code, out) == (2, "")
    assert "picture.txt" in error
