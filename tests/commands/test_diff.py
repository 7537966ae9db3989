"""What a change of settings or of documents costs, on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chunking.__main__ import main

TEA = "# Tea\n\nBoil the water. Wait a little. Pour it.\n\n## Green\n\nCool it first. Serve it at once.\n"
BREAD = "# Bread\n\nKnead the dough. Let it rest for an hour. Bake it well.\n"


def write(folder: Path, **texts: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = main(["diff", *map(str, words)])
    out, error = capsys.readouterr()
    return code, out, error


def cost(capsys: pytest.CaptureFixture[str], *words: str | Path) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(run(capsys, *words, "--format", "json")[1])
    return result


def test_two_versions_of_a_folder_are_compared_by_the_paths_in_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = write(tmp_path / "old", tea=TEA, bread=BREAD, soup="# Soup\n\nStir it.\n")
    after = write(tmp_path / "new", tea=TEA.replace("Cool it", "Chill it"), bread=BREAD, rice="# Rice\n\nWash it.\n")
    words = before, after, "--strategy", "heading"
    result = cost(capsys, *words)
    rows = {row.pop("document"): row for row in result["documents"]}
    counts = {name: [row[key] for key in ("kept", "changed", "new", "removed")] for name, row in rows.items()}
    assert counts == {
        "bread.md": [1, 0, 0, 0],
        "soup.md": [0, 0, 0, 1],
        "tea.md": [1, 1, 0, 0],
        "rice.md": [0, 0, 1, 0],
    }
    assert {name: sum(row[name] for row in rows.values()) for name in result["total"]} == result["total"]
    code, out, _ = run(capsys, *words, "--price", "1000000")
    assert code == 1 and "bread.md" not in out and "1 document without a change" in out
    assert f"{result['total']['embedded']:,}.0000 at 1e+06 for a million" in out
    assert run(capsys, before, before, "--strategy", "heading")[0] == 0


def test_a_document_may_have_another_name_in_its_new_version(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = write(tmp_path, tea=TEA, tea2=TEA + "\nDrink it.\n")
    total = cost(capsys, folder / "tea.md", folder / "tea2.md", "--strategy", "heading")["total"]
    assert (total["kept"], total["changed"], total["new"]) == (1, 1, 0)


def test_the_setting_of_a_document_is_that_of_its_path(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    old, new = write(tmp_path / "old", tea=TEA), write(tmp_path / "new", tea=TEA.replace("Cool", "Chill"))
    config = tmp_path / "settings.toml"
    config.write_text('[settings.a]\nstrategy = "heading"\n[documents]\n"new/*" = "whole"\n')
    for before, after in ((old, new), (old / "tea.md", new / "tea.md")):
        total = cost(capsys, before, after, "--config", config)["total"]
        assert (total["kept"], total["changed"]) == (0, 1)
    assert cost(capsys, new, old, "--config", config)["total"]["kept"] == 1


def test_a_new_setting_costs_what_it_cuts_otherwise(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", tea=TEA, bread=BREAD)
    one, other, anew = tmp_path / "one.toml", tmp_path / "other.toml", tmp_path / "anew.toml"
    one.write_text('encoder = "static"\n[settings.a]\nstrategy = "heading"\n[documents]\n"bread.md" = "whole"\n')
    other.write_text('encoder = "static"\n[settings.a]\nstrategy = "whole"\n')
    anew.write_text(one.read_text().replace("static", "char-ngrams"))
    result = cost(capsys, one, other, "--cost", folder)
    assert {row["document"][-8:]: row["kept"] for row in result["documents"]} == {"bread.md": 1, "s/tea.md": 0}
    assert cost(capsys, one, one, "--cost", folder)["total"]["embedded"] == 0
    moved = cost(capsys, one, anew, "--cost", folder)["total"]
    assert moved["embedded"] == moved["tokens"], "no vector of one encoder serves another"
    code, out, _ = run(capsys, one, anew, "--cost", folder)
    assert code == 1 and "encoder: static → char-ngrams" in out and "every chunk has to be embedded again" in out
    assert run(capsys, one, one, "--cost", folder)[0] == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["old.toml", "old.toml", "--cost"], "It is not said what is in the index"),
        (["tea.md", "tea.md", "--cost", "tea.md"], "--cost takes documents where two settings files"),
        (["old.toml", "old.toml", "--strategy", "whole"], "say all that --strategy says"),
        (["tea.md", "tea.md", "--price", "-1"], "A price is not negative"),
        (["tea.md", "absent.md"], "absent.md cannot be read"),
    ],
)
def test_what_cannot_be_compared_is_said(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    problem: str,
) -> None:
    write(tmp_path, tea=TEA)
    (tmp_path / "old.toml").write_text('[settings.a]\nstrategy = "whole"\n')
    monkeypatch.chdir(tmp_path)
    code, out, error = run(capsys, *words)
    assert (code, out) == (2, "") and problem in error
