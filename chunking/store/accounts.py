"""The names under which identities review: each belongs to one, so that a name says who judged.

The events of a reviewer are found by her name. A name that an identity has registered is therefore refused in events
that are not hers, and none is registered under which somebody reviewed before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.reference.events import NAME_LIMIT, Event
from chunking.store.database.tables import decode_text, encode_text, tables
from chunking.store.identity import Identity

if TYPE_CHECKING:
    from sqlalchemy import Connection

_SUFFIX = " (unverified)"
_BATCH = 500


def unverified(name: str) -> str:
    """Return a name that nobody vouches for as a server with log-in shows it."""
    return name if name.endswith(_SUFFIX) else name[: NAME_LIMIT - len(_SUFFIX)] + _SUFFIX


def attribute(
    events: Iterable[Event], identity: Identity, own_name: str, accounts: Mapping[str, str], carried: bool = False
) -> list[Event]:
    """Return events as those of the person who stores them, or marked as unverified.

    Nobody writes in the name of somebody else. What a person brings in belongs to her if it bears her subject, or no
    subject and her own name. Anything else gets a name that nobody vouches for, no subject, and decides nothing: its
    undos reach only events under that name. On one's own machine, names are typed, and stay as they are.

    Args:
        events: from a file or a browser.
        identity: who stores them.
        own_name: under which she reviews; empty without a log-in.
        accounts: the subject of each name that belongs to an identity.
        carried: whether this server made the events of stored ones, so that they remain those of their reviewers.
    """
    return [_attributed(event, identity, own_name, accounts, carried) for event in events]


def _attributed(event: Event, identity: Identity, own_name: str, accounts: Mapping[str, str], carried: bool) -> Event:
    if identity.is_known:
        if event.subject == identity.subject or (event.reviewer == own_name and not event.subject):
            return replace(event, reviewer=own_name, subject=identity.subject)
    elif not event.subject and event.reviewer not in accounts:
        return event
    if carried and event.reviewer in accounts:
        return replace(event, subject=accounts[event.reviewer])
    return replace(event, reviewer=unverified(event.reviewer), subject="", decides=False)


def register(connection: Connection, identity: Identity) -> str:
    """Return the name of an identity, see :meth:`chunking.store.reviews.ReviewStore.register_account`."""
    if known := _name(connection, identity.subject):
        return known
    for name in _candidates(identity.name):
        if not _was_typed(connection, name, identity.subject):
            _insert(connection, identity.subject, name)
            if known := _name(connection, identity.subject):
                break
    return known


def subjects(connection: Connection, names: Sequence[str]) -> dict[str, str]:
    """Return the subject of each name that belongs to an identity."""
    import sqlalchemy as sa

    table = tables().accounts
    found: dict[str, str] = {}
    for start in range(0, len(names), _BATCH):
        batch = [encode_text(each) for each in names[start : start + _BATCH]]
        query = sa.select(table.c.name, table.c.subject).where(table.c.name.in_(batch))
        found |= {decode_text(name): decode_text(subject) for name, subject in connection.execute(query)}
    return found


def check(connection: Connection, events: Iterable[Event]) -> None:
    """Refuse events whose subject is not the identity that their name belongs to."""
    events = list(events)
    of_names = subjects(connection, list({event.reviewer for event in events}))
    for event in events:
        if of_names.get(event.reviewer, "") != event.subject:
            raise ChunkscopeError(
                f"The reviewer name {event.reviewer!r:.70} belongs to somebody else.",
                "Nothing was stored. Use another name.",
            )


def _candidates(name: str) -> Iterator[str]:
    while name.endswith(_SUFFIX):  # a name that says of itself that nobody vouches for it belongs to nobody
        name = name.removesuffix(_SUFFIX).rstrip()
    name = name or "Somebody"
    yield name
    for number in count(2):
        yield f"{name[: NAME_LIMIT - len(str(number)) - 3]} ({number})"


def _name(connection: Connection, subject: str) -> str:
    import sqlalchemy as sa

    table = tables().accounts
    found = connection.execute(sa.select(table.c.name).where(table.c.subject == encode_text(subject))).scalar()
    return decode_text(found) if found else ""


def _was_typed(connection: Connection, name: str, subject: str) -> bool:
    """Return whether there are events of this name that are not the subject's."""
    import sqlalchemy as sa

    table = tables().events
    others = sa.and_(table.c.reviewer == encode_text(name), table.c.subject != encode_text(subject))
    return connection.execute(sa.select(sa.literal(1)).where(others).limit(1)).first() is not None


def _insert(connection: Connection, subject: str, name: str) -> None:
    """Register a name, unless it belongs to somebody or the subject has one."""
    from sqlalchemy.dialects import postgresql, sqlite

    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    row = {"subject": encode_text(subject), "name": encode_text(name)}
    connection.execute(insert(tables().accounts).values(row).on_conflict_do_nothing())
