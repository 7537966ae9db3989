"""Every example (``>>>``) in docstrings and documentation runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("chunking", "pages", "tools", "benchmarks", "docs")


def _files(*suffixes: str) -> list[str]:
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    found += [path for path in ROOT.iterdir() if path.suffix in suffixes]
    return sorted(path.relative_to(ROOT).as_posix() for path in found if ">>> " in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", _files(".py"))
def test_examples_in_docstrings_hold(path: str) -> None:
    module = importlib.import_module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    results = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert results.attempted, f"{path} has an example where doctest does not look"
    assert not results.failed


def test_examples_in_documentation_hold() -> None:
    for path in _files(".md"):
        results = doctest.testfile(str(ROOT / path), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
        assert results.attempted, path
        assert not results.failed, path


def test_examples_are_found() -> None:
    assert "chunking/__init__.py" in _files(".py")
