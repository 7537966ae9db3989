"""Libraries of the tests: in either kind of database, with files in a folder or in memory."""

from __future__ import annotations

import contextlib
import json
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from chunking import from_text, load
from chunking.store import Library, LibraryDocument, LibraryStorage, NewDocument
from chunking.store.database.database import Database
from chunking.store.identity import LOCAL, Identity
from chunking.store.storage import ContentStore
from tests.store.databases import engine_of

_NUMBERS = count()


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def move(self, **by: float) -> None:
        """Set it forward, or back."""
        self.time += timedelta(**by)


@dataclass
class Forgotten:
    """A cache that only notes what it is to forget."""

    texts: list[str] = field(default_factory=list)
    works: bool = True

    def forget(self, text_hash: str) -> bool:
        if self.works:
            self.texts.append(text_hash)
        return self.works


@dataclass
class Place:
    """A library with what the tests look into."""

    storage: LibraryStorage
    clock: Clock
    forgotten: Forgotten

    def library(self, identity: Identity = LOCAL) -> Library:
        return Library(self.storage, identity)

    def contents(self) -> set[str]:
        return set(self.storage.files.digests())


@contextlib.contextmanager
def place_of(url: str, root: str) -> Iterator[Place]:
    """A library that is ready, closed at the end."""
    with engine_of(url) as engine:
        database = Database(engine)
        database.prepare()
        clock, forgotten = Clock(), Forgotten()
        yield Place(LibraryStorage(database, ContentStore(root), (forgotten,), clock), clock, forgotten)


@pytest.fixture(params=["folder", "memory", "s3"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for files: a folder, or an address of fsspec or Arrow."""
    if request.param == "folder":
        return str(tmp_path / "files")
    where = "memory:/" if request.param == "memory" else request.getfixturevalue("bucket")
    return f"{where}/library{next(_NUMBERS)}/files"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """An empty library in either kind of database."""
    url = request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url")
    with place_of(url, str(tmp_path / "files")) as found:
        yield found


@pytest.fixture
def library(place: Place) -> Library:
    return place.library()


def new(text: str = "# Tea\n\nBoil water.\n", name: str = "tea.md", tags: tuple[str, ...] = ()) -> NewDocument:
    """A document that was uploaded."""
    return NewDocument(text.encode(), load(text.encode(), name), tags=tags)


def pasted(text: str) -> NewDocument:
    return NewDocument.from_pasted(from_text(text, "pasted.md"))


def names(documents: tuple[LibraryDocument, ...] | list[LibraryDocument]) -> list[str]:
    return [each.name for each in documents]


Manifest = dict[str, Any]


def rewritten(
    archive: Path, change: Callable[[Manifest], object] | None = None, files: dict[str, bytes] | None = None
) -> Path:
    """The archive with another list, and with other or further files."""
    with zipfile.ZipFile(archive) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    listed = json.loads(parts["manifest.json"])
    if change:
        change(listed)
    parts = {**parts, "manifest.json": json.dumps(listed).encode(), **(files or {})}
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in parts.items():
            out.writestr(name, data)
    return archive
