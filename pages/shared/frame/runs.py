"""Background runs: one at a time on this server, whether or not a page shows them.

A run belongs to the server and not to the session that started it: reloading, leaving or closing the page does not
stop it, and equal requests share a run. The latest results of each kind are kept.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import streamlit as st

from chunking import ChunkscopeError
from chunking.runtime.progress import Tell
from chunking.runtime.wording import plural
from pages.shared.frame import frame, markup
from pages.shared.frame.time_left import in_words
from pages.shared.operation import metrics
from pages.shared.storage import current

Kind = Literal["boundaries", "evaluation", "causes", "remedy", "index", "vectors"]
Queue = Literal["retrieval", "boundaries", "vectors"]
State = Literal["waiting", "running", "done", "stopped", "failed"]
Work = Callable[[Tell], Any]

LIMITS: Mapping[Kind, int] = {"boundaries": 8, "evaluation": 4, "causes": 24, "remedy": 48, "index": 2, "vectors": 32}
"""Runs of each kind that are kept, with their results."""

WHOLE = "strategies"
"""The step under which work reports finished strategies."""

_BEFORE = ("cutting", "embedding sentences")
"""Steps before the first strategy."""

_SECOND = 1.0
"""Seconds between two updates of the progress bar."""


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
    _work: Work | None = field(default=None, repr=False)
    _wanted: bool = True
    _asked: float = field(default_factory=time.monotonic)
    _began: float = 0.0
    _step: tuple[str, float, int] = ("", 0.0, 0)
    _whole: tuple[int, int] = (0, 0)
    _whole_began: float = 0.0
    _ended: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def live(self) -> bool:
        """Whether it is waiting or running."""
        return self.state in ("waiting", "running")

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

    def run(self) -> None:
        """Do the work."""
        self._began, self.state = time.monotonic(), "running"
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
            self._ended.set()

    def stop(self) -> None:
        """Stop at the next progress report; a waiting run never starts."""
        self._wanted = False

    def end(self) -> None:
        """Mark a run that never started as stopped."""
        self.state, self._work = "stopped", None
        self._ended.set()


class Runs:
    """All runs of a server; safe to share between threads."""

    def __init__(self, limits: Mapping[Kind, int] = LIMITS) -> None:
        self._limits = limits
        self._known: OrderedDict[str, Run] = OrderedDict()
        self._queue: deque[Run] = deque()
        self._lock = threading.Lock()
        self._worker: threading.Thread | None = None
        metrics.QUEUES.add(self)

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
        """Return the run of a key that is waiting, running or done, else queue a new one; see :class:`Run`."""
        with self._lock:
            known = self._known.get(key)
            if known and (known.live or known.state == "done"):
                return known
            run = Run(kind, key, title, self, texts=frozenset(texts), _work=work)
            self._known[key] = run
            self._known.move_to_end(key)
            self._queue.append(run)
            self._let_go(kind)
            if self._worker is None:
                # No pool: the end of the server waits for a pool's threads, however long they work.
                self._worker = threading.Thread(target=self._work, name="chunkscope-runs", daemon=True)
                self._worker.start()
            return run

    def ahead(self, run: Run) -> int:
        """Return how many runs are ahead of a waiting one."""
        with self._lock:
            running = any(each.state == "running" for each in self._known.values())
            return running + (self._queue.index(run) if run in self._queue else 0)

    def stop(self, run: Run) -> None:
        """Stop a run: at once if it is waiting, else at its next progress report."""
        with self._lock:
            run.stop()
            if run in self._queue:
                self._queue.remove(run)
                run.end()

    def forget(self, text_hash: str | None = None) -> None:
        """Stop all runs, or those of a text, and drop their results."""
        with self._lock:
            gone = [run for run in self._known.values() if text_hash is None or text_hash in run.texts]
            for run in gone:
                del self._known[run.key]
        for run in gone:
            self.stop(run)

    def _let_go(self, kind: Kind) -> None:
        ended = [run.key for run in self._known.values() if run.kind == kind and not run.live]
        spare = sum(run.kind == kind for run in self._known.values()) - self._limits[kind]
        for key in ended[: max(spare, 0)]:
            del self._known[key]

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._queue:
                    self._worker = None
                    return
                run = self._queue.popleft()
            run.run()


@st.cache_resource(max_entries=3, show_spinner=False)
def runs(queue: Queue = "retrieval") -> Runs:
    """Return the runs of this server in a queue."""
    return Runs()


def _forget(text_hash: str) -> None:
    for queue in get_args(Queue):
        runs(queue).forget(text_hash)


current.forget_with(_forget)


# --- display ---------------------------------------------------------------------------------------------------------


def shown(run: Run, again: Callable[[], Run]) -> bool:
    """Show the state of a run that is not done: its progress, that it was stopped, or why it failed.

    Args:
        run: the run.
        again: restarts it.

    Returns:
        Whether it is done.
    """
    if run.state == "done":
        return True
    if run.live:
        _progress(run)
        return False
    if run.state == "failed":
        assert run.problem is not None
        frame.show_error(run.problem)
        label, icon = "Try again", "refresh"
    else:
        frame.show_empty("The run was stopped.", "Embeddings are kept; it resumes from there.")
        label, icon = "Resume", "play_arrow"
    button(label, again, f"_again_{run.kind}", icon)
    return False


def button(label: str, start: Callable[[], Run], key: str, icon: str, **options: Any) -> None:
    """Show a button that starts a run."""
    st.button(label, key=key, icon=f":material/{icon}:", on_click=_press, args=(start,), **options)


def _press(start: Callable[[], Run]) -> None:
    start()


@st.fragment(run_every=_SECOND)
def _progress(run: Run) -> None:
    """Show the progress of a run, updated every second, with a stop button."""
    if not run.live:
        st.rerun()
    share = min(run.done / run.total, 1.0) if run.total else 0.0
    st.progress(share, markup.plain(words(run, run.owner.ahead(run))))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Stop", key=f"_stop_{run.kind}", on_click=run.owner.stop, args=(run,), icon=":material/stop:")
        st.caption("Runs in the background: you can leave, reload or close the page and come back.")


def words(run: Run, ahead: int) -> str:
    """Return the state of a run in one line."""
    if run.state == "waiting":
        return f"{run.title}: waiting for {plural(ahead, 'other run')} on this server"
    if not run.what:
        return f"{run.title}: starting"
    step = "" if run.left_of_step is None else f", {in_words(run.left_of_step)} left of this step"
    count = f", {run.done:,} of {run.total:,}" if run.total else ""
    done, total = run.strategies
    whole = f" · {done} of {total} strategies done" if total else ""
    left = "" if run.left is None else f", about {in_words(run.left)} left"
    return f"{run.title}: {run.what}{count}{step}{whole}{left} · {in_words(run.seconds)} so far"
