"""Node.js, which runs the scripts of the components for the tests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.node import Ask as Ask
from tests.node import answering


@pytest.fixture(scope="session")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node.js 18.18 or newer is missing: install nodejs and npm to test the scripts of the components.")
    return found


@pytest.fixture(scope="session")
def ask(node: str) -> Iterator[Ask]:
    """Ask one running Node.js what the browser makes of something."""
    with answering(node) as asked:
        yield asked
