"""The jobs of a server, queued fairly between people.

A job belongs to the server and not to the session that started it: reloading, leaving or closing the page does not
stop it. Equal requests share a job, which is stopped when nobody waits for it any more. The latest results of each kind
are kept.

The work of a job is a function that a light thread of the server calls. What is heavy in it the function leaves to a
worker, through :attr:`JobQueue.call`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from chunking.errors import ChunkscopeError
from chunking.isolation.workers import RunTask, run_here
from chunking.jobs.fair_queue import MAX_WAITING, FairQueue
from chunking.runtime.progress import Tell

Kind = Literal["boundaries", "evaluation", "causes", "remedy", "index", "vectors", "document", "questions", "answers"]
State = Literal["waiting", "running", "done", "stopped", "failed"]
LIVE: frozenset[State] = frozenset({"waiting", "running"})
"""The states of a job that has not ended."""
Work = Callable[[Tell], Any]

LIMITS: Mapping[Kind, int] = {
    "boundaries": 8,
    "evaluation": 4,
    "causes": 24,
    "remedy": 48,
    "index": 2,
    "vectors": 32,
    "document": 8,
    "questions": 16,
    "answers": 16,
}
"""Jobs of each kind that are kept, with their results."""

WHOLE = "strategies"
"""The step under which work reports finished strategies."""

_BEFORE = ("cutting", "embedding sentences")
"""Steps before the first strategy."""


class _Stopped(Exception):
    """Raised inside the work when a user stopped it."""


@dataclass(eq=False)
class Job:
    """A job in the background.

    Attributes:
        kind: of the work.
        key: identity of the result.
        title: for display.
        owner: the queue that it belongs to.
        state: of the job.
        what, done, total: the current step and its progress.
        result: once the job is done.
        problem: why it failed.
        texts: hashes of the texts of documents that it reads.
        people: who waits for the result; it is stopped when nobody does any more.
        left_by: who stopped waiting while others did not.
        keep_running: whether it is not to be stopped.
    """

    kind: Kind
    key: str
    title: str
    owner: JobQueue = field(repr=False)
    state: State = "waiting"
    what: str = ""
    done: int = 0
    total: int = 0
    result: Any = None
    problem: ChunkscopeError | None = None
    texts: frozenset[str] = frozenset()
    people: set[str] = field(default_factory=set)
    left_by: set[str] = field(default_factory=set)
    keep_running: bool = True
    _work: Work | None = field(default=None, repr=False)
    _release: Callable[[], None] | None = field(default=None, repr=False)
    _requested: float = field(default_factory=time.monotonic)
    _began: float = 0.0
    _step: tuple[str, float, int] = ("", 0.0, 0)
    _whole: tuple[int, int] = (0, 0)
    _whole_began: float = 0.0
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def live(self) -> bool:
        """Whether it is waiting or running."""
        return self.state in LIVE

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the job has ended; return false if that took longer than ``seconds``."""
        return self._ended.wait(seconds)

    def tell(self, what: str, done: int, total: int) -> None:
        """Report progress from the work; raise here if a user stopped the job."""
        if not self.keep_running:
            raise _Stopped
        now = time.monotonic()
        if what == WHOLE:
            self._whole = (done, total)
            return
        if what in _BEFORE:
            self._whole_began = now
        if what != self._step[0]:
            self._step = (what, now, done)
        self.what, self.done, self.total = what, done, total

    @property
    def seconds(self) -> float:
        """Seconds since it started."""
        return time.monotonic() - self._began if self._began else 0.0

    @property
    def waited(self) -> float:
        """Seconds that it waited in the queue."""
        return (self._began or time.monotonic()) - self._requested

    @property
    def age(self) -> float:
        """Seconds since it was requested."""
        return time.monotonic() - self._requested

    @property
    def strategies(self) -> tuple[int, int]:
        """Finished strategies and their total; zeros where the work has none."""
        return self._whole

    @property
    def left(self) -> float | None:
        """Estimated seconds for the remaining strategies; ``None`` before the first is done."""
        done, total = self._whole
        if not done:
            return None
        return (time.monotonic() - (self._whole_began or self._began)) * (total - done) / done

    @property
    def left_of_step(self) -> float | None:
        """Estimated seconds for the rest of the current step; ``None`` if unknown."""
        what, began, first = self._step
        steps = self.done - first
        if what != self.what or steps <= 0 or not self.total:
            return None
        return (time.monotonic() - began) * (self.total - self.done) / steps

    def begin(self) -> None:
        """Mark it as running."""
        self._began, self.state = time.monotonic(), "running"

    def run(self) -> None:
        """Do the work; nobody who waits for the end is notified yet."""
        try:
            if not self.keep_running:
                raise _Stopped
            assert self._work is not None
            self.result = self._work(self.tell)
            self.state = "done"
        except _Stopped:
            self.state = "stopped"
        except ChunkscopeError as error:
            self.problem, self.state = error, "failed"
        except Exception as error:
            logging.getLogger(__name__).exception("%s ended with an error", self.title)
            self.problem = ChunkscopeError(
                f"{self.title} failed with an internal error: {type(error).__name__}.",
                "The server's log has the details.",
            )
            self.state = "failed"
        finally:
            self._work = None  # it may hold large data

    def notify(self) -> None:
        """Let those continue who wait for the end."""
        self._ended.set()

    def end(self, problem: ChunkscopeError | None = None) -> None:
        """Mark a job that never started as stopped, or as failed with a problem."""
        self.problem, self.state, self._work = problem, "failed" if problem else "stopped", None
        self.notify()

    def release_quota(self) -> None:
        """Count it no longer among the jobs of its person; this may wait for a database."""
        release, self._release = self._release, None
        if release:
            release()


