"""A worker that is a process of this machine.

It is a fresh Python, neither a fork, which would inherit threads and locks, nor a process of ``multiprocessing``, which
would run the main module of its parent again: under a web server, a page. A task is stopped by asking it to at its next
report, and by killing the process where none comes; the next task then gets another process. So it does where a task
meets a limit.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import threading
import time
from contextlib import suppress
from typing import Any

from chunking.embedding.contract import DEVICE_VARIABLE, configured_device
from chunking.isolation import LimitError, errors
from chunking.isolation.starts import Fresh
from chunking.runtime import processes
from chunking.runtime.progress import Tell
from chunking.work import frames
from chunking.work.task import USUAL_LIMITS, Task, TaskLimits, WorkerLost

_TICK_SECONDS = 0.2
"""Seconds between two calls of ``tell`` while the worker reports nothing, so that it may raise to stop."""

GRACE_SECONDS = 2.0
"""Seconds in which a task that is to stop must do so; then its process is killed."""

_REMEDY = "Try a smaller document or fewer strategies, or ask whoever runs this server to raise the limits of workers."

_LOG = logging.getLogger(__name__)
_Message = tuple[str, int, Any]


class WorkerProcess:
    """A worker process; for one thread at a time.

    Args:
        limits: of a task.

    Raises:
        OSError: no process can be started.
    """

    def __init__(self, limits: TaskLimits = USUAL_LIMITS) -> None:
        environment = {**os.environ, DEVICE_VARIABLE: configured_device()}
        program = ["-m", "chunking.work.worker", os.getcwd(), str(limits.cpu), str(limits.memory)]
        self._limits = limits
        self._process = Fresh(program, environment, processes.cores())
        self._number = 0
        self._messages: queue.SimpleQueue[_Message | None] = queue.SimpleQueue()
        threading.Thread(target=self._receive, name="chunkscope-worker", daemon=True).start()

    @property
    def pid(self) -> int:
        """Identifier of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.wait(0) is None

    def call(self, task: Task, tell: Tell) -> Any:
        """Run a task and return its result; what ``tell`` raises ends it.

        Raises:
            LimitError: the task met a limit.
            WorkerLost: the process ended before it answered.
        """
        self._number += 1
        self._send("task", pickle.dumps(task))
        told = ("", 0, 0)
        try:
            while True:
                message = self._next(_TICK_SECONDS)
                if message is None:
                    tell(*told)
                    continue
                kind, _, content = message
                if kind == "done":
                    return content
                if kind == "full":
                    raise self._limit_error(errors.too_large("", self._limits.memory))
                if kind == "failed":
                    break
                told = content
                tell(*told)
        except (WorkerLost, LimitError):
            raise
        except BaseException:
            self._stop()
            raise
        raise content

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            self._process.input.close()

    def _stop(self) -> None:
        """Stop the current task: at its next report, else by killing the process."""
        until = time.monotonic() + GRACE_SECONDS
        with suppress(WorkerLost):
            self._send("stop", None)
            while (left := until - time.monotonic()) > 0:
                message = self._next(left)
                if message and message[0] != "tell":
                    return
        self.end()

    def _send(self, kind: str, content: bytes | None) -> None:
        try:
            frames.write(self._process.input, pickle.dumps((kind, self._number, content)))
        except (OSError, ValueError) as error:
            raise self._lost() from error

    def _next(self, seconds: float) -> _Message | None:
        """Wait for the next message of the current task; ``None`` if none comes in time."""
        try:
            message = self._messages.get(timeout=seconds)
        except queue.Empty:
            return None
        if message is None:
            raise self._lost()
        return message if message[1] == self._number else None

    def _lost(self) -> WorkerLost | LimitError:
        end = self._process.wait(1)
        if end is None:
            return WorkerLost("it closed its output")
        error = errors.ended("", end, self._limits.cpu, self._limits.memory)
        return self._limit_error(error) if isinstance(error, LimitError) else WorkerLost(f"exit code {end.code}")

    def _limit_error(self, error: LimitError) -> LimitError:
        return LimitError(f"This {error.cause} in a worker process, so it was stopped.", _REMEDY, error.cause)

    def _receive(self) -> None:
        stream = self._process.output
        try:
            with stream:
                while (content := frames.read(stream)) is not None:
                    self._messages.put(pickle.loads(content))
        except Exception:  # whatever is wrong with a message, nobody may wait for it
            _LOG.exception("The answer of a worker cannot be read")
        finally:
            self._messages.put(None)
