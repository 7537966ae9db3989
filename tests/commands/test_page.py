"""The commands that write a page: inspect, and compare as HTML."""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

import pytest

from tests.command_line import run

TEXT = "# Tea\n\nBoil the water. Wait a little.\n\n# Bread\n\nKnead the dough. Let it rise. Bake it.\n"
TOOLS = ("--encoder", "char-ngrams", "--splitter", "rules")


@pytest.fixture
def note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = Path("my note.md")
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_inspect_writes_the_page_it_prints(capsys: pytest.CaptureFixture[str], note: Path) -> None:
    line = ("inspect", note, "-p", "percentile=60", "-p", "overlap=1", *TOOLS)
    code, out, _ = run(capsys, *line)
    assert code == 0
    assert out.startswith("<!doctype html>")
    assert run(capsys, *line, "--output", "page.html")[:2] == (0, "")
    assert Path("page.html").read_text(encoding="utf-8") == out


def test_the_command_in_a_page_makes_the_same_page(capsys: pytest.CaptureFixture[str], note: Path) -> None:
    first = run(capsys, "inspect", note, "-p", "percentile=60", "-p", "features_off=digits", *TOOLS)[1]
    found = re.search(r'<pre id="command">(.*?)</pre>', first)
    assert found is not None
    words = shlex.split(html.unescape(found[1]))
    assert words[:3] == ["python", "-m", "chunking"]
    assert run(capsys, *words[3:])[0] == 0
    assert Path("page.html").read_text(encoding="utf-8") == first


def test_compare_writes_a_page_and_a_report(capsys: pytest.CaptureFixture[str], note: Path) -> None:
    line = ("compare", note, "--strategies", "structural:percentile=60,heading", *TOOLS)
    out = run(capsys, *line, "--format", "html")[1]
    assert out.count('<div class="lane ') == 2
    code, json, _ = run(capsys, *line, "--report", "report.html")
    assert (code, json[:1]) == (0, "{")
    assert Path("report.html").read_text(encoding="utf-8") == out


def test_reference_boundaries_are_marked(capsys: pytest.CaptureFixture[str], note: Path) -> None:
    Path("gold.json").write_text('{"gold": [40]}', encoding="utf-8")
    out = run(capsys, "inspect", note, "--gold", "gold.json", *TOOLS)[1]
    assert out.count(": reference boundary") == 1


@pytest.mark.parametrize("option", [("inspect", "--output"), ("compare", "--report")])
def test_a_place_that_does_not_exist_is_refused(
    capsys: pytest.CaptureFixture[str], note: Path, option: tuple[str, str]
) -> None:
    more = ("--strategies", "heading") if option[0] == "compare" else ()
    code, out, err = run(capsys, option[0], note, *more, option[1], "nowhere/page.html", *TOOLS)
    assert (code, out) == (2, "")
    assert "nowhere/page.html cannot be written" in err
