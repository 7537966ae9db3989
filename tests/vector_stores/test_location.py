"""Addresses of vector stores: what they may look like, and that no key is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.errors import ChunkscopeError
from chunking.vector_stores import open_store, parse_location
from tests.command_line import run

SECRET = "s3cr%2Fet"


def test_the_forms_of_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QDRANT_API_KEY", "CHROMA_API_KEY", "PGPASSWORD"):
        monkeypatch.delenv(name, raising=False)
    assert str(parse_location("qdrant:./db")) == "Qdrant in db"
    assert str(parse_location("chroma:/srv/db")) == "Chroma in /srv/db"
    server = parse_location(f"qdrant+https://:{SECRET}@host.example/prefix")
    assert (server.port, server.scheme, server.path, server.key) == (6333, "https", "prefix", "s3cr/et")
    assert str(server) == "Qdrant at host.example:6333/prefix"
    chroma = parse_location("chroma+http://localhost:8001?tenant=t&database=d")
    assert (chroma.port, chroma.options) == (8001, {"tenant": "t", "database": "d"})
    database = parse_location(f"postgresql://tea:{SECRET}@[::1]/chunks?sslmode=require")
    assert (database.user, database.key, database.port, database.path) == ("tea", "s3cr/et", 5432, "chunks")
    assert "s3cr" not in f"{database!r}{database}{server!r}"
    monkeypatch.setenv("PGPASSWORD", "from outside")
    assert parse_location("postgres://tea@host/chunks").key == "from outside"


@pytest.mark.parametrize(
    "address",
    [
        *("db", "qdrant", "qdrant:", "qdrant://host", "qdrant+ftp://host", "qdrant+http:host", "milvus:db"),
        *("postgresql:db", f"postgresql://host:{SECRET}@/x?sslmode=odd", "postgresql://host/x", "postgresql://a@host"),
        *(f"postgresql://a:{SECRET}@host:port/x", f"postgresql://a:{SECRET}@host/x?password=1"),
        *(f"qdrant+http://:{SECRET}@far.example", f"chroma+http://user:{SECRET}@localhost", "qdrant+http://[::1"),
        "postgresql://a@host/x?sslrootcert=/nowhere",
    ],
)
def test_a_bad_address_is_refused_without_its_key(capsys: pytest.CaptureFixture[str], address: str) -> None:
    with pytest.raises(ChunkscopeError) as caught:
        parse_location(address)
    assert caught.value.remedy and "s3cr" not in str(caught.value)
    code, out, error = run(capsys, "push", "absent.md", "--to", address, "--collection", "chunks")
    assert (code, out, error) == (2, "", f"chunking: {caught.value}\n"), "before anything is read"


@pytest.mark.parametrize(
    ("module", "address", "extra"),
    [
        ("qdrant_client", "qdrant:db", "qdrant"),
        ("chromadb", "chroma:db", "chroma"),
        ("pg8000.native", "postgresql://a@localhost/x", "pgvector"),
    ],
)
def test_a_missing_client_names_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, address: str, extra: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(ChunkscopeError, match=rf"which is not installed.*\[{extra}\]"):
        open_store(parse_location(address), "chunks", create=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["qdrant+http", "chroma+http", "postgresql"])
def test_a_server_that_does_not_answer_is_said_in_one_line(capsys: pytest.CaptureFixture[str], kind: str) -> None:
    address = f"{kind}://a:{SECRET}@127.0.0.1:9/x" if kind == "postgresql" else f"{kind}://:{SECRET}@127.0.0.1:9"
    code, out, error = run(capsys, "push", __file__, "--to", address, "--collection", "chunks", "--encoder", "static")
    assert (code, out) == (2, "") and error.count("\n") == 1
    assert "127.0.0.1:9" in error and "cannot be used" in error and "s3cr" not in error


def test_a_folder_that_another_program_uses_is_said(tmp_path: Path) -> None:
    location = parse_location(f"qdrant:{tmp_path}")
    with (
        open_store(location, "chunks", create=True),
        pytest.raises(ChunkscopeError, match="Wait for the other program"),
    ):
        open_store(location, "chunks", create=True)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(ChunkscopeError, match="is a file"):
        open_store(parse_location(f"chroma:{file}"), "chunks", create=True)