@dataclass(frozen=True)
class ServerHooks:
    """What a queue needs of the server around it.

    Attributes:
        call: runs a task in a worker.
        slots: how many jobs are done at a time.
        person: returns who uses the session that calls.
        watch: called with each job when it starts, and again when it has ended.
        admit: counts a job of the person whose session calls, and returns what counts it no longer; raises a
            :class:`~chunking.errors.ChunkscopeError` where they have as many as they may have.
    """

    call: RunTask = run_here
    slots: int = 1
    person: Callable[[], str] = lambda: ""
    watch: Callable[[Job], None] = lambda _: None
    admit: Callable[[Kind], Callable[[], None]] = lambda _: lambda: None


class JobQueue:
    """All jobs of a queue; safe to share between threads.

    Args:
        limits: jobs of each kind that are kept.
        hooks: of the server.
    """

    def __init__(self, limits: Mapping[Kind, int] = LIMITS, hooks: ServerHooks | None = None) -> None:
        self._limits = limits
        self._hooks = hooks or ServerHooks()
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._queue: FairQueue[str] = FairQueue()
        self._lock = threading.Lock()
        self._threads = 0

    @property
    def call(self) -> RunTask:
        """Runs a task in a worker, for the work of a job."""
        return self._hooks.call

    @property
    def in_workers(self) -> bool:
        """Whether tasks leave this process."""
        return self._hooks.call is not run_here

    def counts(self) -> Mapping[tuple[str, str], int]:
        """Return the number of jobs by kind and state."""
        with self._lock:
            return Counter((job.kind, job.state) for job in self._jobs.values())

    def get(self, key: str) -> Job | None:
        """Return the job of a key."""
        with self._lock:
            if key in self._jobs:
                self._jobs.move_to_end(key)
            return self._jobs.get(key)

    def start(self, kind: Kind, key: str, title: str, work: Work, texts: Iterable[str] = ()) -> Job:
        """Return the job of a key that is waiting, running or done, else queue a new one; see :class:`Job`.

        The person waits for it.
        """
        person = self._hooks.person()
        with self._lock:
            shared = self._shared_job(key, person)
        if shared:
            return shared
        job = Job(kind, key, title, self, texts=frozenset(texts), _work=work)
        try:
            job._release = self._hooks.admit(kind)
        except ChunkscopeError as error:
            job.end(error)
        with self._lock:
            queued = self._shared_job(key, person) or self._enqueue(job, person)
        if queued is not job or not job.live:
            job.release_quota()
        return queued

    def _shared_job(self, key: str, person: str) -> Job | None:
        """Return the job of a key if the person can wait for it too, or its result is there."""
        job = self._jobs.get(key)
        if job is None or not (job.state == "done" or (job.live and job.keep_running)):
            return None
        self._join(job, person)
        return job

    def _enqueue(self, job: Job, person: str) -> Job:
        self._jobs[job.key] = job
        self._jobs.move_to_end(job.key)
        self._drop_old(job.kind)
        if not job.live:
            return job
        if not self._queue.add(person, job.key):
            job.end(_TOO_MANY)
            return job
        job.people.add(person)
        if self._threads < self._hooks.slots:
            # No pool: the end of the server waits for a pool's threads, however long they work.
            self._threads += 1
            threading.Thread(target=self._work, name="chunkscope-jobs", daemon=True).start()
        return job

    def join(self, job: Job) -> bool:
        """Let the person who looks at a job wait for it too; return false if they stopped waiting before."""
        person = self._hooks.person()
        with self._lock:
            if person in job.left_by:
                return False
            self._join(job, person)
            return True

    def _join(self, job: Job, person: str) -> None:
        job.left_by.discard(person)
        if job.live and (job.state == "running" or self._queue.add(person, job.key)):
            job.people.add(person)

    def place(self, job: Job) -> tuple[int, int]:
        """Return the place of a job among those that wait, from 1, and how many wait; zero if it does not."""
        with self._lock:
            return self._queue.place(job.key) if self._jobs.get(job.key) is job else 0, len(self._queue)

    def stop(self, job: Job) -> None:
        """Let the person wait for a job no longer.

        If nobody else waits for it, it is stopped: at once if it is waiting, else at its next progress report.
        """
        person = self._hooks.person()
        with self._lock:
            if person not in job.people:
                return
            job.people.discard(person)
            if job.people:
                job.left_by.add(person)
                self._queue.withdraw(person, job.key)
            else:
                self._end(job)
        if not job.live:
            job.release_quota()

    def _end(self, job: Job) -> None:
        job.keep_running = False
        if job.state == "waiting":
            self._queue.remove(job.key)
            job.end()

    def forget(self, text_hash: str | None = None) -> None:
        """Stop all jobs, or those of a text, whoever waits for them, and drop their results."""
        with self._lock:
            dropped = [job for job in self._jobs.values() if text_hash is None or text_hash in job.texts]
            for job in dropped:
                self._end(job)
                del self._jobs[job.key]
        for job in dropped:
            if not job.live:
                job.release_quota()

    def _drop_old(self, kind: Kind) -> None:
        keys = [job.key for job in self._jobs.values() if job.kind == kind and not job.live]
        surplus = sum(job.kind == kind for job in self._jobs.values()) - self._limits[kind]
        for key in keys[: max(surplus, 0)]:
            del self._jobs[key]

    def _work(self) -> None:
        while True:
            with self._lock:
                key = self._queue.take()
                if key is None:
                    self._threads -= 1
                    return
                job = self._jobs[key]
                job.begin()
            self._hooks.watch(job)
            job.run()
            self._hooks.watch(job)
            job.notify()
            job.release_quota()


_TOO_MANY = ChunkscopeError(
    f"This was not queued: at most {MAX_WAITING} jobs of a person wait on this server.",
    "Wait until one of yours has ended, or stop one.",
)
