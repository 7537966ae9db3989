"""``compare --format table`` and ``csv``: a row for each strategy."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from chunking.__main__ import main
from chunking.commands import documents as table

TEXT = "# Tea\n\nTea is a drink. It is made with hot water.\n\n# Bread\n\nBread is baked. It needs an oven.\n"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "note.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> str:
    assert main(["compare", *map(str, words)]) == 0
    return capsys.readouterr().out


ASKED = ("--strategies", "top=heading,whole")


def test_csv_has_a_record_for_each_strategy_with_the_figures_of_the_json(
    capsys: pytest.CaptureFixture[str], note: Path
) -> None:
    found = json.loads(run(capsys, note, *ASKED))["strategies"]
    rows = list(csv.DictReader(io.StringIO(run(capsys, note, *ASKED, "--format", "csv"))))
    assert [row["strategy"] for row in rows] == ["top", "whole"]
    assert tuple(rows[0]) == table.COMPARISON_COLUMNS
    for row in rows:
        assert int(row["chunks"]) == found[row["strategy"]]["chunks"]
        assert float(row["tokens_max"]) == found[row["strategy"]]["tokens"]["cl100k_base"]["own"]["maximum"]
        assert row["f1"] == ""


def test_the_table_has_the_columns_that_hold_something(
    capsys: pytest.CaptureFixture[str], note: Path, tmp_path: Path
) -> None:
    assert "f1" not in run(capsys, note, *ASKED, "--format", "table").splitlines()[0]
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps([TEXT.index("# Bread")]), encoding="utf-8")
    lines = run(capsys, note, *ASKED, "--gold", gold, "--format", "table").splitlines()
    assert lines[0].split()[-4:] == ["similarity", "window", "diff", "pk"]
    assert lines[1].startswith("top") and "1.000" in lines[1]


def test_edits_add_how_many_chunks_a_word_changes(capsys: pytest.CaptureFixture[str], note: Path) -> None:
    found = json.loads(run(capsys, note, *ASKED, "--edits", "3", "--encoder", "static"))["strategies"]
    assert found["whole"]["edits"] == {"places": 3, "median": 1.0, "worst": 1.0}
    assert found["top"]["edits"]["worst"] == 0.5
    rows = list(csv.DictReader(io.StringIO(run(capsys, note, *ASKED, "--edits", "3", "--format", "csv"))))
    assert [(row["edits_median"], row["edits_worst"]) for row in rows] == [("0.5", "0.5"), ("1.0", "1.0")]
    assert "edits" not in json.loads(run(capsys, note, *ASKED))["strategies"]["top"]
