"""The example notebook runs in a kernel, cell by cell, and its outputs are what a notebook shows."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from chunking import __version__
from tests.lazy import LazyModule

if TYPE_CHECKING:
    from nbformat import NotebookNode

nbclient, nbformat = LazyModule("nbclient"), LazyModule("nbformat")

NOTEBOOK = Path("docs") / "guide" / "notebook.ipynb"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("notebook")


def stored(root: Path) -> NotebookNode:
    notebook: NotebookNode = nbformat.read(root / NOTEBOOK, as_version=4)
    return notebook


@pytest.fixture(scope="module")
def executed(root: Path, folder: Path) -> NotebookNode:
    """The notebook with its outputs, run in a folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(root))
        patch.setenv("IPYTHONDIR", str(folder / "ipython"))
        notebook = stored(root)
        nbclient.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


def outputs(notebook: NotebookNode, kind: str) -> list[str]:
    """Return the output of each cell in a media type, in order; empty for a cell without it."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return ["".join(each.get("data", {}).get(kind, "") for each in cell.outputs) for cell in cells]


def test_its_cells_show_pages_and_values(executed: NotebookNode, folder: Path) -> None:
    alone, compared, *others = outputs(executed, "text/html")
    assert others == ["", ""]
    frames = [re.findall('<iframe srcdoc="([^"]*)" sandbox="allow-scripts"', each) for each in (alone, compared)]
    pages = [html.unescape(source) for (source,) in frames]
    for page in pages:
        assert page.startswith("<!doctype html>") and __version__ in page and "Knead the dough" in page
    assert pages[0].count('<article class="chunk') > 2
    assert pages[1].count('class="lane ') == 3
    assert (folder / "kitchen.html").read_text(encoding="utf-8") == pages[1]
    counts, saved = outputs(executed, "text/plain")[2:]
    assert [name for name, count in re.findall(r"\('(\w+)', (\d+)\)", counts) if int(count) > 1] == (
        ["structural", "heading", "recursive"]
    )
    assert "kitchen.html" in saved


def test_its_cells_print_no_warning_and_raise_nothing(executed: NotebookNode) -> None:
    kinds = {each.output_type for cell in executed.cells if cell.cell_type == "code" for each in cell.outputs}
    assert kinds == {"execute_result"}


def test_it_is_valid_and_stored_without_outputs(root: Path) -> None:
    notebook = stored(root)
    nbformat.validate(notebook)
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in notebook.cells)
