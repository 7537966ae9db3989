from __future__ import annotations

import functools
import os
import pickle
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

import pytest

from chunking import evaluation
from chunking.batch import cutting, engines, experiment
from chunking.batch.corpus import CorpusPart
from chunking.batch.engines import LocalEngine
from chunking.batch.experiment import RunPlan
from chunking.cluster import connection
from chunking.cluster import engine as engine_module
from chunking.cluster.engine import RayEngine
from chunking.errors import ChunkscopeError
from chunking.retrieval.evaluate import RetrievalOptions
from chunking.retrieval.measures import Cutoffs
from chunking.workspace import Models
from tests.batch.sets import beir, content

Job = TypeVar("Job")
Result = TypeVar("Result")

clustered = pytest.mark.skipif(
    find_spec("ray") is None or sys.platform == "win32",
    reason="Ray is not installed (requirements-cluster.txt), or cannot have several nodes on Windows",
)

BREAKS = 9


def started(begin: Callable[[], object]) -> None:
    """Begin a node, again where the machine is too busy for Ray's 30 seconds."""
    for _ in range(5):
        try:
            begin()
        except Exception as error:
            if not connection._is_slow(error):
                raise
        else:
            return
    pytest.fail("Ray's node did not start in five attempts.")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two nodes with a core each, which asks them every second whether they are there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        utils: Any = import_module("ray.cluster_utils")
        # By itself Ray gives its workers the least of a machine that has other work to do.
        config = {"health_check_period_ms": 1000, "worker_niceness": 0}
        head = {"num_cpus": 1, "include_dashboard": False, "_system_config": config}
        own = utils.Cluster()
        for node in (head, {"num_cpus": 1}):
            started(functools.partial(own.add_node, **node))
        yield own
        own.shutdown()


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> RunPlan:
    folder = tmp_path_factory.mktemp("ray")
    return RunPlan(
        "eval",
        (beir(folder / "sea", copies=3),),
        evaluation.read_settings("sentence:max_tokens=24;overlap=4,recursive:size=80;overlap=10", {}),
        folder / "local",
        RetrievalOptions(("dense", "bm25", "hybrid"), Cutoffs(3, (20, 40)), Models("char-ngrams", splitter="rules")),
        part_bytes=500,
    )


@pytest.fixture(scope="module")
def expected(plan: RunPlan) -> dict[str, bytes]:
    """What the run writes without a cluster."""
    experiment.run(plan, lambda: LocalEngine(1))
    return content(plan.out)


