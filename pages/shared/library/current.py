"""The library of whoever uses this session, from :mod:`pages.shared.storage`, which documents use as well."""

from pages.shared.storage.current import is_begun, library

__all__ = ["is_begun", "library"]
