"""Sentences told side by side: the same ones, however many tell them and whatever befalls these."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.loading import from_text
from chunking.sentences import RULES, SPACY, crew, split, split_all
from chunking.sentences.corpus import Corpus
from chunking.sentences.crew import Crew
from chunking.sentences.store import SentenceStore
from chunking.sentences.told import tell

PROSE = [
    f"Jar {number} is full. It holds {number % 7} plums, e.g. ripe ones. Nobody opened it!  Who would?\n"
    * (number % 5 + 1)
    for number in range(40)
]


@pytest.fixture(scope="module")
def many() -> list[list[tuple[int, int]]]:
    """What one process tells, text by text."""
    return [ranges for text in PROSE for ranges in tell([text], SPACY, "en", None)]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of few texts."""
    monkeypatch.setattr(crew, "_JOB", 500)


def running(out: Crew) -> list[int]:
    return [process.pid for process in out._processes if process.poll() is None]


def is_gone(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


@pytest.mark.parametrize("size", [0, 1, 2, 3])
@pytest.mark.usefixtures("short")
def test_the_number_of_processes_changes_nothing(size: int, many: list[list[tuple[int, int]]]) -> None:
    told: list[tuple[int, int]] = []
    with Crew(size, worth=0) as out:
        assert list(out.tell(PROSE, SPACY, "en", lambda *how: told.append(how))) == many
        assert len(running(out)) == (size if size > 1 else 0)
        assert list(out.tell(PROSE[:3], SPACY, "en", None)) == many[:3]
        there = running(out)
    assert all(map(is_gone, there))
    assert told == sorted(told)
    assert told[-1] == (sum(map(len, PROSE)), sum(map(len, PROSE)))


@given(st.permutations(range(len(PROSE))), st.integers(1, len(PROSE)))
@settings(max_examples=4)
def test_texts_do_not_depend_on_what_they_are_told_with(order: Sequence[int], count: int) -> None:
    some = [PROSE[place] for place in order[:count]]
    alone = [ranges for text in some for ranges in tell([text], SPACY, "en", None)]
    assert list(tell(some, SPACY, "en", None)) == alone


def test_little_and_what_needs_no_model_is_told_here() -> None:
    with Crew(2) as out:
        assert len(list(out.tell(PROSE, SPACY, "en", None))) == len(PROSE)
        assert len(list(Crew(2, worth=0).tell(PROSE, RULES, "en", None))) == len(PROSE)
        assert not running(out)


@pytest.mark.usefixtures("short")
def test_one_crew_is_out_at_a_time(many: list[list[tuple[int, int]]]) -> None:
    with Crew(2, worth=0) as first, Crew(2, worth=0) as second:
        assert list(first.tell(PROSE, SPACY, "en", None)) == many
        assert list(second.tell(PROSE, SPACY, "en", None)) == many
        assert (len(running(first)), len(running(second))) == (2, 0)
    with Crew(2, worth=0) as third:
        list(third.tell(PROSE, SPACY, "en", None))
        assert len(running(third)) == 2


class Stopped(Exception):
    pass


@pytest.mark.usefixtures("short")
def test_who_is_told_may_stop_and_nothing_stays() -> None:
    def stop(done: int, total: int) -> None:
        raise Stopped

    before = threading.active_count()
    there: list[int] = []
    with pytest.raises(Stopped), Crew(2, worth=0) as out:
        try:
            out.tell(PROSE, SPACY, "en", stop)
        finally:
            there = running(out)
    assert len(there) == 2
    assert all(map(is_gone, there))
    assert threading.active_count() == before
    assert crew._one.acquire(blocking=False)
    crew._one.release()


@pytest.mark.usefixtures("short")
def test_what_a_process_cannot_do_is_done_here(many: list[list[tuple[int, int]]]) -> None:
    with Crew(2, worth=0) as out:
        list(out.tell(PROSE[:2], SPACY, "en", None))
        out._processes[0].kill()
        assert list(out.tell(PROSE, SPACY, "en", None)) == many
        out._processes[1].kill()
        assert list(out.tell(PROSE, SPACY, "en", None)) == many


def test_an_error_is_that_of_this_process() -> None:
    with Crew(2, worth=0) as out, pytest.raises(ChunkscopeError, match="xx_core_news_sm is not installed"):
        list(out.tell(PROSE, "spacy/xx_core_news_sm", "xx", None))


def test_where_no_process_can_be_started_it_is_done_here(
    monkeypatch: pytest.MonkeyPatch, many: list[list[tuple[int, int]]]
) -> None:
    def refuse() -> None:
        raise OSError("no room")

    monkeypatch.setattr(crew, "_start", refuse)
    with Crew(2, worth=0) as out:
        assert list(out.tell(PROSE, SPACY, "en", None)) == many
    assert crew._one.acquire(blocking=False)
    crew._one.release()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at the processes of Linux")
def test_processes_end_with_the_one_that_began_them(root: Path) -> None:
    code = """
        import os, sys
        from chunking.sentences.crew import Crew
        with Crew(2, worth=0) as out:
            list(out.tell(["Jars are full. Lids are tight."], "spacy/en_core_web_sm", "en", None))
            print(*[process.pid for process in out._processes], flush=True)
            os.kill(os.getpid(), 9)
        """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=root, stdout=subprocess.PIPE, text=True, check=False
    )
    there = list(map(int, run.stdout.split()))
    assert len(there) == 2
    until = threading.Event()
    for _ in range(300):
        if all(map(_has_ended, there)):
            return
        until.wait(0.1)
    raise AssertionError("a process of the crew outlived its parent by half a minute")


