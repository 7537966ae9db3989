"""Who may see and change what: the one place that decides.

Each query for documents has the condition :func:`readable` of the person who asks, so that what is not theirs is never
found; an id of somebody else and an id of nobody give the same error. An admin may do what owners may; whoever uses
Chunkscope without a log-in owns one library and sees that alone.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.store.database.tables import encode_text, tables
from chunking.store.identity import Identity

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, RowMapping


class NotFoundError(ChunkscopeError):
    """The error for what does not exist and for what a person may not see, so that nobody can tell them apart."""

    def __init__(self, what: str = "document") -> None:
        super().__init__(f"There is no such {what}.", "Check the link; it may have been deleted.")


class StaleError(ChunkscopeError):
    """The error for a change that rests on an older version."""

    def __init__(self, what: str = "document") -> None:
        super().__init__(
            f"The {what} was changed in another window.", "Nothing was stored. Look at it again, then repeat."
        )


def _is_admin(identity: Identity) -> bool:
    return identity.is_known and identity.may("admin")


def readable(identity: Identity) -> ColumnElement[bool]:
    """Return the condition on documents that a person may read without a link."""
    import sqlalchemy as sa

    table = tables().library
    if _is_admin(identity):
        return sa.true()
    shared = sa.and_(
        table.c.visibility == "team", table.c.team.in_([encode_text(team) for team in sorted(identity.teams) if team])
    )
    return sa.or_(table.c.owner == encode_text(identity.subject), shared)


def owned(identity: Identity) -> ColumnElement[bool]:
    """Return the condition on documents that a person may change."""
    import sqlalchemy as sa

    return sa.true() if _is_admin(identity) else tables().library.c.owner == encode_text(identity.subject)


def may_change(identity: Identity, owner: str) -> bool:
    """Return whether a person may change the documents of an owner."""
    return _is_admin(identity) or owner == identity.subject


def opens(link: str, row: RowMapping) -> bool:
    """Return whether a link opens a document, in a time that says nothing about how much of it is right."""
    return row["visibility"] == "public" and hmac.compare_digest(str(row["link"] or "").encode(), link.encode())


def not_yours() -> ChunkscopeError:
    """Return the error for a change of a document that is only shared."""
    return ChunkscopeError("The document is shared with you for reading.", "Ask its owner to change it.")
