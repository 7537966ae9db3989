"""The names under which identities review: each belongs to one, so that a name says who judged.

The events of a reviewer are found by her name. A name that an identity has registered is therefore refused in events
that are not hers, and none is registered under which somebody reviewed before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING

from chunking.access import Identity
from chunking.errors import ChunkscopeError
from chunking.gold.events import NAME_LIMIT, Event
from chunking.review.tables import decode_text, encode_text, tables

if TYPE_CHECKING:
    from sqlalchemy import Connection

_SUFFIX = " (unverified)"


def unverified(name: str) -> str:
    """Return a name that nobody vouches for as a server with log-in shows it."""
    return name if name.endswith(_SUFFIX) else name[: NAME_LIMIT - len(_SUFFIX)] + _SUFFIX


def register(connection: Connection, identity: Identity) -> str:
    """Return the name of an identity, see :meth:`chunking.review.store.ReviewStore.register_account`."""
    known = _name(connection, identity.subject)
    for name in () if known else _candidates(identity.name):
        if not _was_typed(connection, name, identity.subject):
            _insert(connection, identity.subject, name)
            known = _name(connection, identity.subject)
        if known:
            break
    assert known
    return known


def subjects(connection: Connection, names: Sequence[str]) -> dict[str, str]:
    """Return the subject of each name that belongs to an identity."""
    import sqlalchemy as sa

    table = tables().accounts
    query = sa.select(table.c.name, table.c.subject).where(table.c.name.in_([encode_text(each) for each in names]))
    return {decode_text(name): decode_text(subject) for name, subject in connection.execute(query)}


def check(connection: Connection, events: Iterable[Event]) -> None:
    """Refuse events under the name of an identity that is not their subject."""
    known = {event.reviewer: event.subject for event in events}
    of_names = subjects(connection, list(known))
    for event in events:
        if of_names.get(event.reviewer, event.subject) != event.subject:
            raise ChunkscopeError(
                f"The reviewer name {event.reviewer!r:.70} belongs to somebody else.",
                "Nothing was stored. Use another name.",
            )


def _candidates(name: str) -> Iterator[str]:
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
