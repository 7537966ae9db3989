"""Functions that the tests run in workers."""

from __future__ import annotations

import os
import re
import signal
import time
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


def never_end(cache: object, tell: Tell) -> None:
    """Match a pattern that takes exponential time."""
    re.fullmatch("(a|a)*b", "a" * 64)


def fill_memory(size: int, cache: object, tell: Tell) -> int:
    """Return the size of memory that was allocated."""
    return len(bytearray(size))


def fill_memory_like_torch(cache: object, tell: Tell) -> None:
    """Raise what torch raises where it gets no memory."""
    raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes.")


def abort_for_memory(size: int, cache: object, tell: Tell) -> None:
    """Give up, as libraries do that get no memory."""
    held = bytearray(size)
    os.kill(os.getpid(), signal.SIGABRT)
    held.clear()


def work_and_report(seconds: float, cache: object, tell: Tell) -> int:
    """Use the processor for some seconds with reports, and return the process that did."""
    until = time.process_time() + seconds
    while time.process_time() < until:
        tell("working", 0, 0)
    return os.getpid()


def wait_for(pipe: Path, cache: object, tell: Tell) -> int:
    """Report the beginning, then nothing until somebody writes to a named pipe."""
    tell("beginning", 0, 1)
    pipe.read_bytes()
    return os.getpid()


def priority(cache: object, tell: Tell) -> int:
    """Return what the priority is lowered by."""
    return os.nice(0)


def folder(cache: object, tell: Tell) -> str:
    """Return the working folder."""
    return os.getcwd()


def cache_of(cache: object, tell: Tell) -> object:
    """Return the cache."""
    return cache
