"""Quotas: never more than a window may have, whatever the clock does, and no longer a refusal than a window."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection

from chunking import ChunkscopeError
from chunking.store import quotas as quotas_module
from chunking.store.database.database import Database
from chunking.store.identity import LOCAL, Identity
from chunking.store.quotas import HOUR, LEASE, Quotas, UsageQuota, Use, limit_of_jobs, quotas_of_environment, wait_for
from tests.store.databases import engine_of, process, run_together

ADA, BEN = Identity("https://login|ada", "Ada"), Identity("https://login|ben", "Ben")
WINDOW = 1000
LIMITS = st.integers(1, 6)
STEPS = st.lists(st.tuples(st.integers(0, 900), st.integers(1, 7)), max_size=40)
"""How far the clock moves before each request, and how much is requested."""


class Clock:
    def __init__(self) -> None:
        self.now = 10**12

    def __call__(self) -> int:
        return self.now


def admitted(steps: list[tuple[int, int]], limit: int, jumps: dict[int, int] | None = None) -> list[Use]:
    """What is used of what is requested, at the time that has really passed; the clock jumps at some requests."""
    real = shown = 10_000_000
    kept: list[Use] = []
    used: list[Use] = []
    for number, (move, amount) in enumerate(steps):
        real += move
        shown += move + (jumps or {}).get(number, 0)
        kept = [Use(min(use.at, shown), use.amount) for use in kept]
        if wait_for(kept, shown, limit, amount, WINDOW) == 0:
            kept.append(Use(shown, amount))
            used.append(Use(real, amount))
    return used


@given(STEPS, LIMITS)
def test_no_window_ever_has_more_than_the_limit(steps: list[tuple[int, int]], limit: int) -> None:
    used = admitted(steps, limit)
    for last in used:
        assert sum(use.amount for use in used if last.at - WINDOW < use.at <= last.at) <= limit


@given(STEPS, LIMITS, st.dictionaries(st.integers(0, 39), st.integers(-5_000_000, 0), max_size=5))
def test_a_clock_that_is_set_back_grants_no_more(
    steps: list[tuple[int, int]], limit: int, jumps: dict[int, int]
) -> None:
    used = admitted(steps, limit, jumps)
    for last in used:
        assert sum(use.amount for use in used if last.at - WINDOW < use.at <= last.at) <= limit


@given(
    st.lists(st.builds(Use, st.integers(0, 10**7), st.integers(1, 6)), max_size=30),
    st.integers(0, 10**7),
    LIMITS,
    st.integers(1, 9),
)
def test_the_time_to_wait_is_at_most_a_window_enough_and_no_longer_than_it_takes(
    uses: list[Use], now: int, limit: int, amount: int
) -> None:
    wait = wait_for(uses, now, limit, amount, WINDOW)
    if amount > limit:
        assert wait is None
        return
    assert wait is not None and 0 <= wait <= WINDOW
    # Whatever the clock had been before: from now on the uses count as they are stored by this request.
    stored = [Use(min(use.at, now), use.amount) for use in uses]
    assert wait_for(stored, now + wait, limit, amount, WINDOW) == 0
    if wait:
        assert wait_for(stored, now + wait - 1, limit, amount, WINDOW) != 0


def test_a_person_is_told_how_long_to_wait_and_then_goes_on(database: Database) -> None:
    clock = Clock()
    meter = UsageQuota(database, Quotas(uploads=3), clock)
    meter.count_uploads(ADA, 2)
    clock.now += 10 * 60_000
    meter.count_uploads(ADA)
    with pytest.raises(ChunkscopeError) as caught:
        meter.count_uploads(ADA)
    assert str(caught.value) == (
        "This would exceed the 3 files that one person may add here within an hour. Add it in 50 minutes."
    )
    meter.count_uploads(BEN, 3)
    clock.now += 50 * 60_000
    meter.count_uploads(ADA, 2)
    with pytest.raises(ChunkscopeError, match="Add it in 10 minutes"):
        meter.count_uploads(ADA)


def test_more_than_any_hour_may_have_is_refused_at_once(database: Database) -> None:
    meter = UsageQuota(database, Quotas(uploads=3))
    with pytest.raises(ChunkscopeError, match="Add fewer at a time"):
        meter.count_uploads(ADA, 4)
    meter.count_uploads(ADA, 3)


def test_after_a_clock_was_set_back_nobody_waits_for_longer_than_an_hour(database: Database) -> None:
    clock = Clock()
    meter = UsageQuota(database, Quotas(uploads=1), clock)
    meter.count_uploads(ADA)
    clock.now -= 365 * 24 * HOUR
    with pytest.raises(ChunkscopeError, match="Add it in 60 minutes"):
        meter.count_uploads(ADA)
    clock.now += HOUR
    meter.count_uploads(ADA)


def test_without_a_log_in_and_without_a_quota_nothing_is_limited(database: Database) -> None:
    for person, quotas in ((LOCAL, Quotas(1, 1)), (ADA, Quotas())):
        meter = UsageQuota(database, quotas)
        for _ in range(5):
            meter.count_uploads(person, 100)
            meter.begin_job(person)
        assert limit_of_jobs(person, quotas) is None
    assert limit_of_jobs(ADA, Quotas(jobs=2)) == 2


def test_threads_at_once_get_no_more_than_the_limit(database: Database) -> None:
    meter = UsageQuota(database, Quotas(uploads=5))

    def ask(_: int) -> bool:
        try:
            meter.count_uploads(ADA)
        except ChunkscopeError as error:
            assert "Add it in" in str(error)
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(16))) == 5


def test_who_adds_while_somebody_else_does_waits_until_that_is_counted(database: Database) -> None:
    meter, ended = UsageQuota(database, Quotas(uploads=1)), threading.Event()
    problems: list[ChunkscopeError] = []

    def add() -> None:
        try:
            meter.count_uploads(ADA)
        except ChunkscopeError as error:
            problems.append(error)
        ended.set()

    def add_slowly(connection: Connection) -> None:
        wanted = quotas_module._RequestedUse(ADA.subject, "upload", 1, 1, HOUR, "first")
        assert quotas_module._use(connection, wanted, quotas_module._clock()) == 0
        threading.Thread(target=add, daemon=True).start()
        assert not ended.wait(1.0)

    database.run(add_slowly, writes=True)
    assert ended.wait(60) and len(problems) == 1


ASK = """
import sys
from sqlalchemy import create_engine
from chunking import ChunkscopeError
from chunking.store.identity import Identity
from chunking.store.quotas import UsageQuota, Quotas
from chunking.store.database.location import engine_options
from chunking.store.database.database import Database
url = sys.argv[1]
meter = UsageQuota(Database(create_engine(url, **engine_options(url))), Quotas(uploads=7))
sys.stdout.write("ready\\n"); sys.stdout.flush(); sys.stdin.readline()
for _ in range(10):
    try:
        meter.count_uploads(Identity("https://login|ada", "Ada"))
    except ChunkscopeError as error:
        assert "Add it in" in str(error), error
