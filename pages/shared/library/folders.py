"""The Folders part: folders of this machine that are watched, and what their last scans found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import streamlit as st

from chunking import ChunkscopeError
from chunking.runtime.wording import plural
from chunking.store import Library, LibraryDocument
from chunking.store.folders import Scan, WatchedFolder, WatchedFolders
from pages.shared import state
from pages.shared.frame import frame, markup
from pages.shared.library import actions, outcome
from pages.shared.server import hosts
from pages.shared.settings import controls
from pages.shared.state import session
from pages.shared.storage.session_library import library

EVERY = timedelta(minutes=5)
"""How often folders are scanned while the page is open, where the user wants that."""

_NO_FOLDERS = ChunkscopeError(
    "This server watches no folders.",
    "Add files in the sidebar, or run Chunkscope on your own machine; with a log-in there, its administrators may.",
)

_FOLDER = "_library_folder"
_WAITING: state.SessionValue[list[str]] = state.SessionValue("_library_folders_to_scan", list)
_REPORTS: state.SessionValue[dict[str, list[str]]] = state.SessionValue("_library_scans", dict)
_MOST = 20


def show(user_library: Library) -> None:
    """Show the folders with their controls.

    Raises:
        ChunkscopeError: the library does not answer.
    """
    if not hosts.may_name_paths():
        frame.show_empty(_NO_FOLDERS.problem, _NO_FOLDERS.remedy)
        return
    folders = WatchedFolders(user_library)
    _add()
    with frame.stable_slot():
        _scan_waiting(user_library, folders)
    watched = folders.list()
    if not watched:
        frame.show_empty(
            "No folder is watched.",
            "Enter one above: its documents are added, and a scan brings the library in step with the folder.",
        )
        return
    every = controls.toggle(
        "Scan every 5 minutes", name="rescan", help="While this page is open. Else folders are scanned by the button."
    )
    if every:
        st.fragment(_scan_again, run_every=EVERY)(user_library)
    for folder in watched:
        _show_one(folder, folders.documents(folder.id))


def _add() -> None:
    options: dict[str, Any] = {"width": 640, "max_chars": 1000, "placeholder": "/home/me/notes"}
    outcome.line_form("_library_watch", _FOLDER, "Folder on this machine", "Watch", _take, **options)


def _take() -> None:
    with outcome.reported():
        _require_right()
        text = str(session.widget_value(_FOLDER, "")).strip()
        if not text:
            raise ChunkscopeError("No folder was entered.", "Enter its path.")
        try:
            path = Path(text).expanduser()
        except RuntimeError:
            raise ChunkscopeError(f"{text:.200} names an unknown home folder.", "Enter the whole path.") from None
        added = WatchedFolders(library()).watch(path)
        session.set_widget(_FOLDER, "")
        _wait(added.id)


def _require_right() -> None:
    """Refuse what a browser sends for somebody who may name no folders.

    Raises:
        ChunkscopeError: she may not.
    """
    if not hosts.may_name_paths():
        raise _NO_FOLDERS


def _wait(id: str) -> None:
    _WAITING.set([*_WAITING.get(), id])


def _show_one(folder: WatchedFolder, documents: Sequence[LibraryDocument]) -> None:
    missing = sum(bool(document.missing) for document in documents)
    parts = [plural(len(documents), "document"), *([f"{missing} missing"] if missing else [])]
    parts.append(f"scanned {_minute(folder.scanned)}" if folder.scanned else "not scanned yet")
    with st.container(border=True, key=f"_library_folder_row_{folder.id}"):
        left, right = st.columns([3, 2], vertical_alignment="center")
        with left:
            markup.show(
                f'<b>{markup.escape(folder.path)}</b><div class="cs-quiet">{markup.escape(" · ".join(parts))}</div>'
            )
        with right.container(horizontal=True, horizontal_alignment="right"):
            st.button("Scan now", key=f"_library_scan_{folder.id}", icon=":material/sync:",
                      on_click=_wait, args=(folder.id,))  # fmt: skip
            st.button("Stop watching", key=f"_library_unwatch_{folder.id}", icon=":material/visibility_off:",
                      on_click=_unwatch, args=(folder,), help="Its documents stay in the library.")  # fmt: skip
        lines = _REPORTS.get().get(folder.id)
        if lines:
            markup.show("".join(f"<div>{markup.escape(line)}</div>" for line in lines))


def _minute(text: str) -> str:
    return f"{text[:16].replace('T', ' ')} UTC"


def _unwatch(folder: WatchedFolder) -> None:
    with outcome.reported():
        WatchedFolders(library()).unwatch(folder.id)
        _REPORTS.get().pop(folder.id, None)
        outcome.done(f"{folder.path} is watched no more. Its documents stay.")


# ---- scans


def _scan_waiting(user_library: Library, folders: WatchedFolders) -> None:
    """Scan the folders that wait for it; one whose scan is interrupted keeps waiting."""
    while _WAITING.get():
        id = _WAITING.get()[0]
        with st.spinner("Scanning the folder…"):
            _scan(user_library, folders, id)
        _WAITING.set(_WAITING.get()[1:])


def _scan_again(user_library: Library) -> None:
    """Scan the folders whose last scan is long ago; where that changed something, draw the whole page anew."""
    try:
        folders = WatchedFolders(user_library)
        due = [folder.id for folder in folders.list() if is_due(folder, datetime.now(UTC))]
        changes = [_scan(user_library, folders, id) for id in due]
    except ChunkscopeError as error:
        frame.show_error(error)
        return
    if any(changes):
        st.rerun()


def is_due(folder: WatchedFolder, now: datetime) -> bool:
    """Return whether a folder is to be scanned again."""
    try:
        return now - datetime.fromisoformat(folder.scanned) >= EVERY - timedelta(seconds=10)
    except ValueError:
        return True


def _scan(user_library: Library, folders: WatchedFolders, id: str) -> bool:
    """Scan a folder and keep the report; return whether anything changed."""
    try:
        _require_right()
        scan = folders.scan(id)
    except ChunkscopeError as error:
        _REPORTS.get()[id] = [str(error)]
        return True
    _REPORTS.get()[id] = [*report(scan), *_carried(user_library, scan.changed)]
    return bool(scan.added or scan.changed or scan.removed)


def _carried(user_library: Library, changed: Sequence[LibraryDocument]) -> list[str]:
    """Carry references of earlier versions over to new ones, and return what became of them."""
    lines = []
    for entry in changed:
        try:
            lines.append(actions.carry_reference(user_library, entry))
        except ChunkscopeError as error:
            lines.append(f"{entry.name}: its reference was not carried over. {error}")
    return [line for line in lines if line]


def report(scan: Scan) -> list[str]:
    """Return what a scan found, in lines."""
    lines = []
    for what, documents in (("added", scan.added), ("changed", scan.changed), ("missing", scan.removed)):
        if documents:
            lines.append(f"{len(documents):,} {what}: {_names([document.path for document in documents])}.")
    if scan.changed:
        lines.append("Reviews of changed documents are offered on Review, found again by the words around them.")
    lines += [f"{path}: {error}" for path, error in scan.problems[:_MOST]]
    if len(scan.problems) > _MOST:
        lines.append(f"{len(scan.problems) - _MOST:,} more files could not be read.")
    return [*lines, f"{scan.unchanged:,} unchanged."] if lines else ["Nothing has changed."]


def _names(paths: Sequence[str]) -> str:
    more = len(paths) - _MOST
    return ", ".join(paths[:_MOST]) + (f" and {more:,} more" if more > 0 else "")
