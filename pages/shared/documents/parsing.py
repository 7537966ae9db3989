"""Documents read from their files; what takes long waits its turn in a queue of this server, and can be stopped.

A run that reads a file belongs to the session that added it, which alone gets the document: the queue keeps none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import uuid4

import streamlit as st

from chunking import ChunkscopeError, loading
from chunking.document import Document
from chunking.library import LibraryDocument
from chunking.library.files import digest_of
from chunking.runtime.progress import Progress, Tell
from chunking.work import reading
from chunking.work.task import Task
from pages.shared import state
from pages.shared.frame import frame, runs
from pages.shared.frame.runs import Run
from pages.shared.state import session


@dataclass(frozen=True)
class _Reading:
    """A file that is being read.

    Attributes:
        key: of the file and its name.
        run: that reads it.
        found: gets the document.
    """

    key: str
    run: Run
    found: list[Document] = field(default_factory=list)


_READING: state.Slot[_Reading | None] = state.Slot("_reading_file", session.empty)

_AT_ONCE_SECONDS = 0.3
"""Seconds in which most files are read, so that nothing need be shown."""


def load(data: bytes, name: str, progress: Progress) -> Document:
    """Load a file, in its turn where that takes long.

    Args:
        data: the file.
        name: its name.
        progress: called while it is read.

    Raises:
        ChunkscopeError: it cannot be read, or that was stopped.
    """
    task = reading.loading_task(data, name)
    if reading.is_quick(loading.format_of(data, name).name, len(data)):
        return _at_once(task, progress)
    return _in_turn(f"{digest_of(data)} {name}", task, progress)


def read_again(entry: LibraryDocument, data: bytes, progress: Progress | None = None) -> Document:
    """Read a document of the library from its file, in its turn where that takes long.

    Args:
        entry: what the library knows of it.
        data: its file.
        progress: called while it is read.

    Raises:
        ChunkscopeError: it cannot be read, or that was stopped.
    """
    task = reading.library_task(entry, data)
    if reading.is_quick(entry.format, len(data)):
        return _at_once(task, progress)
    return _in_turn(f"{entry.content} {entry.id} {entry.name} {entry.choices}", task, progress)


def stop() -> None:
    """Stop the reading of a file of this session, if one is being read."""
    now = _READING.pop()
    if now is not None:
        now.run.owner.stop(now.run)


def _at_once(task: Task, progress: Progress | None) -> Document:
    found: Document = task.run(lambda _, done, total: progress(done, total) if progress else None)
    return found


def _in_turn(key: str, task: Task, progress: Progress | None) -> Document:
    """Return the document that a run reads; one that the session began and did not follow to its end goes on."""
    now = _READING.get()
    if now is None or now.key != key or not (now.run.live or now.run.state == "done"):
        stop()
        now = _begin(key, task)
        _READING.set(now)
    if not now.run.wait(_AT_ONCE_SECONDS):
        _follow(now.run, progress)
    _READING.clear()
    if now.run.problem is not None:
        raise now.run.problem
    if not now.found:
        raise ChunkscopeError("Reading was stopped.", "Open it again to read it.")
    return now.found[0]


def _begin(key: str, task: Task) -> _Reading:
    queue = runs.runs("documents")
    found: list[Document] = []

    def work(tell: Tell) -> None:
        found.append(queue.call(task, tell))

    return _Reading(key, queue.start("document", uuid4().hex, "Reading", work), found)


def _follow(run: Run, progress: Progress | None) -> None:
    with frame.part():
        place = st.empty()

    def show() -> None:
        if run.state == "waiting":
            place.caption(f"Waiting for files of others: {runs.waiting(run.owner.place(run))}.")
        elif progress:
            place.empty()
            progress(run.done, run.total)
        else:
            place.caption("Reading the document…")

    runs.follow(run, show)
    place.empty()
