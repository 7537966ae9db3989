"""The heavy jobs that the person of this session has at once; without a log-in they are not counted."""

from __future__ import annotations

from chunking.operation.quotas import Job, Meter, limit_of_jobs, quotas_of_environment
from pages.shared import identity
from pages.shared.storage import current


def begin() -> Job:
    """Count a job until it is ended.

    Raises:
        ChunkscopeError: the person has as many as she may have, or the database cannot be used.
    """
    person, quotas = identity.current(), quotas_of_environment()
    if limit_of_jobs(person, quotas) is None:
        return Job()
    return Meter(current.library().storage.database, quotas).begin_job(person)
