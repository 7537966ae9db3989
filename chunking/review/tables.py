"""The tables of the review database, as the newest migration leaves them, and the encoding of text in them.

PostgreSQL stores no NUL in text, and neither database stores a lone surrogate. These characters are stored as U+001A
("substitute") and four hexadecimal digits, as is U+001A itself; any other text is stored as it is.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sqlalchemy import Table

DOCUMENTS = "chunkscope_documents"
EVENTS = "chunkscope_events"
EXERCISES = "chunkscope_exercises"
PREDICTIONS = "chunkscope_predictions"
ACCOUNTS = "chunkscope_accounts"
VERSION = "chunkscope_version"
"""Table in which Alembic stores the version."""

_UNFIT = re.compile("[\0\x1a\ud800-\udfff]")
_KEPT = re.compile("\x1a([0-9a-f]{4})")


class Tables(NamedTuple):
    """The tables: see the migrations for the meaning of their columns."""

    documents: Table
    events: Table
    exercises: Table
    predictions: Table
    accounts: Table


@cache
def tables() -> Tables:
    """Return the tables, for queries."""
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
        sa.Column("subject", sa.Text, nullable=False, server_default=""),
    )
    exercises = sa.Table(
        EXERCISES,
        metadata,
        sa.Column("code", sa.Text, primary_key=True),
        sa.Column("teacher", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("setting", sa.Text, nullable=False),
        sa.Column("chapter", sa.Text, nullable=False),
        sa.Column("opened", sa.Text, nullable=False),
        sa.Column("ended", sa.Text, nullable=False),
    )
    predictions = sa.Table(
        PREDICTIONS,
        metadata,
        sa.Column("exercise", sa.Text, sa.ForeignKey(exercises.c.code), primary_key=True),
        sa.Column("student", sa.Text, primary_key=True),
        sa.Column("gaps", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )
    accounts = sa.Table(
        ACCOUNTS,
        metadata,
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
    )
    return Tables(documents, events, exercises, predictions, accounts)


def encode_text(text: str) -> str:
    """Return a text as it is stored, see the module."""
    return _UNFIT.sub(lambda found: f"\x1a{ord(found[0]):04x}", text)


def decode_text(text: str) -> str:
    """Return the text of a stored one."""
    return _KEPT.sub(lambda found: chr(int(found[1], 16)), text)
