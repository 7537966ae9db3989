from __future__ import annotations

import shutil
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, event
from sqlalchemy.engine import Engine

import chunking.store.reviews
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.reference.events import ACTIONS, NAME_LIMIT, Event
from chunking.store.database import tables
from chunking.store.reviews import KEY_LIMIT, ReviewedText, ReviewStore
from tests.disks import small_disk, unprivileged
from tests.store.databases import Postgres, engine_of, outcome, process, store_of

OPEN = """
import sys
from sqlalchemy import create_engine
from chunking.reference.events import Event
from chunking.store.reviews import ReviewStore
from chunking.store.database.location import engine_options
url, reviewer = sys.argv[1:3]
store = ReviewStore(create_engine(url, **engine_options(url)))
"""
WRITE = (
    OPEN
    + """
for place in range(int(sys.argv[3])):
    store.append([Event(f"{reviewer}-{place}", "text", reviewer, "accept", place)])
"""
)

WRITE_FOR_EVER = (
    OPEN
    + """
place = 0
while True:
    store.append([Event(f"{reviewer}-{place}-{part}", "text", reviewer, "accept", place) for part in range(3)])
    print(place, flush=True)
    place += 1
"""
)


def judged(place: int, reviewer: str = "Ada", document: str = "text") -> Event:
    return Event(f"{document}-{reviewer}-{place}", document, reviewer, "accept", place)


def plain(events: list[Event]) -> list[Event]:
    return [replace(event, at="") for event in events]


def refused(store: ReviewStore, *words: str, place: int = 99) -> str:
    """The store says that it cannot store an event, in these words, and names the way out."""
    with pytest.raises(ChunkscopeError) as caught:
        store.append([judged(place)])
    told = str(caught.value)
    assert all(word in told for word in (*words, "Nothing was stored.")), told
    assert not any(word in told for word in ("INSERT", "SELECT", "Traceback", "sqlalchemy", "sqlite3.", "{")), told
    assert caught.value.__cause__ is None
    return told


# What is kept


def test_events_come_back_in_their_order_with_the_time_of_storing(store: ReviewStore) -> None:
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    first = store.append([judged(7), replace(judged(3), at="long ago")])  # the store tells the time
    second = store.append([judged(5, "Ben")])
    assert plain(first) == [judged(7), judged(3)]
    assert store.events("text") == first + second
    assert all(before <= datetime.fromisoformat(event.at) <= datetime.now(UTC) for event in first + second)
    assert store.events("another text") == []


def test_those_who_know_the_first_events_read_on_from_there(store: ReviewStore) -> None:
    everything = store.append([judged(place) for place in range(5)])
    store.append([judged(1, document="other")])
    for known in range(7):
        assert store.events("text", after=known) == everything[known:]


