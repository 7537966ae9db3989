"""Uploads that the quota of this person admits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chunking.errors import ChunkscopeError
from pages.shared.documents.uploaders import UploadedFile, release
from pages.shared.storage import quota


def admitted(uploads: Sequence[UploadedFile], tell: Callable[[ChunkscopeError], None]) -> Sequence[UploadedFile]:
    """Return files that may be added; else release them all, and report why.

    Args:
        uploads: the files.
        tell: reports a problem.
    """
    try:
        quota.count_uploads(len(uploads))
        quota.count_bytes(sum(each.size for each in uploads))
    except ChunkscopeError as error:
        for each in uploads:
            release(each)
        tell(error)
        return ()
    return uploads
