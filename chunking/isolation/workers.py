"""Processes that run many functions of our own, one after the other, which need not be isolated from the caller.

A worker keeps what it has loaded, such as models, for the next task. It is a fresh Python, neither a fork, which would
inherit threads and locks, nor a process of ``multiprocessing``, which would run the main module of its parent again:
under a web server, a page. A task is stopped by requesting it at its next report, and by killing the process where none
comes; the next task then gets another process. So it does where a task meets a limit.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from chunking.errors import ChunkscopeError
from chunking.isolation import errors, framing
from chunking.isolation.errors import LimitError
from chunking.isolation.starts import Fresh
from chunking.isolation.worker import NO_LIMIT, Cancelled
from chunking.runtime import processes
from chunking.runtime.progress import Tell

IDLE_SECONDS = 300.0
"""Seconds without a task after which a worker is ended, and its memory is free again."""

GRACE_SECONDS = 2.0
"""Seconds in which a task that is to stop must do so; then its process is killed."""

_TICK_SECONDS = 0.2
"""Seconds between two calls of ``tell`` while the worker reports nothing, so that it may raise to stop."""

_REMEDY = "Try a smaller document or fewer strategies, or ask whoever runs this server to raise the limits of workers."

_LOG = logging.getLogger(__name__)

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Task:
    """A function of a module with its arguments. All of them can be pickled.

    Attributes:
        function: called with the arguments, then the cache, then a ``tell``, which may raise to stop it.
        arguments: of the function.
        cache: of vectors; ``None`` where nothing may be read from or written to disk.
        portable: whether another process may run it; false where it depends on what only this process knows, such as
            the key of an endpoint.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    cache: Any = None
    portable: bool = True

    def run(self, tell: Tell) -> Any:
        """Run the task here, and return its result."""
        return self.function(*self.arguments, self.cache, tell)

    def without_cache(self) -> Task:
        """Return the task for a machine that has no access to the cache."""
        return replace(self, cache=None)


RunTask = Callable[[Task, Tell], Any]
"""Runs a task somewhere, reports its progress, and returns its result."""


def run_here(task: Task, tell: Tell) -> Any:
    """Run a task in this thread."""
    return task.run(tell)


@dataclass(frozen=True)
class TaskLimits:
    """Limits of a task in a worker process; 0 for none.

    Attributes:
        cpu: seconds of processor time from one report of its progress to the next.
        memory: bytes beyond those that the process has when it begins.
        niceness: how much the priority of the process is lowered: whoever moves a slider comes first.
    """

    cpu: int = 900
    memory: int = 4 * 2**30
    niceness: int = 5


USUAL_LIMITS = TaskLimits()
"""Limits of a task where none are set."""


class WorkerLost(Exception):
    """A worker ended before it answered."""


class PoolError(ChunkscopeError):
    """No worker of a pool could finish a task, or start it."""


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


