"""Acts for the audit log that no transaction of the engine belongs to: log-ins, and downloads of everything."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from functools import lru_cache

from chunking.errors import ChunkscopeError
from chunking.runtime.log_fields import fields
from chunking.store.audit import AuditEvent, AuditLog, Kind
from chunking.store.database.database import Database
from chunking.store.database.location import address
from chunking.store.identity import LOCAL, Identity
from pages.shared import identity

_LOG = logging.getLogger(__name__)
_MOST_UNKNOWN = 100
_HOUR = 3600.0
_unknown: deque[float] = deque(maxlen=_MOST_UNKNOWN)


def append(who: Identity, event: AuditEvent, provider: str = "") -> None:
    """Add an entry; where the database cannot be used, the log of the server alone has the event.

    Of people whom nobody knows, a hundred entries an hour are added, since anybody can send requests.
    """
    if who.subject == LOCAL.subject:
        return
    about = {"subject": who.subject, "action": event.action, "kind": event.kind, "target": event.target}
    if not who.subject and _is_flood():
        _LOG.warning("Too many acts of unknown people for the audit log.", extra=fields(**about))
        return
    try:
        _audit_log(address()).append(who, event, provider)
    except ChunkscopeError as error:
        _LOG.error("An act could not be added to the audit log.", exc_info=error, extra=fields(**about))


def exported(kind: Kind, target: str, make: Callable[[], str]) -> Callable[[], str]:
    """Return a function for a download button that makes the file, and adds to the audit log that it was made."""
    who = identity.current()

    def make_and_record() -> str:
        text = make()
        append(who, AuditEvent("export", kind, target))
        return text

    return make_and_record


@lru_cache(maxsize=2)
def _audit_log(url: str) -> AuditLog:
    from sqlalchemy import create_engine

    from chunking.store.database.location import engine_options

    database = Database(create_engine(url, **engine_options(url)))
    database.prepare()
    return AuditLog(database)


def _is_flood() -> bool:
    now = time.monotonic()
    if len(_unknown) == _MOST_UNKNOWN and _unknown[0] > now - _HOUR:
        return True
    _unknown.append(now)
    return False
