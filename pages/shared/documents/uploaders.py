"""The files in the uploaders of all pages."""

from __future__ import annotations

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.shared.state import widget_value

__all__ = ["UploadedFile", "contents", "release", "uploaded_files"]


def uploaded_files(key: str) -> list[UploadedFile]:
    """Return the files of an uploader that the server still has.

    A page may also list files that were released, or whose upload was interrupted by closing the tab.
    """
    given = widget_value(key) or []
    return [each for each in (given if isinstance(given, list) else [given]) if isinstance(each, UploadedFile)]


def contents(key: str) -> list[tuple[str, bytes]]:
    """Return name and bytes of each file of an uploader, and release the files."""
    found = []
    for each in uploaded_files(key):
        found.append((each.name, each.getvalue()))
        release(each)
    return found


def release(upload: UploadedFile) -> None:
    """Remove a file from the server's memory, which would otherwise keep it until the session ends."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, upload.file_id)
