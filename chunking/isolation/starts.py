"""Processes of calls as their caller sees them: fresh ones, and those that a fork server makes."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Protocol

from chunking.isolation import fork_server
from chunking.isolation.errors import End
from chunking.runtime import processes

_TICK_SECONDS = 0.2
_ENVIRONMENT = (
    *("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONHOME", "SYSTEMROOT", "APPDATA"),
    *("PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE"),
)
"""Environment variables that a process receives, needed to find Python and its libraries, and where it may write what
it compiles before its limits are set."""


class Started(Protocol):
    """A process that was started for a call.

    Attributes:
        input, output: pipes to and from it.
    """

    input: IO[bytes]
    output: IO[bytes]

    def kill(self) -> None:
        """Kill the process, and whatever it started."""

    def wait(self, seconds: float | None = None) -> End | None:
        """Return how it ended, after waiting for it; ``None`` if that takes longer than some seconds."""


class Fresh:
    """A new Python, which imports what it needs.

    Args:
        arguments: of Python.
        variables: of its environment; by default those that a call may have.
        threads: of linear algebra.

    Raises:
        OSError: no process can be started.
    """

    def __init__(
        self,
        arguments: Sequence[str] = ("-m", "chunking.isolation.child"),
        variables: Mapping[str, str] | None = None,
        threads: int = 1,
    ) -> None:
        self._process = processes.fresh(arguments, environment() if variables is None else variables, threads)
        assert self._process.stdin and self._process.stdout
        self.input: IO[bytes] = self._process.stdin
        self.output: IO[bytes] = self._process.stdout
        self._end: End | None = None

    @property
    def pid(self) -> int:
        """Identifier of the process."""
        return self._process.pid

    def kill(self) -> None:
        """Kill the process, and whatever it started."""
        if self.wait(0) is not None:
            return
        if sys.platform == "win32":
            self._process.kill()
            return
        # It leads a process group of its own; anything it started is killed with it.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def wait(self, seconds: float | None = None) -> End | None:
        """Return how it ended, after waiting for it; ``None`` if that takes longer than some seconds."""
        until = None if seconds is None else time.monotonic() + seconds
        pause = 0.0005
        while self._end is None:
            self._end = self._end_of_process()
            if self._end is None and until is not None and time.monotonic() >= until:
                return None
            if self._end is None:
                time.sleep(pause)
                pause = min(2 * pause, 0.05)
        return self._end

    def _end_of_process(self) -> End | None:
        if sys.platform == "win32":
            code = self._process.poll()
            return None if code is None else End(code)
        try:
            pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
        except ChildProcessError:  # somebody else has waited for it
            return End(0)
        if pid == 0:
            return None
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return End(self._process.returncode, _own_bytes(usage.ru_maxrss))


class Forked:
    """A child of a fork server.

    Args:
        answers: socket to it.
        end: socket on which the server receives the request to kill it, and reports how it ended.
    """

    def __init__(self, answers: socket.socket, end: socket.socket) -> None:
        self.input: IO[bytes] = answers.makefile("wb")
        self.output: IO[bytes] = answers.makefile("rb")
        answers.close()  # once both files are
        self._socket = end
        self._end: End | None = None

    def kill(self) -> None:
        """Kill the process, and whatever it started."""
        with suppress(OSError):
            self._socket.sendall(b"K")

    def wait(self, seconds: float | None = None) -> End | None:
        """Return how it ended, after waiting for it; ``None`` if that takes longer than some seconds."""
        if self._end is None:
            self._socket.settimeout(seconds)
            try:
                message = self._socket.recv(fork_server.ENDED.size)
            except (TimeoutError, BlockingIOError):
                return None
            except OSError:
                message = b""
            self._socket.close()
            if len(message) == fork_server.ENDED.size:
                status, memory = fork_server.ENDED.unpack(message)
                self._end = End(os.waitstatus_to_exitcode(status), _in_bytes(memory))
            else:  # the server is gone, and its children with it
                self._end = End(-signal.SIGKILL)
        return self._end


def _in_bytes(size: int) -> int:
    """Return a size as ``getrusage`` tells it in bytes."""
    return size if sys.platform == "darwin" else 1024 * size


def _own_bytes(size: int) -> int:
    """Return the bytes of a process from its greatest size; 0 where that may be the size of this one, its parent."""
    import resource

    return _in_bytes(size) if size > resource.getrusage(resource.RUSAGE_SELF).ru_maxrss else 0


class ForkServer:
    """The caller's side of a fork server; safe to share between threads.

    Args:
        modules: what it imports.

    Raises:
        OSError: no process can be started.
    """

    def __init__(self, modules: Sequence[str]) -> None:
        self._control, theirs = socket.socketpair()
        with theirs:
            program = ["-m", "chunking.isolation.fork_server", *modules]
            self._process = processes.fresh(program, environment(), stdin=theirs.fileno(), stdout=subprocess.DEVNULL)
        self._ready = False
        self._lock = threading.Lock()

    @property
    def pid(self) -> int:
        """Identifier of the process."""
        return self._process.pid

    def start(self, wait: Callable[[], None]) -> Forked:
        """Fork a child; call ``wait`` now and then until the server has imported its modules.

        Raises:
            OSError: the server is gone.
        """
        while not self._is_ready():
            wait()
        ours, answers = socket.socketpair()
        end, tells = socket.socketpair()
        with answers, tells, self._lock:
            socket.send_fds(self._control, [b"F"], [answers.fileno(), tells.fileno()])
        return Forked(ours, end)

    def _is_ready(self) -> bool:
        if not self._ready and self._lock.acquire(timeout=_TICK_SECONDS):
            try:
                if not self._ready and select.select([self._control], [], [], _TICK_SECONDS)[0]:
                    if self._control.recv(1) != fork_server.READY:
                        raise BrokenPipeError("the fork server has ended")
                    self._ready = True
            finally:
                self._lock.release()
        return self._ready

    def close(self) -> None:
        """End the server and all its children."""
        self._control.close()
        self._process.wait()


def environment() -> dict[str, str]:
    """Return the environment variables of a process: those it needs, and that nothing in it shall start threads."""
    return {key: os.environ[key] for key in _ENVIRONMENT if key in os.environ} | {"TOKENIZERS_PARALLELISM": "false"}
