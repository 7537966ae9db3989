"""Files in the uploaders of all pages, and those that the quota of this person admits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from chunking.errors import ChunkscopeError
from pages.shared.frame import frame
from pages.shared.state import SessionValue, session, widget_value
from pages.shared.storage import quota

Kept = TypeVar("Kept")


def uploaded_files(key: str) -> list[UploadedFile]:
    """Return the files of an uploader that the server still has.

    A page may also list files that were released, or whose upload was interrupted by closing the tab.
    """
    value = widget_value(key) or []
    return [file for file in (value if isinstance(value, list) else [value]) if isinstance(file, UploadedFile)]


def contents(key: str) -> list[tuple[str, bytes]]:
    """Return name and bytes of each file of an uploader, and release the files."""
    files = []
    for upload in uploaded_files(key):
        files.append((upload.name, upload.getvalue()))
        release(upload)
    return files


def release(upload: UploadedFile) -> None:
    """Remove a file from the server's memory, which would otherwise keep it until the session ends."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, upload.file_id)


def admit(uploads: Sequence[UploadedFile], tell: Callable[[ChunkscopeError], None]) -> Sequence[UploadedFile]:
    """Return files that may be added; else release them all, and report why.

    Args:
        uploads: the files.
        tell: reports a problem.
    """
    try:
        quota.count_uploads(len(uploads))
        quota.count_bytes(sum(upload.size for upload in uploads))
    except ChunkscopeError as error:
        for upload in uploads:
            release(upload)
        tell(error)
        return ()
    return uploads


Files = list[tuple[str, bytes]]
"""Name and content of each file of an upload."""


def keep_latest(sets: dict[str, Kept], name: str, value: Kept, most: int = 4) -> None:
    """Keep an uploaded set under its name, and at most so many: the oldest is dropped first."""
    sets.pop(name, None)
    sets[name] = value
    while len(sets) > most:
        del sets[next(iter(sets))]


class UploadField:
    """A file uploader that an upload clears, with the problem of the last one.

    Args:
        key: begins the keys of the widgets, and of what the session keeps.
    """

    def __init__(self, key: str) -> None:
        self._key = key
        self._round = SessionValue(f"{key}_round", int)
        self._problem: SessionValue[tuple[str, ChunkscopeError] | None] = SessionValue(f"{key}_problem", session.empty)

    @property
    def key(self) -> str:
        """The key of the uploader: a new one for each upload clears it, and closes a popover that has the key too."""
        return f"{self._key}_{self._round.get()}"

    def draw(self, label: str, receive: Callable[[Files], None], about: str = "", **options: Any) -> None:
        """Draw the uploader.

        Args:
            label: of the uploader.
            receive: takes the files, in a callback; an error that it raises becomes the problem.
            about: what the problem is about.
            options: further arguments of ``st.file_uploader``.
        """
        st.file_uploader(label, key=self.key, on_change=self._upload, args=(receive, about), **options)

    def _upload(self, receive: Callable[[Files], None], about: str) -> None:
        files = contents(self.key)
        if files:
            self._round.set(self._round.get() + 1)
            with self.reported(about):
                receive(files)

    @contextmanager
    def reported(self, about: str = "") -> Iterator[None]:
        """Forget the last problem, and keep the error of a change as the new one."""
        self._problem.clear()
        try:
            yield
        except ChunkscopeError as error:
            self.report(error, about)

    def report(self, problem: ChunkscopeError, about: str = "") -> None:
        """Keep a problem until it is dismissed."""
        self._problem.set((about, problem))

    def show_problem(self, about: str = "") -> None:
        """Show the problem if there is one of this, with what dismisses it."""
        subject, problem = self._problem.get() or ("", None)
        if problem and subject == about:
            frame.show_error(problem)
            st.button("Dismiss", key=f"{self._key}_dismiss", on_click=self._problem.clear, type="tertiary")
