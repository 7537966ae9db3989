"""The caller's side: it starts a process, gives it the job and its data, and waits for the answer within limits."""

from __future__ import annotations

import logging
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Generic, Self, TypeVar, cast, get_type_hints

from chunking.errors import ChunkscopeError
from chunking.isolation import codec, errors, framing
from chunking.isolation.child import Job
from chunking.isolation.starts import ForkServer, Fresh, Started
from chunking.runtime.progress import Progress

MEMORY_PER_BYTE = 10
"""Bytes of memory allowed for each byte of the arguments, in addition to the limit."""

Result = TypeVar("Result")

MAX_FRAMES = 100_000
"""Limit of the frames that a process may send."""

_TICK = 0.2
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a call.

    Attributes:
        wall, cpu: seconds, by the clock and of the processor.
        memory: bytes beyond those of Python and its libraries, plus :data:`MEMORY_PER_BYTE` for each of the
            arguments.
        output: bytes of all its output.
        niceness: how much the priority of the process is lowered, as ``nice`` does.
        slots: the kind of calls that share a limit of processes at a time, see :data:`MAX_PROCESSES`.
    """

    wall: float = 120.0
    cpu: int = 60
    memory: int = 512 * 1024 * 1024
    output: int = framing.MAX_FRAME
    niceness: int = 10
    slots: str = "long"


USUAL = Limits()
"""Limits of a call that says nothing of them."""

MAX_PROCESSES: Mapping[str, int] = {"long": 2, "cut": 8, "measure": 16, "short": 16}
"""Limit of the processes at a time; further calls wait, those of each kind only for one another."""

_SLOTS = {kind: threading.BoundedSemaphore(limit) for kind, limit in MAX_PROCESSES.items()}


@dataclass(frozen=True)
class Call(Generic[Result]):
    """A function that is to run in a process.

    Attributes:
        function: of a module, with annotated parameters and result; one named ``progress`` gets the progress.
        arguments: in the order of its other parameters.
        libraries: modules to import, or ``MODULE:FUNCTION`` to call, before the limits are set.
        warm: what the process that is forked has imported, see :func:`keep_warm`; none for what that function names.
    """

    function: Callable[..., Result]
    arguments: tuple[Any, ...] = ()
    libraries: Sequence[str] = ()
    warm: Sequence[str] = ()


def run(call: Call[Result], name: str, limits: Limits = USUAL, progress: Progress | None = None) -> Result:
    """Call a function in a process of its own and return its result, whose type is checked, but not its values.

    Args:
        call: the function and its arguments.
        name: of what it works on, for messages.
        limits: of the process.
        progress: called now and then, also while nothing happens; ``(0, 0)`` while other calls come first. It may raise
            to stop.

    Raises:
        LimitError: the call met a limit.
        ChunkscopeError: the function raised it, the process crashed or was killed, or none can be started.
    """
    with errors.checked(name):
        data = codec.encode(call.arguments)
    limits = replace(limits, memory=limits.memory + MEMORY_PER_BYTE * len(data))
    job = Job(
        module=call.function.__module__,
        function=call.function.__name__,
        arguments=len(call.arguments),
        libraries=tuple(call.libraries),
        memory=limits.memory,
        cpu=limits.cpu,
        wall=limits.wall,
        niceness=limits.niceness,
    )
    answer = _execute(job, data, call.warm, name, limits, progress)
    with errors.checked(name):
        return cast(Result, codec.decode(answer, get_type_hints(call.function)["return"]))


def _execute(job: Job, data: bytes, warm: Sequence[str], name: str, limits: Limits, progress: Progress | None) -> bytes:
    with _slot(limits, progress), _Child(codec.encode(job), data, warm, name, limits, progress) as child:
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
    """The fork servers of this process, if it keeps any."""

    def __init__(self) -> None:
        self.modules: tuple[str, ...] = ()
        self._servers: dict[tuple[str, ...], ForkServer] = {}
        self._lock = threading.Lock()

    def server(self, modules: Sequence[str] = ()) -> ForkServer | None:
        """Return the server with these modules, or the usual ones, started where it is not there yet; ``None`` where
        none is kept.
        """
        with self._lock:
            if not self.modules:
                return None
            key = tuple(modules) or self.modules
            if key not in self._servers:
                self._servers[key] = ForkServer(key)
            return self._servers[key]

    def keep(self, modules: tuple[str, ...]) -> None:
        """Keep a server with other modules than before."""
        if modules == self.modules:
            return
        with self._lock:
            self.modules, servers, self._servers = modules, self._servers, {}
        for server in servers.values():
            server.close()

    def drop(self, gone: ForkServer | None) -> None:
        """Forget a server that has ended; the next call starts another."""
        with self._lock:
            self._servers = {key: server for key, server in self._servers.items() if server is not gone}
        if gone:
            gone.close()


_WARM = _Warm()


def keep_warm(modules: Sequence[str], *, now: bool = False) -> None:
    """Keep a process that has imported modules, from which calls are forked; none for no modules, and on other systems.

    A call that needs others says so, see :attr:`Call.warm`: from the first of them on, a second process is kept.

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


