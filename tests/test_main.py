"""The command line: its stable form, and what it says of bad input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from chunking import ChunkscopeError, loading, sentences
from chunking.__main__ import console, main
from chunking.reference import lines
from chunking.reference.events import Event
from chunking.reference.state import reviews
from chunking.review import exchange
from chunking.review.reviewed import resolve
from tests.command_line import TEXT, note, run

__all__ = ["note"]


def compare(capsys: pytest.CaptureFixture[str], *words: str | Path) -> dict[str, Any]:
    code, out, _ = run(capsys, "compare", *words)
    assert code == 0
    found: dict[str, Any] = json.loads(out, parse_constant=pytest.fail)
    return found


def test_compare_calls_settings_as_they_were_written_and_files_apart(
    capsys: pytest.CaptureFixture[str], note: Path, tmp_path: Path
) -> None:
    files = [tmp_path / "a" / "mine.json", tmp_path / "b" / "mine.json", tmp_path / "gold.json"]
    gold = [TEXT.index("## Green"), TEXT.index("# Bread")]
    for path, content in zip(files, ([TEXT], [TEXT[:40], TEXT[40:]], gold), strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")
    asked = ("--strategies", "heading, recursive:overlap=9;size=60", "--gold", files[2])
    found = compare(capsys, note, *asked, "--chunks", files[0], "--chunks", files[1])
    labels = ["heading", "recursive:overlap=9;size=60", f"yours: {files[0]}", f"yours: {files[1]}"]
    assert list(found["strategies"]) == labels
    assert list(found["agreement"]["f1"]["pairs"]) == ["gold", *labels]
    assert found["agreement"]["f1"]["pairs"]["gold"]["heading"]["value"] == 1
    assert found["strategies"]["recursive:overlap=9;size=60"]["params"]["size"] == 60
    assert [found["strategies"][label]["chunks"] for label in labels[2:]] == [1, 2]
    assert found["failed"] == {}


def test_compare_and_evaluate_read_the_same_gold_of_reviews(
    capsys: pytest.CaptureFixture[str], note: Path, tmp_path: Path
) -> None:
    document = loading.load(note.read_bytes(), note.name)
    units = sentences.split(document)
    first = Event("t", document.text_hash, "Ada", "accept", document.text.index("# Bread"))
    reviewed = reviews([first, Event("u", document.text_hash, "Ada", "complete", 0)])
    axis = (units, sentences.gap_offsets(units))
    line = exchange.export_reviews(resolve(reviewed, {}, axis), reviewed, {}, document, axis)
    path = tmp_path / "gold.jsonl"
    path.write_text(lines.dump([line]), encoding="utf-8")
    found = compare(capsys, note, "--strategies", "heading", "--gold", path)
    assert found["gold"]["boundaries"] == [first.offset]
    code, out, _ = run(capsys, "evaluate", "segmentation", path, "--strategies", "paragraph")
    assert code == 0
    assert json.loads(out)["data"]["gold_boundaries"] == 1
    note.write_text("A preface.\n\n" + note.read_text(encoding="utf-8"), encoding="utf-8")
    code, out, err = run(capsys, "compare", note, "--strategies", "heading", "--gold", path)
    assert (code, json.loads(out)["gold"]["boundaries"]) == (0, [first.offset + 12])
    assert "note: The text has changed since its reference was set: 1 of 1 boundaries were found again." in err


def test_compare_counts_reviews_of_some_places_only_there(
    capsys: pytest.CaptureFixture[str], note: Path, tmp_path: Path
) -> None:
    document = loading.load(note.read_bytes(), note.name)
    first = Event("t", document.text_hash, "Ada", "accept", document.text.index("# Bread"), proposed="heading")
    reviewed = reviews([first])
    path = tmp_path / "gold.jsonl"
    path.write_text(lines.dump([exchange.export_reviews(resolve(reviewed), reviewed, {}, document)]), encoding="utf-8")
    found = compare(capsys, note, "--strategies", "heading,whole", "--gold", path)
    assert "gold" not in found["agreement"]["f1"]["pairs"]
    assert (found["gold"]["complete"], found["gold"]["judgements"]) == (False, 1)
    heading, whole = found["gold"]["judged"]["heading"], found["gold"]["judged"]["whole"]
    assert (heading["precision"], heading["judged_cuts"]) == (1.0, 1)
    assert (whole["precision"], whole["precision_interval"], whole["recall_added"]) == (None, [0.0, 1.0], None)
    code, _, error = run(capsys, "evaluate", "segmentation", path, "--strategies", "paragraph")
    assert code == 2 and "only some places" in error


def test_compare_goes_on_without_a_strategy_that_cannot_run(
    capsys: pytest.CaptureFixture[str], note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise ChunkscopeError("It is not installed.", "Install it.")

    monkeypatch.setattr("chunking.strategies.other_splitters.base.Peer.split", refuse)
    code, out, error = run(capsys, "compare", note, "--strategies", "semchunk,whole")
    assert code == 0
    assert list(json.loads(out)["strategies"]) == ["whole"]
    assert json.loads(out)["failed"] == {"semchunk": "It is not installed. Install it."}
    assert error == "note: semchunk: It is not installed. Install it.\n"
    assert run(capsys, "compare", note, "--strategies", "semchunk")[::2] == (
        2,
        "chunking: It is not installed. Install it.\n",
    )


def test_a_file_name_that_is_no_utf8_is_shown_all_the_same(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.md"
    done = subprocess.run(
        [sys.executable, "-m", "chunking", "split", path, "--strategy", "whole"], capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"chunking: ") and b"cannot be read" in done.stderr


def test_the_encoders_own_tokenizer_can_count(capsys: pytest.CaptureFixture[str], note: Path) -> None:
    code, out, _ = run(capsys, "split", note, "--strategy", "structural", "--tokenizer", "all-MiniLM-L6-v2")
    assert code == 0
    assert all(json.loads(line)["tokens"] for line in out.splitlines())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["split", "{note}", "--strategy", "telepathy"], "Unknown strategy"),
        (["split", "{note}", "--strategy", "structural", "-p", "alpha=2"], "a number from 0 to 1"),
        (["split", "{note}", "--strategy", "structural", "-p", "alpha"], "KEY=VALUE"),
        (["split", "{note}", "--strategy", "structural", "-p", "colour=red"], "Unknown parameter"),
        (["split", "{note}", "--strategy", "structural", "-p", "min_tokens=90", "-p", "max_tokens=80"], "larger than"),
        (["split", "{note}", "--strategy", "structural", "-p", "preset=magic"], "preset"),
        (["split", "{note}", "--strategy", "structural", "--tokenizer", "abacus"], "tokenizer"),
        (["split", "{note}", "--strategy", "structural", "--encoder", "oracle"], "encoder"),
        (["split", "{note}", "--strategy", "structural", "--language", "Klingonese!"], "language"),
        (["split", "{note}", "--strategy", "structural", "--format", "xml"], "invalid choice"),
        (["split", "{note}.absent", "--strategy", "structural"], "cannot be read"),
        (["signals", "{folder}", "--strategy", "structural"], "cannot be read"),
        (["check", "{note}"], "--strategy"),
        (["compare", "{note}", "--strategies", " , "], "No strategy was given"),
        (["compare", "{note}", "--strategies", "whole,telepathy"], "Unknown strategy 'telepathy'"),
        (["compare", "{note}", "--strategies", "recursive:size=50;overlap=60"], "must be smaller than the size"),
        (["compare", "{note}", "--strategies", "whole", "--gold", "{note}.absent"], "cannot be read"),
        (["compare", "{note}", "--strategies", "whole", "--chunks", "{folder}"], "cannot be read"),
        (["compare", "{note}", "--strategies", "whole", "--tolerance", "-1"], "tolerance"),
        (["frobnicate"], "invalid choice"),
        ([], "required"),
    ],
)
def test_bad_input_is_told_on_standard_error(
    capsys: pytest.CaptureFixture[str], note: Path, words: list[str], said: str
) -> None:
    code, out, error = run(capsys, *(word.format(note=note, folder=note.parent) for word in words))
    assert code == 2
    assert out == ""
    assert said in error
    assert error.startswith("chunking: ")
    assert len(error.strip().splitlines()) == 1


def test_a_binary_file_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "picture.txt"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9)
    code, out, error = run(capsys, "split", path, "--strategy", "structural")
    assert (code, out) == (2, "")
    assert "picture.txt" in error


def test_nlp_is_another_name_for_a_splitter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    note = tmp_path / "note.txt"
    note.write_text("물이 끓는다. 빵은 따뜻하다. 온도는 3.5도이다.\n", encoding="utf-8")
    assert (
        main(["split", str(note), "--strategy", "sentence", "-p", "max_tokens=20", "-p", "overlap=0", "--nlp", "kiwi"])
        == 0
    )
    split_with_kiwi = capsys.readouterr().out
    assert (
        main(
            [
                "split",
                str(note),
                "--strategy",
                "sentence",
                "-p",
                "max_tokens=20",
                "-p",
                "overlap=0",
                "--splitter",
                "kiwi",
            ]
        )
        == 0
    )
    assert capsys.readouterr().out == split_with_kiwi
    assert len(split_with_kiwi.splitlines()) > 1
    assert main(["split", str(note), "--strategy", "whole", "--nlp", "kiwi", "--splitter", "rules"]) == 2
    assert "--nlp kiwi is not --splitter rules" in capsys.readouterr().err


def test_a_chunk_of_a_page_knows_where_in_the_file_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "<html><body><nav>Home</nav><h1>Tea &amp; bread</h1><p>Boil the water. Wait.</p></body></html>"
    path = tmp_path / "page.html"
    path.write_text(source)
    assert main(["split", str(path), "--strategy", "heading"]) == 0
    chunks = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    last = chunks[-1]
    place = last["source"][0]
    assert source[place["start"] : place["end"]].startswith("Tea &amp; bread")
    assert last["source"][-1]["end"] == source.index("</p>")
    assert main(["split", str(path), "--strategy", "whole", "--format", "csv"]) == 0
    assert "source" in capsys.readouterr().out.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "run"),
    [
        ([], ["app"]),
        (["--server.port", "8513"], ["app", "--server.port", "8513"]),
        (["--theme.base=dark"], ["app", "--theme.base=dark"]),
        (["--version"], ["--version"]),
        (["split", "a.md"], ["split", "a.md"]),
    ],
)
def test_the_installed_command_opens_the_app_with_options_of_its_server(
    monkeypatch: pytest.MonkeyPatch, words: list[str], run: list[str]
) -> None:
    said: list[tuple[list[str], str]] = []

    def main(arguments: list[str], program: str) -> int:
        said.append((arguments, program))
        return 0

    monkeypatch.setattr("chunking.__main__.main", main)
    monkeypatch.setattr("sys.argv", ["chunkscope", *words])
    assert console() == 0 and said == [(run, "chunkscope")]
