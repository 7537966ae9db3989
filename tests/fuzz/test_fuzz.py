"""That the fuzz program finds what it is for."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from chunking.loading import FORMATS
from tests.fuzz import fuzz, mutate, seeds
from tests.fuzz.target import Outcome


def fragile(data: bytes, name: str) -> Outcome:
    """A loader that breaks in every way."""
    if b"die" in data:
        os._exit(7)
    while b"hang" in data:
        pass
    wrong = b"<" in data and b">" in data[data.index(b"<") :]
    return Outcome("wrong" if wrong else "", str(len(data)), 0.0, "because")


def free() -> None:
    """No limits."""


@pytest.fixture(scope="module")
def runner() -> Iterator[fuzz.Runner]:
    made = fuzz.Runner(fragile, free, slow=60)
    yield made
    made.close()


@pytest.mark.extended
def test_a_process_that_dies_or_hangs_is_told_and_replaced(
    runner: fuzz.Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert runner(b"<a>", "a").failure == "wrong"
    assert runner(b"die", "a").failure == "dies with 7"
    assert runner(b"fine", "a") == Outcome("", "4", 0.0, "because")
    with monkeypatch.context() as patch:
        patch.setattr(runner, "_slow", 0.5)
        assert runner(b"hang", "a").failure == "hangs"
    assert runner(b"fine", "a").failure == ""


@pytest.mark.extended
def test_what_fails_is_made_small_and_kept(
    runner: fuzz.Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = fuzz.Tally()
    clock = SimpleNamespace(monotonic=count(0, 0.02).__next__, perf_counter=time.perf_counter)
    monkeypatch.setattr(fuzz, "time", clock)  # so that as much is tried on a busy machine
    fuzz.fuzz("csv", 1, Random(1), runner, fuzz._keeper(tmp_path), tally)
    assert tally.runs > 20
    assert set(tally.failures) <= {"wrong"}
    long = b"x" * 99 + b"<b" * 9 + b">" + b"y" * 999
    outcome = runner(long, "a")
    fuzz._keeper(tmp_path)("csv", "a.csv", fuzz._smallest(long, "a", outcome, runner), outcome)
    assert b"<>" in {path.read_bytes() for path in tmp_path.glob("csv-*.csv")}
    assert all("because" in path.read_text() for path in tmp_path.glob("*.why"))


@pytest.mark.parametrize("format", FORMATS)
def test_changes_are_many_and_the_same_for_the_same_seed(format: str) -> None:
    known = seeds.seeds(format)

    def made(seed: int) -> list[bytes]:
        chance = Random(seed)
        return [mutate.changed(chance.choice(known), format, known, chance) for _ in range(12)]

    assert made(1) == made(1)
    assert len(set(made(1))) > 9
    if not known[0].startswith(b"PK"):
        assert all(len(data) <= mutate.MOST for data in made(1))


def test_line_ends_are_changed_to_each_kind_and_mixed() -> None:
    chance = Random(1)
    made = {mutate._ends(b"a\nb\r\nc\rd", (), (), chance) for _ in range(200)}
    assert {b"a" + end + b"b" + end + b"c" + end + b"d" for end in mutate.LINE_ENDS} < made
