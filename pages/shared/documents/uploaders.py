"""What the uploaders of all pages were given."""

from __future__ import annotations

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pages.shared.state import widget_value

__all__ = ["UploadedFile", "contents", "handed", "release"]


def handed(key: str) -> list[UploadedFile]:
    """The files of an uploader; without those that the server no longer has, which a page may still name.

    That is so of what was released, and where a tab was closed in the middle of an upload.
    """
    given = widget_value(key) or []
    return [each for each in (given if isinstance(given, list) else [given]) if isinstance(each, UploadedFile)]


def contents(key: str) -> list[tuple[str, bytes]]:
    """Name and bytes of each file of an uploader, which the server then forgets."""
    found = []
    for each in handed(key):
        found.append((each.name, each.getvalue()))
        release(each)
    return found


def release(upload: UploadedFile) -> None:
    """Let the server forget a file; of itself it keeps the bytes until the session ends, whatever the widgets do."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        context.uploaded_file_mgr.remove_file(context.session_id, upload.file_id)