def test_a_clock_that_jumps_changes_neither_order_nor_number(
    store: ReviewStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime(2026, 3, 1, 12, tzinfo=UTC)
    monkeypatch.setattr(chunking.store.reviews, "datetime", SimpleNamespace(now=lambda _: now))
    for place, jump in enumerate((0, -1, 365 * 24, -365 * 24)):
        now += timedelta(hours=jump)
        store.append([judged(place)])
    events = store.events("text")
    assert [event.offset for event in events] == [0, 1, 2, 3]
    assert events[1].at < events[0].at < events[2].at, "the time is what the clock said"
    assert [event.offset for event in store.events("text", after=2)] == [2, 3]
    assert store.append([judged(1)]) == [events[1]]


def test_an_event_sent_again_counts_once_and_keeps_its_time(store: ReviewStore) -> None:
    first = store.append([judged(1), judged(2)])
    again = store.append([judged(3), judged(2), judged(2), replace(judged(1), at="later")])
    assert again[:2] == first
    assert plain(again) == [judged(1), judged(2), judged(3)]
    assert store.events("text") == again


def test_another_event_with_a_known_token_is_refused_with_all_that_came_with_it(store: ReviewStore) -> None:
    stored = store.append([judged(1)])
    other = replace(judged(1), note="something else")
    with pytest.raises(ChunkscopeError, match="says something else"):
        store.append([judged(2), other])
    with pytest.raises(ChunkscopeError, match="says something else"):
        store.append([replace(judged(1), document="another text")])
    with pytest.raises(ChunkscopeError, match="says something else"):
        store.append([judged(3), replace(judged(3), note="something else")])
    assert store.events("text") == stored
    assert [each.hash for each in store.documents()] == ["text"]
    assert plain(store.append([judged(2)])) == [judged(2)]


def test_many_events_at_once(store: ReviewStore) -> None:
    many = [judged(place, document=f"text {place % 3}") for place in range(1500)]
    stored = store.append(many)
    assert plain(stored) == sorted(many, key=lambda each: (each.offset % 3, each.offset))
    assert store.stored([each.token for each in many] + ["unknown"]) == {each.token for each in many}
    assert [each.events for each in store.documents()] == [500] * 3


@pytest.mark.parametrize(
    "event",
    [
        Event("t" * (KEY_LIMIT + 1), "text", "Ada", "accept", 1),
        Event("t", "d" * (KEY_LIMIT + 1), "Ada", "accept", 1),
        Event("t", "text", "Ada", "accept", 2**63),
        Event("t", "text", "Ada", "move", 1, 2**63),
    ],
    ids=["token", "document", "offset", "target"],
)
def test_what_no_database_can_hold_is_refused(store: ReviewStore, event: Event) -> None:
    with pytest.raises(ChunkscopeError, match="Nothing was stored"):
        store.append([judged(1), event])
    assert store.documents() == []


def test_the_largest_keys_fit(store: ReviewStore) -> None:
    largest = Event("\U0001f600" * KEY_LIMIT, "\ud800" * KEY_LIMIT, "\0" * NAME_LIMIT + "", "accept", 2**63 - 1)
    store.append([largest])
    assert plain(store.events(largest.document)) == [largest]


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Any events with tokens of their own, of a few documents."""
    anything = st.text(st.characters(codec=None, exclude_categories=()), max_size=30)
    documents = draw(st.lists(anything.filter(bool), min_size=1, max_size=3))
    names = anything.filter(str.strip)
    places = st.integers(0, 2**63 - 1)
    events = []
    for token in draw(st.lists(anything.filter(bool), max_size=6, unique=True)):
        action = draw(st.sampled_from(ACTIONS))
        events.append(
            Event(
                token=token,
                document=draw(st.sampled_from(documents)),
                reviewer=draw(names),
                action=action,
                offset=draw(places),
                target=draw(places) if action == "move" else None,
                note=draw(anything),
                undoes=draw(anything.filter(bool)) if action == "undo" else "",
                proposed=draw(anything),
                blind=draw(st.booleans()),
                decides=draw(st.booleans()),
                before=draw(anything),
                after=draw(anything),
            )
        )
    return events


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=histories(), cut=st.integers(0, 6))
def test_any_events_come_back_as_they_were(store: ReviewStore, history: list[Event], cut: int) -> None:
    with store.engine.begin() as connection:
        connection.execute(sa.delete(tables.events))
        connection.execute(sa.delete(tables.documents))
    store.append(history[:cut])
    store.append(history)
    documents = dict.fromkeys(event.document for event in history)
    for document in documents:
        own = [event for event in history if event.document == document]
        assert plain(store.events(document)) == own
    assert store.stored(event.token for event in history) == {event.token for event in history}
    assert {each.hash: each.reviewers for each in store.documents()} == {
        document: tuple(dict.fromkeys(each.reviewer for each in history if each.document == document))
        for document in documents
    }


# Documents


def test_a_document_is_known_by_its_latest_name(store: ReviewStore) -> None:
    text = "One thing.\nAnother \0 thing."
    document = Document(text, (), name="draft\0.md", language="en")
    store.register(document)
    store.append([judged(1, "Ben", document.text_hash), judged(2, "Ada", document.text_hash)])
    stored = store.append([judged(3, "Ben", document.text_hash)])
    store.register(document)
    store.register(replace(document, name="final.md", language="de"))
    expected = ReviewedText(document.text_hash, "final.md", len(text), "de", 3, ("Ben", "Ada"), stored[-1].at)
    assert store.documents() == [expected]


def test_registering_again_what_is_known_writes_nothing(store: ReviewStore) -> None:
    document = Document("Text.", (), name="name")
    store.register(document)
    statements: list[str] = []
    event.listen(store.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    store.register(document)
    assert not [each for each in statements if "INSERT" in each or "UPDATE" in each]


def test_documents_with_the_latest_events_come_first(store: ReviewStore) -> None:
    texts = [Document(text, (), name=text) for text in ("c", "a", "b")]
    for document in texts:
        store.register(document)
    store.append([judged(1, document=texts[2].text_hash)])
    assert [each.name for each in store.documents()] == ["b", "a", "c"]
    assert store.documents()[1] == ReviewedText(texts[1].text_hash, "a", 1, "und")


# Many at once


def test_threads_that_write_at_once_lose_nothing_and_a_reader_misses_nothing(store: ReviewStore) -> None:
    read: list[Event] = []
    done = threading.Event()
    problems: list[BaseException] = []

    def write(reviewer: str) -> None:
        try:
            for place in range(25):
                # Two texts in both orders: neither writer may wait for the other for ever.
                pair = [judged(place, reviewer), judged(place, reviewer, "other")]
                store.append(pair if reviewer == "Ada" else pair[::-1])
        except BaseException as problem:
            problems.append(problem)

    def follow() -> None:
        while not done.is_set():
            read.extend(store.events("text", after=len(read)))

    writers = [threading.Thread(target=write, args=(name,)) for name in ("Ada", "Ben")]
    reader = threading.Thread(target=follow)
    for thread in (reader, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    reader.join()
    assert not problems
    read.extend(store.events("text", after=len(read)))
    assert read == store.events("text")
    for document in ("text", "other"):
        for name in ("Ada", "Ben"):
            own = [event.offset for event in store.events(document) if event.reviewer == name]
            assert own == list(range(25))


@pytest.mark.parametrize("documents", [("text", "text"), ("text", "other")])
def test_one_token_from_two_at_once_counts_once_and_stands_for_one_event(
    store: ReviewStore, documents: tuple[str, str]
) -> None:
    together = threading.Barrier(2)
    refusals: list[ChunkscopeError] = []

    def send(document: str) -> None:
        for place in range(15):
            together.wait()
            try:
                store.append([Event(f"token {place}", document, "Ada", "accept", place)])
            except ChunkscopeError as refusal:
                refusals.append(refusal)

    senders = [threading.Thread(target=send, args=(name,)) for name in documents]
    for thread in senders:
        thread.start()
    for thread in senders:
        thread.join()
    assert len(refusals) == (15 if documents[0] != documents[1] else 0)
    assert all("says something else" in str(each) for each in refusals)
    assert len(store.events("text")) + len(store.events("other")) == 15


def test_processes_that_write_at_once_lose_nothing(store: ReviewStore, url: str) -> None:
    running = [process(WRITE, url, name, "30") for name in ("Ada", "Ben")]
    for each in running:
        outcome(each)
    stored = store.events("text")
    assert len(stored) == 60
    for name in ("Ada", "Ben"):
        assert [event.offset for event in stored if event.reviewer == name] == list(range(30))


def test_what_was_acknowledged_outlives_a_killed_process(store: ReviewStore, url: str) -> None:
    running = process(WRITE_FOR_EVER, url, "Ada")
    assert running.stdout
    heard = [running.stdout.readline() for _ in range(25)]
    running.send_signal(signal.SIGKILL)
    out, errors = running.communicate(timeout=60)
    assert running.returncode == -signal.SIGKILL, errors
    acknowledged = [int(line) for line in [*heard, *out.splitlines(keepends=True)] if line.endswith("\n")]
    places = [event.offset for event in store.events("text")]
    assert len(acknowledged) >= 25
    assert places == sorted(places)
    assert all(places.count(place) == 3 for place in places), "all of a call or none"
    assert set(acknowledged) <= set(places)
    assert plain(store.append([judged(1)])) == [judged(1)]


# SQLite


def test_sqlite_writes_to_the_disk_before_it_acknowledges(sqlite_url: str) -> None:
    engine = create_engine(sqlite_url)
    with engine.connect():
        pass  # a connection of before
    ReviewStore(engine).prepare()
    ReviewStore(engine)
    with engine.connect() as connection:
        asked = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in ("synchronous", "foreign_keys")
        }
        assert asked == {"synchronous": 2, "foreign_keys": 1}
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
    engine.dispose()


def test_a_locked_file(sqlite_url: str, tmp_path: Path) -> None:
    with store_of(sqlite_url, connect_args={"timeout": 0.05}) as store:
        stored = store.append([judged(1)])
        other = sqlite3.connect(tmp_path / "reviews.sqlite", isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        refused(store, "is locked by another program", "reviews.sqlite")
        assert store.events("text") == stored, "reading goes on"
        other.execute("ROLLBACK")
        other.close()
        store.append([judged(2)])
        assert plain(store.events("text")) == [judged(1), judged(2)]


@pytest.mark.parametrize("what", ["file", "folder", "both"])
def test_a_file_or_folder_that_may_only_be_read(what: str) -> None:
    with unprivileged() as folder, store_of(f"sqlite:///{folder}/reviews.sqlite") as store:
        stored = store.append([judged(1)])
        store.engine.dispose()
        locked = {"file": [folder / "reviews.sqlite"], "folder": [folder], "both": [folder / "reviews.sqlite", folder]}[
            what
        ]
        for path in locked:
            path.chmod(0o555)
        refused(store, "reviews.sqlite", "CHUNKSCOPE_REVIEWS")
        if what == "file":
            assert store.events("text") == stored, "reading goes on"
        else:  # SQLite must make files beside it to read one
            with pytest.raises(ChunkscopeError, match="reviews.sqlite"):
                store.events("text")
        for path in (folder, *folder.iterdir()):
            with suppress(FileNotFoundError):  # SQLite takes away what it needs no more
                path.chmod(0o755)
        assert store.events("text") == stored
        store.append([judged(2)])
        assert len(store.events("text")) == 2


def test_a_folder_where_nothing_can_be_made() -> None:
    with unprivileged() as folder, engine_of(f"sqlite:///{folder}/reviews.sqlite") as engine:
        folder.chmod(0o555)
        with pytest.raises(ChunkscopeError, match="cannot be opened"):
            ReviewStore(engine).prepare()
        folder.chmod(0o755)
        ReviewStore(engine).prepare()
        assert plain(ReviewStore(engine).append([judged(1)])) == [judged(1)]


def fill(store: ReviewStore) -> int:
    """Store events until there is no more room; how many are there then."""
    stored = 0
    with pytest.raises(ChunkscopeError) as caught:
        for place in range(5000):
            store.append([replace(judged(place), note="n" * 2000)])
            stored += 1
    assert "full" in str(caught.value)
    assert "Nothing was stored." in str(caught.value)
    return stored


def test_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path) as disk:
        ballast = disk / "ballast"
        ballast.write_bytes(b"\0" * 400_000)
        with store_of(f"sqlite:///{disk}/reviews.sqlite") as store:
            stored = fill(store)
            assert [each.offset for each in store.events("text")] == list(range(stored))
            ballast.unlink()
            store.append([judged(9999)])
            assert len(store.events("text")) == stored + 1


def test_a_full_database(sqlite_url: str) -> None:
    with store_of(sqlite_url) as store:
        limit = 60

        def bound(connection: sqlite3.Connection, _record: object) -> None:
            connection.execute(f"PRAGMA max_page_count = {limit}")

        event.listen(store.engine, "connect", bound)
        store.engine.dispose()
        stored = fill(store)
        assert [each.offset for each in store.events("text")] == list(range(stored))
        limit = 1000
        store.engine.dispose()
        store.append([judged(9999)])
        assert len(store.events("text")) == stored + 1


@pytest.mark.parametrize("how", ["over it", "in its place"])
def test_a_file_that_turns_into_something_else(sqlite_url: str, tmp_path: Path, how: str) -> None:
    path = tmp_path / "reviews.sqlite"
    with store_of(sqlite_url) as store:
        stored = store.append([judged(1)])
        store.engine.dispose()
        shutil.copy(path, tmp_path / "copy")
        assert store.events("text") == stored, "a connection is open"
        (tmp_path / "new").write_bytes(b"what a text editor left here " * 50)
        if how == "over it":
            shutil.copy(tmp_path / "new", path)
        else:
            (tmp_path / "new").replace(path)
        refused(store, "is not a sound SQLite database", "reviews.sqlite")
        with pytest.raises(ChunkscopeError, match="is not a sound SQLite database"):
            store.prepare()
        assert path.read_bytes().startswith(b"what a text editor"), "left as it is"
        (tmp_path / "copy").replace(path)
        assert store.events("text") == stored
        assert plain(store.append([judged(2)])) == [judged(2)]


def test_a_file_that_is_deleted_takes_no_more_events_unseen(sqlite_url: str, tmp_path: Path) -> None:
    with store_of(sqlite_url) as store:
        store.append([judged(1)])
        for path in tmp_path.glob("reviews.sqlite*"):
            path.rename(tmp_path / f"kept {path.name}")
        refused(store, "holds no tables")
        store.prepare()
        assert store.events("text") == []
        store.append([judged(2)])
        assert plain(store.events("text")) == [judged(2)]


def test_no_page_is_left_with_a_lock_after_an_error(sqlite_url: str) -> None:
    with store_of(sqlite_url, connect_args={"timeout": 0.05}) as store:
        store.append([judged(1)])
        with pytest.raises(ChunkscopeError):
            store.append([replace(judged(1), note="changed")])
        with store_of(sqlite_url, connect_args={"timeout": 0.05}) as other:
            other.append([judged(2)])


# PostgreSQL


@pytest.fixture(params=["as asked for", "plain"])
def postgres_engine(request: pytest.FixtureRequest, postgres_url: str) -> Iterator[Engine]:
    """An engine as pages make it, and one made without what is asked for."""
    engine = create_engine(postgres_url) if request.param == "plain" else None
    with engine_of(postgres_url) as asked:
        yield engine or asked
    if engine:
        engine.dispose()


def test_a_server_that_stops_and_starts_again(postgres: Postgres, postgres_engine: Engine) -> None:
    store = ReviewStore(postgres_engine)
    store.prepare()
    stored = store.append([judged(1)])
    postgres.stop("immediate")
    try:
        refused(store, "cannot be reached")
        with pytest.raises(ChunkscopeError, match="cannot be reached"):
            store.events("text")
        with pytest.raises(ChunkscopeError, match="cannot be reached"):
            store.prepare()
    finally:
        postgres.start()
    assert store.events("text") == stored
    assert plain(store.append([judged(2)])) == [judged(2)]


@pytest.mark.parametrize("moment", ["BEGIN", "INSERT INTO chunkscope_events", "COMMIT"])
def test_a_connection_that_is_cut_in_the_middle(postgres: Postgres, postgres_engine: Engine, moment: str) -> None:
    store = ReviewStore(postgres_engine)
    store.prepare()
    store.append([judged(1)])
    cuts: list[str] = []

    def cut(now: str) -> None:
        if now.startswith(moment) and not cuts:
            cuts.append(now)
            postgres.drop_connections(str(postgres_engine.url.database))

    event.listen(postgres_engine, "begin", lambda _connection: cut("BEGIN"))
    event.listen(postgres_engine, "before_cursor_execute", lambda *given: cut(given[2]))
    event.listen(postgres_engine, "commit", lambda _connection: cut("COMMIT"))
    stored = store.append([judged(2), judged(3)])
    assert cuts
    assert plain(stored) == [judged(2), judged(3)]
    assert plain(store.events("text")) == [judged(1), judged(2), judged(3)]


def test_an_answer_that_was_lost_after_the_commit(postgres_url: str) -> None:
    with store_of(postgres_url) as store:
        commit = store.engine.dialect.do_commit
        lost: list[object] = []

        def commit_and_lose(connection: sa.engine.interfaces.PoolProxiedConnection) -> None:
            commit(connection)
            if not lost:
                lost.append(connection)
                raise ConnectionResetError("the answer did not arrive")

        store.engine.dialect.do_commit = commit_and_lose  # type: ignore[assignment, method-assign]
        stored = store.append([judged(1)])
        assert lost
        assert store.events("text") == stored


def test_events_of_a_text_that_somebody_holds_for_long(postgres_url: str) -> None:
    with store_of(postgres_url) as store, engine_of(postgres_url) as other:
        store.append([judged(1)])

        def hurry(connection: sa.Connection) -> None:
            connection.exec_driver_sql("SET LOCAL lock_timeout TO '20ms'")

        event.listen(store.engine, "begin", hurry)
        with other.begin() as connection:
            connection.execute(sa.select(tables.documents).with_for_update()).all()
            refused(store, "is locked by another program")
        assert plain(store.append([judged(2)])) == [judged(2)]


def test_a_server_without_rights_to_write(postgres: Postgres, postgres_url: str) -> None:
    with store_of(postgres_url) as store:
        stored = store.append([judged(1)])
        database = store.engine.url.database
        postgres.execute(f"ALTER DATABASE {database} SET default_transaction_read_only TO on")
        store.engine.dispose()
        refused(store, "is read-only")
        assert store.events("text") == stored
        postgres.execute(f"ALTER DATABASE {database} RESET default_transaction_read_only")
        store.engine.dispose()
        store.append([judged(2)])


def test_a_wrong_password_is_told_without_the_password(postgres: Postgres) -> None:
    with engine_of(postgres.url("postgres", password="my-wrong-secret")) as engine:
        with pytest.raises(ChunkscopeError, match="refuses the user or the password") as caught:
            ReviewStore(engine).prepare()
        assert "secret" not in "".join(map(str, (caught.value, caught.value.__cause__, ReviewStore(engine).place)))


def test_a_database_that_is_not_there_until_it_is(postgres: Postgres) -> None:
    with engine_of(postgres.url("not_there_yet")) as engine:
        store = ReviewStore(engine)
        with pytest.raises(ChunkscopeError, match="There is no such database: the database not_there_yet"):
            store.prepare()
        postgres.execute("CREATE DATABASE not_there_yet")
        store.prepare()
        assert plain(store.append([judged(1)])) == [judged(1)]


def test_a_server_that_offers_no_encryption_is_not_talked_to_in_the_open(postgres_url: str) -> None:
    with engine_of(postgres_url + "?sslmode=require") as engine, pytest.raises(ChunkscopeError, match="encrypted"):
        ReviewStore(engine).prepare()
    with store_of(postgres_url + "?sslmode=disable") as store:
        store.append([judged(1)])


def test_postgresql_acknowledges_what_is_on_its_disk_and_waits_for_nothing_for_ever(
    postgres: Postgres, postgres_url: str
) -> None:
    with store_of(postgres_url) as store:
        postgres.execute(f"ALTER DATABASE {store.engine.url.database} SET synchronous_commit TO off")
        store.engine.dispose()
        with store.engine.connect() as connection:
            settings = {
                name: connection.exec_driver_sql(f"SHOW {name}").scalar_one()
                for name in ("synchronous_commit", "statement_timeout", "lock_timeout", "client_encoding")
            }
    assert settings == {
        "synchronous_commit": "on",
        "statement_timeout": "10s",
        "lock_timeout": "5s",
        "client_encoding": "UTF8",
    }
