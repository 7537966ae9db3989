"""Sentences split in parallel: the same result for any number of processes, whatever happens to them."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.isolation.workers import WorkerProcess
from chunking.loading import from_text
from chunking.sentences import KIWI, RULES, SPACY, corpus, split, split_all, split_sentences
from chunking.sentences.corpus import CorpusSplitter, SplitterPool
from chunking.sentences.store import SentenceStore

PROSE = [
    f"Jar {number} is full. It holds {number % 7} plums, e.g. ripe ones. Nobody opened it!  Who would?\n"
    * (number % 5 + 1)
    for number in range(40)
]


@pytest.fixture(scope="module")
def many() -> list[list[tuple[int, int]]]:
    """What one process tells, text by text."""
    return [ranges for text in PROSE for ranges in split_sentences([text], SPACY, "en", None)]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of few texts."""
    monkeypatch.setattr(corpus, "_JOB_CHARACTERS", 500)


def running(out: SplitterPool) -> list[int]:
    workers = [*out._workers._busy, *(worker for worker, _ in out._workers._idle)]
    return [worker.pid for worker in workers if isinstance(worker, WorkerProcess) and worker.alive]


def is_gone(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


@pytest.mark.parametrize("size", [0, 1, 2, pytest.param(3, marks=pytest.mark.extended)])
@pytest.mark.usefixtures("short")
def test_the_number_of_processes_changes_nothing(size: int, many: list[list[tuple[int, int]]]) -> None:
    reports: list[tuple[int, int]] = []
    with SplitterPool(size, min_characters=0) as out:
        assert list(out.split_sentences(PROSE, SPACY, "en", lambda *how: reports.append(how))) == many
        assert len(running(out)) == (size if size > 1 else 0)
        assert list(out.split_sentences(PROSE[:3], SPACY, "en", None)) == many[:3]
        there = running(out)
    assert all(map(is_gone, there))
    assert reports == sorted(reports)
    assert reports[-1] == (sum(map(len, PROSE)), sum(map(len, PROSE)))


@given(st.permutations(range(len(PROSE))), st.integers(1, len(PROSE)))
@settings(max_examples=4)
def test_sentences_of_a_text_do_not_depend_on_the_other_texts(order: Sequence[int], count: int) -> None:
    some = [PROSE[place] for place in order[:count]]
    alone = [ranges for text in some for ranges in split_sentences([text], SPACY, "en", None)]
    assert list(split_sentences(some, SPACY, "en", None)) == alone


def test_little_text_and_rules_start_no_process() -> None:
    with SplitterPool(2) as out:
        assert len(list(out.split_sentences(PROSE, SPACY, "en", None))) == len(PROSE)
        assert len(list(SplitterPool(2, min_characters=0).split_sentences(PROSE, RULES, "en", None))) == len(PROSE)
        assert not running(out)


@pytest.mark.usefixtures("short")
def test_one_pool_has_processes_at_a_time(many: list[list[tuple[int, int]]]) -> None:
    with SplitterPool(2, min_characters=0) as first, SplitterPool(2, min_characters=0) as second:
        assert list(first.split_sentences(PROSE, SPACY, "en", None)) == many
        assert list(second.split_sentences(PROSE, SPACY, "en", None)) == many
        assert (len(running(first)), len(running(second))) == (2, 0)
    assert corpus._active_pool.acquire(blocking=False), "the next pool has processes again"
    corpus._active_pool.release()


class Stopped(Exception):
    pass


@pytest.mark.usefixtures("short")
def test_progress_may_stop_and_nothing_is_left() -> None:
    before = threading.active_count()
    there: list[int] = []
    with pytest.raises(Stopped), SplitterPool(2, min_characters=0) as out:

        def stop(done: int, total: int) -> None:
            there.extend(running(out))
            raise Stopped

        out.split_sentences(PROSE, SPACY, "en", stop)
    assert there
    assert all(map(is_gone, there))
    assert threading.active_count() == before
    assert corpus._active_pool.acquire(blocking=False)
    corpus._active_pool.release()


@pytest.mark.usefixtures("short")
def test_what_a_process_cannot_do_is_done_here(many: list[list[tuple[int, int]]]) -> None:
    with SplitterPool(2, min_characters=0) as out:
        list(out.split_sentences(PROSE[:2], SPACY, "en", None))
        os.kill(running(out)[0], signal.SIGKILL)
        assert list(out.split_sentences(PROSE, SPACY, "en", None)) == many
        for pid in running(out):
            os.kill(pid, signal.SIGKILL)
        assert list(out.split_sentences(PROSE, SPACY, "en", None)) == many


def test_an_error_is_that_of_this_process() -> None:
    with (
        SplitterPool(2, min_characters=0) as out,
        pytest.raises(ChunkscopeError, match="xx_core_news_sm is not installed"),
    ):
        list(out.split_sentences(PROSE, "spacy/xx_core_news_sm", "xx", None))


def test_where_no_process_can_be_started_it_is_done_here(
    monkeypatch: pytest.MonkeyPatch, many: list[list[tuple[int, int]]]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no room")

    monkeypatch.setattr(corpus, "WorkerProcess", refuse)
    with SplitterPool(2, min_characters=0) as out:
        assert list(out.split_sentences(PROSE, SPACY, "en", None)) == many
    assert corpus._active_pool.acquire(blocking=False)
    corpus._active_pool.release()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes of others, as only Linux can")
def test_processes_end_with_the_one_that_began_them_and_do_not_run_its_main_module(tmp_path: Path, root: Path) -> None:
    """As ``multiprocessing`` would: under a web server, the main module is a page."""
    script = tmp_path / "page.py"
    script.write_text(
        textwrap.dedent("""
        import os
        print("run", flush=True)
        from chunking.sentences import corpus
        from chunking.sentences.corpus import SplitterPool
        corpus._JOB_CHARACTERS = 1
        with SplitterPool(2, min_characters=0) as out:
            print(len(list(out.split_sentences(["Jars are full. Lids too."] * 2, "spacy/en_core_web_sm", "en", None))))
            print(*[worker.pid for worker, _ in out._workers._idle], flush=True)
            os.kill(os.getpid(), 9)
        """)
    )
    environment = os.environ | {"PYTHONPATH": str(root)}
    run = subprocess.run(
        [sys.executable, script], cwd=root, env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    first, count, *pids = run.stdout.split()
    assert (first, count, len(pids)) == ("run", "2", 2)
    for pid in pids:
        with suppress(ProcessLookupError):  # it has ended
            ends = os.pidfd_open(int(pid))
            assert select.select([ends], [], [], 120)[0], "a process of the pool outlived its parent"
            os.close(ends)


# --- a corpus ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("short")
def test_a_corpus_is_looked_up_split_and_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    languages = ["ko", "de", "fr", "ko", "und"]
    documents = [
        from_text(f"# {number}\n\n{text}", language=languages[number % 5]) for number, text in enumerate(PROSE[:10])
    ]
    expected = [split(document) for document in documents]
    kept = SentenceStore(tmp_path / "sentences.sqlite3")
    kept.save(expected[:4])
    for store in (None, kept, kept):
        with CorpusSplitter(None, store, SplitterPool(2 if store else 0, min_characters=0)) as splitter:
            found = splitter.split(documents[:7]) + splitter.split(documents[7:]) + splitter.split([])
        for each, own in zip(found, expected, strict=True):
            assert each.document is own.document
            assert each.splitter == own.splitter
            assert np.array_equal(each.spans, own.spans)
            assert np.array_equal(each.block, own.block)
    assert len(kept) == sum(own.splitter != RULES for own in expected)
    monkeypatch.setattr("chunking.sentences.kiwi._parse", None)
    with CorpusSplitter(KIWI, kept) as splitter:
        assert len(splitter.split([documents[0], documents[0]])) == 2


def test_progress_over_several_languages_counts_all_characters() -> None:
    documents = [from_text(text, language=code) for text, code in zip(PROSE, ["en", "fr"] * 20, strict=True)]
    reports: list[tuple[int, int]] = []
    split_all(documents, None, lambda *how: reports.append(how))
    assert reports == sorted(reports)
    total = reports[-1][1]
    assert reports[-1] == (total, total)
    assert {each for _, each in reports} == {total}
