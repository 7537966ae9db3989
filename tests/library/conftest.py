"""The databases and places, for all tests of the library."""

from tests.buckets import bucket
from tests.disks import tmp_path
from tests.library.places import library, place, root
from tests.review.databases import postgres, postgres_url, sqlite_url, url

__all__ = ["bucket", "library", "place", "postgres", "postgres_url", "root", "sqlite_url", "tmp_path", "url"]
