"""The Archive part: the whole library as one file, and such a file taken in."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import config
from streamlit.runtime.uploaded_file_manager import UploadedFile

from chunking import ChunkscopeError
from chunking.runtime.files import ScratchFolder
from chunking.runtime.wording import file_size, plural
from chunking.store import Library
from chunking.store.archive.export import Exported, export_to
from chunking.store.archive.importing import Imported, import_archive
from pages.shared import state
from pages.shared.documents import uploads
from pages.shared.frame import frame, markup
from pages.shared.library import outcome
from pages.shared.library.downloads import PREPARED, PreparedFile
from pages.shared.server import hosts
from pages.shared.state import session

_ROUND = state.SessionValue("_library_archive_round", int)
_PATH = "_library_archive_path"
_MOST = 20


@dataclass(frozen=True)
class ExportedArchive:
    """An archive that is ready.

    Attributes:
        file: where it can be downloaded.
        size: in bytes.
        content: what it holds.
    """

    file: PreparedFile
    size: int
    content: Exported


_READY: state.SessionValue[ExportedArchive | None] = state.SessionValue("_library_archive", session.empty)
_WANTED: state.SessionValue[bool] = state.SessionValue("_library_archive_wanted", bool)
_NAMED: state.SessionValue[str] = state.SessionValue("_library_archive_named", str)
_REPORT: state.SessionValue[Imported | None] = state.SessionValue("_library_import", session.empty)


def show(user_library: Library) -> None:
    """Show both halves."""
    left, right = st.columns(2, gap="large")
    with left:
        _export(user_library)
    with right:
        _import(user_library)


# ---- out


def _export(user_library: Library) -> None:
    markup.show(
        "<b>Export</b><div>One archive (ZIP) of everything that is yours: documents with all versions, attachments, "
        "sets, half-typed text and reviews.</div>"
    )
    st.button("Prepare the archive", key="_library_export", icon=":material/archive:", on_click=_WANTED.set,
              args=(True,))  # fmt: skip
    with frame.stable_slot():
        if _WANTED.get():
            with st.spinner("Writing the archive…"), outcome.reported():
                _READY.set(_prepared(user_library))
            _WANTED.clear()
            st.rerun()
        ready = _READY.get()
        if ready is not None:
            _show_ready(ready)


def _prepared(user_library: Library) -> ExportedArchive:
    name = f"chunkscope-library-{datetime.now(UTC):%Y-%m-%d}.zip"
    file = PREPARED.prepare(user_library.identity.subject, name)
    archive = export_to(user_library, file.path)
    return ExportedArchive(file, file.path.stat().st_size, archive)


def _show_ready(ready: ExportedArchive) -> None:
    content = ready.content
    parts = (plural(content.documents, "version of a document", "versions of documents"), plural(content.sets, "set"))
    facts = ", ".join((*parts, plural(content.reviews, "judgement")))
    markup.show(
        f'<a href="{markup.escape(ready.file.address)}" download="{markup.escape(ready.file.name)}">'
        f"Download {markup.escape(ready.file.name)}</a> "
        f'<span class="cs-quiet">{file_size(ready.size)}, for an hour</span><div>{facts}.</div>'
    )
    for name, error in content.problems[:_MOST]:
        frame.show_error(ChunkscopeError(f"“{name}” was left out. {error.problem}", error.remedy))


# ---- in


def _import(user_library: Library) -> None:
    markup.show(
        "<b>Import</b><div>An archive becomes yours, private again. What is in the library already is never replaced; "
        "importing twice changes nothing.</div>"
    )
    key = f"_library_archive_{_ROUND.get()}"
    limit = config.get_option("server.maxUploadSize")
    st.file_uploader(f"An archive, up to {limit} MiB", "zip", key=key, help=_LARGER)
    if hosts.may_name_paths():
        _from_path()
    with frame.stable_slot():
        for upload in uploads.uploaded_files(key):
            with st.spinner("Reading the archive…"), outcome.reported():
                _REPORT.set(_imported(user_library, upload))
            uploads.release(upload)
            # A new key for each upload clears the widget.
            _ROUND.set(_ROUND.get() + 1)
            st.rerun()
        if _NAMED.get() and hosts.may_name_paths():
            with st.spinner("Reading the archive…"), outcome.reported():
                _REPORT.set(import_archive(user_library, Path(_NAMED.get()).expanduser()))
            _NAMED.clear()
            st.rerun()
        report = _REPORT.get()
        if report is not None:
            _show_report(report)


_LARGER = "A larger one: chunkscope library import ARCHIVE.zip, on the machine of the library."


def _from_path() -> None:
    options: dict[str, Any] = {"max_chars": 1000, "placeholder": "/home/me/all.zip"}
    outcome.line_form("_library_archive_form", _PATH, "Or one on this machine", "Import", _take_path, **options)


def _take_path() -> None:
    _REPORT.clear()
    _NAMED.set(str(session.widget_value(_PATH, "")).strip())


def _imported(user_library: Library, upload: UploadedFile) -> Imported:
    with ScratchFolder() as folder:
        path = folder / "archive.zip"
        with path.open("wb") as file:
            shutil.copyfileobj(upload, file)
        return import_archive(user_library, path)


def _show_report(report: Imported) -> None:
    words = (
        f"{plural(report.added, 'document')} taken in, {report.known:,} already here, "
        f"{plural(report.sets, 'set')} made or extended, {plural(report.reviews, 'judgement')} taken in."
    )
    markup.show(f'<div class="cs-done" role="status">{markup.escape(words)}</div>')
    for problem in report.problems[:_MOST]:
        frame.show_error(problem)
    if len(report.problems) > _MOST:
        frame.show_error(ChunkscopeError(f"{len(report.problems) - _MOST:,} more were left out.", "See those above."))
    st.button("Dismiss", key="_library_import_dismiss", on_click=_REPORT.clear, type="tertiary")
