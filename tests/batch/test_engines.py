from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from chunking.batch import engines
from chunking.batch.engines import LocalEngine
from chunking.embedding.encoders import DEVICE, configure_device
from chunking.errors import ChunkscopeError
from tests.isolation.test_calls import ON_LINUX, descendants


def square(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def refuse(number: int) -> int:
    raise ChunkscopeError(f"Not {number}.", "Another.")


def threads(_: int) -> str | None:
    return os.environ.get("OMP_NUM_THREADS")


def device(_: int) -> str:
    return DEVICE.name


def die(_: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def test_jobs_are_done_in_other_processes_and_taken_as_there_is_room() -> None:
    taken: list[int] = []

    def jobs() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            yield number

    before = os.environ.get("OMP_NUM_THREADS")
    with LocalEngine(2) as engine:
        results = engine.run(square, jobs())
        first = next(results)
        assert len(taken) <= 4
        rest = list(results)
        assert list(engine.run(threads, [0])) == ["1"]
    assert {value for value, _ in [first, *rest]} == {number * number for number in range(20)}
    assert os.getpid() not in {process for _, process in [first, *rest]}
    assert os.environ.get("OMP_NUM_THREADS") == before


def test_models_of_workers_run_on_the_configured_device() -> None:
    before = os.environ.get(DEVICE.variable)
    configure_device("auto")
    try:
        with LocalEngine(1) as engine:
            assert list(engine.run(device, [0])) == ["auto"]
    finally:
        configure_device(None)
    assert os.environ.get(DEVICE.variable) == before


def test_a_worker_that_is_killed_is_told() -> None:
    with pytest.raises(ChunkscopeError, match=r"ended from outside.*same line"), LocalEngine(1) as engine:
        list(engine.run(die, [0]))


def interrupted() -> Iterator[int]:
    yield from range(3)
    raise KeyboardInterrupt


@ON_LINUX
@pytest.mark.parametrize(
    ("work", "jobs", "error"), [(refuse, [3], ChunkscopeError), (square, interrupted(), KeyboardInterrupt)]
)
def test_what_ends_a_run_comes_out_and_no_worker_stays(
    work: Callable[[int], Any], jobs: Iterable[int], error: type[BaseException]
) -> None:
    before = descendants()
    with pytest.raises(error) as raised, LocalEngine(2) as engine:
        list(engine.run(work, jobs))
    if isinstance(raised.value, ChunkscopeError):
        assert (raised.value.problem, raised.value.remedy) == ("Not 3.", "Another.")
    assert descendants() <= before


def test_engines_have_names() -> None:
    assert isinstance(engines.get("local", 3), LocalEngine)
    with pytest.raises(ChunkscopeError, match="no engine 'steam'"):
        engines.get("steam")
    with pytest.raises(ChunkscopeError, match="counted from 1"):
        engines.get("local", 0)
