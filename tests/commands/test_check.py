"""``python -m chunking check`` over several documents: exit codes, formats, files and bad input."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from chunking.errors import ChunkscopeError
from chunking.strategies import Segmentation, Setting
from chunking.workspace import DocumentAnalysis
from tests import command_line

TABLE = "| ship | day |\n|---|---|\n" + "".join(f"| ship {number} | Monday |\n" for number in range(5))
PORT = f"# Port\n\nThe keeper climbs the steps at dusk and lights the lamp.\n\n{TABLE}"
TEA = "# Tea\n\nBoil the water, and wait until it is still. Pour it over the leaves then.\n"
FIXED = ("--strategy", "fixed_size", "-p", "max_tokens=50", "-p", "overlap=0")
FAST = ("--encoder", "char-ngrams", "--splitter", "rules")


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "docs"
    for name, text in {
        "port.md": PORT,
        "guide/tea.md": TEA,
        "guide/data.json": "{}",
        "guide/script.py": "x = 1\n",
        ".hidden/secret.md": PORT,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    return command_line.run(capsys, "check", *words, *FAST)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 0),
        (("--fail-on", "error"), 1),
        (("--fail-on", "cut-table"), 1),
        (("--fail-on", "cut-code,duplicate"), 0),
        (("--fail-on", "cut-code", "--fail-on", "cut-table"), 1),
        (("--fail-on", "error", "--rules", "duplicate,cut-code"), 0),
        (("--fail-on", "over-maximum"), 0),
        (("--fail-on", "over-maximum", "--over", "15"), 1),
        (("--fail-on", "under-minimum", "--under", "40"), 1),
    ],
)
def test_the_exit_code_says_whether_a_condition_is_broken(
    capsys: pytest.CaptureFixture[str], docs: Path, words: tuple[str, ...], code: int
) -> None:
    assert run(capsys, docs / "port.md", *FIXED, *words)[0] == code


def test_a_folder_stands_for_its_documents_and_a_pattern_for_what_matches(
    capsys: pytest.CaptureFixture[str], docs: Path
) -> None:
    def files(*words: str) -> list[str]:
        code, out, error = run(capsys, *words, "--strategy", "whole")
        assert code == 0, error
        return [each["file"] for each in json.loads(out)["documents"]]

    assert files("docs") == ["docs/guide/tea.md", "docs/port.md"]
    assert files("docs/**/*.json", "docs/port.md", "docs") == [
        "docs/guide/data.json",
        "docs/port.md",
        "docs/guide/tea.md",
    ]
    assert files("docs/*.md") == ["docs/port.md"]


def test_a_settings_file_holds_all_of_it(capsys: pytest.CaptureFixture[str], docs: Path) -> None:
    Path("chunkscope.toml").write_text('[settings.own]\nstrategy = "fixed_size"\nmax_tokens = 50\noverlap = 0\n')
    from_file = run(capsys, "docs", "--config", "chunkscope.toml", "--fail-on", "error", "--format", "text")
    assert from_file == run(capsys, "docs", *FIXED, "--fail-on", "error", "--format", "text")
    assert from_file[0] == 1
    assert "error cut-table: after row " in from_file[1]


def test_reports_are_written_to_files(capsys: pytest.CaptureFixture[str], docs: Path) -> None:
    for name in ("sarif", "junit", "json", "text", "table"):
        path = Path("reports") / name
        code, out, _ = run(capsys, "docs", *FIXED, "--fail-on", "error", "--format", name, "--output", path)
        assert (code, out) == (1, "")
        assert "cut" in path.read_text(encoding="utf-8")
    log = json.loads(Path("reports/sarif").read_text(encoding="utf-8"))
    assert {each["ruleId"] for each in log["runs"][0]["results"]} >= {"cut-table"}
    suites = ElementTree.fromstring(Path("reports/junit").read_text(encoding="utf-8"))
    assert int(suites.get("failures", "0")) > 0
    assert "docs/port.md\n" in Path("reports/table").read_text(encoding="utf-8")


def test_notes_name_their_document(capsys: pytest.CaptureFixture[str], docs: Path) -> None:
    (docs / "empty.md").write_text("")
    _, _, error = run(capsys, "docs", "--strategy", "heading")
    assert "note: docs/empty.md: The document is empty: it has no text." in error


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("docs", *FIXED, "--fail-on", "fatal"), "Unknown condition 'fatal'"),
        (("docs", *FIXED, "--rules", "fatal"), "Unknown rule 'fatal'"),
        (("docs", *FIXED, "--over", "-1"), "no number of tokens"),
        (("docs", *FIXED, "--format", "xml"), "invalid choice"),
        (("docs",), "Give --strategy NAME, or --config"),
        (("absent.md", *FIXED), "absent.md cannot be read"),
        (("docs/*.pdf", *FIXED), "No file matches docs/*.pdf"),
        (("nothing", *FIXED), "nothing cannot be read"),
        ((*FIXED,), "required"),
        (("docs", *FIXED, "--output", "docs/port.md/x"), "cannot be written"),
    ],
)
def test_bad_input_is_explained(
    capsys: pytest.CaptureFixture[str], docs: Path, words: tuple[str, ...], said: str
) -> None:
    code, out, error = run(capsys, *words)
    assert (code, out) == (2, "")
    assert said in error.splitlines()[-1]


def test_a_folder_without_documents_is_refused(capsys: pytest.CaptureFixture[str], docs: Path) -> None:
    (docs / "none").mkdir()
    code, _, error = run(capsys, "docs/none", *FIXED)
    assert code == 2 and "holds no document" in error


def test_a_baseline_accepts_what_is_there_and_a_new_violation_fails(
    capsys: pytest.CaptureFixture[str], docs: Path
) -> None:
    words = (
        "docs",
        *FIXED,
        "--rules",
        "cut-table",
        "--fail-on",
        "error",
        "--format",
        "text",
        "--baseline",
        "known.json",
    )
    code, out, _ = run(capsys, *words, "--update-baseline")
    assert code == 0 and "no violation, 1 accepted" in out
    (known,) = json.loads(Path("known.json").read_bytes())["violations"]
    assert (known["file"], known["rule"], known["count"]) == ("docs/port.md", "cut-table", 1)
    assert known["quote"].startswith("| ship ")

    port = docs / "port.md"
    port.write_text(port.read_text(encoding="utf-8").replace("# Port", "# Port\n\n## Lamp"), encoding="utf-8")
    code, out, error = run(capsys, *words)
    assert (code, error) == (0, "") and "docs/port.md" not in out, "lines above move it and change nothing"

    (docs / "quay.md").write_text(PORT, encoding="utf-8")
    code, out, _ = run(capsys, *words)
    assert code == 1 and "docs/quay.md" in out and "docs/port.md" not in out
    assert "1 error, 1 accepted" in out

    run(capsys, "docs/quay.md", *words[1:], "--update-baseline")
    assert len(json.loads(Path("known.json").read_bytes())["violations"]) == 2, "what is not checked is kept"

    port.write_text("# Port\n\nNo table.\n", encoding="utf-8")
    code, out, error = run(capsys, *words)
    assert code == 0 and "1 accepted violation gone" in error


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "is no baseline"),
        (b'{"version": 9, "violations": []}', "version 9"),
        (b"\xff", "is no baseline"),
        (None, "missing"),
    ],
)
def test_what_is_no_baseline_is_refused(
    capsys: pytest.CaptureFixture[str], docs: Path, content: bytes | None, message: str
) -> None:
    path = Path("missing.json")
    if content is not None:
        path.write_bytes(content)
    code, out, error = run(capsys, docs, *FIXED, "--baseline", path)
    assert (code, out) == (2, "") and message in error
    assert run(capsys, docs, *FIXED, "--update-baseline")[0] == 2


def test_quiet_says_only_what_fails(capsys: pytest.CaptureFixture[str], docs: Path) -> None:
    assert run(capsys, docs, *FIXED, "--quiet", "--format", "text") == (0, "", "")
    code, out, _ = run(capsys, docs, *FIXED, "--quiet", "--format", "text", "--fail-on", "cut-table")
    assert code == 1 and "cut-table" in out and "note" not in out
    code, out, _ = run(capsys, docs, *FIXED, "--quiet", "--fail-on", "cut-table", "--format", "json")
    assert {each["rule"] for each in json.loads(out)["violations"]} == {"cut-table"}


def test_a_document_that_cannot_be_read_does_not_end_the_others(capsys: pytest.CaptureFixture[str], docs: Path) -> None:
    (docs / "a.pdf").write_bytes(b"%PDF-1.7 nothing")
    code, out, error = run(capsys, docs, *FIXED, "--format", "text")
    assert code == 1 and "in 2 documents" in out and "a.pdf" in error
    assert run(capsys, docs / "a.pdf", *FIXED)[0] == 2, "none can be read"


def test_a_document_that_cannot_be_split_does_not_end_the_others(
    capsys: pytest.CaptureFixture[str], docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs / "a-broken.md").write_text("Broken, and no strategy can split it.")
    split = Setting.run

    def refuse(setting: Setting, workspace: DocumentAnalysis) -> Segmentation:
        if "Broken" in workspace.document.text:
            raise ChunkscopeError("No splitter knows this.", "Install one.")
        return split(setting, workspace)

    monkeypatch.setattr(Setting, "run", refuse)
    code, out, error = run(capsys, "docs", *FIXED, "--format", "text")
    assert code == 1
    assert "docs/port.md" in out
    assert error.splitlines()[-1] == "chunking: docs/a-broken.md: No splitter knows this. Install one."
    code, out, error = run(capsys, "docs/a-broken.md", *FIXED)
    assert (code, out) == (2, "")
