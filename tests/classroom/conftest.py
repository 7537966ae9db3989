"""The databases, for all tests of class exercises."""

from tests.review.databases import postgres, postgres_url

__all__ = ["postgres", "postgres_url"]
