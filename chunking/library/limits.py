"""How large and how old the library of a person may become, and what is evicted then.

Nothing is evicted that a person put work into: a document with a reference, own chunks, questions, reviews or a place
in a set, or one that is shared. A document goes with its earlier versions, if none of them is kept for such a reason;
versions that were replaced go first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.library import removal, rows
from chunking.library.audited import record_act
from chunking.library.contract import LibraryDocument
from chunking.library.library import Library, with_earlier
from chunking.review.tables import encode_text, tables
from chunking.runtime.environment import whole_number

if TYPE_CHECKING:
    from sqlalchemy import Connection

MIB_VARIABLE, DAYS_VARIABLE = "CHUNKSCOPE_LIBRARY_MIB", "CHUNKSCOPE_LIBRARY_DAYS"
"""The environment variables of the limits; absent for none."""


@dataclass(frozen=True)
class Limits:
    """Limits of the library of a person.

    Attributes:
        max_bytes: of all files; ``None`` for no limit.
        max_days: since a document was last opened; ``None`` for no limit.
    """

    max_bytes: int | None = None
    max_days: int | None = None


@dataclass(frozen=True)
class Eviction:
    """What the limits evict.

    Attributes:
        evicted: the documents, in the order in which they go.
        kept: why documents cannot go, by id.
        bytes_before, bytes_after: of all files; a content that several documents have counts once.
        limits: the limits.
    """

    evicted: tuple[LibraryDocument, ...]
    kept: Mapping[str, str]
    bytes_before: int
    bytes_after: int
    limits: Limits

    @property
    def exceeds(self) -> bool:
        """Whether the library is still too large then, because the rest must not go."""
        return self.limits.max_bytes is not None and self.bytes_after > self.limits.max_bytes


def limits_of_environment() -> Limits:
    """Return the limits that the settings name.

    Raises:
        ChunkscopeError: one is not a whole number above 0.
    """
    mib, days = whole_number(MIB_VARIABLE), whole_number(DAYS_VARIABLE)
    return Limits(None if mib is None else mib * 2**20, days)


def total_bytes(library: Library) -> int:
    """Return the bytes of all files of a person; a content that several documents have counts once."""
    return sum(_sizes(library.own()).values())


def check_room(library: Library, added: int, limits: Limits) -> None:
    """Check that a library has room for further files. Nothing is evicted for them: only a person decides that.

    Raises:
        ChunkscopeError: it would become too large.
    """
    if limits.max_bytes is None:
        return
    used = total_bytes(library)
    if used + added > limits.max_bytes:
        raise ChunkscopeError(
            f"Your library has {used / 2**20:,.1f} of {limits.max_bytes / 2**20:,.0f} MiB, and this needs "
            f"{added / 2**20:,.1f} MiB.",
            "Delete documents that you no longer need, then add it again.",
        )


def preview(library: Library, limits: Limits) -> Eviction:
    """Return what limits evict, without doing it."""
    own = library.own()
    kept = library.storage.database.run(partial(reasons, documents=own))
    sizes = before = _sizes(own)
    oldest = library.storage.clock() - timedelta(days=limits.max_days or 0)
    evicted: list[LibraryDocument] = []
    left = {each.id: each for each in own}
    for unit in _units(own, kept):
        too_old = limits.max_days is not None and datetime.fromisoformat(unit[-1].opened) < oldest
        too_large = limits.max_bytes is not None and sum(sizes.values()) > limits.max_bytes
        if too_old or too_large:
            evicted += [each for each in unit if left.pop(each.id, None)]
            sizes = _sizes(list(left.values()))
    return Eviction(tuple(evicted), kept, sum(before.values()), sum(sizes.values()), limits)


def evict(library: Library, limits: Limits) -> Eviction:
    """Delete what limits evict, and return it; what came to be worth keeping meanwhile stays."""
    planned = preview(library, limits)
    gone: list[LibraryDocument] = []
    for each in planned.evicted:
        gone += library.storage.database.run(partial(_evict, library=library, id=each.id), writes=True)
    removal.finish(library.storage)
    return Eviction(tuple(gone), planned.kept, planned.bytes_before, total_bytes(library), limits)


def reasons(connection: Connection, documents: list[LibraryDocument]) -> dict[str, str]:
    """Return why documents must not be evicted, by id; those that may are left out."""
    import sqlalchemy as sa

    reviewed: set[str] = set()
    in_sets: set[str] = set()
    events, members = tables().events, tables().members
    for batch in rows.batches(documents):
        hashes = [encode_text(each.text_hash) for each in batch]
        reviewed |= set(
            connection.execute(sa.select(events.c.document).where(events.c.document.in_(hashes)).distinct()).scalars()
        )
        ids = [encode_text(each.id) for each in batch]
        in_sets |= set(connection.execute(sa.select(members.c.document).where(members.c.document.in_(ids))).scalars())
    words = {"reference": "a reference", "chunks": "own chunks", "questions": "questions"}
    found: dict[str, str] = {}
    for each in documents:
        parts = [words[kind] for kind in words if any(one.kind == kind for one in each.attachments)]
        parts += ["reviews"] if each.text_hash in reviewed else []
        parts += ["a place in a set"] if each.id in in_sets else []
        parts += ["been shared"] if each.visibility != "private" else []
        if parts:
            found[each.id] = f"has {' and '.join(parts)}"
    return found


def _sizes(documents: list[LibraryDocument]) -> dict[str, int]:
    sizes = {each.content: each.size for each in documents}
    return sizes | {one.content: one.size for each in documents for one in each.attachments}


def _units(own: list[LibraryDocument], kept: Mapping[str, str]) -> list[list[LibraryDocument]]:
    """Return what may go together, in order: replaced versions, then documents with theirs, the oldest first."""
    by_id = {each.id: each for each in own}
    ordered = sorted(own, key=lambda each: (each.opened, each.id))
    units = [[each] for each in ordered if each.replaced_by and each.id not in kept]
    for each in ordered:
        if not each.replaced_by:
            chain = [each]
            while chain[0].previous in by_id:
                chain.insert(0, by_id[chain[0].previous])
            if not any(one.id in kept for one in chain):
                units.append(chain)
    return units


def _evict(connection: Connection, library: Library, id: str) -> list[LibraryDocument]:
    import sqlalchemy as sa

    table = tables().library
    if connection.execute(sa.select(table.c.id).where(table.c.id == encode_text(id))).first() is None:
        return []
    found = with_earlier(connection, library.identity, rows.to_change(connection, library.identity, id))
    if reasons(connection, found):
        return []
    removal.remove_rows(connection, found, library.storage)
    for each in found:
        record_act(connection, library.identity, "evict", each)
    return found
