"""The library of whoever uses this session, from :mod:`pages.shared.storage`, which documents use as well."""

from pages.shared.storage.current import library

__all__ = ["library"]
