"""The databases, for all tests of reviews."""

from tests.review.databases import postgres, postgres_url, sqlite_url, store, url

__all__ = ["postgres", "postgres_url", "sqlite_url", "store", "url"]
