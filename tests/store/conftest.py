"""The databases and places, for all tests of the store."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chunking.store.database.database import Database
from tests.buckets import bucket
from tests.disks import tmp_path
from tests.store.databases import engine_of, postgres, postgres_url, sqlite_url, store, url
from tests.store.places import library, place, root

__all__ = ["bucket", "library", "place", "postgres", "postgres_url", "root", "sqlite_url", "store", "tmp_path", "url"]


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    """An empty database of either kind."""
    with engine_of(url) as engine:
        made = Database(engine)
        made.prepare()
        yield made
