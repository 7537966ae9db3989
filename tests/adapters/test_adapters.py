from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

import pytest

from chunking import ChunkscopeError


@pytest.mark.parametrize(
    ("module", "library"), [("langchain", "langchain_text_splitters"), ("llama_index", "llama_index.core.node_parser")]
)
def test_a_missing_library_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch, module: str, library: str) -> None:
    monkeypatch.setitem(sys.modules, library, None)  # as an import sees what is not there
    monkeypatch.delitem(sys.modules, f"chunking.adapters.{module}", raising=False)
    with pytest.raises(ChunkscopeError, match=r"not installed.*pip install .*\[peers\]"):
        importlib.import_module(f"chunking.adapters.{module}")


def test_nothing_in_the_engine_imports_the_adapters(root: Path) -> None:
    for path in (root / "chunking").rglob("*.py"):
        if path.parent.name == "adapters":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names += [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            assert not [name for name in names if name.startswith("chunking.adapters")], path
