"""Parsers of binary formats, each in a sandboxed process.

Each file gets a fresh process. It receives the file through a pipe, almost no environment, a low priority, and limits
that it cannot raise: memory, processor time, wall time, output, descriptors, no writing of files, no child processes.
Its answer is validated by :mod:`chunking.loading.wire`. Any failure becomes a
:class:`~chunking.errors.ChunkscopeError` with its cause.

The child restricts itself in :mod:`chunking.loading.sandbox`. On systems without such limits (Windows), those of time
and output still hold, since the parent enforces them.

Frames: the parent sends ``J`` (the job, JSON) and ``D`` (the file); the child sends ``P`` (progress, two numbers) any
number of times, and then one of ``R`` (the result), ``E`` (an error for the user, problem and remedy) or ``X`` (another
error: its cause and origin).
"""

from __future__ import annotations

import logging
import os
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Self

from chunking.errors import ChunkscopeError
from chunking.loading import wire
from chunking.loading.parsed import LoadParameters, Parsed
from chunking.loading.sandbox import PROGRESS
from chunking.runtime import processes
from chunking.runtime.progress import Progress

MAX_WORKERS = 2
"""Limit of processes at a time; further files wait."""

MEMORY_PER_BYTE = 10
"""Bytes of memory allowed for each byte of the file, in addition to the base limit."""

MAX_FRAMES = 100_000
"""Limit of the frames that a process may send."""

MAX_IMAGE_PIXELS = 40_000_000
"""Limit of the pixels of a page image."""

PARSERS: dict[str, tuple[str, ...]] = {
    "pdf": ("pypdfium2", "pdfplumber"),
    "docx": ("docx", "lxml.etree"),
    "epub": ("selectolax.lexbor", "defusedxml.ElementTree"),
}
"""Modules below :mod:`chunking.loading.binary` that run here, and libraries to load before the limits are set."""

_TICK = 0.2
_LOG = logging.getLogger(__name__)
_SLOTS = threading.BoundedSemaphore(MAX_WORKERS)

_ENVIRONMENT = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONHOME", "SYSTEMROOT", "APPDATA")
"""Environment variables that a process receives, needed to find Python and its libraries."""

_SAVE_AGAIN = "Open it in the program that made it, save it again, and load that; or load its text."
_SMALLER = "Split it into smaller files and load one of them."


@dataclass(frozen=True, slots=True)
class Limits:
    """Resource limits of a process.

    Attributes:
        wall, cpu: seconds, by the clock and of the processor.
        memory: bytes beyond those of Python and its libraries, plus :data:`MEMORY_PER_BYTE` for each of the file.
        output: bytes of all its output.
    """

    wall: float = 120.0
    cpu: int = 60
    memory: int = 512 * 1024 * 1024
    output: int = wire.MAX_FRAME


def parse(module: str, data: bytes, name: str, params: LoadParameters, progress: Progress | None) -> Parsed:
    """Parse a file with ``chunking.loading.MODULE.parse`` in a process of its own.

    Args:
        module: one of :data:`PARSERS`.
        data: the whole file.
        name: its name, for messages.
        params: the loading parameters.
        progress: called now and then, also while nothing happens; ``(0, 0)`` while other files are read first. It may
            raise to stop.

    Raises:
        ChunkscopeError: the file cannot be read, or breaks a limit.
    """
    arguments = {"name": name, "params": asdict(params)}
    answer = _run(_target(module, "parse"), data, name, arguments, progress, PARSERS[module])
    return _unpacked(answer, name)


def render(data: bytes, page: int, width: int) -> bytes:
    """Render a page of a PDF as a PNG.

    Args:
        data: the whole file.
        page: index of the page, from 0.
        width: width of the image, in pixels.

    Raises:
        ChunkscopeError: the page cannot be drawn, or breaks a limit.
    """
    name = f"page {page + 1}"
    answer = _run(_target("pdf", "render"), data, name, {"page": page, "width": width}, None, PARSERS["pdf"])
    if not _is_picture(answer):
        raise _broken(name, "an invalid picture")
    return answer


