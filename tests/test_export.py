from __future__ import annotations

import csv
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from chunking import export, from_text, samples, strategies
from chunking.strategies import Segmentation
from chunking.workspace import Tools, Workspace


@pytest.fixture(scope="module")
def guide() -> Segmentation:
    sample = samples.load("field-guide-to-backups")
    strategy = strategies.get("structural")
    texts = {"alpha": "0.4", "overlap": "1", "max_tokens": "200", "min_tokens": "30", "features_off": "list_edge"}
    workspace = Workspace(sample.document, known=sample.known)
    return strategies.run("structural", workspace, strategies.parameters(strategy, texts))


def test_chunk_rows_have_the_stable_form(guide: Segmentation) -> None:
    text = guide.document.text
    for row in export.chunk_rows(guide):
        assert list(row) == ["index", "start", "end", "text", "overlap", "tokens", "heading_path", "cut"]
        assert text[row["start"] : row["end"]] == row["text"]
        if row["cut"]:
            assert list(row["cut"]) == ["reason", "score", "threshold"]
    assert {row["cut"]["reason"] for row in export.chunk_rows(guide)[1:]} == {"distance", "token_limit"}


def test_gap_rows_have_the_stable_form(guide: Segmentation) -> None:
    rows = list(export.gap_rows(guide))
    starts = {row["start"] for row in export.chunk_rows(guide)}
    assert guide.signals is not None
    assert len(rows) == len(guide.signals)
    for row in rows:
        assert list(row) == [
            *("gap", "offset", "left", "right", "semantic", "structural", "structural_raw", "fused", "threshold"),
            *("boundary", "features"),
        ]
        assert row["boundary"] == (row["offset"] in starts)
        assert row["fused"] == pytest.approx(0.4 * row["semantic"] + 0.6 * row["structural"])
        assert row["left"][1] <= row["offset"] <= row["right"][0]


def test_lines_of_json_are_readable_and_whole(guide: Segmentation) -> None:
    lines = export.jsonl(export.chunk_rows(guide)).splitlines()
    assert "".join(json.loads(line)["text"] for line in lines) == guide.document.text


def test_a_table_spreads_nested_values_over_columns(guide: Segmentation) -> None:
    rows = list(csv.DictReader(io.StringIO(export.table(export.chunk_rows(guide), export.CHUNK_COLUMNS))))
    assert len(rows) == len(guide.chunks)
    assert rows[0]["cut_reason"] == ""
    overlapped = [row for row in rows if row["overlap_end"]]
    assert overlapped
    assert all(row["overlap_end"] == row["start"] for row in overlapped)
    gaps = list(csv.DictReader(io.StringIO(export.table(list(export.gap_rows(guide)), export.GAP_COLUMNS))))
    assert {"left_start", "right_end", "heading", "after_heading"} <= gaps[0].keys()


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@sum", "\tx"])
def test_a_table_runs_no_formula(start: str) -> None:
    row = {"text": f"{start} and more"}
    assert next(csv.DictReader(io.StringIO(export.table([row], ()))))["text"] == f"'{start} and more"


def test_the_exported_code_and_command_give_the_same_spans(guide: Segmentation, root: Path, tmp_path: Path) -> None:
    path = root / "sample_docs" / guide.document.name
    expected = [(chunk.start, chunk.end, chunk.tokens) for chunk in guide.chunks]

    code = export.python_code(guide, Tools(), str(path))
    script = tmp_path / "chunks.py"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(root)},
    )
    assert [tuple(map(int, line.split()[:3])) for line in done.stdout.splitlines()] == expected

    words = export.command_line(guide, Tools(), str(path))
    assert words.startswith("python -m chunking split ")
    done = subprocess.run(
        words.replace("python", sys.executable, 1), shell=True, cwd=root, capture_output=True, text=True, check=True
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["start"], row["end"], row["tokens"]) for row in rows] == expected


def test_a_path_with_quotes_and_spaces_stays_one_word(guide: Segmentation) -> None:
    odd = 'it\'s; a "path" $(x).md'
    assert shlex.split(export.command_line(guide, Tools(), odd))[4] == odd
    compile(export.python_code(guide, Tools(), odd), "code", "exec")
    assert shlex.split(export.command_line(guide, Tools(), "-x.md"))[4] == "./-x.md", "a file, not an option"


def test_a_document_without_gaps_exports_nothing_but_its_chunk() -> None:
    one = strategies.run("structural", Workspace(from_text("One sentence only.", language="en")))
    assert [row["text"] for row in export.chunk_rows(one)] == ["One sentence only."]
    assert list(export.gap_rows(one)) == []
    assert export.table([], export.GAP_COLUMNS).strip() == ",".join(export.GAP_COLUMNS)


def test_the_columns_of_an_empty_table_are_those_of_a_full_one(guide: Segmentation) -> None:
    chunks = export.table(export.chunk_rows(guide), ()).splitlines()[0].split(",")
    gaps = export.table(list(export.gap_rows(guide)), ()).splitlines()[0].split(",")
    assert tuple(chunks) == export.CHUNK_COLUMNS
    assert tuple(gaps[: len(export.GAP_COLUMNS)]) == export.GAP_COLUMNS


def test_what_the_limits_did_can_be_read(guide: Segmentation) -> None:
    lines = list(export.limit_lines(guide))
    assert sum("taken away by the minimum" in line for line in lines) == len(guide.suppressed)
    assert sum(line.startswith("chunk ") for line in lines) == sum(len(chunk.notes) for chunk in guide.chunks)
