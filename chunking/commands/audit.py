"""The command that prints the audit log of a server, as JSON lines."""

from __future__ import annotations

import argparse
import json
from datetime import UTC, datetime
from typing import get_args

from chunking.errors import ChunkscopeError
from chunking.store import open_storage
from chunking.store.audit import Action, AuditLog


def add_audit(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``audit``."""
    parser.add_argument(
        "--since", default="", metavar="TIME", help="ISO 8601, such as 2026-11-25; in UTC unless it says"
    )
    parser.add_argument("--subject", default="", help="only what this person did: issuer|subject")
    parser.add_argument("--action", default="", choices=get_args(Action), help="only acts of this kind")
    parser.set_defaults(command=_audit)


def _audit(options: argparse.Namespace) -> None:
    log = AuditLog(open_storage().database)
    for entry in log.read(_time(options.since), options.subject, options.action):
        print(json.dumps(entry.as_dict(), ensure_ascii=False))


def _time(text: str) -> str:
    """Return a time as entries have it, so that they can be compared."""
    if not text:
        return ""
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        raise ChunkscopeError(f"{text!r:.40} is not a time.", "Write it like 2026-11-25 or 2026-11-25T10:00.") from None
    known = given if given.tzinfo else given.replace(tzinfo=UTC)
    return known.astimezone(UTC).isoformat(timespec="milliseconds")
