"""Workers that are processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Self, TypeVar

from chunking.embedding import contract
from chunking.errors import ChunkscopeError
from chunking.runtime import processes

Job = TypeVar("Job")
Result = TypeVar("Result")

_WAITING = 2
"""Jobs a worker that are handed out at a time."""

_ALONE = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"),
    "TOKENIZERS_PARALLELISM": "false",
}
"""What makes a worker compute with one thread: the workers are what runs side by side, and a sum is added up in the
same order however many of them there are."""


def worker_environment() -> dict[str, str]:
    """Return the environment variables of a worker: one thread, and the device on which models run."""
    return {**_ALONE, contract.DEVICE_VARIABLE: contract.configured_device()}


class LocalEngine:
    """Processes that are begun anew, each with models of its own.

    Args:
        workers: how many; ``None`` for one a core that this process may use.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._workers = workers or processes.cores()
        self._pool: ProcessPoolExecutor | None = None
        self._before: dict[str, str | None] = {}
        self._others: set[int | None] = set()

    def __enter__(self) -> Self:
        environment = worker_environment()
        self._before = {name: os.environ.get(name) for name in environment}
        self._others = {process.pid for process in multiprocessing.active_children()}
        os.environ.update(environment)  # read by libraries when a process begins
        self._pool = ProcessPoolExecutor(self._workers, multiprocessing.get_context("spawn"), _begin)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            if kind is not None:  # what they are at would be lost with the run
                for process in multiprocessing.active_children():
                    if process.pid not in self._others:
                        process.terminate()
            pool.shutdown(wait=True, cancel_futures=True)
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def run(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        """Yield the results of jobs, in the order in which they are done."""
        if self._pool is None:
            raise RuntimeError("an engine is used as a context manager")
        waiting: set[Future[Result]] = set()
        try:
            for job in jobs:
                waiting.add(self._pool.submit(work, job))
                if len(waiting) >= _WAITING * self._workers:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        except BrokenProcessPool as error:
            raise ChunkscopeError(
                "A worker was ended from outside, perhaps for want of memory.",
                "What is finished stays: run the same line again, with fewer --workers if it was memory.",
            ) from error


def _begin() -> None:
    """Ignore interruptions in a worker, which the parent process handles, and end with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # the queue of jobs would be waited for without end
