"""SQLAlchemy and the tables, imported when they are first used.

SQLAlchemy comes with an extra, and its import takes longer than that of all our own modules: the pages and the command
line import the store without it. Modules of the store write ``from chunking.store.database.sql import sa, tables``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from chunking.installation import optional

if TYPE_CHECKING:
    import sqlalchemy as sa

    from chunking.store.database import tables
else:

    class _LazyModule:
        """A module that is imported with the first look at one of its names."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, attribute: str) -> Any:
            optional("sqlalchemy", "app", "The library")
            value = getattr(importlib.import_module(self._name), attribute)
            setattr(self, attribute, value)  # __getattr__ is not called for it again
            return value

    sa = _LazyModule("sqlalchemy")
    tables = _LazyModule("chunking.store.database.tables")

__all__ = ["sa", "tables"]
