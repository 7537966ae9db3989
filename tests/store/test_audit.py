"""The audit log: entries are added, read in their order, never changed, and deleted once they are too old."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.__main__ import main
from chunking.runtime.log_fields import FIELDS
from chunking.store import audit, open_storage
from chunking.store.audit import AuditEvent, AuditLog
from chunking.store.database import tables
from chunking.store.database.database import Database
from chunking.store.identity import LOCAL, STRANGER, Identity

ADA = Identity("https://login.example.org|ada|1", "Ada")


def test_an_entry_says_who_when_what_and_by_which_provider(database: Database) -> None:
    log = AuditLog(database)
    log.append(ADA, AuditEvent("share", "document", "0a1b", "https://login.example.org|ben", {"visibility": "team"}))
    log.append(STRANGER, AuditEvent("refuse log in", detail={"reason": "not completed"}), "staff")
    log.append(LOCAL, AuditEvent("delete", "set", "s"))  # nobody who is known: it leaves no entry
    shared, refused = log.read()
    assert shared.as_dict() == {
        "at": shared.at,
        "subject": "https://login.example.org|ada|1",
        "provider": "https://login.example.org|ada",
        "action": "share",
        "kind": "document",
        "target": "0a1b",
        "owner": "https://login.example.org|ben",
        "detail": {"visibility": "team"},
        "id": shared.id,
    }
    assert timedelta() <= datetime.now(UTC) - datetime.fromisoformat(shared.at) < timedelta(minutes=5)
    assert (refused.subject, refused.provider, refused.event.kind) == ("", "staff", "")


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40), st.text(max_size=40))
def test_any_ids_come_back_as_they_were(database: Database, subject: str, target: str) -> None:
    if subject == LOCAL.subject:
        return
    AuditLog(database).append(Identity(subject, "X"), AuditEvent("open", "document", target, target))
    assert (subject, target, target) in {
        (each.subject, each.event.target, each.event.owner) for each in AuditLog(database).read()
    }


def test_entries_are_read_in_order_across_the_parts_in_which_they_are_fetched(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "_PART", 3)
    log = AuditLog(database)
    for number in range(10):
        log.append(ADA, AuditEvent("delete", "set", str(number)))
    entries = list(log.read())
    assert {each.event.target for each in entries} == set(map(str, range(10)))
    assert [(each.at, each.id) for each in entries] == sorted((each.at, each.id) for each in entries)
    assert list(log.read(since=entries[4].at)) == [each for each in entries if each.at >= entries[4].at]
    assert list(log.read(subject="nobody")) == list(log.read(action="share")) == []
    assert list(log.read(subject=ADA.subject, action="delete")) == entries


def test_an_entry_is_never_changed(database: Database) -> None:
    AuditLog(database).append(ADA, AuditEvent("delete", "set", "s"))
    before = list(AuditLog(database).read())
    with pytest.raises(sa.exc.DBAPIError, match="never changed"), database.engine.begin() as connection:
        connection.execute(sa.update(tables.audit).values(subject="somebody else"))
    assert list(AuditLog(database).read()) == before


def test_an_entry_goes_with_the_transaction_of_what_it_tells_of(database: Database) -> None:
    class Lost(Exception):
        pass

    def work(connection: sa.Connection) -> None:
        audit.record(connection, ADA, AuditEvent("delete", "set", "s"))
        raise Lost

    with pytest.raises(Lost):
        database.run(work, writes=True)
    assert list(AuditLog(database).read()) == []


def test_entries_are_deleted_once_they_are_older_than_the_setting_says(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    AuditLog(database).append(ADA, AuditEvent("delete", "set", "old"))
    later = AuditLog(database, lambda: datetime.now(UTC) + timedelta(days=91))
    later.append(ADA, AuditEvent("delete", "set", "without a setting"))
    assert len(list(later.read())) == 2
    assert later.expire(92) == 0
    monkeypatch.setenv(audit.DAYS_VARIABLE, "90")
    AuditLog(database).append(ADA, AuditEvent("delete", "set", "new"))
    assert len(list(later.read())) == 3
    later.append(ADA, AuditEvent("delete", "set", "the last"))
    assert list(later.read()) == []  # all were made by the clock of this machine, three months before


def test_the_log_of_the_server_has_each_entry_and_its_id(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, audit.__name__):
        AuditLog(database).append(ADA, AuditEvent("delete", "document", "0a1b", detail={"by": "admin"}))
    (entry,) = AuditLog(database).read()
    (line,) = (getattr(each, FIELDS) for each in caplog.records if hasattr(each, FIELDS))
    expected = {"entry": entry.id, "subject": ADA.subject, "provider": entry.provider, "action": "delete"}
    assert line == expected | {"kind": "document", "target": "0a1b", "owner": "", "by": "admin"}


def test_the_command_prints_entries_as_lines(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", sqlite_url)
    log = AuditLog(open_storage().database)
    for target in "ab":
        log.append(ADA, AuditEvent("delete", "set", target))
    log.append(ADA, AuditEvent("log out"))
    assert main(["audit", "--action", "delete", "--since", "2026-01-01T01:00+01:00"]) == 0
    lines = [json.loads(each) for each in capsys.readouterr().out.splitlines()]
    assert {each["target"] for each in lines} == {"a", "b"} and {each["subject"] for each in lines} == {ADA.subject}
    assert main(["audit", "--since", "2999-01-01"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["audit", "--since", "yesterday"]) == 2
    assert "is not a time" in capsys.readouterr().err
