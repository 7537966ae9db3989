"""Class exercises: nothing is lost when forty predict at once, nobody is counted twice, and deletion is real."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
import sqlalchemy as sa

from chunking import ChunkscopeError
from chunking.comparison.agreement import chance
from chunking.review import class_results as results
from chunking.review import exercises
from chunking.review.exercises import MOST_PREDICTIONS, ExerciseStore
from chunking.store.audit import AuditEvent, AuditLog
from chunking.store.database.location import engine_options
from chunking.store.identity import Identity
from chunking.store.reviews import ReviewStore
from tests.disks import small_disk
from tests.examples import examples
from tests.store.databases import Postgres, process, store_of

PREDICT_FOR_EVER = """
import sys
from itertools import count
from sqlalchemy import create_engine
from chunking.review.exercises import ExerciseStore
from chunking.store.reviews import ReviewStore
from chunking.store.database.location import engine_options
url, code, turn = sys.argv[1:4]
store = ExerciseStore(ReviewStore(create_engine(url, **engine_options(url))))
for number in count(100 * int(turn)):
    store.predict(code, f"student {number}", [number])
    print(number, flush=True)
"""

STUDENTS = 40
TEXT = "One. Two. Three."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "reviews.sqlite"


def store_at(path: Path) -> ExerciseStore:
    url = f"sqlite:///{path}"
    reviews = ReviewStore(sa.create_engine(url, **engine_options(url)))
    reviews.prepare()
    return ExerciseStore(reviews)


@pytest.fixture
def store(path: Path) -> ExerciseStore:
    return store_at(path)


def test_forty_students_at_once_lose_nothing(store: ExerciseStore) -> None:
    code = store.open(TEXT, "changepoint", "10")[0].code
    together = Barrier(STUDENTS)

    def predict(number: int) -> None:
        together.wait()
        store.predict(code, f"student {number}", [number, number + 1])

    with ThreadPoolExecutor(STUDENTS) as threads:
        list(threads.map(predict, range(STUDENTS)))
    assert store.predictions(code) == [(number, number + 1) for number in range(STUDENTS)]


def test_a_second_prediction_replaces_the_first_even_at_once(store: ExerciseStore) -> None:
    code = store.open(TEXT, "changepoint", "10")[0].code
    store.predict(code, "a", [1])
    store.predict(code, "b", [])
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda gap: store.predict(code, "a", [gap]), range(8)))
    found = store.predictions(code)
    assert len(found) == 2 and () in found


def test_an_exercise_ends_and_takes_no_more(store: ExerciseStore) -> None:
    made, _ = store.open(TEXT, "changepoint", "10")
    store.predict(made.code, "a", [1])
    assert store.get(made.code) == made
    store.end(made.code)
    ended = store.get(made.code).ended
    assert ended
    store.end(made.code)
    assert store.get(made.code).ended == ended
    with pytest.raises(ChunkscopeError, match="has ended"):
        store.predict(made.code, "b", [1])
    assert store.predictions(made.code) == [(1,)]


def test_an_exercise_is_followed_once_however_often_the_teacher_clicks(store: ExerciseStore) -> None:
    first, token = store.open(TEXT, "changepoint", "4")
    store.predict(first.code, "a", [1])
    with ThreadPoolExecutor(4) as threads:
        found = {exercise.code for exercise in threads.map(lambda _: store.advance(first.code, "A. B.", "5"), range(4))}
    (code,) = found
    following = store.latest(first.code)
    assert (following.code, following.text, following.chapter, following.setting) == (code, "A. B.", "5", "changepoint")
    assert store.is_teacher(code, token) and not following.ended and store.get(first.code).ended
    assert store.predictions(first.code) == [(1,)] and store.predictions(code) == []
    third = store.advance(code, TEXT, "6")
    assert store.latest(first.code) == third
    with pytest.raises(ChunkscopeError, match="no such exercise"):
        store.advance("nobody", TEXT, "5")
    other = store.open(TEXT, "changepoint", "4")[0]
    store.delete(code)
    for gone in (first.code, code, third.code):
        with pytest.raises(ChunkscopeError, match="no such exercise"):
            store.get(gone)
    assert store.get(other.code) == other and store.predictions(first.code) == []


def test_a_clock_that_jumps_neither_ends_an_exercise_nor_loses_a_prediction(
    store: ExerciseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [f"{year}-03-01T12:00:00.000+00:00" for year in (2026, 2025, 2027, 2020)]
    monkeypatch.setattr(exercises, "_now", lambda: times[0])
    made, _ = store.open(TEXT, "structural", "1")
    for place in range(len(times)):
        monkeypatch.setattr(exercises, "_now", lambda place=place: times[place])
        store.predict(made.code, f"student {place}", [place % 2])
        store.predict(made.code, "one who changes her mind", [place % 2])
        assert not store.get(made.code).ended
    assert store.predictions(made.code) == [(0,), (0,), (1,), (1,), (1,)], "the last one sent counts"
    store.end(made.code)
    monkeypatch.setattr(exercises, "_now", lambda: times[2])
    with pytest.raises(ChunkscopeError, match="has ended"):
        store.predict(made.code, "late", [0])


def test_a_prediction_that_was_acknowledged_outlives_a_killed_process(store: ExerciseStore, path: Path) -> None:
    made, _ = store.open(TEXT, "structural", "1")
    chance = random.Random(3)
    heard: list[str] = []
    for turn in range(examples(3, quick=1)):
        running = process(PREDICT_FOR_EVER, f"sqlite:///{path}", made.code, str(turn))
        assert running.stdout
        heard += islice(running.stdout, chance.randint(1, 9))
        running.send_signal(signal.SIGKILL)
        heard += [line for line in running.communicate()[0].splitlines(keepends=True) if line[-1] == "\n"]
    there = store.predictions(made.code)
    assert len(there) >= len(heard) >= 1
    assert {(int(line),) for line in heard} <= set(there)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


@pytest.mark.parametrize("moment", ["INSERT INTO chunkscope_exercises", "INSERT INTO chunkscope_predictions", "COMMIT"])
def test_a_connection_that_is_cut_in_the_middle(postgres: Postgres, postgres_url: str, moment: str) -> None:
    with store_of(postgres_url) as reviews:
        cuts: list[str] = []

        def cut(now: str) -> None:
            if now.startswith(moment) and not cuts:
                cuts.append(now)
                postgres.drop_connections(str(reviews.engine.url.database))

        sa.event.listen(reviews.engine, "before_cursor_execute", lambda *given: cut(given[2]))
        sa.event.listen(reviews.engine, "commit", lambda _connection: cut("COMMIT"))
        store = ExerciseStore(reviews)
        made, token = store.open(TEXT, "structural", "1")
        store.predict(made.code, "one", [1])
        assert cuts
        assert store.get(made.code) == made
        assert store.is_teacher(made.code, token)
        assert store.predictions(made.code) == [(1,)]


def test_an_exercise_on_a_full_disk_says_so_and_goes_on(tmp_path: Path) -> None:
    with small_disk(tmp_path) as disk:
        store = store_at(disk / "reviews.sqlite")
        made, token = store.open(TEXT, "structural", "1")
        store.predict(made.code, "early", [0])
        ballast = disk / "ballast"
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        with pytest.raises(ChunkscopeError, match=r"is full\. Nothing was stored\."):
            for student in range(MOST_PREDICTIONS):
                store.predict(made.code, str(student), range(900))
        assert (0,) in store.predictions(made.code)
        assert store.is_teacher(made.code, token)
        ballast.unlink()
        store.predict(made.code, "late", [1])
        assert (1,) in store.predictions(made.code)


def test_a_deleted_exercise_is_gone_and_others_stay(store: ExerciseStore, path: Path) -> None:
    gone, kept = store.open(TEXT, "changepoint", "10")[0], store.open(TEXT, "changepoint", "3")[0]
    for made in (gone, kept):
        store.predict(made.code, "a", [1])
    store.delete(gone.code)
    for call in (lambda: store.get(gone.code), lambda: store.predict(gone.code, "a", [1])):
        with pytest.raises(ChunkscopeError, match="no such exercise"):
            call()
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT code FROM chunkscope_exercises").fetchall() == [(kept.code,)]
        assert database.execute("SELECT exercise FROM chunkscope_predictions").fetchall() == [(kept.code,)]


def test_only_the_token_opens_the_results_and_neither_token_is_stored(store: ExerciseStore, path: Path) -> None:
    made, token = store.open(TEXT, "changepoint", "10")
    store.predict(made.code, "my secret number", [0])
    assert store.is_teacher(made.code, token)
    for wrong in ("", token[:-1], token + "x", "\ud800", "ü"):
        assert not store.is_teacher(made.code, wrong)
    assert not store.is_teacher("another", token)
    with sqlite3.connect(path) as database:
        written = "\n".join(database.iterdump())
    assert token not in written and "my secret number" not in written


@pytest.mark.parametrize("text", ["", "  \n", "x" * 20_001])
def test_a_text_that_nobody_can_predict_on_is_refused(store: ExerciseStore, text: str) -> None:
    with pytest.raises(ChunkscopeError):
        store.open(text, "changepoint", "10")


def test_a_flood_is_refused(store: ExerciseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_PREDICTIONS >= STUDENTS
    monkeypatch.setattr("chunking.review.exercises.MOST_PREDICTIONS", 2)
    code = store.open(TEXT, "changepoint", "10")[0].code
    for student in ("a", "b", "a"):
        store.predict(code, student, [1])
    with pytest.raises(ChunkscopeError, match="maximum"):
        store.predict(code, "c", [1])


def test_results_count_votes_and_measure_against_others() -> None:
    gold = np.array([1, 4])
    found = results.measure([[1, 4], [1], [], [4, 99, -1]], 8, {"gold": gold})
    assert found.votes.tolist() == [0, 2, 0, 0, 2, 0, 0, 0]
    assert [each.tolist() for each in found.predictions] == [[1, 4], [1], [], [4]]
    agreed = found.against["gold"]
    assert agreed.f1 == pytest.approx((1 + 2 / 3 + 0 + 2 / 3) / 4)
    each = [chance(gold, picked, 9, "f1", draws=results.DRAWS).corrected for picked in found.predictions]
    assert agreed.beyond_chance == pytest.approx(np.mean(each))
    assert agreed.interval is not None
    assert min(each) <= agreed.interval[0] < agreed.beyond_chance < agreed.interval[1] <= 1
    assert found.among.value is not None and found.among.value < 1


def test_what_else_a_class_is_compared_with_changes_no_agreement() -> None:
    predictions = [[1, 4], [1], [2, 5]]
    others = {"gold": np.array([1, 4]), "none": np.empty(0, dtype=np.int64), "all": np.arange(8)}
    together = results.measure(predictions, 8, others).against
    assert list(together) == list(others)
    for name, cuts in others.items():
        assert results.measure(predictions, 8, {name: cuts}).against[name] == together[name]


def test_results_of_nobody_are_empty_and_of_one_have_no_interval() -> None:
    assert results.measure([[1, 4]], 8, {"gold": np.array([1, 4])}).against["gold"].interval is None
    found = results.measure([], 3, {"gold": np.array([1])})
    assert (found.votes.tolist(), found.predictions, found.against) == ([0, 0, 0], (), {})
    assert found.among.value is None


def test_exports_hold_votes_and_agreement_and_no_formula() -> None:
    others = {"gold": np.array([1])}
    found = results.measure([[1], [0, 1]], 2, others)
    rows = results.as_csv(found, ["=1+1", "Two, three.", "Four."], others).splitlines()
    assert rows == ["gap,after,votes,gold", "1,'=1+1,1,0", '2,"Two, three.",2,1']
    content = json.loads(results.as_json(found, others))
    assert content["predictions"] == [[1], [0, 1]]
    assert content["boundaries"] == {"gold": [1]}
    assert content["agreement"]["gold"]["f1"] == pytest.approx((1 + 2 / 3) / 2)


def test_who_ends_and_deletes_an_exercise_is_recorded(path: Path) -> None:
    url = f"sqlite:///{path}"
    reviews = ReviewStore(sa.create_engine(url, **engine_options(url)))
    reviews.prepare()
    admin = ExerciseStore(reviews, Identity("login|root", "Root"))
    code = admin.open(TEXT, "changepoint", "10")[0].code
    admin.end(code, "admin")
    admin.end(code, "admin")
    admin.delete(code)
    admin.delete(code)
    assert [each.event for each in AuditLog(reviews).read()] == [
        AuditEvent("end", "exercise", code, detail={"by": "admin"}),
        AuditEvent("delete", "exercise", code, detail={"by": "teacher"}),
    ]
