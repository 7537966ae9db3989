"""Functions that the tests run in workers."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from chunking.errors import ChunkscopeError
from chunking.runtime.progress import Tell


def square(number: int, cache: object, tell: Tell) -> tuple[int, int]:
    """Return a square, and the process that computed it."""
    print("what a library prints")
    tell("squaring", 1, 1)
    return number * number, os.getpid()


def refuse(number: int, cache: object, tell: Tell) -> None:
    """Raise what a user should see."""
    raise ChunkscopeError(f"Not {number}.", "Another.")


def fail(cache: object, tell: Tell) -> None:
    """Raise an error that cannot be pickled."""

    class LocalError(Exception):
        pass

    raise LocalError("in a worker")


def unanswerable(cache: object, tell: Tell) -> object:
    """Return what cannot be pickled."""
    return lambda: None


def die(folder: Path, times: int, cache: object, tell: Tell) -> int:
    """Kill the own process as often as there are fewer files, then return how often that was."""
    folder.mkdir(exist_ok=True)
    died = len(list(folder.iterdir()))
    if died < times:
        (folder / str(died)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return died


def report_for_ever(cache: object, tell: Tell) -> None:
    """Report progress until a report raises."""
    while True:
        tell("reporting", 1, 2)


def wait_for(pipe: Path, cache: object, tell: Tell) -> int:
    """Report the beginning, then nothing until somebody writes to a named pipe."""
    tell("beginning", 0, 1)
    pipe.read_bytes()
    return os.getpid()


def folder(cache: object, tell: Tell) -> str:
    """Return the working folder."""
    return os.getcwd()


def cache_of(cache: object, tell: Tell) -> object:
    """Return the cache."""
    return cache
