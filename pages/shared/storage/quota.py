"""What the person of this session may still do on a server with log-in; without one that is anything."""

from __future__ import annotations

from collections.abc import Callable

from chunking.jobs.queue import Kind
from chunking.store.quotas import UsageQuota, limit_of_jobs, quotas_of_environment
from pages.shared import identity
from pages.shared.storage import session_library


def count_uploads(files: int) -> None:
    """Count files that are about to be added; whether the library has room for them is seen as they are.

    Raises:
        ChunkscopeError: they are too many for this person; nothing was counted.
    """
    person = identity.current()
    if person.is_known:
        _meter().count_uploads(person, files)


def count_bytes(size: int) -> None:
    """Count the bytes of files that are about to be added.

    Raises:
        ChunkscopeError: they are too many for this person; they were not counted.
    """
    person = identity.current()
    if person.is_known:
        _meter().count_uploads(person, 0, size)


def begin_job(kind: Kind) -> Callable[[], None]:
    """Count a heavy job, and return what counts it no longer.

    A document that is opened and its vectors do not count: the page waits for them, and uploads have a limit of
    their own.

    Raises:
        ChunkscopeError: this person has as many jobs as one may have at once.
    """
    person = identity.current()
    if kind in ("document", "vectors") or limit_of_jobs(person, quotas_of_environment()) is None:
        return lambda: None
    return _meter().begin_job(person).end


def _meter() -> UsageQuota:
    return UsageQuota(session_library.library().storage.database, quotas_of_environment())
