"""Engines that do the work of a run.

An engine calls a function on many jobs and hands back the results in any order. The functions are pure, and belong to
modules; jobs and results are small and can be pickled: a part is described by its place in a file, never sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol, Self, TypeVar

from chunking.cluster.engine import RayEngine
from chunking.embedding.encoders import worker_environment
from chunking.errors import ChunkscopeError
from chunking.isolation.workers import PoolError, TaskLimits, WorkerPool, WorkerProcess
from chunking.runtime import processes

Job = TypeVar("Job")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False, kw_only=True)
class JobResult:
    """The result of a job, with what it cost.

    Attributes:
        made: by step, how many items did not exist.
        seconds: by step.
    """

    made: Counter[str] = field(default_factory=Counter)
    seconds: Mapping[str, float] = field(default_factory=dict)


class Engine(AbstractContextManager["Engine"], Protocol):
    """Does jobs; a context, at whose end it holds no worker any more."""

    def __enter__(self) -> Self: ...

    def run(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        """Return the results of jobs, in any order; jobs are taken as there is room for them.

        Raises:
            ChunkscopeError: a job raised it, or a worker ended.
        """
        ...


class LocalEngine:
    """Processes that are begun anew, each with models of its own.

    Args:
        workers: how many; ``None`` for one a core that this process may use.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or processes.cores()
        self._pool: WorkerPool | None = None

    def __enter__(self) -> Self:
        start = partial(WorkerProcess, TaskLimits(0, 0, 0), worker_environment(), threads=1)
        self._pool = WorkerPool(start)
        return self

    def __exit__(self, *_: object) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def run(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        """Yield the results of jobs, in the order in which they are done."""
        if self._pool is None:
            raise RuntimeError("an engine is used as a context manager")
        try:
            yield from self._pool.map(work, jobs, self._workers)
        except PoolError as error:
            raise ChunkscopeError(
                "A worker was ended from outside, perhaps for want of memory.",
                "What is finished stays: run the same line again, with fewer --workers if it was memory.",
            ) from error


ENGINES = ("local", "ray")
"""Names of the engines."""


def get(name: str, workers: int | None = None, address: str | None = None) -> Engine:
    """Return an engine.

    Args:
        name: one of :data:`ENGINES`.
        workers: how many; ``None`` for as many as there is room for.
        address: of a cluster; ``None`` for this machine.

    Raises:
        ChunkscopeError: there is no such engine, it has no address or is not installed, or the number of workers is
            invalid.
    """
    if name not in ENGINES:
        raise ChunkscopeError(f"There is no engine {name!r:.40}.", f"There are: {', '.join(ENGINES)}.")
    if workers is not None and workers < 1:
        raise ChunkscopeError("Workers are counted from 1.")
    if name == "ray":
        return RayEngine(workers, address)
    if address is not None:
        raise ChunkscopeError("Only a cluster has an address.", "Name it with --engine ray.")
    return LocalEngine(workers)
