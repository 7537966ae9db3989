"""The databases, for the tests of what is kept of people."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chunking.review.transactions import Database
from tests.review.databases import engine_of, postgres, postgres_url, sqlite_url, url

__all__ = ["postgres", "postgres_url", "sqlite_url", "url"]


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    """An empty database of either kind."""
    with engine_of(url) as engine:
        made = Database(engine)
        made.prepare()
        yield made
