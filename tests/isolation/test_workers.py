"""Worker processes: progress, stopping, death, and what comes back."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunking import embedding, from_text, samples, strategies
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.isolation import LimitError
from chunking.isolation import workers as workers_module
from chunking.isolation.workers import Task, TaskLimits, WorkerPool, WorkerProcess, run_here
from chunking.jobs.settings import WorkSettings
from chunking.retrieval import tasks
from chunking.retrieval.evaluate import RetrievalOptions
from chunking.retrieval.misses.retrieved import Cutoff
from chunking.retrieval.questions import folders
from chunking.runtime import processes
from chunking.runtime.progress import Tell
from chunking.work.backend import QuickBackend, Slow, WorkerBackend
from chunking.workspace import DocumentAnalysis, Models
from tests.isolation import tasks as functions


@pytest.fixture(scope="module")
def workers() -> Iterator[WorkerPool]:
    """Workers that are started when they are needed."""
    found = WorkerPool(WorkerProcess)
    yield found
    found.close()


TIMEOUT = 120
"""Seconds in which what a test waits for comes, on any machine."""


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A named pipe, for which a task waits."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


def silent(what: str, done: int, total: int) -> None:
    pass


class StopError(Exception):
    """What a user's stop raises."""


def stop_at(what: str) -> Tell:
    def tell(now: str, done: int, total: int) -> None:
        if now == what:
            raise StopError

    return tell


def test_a_task_is_done_by_another_process_which_the_next_one_gets_too(workers: WorkerPool) -> None:
    told: list[tuple[str, int, int]] = []
    first = workers.call(Task(functions.square, (7,)), lambda *progress: told.append(progress))
    second = workers.call(Task(functions.square, (8,)), silent)
    assert (first[0], second[0]) == (49, 64)
    assert first[1] == second[1] != os.getpid()
    assert told[-1] == ("squaring", 1, 1)
    assert workers.call(Task(functions.folder), silent) == os.getcwd()


def test_what_a_task_raises_comes_out(workers: WorkerPool) -> None:
    before = workers.call(Task(functions.square, (1,)), silent)
    with pytest.raises(ChunkscopeError) as raised:
        workers.call(Task(functions.refuse, (3,)), silent)
    assert (raised.value.problem, raised.value.remedy) == ("Not 3.", "Another.")
    with pytest.raises(RuntimeError, match="LocalError: in a worker") as local:
        workers.call(Task(functions.fail), silent)
    assert "tasks.py" in local.value.__notes__[0]
    with pytest.raises((AttributeError, RuntimeError)):
        workers.call(Task(functions.unanswerable), silent)
    assert workers.call(Task(functions.square, (1,)), silent) == before


def test_a_task_that_reports_is_stopped_and_its_process_stays(workers: WorkerPool) -> None:
    before = workers.call(Task(functions.square, (1,)), silent)
    with pytest.raises(StopError):
        workers.call(Task(functions.report_for_ever), stop_at("reporting"))
    assert workers.call(Task(functions.square, (1,)), silent) == before


def test_a_task_that_reports_nothing_is_stopped_by_killing_its_process(
    workers: WorkerPool, monkeypatch: pytest.MonkeyPatch, pipe: Path
) -> None:
    monkeypatch.setattr(workers_module, "GRACE_SECONDS", 0)
    _, before = workers.call(Task(functions.square, (1,)), silent)
    with pytest.raises(StopError):
        workers.call(Task(functions.wait_for, (pipe,)), stop_at("beginning"))
    assert workers.call(Task(functions.square, (1,)), silent)[1] != before


@pytest.mark.parametrize("times", [1, 2])
def test_a_killed_worker_is_replaced_once_and_others_go_on(
    workers: WorkerPool, tmp_path: Path, pipe: Path, times: int
) -> None:
    pids: list[int] = []
    begun = threading.Event()

    def work() -> None:
        pids.append(workers.call(Task(functions.wait_for, (pipe,)), lambda *_: begun.set()))

    other = threading.Thread(target=work, daemon=True)
    other.start()
    assert begun.wait(TIMEOUT)
    task = Task(functions.die, (tmp_path / "deaths", times))
    if times == 1:
        assert workers.call(task, silent) == 1
    else:
        with pytest.raises(ChunkscopeError, match="ended from outside while it did this, twice"):
            workers.call(task, silent)
    pipe.write_bytes(b"")
    other.join(TIMEOUT)
    assert len(pids) == 1


@pytest.fixture(scope="module")
def limited() -> Iterator[WorkerPool]:
    """Workers with little time and memory for a task."""
    found = WorkerPool(partial(WorkerProcess, TaskLimits(cpu=1, memory=64 * MIB)))
    yield found
    found.close()


MIB = 2**20


def test_a_task_that_never_ends_meets_its_limit_of_processor_time_and_the_next_one_is_done(limited: WorkerPool) -> None:
    _, before = limited.call(Task(functions.square, (1,)), silent)
    with pytest.raises(LimitError, match="took longer than 1 seconds of the processor in a worker process"):
        limited.call(Task(functions.never_end), silent)
    assert limited.call(Task(functions.square, (3,)), silent)[1] != before


