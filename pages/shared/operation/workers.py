"""The workers of this server, which its queues share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from chunking import ChunkscopeError
from chunking.work.pool import Worker, WorkerPool
from chunking.work.process import WorkerProcess
from chunking.work.settings import WorkSettings
from chunking.work.task import Call, run_here
from pages.shared.operation import metrics, watchdog


@cache
def settings() -> WorkSettings:
    """Return where this server does heavy work.

    Raises:
        ChunkscopeError: a setting is invalid.
    """
    return WorkSettings.read()


@cache
def call() -> Call:
    """Return what runs a task: a worker of this server, or the calling thread where there are none.

    Raises:
        ChunkscopeError: the cluster cannot be used.
    """
    if not settings().workers:
        return run_here
    pool = WorkerPool(_starter(settings()))
    metrics.POOLS.add(pool)
    return pool.call


def _starter(settings: WorkSettings) -> Callable[[], Worker]:
    if not settings.address:
        return partial(WorkerProcess, settings.limits)
    from chunking.work.cluster import Cluster  # which loads Ray

    return Cluster(settings.address).start


def check_at_start() -> None:
    """End a server that has no way to do heavy work before it answers anybody."""
    try:
        call()
        watchdog.seconds()
    except ChunkscopeError as error:
        raise SystemExit(f"Chunkscope does not start: {error}") from None
