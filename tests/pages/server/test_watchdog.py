from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from chunking import ChunkscopeError
from pages.shared.server import watchdog

PROGRAM = """
import asyncio, re, sys
from pages.shared.server.watchdog import watch_forever

async def main():
    watching = asyncio.create_task(watch_forever({limit}))
    await asyncio.sleep(1.2)
    print("answered", flush=True)
    {work}
    watching.cancel()

asyncio.run(main())
"""


def run(root: Path, work: str, limit: float) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(work=work, limit=limit)
    return subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=250)


def test_a_server_that_is_held_by_a_pattern_is_ended_and_says_where(root: Path) -> None:
    done = run(root, 're.fullmatch("(a|a)*b", "a" * 64)', 1.0)
    assert (done.returncode, done.stdout) == (1, "answered\n")
    assert "Timeout" in done.stderr and "fullmatch" in done.stderr


def test_a_server_that_answers_goes_on_and_one_that_ends_is_left_alone(root: Path) -> None:
    done = run(root, "import time; watching.cancel(); await asyncio.sleep(0); time.sleep(4)", 3.0)
    assert (done.returncode, done.stdout, done.stderr) == (0, "answered\n", "")


def test_a_server_may_be_left_alone(root: Path) -> None:
    done = run(root, "import time; time.sleep(1)", 0)
    assert (done.returncode, done.stdout) == (0, "answered\n")


def test_the_seconds_are_a_setting() -> None:
    assert watchdog.seconds({}) == 30
    assert watchdog.seconds({watchdog.SECONDS: "0"}) == 0
    for wrong in ("-1", "soon", "3601"):
        with pytest.raises(ChunkscopeError, match=watchdog.SECONDS):
            watchdog.seconds({watchdog.SECONDS: wrong})
