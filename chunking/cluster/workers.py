"""Workers of a server on the nodes of a Ray cluster.

A worker is an actor that holds a core and its models. The server asks it how far it is, and tells it to stop; a node
that is lost is a worker that is lost. Nothing is written to the disk of a node: results come back to the server.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from chunking.cluster.connection import Connection, library, unlike, versions
from chunking.embedding.encoders import worker_environment
from chunking.isolation.worker import Cancelled, portable
from chunking.isolation.workers import Task, WorkerLost
from chunking.runtime.progress import Tell

_TICK_SECONDS = 0.3
_GRACE_SECONDS = 5.0


class Cluster:
    """A cluster that this process is connected to.

    Args:
        address: as ``ray.init`` takes it.

    Raises:
        ChunkscopeError: no cluster can be used there, or Ray is not installed.
    """

    def __init__(self, address: str) -> None:
        self._connection = Connection(address).__enter__()

    def start(self) -> ClusterWorker:
        """Return a new worker, which begins once a core is free."""
        return ClusterWorker(library())

    def close(self) -> None:
        """End the connection."""
        self._connection.__exit__()


class ClusterWorker:
    """A worker in a cluster; for one thread at a time.

    Args:
        ray: the library.
    """

    def __init__(self, ray: Any) -> None:
        self._ray = ray
        options = {"num_cpus": 1, "max_concurrency": 3, "runtime_env": {"env_vars": worker_environment()}}
        self._actor = ray.remote(**options)(_Actor).remote(versions())
        self._alive = True

    @property
    def alive(self) -> bool:
        """Whether it can run a task, as far as is known."""
        return self._alive

    def call(self, task: Task, tell: Tell) -> Any:
        """Run a task and return its result; what ``tell`` raises ends it.

        Raises:
            WorkerLost: the worker or its node ended before it answered.
        """
        try:
            is_done, content = self._answer(self._actor.run.remote(pickle.dumps(task.without_cache())), tell)
        except self._ray.exceptions.RayError as error:
            raise WorkerLost(type(error).__name__) from error
        if is_done:
            return content
        raise content

    def end(self) -> None:
        """End the worker at once."""
        self._alive = False
        with suppress(Exception):  # it may be gone, and so may the cluster
            self._ray.kill(self._actor)

    def _answer(self, running: Any, tell: Tell) -> tuple[bool, Any]:
        try:
            progress = ("", 0, 0)
            while not self._ray.wait([running], timeout=_TICK_SECONDS)[0]:
                with suppress(self._ray.exceptions.GetTimeoutError):  # it waits for a core
                    progress = self._ray.get(self._actor.progress.remote(), timeout=_TICK_SECONDS)
                tell(*progress)
        except self._ray.exceptions.RayError:
            raise
        except BaseException:
            self._stop(running)
            raise
        answer: tuple[bool, Any] = pickle.loads(self._ray.get(running))
        return answer

    def _stop(self, running: Any) -> None:
        self._actor.stop.remote()
        if not self._ray.wait([running], timeout=_GRACE_SECONDS)[0]:
            self.end()


class _Actor:
    """Runs tasks one after the other, and answers meanwhile how far it is.

    Args:
        server_versions: versions of the libraries of the server.
    """

    def __init__(self, server_versions: Mapping[str, str]) -> None:
        self._unlike = unlike(server_versions)
        self._progress: tuple[str, int, int] = ("", 0, 0)
        self._stopped = threading.Event()

    def run(self, content: bytes) -> bytes:
        """Return the pickled answer to a pickled task: whether it is done, and the result or the error."""
        if self._unlike is not None:
            return pickle.dumps((False, self._unlike))
        self._progress = ("", 0, 0)
        self._stopped.clear()
        try:
            return pickle.dumps((True, pickle.loads(content).run(self._tell)))
        except Exception as error:
            return pickle.dumps((False, portable(error)))

    def progress(self) -> tuple[str, int, int]:
        """Return how far the task is."""
        return self._progress

    def stop(self) -> None:
        """Stop the task at its next report."""
        self._stopped.set()

    def _tell(self, what: str, done: int, total: int) -> None:
        if self._stopped.is_set():
            raise Cancelled
        self._progress = (what, done, total)
