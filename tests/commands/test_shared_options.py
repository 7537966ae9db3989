"""What the commands share."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from chunking import ChunkscopeError
from chunking.commands.options import shared_pairs


def declared(path: Path) -> list[str]:
    """Return the options that a module declares by name."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    added = [call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument"]
    return [
        arg.value for call in added for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
    ]


def test_every_option_is_declared_once(root: Path) -> None:
    found = Counter(name for path in (root / "chunking").rglob("*.py") for name in declared(path))
    assert found["-p"] == found["--encoder"] == 1
    # Two measures have a tolerance, each with a default of its own.
    assert {name for name, count in found.items() if count > 1} == {"--tolerance"}


def test_parameters_of_several_strategies_are_read_once() -> None:
    assert shared_pairs(["overlap=1", " max_tokens =64"], "sentence,structural") == {
        "overlap": "1",
        "max_tokens": "64",
    }
    with pytest.raises(ChunkscopeError, match="For sentence, e.g"):
        shared_pairs(["overlap"], "sentence,structural")
