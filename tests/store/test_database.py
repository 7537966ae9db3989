from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, event, make_url

from chunking.errors import ChunkscopeError
from chunking.reference.events import Event
from chunking.runtime.surrogates import decode_text, encode_text
from chunking.store.database.connections import attach
from chunking.store.database.location import VARIABLE, address, describe, engine_options
from chunking.store.reviews import ReviewStore
from tests.store.databases import store_of


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)


def test_reviews_are_kept_in_the_users_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert make_url(address()).database == str(tmp_path / "home/.local/share/chunkscope/reviews.sqlite")
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert make_url(address()).database == str(tmp_path / "home/.local/share/chunkscope/reviews.sqlite")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert make_url(address()).database == str(tmp_path / "data/chunkscope/reviews.sqlite")
    assert (tmp_path / "data/chunkscope").is_dir()


@pytest.mark.parametrize("name", ["mine.sqlite", "a b/ü?x%20#y&z=1.db", "~/mine.sqlite"])
def test_a_path_is_a_sqlite_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, name)
    path = tmp_path / "home/mine.sqlite" if name.startswith("~") else tmp_path / name
    engine = create_engine(address(), **engine_options(address()))
    store = ReviewStore(engine)
    store.prepare()
    assert path.is_file()
    assert store.place == f"the file {path}"
    engine.dispose()


def test_a_url_of_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, f"sqlite:///{tmp_path}/new/mine.sqlite")
    assert address() == f"sqlite:///{tmp_path}/new/mine.sqlite"
    assert (tmp_path / "new").is_dir()


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+pg8000"])
def test_a_url_of_postgresql(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, f" {scheme}://ann:my%40secret@host:6543/things?sslmode=require ")
    assert address() == "postgresql+pg8000://ann:my%40secret@host:6543/things?sslmode=require"
    assert describe(make_url(address())) == "the database things of the PostgreSQL server host:6543"


@pytest.mark.parametrize(
    "wrong",
    [
        "postgresql://ann:secret@host:port/things",
        "postgresql:/ann:secret@host/things",
        "postgresql://:secret@host/things",
        "postgresql://ann:secret@host/things?sslmode=secret",
        "postgresql://ann@host/things?password=secret",
        "postgresql://ann:secret@host/things?sslmode=verify-full&sslrootcert=/not/there.pem",
        "postgresql+nodriver://ann:secret@host/things",
        "postgresql+asyncpg://ann:secret@host/things",
        "mysql://ann:secret@host/things",
        "nonsense://ann:secret@host/things",
        "://ann:secret@host",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:mine.sqlite",
        "sqlite:///mine.sqlite?mode=ro",
        "sqlite+aiosqlite:///mine.sqlite",
    ],
)
def test_an_address_that_cannot_be_used_says_what_to_write(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, wrong)
    with pytest.raises(ChunkscopeError) as caught:
        address()
    assert "postgresql://user:password@host:5432/database" in caught.value.remedy
    assert "secret" not in str(caught.value).replace("sslmode", "")
    assert caught.value.__cause__ is None


def test_a_folder_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(ChunkscopeError, match="is a folder"):
        address()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "below.sqlite"))
    with pytest.raises(ChunkscopeError, match="cannot be made"):
        address()


@pytest.mark.parametrize(
    ("asked", "encrypted", "verified", "named"),
    [
        ("disable", False, False, False),
        ("require", True, False, False),
        ("verify-ca", True, True, False),
        ("verify-full", True, True, True),
    ],
)
def test_sslmode_means_what_it_means_elsewhere(asked: str, encrypted: bool, verified: bool, named: bool) -> None:
    given_to_driver: list[dict[str, Any]] = []

    def instead(_dialect: object, _record: object, _arguments: object, options: dict[str, Any]) -> None:
        given_to_driver.append(options)
        raise ChunkscopeError("far enough")

    url = f"postgresql+pg8000://ann:secret@host/things?sslmode={asked}"
    engine = create_engine(url, **engine_options(url))
    attach(engine)
    event.listen(engine, "do_connect", instead)
    with pytest.raises(ChunkscopeError, match="far enough"):
        engine.connect()
    (options,) = given_to_driver
    assert "sslmode" not in options
    assert options["timeout"] > 0
    context = options["ssl_context"]
    assert isinstance(context, ssl.SSLContext) == encrypted
    if encrypted:
        assert context.verify_mode == (ssl.CERT_REQUIRED if verified else ssl.CERT_NONE)
        assert context.check_hostname == named


def test_a_server_that_is_not_there_is_named_without_user_and_password() -> None:
    url = "postgresql+pg8000://zoe:secret@127.0.0.1:1/things"
    engine = create_engine(url, **engine_options(url))
    with pytest.raises(ChunkscopeError) as caught:
        ReviewStore(engine).prepare()
    assert str(caught.value).startswith("The database things of the PostgreSQL server 127.0.0.1:1 cannot be reached.")
    assert "zoe" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_only_what_no_database_takes_is_kept_otherwise() -> None:
    assert encode_text("plain, ünïcode, \\ and \U0001f600\n") == "plain, ünïcode, \\ and \U0001f600\n"
    assert encode_text("\0 \ud800 \x1a \x1a0000") == "\x1a0000 \x1ad800 \x1a001a \x1a001a0000"
    assert decode_text(encode_text("\0 \ud800 \x1a \x1a0000")) == "\0 \ud800 \x1a \x1a0000"


def test_nobody_else_on_the_machine_reads_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHUNKSCOPE_REVIEWS", str(tmp_path / "a" / "b" / "reviews.sqlite"))
    umask = os.umask(0)
    try:
        with store_of(address()) as store:
            store.append([Event("t", "text", "Ada", "accept", 1)])
            modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "a").rglob("*")}
    finally:
        os.umask(umask)
    assert modes.pop("b") == 0o700 == (tmp_path / "a").stat().st_mode & 0o777
    assert set(modes.values()) == {0o600} and "reviews.sqlite" in modes
