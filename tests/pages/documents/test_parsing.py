from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from chunking import ChunkscopeError, loading
from chunking.document import Document
from chunking.isolation import Limits
from chunking.jobs.queue import Job, ServerHooks
from chunking.loading import LoadParameters, isolated
from pages.shared.documents import parsing
from pages.shared.frame import runs
from tests import queues

TEXT = b"Tides rise. Boats wait."
LONG = TEXT * (2**20 // len(TEXT) + 1)


class _Leaves(Exception):
    """What ends a script while it waits."""


@pytest.fixture(autouse=True)
def _no_reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(runs, "_SHOW_SECONDS", 0.0)
    monkeypatch.setattr(parsing, "_AT_ONCE_SECONDS", 0.0)
    runs.runs("documents").forget()  # what other tests have left
    yield
    parsing.stop()
    runs.runs("documents").forget()


@pytest.fixture
def held() -> Iterator[threading.Event]:
    """Keep the queue busy until this is set."""
    go = queues.held("documents", "document")
    yield go
    go.set()


def _ignore(_: int, __: int) -> None:
    pass


def _leave(_: int, __: int) -> None:
    raise _Leaves


def test_a_short_text_needs_no_turn(held: threading.Event) -> None:
    assert parsing.load(TEXT, "a.txt", _ignore).text == TEXT.decode()
    assert not held.is_set()


def test_a_short_text_that_takes_long_waits_its_turn(held: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "SHORT", Limits(wall=0.0))
    threading.Timer(0.5, held.set).start()
    assert parsing.load(TEXT, "a.txt", _ignore).text == TEXT.decode()
    assert held.is_set()


def test_each_way_to_read_is_the_same_as_in_the_library() -> None:
    pasted = parsing.from_text("# Tea\n\nBoil water.", "pasted.md", "markdown")
    assert pasted == loading.from_text("# Tea\n\nBoil water.", "pasted.md")
    page = parsing.load(
        b"<html><body><nav>Home</nav><article><p>Boats wait. Why?</p></article></body>", "a.html", _ignore
    )
    params = LoadParameters(content="main")
    assert parsing.reload(page, params) == loading.reload(page, params)


def test_a_long_text_waits_and_is_then_read(held: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    begun_early: list[bool] = []

    def load(*_: object, **__: object) -> Document:
        begun_early.append(not held.is_set())
        return loading.load(TEXT, "a.txt")

    monkeypatch.setattr(isolated, "load", load)
    threading.Timer(0.5, held.set).start()
    assert parsing.load(LONG, "a.txt", _ignore).text == TEXT.decode()
    assert begun_early == [False]


def test_a_reading_that_was_left_goes_on_and_is_read_once(
    held: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    load = isolated.load

    def counted(data: bytes, name: str, **options: object) -> Document:
        read.append(name)
        assert may_end.wait(60)
        return load(data, name)

    may_end = threading.Event()
    monkeypatch.setattr(isolated, "load", counted)
    monkeypatch.setattr(runs.runs("documents"), "_hooks", ServerHooks())
    held.set()
    with pytest.raises(_Leaves):
        parsing.load(LONG, "a.txt", _leave)
    may_end.set()
    assert parsing.load(LONG, "a.txt", _ignore).text == LONG.decode()
    assert read == ["a.txt"]


def test_another_file_takes_the_place_of_one_that_was_left(held: threading.Event) -> None:
    with pytest.raises(AssertionError, match="left"):
        _load_and_leave_at_once()
    threading.Timer(0.5, held.set).start()
    assert parsing.load(LONG + b" End.", "b.txt", _ignore).text.endswith("End.")
    ended = [run.state for run in runs.runs("documents")._jobs.values() if run.key != "held"]
    assert ended == ["stopped", "done"]


def _load_and_leave_at_once() -> None:
    def leave(*_: object) -> None:
        raise AssertionError("left")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsing, "_follow", leave)
        parsing.load(LONG, "a.txt", _ignore)


def test_a_stopped_reading_says_so(held: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(run: Job, _: object) -> None:
        run.owner.stop(run)
        assert run.wait(60)

    monkeypatch.setattr(parsing, "_follow", stop)
    with pytest.raises(ChunkscopeError, match="stopped"):
        parsing.load(LONG, "a.txt", _ignore)


def test_what_is_wrong_with_a_file_reaches_the_script() -> None:
    with pytest.raises(ChunkscopeError, match="PDF"):
        parsing.load(b"%PDF-1.7 and nothing else", "a.pdf", _ignore)


def test_the_queue_keeps_no_document() -> None:
    parsing.load(LONG, "a.txt", _ignore)
    assert [run.result for run in runs.runs("documents")._jobs.values()] == [None]
