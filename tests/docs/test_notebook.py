"""The example notebook runs, cell by cell, and its last values are what a notebook can show."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from chunking.standalone import StandalonePage


def values_of(path: Path) -> list[Any]:
    """Run the cells of a notebook in order; return the value of the last expression of each."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {}
    values = []
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop()
        assert isinstance(last, ast.Expr)
        exec(compile(tree, "cell", "exec"), names)
        values.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))
    return values


def test_the_notebook_shows_what_it_says(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = root / "docs" / "guide" / "notebook.ipynb"
    monkeypatch.chdir(tmp_path)
    alone, compared, counts, saved = values_of(path)
    assert isinstance(alone, StandalonePage) and len(alone.segmentations[0].chunks) > 2
    assert alone._repr_html_().startswith("<iframe srcdoc=")
    assert [name for name, count in counts if count > 1] == ["structural", "heading", "recursive"]
    assert saved.read_text(encoding="utf-8") == compared.html


def test_the_notebook_is_stored_without_outputs(root: Path) -> None:
    cells = json.loads((root / "docs" / "guide" / "notebook.ipynb").read_text(encoding="utf-8"))["cells"]
    assert all(not cell.get("outputs") for cell in cells)
