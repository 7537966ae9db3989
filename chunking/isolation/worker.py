"""The program of a worker process: it runs tasks one after the other, and ends when its input ends.

Its arguments are the folder of the caller, which paths may be relative to, and the limits of a task as of
:class:`chunking.isolation.workers.TaskLimits`. It exchanges frames (:mod:`chunking.isolation.framing`) with a caller
that trusts it: their payloads are pickles. It receives ``J`` (a task) and ``S`` (stop it); it answers ``P`` (progress)
any number of times and then one of ``R`` (the result), ``C`` (it was stopped), ``E`` (the error that it raised) or
``M`` (it got no memory).
"""

from __future__ import annotations

import os
import pickle
import queue
import sys
import threading
import time
import traceback
from typing import IO

from chunking.isolation import framing, rlimits
from chunking.runtime import processes

NO_LIMIT = 2**63
"""Limit of the bytes of a frame between a worker and its caller, which trust each other."""

_QUIET_SECONDS = 0.05
"""Seconds between two reports of the same step."""


class Cancelled(Exception):
    """Raised inside a task that nobody wants any more."""


def portable(error: BaseException) -> Exception:
    """Return an error that can be pickled, whatever it holds, with its traceback as a note."""
    try:
        copy = pickle.loads(pickle.dumps(error))
    except Exception:
        copy = None
    result = copy if isinstance(copy, Exception) else RuntimeError(f"{type(error).__name__}: {error}")
    result.add_note("".join(traceback.format_exception(error)))
    return result


class Reporter:
    """Reports the progress of a task, not too often, and raises once the task is to stop.

    Args:
        out: stream of the answers.
        stopped: is set once the task is to stop.
        cpu: seconds of the processor that the task may use until its next report; 0 for any.
    """

    def __init__(self, out: IO[bytes], stopped: threading.Event, cpu: int) -> None:
        self._out, self._stopped, self._cpu = out, stopped, cpu
        self._stage, self._reported = "", 0.0

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Report progress.

        Raises:
            Cancelled: the task is to stop.
        """
        if self._stopped.is_set():
            raise Cancelled
        now = time.monotonic()
        rlimits.allow_cpu(self._cpu)
        if stage != self._stage or done >= total > 0 or now - self._reported >= _QUIET_SECONDS:
            self._stage, self._reported = stage, now
            framing.write(self._out, b"P", pickle.dumps((stage, done, total)))


class _Inbox:
    """What the caller sends, read by a thread of its own, so that a task can be stopped while it runs."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._tasks: queue.SimpleQueue[tuple[bytes, threading.Event]] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> tuple[bytes, threading.Event]:
        """Wait for a task: its pickle, and the event that stops it."""
        return self._tasks.get()

    def _read(self) -> None:
        stopped = threading.Event()
        while (frame := framing.read(self._stream, NO_LIMIT)) is not None:
            kind, content = frame
            if kind == b"S":
                stopped.set()
            else:
                stopped = threading.Event()
                self._tasks.put((content, stopped))
        os._exit(0)  # the caller is gone, or has no use for this worker any more


def main() -> None:
    """Run the tasks of standard input, and answer on standard output."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keep what a library prints out of the answers
    folder, cpu, bytes_of_memory, niceness = sys.argv[1], *map(int, sys.argv[2:])
    os.chdir(folder)
    if hasattr(os, "nice"):
        os.nice(niceness)
    inbox = _Inbox(os.fdopen(os.dup(0), "rb"))
    while True:
        content, stopped = inbox.next()
        rlimits.allow_memory(bytes_of_memory)
        rlimits.allow_cpu(cpu)
        framing.write(out, *_answer(content, Reporter(out, stopped, cpu)))
        del content
        processes.return_free_memory()  # what a model has used for a long text


def _answer(content: bytes, report: Reporter) -> tuple[bytes, bytes]:
    try:
        return b"R", pickle.dumps(pickle.loads(content).run(report))
    except Cancelled:
        return b"C", b""
    except BaseException as error:
        # torch reports in an error of another type that there is no memory
        if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "t allocate memory" in str(error)):
            return b"M", b""
        return b"E", pickle.dumps(portable(error))


if __name__ == "__main__":
    main()
