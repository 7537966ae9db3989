"""What is done to documents and sets, for the audit log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from chunking.store.audit import Act, Action, others, record
from chunking.store.documents import LibraryDocument
from chunking.store.identity import Identity
from chunking.store.storage import LibraryStorage

if TYPE_CHECKING:
    from sqlalchemy import Connection


def record_act(
    connection: Connection,
    identity: Identity,
    action: Action,
    known: LibraryDocument,
    detail: Mapping[str, str | int] | None = None,
) -> None:
    """Record what a person does to a document."""
    act = Act(action, "document", known.id, others(identity, known.owner), detail or {})
    record(connection, identity, act)


def record_change(connection: Connection, identity: Identity, known: LibraryDocument, fields: Iterable[str]) -> None:
    """Record that an admin changes the document of somebody else; one's own changes are one's own matter.

    Args:
        connection: in a transaction that writes.
        identity: who changes it.
        known: the document.
        fields: names of what is changed.
    """
    if others(identity, known.owner):
        record_act(connection, identity, "change", known, {"fields": " ".join(sorted(fields))})


def record_reading(storage: LibraryStorage, identity: Identity, entry: LibraryDocument) -> None:
    """Record that an admin opens a document that its owner does not share with her."""
    shared = entry.visibility == "public" or (entry.visibility == "team" and entry.team in identity.teams)
    if others(identity, entry.owner) and not shared:
        storage.database.run(partial(_record_reading, identity=identity, entry=entry), writes=True)


def _record_reading(connection: Connection, identity: Identity, entry: LibraryDocument) -> None:
    record_act(connection, identity, "open", entry)
