"""Workers that are processes of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Self, TypeVar

from chunking.embedding import encoders
from chunking.errors import ChunkscopeError
from chunking.isolation.workers import PoolError, TaskLimits, WorkerPool, WorkerProcess
from chunking.runtime import processes

Job = TypeVar("Job")
Result = TypeVar("Result")

_ALONE = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"),
    "TOKENIZERS_PARALLELISM": "false",
}
"""What makes a worker compute with one thread: the workers are what runs side by side, and a sum is added up in the
same order however many of them there are."""


def worker_environment() -> dict[str, str]:
    """Return the environment variables of a worker: one thread, and the device on which models run."""
    return {**_ALONE, encoders.DEVICE_VARIABLE: encoders.configured_device()}


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
