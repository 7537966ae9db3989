"""Text that a person has typed and not sent yet, by a key such as the place where it is typed."""

from __future__ import annotations

from chunking.errors import ChunkscopeError
from chunking.store.database.sql import sa, tables
from chunking.store.document_table import DocumentTable
from chunking.store.documents import check_key
from chunking.store.library import Library

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
        self._library = library

    def put(self, key: str, text: str) -> None:
        """Keep a text under a key in place of an earlier one; an empty text deletes it.

        Raises:
            ChunkscopeError: the text or the key is too long.
        """
        check_key(key, "The key of the draft")
        if len(text) > LIMIT:
            raise ChunkscopeError("The text is too long to be kept.", f"Use at most {LIMIT:,} characters.")
        owner, now = self._library.identity.subject, self._library.storage.now()

        def work(documents: DocumentTable) -> None:
            connection, table = documents.connection, tables.drafts
            is_owned = table.c.owner == owner
            connection.execute(sa.delete(table).where(is_owned, table.c.key == key))
            if text:
                connection.execute(sa.insert(table).values(owner=owner, key=key, text=text, at=now))
                latest = sa.select(table.c.key).where(is_owned).order_by(table.c.at.desc(), table.c.key).limit(MOST)
                # A clock that was set back must not make the latest one the oldest.
                connection.execute(sa.delete(table).where(is_owned, table.c.key.not_in(latest), table.c.key != key))

        self._library.run(work, writes=True)

    def get(self, key: str) -> str:
        """Return the text of a key; empty if there is none."""
        return self.all().get(key, "")

    def all(self) -> dict[str, str]:
        """Return all texts by key, the latest last."""
        table = tables.drafts
        query = sa.select(table.c.key, table.c.text).where(table.c.owner == self._library.identity.subject)
        ordered = query.order_by(table.c.at, table.c.key)
        return self._library.run(lambda documents: dict(documents.connection.execute(ordered).all()))
