"""``--config`` and the commands that write and compare settings files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chunking import load_settings, strategies
from tests.command_line import TEXT, note, run
from tests.commands.evaluation.test_retrieval import folder

__all__ = ["folder", "note"]

FILE = """
encoder = "char-ngrams"
tokenizer = "all-MiniLM-L6-v2"
splitter = "rules"
language = "en"

[settings.tight]
strategy = "structural"
alpha = 0.2
percentile = 60.0

[settings.top]
strategy = "heading"
level = 1
"""
ONE = '[settings.top]\nstrategy = "heading"\nlevel = 1\n'


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "chunkscope.toml"
    path.write_text(FILE, encoding="utf-8")
    return path


@pytest.fixture
def one(tmp_path: Path) -> Path:
    path = tmp_path / "one.toml"
    path.write_text(ONE, encoding="utf-8")
    return path


def split(capsys: pytest.CaptureFixture[str], *words: str | Path) -> list[dict[str, Any]]:
    code, out, error = run(capsys, "split", *words)
    assert code == 0, error
    return [json.loads(line) for line in out.splitlines()]


def test_a_file_is_the_same_as_its_options(capsys: pytest.CaptureFixture[str], note: Path, config: Path) -> None:
    models = ("--encoder", "char-ngrams", "--tokenizer", "all-MiniLM-L6-v2", "--splitter", "rules", "--language", "en")
    options = ("--strategy", "structural", "-p", "alpha=0.2", "-p", "percentile=60", *models)
    assert split(capsys, note, "--config", config, "--setting", "tight") == split(capsys, note, *options)
    assert (
        run(capsys, "signals", note, "--config", config, "--setting", "tight")[1]
        == (run(capsys, "signals", note, *options)[1])
    )


def test_options_win_over_the_file(capsys: pytest.CaptureFixture[str], note: Path, config: Path, one: Path) -> None:
    from_file = split(capsys, note, "--config", one)
    assert [row["start"] for row in from_file] == [0, TEXT.index("# Bread")]
    with_option = split(capsys, note, "--config", one, "-p", "level=2")
    assert [row["start"] for row in with_option] == [0, TEXT.index("## Green"), TEXT.index("# Bread")]
    other = split(capsys, note, "--config", one, "--strategy", "whole")
    assert len(other) == 1
    same = split(capsys, note, "--config", one, "--strategy", "heading")
    assert same == from_file, "the parameters of the strategy that is named are in the file"
    counted = split(capsys, note, "--config", config, "--setting", "top", "--tokenizer", "cl100k_base")
    assert [row["tokens"] for row in counted] == [row["tokens"] for row in from_file]
    assert [row["tokens"] for row in split(capsys, note, "--config", config, "--setting", "top")] != (
        [row["tokens"] for row in from_file]
    )


def test_a_preset_replaces_the_parameters_of_the_file(
    capsys: pytest.CaptureFixture[str], note: Path, config: Path
) -> None:
    given = ("--config", config, "--setting", "tight", "-p", "preset=reference")
    rows = run(capsys, "signals", note, *given)[1].splitlines()
    assert json.loads(rows[0])["fused"] == pytest.approx(
        0.05 * json.loads(rows[0])["semantic"] + 0.95 * json.loads(rows[0])["structural"]
    )


def test_all_settings_of_a_file_are_compared(capsys: pytest.CaptureFixture[str], note: Path, config: Path) -> None:
    code, out, _ = run(capsys, "compare", note, "--config", config)
    assert code == 0
    assert list(json.loads(out)["strategies"]) == ["tight", "top"]
    chosen = run(capsys, "compare", note, "--config", config, "--strategies", "whole")[1]
    assert list(json.loads(chosen)["strategies"]) == ["whole"]


def test_advice_is_measured_with_the_models_of_a_file(
    capsys: pytest.CaptureFixture[str], note: Path, config: Path
) -> None:
    code, out, error = run(capsys, "suggest", note, "--config", config, "--format", "json")
    assert code == 0, error
    assert json.loads(out)["documents"][0]["maximum"]["limit"] == 0, "char-ngrams reads any length"


UNITS = {"id": "a", "units": ["Tea.", "Tea pot.", "Bread.", "Bread crust."], "boundaries": [2], "lang": "en"}


def test_boundaries_are_evaluated_with_the_settings_of_a_file(
    capsys: pytest.CaptureFixture[str], config: Path, tmp_path: Path
) -> None:
    data = tmp_path / "set.jsonl"
    data.write_text(json.dumps(UNITS), encoding="utf-8")
    code, out, error = run(capsys, "evaluate", "segmentation", data, "--config", config)
    found = json.loads(out)
    assert code == 0
    assert "note: splitter of " in error, "units are never split again"
    assert found["encoder"] == "char-ngrams"
    rows = {name: row["setting"] for name, row in found["strategies"].items() if row["setting"]}
    sizes = "min_tokens=0;soft_min_tokens=0;max_tokens=0"
    assert rows == {"tight": f"structural:alpha=0.2;percentile=60.0;{sizes}", "top": "heading:level=1"}
    options = ("--strategies", "structural:alpha=0.2;percentile=60", "--encoder", "char-ngrams", "--language", "en")
    same = json.loads(run(capsys, "evaluate", "segmentation", data, *options)[1])["strategies"]
    assert next(iter(same.values()))["per_document"] == found["strategies"]["tight"]["per_document"]
    moved = run(capsys, "evaluate", "segmentation", data, "--config", config, "-p", "percentile=90")[1]
    assert json.loads(moved)["strategies"]["tight"]["setting"] == f"structural:alpha=0.2;percentile=90.0;{sizes}"


def test_retrieval_is_evaluated_with_the_settings_of_a_file(
    capsys: pytest.CaptureFixture[str], config: Path, folder: Path
) -> None:
    code, out, error = run(capsys, "evaluate", "retrieval", folder, "--config", config, "--encoder", "static")
    found = json.loads(out)
    assert code == 0, error
    assert (found["encoder"], found["tokenizer"]) == ("static", "all-MiniLM-L6-v2")
    assert list(found["strategies"]) == ["tight", "top"]
    assert "note: language of " in error, "the data set has the language of its documents"
    words = ("--config", config, "--retriever", "bm25", "-p", "embed=chunk")
    by_words = json.loads(run(capsys, "evaluate", "retrieval", folder, *words)[1])
    assert by_words["strategies"]["top"]["setting"] == "heading:level=1;embed=chunk"
    code, _, error = run(capsys, "evaluate", "retrieval", folder, *words, "--strategies", "whole")
    assert code == 0, f"an encoder of the file need not be used: {error}"
    assert run(capsys, "evaluate", "retrieval", folder)[2].startswith("chunking: No strategy was given. Give --strat")


def test_a_run_has_the_settings_of_a_file(
    capsys: pytest.CaptureFixture[str], config: Path, folder: Path, tmp_path: Path
) -> None:
    words = ("run", "--mode", "chunk", "--datasets", folder, "--workers", "1")
    given = ("--encoder", "char-ngrams", "--tokenizer", "all-MiniLM-L6-v2", "--splitter", "rules")
    method = "tight=structural:alpha=0.2;percentile=60,top=heading:level=1"
    for place, more in (("file", ("--config", config)), ("line", (*given, "--method", method))):
        code, _, error = run(capsys, *words, *more, "--out", tmp_path / place)
        assert code == 0, error
    made = [sorted((tmp_path / place / "data" / "chunks").rglob("*.jsonl")) for place in ("file", "line")]
    assert len(made[0]) == 2
    assert [path.read_bytes() for path in made[0]] == [path.read_bytes() for path in made[1]]
    assert "Give --method A,B" in run(capsys, *words)[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["split", "{note}", "--config", "{config}"], "has several settings. Name one of: tight, top."),
        (["split", "{note}", "--config", "{config}", "--setting", "low"], "has no setting 'low'"),
        (["split", "{note}", "--setting", "low", "--strategy", "whole"], "--setting names a setting of a file"),
        (["split", "{note}", "--config", "{note}"], "is not valid TOML"),
        (["split", "{note}", "--config", "{note}.absent"], "cannot be read"),
        (["split", "{note}", "--config", "{config}", "--setting", "top", "-p", "alpha=1"], "Unknown parameter 'alpha'"),
        (["compare", "{note}"], "Give --strategies"),
        (["settings"], "Give --strategies"),
        (["settings", "--strategies", "telepathy"], "Unknown strategy"),
        (["diff", "{config}", "{note}"], "note.md is not valid TOML"),
        (["split", "{note}", "--strategy", "whole", "--format", "dataset"], "--output FOLDER"),
        (["split", "{note}", "--strategy", "whole", "--output", "{note}/x"], "cannot be written"),
    ],
)
def test_bad_input_is_explained(
    capsys: pytest.CaptureFixture[str], note: Path, config: Path, words: list[str], said: str
) -> None:
    code, out, error = run(capsys, *(word.format(note=note, config=config) for word in words))
    assert (code, out) == (2, "")
    assert said in error


def test_a_file_is_written_and_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path, config: Path) -> None:
    path = tmp_path / "new" / "mine.toml"
    written = run(capsys, "settings", "--config", config, "--encoder", "static", "--output", path)
    assert written == (0, "", "")
    assert load_settings(path).encoder == "static"
    assert load_settings(path).settings == load_settings(config).settings
    code, out, _ = run(capsys, "diff", config, path)
    assert (code, out) == (1, f"{config} → {path}\nencoder: char-ngrams → static\n")
    code, out, _ = run(capsys, "diff", config, path, "--format", "json")
    assert json.loads(out) == [{"setting": "", "key": "encoder", "before": "char-ngrams", "after": "static"}]
    assert run(capsys, "diff", config, config)[0] == 0


def test_settings_of_the_command_line_become_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    line = "fine=structural:alpha=0.3;features_off=heading,recursive:size=300"
    assert run(capsys, "settings", "--strategies", line, "--output", path)[0] == 0
    assert load_settings(path).settings == strategies.parse_named(line)


def test_chunks_are_written_in_every_format(capsys: pytest.CaptureFixture[str], note: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    rows = split(capsys, note, "--strategy", "heading")
    for name in ("jsonl", "json", "csv", "parquet", "langchain", "llama-index", "haystack"):
        path = tmp_path / "out" / name
        assert run(capsys, "split", note, "--strategy", "heading", "--format", name, "--output", path) == (0, "", "")
        data = path.read_bytes()
        assert b"Knead the dough." in data
        if name in ("langchain", "llama-index", "haystack"):
            assert len(data.splitlines()) == len(rows)
    folder = tmp_path / "dataset"
    assert run(capsys, "split", note, "--strategy", "heading", "--format", "dataset", "--output", folder)[0] == 0
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert files == {"README.md", "data/train-00000-of-00001.parquet"}