def _target(module: str, function: str) -> str:
    if module not in PARSERS:
        raise ValueError(f"no parser {module!r}")
    return f"chunking.loading.binary.{module}:{function}"


def _unpacked(answer: bytes, name: str) -> Parsed:
    try:
        return wire.unpack(answer)
    except wire.TooMuch as error:
        raise _too_much(name) from error
    except wire.WireError as error:
        raise _broken(name, str(error)) from error


def _is_picture(data: bytes) -> bool:
    if not data.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") or len(data) < 33:
        return False
    width, height = struct.unpack_from(">II", data, 16)
    return bool(0 < width * height <= MAX_IMAGE_PIXELS)


def _run(
    target: str,
    data: bytes,
    name: str,
    arguments: dict[str, Any],
    progress: Progress | None = None,
    libraries: tuple[str, ...] = (),
    limits: Limits = Limits(),
) -> bytes:
    """Call ``MODULE:FUNCTION`` in a process and return the bytes of its result.

    Tests use parsers of their own here; :func:`parse` and :func:`render` use only those of :data:`PARSERS`.
    """
    job = {
        "target": target,
        "arguments": arguments,
        "libraries": libraries,
        "memory": limits.memory + MEMORY_PER_BYTE * len(data),
        "cpu": limits.cpu,
        "wall": limits.wall,
    }
    with _slot(progress), _Child(wire.to_json(job), data, name, limits) as child:
        return child.answer(progress or _silent)


@contextmanager
def _slot(progress: Progress | None) -> Iterator[None]:
    """Wait until fewer than :data:`MAX_WORKERS` processes run."""
    while not _SLOTS.acquire(timeout=_TICK):
        if progress:
            progress(0, 0)
    try:
        yield
    finally:
        _SLOTS.release()


def _silent(done: int, total: int) -> None:
    pass


class _Child:
    """A process that reads one file, with two threads for its input and output; all end with the block."""

    def __init__(self, job: bytes, data: bytes, name: str, limits: Limits) -> None:
        self._name = name
        self._limits = limits
        self._until = time.monotonic() + limits.wall
        self._inbox: queue.SimpleQueue[tuple[bytes, bytes] | Exception | None] = queue.SimpleQueue()
        self._process = _start(name)
        self._threads = (
            threading.Thread(target=self._send, args=(job, data), daemon=True),
            threading.Thread(target=self._receive, daemon=True),
        )

    def __enter__(self) -> Self:
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:  # no more threads are available
            self.__exit__(None, None, None)
            raise _no_process(self._name) from error
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._process.poll() is None:
            _kill(self._process)
        self._process.wait()
        # Without the process both pipes are broken, so no thread is blocked any more.
        for thread, stream in zip(self._threads, (self._process.stdin, self._process.stdout), strict=True):
            if thread.ident is not None:
                thread.join(timeout=5)
            if stream and not thread.is_alive():
                with suppress(OSError):
                    stream.close()

    def answer(self, progress: Progress) -> bytes:
        """Wait for the result and return it; call ``progress`` meanwhile."""
        done = total = 0
        while True:
            left = self._until - time.monotonic()
            if left <= 0:
                raise _too_long(self._name, f"{self._limits.wall:g} seconds")
            try:
                frame = self._inbox.get(timeout=min(_TICK, left))
            except queue.Empty:
                progress(done, total)
                continue
            if isinstance(frame, Exception):
                raise _too_much(self._name) if isinstance(frame, wire.TooMuch) else self._died(str(frame))
            if frame is None:
                raise self._died("silence")
            kind, payload = frame
            if kind == b"R":
                return payload
            if kind != b"P" or len(payload) != PROGRESS.size:
                raise self._failure(kind, payload)
            done, total = PROGRESS.unpack(payload)
            progress(done, total)

    def _send(self, job: bytes, data: bytes) -> None:
        stream = self._process.stdin
        assert stream
        # A process that died before it read everything is detected by its exit.
        with suppress(OSError, ValueError), stream:
            wire.write(stream, b"J", job)
            wire.write(stream, b"D", data)

    def _receive(self) -> None:
        stream = self._process.stdout
        assert stream
        left = self._limits.output
        try:
            for _ in range(MAX_FRAMES):
                frame = wire.read(stream, left)
                self._inbox.put(frame)
                if frame is None:
                    return
                left -= len(frame[1])
            self._inbox.put(wire.TooMuch("frames"))
        except (wire.WireError, OSError, ValueError, MemoryError) as error:
            self._inbox.put(error)

    def _failure(self, kind: bytes, payload: bytes) -> ChunkscopeError:
        try:
            texts = [str(text)[:2000] for text in wire.from_json(payload)] if kind in (b"E", b"X") else []
        except (wire.WireError, TypeError) as error:
            return _broken(self._name, str(error))
        if kind == b"E" and len(texts) == 2:
            return ChunkscopeError(*texts)
        if len(texts) != 2:
            return _broken(self._name, "frames of an unknown kind")
        known = {"memory": _too_large, "output": _too_much, "depth": _too_deep}
        cause, where = texts
        if cause == "setup":
            return _not_set_up(self._name, where)
        return known[cause](self._name) if cause in known else _broken(self._name, f"{cause} at {where}")

    def _died(self, what: str) -> ChunkscopeError:
        """Return the error for a process that ended, or closed its pipe, without an answer."""
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return _broken(self._name, what)
        names = {number.value: number.name for number in signal.Signals}
        ended_by = names.get(-code, "")
        if ended_by == "SIGXCPU":
            return _too_long(self._name, f"{self._limits.cpu} seconds of the processor")
        if ended_by == "SIGKILL":
            return _killed(self._name)
        return _crashed(self._name, ended_by or f"exit code {code}")


