"""Engines that do the work of a run.

An engine calls a function on many jobs and hands back the results in any order. The functions are pure, and belong to
modules; jobs and results are small and can be pickled: a part is described by its place in a file, never sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Protocol, Self, TypeVar

from chunking.batch.engines.local import LocalEngine
from chunking.batch.engines.ray import RayEngine
from chunking.errors import ChunkscopeError

Job = TypeVar("Job")
Result = TypeVar("Result")


class Engine(AbstractContextManager["Engine"], Protocol):
    """Does jobs; a context, at whose end it holds no worker any more."""

    def __enter__(self) -> Self: ...

    def run(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        """Return the results of jobs, in any order; jobs are taken as there is room for them.

        Raises:
            ChunkscopeError: a job raised it, or a worker ended.
        """
        ...


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
