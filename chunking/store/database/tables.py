"""The tables of the database, as the newest migration leaves them; see the migrations for the meaning of the columns.

Import them by :mod:`chunking.store.database.sql`, which does so when they are first used.
"""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem

from chunking.runtime.surrogates import decode_text, encode_text

VERSION = "chunkscope_version"
"""Name of the table in which Alembic stores the version."""


class EncodedText(sa.types.TypeDecorator[str]):
    """A column of any text, see :func:`chunking.runtime.surrogates.encode_text`."""

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """Return a text as it is stored."""
        return None if value is None else encode_text(value)

    def process_result_value(self, value: str | None, dialect: sa.Dialect) -> str | None:
        """Return the text of a stored one."""
        return None if value is None else decode_text(value)


METADATA = sa.MetaData()


def _table(name: str, *columns: SchemaItem | Iterator[SchemaItem]) -> sa.Table:
    flat = [item for part in columns for item in (part if isinstance(part, Iterator) else (part,))]
    return sa.Table(f"chunkscope_{name}", METADATA, *flat)


def _key(name: str, *more: SchemaItem) -> sa.Column[str]:
    return sa.Column(name, EncodedText, *more, primary_key=True, nullable=False)


def _texts(names: str) -> Iterator[sa.Column[str]]:
    return (sa.Column(name, EncodedText, nullable=False) for name in names.split())


def _numbers(names: str) -> Iterator[sa.Column[int]]:
    return (sa.Column(name, sa.BigInteger, nullable=False, autoincrement=False) for name in names.split())


def _flags(names: str) -> Iterator[sa.Column[bool]]:
    return (sa.Column(name, sa.Boolean, nullable=False) for name in names.split())


documents = _table("documents", _key("hash"), _texts("name"), _numbers("characters"), _texts("language"))
events = _table(
    "events",
    _key("document", sa.ForeignKey(documents.c.hash)),
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("token", EncodedText, nullable=False, unique=True),
    _texts("reviewer action"),
    _numbers("offset"),
    sa.Column("target", sa.BigInteger),
    _texts("note undoes proposed"),
    _flags("blind decides"),
    _texts("before after at"),
    sa.Column("subject", EncodedText, nullable=False, server_default=""),
)
exercises = _table("exercises", _key("code"), _texts("teacher text setting chapter opened ended successor"))
predictions = _table(
    "predictions", _key("exercise", sa.ForeignKey(exercises.c.code)), _key("student"), _texts("gaps at")
)
accounts = _table("accounts", _key("subject"), sa.Column("name", EncodedText, nullable=False, unique=True))
audit = _table(
    "audit",
    _key("id"),
    _texts("at subject provider action kind target owner detail"),
    sa.Index("chunkscope_audit_at", "at"),
)
usage = _table(
    "usage",
    _key("id"),
    _texts("subject kind"),
    _numbers("amount at"),
    sa.Index("chunkscope_usage_subject", "subject", "kind"),
)
library = _table(
    "library",
    _key("id"),
    _texts("owner name folded source content text_hash key format language options"),
    _numbers("size characters"),
    _flags("pasted"),
    _texts("choices visibility team"),
    sa.Column("link", EncodedText, unique=True),
    _texts("added opened previous replaced_by folder path missing"),
    _numbers("version"),
    sa.UniqueConstraint("owner", "content", "name", "replaced_by", name="chunkscope_library_same"),
    sa.Index("chunkscope_library_content", "content"),
    sa.Index("chunkscope_library_text", "text_hash"),
)
tags = _table("library_tags", _key("document", sa.ForeignKey(library.c.id)), _key("tag"))
attachments = _table(
    "library_attachments",
    _key("document", sa.ForeignKey(library.c.id)),
    _key("kind"),
    _key("name"),
    _texts("content"),
    _numbers("size"),
    _texts("added"),
    sa.Index("chunkscope_library_attached", "content"),
)
sets = _table(
    "library_sets",
    _key("id"),
    _texts("owner name"),
    _numbers("version"),
    sa.UniqueConstraint("owner", "name", name="chunkscope_library_set_name"),
)
members = _table(
    "library_members",
    _key("set_id", sa.ForeignKey(sets.c.id)),
    _key("document", sa.ForeignKey(library.c.id)),
    _numbers("position"),
    sa.Index("chunkscope_library_member", "document"),
)
drafts = _table("library_drafts", _key("owner"), _key("key"), _texts("text at"))
folders = _table(
    "library_folders",
    _key("id"),
    _texts("owner path scanned"),
    sa.UniqueConstraint("owner", "path", name="chunkscope_library_folder_path"),
)
removals = _table("library_removals", _key("id"), _texts("content text_hash at"))

NAMES = (*METADATA.tables, VERSION)
"""The names of all tables."""
