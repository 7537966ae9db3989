"""Chunks of folders, of several files and of standard input."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from chunking import embedding
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
        assert all(row.pop("document") and row.pop("id") for row in among) and all(row.pop("id") for row in alone)
        assert among == alone
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
    texts = [[row["text"] for row in from_input("--format-of", name)] for name in ("tea.md", "md")]
    assert texts[0] == texts[1]
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
    assert [row["metadata"]["source"] for row in rows_of(lines)][-1] == str(folder / "tea.md").lstrip("/")
    code, _, error = run(capsys, folder, "--strategy", "heading", "--output", tmp_path / "out.json")
    assert code == 2 and "cannot be written as json" in error
    assert not (tmp_path / "out.json").exists()


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


def test_since_a_state_only_changes_are_written(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    words = (folder, "--strategy", "heading", *RULES, "--since", folder.parent / "docs.state")

    def changes() -> list[tuple[str, str, str]]:
        rows = rows_of(run(capsys, *words)[1])
        return [(row["change"], Path(row["document"]).name, row.get("text", "")[:7]) for row in rows]

    assert {change for change, *_ in changes()} == {"added"}
    code, out, error = run(capsys, *words)
    assert (code, out) == (0, "")
    assert error.splitlines()[-1].startswith(
        "split: 0 documents, 3 unchanged, 0 added or changed chunks, 0 removed; left out: 1 hidden"
    )
    (folder / "tea.md").write_text(TEA.replace("Cool it", "Cool the cup"), encoding="utf-8")
    assert changes() == [("changed", "tea.md", "# Tea\n\n"), ("added", "tea.md", "## Gree"), ("removed", "tea.md", "")]
    (folder / "tea.md").write_text(f"# Before\n\nWash.\n\n{TEA}", encoding="utf-8")
    assert [change for change, *_ in changes()] == ["added", "changed", "added", "removed"], "one was edited back"
    (folder / "guide/notes.txt").unlink()
    assert changes() == [("removed", "notes.txt", "")]
    (folder / "tea.md").write_bytes(b"")
    assert [row[:2] for row in changes()] == [("removed", "tea.md")] * 3
    other = run(capsys, *(word if word != "heading" else "whole" for word in words))
    assert {row["change"] for row in rows_of(other[1])} <= {"added", "changed", "removed"}
    code, _, error = run(capsys, *words, "--format", "langchain")
    assert code == 2 and "Changes cannot be written as langchain" in error


def test_another_encoder_for_searching_changes_what_is_advised(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (folder, "--advised", *RULES, "--since", folder.parent / "docs.state")
    monkeypatch.setattr(embedding, "retrieval_encoder", lambda: "static")
    run(capsys, *words)
    assert "3 unchanged" in run(capsys, *words)[2]
    monkeypatch.setattr(embedding, "retrieval_encoder", lambda: "char-ngrams")
    assert " 0 unchanged" in run(capsys, *words)[2]


def test_what_cannot_be_read_this_time_is_not_removed(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    words = (folder, "--strategy", "heading", *RULES, "--since", folder.parent / "docs.state")
    (folder / "paper.csv").write_text("a\n", encoding="utf-8")
    run(capsys, *words)
    (folder / "tea.md").rename(folder / "tea.pdf")
    (folder / "tea.pdf").write_bytes(b"%PDF-1.7 and no more")
    code, out, _ = run(capsys, *words)
    assert code == 1 and {row["change"] for row in rows_of(out)} == {"removed"}
    absent = run(capsys, *words[:1], folder.parent / "absent.md", *words[1:])
    assert absent[0] == 1 and not absent[1], "the chunks of what is not found may be needed still"


def test_changes_can_be_written_as_tables(capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path) -> None:
    files = pytest.importorskip("pyarrow.parquet")
    state = tmp_path / "docs.state"
    words = (folder, "--strategy", "heading", *RULES, "--since", state)
    assert run(capsys, *words, "--output", tmp_path / "first.csv")[0] == 0
    table = list(csv.DictReader(io.StringIO((tmp_path / "first.csv").read_text(encoding="utf-8"))))
    assert len(table) == 4 and {row["change"] for row in table} == {"added"}
    (folder / "tea.md").unlink()
    assert run(capsys, *words, "--output", tmp_path / "next.parquet")[0] == 0
    rows = files.read_table(tmp_path / "next.parquet").to_pylist()
    assert {row["change"] for row in rows} == {"changed", "removed"}, "another format has other values"
    removed = [row for row in rows if row["change"] == "removed"]
    assert {row["document"] for row in removed} == {str(folder / "tea.md")}
    assert {row["id"] for row in removed} == {row["id"] for row in table if row["document"].endswith("tea.md")}


def test_the_chunks_of_many_documents_fit_one_parquet_file(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    files = pytest.importorskip("pyarrow.parquet")
    lines = rows_of(run(capsys, folder, "--strategy", "heading", *RULES)[1])
    assert run(capsys, folder, "--strategy", "heading", *RULES, "--output", tmp_path / "all.parquet")[0] == 0
    table = files.read_table(tmp_path / "all.parquet")
    assert table.column_names[:4] == ["document", "document_hash", "setting", "encoder"]
    shared = set(table.column_names) & lines[0].keys()
    assert {"id", "text", "start", "heading_path", "tokens"} <= shared
    for row, line in zip(table.to_pylist(), lines, strict=True):
        assert {name: row[name] for name in shared} == {name: line[name] for name in shared}


def test_each_document_can_have_a_setting_of_its_own(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    config = tmp_path / "settings.toml"
    config.write_text(
        '[settings.a]\nstrategy = "heading"\n\n[documents]\n"guide/*.md" = "whole"\n"*.txt" = "a"\n"*" = "paragraph"\n'
    )
    rows = rows_of(run(capsys, folder, "--config", config, *RULES)[1])
    used = {Path(row["document"]).name: row["setting"] for row in rows}
    assert used == {"bread.md": "whole", "notes.txt": "heading", "tea.md": "paragraph"}
    (folder / "guide/bread.md").write_text(BREAD + TEA, encoding="utf-8")
    config.write_text(config.read_text().replace("paragraph", "heading"), encoding="utf-8")
    assert len(rows_of(run(capsys, folder / "guide/bread.md", "--config", config, *RULES)[1])) == 1
    assert len(rows_of(run(capsys, folder / "tea.md", "--config", config, *RULES)[1])) == 2
    named = rows_of(run(capsys, folder, "--config", config, "--strategy", "whole", *RULES)[1])
    assert {row["setting"] for row in named} == {"whole"}, "the option is for all"


def test_edits_by_hand_of_a_settings_file_are_followed_and_lost_ones_are_said(
    capsys: pytest.CaptureFixture[str], folder: Path, tmp_path: Path
) -> None:
    config = tmp_path / "settings.toml"
    config.write_text(
        '[settings.a]\nstrategy = "whole"\n'
        '[[edits]]\ndocument = "guide/bread.md"\naction = "cut"\nbefore = "never"\nafter = "written"\n',
        encoding="utf-8",
    )
    state = tmp_path / "state"
    code, out, err = run(capsys, folder, "--config", config, "--since", state, *RULES)
    assert code == 0 and len(rows_of(out)) == 3
    assert "bread.md: Edit by hand before “written”: lost: the text around it is gone." in err
    words = [line for line in BREAD.split("\n") if line]
    edit = f"before = {json.dumps(words[-2])}\nafter = {json.dumps(words[-1])}\n"
    config.write_text(config.read_text().replace('before = "never"\nafter = "written"\n', edit), encoding="utf-8")
    _, out, err = run(capsys, folder, "--config", config, "--since", state, *RULES)
    changed = rows_of(out)
    assert {Path(row["document"]).name for row in changed} == {"bread.md"}, "the others are unchanged"
    assert [row["cut"]["reason"] for row in changed if row["change"] != "removed" and row["start"]] == ["hand"]
    assert "Edit by hand" not in err


def test_each_document_can_have_the_setting_that_is_advised_for_it(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    rows = rows_of(run(capsys, folder, "--advised", *RULES)[1])
    used = {row["document"]: row["setting"] for row in rows}
    assert len(used) == 3
    for path, setting in used.items():
        assert main(["suggest", path, *RULES, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr()[0])["setting"] == setting
    assert "--advised chooses the strategy" in run(capsys, folder, "--advised", "--strategy", "whole")[2]


@pytest.mark.parametrize("several", [False, True])
def test_a_terminal_shows_at_once_how_far_it_is_and_notes_on_lines_of_their_own(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch, several: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    (folder / "short.md").write_text("One sentence.", encoding="utf-8")
    code, _, err = run(capsys, folder if several else folder / "short.md", "--strategy", "structural", *RULES)
    assert code == 0
    lines = err.split("\r\x1b[K")
    assert lines[1] == ("looking for documents" if several else "short.md: reading")
    embedding = [f"embedding sentences {done} / 1" for done in (0, 1)]
    steps = ["splitting sentences, characters 13 / 13", *embedding, "cutting"]
    short = [line.rpartition("short.md: ")[2] for line in lines if "short.md: " in line and "note" not in line]
    assert short == ["reading", *steps]
    assert all(line.startswith("note: ") for line in lines if "note: " in line)
    monkeypatch.undo()
    assert "reading" not in run(capsys, folder / "short.md", *RULES)[2], "nothing in a file or a pipe"
