"""The databases, for all tests of reviews."""

from tests.disks import tmp_path
from tests.store.databases import postgres, postgres_url, sqlite_url, store, url

__all__ = ["postgres", "postgres_url", "sqlite_url", "store", "tmp_path", "url"]
