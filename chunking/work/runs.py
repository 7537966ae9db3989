"""Runs: heavy work behind the pages of a server, queued fairly between people.

A run belongs to the server and not to the session that started it: reloading, leaving or closing the page does not
stop it. Equal requests share a run, which is stopped when nobody waits for it any more. The latest results of each kind
are kept.

The work of a run is a function that a light thread of the server calls. What is heavy in it the function leaves to a
worker, through :attr:`Runs.call`.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from chunking.errors import ChunkscopeError
from chunking.runtime.progress import Tell
from chunking.work.fair_queue import MAX_WAITING, FairQueue
from chunking.work.task import Call, run_here

Kind = Literal["boundaries", "evaluation", "causes", "remedy", "index", "vectors", "document"]
State = Literal["waiting", "running", "done", "stopped", "failed"]
LIVE: frozenset[State] = frozenset({"waiting", "running"})
"""The states of a run that has not ended."""
Work = Callable[[Tell], Any]

LIMITS: Mapping[Kind, int] = {
    "boundaries": 8,
    "evaluation": 4,
    "causes": 24,
    "remedy": 48,
    "index": 2,
    "vectors": 32,
    "document": 8,
}
"""Runs of each kind that are kept, with their results."""

WHOLE = "strategies"
"""The step under which work reports finished strategies."""

_BEFORE = ("cutting", "embedding sentences")
"""Steps before the first strategy."""


class _Stopped(Exception):
    """Raised inside the work when a user stopped it."""


@dataclass(eq=False)
class Run:
    """A background run.

    Attributes:
        kind: of the work.
        key: identity of the result.
        title: for display.
        owner: the runs that it belongs to.
        state: of the run.
        what, done, total: the current step and its progress.
        result: once the run is done.
        problem: why it failed.
        texts: hashes of the texts of documents that it reads.
        people: who waits for the result; it is stopped when nobody does any more.
        left_by: who stopped waiting while others did not.
    """

    kind: Kind
    key: str
    title: str
    owner: Runs = field(repr=False)
    state: State = "waiting"
    what: str = ""
    done: int = 0
    total: int = 0
    result: Any = None
    problem: ChunkscopeError | None = None
    texts: frozenset[str] = frozenset()
    people: set[str] = field(default_factory=set)
    left_by: set[str] = field(default_factory=set)
    _work: Work | None = field(default=None, repr=False)
    _uncount: Callable[[], None] | None = field(default=None, repr=False)
    _wanted: bool = True
    _asked: float = field(default_factory=time.monotonic)
    _began: float = 0.0
    _step: tuple[str, float, int] = ("", 0.0, 0)
    _whole: tuple[int, int] = (0, 0)
    _whole_began: float = 0.0
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def wanted(self) -> bool:
        """Whether it is not to be stopped."""
        return self._wanted

    @property
    def live(self) -> bool:
        """Whether it is waiting or running."""
        return self.state in LIVE

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the run has ended; return false if that took longer than ``seconds``."""
        return self._ended.wait(seconds)

    def tell(self, what: str, done: int, total: int) -> None:
        """Report progress from the work; raise here if a user stopped the run."""
        if not self._wanted:
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
        return (self._began or time.monotonic()) - self._asked

    @property
    def age(self) -> float:
        """Seconds since it was asked for."""
        return time.monotonic() - self._asked

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
        made = self.done - first
        if what != self.what or made <= 0 or not self.total:
            return None
        return (time.monotonic() - began) * (self.total - self.done) / made

    def begin(self) -> None:
        """Mark it as running."""
        self._began, self.state = time.monotonic(), "running"

    def run(self) -> None:
        """Do the work."""
        try:
            if not self._wanted:
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

    def announce(self) -> None:
        """Let those continue who wait for the end."""
        self._ended.set()

    def stop(self) -> None:
        """Stop at the next progress report; a waiting run never starts."""
        self._wanted = False

    def end(self) -> None:
        """Mark a run that never started as stopped."""
        self.state, self._work = "stopped", None
        self._ended.set()

    def count(self, admit: Callable[[], Callable[[], None]]) -> None:
        """Count it among the jobs of its person, until :meth:`uncount`.

        Raises:
            ChunkscopeError: they have as many as they may have.
        """
        self._uncount = admit()

    def uncount(self) -> None:
        """Count it no longer; harmless where it is not counted. This may wait for a database."""
        uncount, self._uncount = self._uncount, None
        if uncount:
            uncount()

    def refuse(self, problem: ChunkscopeError) -> None:
        """Mark a run as failed that may not start."""
        self.problem, self.state, self._work = problem, "failed", None
        self._ended.set()


def _nobody() -> str:
    return ""


def _ignore(_: Run) -> None:
    pass


def _admit(_: Kind) -> Callable[[], None]:
    return lambda: None


@dataclass(frozen=True)
class Surroundings:
    """What runs need of the server around them.

    Attributes:
        call: runs a task in a worker.
        slots: how many runs are done at a time.
        person: returns who uses the session that calls.
        watch: called with each run when it starts, and again when it has ended.
        admit: counts a job of the person whose session calls, and returns what counts it no longer; raises a
            :class:`~chunking.errors.ChunkscopeError` where they have as many as they may have.
    """

    call: Call = run_here
    slots: int = 1
    person: Callable[[], str] = _nobody
    watch: Callable[[Run], None] = _ignore
    admit: Callable[[Kind], Callable[[], None]] = _admit


