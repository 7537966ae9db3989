"""``python -m chunking library``: what is kept on this machine, as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chunking.__main__ import main
from chunking.store import Library, open_storage
from chunking.store.limits import MIB_VARIABLE
from chunking.store.storage import VARIABLE, files_place

TEA = "# Tea\n\nBoil the water, and wait until it is still. Pour it over the leaves then.\n"


@pytest.fixture(autouse=True)
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two documents, and a library of its own."""
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "data" / "reviews.sqlite"))
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "tea.md").write_text(TEA)
    (folder / "water.txt").write_text("Water is wet.")
    monkeypatch.chdir(tmp_path)
    return folder


def run(capsys: pytest.CaptureFixture[str], *words: str | Path, code: int = 0) -> Any:
    assert main(["library", *map(str, words)]) == code
    out, errors = capsys.readouterr()
    return json.loads(out) if code != 2 else errors


def test_documents_are_added_listed_and_deleted(capsys: pytest.CaptureFixture[str], docs: Path, tmp_path: Path) -> None:
    added = run(capsys, "add", docs, "--tag", "wet", "--tag", "hot", "--language", "en")
    assert [each["name"] for each in added] == ["docs/tea.md", "docs/water.txt"]
    assert added[0]["tags"] == ["hot", "wet"]
    assert added[0]["language"] == "en"
    again = run(capsys, "add", docs)
    assert [each["id"] for each in again] == [each["id"] for each in added]
    assert [each["id"] for each in run(capsys, "list", "--text", "TEA")] == [added[0]["id"]]
    assert len(run(capsys, "list", "--tag", "wet")) == 2
    assert run(capsys, "list", "--tag", "dry") == []
    assert main(["library", "list", "--format", "table"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["name", "characters", "tags", "id"] and len(rows) == 2
    assert any("docs/tea.md" in row and "hot, wet" in row and added[0]["id"] in row for row in rows)
    named = f"docs/water.txt ({added[1]['key'][:6]})"
    assert run(capsys, "delete", added[0]["id"], named) == {"deleted": ["docs/tea.md", "docs/water.txt"]}
    assert run(capsys, "list") == []
    assert not [path for path in (tmp_path / "data" / "library").rglob("*") if path.is_file()]


def test_an_archive_goes_out_and_comes_in(
    capsys: pytest.CaptureFixture[str], docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = run(capsys, "add", docs)
    assert run(capsys, "export", "all.zip") == {"documents": 2, "sets": 0, "reviews": 0, "problems": {}}
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "elsewhere" / "reviews.sqlite"))
    assert run(capsys, "import", "all.zip") == {"added": 2, "known": 0, "sets": 0, "reviews": 0, "problems": []}
    assert {each["content"] for each in run(capsys, "list")} == {each["content"] for each in added}


def test_a_folder_is_scanned(capsys: pytest.CaptureFixture[str], docs: Path) -> None:
    nothing: dict[str, Any] = {"added": [], "changed": [], "removed": [], "unchanged": 0, "problems": {}}
    assert run(capsys, "scan", docs) == nothing | {"added": ["tea.md", "water.txt"]}
    (docs / "tea.md").write_text(TEA + "Then drink.")
    (docs / "water.txt").unlink()
    assert run(capsys, "scan", docs) == nothing | {"changed": ["tea.md"], "removed": ["water.txt"]}
    assert len(run(capsys, "list")) == 2
    assert len(run(capsys, "list", "--all")) == 3


def test_limits_evict_what_they_showed(
    capsys: pytest.CaptureFixture[str], docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs / "long.md").write_text("Long. " * 200_000)
    run(capsys, "add", docs / "long.md", docs / "tea.md")
    assert run(capsys, "evict")["evicted"] == []
    monkeypatch.setenv(MIB_VARIABLE, "1")
    shown = run(capsys, "evict")
    assert [each["name"] for each in shown["evicted"]] == ["long.md"]
    assert len(run(capsys, "list")) == 2
    assert run(capsys, "evict", "--yes") == shown
    assert [each["name"] for each in run(capsys, "list")] == ["tea.md"]


def test_damage_is_found(capsys: pytest.CaptureFixture[str], docs: Path) -> None:
    (added, _) = run(capsys, "add", docs)
    assert run(capsys, "check") == {"files": 2, "damaged": [], "collected": 0}
    Path(files_place(), added["content"][:2], added["content"]).write_bytes(b"rust")
    found = run(capsys, "check", code=1)
    assert found["damaged"][0]["documents"] == ["docs/tea.md"]


def test_files_are_where_the_setting_says(
    capsys: pytest.CaptureFixture[str], docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert files_place() == str(tmp_path / "data" / "library")
    monkeypatch.setenv(VARIABLE, "files")
    run(capsys, "add", docs)
    assert len([path for path in (tmp_path / "files").rglob("*") if path.is_file()]) == 2
    monkeypatch.setenv(VARIABLE, "memory://commands/files")
    (added, _) = run(capsys, "add", docs / "tea.md", docs / "water.txt")
    library = Library(open_storage())
    assert library.open(library.get(added["id"])).document.text == TEA
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", "postgresql://user:secret@host/database")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv(VARIABLE)
    assert files_place() == str(tmp_path / "home" / "chunkscope" / "library")


@pytest.mark.parametrize(
    "words",
    [("delete", "nowhere"), ("import", "nowhere.zip"), ("scan", "nowhere"), ("add", "nowhere.md"), ("add",), ("walk",)],
)
def test_bad_input_is_explained(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    assert run(capsys, *words, code=2).startswith("chunking: ")
