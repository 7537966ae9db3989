"""``python -m chunking suggest``: text, JSON, references, questions, and bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chunking import load, load_settings, parse
from chunking.__main__ import main
from tests import command_line
from tests.commands.evaluation.test_retrieval import folder

__all__ = ["folder"]

STATIC = ("--encoder", "static")
TEXT = """\
# Tea

Boil the water. Wait until it has cooled a little, then pour it over the leaves in the warm pot and let them rest.

# Bread

Knead the dough. Bake it on a hot stone until the crust is brown and a loaf sounds hollow when somebody taps it.

# Soup

Cut the leeks. Stir them in butter over a small flame, then add the stock and simmer everything for half an hour.
"""
HEADING = "heading:min_tokens=20;soft_min_tokens=64;max_tokens=256;keep_together=yes"

CUTS = [TEXT.index("# Bread"), TEXT.index("# Soup")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tea.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    return command_line.run(capsys, "suggest", *words, *STATIC)


def found(capsys: pytest.CaptureFixture[str], *words: str | Path) -> dict[str, Any]:
    code, out, error = run(capsys, *words, "--format", "json")
    assert code == 0, error
    given: dict[str, Any] = json.loads(out, parse_constant=pytest.fail)
    return given


def test_the_text_names_setting_evidence_second_best_changes_and_claim(
    capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    code, out, error = run(capsys, file)
    assert (code, error) == (0, "")
    advice, setting = out.splitlines()[:2]
    assert advice == "Advice for tea.md: Cut at every heading, at most 256 tokens a chunk."
    assert setting == f"Setting: {HEADING}"
    for title in ("Evidence", "Second best", "What would change the advice", "What is claimed"):
        assert f"\n{title}\n- " in out
    assert "python -m benchmarks advice" in out
    assert max(map(len, out.splitlines())) <= 120


def test_the_json_has_its_documented_form(capsys: pytest.CaptureFixture[str], file: Path, root: Path) -> None:
    given = found(capsys, file)
    assert list(given) == ["advice", "setting", "strategy", "evidence", "claim", "differing", "documents"]
    (one,) = given["documents"]
    assert parse(one["setting"]).text == given["setting"]
    page = (root / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
    section = page[page.index("## Advice") :].split("\n## ")[0]
    for name in (*given, *one, *one["claim"], *one["maximum"], *one["candidates"][0], *one["second"]):
        assert f"`{name}`" in section, name
    for rate in one["claim"]["rates"]:
        assert all(f"`{name}`" in section for name in rate)


def test_a_gold_file_is_scored_and_changes_nothing(
    capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path
) -> None:
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps({"gold": CUTS}), encoding="utf-8")
    one = found(capsys, file, "--gold", gold)["documents"][0]
    assert one["candidates"][0]["f1"] == 1.0
    assert "reference" in [each["name"] for each in one["evidence"]]


def test_questions_are_searched(capsys: pytest.CaptureFixture[str], file: Path, folder: Path) -> None:
    one = found(capsys, file, "--questions", folder)["documents"][0]
    (asked,) = [each for each in one["evidence"] if each["name"] == "questions"]
    assert asked["values"]["units"] == 3
    assert "So few cannot decide" in asked["text"]


def test_several_files_have_a_table_and_the_differing_are_named(
    capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path
) -> None:
    others = [tmp_path / f"{number}.txt" for number in range(2)]
    for number, other in enumerate(others):
        other.write_text(f"Boil the water. Wait {number} minutes.\n\nKnead the dough. Bake it.\n" * 6, encoding="utf-8")
    code, out, _ = run(capsys, *others, file, file)
    assert code == 0
    advice, setting = out.splitlines()[:2]
    assert advice == "Advice for 3 documents: Cut where the topic changes, at most 256 tokens a chunk."
    assert setting == "Setting: changepoint"
    assert "changepoint is advised for 2 of 3 documents" in out
    assert "Another strategy is advised for\n- tea.md" in out
    given = found(capsys, *others, file)
    assert given["differing"] == ["tea.md"]
    assert len(given["documents"]) == 3


def test_gold_in_lines_finds_its_documents(capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("Alone. Quite alone.\n", encoding="utf-8")
    gold = tmp_path / "gold.jsonl"
    document = load(file.read_bytes(), file.name)
    line = {"id": "tea", "document": document.text_hash, "offsets": CUTS, "complete": True}
    gold.write_text(json.dumps(line) + "\n", encoding="utf-8")
    given = found(capsys, file, other, "--gold", gold)
    scored = {one["document"]: one["candidates"][0]["f1"] for one in given["documents"]}
    assert scored == {"tea.md": 1.0, "other.txt": None}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.md",), "missing.md"),
        (("{file}", "--gold", "missing.json"), "missing.json"),
        (("{file}", "--questions", "missing"), "missing"),
        (("{file}", "--encoder", "nonsense"), "Unknown encoder"),
        (("{file}", "--tokenizer", "nonsense"), "Unknown tokenizer"),
        (("{file}", "{other}", "--gold", "{gold}"), "does not say which document"),
        (("{file}", "--format", "xml"), "invalid choice"),
        ((), "required"),
    ],
)
def test_bad_input_is_explained(
    capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    other, gold = tmp_path / "other.md", tmp_path / "gold.json"
    other.write_text(TEXT, encoding="utf-8")
    gold.write_text("[30]", encoding="utf-8")
    code = main(["suggest", *STATIC, *(word.format(file=file, other=other, gold=gold) for word in words)])
    out, error = capsys.readouterr()
    assert (code, out) == (2, "")
    assert message in error and error.startswith("chunking: ")


def test_what_a_document_is_named_cannot_steer_a_terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "tea\x1b[31m.md"
    path.write_text(TEXT, encoding="utf-8")
    _, out, _ = run(capsys, path)
    assert "\x1b" not in out


def test_a_settings_file_has_the_shared_advice_and_that_of_documents_of_another_kind(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in ("a", "b", "c"):
        (docs / f"{name}.md").write_text(TEXT.replace("Tea", name) * 3, encoding="utf-8")
    (docs / "talk[1].txt").write_text("ANN: Good day. How is it?\n\nBEN: Very well. And you?\n\n" * 6, encoding="utf-8")
    (docs / "stub.txt").write_text("ANN: Soon.\n", encoding="utf-8")
    code, out, error = run(capsys, docs, "--format", "toml")
    assert code == 0, error
    config = tmp_path / "advised.toml"
    config.write_text(out, encoding="utf-8")
    file = load_settings(config)
    assert (file.encoder, list(file.settings), list(file.documents)) == ("static", ["heading"], ["docs/talk[[]1].txt"])
    assert file.setting_for(str(docs / "talk[1].txt")) == parse("structural:max_tokens=256")
    assert file.setting_for(str(docs / "a.md")) is None
    given = found(capsys, docs)
    assert given["differing"] == ["docs/talk[1].txt"]
    assert {one["document"]: one["left_out"] for one in given["documents"]}["docs/stub.txt"] == "stub"
    assert "1 stub not counted" in {each["name"]: each["text"] for each in given["evidence"]}["left out"]


def test_a_document_that_cannot_be_read_does_not_end_the_others(
    capsys: pytest.CaptureFixture[str], file: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    code, out, error = run(capsys, file, tmp_path / "broken.pdf", tmp_path / "absent.md")
    assert code == 1 and out.startswith("Advice for tea.md")
    assert "broken.pdf: " in error and "absent.md cannot be read" in error
    assert run(capsys, tmp_path / "broken.pdf")[:2] == (2, "")
