"""Documents read from their files, in processes of their own: the server never works on the text of a document.

What takes long waits its turn in a queue of this server, and can be stopped. A run that reads a file belongs to the
session that added it, which alone gets the document: the queue keeps none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from uuid import uuid4

import streamlit as st

from chunking import ChunkscopeError
from chunking.document import Document
from chunking.isolation import USUAL, LimitError, Limits
from chunking.jobs.queue import Job
from chunking.loading import LoadParameters, isolated
from chunking.runtime.progress import Progress, Tell
from chunking.store import LibraryDocument
from chunking.store.storage import digest_of
from chunking.store.storage import read_document as read_from_library
from chunking.work.measures import SHORT
from pages.shared import state
from pages.shared.frame import frame, runs
from pages.shared.state import session

Read = Callable[[Limits, Progress | None], Document]
"""Reads a document within limits."""


@dataclass(frozen=True)
class _Reading:
    """A file that is being read.

    Attributes:
        key: of the file and its name.
        run: that reads it.
        documents: gets the document.
    """

    key: str
    run: Job
    documents: list[Document] = field(default_factory=list)


_READING: state.SessionValue[_Reading | None] = state.SessionValue("_reading_file", session.empty)

_AT_ONCE_SECONDS = 0.3
"""Seconds in which most files are read, so that nothing need be shown."""

_SMALL = 2**20
"""Bytes of a file below which it is read at once, unless that takes long."""


def load(data: bytes, name: str, progress: Progress) -> Document:
    """Load a file, in its turn where that takes long.

    Args:
        data: the file.
        name: its name.
        progress: called while it is read.

    Raises:
        ChunkscopeError: it cannot be read, or that was stopped.
    """
    key = f"{digest_of(data)} {name}"
    return _read(key, len(data), lambda limits, tell: isolated.load(data, name, limits=limits, progress=tell), progress)


def from_text(text: str, name: str, format: str, language: str | None = None) -> Document:
    """Return the document of a text, in its turn where that takes long; without a language, that is detected.

    Raises:
        ChunkscopeError: it cannot be read, or that was stopped.
    """
    key = f"{digest_of(text.encode('utf-8', 'surrogatepass'))} {name}"
    return _read(key, len(text), lambda limits, _: isolated.from_text(text, name, format, language, limits), None)


def reload(document: Document, params: LoadParameters) -> Document:
    """Read a document again from its source with other parameters, in its turn where that takes long.

    Raises:
        ChunkscopeError: it cannot be read, or that was stopped.
    """
    key = f"{document.key} {params}"
    return _read(key, len(document.text), lambda limits, _: isolated.reload(document, params, limits), None)


def read_again(entry: LibraryDocument, data: bytes, progress: Progress | None = None) -> Document:
    """Read a document of the library from its file, in its turn where that takes long.

    Args:
        entry: what the library knows of it.
        data: its file.
        progress: called while it is read.

    Raises:
        ChunkscopeError: it cannot be read, or that was stopped.
    """
    key = f"{entry.content} {entry.id} {entry.name} {entry.choices}"
    return _read(key, len(data), lambda limits, tell: read_from_library(entry, data, tell, limits), progress)


def _read(key: str, size: int, read: Read, progress: Progress | None) -> Document:
    if size < _SMALL:
        try:
            return read(SHORT, progress)
        except LimitError:
            pass  # whatever takes longer does so in its turn
    return _in_turn(key, read, progress)


def stop() -> None:
    """Stop the reading of a file of this session, if one is being read."""
    now = _READING.pop()
    if now is not None:
        now.run.owner.stop(now.run)


def _in_turn(key: str, read: Read, progress: Progress | None) -> Document:
    """Return the document that a run reads; a run that the session began and did not follow to its end continues."""
    now = _READING.get()
    if now is None or now.key != key or not (now.run.live or now.run.state == "done"):
        stop()
        now = _begin(key, read)
        _READING.set(now)
    if not now.run.wait(_AT_ONCE_SECONDS):
        _follow(now.run, progress)
    _READING.clear()
    if now.run.problem is not None:
        raise now.run.problem
    if not now.documents:
        raise ChunkscopeError("Reading was stopped.", "Open it again to read it.")
    return now.documents[0]


def _begin(key: str, read: Read) -> _Reading:
    queue = runs.runs("documents")
    documents: list[Document] = []

    def work(tell: Tell) -> None:
        documents.append(read(USUAL, partial(tell, "reading")))

    return _Reading(key, queue.start("document", uuid4().hex, "Reading", work), documents)


def _follow(run: Job, progress: Progress | None) -> None:
    with frame.stable_slot():
        slot = st.empty()

    def show() -> None:
        if run.state == "waiting":
            slot.caption(f"Waiting for files of others: {runs.waiting(run.owner.place(run))}.")
        elif progress:
            slot.empty()
            progress(run.done, run.total)
        else:
            slot.caption("Reading the document…")

    runs.follow(run, show)
    slot.empty()
