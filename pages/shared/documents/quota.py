"""What the person of this session may still add; without a log-in that is anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chunking.errors import ChunkscopeError
from chunking.operation.quotas import Meter, quotas_of_environment
from pages.shared import identity
from pages.shared.documents.uploaders import UploadedFile, release
from pages.shared.storage import current


def check(files: int) -> None:
    """Count files that are about to be added; whether the library has room for them is seen as they are.

    Raises:
        ChunkscopeError: they are too many for this person; nothing was counted.
    """
    if not identity.current().is_known:
        return
    library = current.library()
    Meter(library.storage.database, quotas_of_environment()).count_uploads(library.identity, files)


def admitted(uploads: Sequence[UploadedFile], tell: Callable[[ChunkscopeError], None]) -> Sequence[UploadedFile]:
    """Return files that may be added; else release them all, and report why.

    Args:
        uploads: the files.
        tell: reports a problem.
    """
    try:
        check(len(uploads))
    except ChunkscopeError as error:
        for each in uploads:
            release(each)
        tell(error)
        return ()
    return uploads
