from __future__ import annotations

import json
import os
import signal
import struct
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.errors import ChunkscopeError
from chunking.loading import LoadParameters, sandbox, worker
from chunking.loading.worker import Limits, _run

ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits and /proc of Linux")


def run(parser: str, data: bytes = b"file", limits: Limits | None = None, **more: object) -> bytes:
    return _run(f"tests.loading.bad_parsers:{parser}", data, "tea.pdf", dict(more), limits=limits or Limits(wall=30))


def loaded(parser: str) -> object:
    return worker._unpacked(run(parser), "tea.pdf")


def traces() -> tuple[int, int, list[str]]:
    """Threads, descriptors and children of this process."""
    children = [path.read_text() for path in Path("/proc/self/task").glob("*/children")]
    return threading.active_count(), len(os.listdir("/proc/self/fd")), sorted(filter(None, children))


def children() -> set[int]:
    return {int(pid) for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()}


@pytest.fixture
def _leaves_nothing() -> Iterator[None]:
    before = traces()
    yield
    assert traces() == before


def test_a_file_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_target", lambda module, function: "tests.loading.bad_parsers:good")
    told: list[tuple[int, int]] = []
    parsed = worker.parse(
        "docx", b"tea", "x.docx", LoadParameters(content="main"), lambda *numbers: told.append(numbers)
    )
    assert (parsed.text, parsed.blocks[0].end, parsed.language) == ("x.docx main tea", 15, "en")
    assert told[-1] == (2, 2)


def test_only_known_parsers_run() -> None:
    for module in ("os", "../docx", "docx:parse", "markdown", ""):
        with pytest.raises(ValueError, match="no parser"):
            worker._target(module, "parse")
    assert worker._target("pdf", "render") == "chunking.loading.binary.pdf:render"


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
    "is_invalid": "“tea.pdf” cannot be read: it is damaged",
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
}


@ON_LINUX
@pytest.mark.usefixtures("_leaves_nothing")
@pytest.mark.parametrize(("parser", "words"), (CAUSES | ON_LINUX_ONLY).items(), ids=(CAUSES | ON_LINUX_ONLY))
def test_each_way_to_break_is_told_and_leaves_nothing(parser: str, words: str) -> None:
    with pytest.raises(ChunkscopeError) as told:
        loaded(parser)
    assert words in str(told.value)
    assert told.value.remedy
    assert "secret" not in str(told.value)


@ON_LINUX
@pytest.mark.usefixtures("_leaves_nothing")
def test_a_process_that_is_killed_in_mid_work_is_told_and_the_next_file_is_read() -> None:
    before = children()

    def kill(done: int, total: int) -> None:
        for pid in children() - before:
            os.kill(pid, signal.SIGKILL)

    with pytest.raises(ChunkscopeError, match="“tea.pdf” was killed from outside.*Try again"):
        _run("tests.loading.bad_parsers:hangs", b"file", "tea.pdf", {}, kill, limits=Limits(wall=30))
    assert run("echo") == b"file"


@ON_LINUX
@pytest.mark.usefixtures("_leaves_nothing")
@pytest.mark.parametrize(
    ("parser", "limits", "words"),
    [("burns", Limits(cpu=1), "1 seconds of the processor"), ("hangs", Limits(wall=0.5), "longer to read than 0.5")],
)
def test_time_is_limited(parser: str, limits: Limits, words: str) -> None:
    with pytest.raises(ChunkscopeError, match=words):
        run(parser, limits=limits)


@ON_LINUX
@pytest.mark.usefixtures("_leaves_nothing")
def test_a_process_that_does_not_take_its_file_is_given_up() -> None:
    with pytest.raises(ChunkscopeError, match="longer to read"):
        run("echo", bytes(1_000_000), Limits(wall=0.001))


def test_output_is_limited() -> None:
    with pytest.raises(ChunkscopeError, match="more than"):
        run("echo", bytes(2_000_000), Limits(output=1_000_000))


class _Stop(BaseException):
    """As Streamlit's, which is no Exception."""


@ON_LINUX
@pytest.mark.usefixtures("_leaves_nothing")
def test_a_progress_that_raises_stops_the_process() -> None:
    def stop(done: int, total: int) -> None:
        raise _Stop

    with pytest.raises(_Stop):
        _run("tests.loading.bad_parsers:hangs", b"", "x", {}, stop)


def test_who_waits_for_a_turn_can_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_SLOTS", threading.BoundedSemaphore(1))
    told = []

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        raise _Stop

    with worker._slot(None), pytest.raises(_Stop):
        _run("tests.loading.bad_parsers:echo", b"", "x", {}, stop)
    assert told == [(0, 0)]
    assert run("echo", b"free again") == b"free again"


def test_no_more_run_at_a_time_than_may() -> None:
    running, most, lock = 0, 0, threading.Lock()
    start = worker._start

    def counted(name: str) -> object:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        return start(name)

    class Counting(worker._Child):
        def __exit__(self, *error: object) -> None:
            nonlocal running
            super().__exit__(None, None, None)
            with lock:
                running -= 1

    answers: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "_start", counted)
        patch.setattr(worker, "_Child", Counting)
        callers = [threading.Thread(target=lambda: answers.append(run("echo"))) for _ in range(5)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
    assert answers == [b"file"] * 5
    assert most <= worker.MAX_WORKERS


@ON_LINUX
def test_nothing_is_granted_that_a_parser_has_no_need_of() -> None:
    assert json.loads(run("wants_more")) == []


@ON_LINUX
def test_a_process_knows_little_and_stands_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    state = json.loads(run("state"))
    assert "OPENAI_API_KEY" not in state["environment"]
    assert state["nice"] >= sandbox.NICENESS
    assert state["leads"]
    assert state["core"] == state["files"] == [0, 0]
    assert not {"streamlit", "torch", "spacy"} & set(state["imports"])


def test_modules_can_still_be_imported_when_the_limits_hold() -> None:
    assert run("imports_late") == b"(0.0, 0.0, 0)"


def picture(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">IIB", width, height, 8) + bytes(20)


@pytest.mark.parametrize(
    ("answer", "good"),
    [
        (picture(600, 800), True),
        (picture(2**31, 2**31), False),
        (picture(0, 800), False),
        (b"<svg onload='x'/>" + bytes(40), False),
        (picture(600, 800)[:20], False),
    ],
)
def test_a_page_is_a_picture_or_an_error(monkeypatch: pytest.MonkeyPatch, answer: bytes, good: bool) -> None:
    def drawn(*arguments: object) -> bytes:
        return answer

    monkeypatch.setattr(worker, "_run", drawn)
    if good:
        assert worker.render(b"", 0, 600) == answer
    else:
        with pytest.raises(ChunkscopeError, match="page 1"):
            worker.render(b"", 0, 600)


def test_a_process_that_cannot_be_started_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **more: object) -> None:
        raise BlockingIOError("no more")

    monkeypatch.setattr("subprocess.Popen", refuse)
    with pytest.raises(ChunkscopeError, match="no further process"):
        run("echo")
