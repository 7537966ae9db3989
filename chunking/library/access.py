"""Who may see and change what: the one place that decides.

Each query for documents has the condition :func:`readable` of the person who asks, so that what is not theirs is never
found; an id of somebody else and an id of nobody give the same error.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.review.tables import encode_text, tables

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, RowMapping

LOCAL_OWNER = "local"
"""The owner of all documents on one's own machine."""

ADMINISTRATOR = "administrator"
"""The role that may read, change and delete the documents of everybody."""


@dataclass(frozen=True)
class Identity:
    """The person who asks.

    Attributes:
        owner: id of the person.
        teams: ids of the teams that the person belongs to.
        roles: what the person may do beyond others.
    """

    owner: str = LOCAL_OWNER
    teams: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()

    @property
    def is_administrator(self) -> bool:
        """Whether the person may do what owners may."""
        return ADMINISTRATOR in self.roles


LOCAL = Identity()
"""Whoever uses Chunkscope on their own machine."""


class NotFoundError(ChunkscopeError):
    """There is no such thing, or not for whoever asks: the two cannot be told apart."""

    def __init__(self, what: str = "document") -> None:
        super().__init__(f"There is no such {what}.", "Check the link; it may have been deleted.")


class StaleError(ChunkscopeError):
    """Somebody else changed it meanwhile."""

    def __init__(self, what: str = "document") -> None:
        super().__init__(
            f"The {what} was changed in another window.", "Nothing was stored. Look at it again, then repeat."
        )


def readable(identity: Identity) -> ColumnElement[bool]:
    """Return the condition on documents that a person may read without a link."""
    import sqlalchemy as sa

    table = tables().library
    if identity.is_administrator:
        return sa.true()
    shared = sa.and_(
        table.c.visibility == "team", table.c.team.in_([encode_text(team) for team in sorted(identity.teams) if team])
    )
    return sa.or_(table.c.owner == encode_text(identity.owner), shared)


def owned(identity: Identity) -> ColumnElement[bool]:
    """Return the condition on documents that a person may change."""
    import sqlalchemy as sa

    return sa.true() if identity.is_administrator else tables().library.c.owner == encode_text(identity.owner)


def may_change(identity: Identity, row: RowMapping) -> bool:
    """Return whether a person may change a document that they may read."""
    return identity.is_administrator or row["owner"] == encode_text(identity.owner)


def opens(link: str, row: RowMapping) -> bool:
    """Return whether a link opens a document, in a time that says nothing about how much of it is right."""
    return row["visibility"] == "public" and hmac.compare_digest(str(row["link"] or "").encode(), link.encode())


def not_yours() -> ChunkscopeError:
    """Return the error for a change of a document that is only shared."""
    return ChunkscopeError("The document is shared with you for reading.", "Ask its owner to change it.")
