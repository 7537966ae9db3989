"""What a server prepares for its first visitor, and what it does as long as it answers."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from chunking import isolation
from chunking.runtime import files
from pages.shared.documents import session_documents, warm_up
from pages.shared.server import garbage, hosts, watchdog
from pages.shared.storage import session_library
from tests import loops

TIMEOUT = 120
"""Seconds in which what a test waits for comes, on any machine."""

_PREPARE = """
import sys
from pages.shared.documents import warm_up
warm_up.prepare()
named = ("chunking.explain", "pages.shared.components.workbench", "pandas", "sqlalchemy", "torch", "spacy")
print(*(name for name in named if name in sys.modules))
print("pages.inspect" in sys.modules)
"""


def test_what_the_first_page_needs_is_imported_and_neither_a_model_nor_the_page(root: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _PREPARE], cwd=root, capture_output=True, text=True, check=True)
    imported, page = done.stdout.splitlines()
    assert imported.split() == ["chunking.explain", "pages.shared.components.workbench", "pandas", "sqlalchemy"]
    assert page == "False"


_HELD = """
import asyncio, time
from pages.shared.documents import warm_up
warm_up.prepare = lambda: None
warm_up.isolation.keep_warm = lambda *_, **__: None

async def main():
    async with warm_up.lifespan(None):
        await asyncio.sleep(0)
        print("answers", flush=True)
        time.sleep(30)

asyncio.run(main())
"""


def test_a_server_that_does_not_answer_ends(root: Path) -> None:
    environment = {**os.environ, watchdog.SECONDS: "1"}
    command = [sys.executable, "-c", _HELD]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "answers\n")
    assert "Timeout" in done.stderr and "in main" in done.stderr


def test_a_server_drops_what_was_left_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    done = {name: threading.Semaphore(0) for name in ("sessions", "memory", "deleted", "left")}

    def drop_sessions() -> int:
        done["sessions"].release()
        return 1

    monkeypatch.setattr(garbage, "_EVERY", 0.01)
    monkeypatch.setattr(garbage, "drop_expired_sessions", drop_sessions)
    monkeypatch.setattr(garbage, "collect", lambda *, thoroughly: done["memory"].release())
    monkeypatch.setattr(warm_up, "_FORGET_SECONDS", 0.01)
    monkeypatch.setattr(session_library, "forget_again", done["deleted"].release)
    monkeypatch.setattr(session_documents, "forget_left", done["left"].release)
    monkeypatch.setattr(warm_up, "prepare", lambda: None)
    monkeypatch.setattr(isolation, "keep_warm", lambda *_, **__: None)
    monkeypatch.setattr(hosts, "restrict", lambda: None)
    monkeypatch.setattr(watchdog, "seconds", lambda: 0)

    async def serve() -> None:
        async with warm_up.lifespan(None):
            for name in [*done, *done]:
                assert await asyncio.to_thread(done[name].acquire, timeout=TIMEOUT), name

    loops.run(serve())


def test_a_start_lets_no_foreign_name_in_and_removes_what_a_killed_server_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []
    monkeypatch.setattr(hosts, "restrict", lambda: done.append("hosts"))
    monkeypatch.setattr(files, "remove_abandoned", lambda: done.append("scratch"))
    monkeypatch.setattr(isolation, "keep_warm", lambda *_, **__: None)
    monkeypatch.setattr(warm_up, "prepare", lambda: None)
    monkeypatch.setattr(warm_up, "_always", lambda: iter(()))

    async def start() -> None:
        async with warm_up.lifespan(None):
            assert sorted(done) == ["hosts", "scratch"]

    loops.run(start())
