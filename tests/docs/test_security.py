"""The threat model names tests that exist, for every attempt."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROW = re.compile(r"^\| (?P<attempt>[^|]+) \| (?P<defence>[^|]+) \| (?P<tests>[^|]+) \|$", re.MULTILINE)
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")


def rows(root: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    text = (root / "SECURITY.md").read_text(encoding="utf-8")
    found = [(row["attempt"], TEST.findall(row["tests"])) for row in ROW.finditer(text) if row["attempt"] != "attempt"]
    assert len(found) == sum(line.startswith("| ") for line in text.splitlines()) - text.count("| attempt |") > 30
    return found


def names(file: Path) -> set[str]:
    return {node.name for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)}


def test_every_attempt_has_tests_that_exist(root: Path) -> None:
    for attempt, tests in rows(root):
        assert tests, attempt
        for file, name in tests:
            assert name in names(root / "tests" / file), f"{file}::{name}"


def test_nothing_stands_among_the_tests_that_is_none(root: Path) -> None:
    text = (root / "SECURITY.md").read_text(encoding="utf-8")
    for row in ROW.finditer(text):
        if row["attempt"] != "attempt":
            assert not TEST.sub("", row["tests"]).strip(", "), row["attempt"]


@pytest.mark.parametrize("file", ["SECURITY.md"])
def test_links_lead_to_files(root: Path, file: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)", (root / file).read_text(encoding="utf-8")):
        assert (root / target).is_file(), target
