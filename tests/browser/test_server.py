"""The wait for a server ends where it does not answer, and the reason and its log are reported."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.browser import server
from tests.browser.server import serve_command


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("after", "words"),
    [
        ("sys.exit(3)", "ended early"),
        ("while True: pass", "did not answer"),
        ("signal.pause()", "did not answer"),
    ],
)
def test_a_server_that_does_not_answer_is_reported_with_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: str, words: str
) -> None:
    monkeypatch.setattr(server, "_START_SECONDS", 0.5)
    monkeypatch.setattr(server, "_IDLE_SECONDS", 3.0)
    source = f"import signal, sys\nprint('It begins.', flush=True)\n{after}"
    with (
        pytest.raises(RuntimeError, match=rf"(?s){words}.*It begins\."),
        serve_command([sys.executable, "-c", source], tmp_path, tmp_path, os.environ),
    ):
        pass
