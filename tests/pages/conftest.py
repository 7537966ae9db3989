"""Node.js, which runs the scripts of the components for the tests."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Ask = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node.js 18.18 or newer is missing: install nodejs and npm to test the scripts of the components.")
    return found


@pytest.fixture(scope="session")
def ask(node: str, root: Path) -> Iterator[Ask]:
    """Ask one running Node.js what the browser makes of something."""
    command = [node, str(root / "tests/js/answer.js")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:

        def go(name: str, **given: Any) -> dict[str, Any]:
            assert process.stdin and process.stdout
            process.stdin.write(json.dumps({"name": name, **given}) + "\n")
            process.stdin.flush()
            answer: dict[str, Any] = json.loads(process.stdout.readline())
            return answer

        yield go
        assert process.stdin
        process.stdin.close()
