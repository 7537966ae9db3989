"""Background runs on the pages: their place in the queue, progress, the time left, and a stop button."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal, get_args

import streamlit as st

from chunking.jobs.queue import LIMITS, LIVE, Job, JobQueue, ServerHooks
from chunking.runtime.wording import ordinal, plural
from pages.shared.frame import frame, markup
from pages.shared.identity import visitor
from pages.shared.server import metrics, workers
from pages.shared.storage import forgetting, quota

_SURE = 1.0
"""Seconds before which an estimate would be a guess."""


def in_words(seconds: float) -> str:
    """Return a duration, in seconds or minutes."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


class TimeLeft:
    """The rest of a step that began when this was made."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def words(self, done: float, total: float) -> str:
        """Return the estimated rest as the end of a line; nothing while it would be a guess, and at the end."""
        spent = time.monotonic() - self._began
        if not 0 < done < total or spent < _SURE:
            return ""
        return f", about {in_words(spent * (total - done) / done)} left"


Queue = Literal["retrieval", "boundaries", "vectors", "documents"]

_SECOND = 1.0
"""Seconds between two updates of the progress bar."""

_LOOK_SECONDS = 0.05
"""Seconds between two looks at a run: a script that waits leaves the interpreter to others."""

_SHOW_SECONDS = 0.3
"""Seconds after which a run is shown again though nothing changed: only there can Streamlit end a script that waits."""


def runs(queue: Queue = "retrieval") -> JobQueue:
    """Return the runs of this server in a queue."""
    return _runs(queue)  # Streamlit takes a call that leaves the argument out for another one


@st.cache_resource(max_entries=len(get_args(Queue)), show_spinner=False)
def _runs(queue: Queue) -> JobQueue:
    around = ServerHooks(workers.call(), workers.settings().slots, visitor.person, metrics.watch, quota.begin_job)
    jobs = JobQueue(LIMITS, around)
    metrics.QUEUES.add(jobs)
    return jobs


def _forget(text_hash: str) -> None:
    for queue in get_args(Queue):
        runs(queue).forget(text_hash)


forgetting.forget_with(_forget)


def follow(run: Job, show: Callable[[], None]) -> None:
    """Show a run until it has ended. What Streamlit raises to end this script leaves the run alone."""
    shown_state: object = None
    when = 0.0
    while not run.wait(_LOOK_SECONDS):
        now = (run.state, run.what, run.done, run.total, run.owner.place(run))
        if now != shown_state or time.monotonic() - when > _SHOW_SECONDS:
            shown_state, when = now, time.monotonic()
            show()


# --- display ---------------------------------------------------------------------------------------------------------


def show_unless_done(run: Job, again: Callable[[], Job]) -> bool:
    """Show the state of a run that is not done: its progress, that it was stopped, or why it failed.

    Args:
        run: the run.
        again: restarts it.

    Returns:
        Whether it is done.
    """
    state = run.state  # read once: it may end at any moment
    if state == "done":
        return True
    if state in LIVE and run.owner.join(run):
        _progress(run)
        return False
    if state == "failed":
        assert run.problem is not None
        frame.show_error(run.problem)
        label, icon = "Try again", "refresh"
    elif state in LIVE:
        frame.show_empty("You stopped waiting.", "It continues for somebody else who asked for the same.")
        label, icon = "Resume", "play_arrow"
    else:
        frame.show_empty("The run was stopped.", "Embeddings are kept; it resumes from there.")
        label, icon = "Resume", "play_arrow"
    button(label, again, f"_again_{run.kind}", icon)
    return False


def button(label: str, start: Callable[[], Job], key: str, icon: str, **options: Any) -> None:
    """Show a button that starts a run."""
    st.button(label, key=key, icon=f":material/{icon}:", on_click=_press, args=(start,), **options)


def _press(start: Callable[[], Job]) -> None:
    start()


@st.fragment(run_every=_SECOND)
def _progress(run: Job) -> None:
    """Show the progress of a run, updated every second, with a stop button."""
    if not run.live or not run.owner.join(run):
        st.rerun()
    share = min(run.done / run.total, 1.0) if run.total else 0.0
    st.progress(share, markup.plain(words(run, run.owner.place(run))))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Stop", key=f"_stop_{run.kind}", on_click=run.owner.stop, args=(run,), icon=":material/stop:")
        st.caption(_sharing(len(run.people) - 1) or _BACKGROUND)


_BACKGROUND = "Runs in the background: you can leave, reload or close the page and come back."


def _sharing(others: int) -> str:
    """Return what a stop does not end, if others wait too."""
    if others < 1:
        return ""
    who = plural(others, "other person waits", "other people wait")
    return f"{who} for the same: if you stop, it continues for them."


def waiting(position: tuple[int, int]) -> str:
    """Return the place in the queue: ``2nd of 5 in the queue``."""
    return f"{ordinal(position[0])} of {position[1]:,} in the queue" if position[0] else "next in the queue"


def words(run: Job, position: tuple[int, int]) -> str:
    """Return the state of a run in one line.

    Args:
        run: the run.
        position: its place among those that wait, and how many wait.
    """
    if run.state == "waiting":
        return f"{run.title}: waiting, {waiting(position)}"
    if not run.what:
        return f"{run.title}: starting"
    step = "" if run.left_of_step is None else f", {in_words(run.left_of_step)} left of this step"
    count = f", {run.done:,} of {run.total:,}" if run.total else ""
    done, total = run.strategies
    whole = f" · {done} of {total} strategies done" if total else ""
    remaining = "" if run.left is None else f", about {in_words(run.left)} left"
    return f"{run.title}: {run.what}{count}{step}{whole}{remaining} · {in_words(run.seconds)} so far"
