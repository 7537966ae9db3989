"""Who uses a server, and what they may do: identities, roles, and the rules that give them.

On one's own machine there is one identity, :data:`LOCAL`, which may do everything. On a server with log-in an identity
is made of the claims of a token that an OpenID Connect provider has signed, see :class:`Rules`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

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


NAME_LENGTH = 50
"""Characters of a display name that are kept, so that a number fits behind it."""

_REMEDY = "Correct it in the secrets file, and start the server again."


@dataclass(frozen=True)
class Rules:
    """What the claims of a log-in are worth, by two tables of the settings.

    ``roles`` names who has each role, ``access`` all the rest. A member is ``*`` (everybody who can log in), an e-mail
    address, ``@domain`` (all addresses of a domain), ``sub:ID`` (the subject of the provider) or ``group:NAME`` (a
    value of the claim ``groups_claim``).

    Attributes:
        members: those of each role.
        roles_claim: claim whose values are names of roles; empty: none is.
        groups_claim: claim with the groups of a person, which are her teams too.
        name_claim: claim with the name that others see.
        trust_email: whether an e-mail address counts that the provider does not call verified.
        hours: how long a log-in lasts from the issue of its token; 0: until the token expires.
        class_exercises: whether students without an account may open the link of a class exercise.
    """

    members: Mapping[Role, frozenset[str]] = field(default_factory=dict)
    roles_claim: str = ""
    groups_claim: str = "groups"
    name_claim: str = "name"
    trust_email: bool = False
    hours: float = 0.0
    class_exercises: bool = False

    @classmethod
    def read(cls, roles: Mapping[str, Any], access: Mapping[str, Any]) -> Rules:
        """Return the rules of two tables of settings.

        Raises:
            ChunkscopeError: a role, a member, an option or a value is invalid, or nobody has a role.
        """
        options = {name: _check_option(name, value) for name, value in access.items()}
        members: dict[Role, frozenset[str]] = {}
        for role, names in roles.items():
            if role not in ROLES:
                raise _invalid(f"Unknown role {role!r:.40} in [chunkscope.roles]", f"Use {', '.join(ROLES)}.")
            members[role] = _members(role, names)
        if not any(members.values()) and not options.get("roles_claim"):
            raise ChunkscopeError(
                "There is a log-in, but nobody has a role.",
                'List people in [chunkscope.roles] of the secrets file, such as reader = ["@example.org"], or name a '
                "roles_claim in [chunkscope.access].",
            )
        return cls(members, **options)

    def identity(self, claims: Mapping[str, Any], now: float) -> Identity:
        """Return who logged in; a stranger if the claims are incomplete or have expired.

        Args:
            claims: of a token whose signature was verified.
            now: seconds since 1970.
        """
        issuer, subject, expires = claims.get("iss"), claims.get("sub"), self.expires(claims)
        if not (isinstance(issuer, str) and issuer and isinstance(subject, str) and subject):
            return STRANGER
        if expires is None or now >= expires:
            return STRANGER
        email = self._email(claims)
        groups = _texts(claims, self.groups_claim)
        tags = {"*", f"sub:{subject}", *(f"group:{group}" for group in groups)}
        if email:
            tags |= {email, email[email.index("@") :]}
        roles = {role for role, members in self.members.items() if not members.isdisjoint(tags)}
        roles |= {role for role in ROLES if self.roles_claim and role in _texts(claims, self.roles_claim)}
        name = self._name(claims, subject)
        return Identity(f"{issuer}|{subject}", name, email, including(roles), frozenset(groups), expires)

    def expires(self, claims: Mapping[str, Any]) -> float | None:
        """Return when a log-in ends, in seconds since 1970; ``None`` if its token does not say so."""
        issued, ends = _number(claims.get("iat")), _number(claims.get("exp"))
        return issued + self.hours * 3600 if self.hours and issued is not None else ends

    def _email(self, claims: Mapping[str, Any]) -> str:
        email = claims.get("email")
        if not isinstance(email, str) or email.count("@") != 1:
            return ""
        return email.strip().lower() if self.trust_email or claims.get("email_verified") is True else ""

    def _name(self, claims: Mapping[str, Any], subject: str) -> str:
        values = (claims.get(claim) for claim in (self.name_claim, "preferred_username", "email"))
        names = (display_name(value) for value in values if isinstance(value, str))
        return next(filter(None, names), display_name(subject) or "Somebody")


def display_name(text: str) -> str:
    """Return a name in one line, without characters that nobody sees or that turn the line around."""
    normal = unicodedata.normalize("NFKC", text)
    visible = "".join(
        " " if character.isspace() else character
        for character in normal
        if character.isspace() or _is_visible(character)
    )
    return " ".join(visible.split())[:NAME_LENGTH].strip()


def _is_visible(character: str) -> bool:
    return not unicodedata.category(character).startswith("C")


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _texts(claims: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return the values of a claim; a name with dots may lead into the claim of its first part."""
    value: Any = claims.get(name)
    if value is None and "." in name:
        value = claims
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
    values = value if isinstance(value, list | tuple) else (value,)
    return tuple(text for text in values if isinstance(text, str))


def _invalid(problem: str, remedy: str) -> ChunkscopeError:
    return ChunkscopeError(f"{problem}.", f"{remedy} {_REMEDY}")


def _is_hours(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_HOURS


_MOST_HOURS = 8760
_KINDS: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "str": ("a text", lambda value: isinstance(value, str)),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "float": (f"a number from 0 to {_MOST_HOURS}", _is_hours),
}


def _check_option(name: str, value: object) -> Any:
    kinds = {field.name: field.type for field in fields(Rules) if field.name != "members"}
    if name not in kinds:
        raise _invalid(f"Unknown option {name!r:.40} in [chunkscope.access]", f"Use {', '.join(kinds)}.")
    requirement, is_valid = _KINDS[str(kinds[name])]
    if not is_valid(value):
        raise _invalid(f"{name} in [chunkscope.access] is {value!r:.40}", f"It must be {requirement}.")
    return value


def _members(role: str, names: object) -> frozenset[str]:
    if not isinstance(names, list | tuple):
        raise _invalid(f"{role} in [chunkscope.roles] is {names!r:.40}", "It must be a list.")
    return frozenset(_member(role, entry) for entry in names)


def _member(role: str, entry: object) -> str:
    text = entry.strip() if isinstance(entry, str) else ""
    kind, colon, rest = text.partition(":")
    if text == "*" or (colon and kind in ("sub", "group") and rest):
        return text
    if text.count("@") == 1 and len(text) > 3 and not text.endswith("@") and " " not in text and not colon:
        return text.lower()
    raise _invalid(
        f"{role} in [chunkscope.roles] has the member {entry!r:.60}",
        "A member is *, name@example.org, @example.org, sub:ID or group:NAME.",
    )