def _start(modules: Sequence[str], name: str, progress: Progress | None) -> Started:
    def wait() -> None:
        if progress:
            progress(0, 0)

    server = None
    for again in (True, False):
        try:
            server = _WARM.server(modules)
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

    def __init__(
        self, job: bytes, data: bytes, warm: Sequence[str], name: str, limits: Limits, progress: Progress | None
    ) -> None:
        self._name = name
        self._limits = limits
        self._inbox: queue.SimpleQueue[tuple[bytes, bytes] | Exception | None] = queue.SimpleQueue()
        self._process = _start(warm, name, progress)
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
            seconds_left = self._until - time.monotonic()
            if seconds_left <= 0:
                raise errors.too_long(self._name, f"{self._limits.wall:g} seconds")
            try:
                frame = self._inbox.get(timeout=min(_TICK, seconds_left))
            except queue.Empty:
                progress(done, total)
                continue
            if isinstance(frame, Exception):
                raise (
                    errors.too_much(self._name) if isinstance(frame, framing.TooMuch) else self._crash_error(str(frame))
                )
            if frame is None:
                raise self._crash_error("silence")
            kind, payload = frame
            if kind == b"R":
                return payload
            if kind != b"P" or len(payload) != framing.PROGRESS.size:
                raise self._failure(kind, payload)
            done, total = framing.PROGRESS.unpack(payload)
            progress(done, total)

    def _send(self, job: bytes, data: bytes) -> None:
        # A process that died before it read everything is detected by its exit.
        with suppress(OSError, ValueError), self._process.input as stream:
            framing.write(stream, b"J", job)
            framing.write(stream, b"D", data)

    def _receive(self) -> None:
        bytes_left = self._limits.output
        try:
            for _ in range(MAX_FRAMES):
                frame = framing.read(self._process.output, bytes_left)
                self._inbox.put(frame)
                if frame is None:
                    return
                bytes_left -= len(frame[1])
            self._inbox.put(framing.TooMuch("frames"))
        except (framing.WireError, OSError, ValueError, MemoryError) as error:
            self._inbox.put(error)

    def _failure(self, kind: bytes, payload: bytes) -> ChunkscopeError:
        try:
            if kind not in (b"E", b"X"):
                raise framing.WireError("frames of an unknown kind")
            cause, detail = (text[:2000] for text in codec.decode(payload, tuple[str, str]))
        except framing.WireError as error:
            return errors.broken(self._name, str(error))
        if kind == b"E":
            return ChunkscopeError(cause, detail)
        match cause:
            case "setup":
                return errors.not_set_up(self._name, detail)
            case "memory":
                return errors.too_large(self._name, self._limits.memory)
            case "output":
                return errors.too_much(self._name)
            case "depth":
                return errors.too_deep(self._name)
        return errors.broken(self._name, f"{cause} at {detail}")

    def _crash_error(self, what: str) -> ChunkscopeError:
        """Return the error for a process that ended, or closed its pipe, without an answer."""
        end = self._process.wait(1)
        if end is None:
            return errors.broken(self._name, what)
        return errors.ended(self._name, end, self._limits.cpu, self._limits.memory)