def test_the_first_task_of_a_worker_that_reports_nothing_meets_its_limit_too() -> None:
    fresh = WorkerPool(partial(WorkerProcess, TaskLimits(cpu=1, memory=64 * MIB)))
    try:
        with pytest.raises(LimitError, match="took longer than 1 seconds of the processor in a worker process"):
            fresh.call(Task(functions.never_end), silent)
    finally:
        fresh.close()


def test_a_task_has_its_processor_time_anew_after_each_report(limited: WorkerPool) -> None:
    _, before = limited.call(Task(functions.square, (1,)), silent)
    assert limited.call(Task(functions.work_and_report, (2.5,)), silent) == before


@pytest.mark.parametrize(
    "task",
    [
        Task(functions.fill_memory, (96 * MIB,)),
        Task(functions.fill_memory_like_torch),
        Task(functions.abort_for_memory, (48 * MIB,)),
    ],
    ids=["python", "torch", "a library that gives up"],
)
def test_a_task_that_gets_no_memory_says_so_and_the_next_one_is_done(limited: WorkerPool, task: Task) -> None:
    with pytest.raises(LimitError, match="required more than 64 MiB of memory in a worker process"):
        limited.call(task, silent)
    assert limited.call(Task(functions.fill_memory, (16 * MIB,)), silent) == 16 * MIB


def test_a_worker_stands_back_for_who_moves_a_slider(workers: WorkerPool) -> None:
    assert workers.call(Task(functions.priority), silent) > os.nice(0)


@pytest.mark.parametrize(("cores", "workers"), [(1, 1), (2, 1), (8, 7)])
def test_there_is_a_worker_for_each_core_but_one(monkeypatch: pytest.MonkeyPatch, cores: int, workers: int) -> None:
    monkeypatch.setattr(processes, "cores", lambda: cores)
    assert WorkSettings.read({}).workers == WorkSettings.read({"CHUNKSCOPE_WORKERS": " "}).slots == workers
    none = WorkSettings.read({"CHUNKSCOPE_WORKERS": "0"})
    assert (none.workers, none.slots) == (0, 1), "a thread of the server does one job at a time"
    with pytest.raises(ChunkscopeError, match="CHUNKSCOPE_WORK_ADDRESS is set, but CHUNKSCOPE_WORKERS is 0"):
        WorkSettings.read({"CHUNKSCOPE_WORKERS": "0", "CHUNKSCOPE_WORK_ADDRESS": "ray://head:10001"})


def test_the_limits_of_workers_are_read_from_the_environment() -> None:
    given = {"CHUNKSCOPE_WORKERS": "2", "CHUNKSCOPE_WORKER_CPU_SECONDS": "60", "CHUNKSCOPE_WORKER_MEMORY": "512"}
    assert WorkSettings.read(given) == WorkSettings(2, limits=TaskLimits(60, 512 * MIB))
    assert WorkSettings.read({"CHUNKSCOPE_WORKERS": "2"}).limits == TaskLimits()
    for name in ("CHUNKSCOPE_WORKER_CPU_SECONDS", "CHUNKSCOPE_WORKER_MEMORY"):
        for text in ("0", "-1", "many", "1e3"):
            with pytest.raises(ChunkscopeError, match=name):
                WorkSettings.read({name: text})


def test_an_idle_worker_is_ended_and_its_memory_is_free() -> None:
    ended = threading.Event()

    class Worker(WorkerProcess):
        def end(self) -> None:
            super().end()
            ended.set()

    pool = WorkerPool(Worker, idle_seconds=0.2)
    _, pid = pool.call(Task(functions.square, (1,)), silent)
    assert len(pool) == 1
    assert ended.wait(TIMEOUT)
    assert len(pool) == 0
    assert not Path(f"/proc/{pid}").exists()


def test_a_worker_ends_with_its_server() -> None:
    worker = WorkerProcess()
    worker._process.input.close()  # as the end of the server does
    end = worker._process.wait(20)
    assert end is not None and end.code == 0
    assert not worker.alive


# --- what the pages send ---------------------------------------------------------------------------------------------


def both(workers: WorkerPool, make: Callable[[VectorCache], Task], tmp_path: Path) -> tuple[Any, Any]:
    """The results of a task in a worker and in this thread, each with a cache of its own."""
    there = workers.call(make(VectorCache(tmp_path / "there" / "vectors-1.sqlite3")), silent)
    return there, run_here(make(VectorCache(tmp_path / "here" / "vectors-1.sqlite3")), silent)


def is_time(name: str) -> bool:
    """Whether a value differs from one measurement to the next."""
    return "seconds" in name or name in ("splitting", "embedding")