"""


def test_processes_share_the_count(url: str) -> None:
    with engine_of(url) as engine:
        database = Database(engine)
        database.prepare()
        run_together([process(ASK, url) for _ in range(3)])
        with engine.connect() as connection:
            rows = connection.exec_driver_sql("SELECT amount FROM chunkscope_usage").all()
    assert len(rows) == 7


def test_a_person_has_no_more_jobs_at_once_than_the_quota(database: Database) -> None:
    meter = UsageQuota(database, Quotas(jobs=2))
    first = meter.begin_job(ADA)
    with meter.begin_job(ADA):
        with pytest.raises(ChunkscopeError, match="You have 2 jobs on this server"):
            meter.begin_job(ADA)
        meter.begin_job(BEN).end()
    meter.begin_job(ADA).end()
    first.end()
    first.end()
    with meter.begin_job(ADA), meter.begin_job(ADA):
        pass


def test_a_job_whose_process_was_killed_counts_no_longer_than_its_lease(database: Database) -> None:
    clock = Clock()
    UsageQuota(database, Quotas(jobs=1), clock).begin_job(ADA)
    clock.now += LEASE - 1
    with pytest.raises(ChunkscopeError):
        UsageQuota(database, Quotas(jobs=1), clock).begin_job(ADA)
    clock.now += 1
    UsageQuota(database, Quotas(jobs=1), clock).begin_job(ADA)


@contextmanager
def renewed_often(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Let jobs be renewed without a rest; the event tells that one was."""
    done = threading.Event()
    renew = quotas_module._renew

    def noticed(*given: object) -> None:
        renew(*given)  # type: ignore[arg-type]
        done.set()

    monkeypatch.setattr(quotas_module, "_RENEWAL_SECONDS", 0.01)
    monkeypatch.setattr(quotas_module, "_renew", noticed)
    yield done


def test_a_job_that_goes_on_is_renewed(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    meter = UsageQuota(database, Quotas(jobs=1), clock)
    with renewed_often(monkeypatch) as renewed, meter.begin_job(ADA):
        for _ in range(3):
            clock.now += LEASE - 1
            renewed.clear()
            assert renewed.wait(30)  # one that had begun before the clock moved
            renewed.clear()
            assert renewed.wait(30)
            with pytest.raises(ChunkscopeError):
                meter.begin_job(ADA)


def test_a_job_that_nobody_holds_is_renewed_no_more(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def renewing() -> set[threading.Thread]:
        return {thread for thread in threading.enumerate() if thread.name == "chunkscope-job"} - before

    before = set(threading.enumerate())
    with renewed_often(monkeypatch) as renewed:
        job = UsageQuota(database, Quotas(jobs=1)).begin_job(ADA)
        assert renewed.wait(30)
        (thread,) = renewing()
        del job
        thread.join(30)
        assert not renewing()


def test_the_quotas_are_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert quotas_of_environment() == Quotas()
    monkeypatch.setenv(quotas_module.UPLOADS_VARIABLE, "200")
    monkeypatch.setenv(quotas_module.JOBS_VARIABLE, "2")
    assert quotas_of_environment() == Quotas(200, 2)
    monkeypatch.setenv(quotas_module.JOBS_VARIABLE, "two")
    with pytest.raises(ChunkscopeError, match="CHUNKSCOPE_JOBS_PER_PERSON is not a whole number above 0"):
        quotas_of_environment()
