"""The tables that reviews are kept in, as the newest migration leaves them, and how text is kept in them.

PostgreSQL keeps no NUL in a text, and neither database a lone surrogate. So these are kept as U+001A ("substitute") and
four hexadecimal digits, as is U+001A itself; any other text stands in the database as it is.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sqlalchemy import Table

DOCUMENTS = "chunkscope_documents"
EVENTS = "chunkscope_events"
VERSION = "chunkscope_version"
"""Where Alembic keeps the version of the tables."""

_UNFIT = re.compile("[\0\x1a\ud800-\udfff]")
_KEPT = re.compile("\x1a([0-9a-f]{4})")


class Tables(NamedTuple):
    """The tables: see the migrations for what their columns are for."""

    documents: Table
    events: Table


@cache
def tables() -> Tables:
    """The tables, for queries."""
    import sqlalchemy as sa

    metadata = sa.MetaData()
    documents = sa.Table(
        DOCUMENTS,
        metadata,
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("characters", sa.BigInteger, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
    )
    events = sa.Table(
        EVENTS,
        metadata,
        sa.Column("document", sa.Text, sa.ForeignKey(documents.c.hash), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("token", sa.Text, nullable=False, unique=True),
        sa.Column("reviewer", sa.Text, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("offset", sa.BigInteger, nullable=False),
        sa.Column("target", sa.BigInteger),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("undoes", sa.Text, nullable=False),
        sa.Column("proposed", sa.Text, nullable=False),
        sa.Column("blind", sa.Boolean, nullable=False),
        sa.Column("decides", sa.Boolean, nullable=False),
        sa.Column("before", sa.Text, nullable=False),
        sa.Column("after", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    return Tables(documents, events)


def kept(text: str) -> str:
    """A text as it is kept, see the module."""
    return _UNFIT.sub(lambda found: f"\x1a{ord(found[0]):04x}", text)


def given(text: str) -> str:
    """The text that is kept so."""
    return _KEPT.sub(lambda found: chr(int(found[1], 16)), text)