def _start(name: str) -> subprocess.Popen[bytes]:
    environment = {key: os.environ[key] for key in _ENVIRONMENT if key in os.environ}
    try:
        return processes.fresh(["-m", "chunking.loading.sandbox"], environment)
    except OSError as error:
        _LOG.warning("No process could be started: %s", error)
        raise _no_process(name) from error


def _kill(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    # It leads a process group of its own; anything it started is killed with it.
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _no_process(name: str) -> ChunkscopeError:
    return ChunkscopeError(f"“{name}” cannot be read now: no further process can be started.", "Try again in a minute.")


def _not_set_up(name: str, what: str) -> ChunkscopeError:
    _LOG.error("A loader cannot run: %s", what)
    return ChunkscopeError(
        f"“{name}” cannot be read: this installation has no loader for it ({what}).",
        "Install the packages in requirements.txt.",
    )


def _too_long(name: str, limit: str) -> ChunkscopeError:
    return ChunkscopeError(f"“{name}” took longer to read than {limit}, so reading was stopped.", _SMALLER)


def _too_large(name: str) -> ChunkscopeError:
    return ChunkscopeError(f"“{name}” requires more memory than the limit for one file.", _SMALLER)


def _killed(name: str) -> ChunkscopeError:
    # Not by this program, and a file that breaks the limit of memory says so itself.
    _LOG.warning("The process that read a file was killed.")
    return ChunkscopeError(
        f"The process that read “{name}” was killed from outside, as a system does that runs out of memory. Nothing "
        "else was affected.",
        f"Try again. If it happens again: {_SMALLER[0].lower()}{_SMALLER[1:]}",
    )


def _too_much(name: str) -> ChunkscopeError:
    return ChunkscopeError(f"“{name}” contains more than {wire.MAX_TEXT // 2**20} MiB of text.", _SMALLER)


def _too_deep(name: str) -> ChunkscopeError:
    return ChunkscopeError(f"“{name}” is nested too deeply to be read.", _SAVE_AGAIN)


def _crashed(name: str, how: str) -> ChunkscopeError:
    _LOG.warning("The process that read a file ended: %s", how)
    return ChunkscopeError(
        f"“{name}” crashed its parser ({how}): it is damaged or malicious. Nothing else was affected.", _SAVE_AGAIN
    )


def _broken(name: str, what: str) -> ChunkscopeError:
    _LOG.warning("The process that read a file failed: %s", what)
    return ChunkscopeError(f"“{name}” cannot be read: it is damaged, or its name has the wrong suffix.", _SAVE_AGAIN)
