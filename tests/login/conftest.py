"""A server with log-in and its providers, for the tests of who gets what."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from chunking.review.exercises import ExerciseStore
from chunking.store.audit import AuditLog
from chunking.store.database.database import Database
from chunking.store.database.location import engine_options
from chunking.store.reviews import ReviewStore
from tests.browser.server import ROOT, Server, serve_command
from tests.login.clock import Clock
from tests.login.provider import Provider, run_provider
from tests.login.visitors import SECRET, Visitor

EXERCISE_TEXT = (
    "The kettle boils water. It takes three minutes. A lid keeps the heat in. The train to the coast leaves at nine. "
    "It stops in every village. Tickets are sold on board."
)
LASTS = timedelta(hours=1)
"""How long a log-in lasts."""

CLOCK = "clock"
"""The file of a server's clock."""

_SECTION = """
[auth.{name}]
client_id = "chunkscope"
client_secret = "a secret between the two"
server_metadata_url = "{address}"
"""
_SETTINGS = f"""
[auth]
redirect_uri = "{{origin}}/oauth2callback"
cookie_secret = "{SECRET}"
"""
_RULES = """
[chunkscope.roles]
reader = ["@example.org"]
reviewer = ["ada@example.org", "sub:other-ada"]
admin = ["group:chunk-admins"]

[chunkscope.access]
class_exercises = true
"""


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    with run_provider(LASTS) as running:
        yield running


@pytest.fixture(scope="session")
def served_with_login(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a server with log-in, and the file of its reviews."""
    folder = tmp_path_factory.mktemp("login")
    with run_provider(-LASTS) as late:
        secrets = folder / "secrets.toml"
        secrets.write_text(secrets_of({"mock": provider, "late": late}))
        with start(folder, secrets) as running:
            # A server knows its components once a page was drawn with them; what is refused must be there.
            Visitor(running.address).log_in("rita").run()
            yield running.address, folder / "reviews.sqlite"


@pytest.fixture(scope="session")
def server_with_login(served_with_login: tuple[str, Path]) -> str:
    return served_with_login[0]


@pytest.fixture
def clock(served_with_login: tuple[str, Path]) -> Iterator[Clock]:
    """The clock of the server; it is right again after the test."""
    found = Clock(served_with_login[1].with_name(CLOCK))
    yield found
    found.put_forward(0)


@pytest.fixture
def audit_log(served_with_login: tuple[str, Path]) -> AuditLog:
    """What the server records."""
    url = f"sqlite:///{served_with_login[1]}"
    database = Database(create_engine(url, **engine_options(url)))
    database.prepare()
    return AuditLog(database)


@pytest.fixture
def exercise(served_with_login: tuple[str, Path]) -> tuple[str, str]:
    """The code of a class exercise on the server, and its teacher's token."""
    url = f"sqlite:///{served_with_login[1]}"
    store = ReviewStore(create_engine(url, **engine_options(url)))
    store.prepare()
    made, token = ExerciseStore(store).open(EXERCISE_TEXT, "structural", "1")
    return made.code, token


def secrets_of(providers: Mapping[str, Provider], origin: str = "http://127.0.0.1:{port}") -> str:
    """The secrets of a server that visitors know under an origin, by default its own."""
    sections = [_SECTION.format(name=name, address=each.address) for name, each in providers.items()]
    return _SETTINGS.format(origin=origin) + "".join(sections) + _RULES


def start(folder: Path, secrets: Path) -> AbstractContextManager[Server]:
    """A server of the app with a secrets file, and with a clock of its own in the folder."""
    clock = Clock(folder / CLOCK)
    clock.put_forward(0)
    environment = {**os.environ, "CHUNKSCOPE_REVIEWS": str(folder / "reviews.sqlite")}
    command = [
        sys.executable,
        "-m",
        "tests.login.clock",
        str(clock.file),
        "run",
        "app.py",
        f"--secrets.files={secrets}",
    ]
    return serve_command(command, folder, ROOT, environment)


@pytest.fixture
def visitor(server_with_login: str) -> Callable[[], Visitor]:
    """Makes visitors, who begin as strangers."""
    return lambda: Visitor(server_with_login)


@pytest.fixture
def stranger(server_with_login: str) -> Visitor:
    return Visitor(server_with_login)


@pytest.fixture
def reader(server_with_login: str) -> Visitor:
    return Visitor(server_with_login).log_in("rita")
