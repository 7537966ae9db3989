"""The caller's side: it starts a process, gives it the job and its data, and waits for the answer within limits."""

from __future__ import annotations

import logging
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from chunking.errors import ChunkscopeError
from chunking.isolation import errors, frames
from chunking.isolation.starts import End, ForkServer, Fresh, Started
from chunking.runtime.progress import Progress

MEMORY_PER_BYTE = 10
"""Bytes of memory allowed for each byte of the data, in addition to the limit."""

MAX_FRAMES = 100_000
"""Limit of the frames that a process may send."""

_TICK = 0.2
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a call.

    Attributes:
        wall, cpu: seconds, by the clock and of the processor.
        memory: bytes beyond those of Python and its libraries, plus :data:`MEMORY_PER_BYTE` for each of the data.
        output: bytes of all its output.
        niceness: how much the priority of the process is lowered, as ``nice`` does.
        slots: the kind of calls that share a limit of processes at a time, see :data:`MAX_PROCESSES`.
    """

    wall: float = 120.0
    cpu: int = 60
    memory: int = 512 * 1024 * 1024
    output: int = frames.MAX_FRAME
    niceness: int = 10
    slots: str = "long"


USUAL = Limits()
"""Limits of a call that says nothing of them."""

MAX_PROCESSES: Mapping[str, int] = {"long": 2, "measure": 16, "short": 16}
"""Limit of the processes at a time; further calls wait, those of each kind only for one another."""

_SLOTS = {kind: threading.BoundedSemaphore(limit) for kind, limit in MAX_PROCESSES.items()}


@dataclass(frozen=True)
class Call:
    """A function that is to run in a process.

    Attributes:
        target: ``MODULE:FUNCTION``; called with the data and the arguments, it returns bytes.
        arguments: by name; JSON.
        libraries: modules to import, or ``MODULE:FUNCTION`` to call, before the limits are set.
        reports: whether the function takes ``progress`` too.
    """

    target: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    libraries: Sequence[str] = ()
    reports: bool = False


def run(call: Call, data: bytes, name: str, limits: Limits = USUAL, progress: Progress | None = None) -> bytes:
    """Call a function in a process of its own and return the bytes of its result.

    Args:
        call: the function.
        data: what it works on.
        name: of the data, for messages.
        limits: of the process.
        progress: called now and then, also while nothing happens; ``(0, 0)`` while other calls come first. It may raise
            to stop.

    Raises:
        LimitError: the call met a limit.
        ChunkscopeError: the function raised it, the process crashed or was killed, or none can be started.
    """
    job = {
        "target": call.target,
        "arguments": dict(call.arguments),
        "libraries": list(call.libraries),
        "reports": call.reports,
        "memory": limits.memory + MEMORY_PER_BYTE * len(data),
        "cpu": limits.cpu,
        "wall": limits.wall,
        "niceness": limits.niceness,
    }
    with _slot(limits, progress), _Child(frames.to_json(job), data, name, limits, progress) as child:
        return child.answer(progress or _silent)


@contextmanager
def _slot(limits: Limits, progress: Progress | None) -> Iterator[None]:
    """Wait until fewer processes run than may."""
    slots = _SLOTS[limits.slots]
    while not slots.acquire(timeout=_TICK):
        if progress:
            progress(0, 0)
    try:
        yield
    finally:
        slots.release()


def _silent(done: int, total: int) -> None:
    pass


# ---- processes that are ready


class _Warm:
    """The fork server of this process, if it keeps one."""

    def __init__(self) -> None:
        self.modules: tuple[str, ...] = ()
        self._server: ForkServer | None = None
        self._lock = threading.Lock()

    def server(self) -> ForkServer | None:
        """Return the server, started where it is not there yet; ``None`` where none is kept."""
        with self._lock:
            if self.modules and self._server is None:
                self._server = ForkServer(self.modules)
            return self._server

    def keep(self, modules: tuple[str, ...]) -> None:
        """Keep a server with other modules."""
        if modules != self.modules:
            self.drop(self._server)
            self.modules = modules

    def drop(self, gone: ForkServer | None) -> None:
        """Forget a server that has ended; the next call starts another."""
        with self._lock:
            if self._server is gone:
                self._server = None
        if gone:
            gone.close()


_WARM = _Warm()


def keep_warm(modules: Sequence[str], *, now: bool = False) -> None:
    """Keep a process that has imported modules, from which calls are forked; none for no modules, and on other systems.

    Args:
        modules: what it imports, or ``MODULE:FUNCTION`` that it calls.
        now: whether it is started at once and not by the next call. After it has ended a call starts it again.
    """
    if sys.platform != "linux":
        return
    _WARM.keep(tuple(modules))
    if now:
        with suppress(OSError):  # the next call tries again
            _WARM.server()


def _start(name: str, progress: Progress | None) -> Started:
    def wait() -> None:
        if progress:
            progress(0, 0)

    server = None
    for again in (True, False):
        try:
            server = _WARM.server()
            return server.start(wait) if server else Fresh()
        except OSError as error:
            _LOG.warning("No process could be started: %s", error)
            _WARM.drop(server)
            if not (server and again):
                raise errors.no_process(name) from error
    raise AssertionError


# ---- one call


class _Child:
    """A process that answers one call, with two threads for its input and output; all end with the block."""

    def __init__(self, job: bytes, data: bytes, name: str, limits: Limits, progress: Progress | None) -> None:
        self._name = name
        self._limits = replace(limits, memory=limits.memory + MEMORY_PER_BYTE * len(data))
        self._inbox: queue.SimpleQueue[tuple[bytes, bytes] | Exception | None] = queue.SimpleQueue()
        self._process = _start(name, progress)
        self._until = time.monotonic() + limits.wall
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
            raise errors.no_process(self._name) from error
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        # Without the process both pipes are broken, so no thread is blocked any more.
        for thread, stream in zip(self._threads, (self._process.input, self._process.output), strict=True):
            if thread.ident is not None:
                thread.join(timeout=5)
            if not thread.is_alive():
                with suppress(OSError):
                    stream.close()

    def answer(self, progress: Progress) -> bytes:
        """Wait for the result and return it; call ``progress`` meanwhile."""
        done = total = 0
        while True:
            left = self._until - time.monotonic()
            if left <= 0:
                raise errors.too_long(self._name, f"{self._limits.wall:g} seconds")
            try:
                frame = self._inbox.get(timeout=min(_TICK, left))
            except queue.Empty:
                progress(done, total)
                continue
            if isinstance(frame, Exception):
                raise errors.too_much(self._name) if isinstance(frame, frames.TooMuch) else self._died(str(frame))
            if frame is None:
                raise self._died("silence")
            kind, payload = frame
            if kind == b"R":
                return payload
            if kind != b"P" or len(payload) != frames.PROGRESS.size:
                raise self._failure(kind, payload)
            done, total = frames.PROGRESS.unpack(payload)
            progress(done, total)

    def _send(self, job: bytes, data: bytes) -> None:
        # A process that died before it read everything is detected by its exit.
        with suppress(OSError, ValueError), self._process.input as stream:
            frames.write(stream, b"J", job)
            frames.write(stream, b"D", data)

    def _receive(self) -> None:
        left = self._limits.output
        try:
            for _ in range(MAX_FRAMES):
                frame = frames.read(self._process.output, left)
                self._inbox.put(frame)
                if frame is None:
                    return
                left -= len(frame[1])
            self._inbox.put(frames.TooMuch("frames"))
        except (frames.WireError, OSError, ValueError, MemoryError) as error:
            self._inbox.put(error)

    def _failure(self, kind: bytes, payload: bytes) -> ChunkscopeError:
        try:
            texts = [str(text)[:2000] for text in frames.from_json(payload)] if kind in (b"E", b"X") else []
        except (frames.WireError, TypeError) as error:
            return errors.broken(self._name, str(error))
        if kind == b"E" and len(texts) == 2:
            return ChunkscopeError(*texts)
        if len(texts) != 2:
            return errors.broken(self._name, "frames of an unknown kind")
        cause, where = texts
        known: dict[str, Callable[[], ChunkscopeError]] = {
            "setup": lambda: errors.not_set_up(self._name, where),
            "memory": lambda: errors.too_large(self._name, self._limits.memory),
            "output": lambda: errors.too_much(self._name),
            "depth": lambda: errors.too_deep(self._name),
        }
        return known[cause]() if cause in known else errors.broken(self._name, f"{cause} at {where}")

    def _died(self, what: str) -> ChunkscopeError:
        """Return the error for a process that ended, or closed its pipe, without an answer."""
        end = self._process.wait(1)
        if end is None:
            return errors.broken(self._name, what)
        names = {number.value: number.name for number in signal.Signals}
        ended_by = names.get(-end.code, "")
        if ended_by == "SIGXCPU":
            return errors.too_long(self._name, f"{self._limits.cpu} seconds of the processor")
        if ended_by in ("SIGABRT", "SIGSEGV") and self._was_full(end):
            return errors.too_large(self._name, self._limits.memory)
        if ended_by == "SIGKILL":
            return errors.killed(self._name)
        return errors.crashed(self._name, ended_by or f"exit code {end.code}")

    def _was_full(self, end: End) -> bool:
        """Return whether a process that crashed, as libraries do that get no memory, had most of it."""
        return end.memory > self._limits.memory // 2