def plain(value: Any) -> Any:
    """Everything that a result holds, bit by bit, without times."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items() if not is_time(str(key))}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if is_dataclass(value):
        names = [field.name for field in fields(value) if not is_time(field.name)]
        return type(value).__name__, {name: plain(getattr(value, name)) for name in names}
    return value


def test_an_evaluation_of_retrieval_and_its_causes_are_the_same_in_a_worker(
    workers: WorkerPool, tmp_path: Path
) -> None:
    known = folders.read(samples.FOLDER)
    options = RetrievalOptions(("hybrid",), tools=Models("static", splitter="rules"))
    settings = strategies.parse_named("structural,recursive:size=300")
    arguments = (known, settings, options)
    there, here = both(workers, lambda cache: Task(tasks.evaluate_settings, arguments, cache), tmp_path)
    assert plain(there) == plain(here)
    whole = replace(there[0], question_set=known)
    within = Cutoff(5, 250)
    there, here = both(workers, lambda cache: Task(tasks.trace_causes, (whole, within), cache), tmp_path)
    assert plain(there) == plain(here)
    row, misses = next((row, misses) for row, misses in here.items() if misses and "recursive" in row)
    arguments_ = (whole, row, misses[0], within)
    there, here = both(workers, lambda cache: Task(tasks.find_remedies, arguments_, cache), tmp_path)
    assert plain(there) == plain(here)


@pytest.mark.parametrize(
    ("encoder", "splitter"),
    [
        ("char-ngrams", "rules"),
        pytest.param("all-MiniLM-L6-v2", "spacy/en_core_web_sm", marks=pytest.mark.extended),
    ],
)
def test_vectors_and_sentences_are_the_same_in_a_worker_and_are_kept_there(
    workers: WorkerPool, tmp_path: Path, encoder: str, splitter: str
) -> None:
    document = from_text(samples.load("field-guide-to-backups").document.text[:5000], name="guide.md")
    cache = VectorCache(tmp_path / "vectors-1.sqlite3")
    tools = Models(encoder, splitter=splitter)
    there, here = DocumentAnalysis(document, tools, cache), DocumentAnalysis(document, tools)
    told: list[tuple[int, int]] = []
    with pytest.raises(Slow):
        there.vectors(1, backend=QuickBackend())
    vectors = there.vectors(1, lambda *progress: told.append(progress), WorkerBackend(workers.call))
    assert vectors.tobytes() == here.vectors(1).tobytes()
    assert there.sentences.spans.tobytes() == here.sentences.spans.tobytes()
    assert there.sentences.block.tobytes() == here.sentences.block.tobytes()
    assert there.sentences.document is document
    assert told[-1] == (len(there.sentences), len(there.sentences))
    again = DocumentAnalysis(document, tools, cache)
    assert again.vectors(1, backend=QuickBackend()).tobytes() == vectors.tobytes()


def test_what_is_not_to_be_kept_is_written_nowhere(workers: WorkerPool, tmp_path: Path) -> None:
    document = samples.load("field-guide-to-backups").document
    before = sorted(Path(os.environ["CHUNKSCOPE_CACHE"]).rglob("*"))
    workspace = DocumentAnalysis(document, Models("char-ngrams", splitter="rules"))
    there = workspace.vectors(0, backend=WorkerBackend(workers.call))
    assert there.tobytes() == DocumentAnalysis(document, workspace.tools).vectors().tobytes()
    assert sorted(Path(os.environ["CHUNKSCOPE_CACHE"]).rglob("*")) == before


def test_an_encoder_that_only_this_process_can_reach_is_used_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding.endpoint.OpenAIEndpoint, "dimension", 3)
    seen: list[bool] = []

    def call(task: Task, tell: Tell) -> object:
        seen.append(task.portable)
        return np.zeros((1, 3), dtype=np.float32)

    WorkerBackend(call).embed(["a"], embedding.get_encoder("openai:any"), None, lambda *_: None, "")
    WorkerBackend(call).embed(["a"], embedding.get_encoder("char-ngrams"), None, lambda *_: None, "")
    assert seen == [False, True]


def test_a_worker_that_starts_while_its_pool_is_closed_is_ended() -> None:
    ends: list[str] = []

    class Started:
        alive = True

        def call(self, task: Task, tell: Tell) -> Any:
            return task.run(tell)

        def end(self) -> None:
            ends.append("end")

    def start() -> Started:
        pool.close()
        return Started()

    pool = WorkerPool(start)
    with pytest.raises(ChunkscopeError, match="ended from outside"):
        pool.call(Task(functions.square, (3,)), lambda *_: None)
    assert ends == ["end"]
    assert len(pool) == 0


def test_a_process_that_is_ended_leaves_no_thread() -> None:
    before = threading.active_count()
    for _ in range(5):
        WorkerProcess().end()
        assert threading.active_count() == before


def test_what_is_not_portable_stays_here(workers: WorkerPool) -> None:
    assert workers.call(Task(functions.square, (2,), portable=False), silent) == (4, os.getpid())


def test_one_thread_waits_for_idle_workers_however_many_tasks_there_were() -> None:
    pool = WorkerPool(Idle, idle_seconds=60)
    before = threading.active_count()
    for _ in range(50):
        pool.call(Task(int), lambda *_: None)
    assert threading.active_count() <= before + 1
    pool.close()


class Idle:
    """A worker that does nothing."""

    alive = True

    def call(self, task: Task, tell: Tell) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""