def _has_ended(process: int) -> bool:
    try:
        return ") Z" in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return True


def test_the_callers_main_module_is_not_run_again(tmp_path: Path, root: Path) -> None:
    """As it would be by ``multiprocessing``, which under a web server is a page."""
    script = tmp_path / "page.py"
    script.write_text(
        "print('run', flush=True)\n"
        "from chunking.sentences.crew import Crew\n"
        "with Crew(2, worth=0) as out:\n"
        "    print(len(list(out.tell(['Jars are full. Lids too.'], 'spacy/en_core_web_sm', 'en', None))))\n"
    )
    run = subprocess.run(
        [sys.executable, script],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.split() == ["run", "1"]


# --- a corpus ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("short")
def test_a_corpus_is_looked_up_told_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    languages = ["en", "de", "fr", "en", "und"]
    documents = [
        from_text(f"# {number}\n\n{text}", language=languages[number % 5]) for number, text in enumerate(PROSE[:10])
    ]
    expected = [split(document) for document in documents]
    kept = SentenceStore(tmp_path / "sentences.sqlite3")
    kept.remember(expected[:4])
    for store in (None, kept, kept):
        with Corpus(None, store, Crew(2, worth=0)) as corpus:
            found = corpus.split(documents[:7]) + corpus.split(documents[7:]) + corpus.split([])
        for each, own in zip(found, expected, strict=True):
            assert each.document is own.document
            assert each.splitter == own.splitter
            assert np.array_equal(each.spans, own.spans)
            assert np.array_equal(each.block, own.block)
    assert len(kept) == sum(own.splitter != RULES for own in expected)
    monkeypatch.setattr("chunking.sentences.spacy_models._parse", None)
    with Corpus(SPACY, kept) as corpus:
        assert len(corpus.split([documents[0], documents[0]])) == 2


def test_progress_over_several_languages_counts_all_characters() -> None:
    documents = [from_text(text, language=code) for text, code in zip(PROSE, ["en", "fr"] * 20, strict=True)]
    told: list[tuple[int, int]] = []
    split_all(documents, None, lambda *how: told.append(how))
    assert told == sorted(told)
    total = told[-1][1]
    assert told[-1] == (total, total)
    assert {each for _, each in told} == {total}
