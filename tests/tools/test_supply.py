"""The bill of materials and the audit."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from chunking.model_files import MODELS
from tools import requirements, supply


def test_the_packages_are_those_of_the_app_and_of_no_test(root: Path) -> None:
    found = supply.packages(root)
    assert {"streamlit", "torch", "numpy", "prometheus-client", "sqlalchemy"} <= found.keys()
    assert not {"pytest", "ruff", "langchain-core", "ray", "playwright"} & found.keys()


def test_the_bill_is_valid_and_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    file = tmp_path / "sbom.json"
    supply.write_bill(file)
    text = file.read_text(encoding="utf-8")
    # jsonschema parses each of 3,500 addresses by a grammar, which takes a minute; that none has space in it must do.
    monkeypatch.setattr("jsonschema._format._rfc3987_is_valid_syntax", lambda _, value: not re.search(r"\s", value))
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    made: dict[str, Any] = json.loads(text)
    names = {requirements.normalised(each["name"]) for each in made["components"]}
    assert supply.packages().keys() <= names
    assert "pytest" not in names
    (lxml,) = (each for each in made["components"] if each["name"] == "lxml")
    sums = [each["hashes"][0]["content"] for each in lxml["externalReferences"] if "hashes" in each]
    lock = (requirements.ROOT / requirements.LOCK).read_text(encoding="utf-8")
    assert set(sums) == requirements.read_hashes(lock)["lxml"]
    models = [each for each in made["components"] if each["type"] == "machine-learning-model"]
    assert [each["name"] for each in models] == [model.title for model in MODELS]


def test_a_vulnerability_and_a_gap_are_not_a_pass() -> None:
    good = {"name": "a", "version": "1", "vulns": []}
    bad = {"name": "b", "version": "2", "vulns": [{"id": "CVE-1", "fix_versions": ["3"]}]}
    gap = {"name": "c", "skip_reason": "not found"}
    assert supply.verdict({"dependencies": [good]}) == (["1 of 1 packages audited: 0 known vulnerabilities."], 0)
    lines, code = supply.verdict({"dependencies": [good, bad, gap]})
    assert (lines[0], code) == ("b 2: CVE-1, fixed in 3", 1)
    lines, code = supply.verdict({"dependencies": [good, gap]})
    assert (lines[-1], code) == ("The index knows nothing of c.", 2)


def test_an_index_that_is_silent_or_gone_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def silent(*_: object, **options: Any) -> None:
        raise subprocess.TimeoutExpired("pip-audit", options["timeout"])

    monkeypatch.setattr(subprocess, "run", silent)
    assert supply.audit() == 2
    assert "nothing was audited" in capsys.readouterr().out
    gone = subprocess.CompletedProcess[str]([], 1, "", "Traceback\nConnectionError: no route")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: gone)
    assert supply.audit() == 2
    assert capsys.readouterr().out.endswith("nothing was audited. ConnectionError: no route\n")
