from __future__ import annotations

import secrets
import time
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from pages.shared.library import downloads
from pages.shared.library.downloads import PreparedFile, PreparedFiles


def prepared(files: PreparedFiles, owner: str = "ada", data: bytes = b"PK") -> PreparedFile:
    made = files.prepare(owner, "all.zip")
    made.path.write_bytes(data)
    return made


def test_a_file_is_found_by_its_token_until_the_person_prepares_another() -> None:
    files = PreparedFiles()
    first, other = prepared(files), prepared(files, "ben")
    assert files.get(first.token) == first
    second = prepared(files)
    assert files.get(first.token) is None
    assert not first.path.exists()
    assert [files.get(each.token) for each in (second, other)] == [second, other]
    assert len({first.token, second.token, other.token}) == 3


def test_an_address_cannot_be_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int | None] = []

    def random(size: int | None = None) -> str:
        asked.append(size)
        return "a" * 43

    monkeypatch.setattr(secrets, "token_urlsafe", random)
    assert PreparedFiles().prepare("ada", "all.zip").token == "a" * 43
    assert all(size is None or size >= 16 for size in asked) and len(asked) == 1


def test_a_file_is_deleted_after_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    files = PreparedFiles()
    made = prepared(files)
    later = time.monotonic() + downloads.SECONDS + 1
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert files.get(made.token) is None
    assert not made.path.exists()


def test_a_file_that_is_being_written_is_not_sent() -> None:
    files = PreparedFiles()
    assert files.get(files.prepare("ada", "all.zip").token) is None


def test_the_files_go_with_the_server() -> None:
    files = PreparedFiles()
    path: Path = prepared(files).path
    del files
    assert not path.exists()


def test_the_route_sends_the_file_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    files = PreparedFiles()
    monkeypatch.setattr(downloads, "PREPARED", files)
    made = prepared(files, data=b"PK" * 100_000)
    client = TestClient(Starlette(routes=downloads.routes()))
    answer = client.get(f"/{made.address}")
    assert answer.content == b"PK" * 100_000
    assert answer.headers["content-disposition"] == 'attachment; filename="all.zip"'
    assert answer.headers["cache-control"] == "no-store"
    for path in ("archive/guessed", "archive/..%2Fetc", f"archive/{made.token}x"):
        assert client.get(f"/{path}").status_code == 404
    assert client.post(f"/{made.address}").status_code == 405
