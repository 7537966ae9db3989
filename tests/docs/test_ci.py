"""The page on continuous integration: its files are written, its commands and its jobs are run."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from chunking.__main__ import main
from chunking.checks import RULES
from tests.docs import recipes

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the files of the page."""
    folder = tmp_path_factory.mktemp("project")
    recipes.write_files(PAGE, folder)
    return folder


@pytest.mark.parametrize(
    ("command", "expected"), list(recipes.consoles(PAGE)), ids=lambda value: value[:40] if value else ""
)
def test_a_command_prints_what_the_page_says(
    command: str, expected: list[str], project: Path, environment: dict[str, str]
) -> None:
    recipes.check_console(command, expected, project, environment)


def jobs() -> dict[str, Any]:
    (text,) = [step.text for step in recipes.steps(PAGE) if step.path.startswith(".github")]
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def act(given: dict[str, str], project: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Run the last step of our action as GitHub does, with its inputs in the environment."""
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert set(given) <= set(action["inputs"])
    assert all("default" in known or name in given for name, known in action["inputs"].items())
    inputs = {name: given.get(name, known.get("default", "")) for name, known in action["inputs"].items()}
    *_, install, check = action["runs"]["steps"]
    assert install["run"] == 'python -m pip install --quiet "$GITHUB_ACTION_PATH"'
    own = {name: inputs[text.removeprefix("${{ inputs.").removesuffix(" }}")] for name, text in check["env"].items()}
    script = project / "step.sh"
    script.write_text(check["run"], encoding="utf-8")
    words = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
    done = subprocess.run(words, cwd=project, env=environment | own, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_action_takes_paths_and_options_with_spaces_and_a_baseline(
    project: Path, environment: dict[str, str]
) -> None:
    spaced = project / "more pages" / "tides.md"
    spaced.parent.mkdir(exist_ok=True)
    spaced.write_bytes((project / "docs" / "tides.md").read_bytes())
    given = {
        "paths": "more pages\n",
        "config": "chunkscope.toml",
        "options": "--rules\ncut-table",
        "output": "more.sarif",
    }
    code, out = act(given, project, environment)
    assert code == 1 and "more pages/tides.md:8:1: error cut-table" in out
    accept = "chunkscope check 'more pages' --config chunkscope.toml --baseline known.json --update-baseline"
    assert recipes.shell(accept, project, environment)[0] == 0
    code, out = act(given | {"baseline": "known.json"}, project, environment)
    assert code == 0 and "no violation, 1 accepted" in out
    assert not json.loads((project / "more.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert act({"paths": "nothing"}, project, environment)[0] == 2


def test_the_job_of_github_uploads_the_results_that_its_command_writes(
    project: Path, environment: dict[str, str]
) -> None:
    steps = jobs()["jobs"]["check"]["steps"]
    checkout, step = (each for each in steps if ".chunkscope" in (each["uses"][2:], each.get("with", {}).get("path")))
    assert step["uses"] == f"./{checkout['with']['path']}", "the action is run from the checkout of this repository"
    code, out = act(step["with"], project, environment)
    assert code == 1 and "docs/tides.md:8:1: error cut-table" in out
    (upload,) = [step for step in steps if "upload-sarif" in step.get("uses", "")]
    assert steps.index(upload) > steps.index(step)
    log = json.loads((project / upload["with"]["sarif_file"]).read_text(encoding="utf-8"))
    (result, *_) = log["runs"][0]["results"]
    where = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], where["artifactLocation"]["uri"], where["region"]["startLine"]) == (
        *("cut-table", "docs/tides.md"),
        8,
    )
    assert jobs()["permissions"]["security-events"] == "write"


def test_the_script_of_other_services_writes_its_report(project: Path, environment: dict[str, str]) -> None:
    assert recipes.shell("sh check-chunks.sh", project, environment)[0] == 1
    suites = ElementTree.parse(project / "reports" / "chunks.xml").getroot()
    assert suites.get("failures") == "1"


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_the_hook_refuses_and_accepts_a_commit(project: Path, environment: dict[str, str]) -> None:
    pytest.importorskip("pre_commit", reason="needs requirements-dev.txt")
    run = "python -m pre_commit run --all-files --verbose"
    code, out = recipes.shell(f"git init -q && git add -A && {run}", project, environment)
    assert code == 1 and "docs/tides.md:8:1: error cut-table" in out, out
    whole = "sed -i.old 's/fixed_size/markdown/; s/= 80/= 300/' chunkscope.toml"
    code, out = recipes.shell(
        f"{whole} && git add -A && {run}; code=$?; mv chunkscope.toml.old chunkscope.toml; exit $code",
        *(project, environment),
    )
    assert code == 0 and "Passed" in out, out


def test_the_hook_for_other_repositories_is_one_and_its_command_is_known(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clientlib = pytest.importorskip("pre_commit.clientlib", reason="needs requirements-dev.txt")
    (hook,) = clientlib.load_manifest(ROOT / ".pre-commit-hooks.yaml")
    assert hook["id"] in PAGE
    monkeypatch.chdir(project)
    command: list[str] = [*shlex.split(hook["entry"]), *hook["args"], "docs/tides.md"]
    assert command[0] == "chunkscope"
    assert main(command[1:]) == 1
    assert "cut-table" in capsys.readouterr().out


def test_the_page_has_every_rule_with_its_level() -> None:
    rows = [f"| `{rule.name}` | {rule.level} | {rule.text} |" for rule in RULES.values()]
    assert "\n".join(rows) in PAGE
