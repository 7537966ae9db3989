"""Text that a person has typed and not sent yet, by a key such as the place where it is typed."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.store.checks import check_key
from chunking.store.database.tables import decode_text, encode_text, tables
from chunking.store.identity import Identity
from chunking.store.library import Library

if TYPE_CHECKING:
    from sqlalchemy import Connection

LIMIT = 100_000
"""Characters of a draft."""

MOST = 500
"""Drafts of a person; the oldest go first."""


class Drafts:
    """The drafts of one person.

    Args:
        library: of the person.
    """

    def __init__(self, library: Library) -> None:
        self._storage = library.storage
        self._identity = library.identity

    def put(self, key: str, text: str) -> None:
        """Keep a text under a key in place of an earlier one; an empty text deletes it.

        Raises:
            ChunkscopeError: the text or the key is too long.
        """
        check_key(key, "The key of the draft")
        if len(text) > LIMIT:
            raise ChunkscopeError("The text is too long to be kept.", f"Use at most {LIMIT:,} characters.")
        row = {
            "owner": encode_text(self._identity.subject),
            "key": encode_text(key),
            "text": encode_text(text),
            "at": self._storage.now(),
        }
        self._storage.database.run(partial(_put, row=row), writes=True)

    def get(self, key: str) -> str:
        """Return the text of a key; empty if there is none."""
        return self.all().get(key, "")

    def all(self) -> dict[str, str]:
        """Return all texts by key, the latest last."""
        return self._storage.database.run(partial(_all, identity=self._identity))


def _all(connection: Connection, identity: Identity) -> dict[str, str]:
    import sqlalchemy as sa

    table = tables().drafts
    query = sa.select(table.c.key, table.c.text).where(table.c.owner == encode_text(identity.subject))
    return {
        decode_text(key): decode_text(text) for key, text in connection.execute(query.order_by(table.c.at, table.c.key))
    }


def _put(connection: Connection, row: dict[str, str]) -> None:
    import sqlalchemy as sa

    table = tables().drafts
    own = table.c.owner == row["owner"]
    connection.execute(sa.delete(table).where(own, table.c.key == row["key"]))
    if not row["text"]:
        return
    connection.execute(sa.insert(table).values(row))
    latest = sa.select(table.c.key).where(own).order_by(table.c.at.desc(), table.c.key).limit(MOST)
    # A clock that was set back must not make the latest one the oldest.
    connection.execute(sa.delete(table).where(own, table.c.key.not_in(latest), table.c.key != row["key"]))
