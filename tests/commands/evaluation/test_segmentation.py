"""``python -m chunking evaluate segmentation``: its stable form, the table, the report file, and bad input."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from chunking import __version__, evaluation
from chunking.__main__ import main
from tests import command_line

EVIL = "<img src=x onerror=alert(1)>"
ROWS: list[dict[str, Any]] = [
    {"id": EVIL, "units": ["Tea.", "Tea pot.", "Bread.", "Bread crust."], "boundaries": [2], "group": f"g{EVIL}"},
    {"id": "b\x1b[31m", "units": ["Tea.", "Cup of tea.", "Oven.", "Hot oven.", " "], "boundaries": [2, 1]},
    {"id": "c", "units": ["Alone."], "boundaries": []},
    {"id": "d", "units": ["Sun.", "Sun set.", "Sun rise.", "Moon."], "boundaries": []},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "set.jsonl"
    path.write_text("\n".join(json.dumps(row | {"lang": "en"}) for row in ROWS), encoding="utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    return command_line.run(capsys, "evaluate", "segmentation", *words)


ASKED = ("--strategies", "structural:alpha=0.3,recursive", "--encoder", "char-ngrams")


def test_the_json_has_its_stable_form(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    code, out, error = run(capsys, data, *ASKED, "--granularity", "gold", "-p", "percentile=70")
    assert code == 0
    found: dict[str, Any] = json.loads(out, parse_constant=pytest.fail)
    assert list(found["strategies"]) == ["structural:alpha=0.3", "recursive", "none", "even", "random"]
    for row in found["strategies"].values():
        wanted = {"pk", "window_diff", "boundary_similarity", "f1", "boundaries_per_gold", "seconds", "documents"}
        assert wanted | {"f1_tolerance", "failed"} <= row.keys()
        assert all(0 <= row[name] <= 1 for name in ("pk", "window_diff", "boundary_similarity", "f1", "f1_tolerance"))
        assert row["documents"] == 3
        for name in ("pk", "f1"):
            low, high = row[f"{name}_interval"]
            assert low <= row[name] <= high
    assert found["strategies"]["structural:alpha=0.3"]["granularity"] == "gold"
    assert found["strategies"]["structural:alpha=0.3"]["setting"] == (
        "structural:alpha=0.3;percentile=70.0;min_tokens=0;soft_min_tokens=0;max_tokens=0"
    )
    assert found["strategies"]["recursive"]["granularity"] == "default"
    assert set(found["pairs"]["structural:alpha=0.3"]) == {"recursive", "none", "even", "random"}
    assert [each["line"] for each in found["data"]["left_out"]] == [3]
    assert [each["line"] for each in found["data"]["repaired"]] == [2, 2]
    assert [f"note: {note}" for note in found["notes"]] == error.splitlines()


def test_the_table_has_the_best_f1_first_and_none_beside_pk(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    code, out, _ = run(capsys, data, *ASKED, "--format", "table")
    assert code == 0
    assert "\x1b" not in out
    lines = out.splitlines()
    head = next(place for place, line in enumerate(lines) if line.startswith("strategy"))
    assert re.split(r"\s{2,}", lines[head]) == [
        "strategy", "F1", "F1 ±1", "B", "Pk", "(none)", "WD", "(none)", "cuts/ref.", "docs", "s"
    ]  # fmt: skip
    rows = [re.split(r"\s{2,}", line) for line in lines[head + 1 : head + 6]]
    scores = [float(row[1].split()[0]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    none = next(row for row in rows if row[0] == "none")
    assert {row[5] for row in rows} == {none[4].split()[0]}
    assert {row[7] for row in rows} == {none[6]}
    assert "note: 1 of 3 documents has no reference boundary" in out


def test_the_report_loads_nothing_escapes_all_and_is_made_again_by_its_command(
    capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path
) -> None:
    evil = data.rename(tmp_path / f"{EVIL.replace('/', '')}.jsonl")
    path = tmp_path / "report.html"
    words = (evil, *ASKED, "--report", path)
    sources = []
    for _ in range(2):
        assert run(capsys, *words)[0] == 0
        sources.append(path.read_text(encoding="utf-8"))
    source = sources[0]
    assert EVIL not in source and html.escape(EVIL) in source and "\x1b" not in source
    assert not re.search(r"<(script|img|link|iframe|a|form)\b|url\(|@import|https?:", source)
    assert f"python -m chunking evaluate segmentation '{evil}'" in html.unescape(source)
    assert source.count('class="chart"') == 7 and 'aria-label="Boundary F1 of 5 rows"' in source
    titles = ("Results", "Notes", "Figures", "Pairs", "By group", "Corrected or excluded documents", "Make it again")
    for title in (*titles, evaluation.read_all({str(evil): evil.read_bytes()}).content_hash, __version__):
        assert title in source
    first, again = (re.sub(r"\d+\.\d</td></tr>|took \d+\.\d s", "", each) for each in sources)
    assert first == again


def test_failures_are_in_the_report(
    capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chunking import ChunkscopeError

    def refuse(*_: object) -> None:
        raise ChunkscopeError("It is not <b>installed</b>.")

    monkeypatch.setattr("chunking.strategies.other_splitters.base.Peer.split", refuse)
    path = tmp_path / "report.html"
    code, out, error = run(capsys, data, "--strategies", "semchunk,whole", "--encoder", "char-ngrams", "--report", path)
    assert code == 0
    failed = json.loads(out)["strategies"]["semchunk"]["failed"]
    assert [each["what"] for each in failed] == ["It is not <b>installed</b>."] * 3
    assert "semchunk could not do 3 of 3 documents" in error
    source = path.read_text(encoding="utf-8")
    assert "<h2>Failures</h2>" in source and "It is not &lt;b&gt;installed&lt;/b&gt;." in source


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["{data}"], "--strategies"),
        (["{data}", "--strategies", "telepathy"], "Unknown strategy 'telepathy'"),
        (["{data}", "--strategies", " , "], "No strategy was given"),
        (["{data}", "--strategies", "structural", "-p", "alpha"], "KEY=VALUE"),
        (["{data}", "--strategies", "structural", "-p", "alpha=2"], "a number from 0 to 1"),
        (["{data}", "--strategies", "structural", "-p", "colour=red"], "None of the strategies has"),
        (["{data}", "--strategies", "structural", "--tolerance", "-1"], "tolerance"),
        (["{data}", "--strategies", "structural", "--encoder", "oracle"], "encoder"),
        (["{data}", "--strategies", "whole", "--encoder", "oracle"], "encoder"),
        (["{data}", "--strategies", "whole", "--tokenizer", "abacus"], "tokenizer"),
        (["{data}", "--strategies", "structural", "--language", "Klingonese!"], "language"),
        (["{data}", "--strategies", "whole", "--granularity", "fine"], "invalid choice"),
        (["{data}", "--strategies", "whole", "--format", "xml"], "invalid choice"),
        (["{data}", "--strategies", "whole", "--report", "{folder}/absent/report.html"], "cannot be written"),
        (["{data}", "--strategies", "whole", "--report", "{folder}"], "cannot be written"),
        (["{data}.absent", "--strategies", "whole"], "cannot be read"),
        (["{folder}", "--strategies", "whole"], "cannot be read"),
        (["{folder}/empty.jsonl", "--strategies", "whole"], "holds no document"),
        (["{folder}/broken.jsonl", "--strategies", "whole"], "broken.jsonl, line 2 is not JSON"),
    ],
)
def test_bad_input_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], data: Path, words: list[str], said: str
) -> None:
    (data.parent / "empty.jsonl").write_text("\n")
    (data.parent / "broken.jsonl").write_text(json.dumps(ROWS[0]) + "\n{")
    code, out, error = run(capsys, *(word.format(data=data, folder=data.parent) for word in words))
    assert (code, out) == (2, "")
    assert said in error
    assert error.startswith("chunking: ") and len(error.strip().splitlines()) == 1


def test_evaluate_needs_to_know_what(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate"]) == 2
    assert "WHAT" in capsys.readouterr().err


def test_a_person_at_a_terminal_sees_how_far_it_is(
    capsys: pytest.CaptureFixture[str], data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    _, out, error = run(capsys, data, *ASKED)
    json.loads(out)
    assert "documents 3 / 3" in error and "embedding " in error
    assert error.split("\x1b[K")[-1].startswith("note: ")


def test_rows_can_be_named(capsys: pytest.CaptureFixture[str], data: Path) -> None:
    words = (data, "--strategies", "fine=recursive:size=100;overlap=0,recursive", "--encoder", "char-ngrams")
    code, out, _ = run(capsys, *words)
    assert code == 0
    found = json.loads(out)
    assert list(found["strategies"])[:2] == ["fine", "recursive"]
    assert found["strategies"]["fine"]["setting"] == "recursive:overlap=0;size=100"
    code, out, _ = run(capsys, *words, "--format", "table")
    assert "\nfine = recursive:overlap=0;size=100\n" in out


@pytest.mark.parametrize(
    ("strategies", "problem"),
    [
        ("random=recursive", "'random' is the name of a baseline"),
        ("a=recursive,a=whole", "Two settings are named 'a'"),
        ("=recursive", "has an empty name"),
        ("recursive:size=20,overlap=0", "'recursive:size=20;overlap=0'"),
        ("percentile,window=0", "'percentile:window=0'"),
    ],
)
def test_a_wrong_name_and_a_comma_between_parameters_are_explained(
    capsys: pytest.CaptureFixture[str], data: Path, strategies: str, problem: str
) -> None:
    code, out, err = run(capsys, data, "--strategies", strategies, "--encoder", "char-ngrams")
    assert (code, out) == (2, "")
    assert problem in err


def test_several_files_are_groups_of_one_set(capsys: pytest.CaptureFixture[str], data: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(ROWS[3] | {"lang": "en", "boundaries": [3]}), encoding="utf-8")
    code, out, err = run(capsys, data, other, *ASKED)
    assert code == 0
    found = json.loads(out)
    assert found["data"]["name"] == "set.jsonl, other.jsonl"
    assert {f"set: g{EVIL}", "set", "other"} == set(found["groups"])
    assert {"other.jsonl: d", "set.jsonl: d"} <= {document["id"] for document in found["documents"]}
    assert "note: set.jsonl: c (line 3) was left out" in err
    again = json.loads(run(capsys, data, *ASKED)[1])
    assert again["data"]["name"] == "set.jsonl" and set(again["groups"]) == {f"g{EVIL}"}
