"""What several processes of a server share, and what a visitor has in one of them alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from chunking.operation.audit import AuditLog
from chunking.review.store import engine_options
from chunking.review.transactions import Database
from tests.login.conftest import start
from tests.login.provider import Provider
from tests.login.visitors import SECRET, Visitor

ORIGIN = "http://127.0.0.1:9"
"""Where a proxy would be, which nobody needs here: each request goes to the process that the test names."""

_SECRETS = f"""
[auth]
redirect_uri = "{ORIGIN}/oauth2callback"
cookie_secret = "{SECRET}"

[auth.mock]
client_id = "chunkscope"
client_secret = "a secret between the two"
server_metadata_url = "{{address}}"

[chunkscope.roles]
reader = ["@example.org"]
"""


@pytest.fixture(scope="module")
def processes(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, Path]]:
    """The addresses of two processes with the same settings and database, and that database."""
    folder = tmp_path_factory.mktemp("processes")
    secrets = folder / "secrets.toml"
    secrets.write_text(_SECRETS.format(address=provider.address))
    with start(folder, secrets) as first, start(folder, secrets) as second:
        yield first.address, second.address, folder / "reviews.sqlite"


def shown(visitor: Visitor, address: str) -> bytes:
    visitor.address = address
    with visitor.socket(ORIGIN) as socket:
        return socket.run().data


def test_a_log_in_may_begin_at_one_process_end_at_the_other_and_counts_at_both(
    processes: tuple[str, str, Path],
) -> None:
    first, second, reviews = processes
    url = f"sqlite:///{reviews}"
    database = Database(create_engine(url, **engine_options(url)))
    database.prepare()
    before = {each.id for each in AuditLog(database).read()}
    rita = Visitor(first)
    assert b"This server is for people with an account." in shown(rita, second)
    back = rita.callback("rita")
    assert back.startswith(ORIGIN)
    rita.http.get(back.replace(ORIGIN, second))
    assert rita.is_logged_in
    for address in (first, second):
        assert b"Rita Reader" in shown(rita, address)
    assert [each.act.action for each in AuditLog(database).read() if each.id not in before] == ["log in"]


def test_a_session_is_known_to_its_own_process_alone(processes: tuple[str, str, Path]) -> None:
    first, second, _ = processes
    rita = Visitor(first)
    rita.http.get(rita.callback("rita").replace(ORIGIN, first))
    with rita.socket(ORIGIN) as socket:
        session = socket.run().session
        path = f"/_stcore/upload_file/{session}/a-file"
        headers = {"X-Xsrftoken": rita.xsrf, "Origin": ORIGIN}
        answers = [
            rita.http.put(f"{address}{path}", files={"file": ("a.md", b"Tea.")}, headers=headers).status_code
            for address in (first, second)
        ]
    assert answers[0] in (200, 204)
    assert re.match("4..", str(answers[1])), "a proxy must send each visitor to the same process"
