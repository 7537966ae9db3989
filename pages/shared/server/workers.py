"""The workers of this server, which its queues share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from chunking import ChunkscopeError
from chunking.isolation.workers import RunTask, Worker, WorkerPool, WorkerProcess, run_here
from chunking.jobs.settings import WorkSettings
from pages.shared.server import metrics, watchdog


@cache
def settings() -> WorkSettings:
    """Return where this server does heavy work.

    Raises:
        ChunkscopeError: a setting is invalid.
    """
    return WorkSettings.read()


@cache
def call() -> RunTask:
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
    from chunking.cluster.workers import Cluster  # which loads Ray

    return Cluster(settings.address).start


def check_at_start() -> None:
    """End a server that has no way to do heavy work before it answers anybody."""
    try:
        call()
        watchdog.seconds()
    except ChunkscopeError as error:
        raise SystemExit(f"Chunkscope does not start: {error}") from None
