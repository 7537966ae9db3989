"""Chunks of folders, of several files and of standard input."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from chunking.__main__ import main
from chunking.export import CHUNK_COLUMNS

RULES = ("--splitter", "rules")
TEA = "# Tea\n\nBoil the water. Wait a little. Pour it.\n\n## Green\n\nCool it first. Serve it at once.\n"
BREAD = "# Bread\n\nKnead the dough. Let it rest for an hour. Bake it well.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Documents, and what a folder of documents has beside them."""
    files: dict[str, bytes] = {
        "tea.md": TEA.encode(),
        "guide/bread.md": BREAD.encode(),
        "guide/notes.txt": b"Flour keeps for a year. Salt keeps for ever.\n",
        "data.json": b'{"flour": 1}',
        "logo.png": b"\x89PNG\r\n\x1a\n",
        ".git/readme.md": b"# Hidden\n",
    }
    for name, data in files.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_bytes(data)
    return tmp_path / "docs"


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = main(["split", *map(str, words)])
    out, error = capsys.readouterr()
    return code, out, error


def rows_of(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def test_a_folder_gives_the_chunks_of_each_document_with_its_name(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    code, out, error = run(capsys, folder, "--strategy", "heading", *RULES)
    rows = rows_of(out)
    assert code == 0
    assert error.splitlines()[-1] == "split: 3 documents, 4 chunks; left out: 1 hidden, 2 not a document"
    names = [str(folder / name) for name in ("guide/bread.md", "guide/notes.txt", "tea.md")]
    assert list(dict.fromkeys(row["document"] for row in rows)) == names
    for name in names:
        alone = rows_of(run(capsys, name, "--strategy", "heading", *RULES)[1])
        among = [dict(row) for row in rows if row["document"] == name]
        assert {row.pop("document_hash") for row in among} and {row.pop("setting") for row in among} == {"heading"}
        assert {row.pop("encoder") for row in among} == {None}
        assert [row for row in among if row.pop("document")] == alone
    twice = run(capsys, folder / "tea.md", folder, "--strategy", "heading", *RULES)
    assert {row["document"] for row in rows_of(twice[1])} == set(names), "each once"


def test_patterns_take_and_leave_out_files_of_a_folder(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    def names(*words: str) -> list[str]:
        out = run(capsys, folder, "--strategy", "whole", *RULES, *words)[1]
        return [Path(row["document"]).relative_to(folder).as_posix() for row in rows_of(out)]

    assert names("--include", "*.md") == ["guide/bread.md", "tea.md"]
    assert names("--exclude", "guide/*") == ["tea.md"]
    assert names("--include", "*.json", "--include", "tea.*") == ["data.json", "tea.md"]
    assert names("--include", "*.md", "--exclude", "tea*") == ["guide/bread.md"]
    code, _, error = run(capsys, folder, "--strategy", "whole", "--include", "*.rst")
    assert code == 2 and "holds no document" in error


def test_a_file_that_cannot_be_read_does_not_end_the_others(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (folder / "empty.md").write_bytes(b"")
    code, out, error = run(capsys, folder, folder / "absent.md", "--strategy", "heading", *RULES)
    assert code == 1
    assert len({row["document"] for row in rows_of(out)}) == 3
    assert f"chunking: {folder / 'broken.pdf'}: " in error and "absent.md cannot be read" in error
    assert error.splitlines()[-1].startswith("split: 4 documents, 4 chunks, 2 failed")
    code, out, error = run(capsys, folder / "absent.md", folder / "broken.pdf", "--strategy", "heading")
    assert (code, out) == (2, "") and "split: 0 documents" in error
    assert run(capsys, folder / "absent.md", "--strategy", "heading")[0] == 2


def test_archives_give_what_is_in_them(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "papers.zip", "w") as archive:
        archive.writestr("tea.md", TEA)
        archive.writestr("bread.md", BREAD)
    rows = rows_of(run(capsys, tmp_path / "papers.zip", "--strategy", "whole", *RULES)[1])
    assert [row["document"] for row in rows] == [str(tmp_path / "papers.zip" / name) for name in ("bread.md", "tea.md")]
    alone = rows_of(run(capsys, tmp_path / "papers.zip/tea.md", "--strategy", "whole", *RULES)[1])
    assert "document" not in alone[0] and alone[0]["text"] == TEA


def test_standard_input_is_a_document_of_the_format_that_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def from_input(*words: str) -> list[dict[str, Any]]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEA.encode())))
        return rows_of(run(capsys, "-", "--strategy", "heading", *RULES, *words)[1])

    assert [row["heading_path"] for row in from_input("--format-of", "md")] == [["Tea"], ["Tea", "Green"]]
    assert from_input("--format-of", "tea.md") == from_input("--format-of", "md")
    assert "document" not in from_input()[0]
    assert "Give - alone" in run(capsys, "-", "a.md", "--strategy", "whole")[2]
    assert "says what standard input is" in run(capsys, "a.md", "--format-of", "md", "--strategy", "whole")[2]


def test_the_ending_of_the_output_names_its_format(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    assert run(capsys, folder, "--strategy", "heading", *RULES, "--output", tmp_path / "out.csv")[0] == 0
    table = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"))))
    assert len(table) == 4 and set(CHUNK_COLUMNS) | {"document", "document_hash"} <= table[0].keys()
    assert {row["document"] for row in table} == {
        str(folder / name) for name in ("guide/bread.md", "guide/notes.txt", "tea.md")
    }
    assert run(capsys, folder / "tea.md", "--strategy", "heading", *RULES, "--output", tmp_path / "one.csv")[0] == 0
    one = list(csv.DictReader(io.StringIO((tmp_path / "one.csv").read_text(encoding="utf-8"))))
    assert [row["text"] for row in one] == [row["text"] for row in table if row["document"].endswith("tea.md")]
    lines = run(capsys, folder, "--strategy", "heading", *RULES, "--format", "langchain")[1]
    assert [row["metadata"]["source"] for row in rows_of(lines)][-1] == "docs/tea.md"
    code, _, error = run(capsys, folder, "--strategy", "heading", "--output", tmp_path / "out.parquet")
    assert code == 2 and "cannot be written as parquet" in error
    assert not (tmp_path / "out.parquet").exists()


def test_a_strategy_may_carry_its_parameters_and_need_not_be_named(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    tea = folder / "tea.md"
    line = run(capsys, tea, *RULES, "--strategy", "structural:alpha=0.3;max_tokens=20;min_tokens=0")
    apart = run(
        capsys, tea, *RULES, "--strategy", "structural", "-p", "alpha=0.3", "-p", "max_tokens=20", "-p", "min_tokens=0"
    )
    assert line[0] == 0 and line == apart
    mixed = run(capsys, tea, *RULES, "--strategy", "structural:alpha=0.3;max_tokens=20", "-p", "min_tokens=0")
    assert mixed == apart
    assert run(capsys, tea, *RULES) == run(capsys, tea, *RULES, "--strategy", "structural")
    code, _, error = run(capsys, tea, "--strategy", "structural:alpha=0.3", "-p", "alpha=0.4")
    assert code == 2 and "alpha" in error and "twice" in error


def test_processes_give_the_same_lines_in_the_same_order(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(40):
        (folder / f"{number:02d}.md").write_text(TEA * (1 + number % 3), encoding="utf-8")
    (folder / "20.pdf").write_bytes(b"%PDF-1.7 and no more")
    here = run(capsys, folder, "--strategy", "heading", *RULES, "--workers", "1")
    there = run(capsys, folder, "--strategy", "heading", *RULES, "--workers", "2")
    assert (here[0], here[1]) == (there[0], there[1]) and here[0] == 1
    assert here[2].splitlines()[-1] == there[2].splitlines()[-1]
    assert "Workers are counted from 1" in run(capsys, folder, "--workers", "0")[2]


def test_who_stops_a_command_gets_a_line_and_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Stopped()))
    assert run(capsys, "-", "--strategy", "whole") == (130, "", "chunking: stopped.\n")