class Runs:
    """All runs of a queue; safe to share between threads.

    Args:
        limits: runs of each kind that are kept.
        around: the server.
    """

    def __init__(self, limits: Mapping[Kind, int] = LIMITS, around: Surroundings | None = None) -> None:
        self._limits = limits
        self._around = around or Surroundings()
        self._known: OrderedDict[str, Run] = OrderedDict()
        self._queue: FairQueue[str] = FairQueue()
        self._lock = threading.Lock()
        self._threads = 0

    @property
    def call(self) -> Call:
        """Runs a task in a worker, for the work of a run."""
        return self._around.call

    @property
    def in_workers(self) -> bool:
        """Whether tasks leave this process."""
        return self._around.call is not run_here

    def counts(self) -> Mapping[tuple[str, str], int]:
        """Return the number of runs by kind and state."""
        with self._lock:
            return Counter((run.kind, run.state) for run in self._known.values())

    def get(self, key: str) -> Run | None:
        """Return the run of a key."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
            return self._known.get(key)

    def start(self, kind: Kind, key: str, title: str, work: Work, texts: Iterable[str] = ()) -> Run:
        """Return the run of a key that is waiting, running or done, else queue a new one; see :class:`Run`.

        The person waits for it.
        """
        person = self._around.person()
        with self._lock:
            known = self._shared(key, person)
        if known:
            return known
        run = Run(kind, key, title, self, texts=frozenset(texts), _work=work)
        try:
            run.count(partial(self._around.admit, kind))
        except ChunkscopeError as error:
            run.refuse(error)
        with self._lock:
            queued = self._shared(key, person) or self._enqueue(run, person)
        if queued is not run or not run.live:
            run.uncount()
        return queued

    def _shared(self, key: str, person: str) -> Run | None:
        """Return the run of a key if the person can wait for it too, or its result is there."""
        known = self._known.get(key)
        if known is None or not (known.state == "done" or (known.live and known.wanted)):
            return None
        self._join(known, person)
        return known

    def _enqueue(self, run: Run, person: str) -> Run:
        self._known[run.key] = run
        self._known.move_to_end(run.key)
        self._let_go(run.kind)
        if not run.live:
            return run
        if not self._queue.add(person, run.key):
            run.refuse(_TOO_MANY)
            return run
        run.people.add(person)
        if self._threads < self._around.slots:
            # No pool: the end of the server waits for a pool's threads, however long they work.
            self._threads += 1
            threading.Thread(target=self._work, name="chunkscope-runs", daemon=True).start()
        return run

    def join(self, run: Run) -> bool:
        """Let the person who looks at a run wait for it too; return false if they stopped waiting before."""
        person = self._around.person()
        with self._lock:
            if person in run.left_by:
                return False
            self._join(run, person)
            return True

    def _join(self, run: Run, person: str) -> None:
        run.left_by.discard(person)
        if run.live and (run.state == "running" or self._queue.add(person, run.key)):
            run.people.add(person)

    def place(self, run: Run) -> tuple[int, int]:
        """Return the place of a run among those that wait, from 1, and how many wait; zero if it does not."""
        with self._lock:
            return self._queue.place(run.key) if self._known.get(run.key) is run else 0, len(self._queue)

    def stop(self, run: Run) -> None:
        """Let the person wait for a run no longer.

        If nobody else waits for it, it is stopped: at once if it is waiting, else at its next progress report.
        """
        person = self._around.person()
        with self._lock:
            if person not in run.people:
                return
            run.people.discard(person)
            if run.people:
                run.left_by.add(person)
                self._queue.withdraw(person, run.key)
            else:
                self._end(run)
        if not run.live:
            run.uncount()

    def _end(self, run: Run) -> None:
        run.stop()
        if run.state == "waiting":
            self._queue.remove(run.key)
            run.end()

    def forget(self, text_hash: str | None = None) -> None:
        """Stop all runs, or those of a text, whoever waits for them, and drop their results."""
        with self._lock:
            gone = [run for run in self._known.values() if text_hash is None or text_hash in run.texts]
            for run in gone:
                self._end(run)
                del self._known[run.key]
        for run in gone:
            if not run.live:
                run.uncount()

    def _let_go(self, kind: Kind) -> None:
        ended = [run.key for run in self._known.values() if run.kind == kind and not run.live]
        spare = sum(run.kind == kind for run in self._known.values()) - self._limits[kind]
        for key in ended[: max(spare, 0)]:
            del self._known[key]

    def _work(self) -> None:
        while True:
            with self._lock:
                key = self._queue.take()
                if key is None:
                    self._threads -= 1
                    return
                run = self._known[key]
                run.begin()
            self._around.watch(run)
            run.run()
            self._around.watch(run)
            run.announce()
            run.uncount()


_TOO_MANY = ChunkscopeError(
    f"This was not queued: at most {MAX_WAITING} jobs of a person wait on this server.",
    "Wait until one of yours has ended, or stop one.",
)
