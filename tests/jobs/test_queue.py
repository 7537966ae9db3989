"""Jobs behind the pages: their order, who waits for them, and how they end."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from chunking import ChunkscopeError
from chunking.isolation.workers import Task
from chunking.jobs.fair_queue import MAX_WAITING
from chunking.jobs.queue import WHOLE, Job, JobQueue, Kind, ServerHooks
from chunking.runtime.progress import Tell
from pages.shared.frame.runs import words
from tests.isolation import tasks as functions

TIMEOUT = 30


def held(runs: JobQueue, key: str, go: threading.Event) -> Job:
    """A run that has begun, and is stopped at most 10 ms after it should, or done when it may."""
    begun = threading.Event()

    def work(tell: Tell) -> str:
        begun.set()
        while not go.wait(0.01):
            tell("holding", 0, 1)
        return key

    run = runs.start("causes", key, key, work)
    assert begun.wait(TIMEOUT)
    return run


def work(found: object) -> Callable[[Tell], object]:
    def go(tell: Tell) -> object:
        tell("working", 1, 1)
        return found

    return go


class Counted:
    """Jobs of one person, who may have one at a time."""

    def __init__(self) -> None:
        self.now = 0
        self.ended = threading.Event()

    def admit(self, _: Kind) -> Callable[[], None]:
        if self.now:
            raise ChunkscopeError("You have a job.", "Wait.")
        self.now += 1
        return self._end

    def _end(self) -> None:
        self.now -= 1
        self.ended.set()


def test_a_run_counts_from_when_it_is_queued_until_it_has_ended() -> None:
    counted, go = Counted(), threading.Event()
    runs = JobQueue(hooks=ServerHooks(admit=counted.admit))
    first = held(runs, "first", go)
    assert runs.start("causes", "first", "", work(1)) is first, "it is shared, and counts once"
    refused = runs.start("causes", "second", "", work(2))
    assert refused.state == "failed" and refused.problem is not None and "You have a job" in refused.problem.problem
    runs.stop(first)
    assert first.wait(TIMEOUT)
    assert counted.ended.wait(TIMEOUT), "it has ended a moment before it counts no longer"
    again = runs.start("causes", "second", "", work(2))
    assert again.wait(TIMEOUT) and again.result == 2


def test_a_run_that_waits_counts_until_it_is_stopped() -> None:
    jobs: list[object] = []
    go = threading.Event()

    def admit(_: Kind) -> Callable[[], None]:
        jobs.append(object())
        return jobs.clear

    runs = JobQueue(hooks=ServerHooks(admit=admit))
    held(runs, "first", go)
    waiting = runs.start("causes", "second", "", work(2))
    assert len(jobs) == 2
    runs.stop(waiting)
    assert jobs == []
    runs.forget()
    go.set()


def test_one_that_waits_can_be_stopped_before_it_begins() -> None:
    runs, go = JobQueue(), threading.Event()
    first = held(runs, "first", go)
    second = runs.start("causes", "second", "", work(2))
    assert runs.place(second) == (1, 1)
    assert "waiting, 1st of 1 in the queue" in words(second, runs.place(second))
    runs.stop(second)
    assert second.wait(0) and second.state == "stopped"
    go.set()
    assert first.wait(TIMEOUT) and first.state == "done"
    again = runs.start("causes", "second", "", work(2))
    assert again.wait(TIMEOUT) and again.result == 2


def test_an_error_of_the_program_is_a_sentence_and_the_next_run_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    runs = JobQueue()
    nothing: dict[str, str] = {}
    broken = runs.start("causes", "broken", "Tracing", lambda _: nothing["x"])
    assert broken.wait(TIMEOUT)
    assert broken.problem is not None and "KeyError" in broken.problem.problem
    assert "Tracing ended with an error" in caplog.text
    good = runs.start("causes", "good", "", work(1))
    assert good.wait(TIMEOUT) and good.result == 1


def test_of_each_kind_the_latest_are_kept() -> None:
    runs = JobQueue({"evaluation": 2, "causes": 1, "remedy": 1, "index": 1})
    for name in "abc":
        assert runs.start("evaluation", name, "", work(name)).wait(TIMEOUT)
        assert runs.start("causes", f"of {name}", "", work(name)).wait(TIMEOUT)
    assert [runs.get(name) is not None for name in ("a", "b", "c", "of b", "of c")] == [False, True, True, False, True]


def test_what_is_left_of_a_step_is_told_by_its_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("chunking.jobs.queue.time.monotonic", lambda: now[0])
    run = Job("evaluation", "", "Evaluating", JobQueue(), "running")
    run.tell("cutting", 2, 10)
    assert run.left_of_step is None
    now[0] = 104.0
    run.tell("cutting", 4, 10)
    assert run.left_of_step == pytest.approx(12.0)
    run.tell("embedding passages", 0, 500)
    assert run.left_of_step is None
    assert run.left is None
    now[0] = 110.0
    run.tell(WHOLE, 2, 6)
    assert run.left == pytest.approx(12.0)  # after cutting
    assert "2 of 6 strategies done, about 12 s left" in words(run, (0, 0))


class Server:
    """JobQueue of a server, and the person whose session calls."""

    def __init__(self, slots: int = 1) -> None:
        self.person = "ada"
        self.watched: list[tuple[str, str]] = []
        self.runs = JobQueue(hooks=ServerHooks(slots=slots, person=lambda: self.person, watch=self._watch))

    def _watch(self, run: Job) -> None:
        self.watched.append((run.key, run.state))

    def as_(self, person: str) -> JobQueue:
        self.person = person
        return self.runs


def test_people_take_turns() -> None:
    server, go, order = Server(), threading.Event(), []
    first = held(server.runs, "first", go)

    def note(name: str) -> Callable[[Tell], None]:
        return lambda _: order.append(name)

    made = [server.as_("ada").start("remedy", f"ada {n}", "", note(f"ada {n}")) for n in range(3)]
    made += [server.as_("bob").start("remedy", f"bob {n}", "", note(f"bob {n}")) for n in range(2)]
    assert [server.runs.place(run) for run in made] == [(1, 5), (3, 5), (5, 5), (2, 5), (4, 5)]
    assert server.runs.place(first) == (0, 5)
    assert "waiting, 3rd of 5 in the queue" in words(made[1], server.runs.place(made[1]))
    go.set()
    assert all(run.wait(TIMEOUT) for run in made)
    assert order == ["ada 0", "bob 0", "ada 1", "bob 1", "ada 2"]
    assert server.watched[:4] == [("first", "running"), ("first", "done"), ("ada 0", "running"), ("ada 0", "done")]


def test_a_run_is_stopped_when_nobody_waits_for_it_any_more() -> None:
    server, go = Server(), threading.Event()
    run = held(server.runs, "shared", go)
    assert server.as_("bob").start("causes", "shared", "", lambda _: None) is run
    assert server.as_("cleo").join(run) and run.people == {"ada", "bob", "cleo"}
    for person in ("ada", "bob"):
        server.as_(person).stop(run)
        assert not server.runs.join(run), "who has stopped waiting does not wait again by looking"
    assert run.keep_running and run.people == {"cleo"}
    assert server.as_("ada").start("causes", "shared", "", lambda _: None) is run and server.runs.join(run)
    server.as_("cleo").stop(run)
    server.as_("ada").stop(run)
    assert run.wait(TIMEOUT) and run.state == "stopped"


def test_who_does_not_wait_for_a_run_cannot_stop_it() -> None:
    server, go = Server(), threading.Event()
    run = held(server.runs, "of ada", go)
    server.as_("bob").stop(run)
    assert run.keep_running
    go.set()
    assert run.wait(TIMEOUT) and run.state == "done"


def test_a_waiting_run_stays_for_those_who_have_not_stopped_waiting() -> None:
    server, go = Server(), threading.Event()
    held(server.runs, "first", go)
    run = server.runs.start("causes", "second", "", lambda _: 2)
    server.as_("bob").start("causes", "second", "", lambda _: 2)
    server.as_("ada").stop(run)
    assert run.live and server.runs.place(run) == (1, 1)
    server.as_("bob").stop(run)
    assert run.state == "stopped" and server.runs.place(run) == (0, 0)
    go.set()


def test_a_run_that_is_being_stopped_is_not_shared() -> None:
    server = Server()
    stuck, begun = threading.Event(), threading.Event()

    def work(tell: Tell) -> None:
        begun.set()
        stuck.wait(TIMEOUT)
        tell("late", 0, 1)

    run = server.runs.start("causes", "key", "", work)
    assert begun.wait(TIMEOUT)
    server.runs.stop(run)
    again = server.as_("bob").start("causes", "key", "", lambda _: "new")
    assert again is not run
    stuck.set()
    assert again.wait(TIMEOUT) and again.result == "new" and run.state == "stopped"


def test_a_person_has_so_many_waiting_and_no_more() -> None:
    server, go = Server(), threading.Event()
    held(server.runs, "first", go)
    made = [server.runs.start("vectors", str(number), "", lambda _: 1) for number in range(MAX_WAITING + 1)]
    assert [run.state for run in made] == ["waiting"] * MAX_WAITING + ["failed"]
    assert made[-1].problem is not None and "at most 20 jobs of a person" in made[-1].problem.problem
    assert server.as_("bob").start("vectors", "his", "", lambda _: 1).state == "waiting"
    go.set()
    assert all(run.wait(TIMEOUT) for run in made)
    assert server.as_("ada").start("vectors", str(MAX_WAITING), "", lambda _: 1).wait(TIMEOUT)


def test_as_many_run_at_a_time_as_there_are_slots() -> None:
    server, go = Server(slots=3), threading.Event()
    for number in range(3):
        held(server.runs, str(number), go)
    waiting = server.runs.start("causes", "waits", "", lambda _: 1)
    assert not waiting.wait(0.5) and waiting.state == "waiting"
    go.set()
    assert waiting.wait(TIMEOUT)


def test_without_workers_a_task_runs_in_the_thread_of_its_run() -> None:
    runs = JobQueue()
    assert not runs.in_workers
    run = runs.start("causes", "task", "", lambda tell: runs.call(Task(functions.square, (5,)), tell))
    assert run.wait(TIMEOUT) and run.result[0] == 25 and run.what == "squaring"
