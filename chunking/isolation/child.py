"""A process that runs one function: it restricts itself, calls the function, and writes its answer.

The caller is :mod:`chunking.isolation.calls`; :mod:`chunking.isolation.framing` describes what the two exchange. The
restrictions are set after the libraries are loaded and before the first byte of the data is read. Systems without such
limits (Windows) have the audit hook only; there the caller enforces the limits of time and output.
"""

from __future__ import annotations

import gc
import math
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn, get_type_hints

from chunking.errors import ChunkscopeError
from chunking.isolation import codec, framing, rlimits
from chunking.runtime import processes
from chunking.runtime.progress import Progress

_COLLECTIONS = (100_000, 50, 100)
"""Thresholds of the garbage collector: a large document is a million objects that stay, and looking at them as often as
Python does takes a third of the time."""

PROGRESS_INTERVAL = 0.05
"""Minimum seconds between two progress frames."""


@dataclass(frozen=True)
class Job:
    """What a process is to do.

    Attributes:
        module, function: names of the function.
        arguments: number of its arguments, which follow.
        libraries: modules to import, or ``MODULE:FUNCTION`` to call, before the limits are set.
        memory: bytes beyond those that the process has.
        cpu, wall: seconds of the processor and by the clock.
        niceness: how much the priority is lowered.
    """

    module: str
    function: str
    arguments: int
    libraries: tuple[str, ...]
    memory: int
    cpu: int
    wall: float
    niceness: int


def main() -> NoReturn:
    """Answer the job on standard input on standard output."""
    # Keep what a library prints out of the frames.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    answer(sys.stdin.buffer, out)


def answer(stream: IO[bytes], out: IO[bytes]) -> NoReturn:
    """Read a job and its arguments, write the answer, and end the process."""
    job: Job = codec.decode(_receive(stream), Job)
    with suppress(AttributeError, OSError):
        os.nice(job.niceness)
    with suppress(OSError):  # the caller is gone
        framing.write(out, *_result(job, stream, out))
    os._exit(0)


def _result(job: Job, stream: IO[bytes], out: IO[bytes]) -> tuple[bytes, bytes]:
    """Run a job and return the frame with its result or error."""
    try:
        for library in job.libraries:
            prepare(library)
        function: Callable[..., Any] = getattr(import_module(job.module), job.function)
        hints = get_type_hints(function)
    except (ImportError, AttributeError) as error:
        return b"X", codec.encode(("setup", str(error)))
    reports = {"progress": _progress_sender(out)} if "progress" in hints else {}
    kinds = [kind for name, kind in hints.items() if name not in ("progress", "return")][: job.arguments]
    gc.set_threshold(*_COLLECTIONS)
    received = [_receive(stream)]
    stream.close()  # the caller hears of the end by the other direction
    restrict(job.memory, job.cpu, math.ceil(job.wall) + 5)

    def call() -> bytes:
        arguments = codec.decode(received.pop(), tuple[*kinds])  # type: ignore[valid-type]
        return codec.encode(function(*arguments, **reports))

    return _answer(call)


def prepare(library: str) -> None:
    """Import a module, or call a function that is given as ``MODULE:FUNCTION``."""
    module, _, function = library.partition(":")
    target = import_module(module)
    if function:
        getattr(target, function)()


def _receive(stream: IO[bytes]) -> bytes:
    frame = framing.read(stream)
    if frame is None:
        os._exit(1)
    return frame[1]


_FULL = (b"X", codec.encode(("memory", "")))  # made in advance: when memory is full, there is none for it


def _answer(call: Callable[[], bytes]) -> tuple[bytes, bytes]:
    try:
        return _outcome(call)
    except MemoryError:
        return _FULL


def _outcome(call: Callable[[], bytes]) -> tuple[bytes, bytes]:
    try:
        return b"R", call()
    except MemoryError:
        raise
    except ChunkscopeError as error:
        return b"E", codec.encode((error.problem, error.remedy))
    except RecursionError:
        return b"X", codec.encode(("depth", ""))
    except framing.TooMuch:
        return b"X", codec.encode(("output", ""))
    except BaseException as error:
        calls = traceback.extract_tb(error.__traceback__)
        where = f"{Path(calls[-1].filename).name}:{calls[-1].lineno}" if calls else ""
        return b"X", codec.encode((type(error).__name__, where))


def _progress_sender(out: IO[bytes]) -> Progress:
    last = 0.0

    def send(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if done >= total or now - last > PROGRESS_INTERVAL:
            last = now
            framing.write(out, b"P", framing.PROGRESS.pack(max(done, 0), max(total, 0)))

    return send


def restrict(more_memory: int, cpu: int, wall: int) -> None:
    """Give up, irrevocably, every permission that a parser does not need.

    Args:
        more_memory: bytes of address space beyond those in use.
        cpu: seconds of processor time.
        wall: seconds by the clock.
    """
    sys.dont_write_bytecode = True
    if sys.platform != "win32":
        signal.alarm(wall)  # in case the parent is gone
    rlimits.restrict(more_memory, cpu)
    sys.addaudithook(_audit_hook())


_FORBIDDEN = (
    "socket.",
    "http.",
    "urllib.",
    "ftplib.",
    "smtplib.",
    "webbrowser.",
    "subprocess.",
    "pty.",
    "shutil.",
    "tempfile.",
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.kill",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
    "os.chown",
)
"""Prefixes of audit events that no parser has a reason to raise."""


def _audit_hook() -> Callable[[str, tuple[Any, ...]], None]:
    """Return an audit hook: no network, no process, and only files of Python and its libraries, read-only."""
    shelves = [sys.prefix, sys.base_prefix, str(processes.ROOT / "chunking"), *(path for path in sys.path if path)]
    shelves = [path for path in shelves if Path(path).resolve() != processes.ROOT]
    # Some installers link packages into an environment from elsewhere: their files are readable by their names there.
    prefixes = tuple(os.path.abspath(path) + os.sep for path in shelves)
    real_prefixes = tuple(os.path.realpath(path) + os.sep for path in shelves)

    def is_readable(path: str) -> bool:
        is_named = os.path.abspath(path).startswith(prefixes) and os.pardir not in Path(path).parts
        return is_named or os.path.realpath(path).startswith(real_prefixes)

    # Of itself, a parser may read how much memory it uses.
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, int):
                return
            if path == processes.SIZES_FILE and not flags & writing:
                return
            if flags & writing or not is_readable(os.fsdecode(path)):
                raise PermissionError("A parser must not open files.")
        elif event.startswith(_FORBIDDEN):
            raise PermissionError("A parser must not do this.")

    return refuse


if __name__ == "__main__":
    main()
