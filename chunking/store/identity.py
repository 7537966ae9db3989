"""An identity: a person as the rest of Chunkscope knows her, with the roles that she has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from chunking.errors import ChunkscopeError

Role = Literal["reader", "reviewer", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""The roles; each includes those before it. A reader opens and compares documents. A reviewer also judges boundaries
and opens class exercises. An admin also ends and deletes the exercises of others, and reads, changes and deletes the
documents of others in the library."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A person who uses the app.

    Attributes:
        subject: identifier that no other person has: ``issuer|subject`` of the provider, or ``local``; empty for a
            stranger.
        name: that others see; it may be that of several people.
        email: empty if it is unknown, or nobody has verified it.
        roles: with all that they include.
        teams: groups of the provider.
        expires: when the log-in ends, in seconds since 1970; ``None``: never.
    """

    subject: str
    name: str
    email: str = ""
    roles: frozenset[Role] = frozenset()
    teams: frozenset[str] = frozenset()
    expires: float | None = None

    @property
    def is_known(self) -> bool:
        """Return whether a provider vouches for the identity."""
        return bool(self.subject) and self.subject != LOCAL.subject

    def may(self, role: Role) -> bool:
        """Return whether the identity has a role."""
        return role in self.roles

    def require(self, role: Role, purpose: str) -> None:
        """Raise an error unless the identity has a role.

        Args:
            role: that is required.
            purpose: what it is required for, as the subject of a sentence.

        Raises:
            ChunkscopeError: the identity lacks the role, or nobody is logged in.
        """
        if not self.subject:
            raise ChunkscopeError(f"{purpose} requires a log-in.", "Reload the page and log in.")
        if role not in self.roles:
            raise ChunkscopeError(f"{purpose} requires the role {role}.", "Ask whoever runs this server for it.")


def including(roles: Iterable[Role]) -> frozenset[Role]:
    """Return roles with all that they include."""
    highest = max((ROLES.index(role) for role in roles), default=-1)
    return frozenset(ROLES[: highest + 1])


LOCAL = Identity("local", "", roles=frozenset(ROLES))
"""Whoever uses the app on a machine without log-in."""

STRANGER = Identity("", "")
"""Whoever is not logged in."""
