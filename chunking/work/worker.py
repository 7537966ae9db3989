"""The program of a worker process: it runs tasks one after the other, and ends when its input ends.

Its arguments are the folder of the server, which paths may be relative to, and the limits of a task: seconds of the
processor from one report to the next, and bytes of memory.

It receives ``("task", number, pickle)`` and ``("stop", number)``; it answers ``("tell", number, progress)`` any number
of times and then one of ``("done", number, result)``, ``("stopped", number, None)``, ``("failed", number, error)`` or
``("full", number, None)`` where the task got no memory.
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import time
from typing import IO, Any

from chunking.isolation import rlimits
from chunking.runtime import memory
from chunking.runtime.portable import portable
from chunking.runtime.progress import Tell
from chunking.work import frames
from chunking.work.task import Cancelled, TaskLimits

_NICENESS = 5
"""What the priority is lowered by: whoever moves a slider comes first."""

_QUIET_SECONDS = 0.05
"""Seconds between two reports of the same step."""


class Reporter:
    """Reports the progress of a task, not too often, and raises once the task is to stop.

    Args:
        send: sends a report.
        stopped: is set once the task is to stop.
        cpu: seconds of the processor that the task may use until its next report.
    """

    def __init__(self, send: Tell, stopped: threading.Event, cpu: int) -> None:
        self._send, self._stopped, self._cpu = send, stopped, cpu
        self._what, self._at = "", 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report progress.

        Raises:
            Cancelled: the task is to stop.
        """
        if self._stopped.is_set():
            raise Cancelled
        now = time.monotonic()
        rlimits.allow_cpu(self._cpu)
        if what != self._what or done >= total > 0 or now - self._at >= _QUIET_SECONDS:
            self._what, self._at = what, now
            self._send(what, done, total)


class _Inbox:
    """What the server sends, read by a thread of its own, so that a task can be stopped while it runs."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._tasks: queue.SimpleQueue[tuple[int, bytes, threading.Event]] = queue.SimpleQueue()
        self._stops: dict[int, threading.Event] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> tuple[int, bytes, threading.Event]:
        """Wait for a task: its number, its pickle, and the event that stops it."""
        return self._tasks.get()

    def _read(self) -> None:
        while (message := frames.read(self._stream)) is not None:
            kind, number, content = pickle.loads(message)
            if kind == "task":
                self._stops = {number: threading.Event()}
                self._tasks.put((number, content, self._stops[number]))
            elif number in self._stops:
                self._stops[number].set()
        os._exit(0)  # the server is gone, or has no use for this worker any more


def main() -> None:
    """Run the tasks of standard input, and answer on standard output."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep what a library prints out of the answers
    os.chdir(sys.argv[1])
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    limits = TaskLimits(int(sys.argv[2]), int(sys.argv[3]))
    inbox = _Inbox(os.fdopen(os.dup(0), "rb"))
    while True:
        number, content, stopped = inbox.next()
        rlimits.allow_memory(limits.memory)
        rlimits.allow_cpu(limits.cpu)
        frames.write(out, _answer(number, content, stopped, out, limits))
        del content
        memory.return_free()  # what a model has used for a long text


def _answer(number: int, content: bytes, stopped: threading.Event, out: IO[bytes], limits: TaskLimits) -> bytes:
    def send(*progress: Any) -> None:
        frames.write(out, pickle.dumps(("tell", number, progress)))

    try:
        result = pickle.loads(content).run(Reporter(send, stopped, limits.cpu))
        return pickle.dumps(("done", number, result))
    except Cancelled:
        return pickle.dumps(("stopped", number, None))
    except BaseException as error:
        if _is_full(error):
            return pickle.dumps(("full", number, None))
        return pickle.dumps(("failed", number, portable(error)))


def _is_full(error: BaseException) -> bool:
    """Return whether no memory was to be had; torch says so in an error of another type."""
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "t allocate memory" in str(error))


if __name__ == "__main__":
    main()
