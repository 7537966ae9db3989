"""Workers that are started when there is a task, and ended when there has been none for a while."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from chunking.errors import ChunkscopeError
from chunking.runtime.progress import Tell
from chunking.work.task import Task, WorkerLost

IDLE_SECONDS = 300.0
"""Seconds without a task after which a worker is ended, and its memory is free again."""

_LOG = logging.getLogger(__name__)


class Worker(Protocol):
    """Runs one task at a time."""

    @property
    def alive(self) -> bool:
        """Whether it can run a task."""

    def call(self, task: Task, tell: Tell) -> Any:
        """Run a task and return its result; what ``tell`` raises ends it.

        Raises:
            WorkerLost: it ended before it answered.
        """

    def end(self) -> None:
        """End it at once."""


class WorkerPool:
    """Workers; safe to share between threads, each of which calls one task at a time.

    Args:
        start: starts a worker.
        idle_seconds: after which an idle worker is ended.
    """

    def __init__(self, start: Callable[[], Worker], idle_seconds: float = IDLE_SECONDS) -> None:
        self._start = start
        self._idle_seconds = idle_seconds
        self._idle: list[tuple[Worker, float]] = []
        self._busy: set[Worker] = set()
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Return the number of workers that are alive."""
        with self._lock:
            return len(self._idle) + len(self._busy)

    def call(self, task: Task, tell: Tell) -> Any:
        """Run a task in a worker, once more where the worker is lost, and return its result. One that is not
        portable runs in this thread.

        Raises:
            ChunkscopeError: the task raised it; two workers were lost; or none can be started.
        """
        if not task.portable:
            return task.run(tell)
        for again in (False, True):
            worker = self._take()
            try:
                return worker.call(task, tell)
            except WorkerLost as error:
                worker.end()
                _LOG.warning("A worker was lost%s: %s", " again" if again else ", its task is run once more", error)
            finally:
                self._give_back(worker)
        raise ChunkscopeError(
            "A worker process was ended from outside while it did this, twice; perhaps memory ran out.",
            "Try a smaller document or fewer strategies, or ask whoever runs this server for more memory.",
        )

    def _take(self) -> Worker:
        with self._lock:
            while self._idle:
                worker, _ = self._idle.pop()
                if worker.alive:
                    self._busy.add(worker)
                    return worker
        try:
            worker = self._start()
        except OSError as error:
            _LOG.warning("No worker could be started: %s", error)
            raise ChunkscopeError("No worker process can be started now.", "Try again in a minute.") from error
        with self._lock:
            self._busy.add(worker)
        return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            known = worker in self._busy
            self._busy.discard(worker)
            stay = known and worker.alive
            if stay:
                self._idle.append((worker, time.monotonic()))
                self._look_later()
        if not stay:
            worker.end()

    def _look_later(self) -> None:
        """Look for idle workers when the first of them has been so for long enough; one thread waits, however many."""
        if self._timer is None and self._idle:
            first = min(since for _, since in self._idle)
            self._timer = threading.Timer(max(first + self._idle_seconds - time.monotonic(), 0.0), self._end_idle)
            self._timer.daemon = True
            self._timer.start()

    def _end_idle(self) -> None:
        oldest = time.monotonic() - self._idle_seconds
        with self._lock:
            old = [worker for worker, since in self._idle if since <= oldest]
            self._idle = [(worker, since) for worker, since in self._idle if since > oldest]
            self._timer = None
            self._look_later()
        for worker in old:
            worker.end()

    def close(self) -> None:
        """End all workers; tasks that run are lost."""
        with self._lock:
            workers = [*self._busy, *(worker for worker, _ in self._idle)]
            self._busy, self._idle = set(), []
        for worker in workers:
            worker.end()
