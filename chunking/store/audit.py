"""The audit log: who did what, and when, on a server with log-in.

An entry names people by the subject of their provider, and things by their ids: no text, no name of a document and no
link is in it. It is added in the transaction of what it tells of, so that there is neither without the other, and is
never changed. The log of the server has each entry as well, with its id; the table decides, since an entry in the log
may belong to a transaction that failed at its very end.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Literal

from chunking.runtime.environment import whole_number
from chunking.runtime.log_fields import fields
from chunking.store.database.database import Database
from chunking.store.database.sql import sa, tables
from chunking.store.identity import LOCAL, Identity

if TYPE_CHECKING:
    from sqlalchemy import Connection

DAYS_VARIABLE = "CHUNKSCOPE_AUDIT_DAYS"
"""The environment variable that says after how many days entries are deleted; absent for never."""

Action = Literal[
    "log in", "log out", "refuse log in", "open", "change", "share", "end", "delete", "evict", "export", "import"
]
Kind = Literal["", "document", "set", "exercise", "library", "reviews"]

_LOG = logging.getLogger(__name__)
_PART = 1000


@dataclass(frozen=True)
class AuditEvent:
    """What somebody did.

    Attributes:
        action: what.
        kind: of the thing that it was done to; empty for a log-in.
        target: id of that thing.
        owner: subject of its owner, where that is somebody else.
        detail: further ids, numbers and words of ours.
    """

    action: Action
    kind: Kind = ""
    target: str = ""
    owner: str = ""
    detail: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """An entry of the audit log.

    Attributes:
        at: when, ISO 8601 in UTC.
        subject: who; empty where nobody is known.
        provider: issuer of the log-in, or the name of the provider where only that is known.
        event: what was done.
        id: of the entry.
    """

    at: str
    subject: str
    provider: str
    event: AuditEvent
    id: str

    def as_dict(self) -> dict[str, object]:
        """Return the entry as it is printed."""
        return {"at": self.at, "subject": self.subject, "provider": self.provider, **asdict(self.event), "id": self.id}


def _now() -> datetime:
    return datetime.now(UTC)


def record(connection: Connection, identity: Identity, event: AuditEvent, provider: str = "") -> None:
    """Add an entry in the transaction of what it tells of; nothing without a log-in.

    Args:
        connection: in a transaction that writes.
        identity: who acts.
        event: what she does.
        provider: for somebody who is not known.
    """
    if identity.subject == LOCAL.subject:
        return
    issuer = identity.subject.rpartition("|")[0] or provider
    entry = Entry(_now().isoformat(timespec="milliseconds"), identity.subject, issuer, event, uuid.uuid4().hex)
    row = entry.as_dict() | {"detail": json.dumps(dict(event.detail))}
    connection.execute(sa.insert(tables.audit).values(row))
    log(entry)


def log(entry: Entry) -> None:
    """Write an entry to the log of the server."""
    about = {name: str(value) for name, value in entry.as_dict().items() if name not in ("at", "detail", "id")}
    about |= {name: str(value) for name, value in entry.event.detail.items()}
    _LOG.info("An act for the audit log.", extra=fields(entry=entry.id, **about))


def foreign_owner(identity: Identity, owner: str) -> str:
    """Return the owner of a thing if that is somebody else, else nothing."""
    return "" if owner == identity.subject else owner


class AuditLog:
    """The entries in one database.

    Args:
        database: prepared.
        clock: tells the time.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime] = _now) -> None:
        self._database = database
        self._clock = clock

    def append(self, identity: Identity, event: AuditEvent, provider: str = "") -> None:
        """Add an entry that belongs to no other transaction, and delete entries that are too old.

        Raises:
            ChunkscopeError: the database cannot be used.
        """
        self._database.run(partial(record, identity=identity, event=event, provider=provider), writes=True)
        days = whole_number(DAYS_VARIABLE)
        if days is not None:
            self.expire(days)

    def expire(self, days: int) -> int:
        """Delete the entries that are older, and return how many there were."""
        table = tables.audit
        before = (self._clock() - timedelta(days=days)).isoformat(timespec="milliseconds")
        expired = sa.delete(table).where(table.c.at < before)
        return self._database.run(lambda connection: connection.execute(expired).rowcount, writes=True)

    def read(self, since: str = "", subject: str = "", action: str = "") -> Iterator[Entry]:
        """Yield the entries in the order of their time.

        Args:
            since: time of the first, ISO 8601 in UTC.
            subject, action: where given, only those.
        """
        last = (since, "")
        while part := self._database.run(partial(_read, last=last, subject=subject, action=action)):
            yield from part
            last = (part[-1].at, part[-1].id)


def _read(connection: Connection, last: tuple[str, str], subject: str, action: str) -> list[Entry]:
    table = tables.audit
    query = sa.select(table).where(sa.tuple_(table.c.at, table.c.id) > sa.tuple_(*last))
    for column, value in ((table.c.subject, subject), (table.c.action, action)):
        query = query.where(column == value) if value else query
    rows = connection.execute(query.order_by(table.c.at, table.c.id).limit(_PART))
    return [
        Entry(
            row.at,
            row.subject,
            row.provider,
            AuditEvent(row.action, row.kind, row.target, row.owner, json.loads(row.detail)),
            row.id,
        )
        for row in rows
    ]
