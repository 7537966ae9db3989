"""A class exercise with forty students: writes of all at once beside one after another, and the teacher's results."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import numpy as np

from benchmarks.timing import ms, paired, seconds, table
from chunking.review import class_results as results
from chunking.review.exercises import ExerciseStore
from chunking.store.database.location import engine_options
from chunking.store.reviews import ReviewStore

STUDENTS = 40
CHANGES = 5
"""Predictions of a student, each in place of the one before."""
GAPS = 30


@contextmanager
def exercises() -> Iterator[ExerciseStore]:
    """Yield a store in a SQLite file of its own."""
    import sqlalchemy as sa

    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'reviews.sqlite'}"
        engine = sa.create_engine(url, **engine_options(url))
        reviews = ReviewStore(engine)
        reviews.prepare()
        yield ExerciseStore(reviews)
        engine.dispose()


def picks(student: int) -> list[int]:
    """Return the gaps that a student picks."""
    return np.flatnonzero(np.random.default_rng(student).random(GAPS) < 0.3).tolist()


def writes() -> None:
    """Count predictions a second, and time the slowest one: of one student alone, and of many at once."""
    rows = []
    for students in (1, 10, STUDENTS):
        with exercises() as store:
            code = store.open("One. Two. Three.", "changepoint", "10")[0].code
            together = Barrier(students)

            def predict(number: int, code: str = code, together: Barrier = together) -> float:
                together.wait()
                slowest = 0.0
                for change in range(CHANGES):
                    start = time.perf_counter()
                    store.predict(code, f"student {number}", picks(number + change))
                    slowest = max(slowest, time.perf_counter() - start)
                return slowest

            start = time.perf_counter()
            with ThreadPoolExecutor(students) as threads:
                slowest = max(threads.map(predict, range(students)))
            taken = time.perf_counter() - start
            assert len(store.predictions(code)) == students
        rows.append((students, f"{students * CHANGES / taken:,.0f}", ms(slowest)))
    table(f"Predictions of students at once, {CHANGES} each", ("students", "writes a second", "slowest write"), rows)


def shown() -> None:
    """Time what the teacher's page computes: reading the predictions, votes at each gap and agreement."""
    reference = {"reference": np.arange(3, GAPS, 6), "changepoint": np.arange(2, GAPS, 7)}
    rows = []
    for students in (10, STUDENTS, 10 * STUDENTS):
        with exercises() as store:
            code = store.open("One. Two. Three.", "changepoint", "10")[0].code
            for number in range(students):
                store.predict(code, f"student {number}", picks(number))
            found = store.predictions(code)
            read = seconds(lambda store=store, code=code: store.predictions(code))  # type: ignore[misc]
        measure = seconds(lambda found=found: results.measure(found, GAPS, reference))  # type: ignore[misc]
        _, _, ratio = paired(
            lambda found=found: results.measure(found, GAPS, reference),  # type: ignore[misc]
            lambda found=found: results.measure(found[:10], GAPS, reference),  # type: ignore[misc]
        )
        rows.append((students, ms(read), ms(measure), f"{ratio:.1f}"))
    heads = ("students", "read", "votes and agreement", "÷ those of ten students")
    table(f"Results of a class on {GAPS} gaps", heads, rows)


def main() -> None:
    """All of it."""
    writes()
    shown()