@clustered
def test_a_cluster_writes_what_one_machine_writes(
    cluster: Any, plan: RunPlan, expected: dict[str, bytes], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    elsewhere = replace(plan, out=tmp_path)
    done = experiment.run(elsewhere, lambda: RayEngine(address=cluster.address))
    assert done.made["cut"] > 2 * len(plan.settings)
    assert content(tmp_path) == expected
    kept = sorted(path.relative_to(tmp_path) for path in (tmp_path / "work").rglob("*") if path.is_file())
    assert [path for path in kept if path.suffix == ".parquet"]
    for path in kept:
        if path.name != "running.lock":
            assert (tmp_path / path).read_bytes() == (plan.out / path).read_bytes(), path
    assert capfd.readouterr().out == ""


class Losing(RayEngine):
    """Loses a node while it cuts a part, and with it the result.

    Args:
        address: of the cluster.
        doomed: id of the node.
        folder: with two named pipes: ``begun`` tells that the node is at work, ``lost`` that it is gone.
    """

    def __init__(self, address: str, doomed: str, folder: Path) -> None:
        super().__init__(address=address)
        self._doomed = doomed
        self._folder = folder

    def run(self, work: Callable[[Job], Result], jobs: Iterable[Job]) -> Iterator[Result]:
        held = isinstance(work, functools.partial) and work.func is cutting.cut_part
        lossy: Any = functools.partial(cut_until_lost, self._doomed, self._folder, cast(Any, work))
        return super().run(lossy if held else work, jobs)


def cut_until_lost(
    doomed: str, folder: Path, cut: Callable[..., cutting.PartResult], part: CorpusPart
) -> cutting.PartResult:
    """Cut a part; the doomed node never tells that it did, and the others end before only what they begin with."""
    ray: Any = import_module("ray")
    done = cut(part)
    if ray.get_runtime_context().get_node_id() == doomed:
        (folder / "begun").open("wb").close()
        threading.Event().wait()
    if part.number > 1:
        (folder / "lost").open("rb").close()
    return done


@pytest.mark.extended
@clustered
def test_a_node_that_is_lost_loses_nothing(
    cluster: Any, plan: RunPlan, expected: dict[str, bytes], tmp_path: Path
) -> None:
    for name in ("begun", "lost"):
        os.mkfifo(tmp_path / name)
    node = cluster.add_node(num_cpus=1)

    def lose() -> int:
        (tmp_path / "begun").open("rb").close()  # waits for the node to be at work
        cluster.remove_node(node, allow_graceful=False)
        return os.open(tmp_path / "lost", os.O_RDWR)

    with ThreadPoolExecutor(1) as pool:
        lost = pool.submit(lose)
        try:
            experiment.run(
                replace(plan, mode="chunk", out=tmp_path / "out"),
                lambda: Losing(cluster.address, node.node_id, tmp_path),
            )
        finally:
            os.close(os.open(tmp_path / "begun", os.O_RDWR))  # whatever happened, nobody waits for it
        os.close(lost.result())
    found = content(tmp_path / "out")
    same = {*(name for name in expected if name.startswith("data/")), experiment.CHUNK_SIZES}
    assert {name: found[name] for name in same} == {name: expected[name] for name in same}
    assert len(same) == len(plan.settings) + 1


def refuse(number: int) -> int:
    if number:
        raise ChunkscopeError(f"Not {number}.", "Another.")
    return number


def die(_: int) -> int:
    os._exit(BREAKS)


@pytest.mark.extended
@clustered
def test_what_a_job_raises_comes_out_and_a_worker_that_always_ends_is_told(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_module, "_TRIES", 1)
    with RayEngine(2, cluster.address) as engine:
        assert list(engine.run(refuse, [])) == []
        with pytest.raises(ChunkscopeError, match=r"Not 3\. Another\.") as raised:
            list(engine.run(refuse, [0, 3]))
        assert (raised.value.problem, raised.value.remedy) == ("Not 3.", "Another.")
        with pytest.raises(ChunkscopeError, match=r"cluster did not do a job.*same line"):
            list(engine.run(die, [0]))


# --- without a cluster ---------------------------------------------------------------------------------------------


class Unportable(Exception):
    """Cannot be made again from what it was made of."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one)


def spoil(_: int) -> int:
    raise Unportable("bad", "worse")


def _worked(worker: Any, *jobs: tuple[Callable[[int], int], int]) -> list[Any]:
    """What a worker makes of jobs; the error where it raises."""
    pyarrow: Any = import_module("pyarrow")
    rows = pyarrow.table({"job": pyarrow.array([pickle.dumps(job) for job in jobs], pyarrow.large_binary())})
    found: list[Any] = []
    for row in worker(rows).column("result").to_pylist():
        try:
            found.append(engine_module._result(row))
        except Exception as error:
            found.append(error)
    return found


def test_errors_of_any_kind_are_handed_back() -> None:
    worker = engine_module._Worker(connection.versions(), str(Path.cwd()))
    done, refused, spoiled = _worked(worker, (refuse, 0), (refuse, 2), (spoil, 0))
    assert done == 0
    assert isinstance(refused, ChunkscopeError) and refused.remedy == "Another."
    assert isinstance(spoiled, RuntimeError) and str(spoiled) == "Unportable: bad"


def test_a_node_with_other_packages_does_nothing() -> None:
    worker = engine_module._Worker(connection.versions() | {"numpy": "0.1"}, str(Path.cwd()))
    (error,) = _worked(worker, (die, 0))
    assert isinstance(error, ChunkscopeError)
    assert "numpy" in error.problem and "(0.1)" in error.problem and "on every node" in error.remedy


def test_without_ray_its_requirements_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "find_spec", lambda _: None)
    with pytest.raises(ChunkscopeError, match=r"pip install .*\[cluster\]"):
        engines.get("ray", 2)


@clustered
def test_where_no_cluster_is_one_is_told_at_once() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"  # bound, and nobody listens
        with pytest.raises(ChunkscopeError, match=f"No Ray cluster could be used at {address}: .*ray start"):
            RayEngine(address=address).__enter__()


class SlowRay:
    """Ray on a machine that is too busy to start a node in time, for a number of attempts."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.calls: list[str] = []

    def is_initialized(self) -> bool:
        return False

    def init(self, **_: object) -> None:
        self.calls.append("init")
        if self.failures:
            self.failures -= 1
            raise Exception("The current node timed out during startup. This could happen because ...")

    def shutdown(self) -> None:
        self.calls.append("shutdown")


def test_a_busy_machine_gets_time_to_start_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    slow, slower = SlowRay(2), SlowRay(9)
    monkeypatch.setattr(connection, "library", lambda: slow)
    with connection.Connection():
        assert slow.calls == ["init", "shutdown"] * 2 + ["init"]
    monkeypatch.setattr(connection, "library", lambda: slower)
    with pytest.raises(ChunkscopeError, match="No Ray cluster could be used on this machine: .* timed out"):
        connection.Connection().__enter__()
    assert slower.calls == ["init", "shutdown"] * 2 + ["init"]


def test_only_a_cluster_has_an_address() -> None:
    with pytest.raises(ChunkscopeError, match="Only a cluster has an address"):
        engines.get("local", address="127.0.0.1:6379")
