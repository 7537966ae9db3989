"""How large and how old the library of a person may become, and what is evicted then.

Nothing is evicted that a person put work into: a document with a reference, own chunks, questions, reviews or a place
in a set, or one that is shared. A document goes with its earlier versions, if none of them is kept for such a reason;
versions that were replaced go first.

A document that is added evicts others where it exceeds the size, or is refused where that makes no room. Scans of
folders and imports evict nothing: what does not fit is left out, and reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from chunking.runtime.environment import whole_number
from chunking.store.database.database import batches
from chunking.store.database.sql import sa, tables
from chunking.store.documents import LibraryDocument

if TYPE_CHECKING:
    from sqlalchemy import Connection

MIB_VARIABLE, DAYS_VARIABLE = "CHUNKSCOPE_LIBRARY_MIB", "CHUNKSCOPE_LIBRARY_DAYS"
"""The environment variables of the limits; absent for none."""

Texts = Sequence[tuple[str, str]]
"""Contents, with the hashes of texts that they may be read as."""

_ATTACHED = {"reference": "a reference", "chunks": "own chunks", "questions": "questions"}


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


def plan_eviction(
    documents: Sequence[LibraryDocument],
    limits: Limits,
    kept: Mapping[str, str],
    now: datetime,
    arriving: Mapping[str, int],
    find_reviewed: Callable[[Sequence[LibraryDocument]], Mapping[str, str]],
) -> Eviction:
    """Return what limits evict, without deleting anything.

    Args:
        documents: all of the person.
        limits: the limits.
        kept: why documents must stay, by id.
        now: the time.
        arriving: sizes of files that count as well, by their content.
        find_reviewed: returns why documents must stay after all, by id; called for those that would go.
    """
    kept = dict(kept)
    sizes = dict(arriving)
    uses = Counter(arriving.keys())
    for document in documents:
        sizes |= document.file_sizes
        uses.update(document.file_sizes.keys())
    total = before = sum(sizes.values())
    oldest = now - timedelta(days=limits.max_days or 0)
    evicted: dict[str, LibraryDocument] = {}
    for versions in _units(documents, kept.keys()):
        too_old = limits.max_days is not None and datetime.fromisoformat(versions[-1].opened) < oldest
        too_large = limits.max_bytes is not None and total > limits.max_bytes
        if not (too_old or too_large):
            continue
        if reviewed := find_reviewed(versions):
            kept |= reviewed
            continue
        for version in versions:
            if version.id not in evicted:
                evicted[version.id] = version
                for content, size in version.file_sizes.items():
                    uses[content] -= 1
                    total -= 0 if uses[content] else size
    return Eviction(tuple(evicted.values()), kept, before, total, limits)


def _units(documents: Sequence[LibraryDocument], kept: Set[str]) -> list[list[LibraryDocument]]:
    """Return what may go together, in order: replaced versions, then documents with theirs, the oldest first."""
    by_id = {document.id: document for document in documents}
    ordered = sorted(documents, key=lambda document: (document.opened, document.id))
    units = [[document] for document in ordered if document.replaced_by and document.id not in kept]
    for document in ordered:
        if not document.replaced_by:
            versions = [document]
            while versions[0].previous in by_id:
                versions.insert(0, by_id[versions[0].previous])
            if not any(version.id in kept for version in versions):
                units.append(versions)
    return units


def reasons_to_keep(
    connection: Connection, documents: Sequence[LibraryDocument], other_texts: Texts = ()
) -> dict[str, str]:
    """Return why documents must not be evicted, by id; those that may are left out.

    Args:
        connection: in a transaction.
        documents: of one person.
        other_texts: the other texts that their contents may be read as, see :func:`.removal.other_texts`.
    """
    texts = [*((document.content, document.text_hash) for document in documents), *other_texts]
    reviewed = reviewed_contents(connection, texts)
    members = tables.members
    in_sets: set[str] = set()
    for batch in batches(document.id for document in documents):
        in_sets |= set(connection.execute(sa.select(members.c.document).where(members.c.document.in_(batch))).scalars())
    because: dict[str, str] = {}
    for document in documents:
        kinds = {attachment.kind for attachment in document.attachments}
        parts = [words for kind, words in _ATTACHED.items() if kind in kinds]
        parts += ["reviews"] if document.content in reviewed else []
        parts += ["a place in a set"] if document.id in in_sets else []
        watched = document.folder and not document.missing and not document.replaced_by
        parts += ["a file in a watched folder"] if watched else []
        parts += ["been shared"] if document.visibility != "private" else []
        if parts:
            because[document.id] = f"has {' and '.join(parts)}"
    return because


def reviewed_contents(connection: Connection, texts: Iterable[tuple[str, str]]) -> set[str]:
    """Return those of the contents that may be read as a text that has reviews."""
    texts, events = list(texts), tables.events
    hashes: set[str] = set()
    for batch in batches({text_hash for _, text_hash in texts}):
        query = sa.select(events.c.document).where(events.c.document.in_(batch)).distinct()
        hashes |= set(connection.execute(query).scalars())
    return {content for content, text_hash in texts if text_hash in hashes}