class WorkerProcess:
    """A worker that is a process of this machine; for one thread at a time.

    Args:
        limits: of a task.
        environment: variables in addition to those of this process.
        threads: of linear algebra; by default one for each core.

    Raises:
        OSError: no process can be started.
    """

    def __init__(
        self,
        limits: TaskLimits = USUAL_LIMITS,
        environment: Mapping[str, str] | None = None,
        threads: int | None = None,
    ) -> None:
        numbers = map(str, (limits.cpu, limits.memory, limits.niceness))
        program = ["-m", "chunking.isolation.worker", os.getcwd(), *numbers]
        self._limits = limits
        self._process = Fresh(program, {**os.environ, **(environment or {})}, threads or processes.cores())
        self._frames: queue.SimpleQueue[tuple[bytes, bytes] | None] = queue.SimpleQueue()
        self._receiver = threading.Thread(target=self._receive, name="chunkscope-worker", daemon=True)
        self._receiver.start()

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
        self._send(b"J", pickle.dumps(task))
        try:
            kind, content = self._answer(tell)
        except (WorkerLost, LimitError):
            raise
        except BaseException:
            self._stop()
            raise
        if kind == b"M" and not self._limits.memory:
            raise MemoryError
        if kind == b"M":
            raise self._limit_error(errors.too_large("", self._limits.memory))
        answer = pickle.loads(content)
        if kind == b"E":
            raise answer
        return answer

    def _answer(self, tell: Tell) -> tuple[bytes, bytes]:
        progress = ("", 0, 0)
        while True:
            frame = self._next(_TICK_SECONDS)
            if frame and frame[0] != b"P":
                return frame
            if frame:
                progress = pickle.loads(frame[1])
            tell(*progress)

    def end(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            self._process.input.close()
        self._receiver.join(timeout=5)

    def _stop(self) -> None:
        """Stop the current task: at its next report, else by killing the process."""
        until = time.monotonic() + GRACE_SECONDS
        with suppress(WorkerLost, LimitError):
            self._send(b"S", b"")
            while (seconds_left := until - time.monotonic()) > 0:
                frame = self._next(seconds_left)
                if frame and frame[0] != b"P":
                    return
        self.end()

    def _send(self, kind: bytes, content: bytes) -> None:
        try:
            framing.write(self._process.input, kind, content)
        except (OSError, ValueError) as error:
            raise self._lost() from error

    def _next(self, seconds: float) -> tuple[bytes, bytes] | None:
        """Wait for the next frame; ``None`` if none comes in time."""
        try:
            frame = self._frames.get(timeout=seconds)
        except queue.Empty:
            return None
        if frame is None:
            raise self._lost()
        return frame

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
                while (frame := framing.read(stream, NO_LIMIT)) is not None:
                    self._frames.put(frame)
        except Exception:  # whatever is wrong with an answer, nobody may wait for it
            _LOG.exception("The answer of a worker cannot be read")
        finally:
            self._frames.put(None)


class WorkerPool:
    """Workers that are started when there is a task, and ended when there has been none for a while.

    Safe to share between threads, each of which calls one task at a time.

    Args:
        start: starts a worker.
        idle_seconds: after which an idle worker is ended.
    """

    def __init__(self, start: Callable[[], Worker], idle_seconds: float = IDLE_SECONDS) -> None:
        self._start = start
        self._idle_seconds = idle_seconds
        self._idle: list[tuple[Worker, float]] = []
        self._busy: set[Worker] = set()
        self._closed = False
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
            PoolError: two workers were lost, or none can be started.
            ChunkscopeError: the task raised it.
        """
        if not task.portable:
            return task.run(tell)
        for again in (False, True):
            try:
                return self._call_once(task, tell)
            except WorkerLost as error:
                if self._closed:
                    break
                _LOG.warning("A worker was lost%s: %s", " again" if again else ", its task is run once more", error)
        raise PoolError(
            "A worker process was ended from outside while it did this, twice; perhaps memory ran out.",
            "Try a smaller document or fewer strategies, or ask whoever runs this server for more memory.",
        )

    def _call_once(self, task: Task, tell: Tell) -> Any:
        worker = self._take()
        try:
            return worker.call(task, tell)
        except WorkerLost:
            worker.end()
            raise
        finally:
            self._give_back(worker)

    def map(
        self,
        function: Callable[[Job], Result],
        jobs: Iterable[Job],
        size: int,
        tick: Callable[[], None] = lambda: None,
    ) -> Iterator[Result]:
        """Yield the results of a function for jobs, in the order in which they are done.

        Args:
            function: of a module.
            jobs: taken as there is room for them: two for each worker.
            size: number of workers.
            tick: called now and then, also while no job is done. It may raise to stop.

        Raises:
            PoolError: as of :meth:`call`.
        """
        stopped = threading.Event()

        def tell(stage: str, done: int, total: int) -> None:
            if stopped.is_set():
                raise Cancelled

        waiting: set[Future[Result]] = set()
        with ThreadPoolExecutor(size, "chunkscope-jobs") as threads:
            try:
                for job in jobs:
                    waiting.add(threads.submit(self.call, Task(_apply, (function, job)), tell))
                    while len(waiting) >= 2 * size:
                        done, waiting = wait(waiting, _TICK_SECONDS, FIRST_COMPLETED)
                        tick()
                        yield from (future.result() for future in done)
                while waiting:
                    done, waiting = wait(waiting, _TICK_SECONDS, FIRST_COMPLETED)
                    tick()
                    yield from (future.result() for future in done)
            except BaseException:
                stopped.set()
                self.close()  # what they are doing would be lost
                threads.shutdown(wait=False, cancel_futures=True)
                raise

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
            raise PoolError("No worker process can be started now.", "Try again in a minute.") from error
        with self._lock:
            if not self._closed:
                self._busy.add(worker)
                return worker
        worker.end()  # nobody else would: the pool was closed while it started
        raise WorkerLost("its pool was closed")

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            stays = worker in self._busy and worker.alive
            self._busy.discard(worker)
            if stays:
                self._idle.append((worker, time.monotonic()))
                self._look_later()
        if not stays:
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
        self._closed = True
        with self._lock:
            workers = [*self._busy, *(worker for worker, _ in self._idle)]
            self._busy, self._idle = set(), []
        for worker in workers:
            worker.end()


def _apply(function: Callable[[Job], Result], job: Job, cache: object, tell: Tell) -> Result:
    return function(job)
