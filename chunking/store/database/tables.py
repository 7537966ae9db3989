"""The tables of the review database, as the newest migration leaves them, and the encoding of text in them.

PostgreSQL stores no NUL in text, and neither database stores a lone surrogate. These characters are stored as U+001A
("substitute") and four hexadecimal digits, as is U+001A itself; any other text is stored as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from chunking.runtime.patterns import compile_pattern

if TYPE_CHECKING:
    from sqlalchemy import Column, MetaData, Table
    from sqlalchemy.schema import SchemaItem

DOCUMENTS = "chunkscope_documents"
EVENTS = "chunkscope_events"
EXERCISES = "chunkscope_exercises"
PREDICTIONS = "chunkscope_predictions"
LIBRARY = "chunkscope_library"
TAGS = "chunkscope_library_tags"
ATTACHMENTS = "chunkscope_library_attachments"
SETS = "chunkscope_library_sets"
MEMBERS = "chunkscope_library_members"
DRAFTS = "chunkscope_library_drafts"
FOLDERS = "chunkscope_library_folders"
REMOVALS = "chunkscope_library_removals"
ACCOUNTS = "chunkscope_accounts"
AUDIT = "chunkscope_audit"
USAGE = "chunkscope_usage"
VERSION = "chunkscope_version"
"""Table in which Alembic stores the version."""

NAMES = (
    *(DOCUMENTS, EVENTS, EXERCISES, PREDICTIONS),
    *(LIBRARY, TAGS, ATTACHMENTS, SETS, MEMBERS, DRAFTS, FOLDERS, REMOVALS),
    *(ACCOUNTS, AUDIT, USAGE),
    VERSION,
)
"""The names of all tables."""

_UNFIT = compile_pattern("[\0\x1a\ud800-\udfff]")
_KEPT = compile_pattern("\x1a([0-9a-f]{4})")


class Tables(NamedTuple):
    """The tables: see the migrations for the meaning of their columns."""

    documents: Table
    events: Table
    exercises: Table
    predictions: Table
    accounts: Table
    audit: Table
    usage: Table
    library: Table
    tags: Table
    attachments: Table
    sets: Table
    members: Table
    drafts: Table
    folders: Table
    removals: Table


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
    operation = _operation_tables(metadata)
    return Tables(documents, events, exercises, predictions, accounts, *operation, *_library_tables(metadata))


def _text(name: str, *more: SchemaItem, key: bool = False) -> Column[str]:
    """Return a column of text that is never empty of a value."""
    import sqlalchemy as sa

    return sa.Column(name, sa.Text, *more, primary_key=key, nullable=False)


def _number(name: str, key: bool = False) -> Column[int]:
    """Return a column of whole numbers that is never empty of a value."""
    import sqlalchemy as sa

    return sa.Column(name, sa.BigInteger, primary_key=key, nullable=False, autoincrement=False)


def _operation_tables(metadata: MetaData) -> Iterator[Table]:
    import sqlalchemy as sa

    acts = ("at", "subject", "provider", "action", "kind", "target", "owner", "detail")
    yield sa.Table(AUDIT, metadata, _text("id", key=True), *map(_text, acts), sa.Index("chunkscope_audit_at", "at"))
    yield sa.Table(
        USAGE,
        metadata,
        _text("id", key=True),
        *map(_text, ("subject", "kind")),
        *map(_number, ("amount", "at")),
        sa.Index("chunkscope_usage_subject", "subject", "kind"),
    )


def _library_tables(metadata: MetaData) -> Iterator[Table]:
    import sqlalchemy as sa

    library = sa.Table(
        LIBRARY,
        metadata,
        _text("id", key=True),
        *map(
            _text, ("owner", "name", "folded", "source", "content", "text_hash", "key", "format", "language", "options")
        ),
        *map(_number, ("size", "characters")),
        sa.Column("pasted", sa.Boolean, nullable=False),
        *map(_text, ("choices", "visibility", "team")),
        sa.Column("link", sa.Text, unique=True),
        *map(_text, ("added", "opened", "previous", "replaced_by", "folder", "path", "missing")),
        _number("version"),
        sa.UniqueConstraint("owner", "content", "name", "replaced_by", name="chunkscope_library_same"),
        sa.Index("chunkscope_library_content", "content"),
        sa.Index("chunkscope_library_text", "text_hash"),
    )
    yield library
    yield sa.Table(TAGS, metadata, _text("document", sa.ForeignKey(library.c.id), key=True), _text("tag", key=True))
    yield sa.Table(
        ATTACHMENTS,
        metadata,
        _text("document", sa.ForeignKey(library.c.id), key=True),
        *(_text(name, key=True) for name in ("kind", "name")),
        _text("content"),
        _number("size"),
        _text("added"),
        sa.Index("chunkscope_library_attached", "content"),
    )
    sets = sa.Table(
        SETS,
        metadata,
        _text("id", key=True),
        *map(_text, ("owner", "name")),
        _number("version"),
        sa.UniqueConstraint("owner", "name", name="chunkscope_library_set_name"),
    )
    yield sets
    yield sa.Table(
        MEMBERS,
        metadata,
        _text("set_id", sa.ForeignKey(sets.c.id), key=True),
        _text("document", sa.ForeignKey(library.c.id), key=True),
        _number("position"),
        sa.Index("chunkscope_library_member", "document"),
    )
    yield sa.Table(DRAFTS, metadata, *(_text(name, key=True) for name in ("owner", "key")), *map(_text, ("text", "at")))
    yield sa.Table(
        FOLDERS,
        metadata,
        _text("id", key=True),
        *map(_text, ("owner", "path", "scanned")),
        sa.UniqueConstraint("owner", "path", name="chunkscope_library_folder_path"),
    )
    yield sa.Table(REMOVALS, metadata, _text("id", key=True), *map(_text, ("content", "text_hash", "at")))


def encode_text(text: str) -> str:
    """Return a text as it is stored, see the module."""
    return _UNFIT.sub(lambda found: f"\x1a{ord(found[0]):04x}", text)


def decode_text(text: str) -> str:
    """Return the text of a stored one."""
    return _KEPT.sub(lambda found: chr(int(found[1], 16)), text)
