"""Workers on the nodes of a cluster."""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from chunking import from_text
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.work.backend import QuickBackend, WorkerBackend
from chunking.work.cluster import Cluster, _Actor
from chunking.work.pool import WorkerPool
from chunking.work.task import Task
from chunking.workspace import Tools, Workspace
from tests.work import functions

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
def test_a_document_is_embedded_on_a_node_and_its_vectors_are_kept_by_the_server(
    workers: WorkerPool, tmp_path: Path
) -> None:
    document = from_text("The water rises. Boats wait for it. Bread is baked. The oven is hot.", name="tides.txt")
    cache, tools = VectorCache(tmp_path / "vectors-1.sqlite3"), Tools("char-ngrams", splitter="rules")
    there = Workspace(document, tools, cache).vectors(0, backend=WorkerBackend(workers.call))
    assert there.tobytes() == Workspace(document, tools).vectors().tobytes()
    again = Workspace(document, tools, cache).vectors(0, backend=QuickBackend())
    assert again.tobytes() == there.tobytes()


@clustered
def test_a_task_on_a_node_reports_is_stopped_fails_and_dies(workers: WorkerPool, tmp_path: Path) -> None:
    _, pid = workers.call(Task(functions.square, (3,)), silent)
    assert pid != os.getpid()
    told: list[str] = []

    def stop(what: str, done: int, total: int) -> None:
        told.append(what)
        if what == "reporting":
            raise StopError

    start = time.monotonic()
    with pytest.raises(StopError):
        workers.call(Task(functions.report_for, (60,)), stop)
    assert time.monotonic() - start < 30
    with pytest.raises(ChunkscopeError, match=r"Not 4\."):
        workers.call(Task(functions.refuse, (4,)), silent)
    assert workers.call(Task(functions.die, (tmp_path, 1)), silent) == 1


@clustered
def test_where_no_cluster_is_the_address_is_named() -> None:
    with pytest.raises(ChunkscopeError, match="No Ray cluster could be used at 127.0.0.1:1"):
        Cluster("127.0.0.1:1")


def test_a_node_with_other_packages_does_nothing() -> None:
    actor = _Actor({"numpy": "0.1"})
    answer = pickle.loads(actor.run(b""))
    assert answer[0] is False and "numpy" in answer[1].problem
