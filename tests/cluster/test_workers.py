"""Workers on the nodes of a cluster."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chunking import from_text
from chunking.cluster import workers as cluster
from chunking.cluster.workers import Cluster, ClusterWorker, _Actor
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.isolation.workers import Task, WorkerLost, WorkerPool
from chunking.work.backend import QuickBackend, WorkerBackend
from chunking.workspace import DocumentAnalysis, Models
from tests.isolation import tasks as functions

clustered = pytest.mark.skipif(
    find_spec("ray") is None or sys.platform == "win32",
    reason="Ray is not installed (requirements-cluster.txt), or cannot have several nodes on Windows",
)


class StopError(Exception):
    """What a user's stop raises."""


def silent(what: str, done: int, total: int) -> None:
    pass


@pytest.fixture(scope="module")
def workers() -> Iterator[WorkerPool]:
    """Workers of a cluster of one node on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Nodes have the package; the functions of the tests are beside it here.
        patch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
        utils: Any = import_module("ray.cluster_utils")
        head = {"num_cpus": 1, "include_dashboard": False, "_system_config": {"worker_niceness": 0}}
        own = utils.Cluster(initialize_head=True, head_node_args=head)
        connected = Cluster(own.address)
        pool = WorkerPool(connected.start)
        yield pool
        pool.close()
        connected.close()
        own.shutdown()


@clustered
def test_where_no_cluster_is_the_address_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    # A process that another test has connected to a cluster stays with it.
    monkeypatch.setattr(import_module("ray"), "is_initialized", lambda: False)
    with pytest.raises(ChunkscopeError, match="No Ray cluster could be used at 127.0.0.1:1"):
        Cluster("127.0.0.1:1")


@pytest.mark.extended
@clustered
def test_a_document_is_embedded_on_a_node_and_its_vectors_are_kept_by_the_server(
    workers: WorkerPool, tmp_path: Path
) -> None:
    document = from_text("The water rises. Boats wait for it. Bread is baked. The oven is hot.", name="tides.txt")
    cache, tools = VectorCache(tmp_path / "vectors-1.sqlite3"), Models("char-ngrams", splitter="rules")
    there = DocumentAnalysis(document, tools, cache).vectors(0, backend=WorkerBackend(workers.call))
    assert there.tobytes() == DocumentAnalysis(document, tools).vectors().tobytes()
    again = DocumentAnalysis(document, tools, cache).vectors(0, backend=QuickBackend())
    assert again.tobytes() == there.tobytes()


@pytest.mark.extended
@clustered
def test_a_task_on_a_node_reports_is_stopped_fails_and_dies(workers: WorkerPool, tmp_path: Path) -> None:
    _, pid = workers.call(Task(functions.square, (3,)), silent)
    assert pid != os.getpid()
    told: list[str] = []

    def stop(what: str, done: int, total: int) -> None:
        told.append(what)
        if what == "reporting":
            raise StopError

    with pytest.raises(StopError):
        workers.call(Task(functions.report_for_ever), stop)
    with pytest.raises(ChunkscopeError, match=r"Not 4\."):
        workers.call(Task(functions.refuse, (4,)), silent)
    assert workers.call(Task(functions.die, (tmp_path, 1)), silent) == 1


def test_a_node_with_other_packages_does_nothing() -> None:
    actor = _Actor({"numpy": "0.1"})
    answer = pickle.loads(actor.run(b""))
    assert answer[0] is False and "numpy" in answer[1].problem


# --- without Ray: its part is played by threads ----------------------------------------------------------------------


class LostError(Exception):
    """What stands for Ray's errors."""


class Exceptions:
    RayError = LostError
    GetTimeoutError = TimeoutError


class Method:
    def __init__(self, function: Callable[..., Any], threads: ThreadPoolExecutor) -> None:
        self._function, self._threads = function, threads

    def remote(self, *arguments: Any) -> Future[Any]:
        return self._threads.submit(self._function, *arguments)


class Ray:
    """As much of Ray as a worker needs."""

    exceptions = Exceptions

    def __init__(self) -> None:
        self.killed: list[object] = []
        self.breaks = False

    def remote(self, **_: object) -> Callable[[type], Any]:
        def make(versions: Mapping[str, str]) -> object:
            actor, threads = _Actor(versions), ThreadPoolExecutor(3)
            methods = {name: Method(getattr(actor, name), threads) for name in ("run", "progress", "stop")}
            return SimpleNamespace(**methods)

        return lambda _: SimpleNamespace(remote=make)

    def wait(self, running: list[Future[Any]], timeout: float) -> tuple[list[Future[Any]], list[Future[Any]]]:
        if self.breaks:
            raise LostError("the node is gone")
        done, rest = wait(running, timeout)
        return list(done), list(rest)

    def get(self, future: Future[Any], timeout: float | None = None) -> Any:
        return future.result(timeout)

    def kill(self, actor: object) -> None:
        self.killed.append(actor)


def test_a_worker_reports_answers_and_stops() -> None:
    ray = Ray()
    worker, told = ClusterWorker(ray), []
    assert worker.call(Task(functions.square, (6,)), silent)[0] == 36
    with pytest.raises(ChunkscopeError, match=r"Not 4\. Another\."):
        worker.call(Task(functions.refuse, (4,)), silent)

    def stop(what: str, done: int, total: int) -> None:
        told.append(what)
        if what == "reporting":
            raise StopError

    with pytest.raises(StopError):
        worker.call(Task(functions.report_for_ever), stop)
    assert worker.alive and not ray.killed
    assert worker.call(Task(functions.square, (7,)), silent)[0] == 49


def test_a_task_on_a_node_gets_no_cache(tmp_path: Path) -> None:
    task = Task(functions.cache_of, (), VectorCache(tmp_path / "vectors.sqlite3"))
    assert ClusterWorker(Ray()).call(task, silent) is None


def test_a_worker_that_does_not_stop_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cluster, "_GRACE_SECONDS", 0)
    os.mkfifo(tmp_path / "pipe")
    ray = Ray()
    worker = ClusterWorker(ray)

    def stop(what: str, done: int, total: int) -> None:
        if what == "beginning":
            raise StopError

    with pytest.raises(StopError):
        worker.call(Task(functions.wait_for, (tmp_path / "pipe",)), stop)
    assert not worker.alive and len(ray.killed) == 1
    (tmp_path / "pipe").write_bytes(b"")  # the thread that plays the worker ends


def test_a_node_that_is_gone_is_a_lost_worker() -> None:
    ray = Ray()
    ray.breaks = True
    with pytest.raises(WorkerLost, match="LostError"):
        ClusterWorker(ray).call(Task(functions.square, (1,)), silent)
