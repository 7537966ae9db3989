"""What several processes of a server share, and what a visitor has in one of them alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.store.audit import AuditLog
from tests.login.conftest import secrets_of, start
from tests.login.provider import Provider
from tests.login.visitors import Visitor


@pytest.fixture(scope="module")
def second_process(provider: Provider, served_with_login: tuple[str, Path]) -> Iterator[str]:
    """The address of a second process of the server with log-in, whose own address is the one that visitors know."""
    address, reviews = served_with_login
    secrets = reviews.with_name("second.toml")
    secrets.write_text(secrets_of({"mock": provider}, address))
    with start(reviews.parent, secrets) as second:
        yield second.address


def shown(visitor: Visitor, origin: str, address: str) -> bytes:
    """What a process shows to a visitor, whom a proxy under the address ``origin`` would have sent there."""
    visitor.address = address
    with visitor.socket(origin) as socket:
        return socket.run().data


def test_a_log_in_may_begin_at_one_process_end_at_the_other_and_counts_at_both(
    server_with_login: str, second_process: str, audit_log: AuditLog
) -> None:
    first = server_with_login
    before = {entry.id for entry in audit_log.read()}
    rita = Visitor(first)
    assert b"This server is for people with an account." in shown(rita, first, second_process)
    back = rita.callback("rita")
    assert back.startswith(first)
    rita.http.get(back.replace(first, second_process))
    assert rita.is_logged_in
    for address in (first, second_process):
        assert b"Rita Reader" in shown(rita, first, address)
    assert [entry.event.action for entry in audit_log.read() if entry.id not in before] == ["log in"]


def test_a_session_is_known_to_its_own_process_alone(server_with_login: str, second_process: str) -> None:
    rita = Visitor(server_with_login).log_in("rita")
    with rita.socket() as socket:
        session = socket.run().session
        path = f"/_stcore/upload_file/{session}/a-file"
        headers = {"X-Xsrftoken": rita.xsrf, "Origin": server_with_login}
        answers = [
            rita.http.put(f"{address}{path}", files={"file": ("a.md", b"Tea.")}, headers=headers).status_code
            for address in (server_with_login, second_process)
        ]
    assert answers[0] in (200, 204)
    assert re.match("4..", str(answers[1])), "a proxy must send each visitor to the same process"
