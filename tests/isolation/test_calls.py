from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.errors import ChunkscopeError
from chunking.isolation import Call, LimitError, Limits, calls, keep_warm, rlimits
from chunking.runtime.progress import Progress
from tests.isolation import bad_functions

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits and /proc of Linux")


@pytest.fixture(params=["fresh", pytest.param("forked", marks=ON_LINUX)], autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Each test runs in processes that are started, and in those that are forked."""
    before = calls._WARM.modules
    keep_warm(["tests.isolation.bad_functions"] if request.param == "forked" else [])
    if request.param == "forked":
        run("echo")  # the fork server is there
    yield request.param
    keep_warm(before)


def run(
    function: str, data: bytes = b"file", limits: Limits | None = None, progress: Progress | None = None, *more: object
) -> bytes:
    libraries = ("tests.isolation.not_there",) if function == "not_there" else ()
    call: Call[bytes] = Call(getattr(bad_functions, function, bad_functions.echo), (data, *more), libraries)
    return calls.run(call, "tea.pdf", limits or Limits(wall=30), progress)


def traces() -> tuple[set[int | None], int, set[int]]:
    """Threads, descriptors and descendants of this process."""
    return {thread.ident for thread in threading.enumerate()}, len(os.listdir("/proc/self/fd")), descendants()


def descendants(pid: int | str = "self") -> set[int]:
    children = {int(pid) for path in Path(f"/proc/{pid}/task").glob("*/children") for pid in path.read_text().split()}
    return children.union(*map(descendants, children))


def is_alive(pid: int) -> bool:
    """Whether a process runs, or could; one that has ended may still be listed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def command_of(pid: int) -> str:
    """Return the state and the command of a process, and its parent's number."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
        return f"{state} of {parent}: {Path(f'/proc/{pid}/cmdline').read_text().replace(chr(0), ' ')}"
    except OSError:
        return "gone meanwhile"


@pytest.fixture
def _leaves_nothing() -> Iterator[None]:
    threads, descriptors, processes = traces()
    yield
    # What another test has left may end meanwhile.
    threads_now, descriptors_now, processes_now = traces()
    assert threads_now <= threads
    assert descriptors_now <= descriptors
    assert {pid: command_of(pid) for pid in processes_now - processes} == {}


def test_a_function_gets_its_data_and_reports() -> None:
    told: list[tuple[int, int]] = []
    assert run("good", b"tea", None, lambda *numbers: told.append(numbers), "x") == b"x tea"
    assert told[-1] == (2, 2)


def test_a_large_file_goes_through_the_pipes_both_ways() -> None:
    data = os.urandom(5_000_000)
    assert run("echo", data) == data


def test_what_a_library_prints_does_not_get_into_the_answer() -> None:
    assert run("chatty") == b"file"


CAUSES = {
    "refuses": "It has no text. Scan it again.",
    "raises": "“tea.pdf” cannot be read: it is damaged",
    "exits": "“tea.pdf” cannot be read: it is damaged",
    "dies": "exit code 7",
    "recurses": "nested too deeply",
    "talks_too_much": "more than 20 MiB of text",
    "is_half": "exit code 0",
    "not_there": "this installation has no loader for it",
}
ON_LINUX_ONLY = {
    "crashes": "crashed its parser (SIGSEGV)",
    "killed": "was killed from outside",
    "grows": "more memory than",
    "floods": "more than 20 MiB of text",
    "lies": "more than 20 MiB of text",
    "babbles": "“tea.pdf”",
    "goes_silent": "“tea.pdf” cannot be read: it is damaged",
    "fills": "more memory than the limit for one file",
    "gives_up": "more memory than the limit for one file",
    "follows_null": "more memory than the limit for one file",
}


@ON_LINUX
@pytest.mark.usefixtures("_leaves_nothing")
@pytest.mark.parametrize(("parser", "words"), (CAUSES | ON_LINUX_ONLY).items(), ids=(CAUSES | ON_LINUX_ONLY))
def test_each_way_to_break_is_told_and_leaves_nothing(parser: str, words: str, way: str) -> None:
    with pytest.raises(ChunkscopeError) as told:
        run(parser)
    # The size of a fresh process counts what its parent had, so that it may not show that there was no more memory.
    unseen = way == "fresh" and parser == "follows_null"
    assert words in str(told.value) or (unseen and "crashed its parser" in str(told.value))
    assert told.value.remedy
    assert "secret" not in str(told.value)


@ON_LINUX
def test_a_process_sees_its_memory_and_what_it_may_still_take() -> None:
    resident, available = json.loads(run("sizes", b"", limits=Limits(memory=100 * 2**20)))
    assert resident > 2**20
    assert 50 * 2**20 < available <= 100 * 2**20 + 100  # and some for the arguments


@ON_LINUX
@pytest.mark.usefixtures("_leaves_nothing")
def test_a_process_that_is_killed_in_mid_work_is_told_and_the_next_file_is_read() -> None:
    before = descendants()

    def kill(done: int, total: int) -> None:
        for pid in descendants() - before:
            os.kill(pid, signal.SIGKILL)

    with pytest.raises(ChunkscopeError, match="“tea.pdf” was killed from outside.*Try again"):
        run("hangs", progress=kill)
    assert run("echo") == b"file"


@ON_LINUX
@pytest.mark.usefixtures("_leaves_nothing")
@pytest.mark.parametrize(
    ("parser", "limits", "words"),
    [
        ("burns", Limits(cpu=1), "1 seconds of the processor"),
        ("never_ends", Limits(cpu=1), "1 seconds of the processor"),
        ("never_ends", Limits(wall=0.5), "longer to read than 0.5"),
        ("hangs", Limits(wall=0.5), "longer to read than 0.5"),
    ],
)
def test_time_is_limited(parser: str, limits: Limits, words: str) -> None:
    with pytest.raises(LimitError, match=words):
        run(parser, limits=limits)


@ON_LINUX
@pytest.mark.usefixtures("_leaves_nothing")
def test_a_process_that_does_not_take_its_file_is_given_up() -> None:
    with pytest.raises(ChunkscopeError, match="longer to read"):
        run("echo", bytes(1_000_000), Limits(wall=0.001))


def test_a_result_of_another_type_is_refused() -> None:
    with pytest.raises(ChunkscopeError, match="“tea.pdf” cannot be read: it is damaged"):
        run("returns_text")


def test_output_is_limited() -> None:
    with pytest.raises(ChunkscopeError, match="more than"):
        run("echo", bytes(2_000_000), Limits(output=1_000_000))


@ON_LINUX
def test_output_is_limited_in_sum() -> None:
    assert run("reports_too_much") == b"file"
    with pytest.raises(ChunkscopeError, match="more than"):
        run("reports_too_much", limits=Limits(output=8_000))


class _Stop(BaseException):
    """As Streamlit's, which is no Exception."""


@ON_LINUX
@pytest.mark.usefixtures("_leaves_nothing")
def test_a_progress_that_raises_stops_the_process() -> None:
    def stop(done: int, total: int) -> None:
        raise _Stop

    with pytest.raises(_Stop):
        run("hangs", progress=stop)


def test_who_waits_for_a_turn_can_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(calls._SLOTS, "long", threading.BoundedSemaphore(1))
    told = []

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        raise _Stop

    with calls._slot(Limits(), None), pytest.raises(_Stop):
        run("echo", progress=stop)
    assert told == [(0, 0)]
    with calls._slot(Limits(), None):
        assert run("echo", b"of another kind", Limits(slots="short")) == b"of another kind"
    assert run("echo", b"free again") == b"free again"


def test_no_more_run_at_a_time_than_may(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most, lock = 0, 0, threading.Lock()

    class Counting(calls._Child):
        def __enter__(self) -> Counting:
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            super().__enter__()
            return self

        def __exit__(self, *error: object) -> None:
            nonlocal running
            with lock:
                running -= 1
            super().__exit__(None, None, None)

    answers: list[bytes] = []
    monkeypatch.setattr(calls, "_Child", Counting)
    callers = [threading.Thread(target=lambda: answers.append(run("echo"))) for _ in range(5)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert answers == [b"file"] * 5
    assert most <= calls.MAX_PROCESSES["long"]


@ON_LINUX
def test_nothing_is_granted_that_a_parser_has_no_need_of() -> None:
    assert json.loads(run("wants_more")) == []


@ON_LINUX
def test_a_process_knows_little_and_stands_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    state = json.loads(run("state"))
    assert "OPENAI_API_KEY" not in state["environment"]
    assert state["nice"] >= Limits().niceness
    assert state["leads"]
    assert state["core"] == state["files"] == state["processes"] == [0, 0]
    assert state["descriptors"] == [rlimits.DESCRIPTORS] * 2
    assert not {"streamlit", "torch", "spacy"} & set(state["imports"])


def test_modules_can_still_be_imported_when_the_limits_hold() -> None:
    assert run("imports_late") == b"(0.0, 0.0, 0)"


def test_a_process_that_cannot_be_started_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise BlockingIOError("no more")

    keep_warm([])
    monkeypatch.setattr("subprocess.Popen", refuse)
    with pytest.raises(ChunkscopeError, match="no further process"):
        run("echo")


@ON_LINUX
def test_a_fork_server_that_is_gone_is_started_again(way: str) -> None:
    server = calls._WARM.server()
    if way == "forked":
        assert server
        os.kill(server.pid, signal.SIGKILL)
        server._process.wait()
    assert run("echo") == b"file"
    assert (calls._WARM.server() is not server) == (way == "forked")


@ON_LINUX
def test_a_call_whose_fork_server_is_killed_says_so_and_its_process_is_gone(way: str) -> None:
    server = calls._WARM.server()
    assert (server is None) == (way == "fresh")
    if server is None:
        return
    working: set[int] = set()

    def kill(done: int, total: int) -> None:
        if not working:
            working.update(descendants(server.pid))
            os.kill(server.pid, signal.SIGKILL)

    with pytest.raises(ChunkscopeError, match="“tea.pdf” was killed from outside.*Try again"):
        run("hangs", limits=Limits(wall=10), progress=kill)
    (process,) = working
    while is_alive(process):
        pass
    assert run("echo") == b"file"
