"""``python -m chunking evaluate review``: JSON, the table, the report, and bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunking.reference import lines
from chunking.review import exchange
from chunking.review.reviewed import ReviewedDocument
from tests import command_line
from tests.review.test_report import CUTS, SETTING, TEXT, TWO, WORKSPACE

MODELS = ("--encoder", "char-ngrams", "--splitter", "rules", "--language", "en")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "parts.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    known = ReviewedDocument(WORKSPACE, tuple(TWO))
    line = exchange.export_reviews(known.reference, known.reviews, known.decisions, WORKSPACE.document, known.axis)
    path = tmp_path / "parts-gold.jsonl"
    path.write_text(lines.dump([line]), encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    return command_line.run(capsys, "evaluate", "review", *words, *MODELS)


def test_the_strategies_that_were_judged_are_evaluated(
    capsys: pytest.CaptureFixture[str], document: Path, reviews: Path
) -> None:
    code, out, error = run(capsys, document, "--reviews", reviews)
    assert code == 0, error
    made = json.loads(out, parse_constant=pytest.fail)
    assert list(made["strategies"]) == [SETTING.text]
    assert made["document"]["sha256"] == WORKSPACE.document.text_hash
    assert [each["name"] for each in made["reviewers"]] == ["Ada", "Bob"]


def test_the_report_and_its_command_make_the_same_report(
    capsys: pytest.CaptureFixture[str], document: Path, reviews: Path, tmp_path: Path
) -> None:
    path = tmp_path / "review.html"
    words = (document, "--reviews", reviews, "--strategies", "top=heading:level=1,whole", "--report", path)
    code, out, _ = run(capsys, *words, "--format", "table")
    assert code == 0
    assert out.startswith("parts.md: 2 reviewers; ") and "\ntop " in out and "Ada · Bob" in out
    first = path.read_text(encoding="utf-8")
    assert f"python -m chunking evaluate review {document} --reviews" in first
    assert run(capsys, *words, "--format", "table")[0] == 0
    assert path.read_text(encoding="utf-8") == first
    assert run(capsys, *words, "--anonymous")[0] == 0
    assert "Ada" not in path.read_text(encoding="utf-8")


def test_judgements_follow_a_text_that_has_changed(
    capsys: pytest.CaptureFixture[str], document: Path, reviews: Path
) -> None:
    document.write_text(f"A preface.\n\n{TEXT}", encoding="utf-8")
    code, out, error = run(capsys, document, "--reviews", reviews)
    assert code == 0
    assert "found again" in error
    boundaries = [each["offset"] for each in json.loads(out)["reference"]["boundaries"]]
    assert boundaries == [offset + 12 for number, offset in enumerate(CUTS) if number not in (1, 3, 4)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"gold": [8]}', "has no judgements of reviewers"),
        ("{}", "gold.jsonl"),
        ("", "gold.jsonl"),
        (None, "cannot be read"),
    ],
)
def test_bad_input_is_explained(
    capsys: pytest.CaptureFixture[str], document: Path, reviews: Path, content: str | None, said: str
) -> None:
    if content is None:
        reviews.unlink()
    else:
        reviews.write_text(content, encoding="utf-8")
    code, out, error = run(capsys, document, "--reviews", reviews, "--strategies", "whole")
    assert (code, out) == (2, "")
    assert said in error
