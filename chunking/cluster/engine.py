"""Workers on the nodes of a Ray cluster, fed by Ray Data.

Jobs are the rows of a data set, and actors that hold their models turn each into a row with its result; Ray Data hands
them out as there is room for what comes back: a pool has as many actors as the cluster has cores, a task is begun when
one of them is free and memory for results is left, and results are taken from the stream one by one. Documents and
chunks stay in files that every node sees: no process, the driver included, holds more of them than a part, and only
jobs and results, which are small, pass through the driver. What a node was at when it was lost is done again by
another: a part is in its file whole or not at all, and one that is there is only read.
"""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from chunking.cluster.connection import Connection, library, reason, unlike, versions
from chunking.embedding.encoders import worker_environment
from chunking.errors import ChunkscopeError
from chunking.installation import optional
from chunking.isolation.worker import portable

Job = TypeVar("Job")
Result = TypeVar("Result")

_BLOCKS = 10_000
"""Tasks that jobs are handed out in: more of them than this share tasks, since Ray plans each by itself."""

_TRIES = 100
"""How often a task is begun again whose worker or node was lost: some are used up until the cluster knows that a node
is gone, and a job that no worker survives must end the run."""


class RayEngine:
    """Actors with a core each, in a cluster; see :class:`chunking.cluster.connection.Connection`.

    Args:
        workers: how many; ``None`` for one a core of the cluster.
        address: of a cluster, as ``ray.init`` takes it; ``None`` begins one on this machine.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        self._workers = workers
        self._connection = Connection(address, workers)

    def __enter__(self) -> Self:
        self._connection.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.__exit__()

    def run(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        """Yield the results of jobs, in the order in which they are done."""
        ray = library()
        rows = [pickle.dumps((work, job)) for job in jobs]
        if not rows:
            return
        try:
            for batch in self._data(ray, rows).iter_batches(batch_size=None, batch_format="pyarrow"):
                for row in batch.column(_RESULT).to_pylist():
                    yield _result(row)
        except ray.exceptions.RayError as error:
            raise ChunkscopeError(
                f"The cluster did not do a job: {reason(error)}",
                "What is finished stays: run the same line again; a node may have too little memory for its cores.",
            ) from error

    def _data(self, ray: Any, rows: list[bytes]) -> Any:
        """Return the data set of results, which is made as it is read."""
        data = ray.data.from_items([{_JOB: row} for row in rows], override_num_blocks=min(len(rows), _BLOCKS))
        data.context.enable_progress_bars = False
        data.context.print_on_execution_start = False
        data.context.log_internal_stack_trace = False
        most = min(self._workers or max(1, int(ray.cluster_resources().get("CPU", 1))), len(rows))
        with warnings.catch_warnings():
            # The bound to begin again has no other name in this release, and without it there is none.
            warnings.simplefilter("ignore", DeprecationWarning)
            return data.map_batches(
                _Worker,
                batch_size=1,
                batch_format="pyarrow",
                compute=ray.data.ActorPoolStrategy(min_size=1, max_size=most, initial_size=most),
                fn_constructor_args=(versions(), str(Path.cwd())),
                num_cpus=1,
                runtime_env={"env_vars": worker_environment()},
                max_restarts=-1,
                max_task_retries=_TRIES,
            )


_JOB, _RESULT = "job", "result"


class _Worker:
    """An actor; what a job needs of models is loaded for the first and kept for the next.

    Args:
        versions: of the libraries where the run was begun.
        folder: where it was begun, which paths may be relative to.
    """

    def __init__(self, versions: Mapping[str, str], folder: str) -> None:
        self._unlike = unlike(versions)
        if Path(folder).is_dir():
            os.chdir(folder)

    def __call__(self, batch: Any) -> Any:
        """Return the results of jobs, as tables of one column of pickles."""
        arrow = optional("pyarrow", "evaluation", "The engine ray")
        results = [pickle.dumps(self._run_job(row)) for row in batch.column(_JOB).to_pylist()]
        return arrow.table({_RESULT: arrow.array(results, arrow.large_binary())})

    def _run_job(self, row: bytes) -> object:
        if self._unlike is not None:
            return _JobFailure(self._unlike)
        work, job = pickle.loads(row)
        try:
            return work(job)
        except Exception as error:
            return _JobFailure(portable(error))


class _JobFailure:
    """The error that a job raised: returned, since Ray would repeat a job that raises.

    Args:
        error: what was raised.
    """

    def __init__(self, error: Exception) -> None:
        self.error = error


def _result(row: bytes) -> Any:
    result = pickle.loads(row)
    if isinstance(result, _JobFailure):
        raise result.error
    return result
