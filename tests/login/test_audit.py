"""What a server with log-in records of log-ins, and of what admins do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from chunking.store.audit import AuditEvent, AuditLog, Entry
from chunking.store.database.location import address
from chunking.store.identity import STRANGER, Identity
from pages.shared import identity
from pages.shared.server import audit
from tests.login.visitors import Visitor

Make = Callable[[], Visitor]


@pytest.fixture
def entries(audit_log: AuditLog) -> Callable[[], list[Entry]]:
    """Returns the entries that were added since the test began: those of an answer are there with it."""
    before = {entry.id for entry in audit_log.read()}

    return lambda: [entry for entry in audit_log.read() if entry.id not in before]


def test_a_log_in_and_a_log_out_are_recorded_with_subject_and_provider(
    visitor: Make, entries: Callable[[], list[Entry]]
) -> None:
    rita = visitor().log_in("rita")
    (entry,) = entries()
    assert entry.event == AuditEvent("log in")
    assert entry.subject == f"{entry.provider}|rita" and entry.provider.startswith("http://localhost:")
    rita.http.get("/auth/logout")
    assert [(each.event.action, each.subject) for each in entries()] == [
        ("log in", entry.subject),
        ("log out", entry.subject),
    ]


def test_who_logs_in_without_a_role_is_recorded_as_refused(visitor: Make, entries: Callable[[], list[Entry]]) -> None:
    visitor().log_in("mallory")
    (entry,) = entries()
    assert entry.event == AuditEvent("refuse log in", detail={"reason": "no role"})
    assert entry.subject.endswith("|mallory")


def test_a_log_in_with_a_token_that_has_expired_is_recorded_as_refused(
    visitor: Make, entries: Callable[[], list[Entry]]
) -> None:
    visitor().log_in("rita", "late")
    (entry,) = entries()
    assert entry.event.action == "refuse log in"
    assert entry.subject == ""


def test_a_log_in_that_is_not_completed_is_recorded_and_says_nothing_that_was_sent(
    stranger: Visitor, entries: Callable[[], list[Entry]]
) -> None:
    stranger.http.get("/oauth2callback", params={"state": "guessed-state", "code": "guessed-code"})
    (entry,) = entries()
    assert entry.event == AuditEvent("refuse log in", detail={"reason": "not completed"})
    assert "guessed" not in json.dumps(entry.as_dict())


def test_a_download_is_recorded_once_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "reviews.sqlite"))
    rita = Identity("issuer|rita", "Rita")
    monkeypatch.setattr(identity, "current", lambda: rita)
    make = audit.exported("exercise", "ABC", lambda: "gap,votes")
    assert list(audit._audit_log(address()).read()) == []
    assert make() == "gap,votes"
    (entry,) = audit._audit_log(address()).read()
    assert (entry.subject, entry.event) == (rita.subject, AuditEvent("export", "exercise", "ABC"))


def test_requests_of_unknown_people_fill_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "reviews.sqlite"))
    audit._unknown.clear()
    for _ in range(audit._MOST_UNKNOWN + 20):
        audit.append(STRANGER, AuditEvent("refuse log in"))
    found = list(audit._audit_log(address()).read())
    assert len(found) == audit._MOST_UNKNOWN
    audit._unknown.clear()


def test_a_database_that_is_away_stops_no_log_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "reviews.sqlite").write_bytes(b"no database" * 100)
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "reviews.sqlite"))
    audit._unknown.clear()
    audit.append(STRANGER, AuditEvent("refuse log in"))
    assert "An act could not be added to the audit log." in caplog.text
