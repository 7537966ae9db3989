"""How large and how old the library of a person may become, and what is evicted then.

Nothing is evicted that a person put work into: a document with a reference, own chunks, questions, reviews or a place
in a set, or one that is shared. A document goes with its earlier versions, if none of them is kept for such a reason;
versions that were replaced go first.

A document that is added evicts others where it exceeds the size, or is refused where that makes no room. Scans of
folders and imports evict nothing: what does not fit is left out, and reported.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from chunking.errors import ChunkscopeError
from chunking.runtime.environment import whole_number
from chunking.store import removal, rows
from chunking.store.audited import record_act
from chunking.store.database.tables import encode_text, tables
from chunking.store.documents import LibraryDocument

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from chunking.store.library import Library

MIB_VARIABLE, DAYS_VARIABLE = "CHUNKSCOPE_LIBRARY_MIB", "CHUNKSCOPE_LIBRARY_DAYS"
"""The environment variables of the limits; absent for none."""


Texts = Sequence[tuple[str, str]]
"""Contents, with the hashes of texts that they may be read as."""


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
    return _total(library, {})


def check_room(library: Library, content: str, size: int, attached: Mapping[str, int] | None = None) -> None:
    """Check that a file fits without evicting anything; one that the library has already always does.

    Args:
        library: of the person.
        content: of the file.
        size: of the file, in bytes.
        attached: sizes of the files that come with it, by their content.

    Raises:
        ChunkscopeError: it does not fit.
    """
    arriving = {**(attached or {}), content: size}
    if _exceeds(library, arriving):
        raise _full(library, sum(arriving.values()))


def check_can_add(library: Library, content: str, size: int) -> None:
    """Check that a file fits once what the limits evict for it is gone.

    Raises:
        ChunkscopeError: it does not fit, because the rest must not go.
    """
    arriving = {content: size}
    if _exceeds(library, arriving) and preview(library, library.limits, arriving).exceeds:
        raise _full(library, size)


def make_room(library: Library, added: LibraryDocument) -> tuple[LibraryDocument, ...]:
    """Evict what the size of the library requires now that a document was added, and return it.

    A file or cache that cannot be deleted is tried again with the next deletion.
    """
    if not _exceeds(library, {}):
        return ()
    gone = _evict_all(library, preview(library, library.limits, spared=added.id).evicted)
    with contextlib.suppress(ChunkscopeError):
        removal.finish(library.storage)
    return gone


def _exceeds(library: Library, arriving: Mapping[str, int]) -> bool:
    """Return whether the library is too large, with files that arrive."""
    limit = library.limits.max_bytes
    return limit is not None and _total(library, arriving) > limit


def _total(library: Library, arriving: Mapping[str, int]) -> int:
    work = partial(rows.total_bytes, owner=library.identity.subject, arriving=arriving)
    return library.storage.database.run(work)


def _full(library: Library, size: int) -> ChunkscopeError:
    limit = (library.limits.max_bytes or 0) / 2**20
    return ChunkscopeError(
        f"The library is full: it has {total_bytes(library) / 2**20:.1f} of {limit:,.0f} MiB, the file has "
        f"{size / 2**20:.1f} MiB, and the rest must stay.",
        f"Nothing was stored. Delete documents that you no longer need, or raise {MIB_VARIABLE}.",
    )


class _Files:
    """The files of documents, each counted once, while documents go."""

    def __init__(self, documents: Sequence[LibraryDocument], arriving: Mapping[str, int]) -> None:
        self._sizes = dict(arriving)
        self._uses = Counter(arriving.keys())
        for each in documents:
            self._sizes |= _contents(each)
            self._uses.update(_contents(each).keys())
        self.bytes = sum(self._sizes.values())

    def remove(self, gone: LibraryDocument) -> None:
        """Leave out the files of a document that no other one has."""
        for content, size in _contents(gone).items():
            self._uses[content] -= 1
            self.bytes -= 0 if self._uses[content] else size


def preview(library: Library, limits: Limits, arriving: Mapping[str, int] | None = None, spared: str = "") -> Eviction:
    """Return what limits evict, without doing it.

    Args:
        library: of the person.
        limits: the limits.
        arriving: sizes of files that are to be added, by their content.
        spared: id of a document that must stay.
    """
    own = library.own()
    kept = library.storage.database.run(partial(reasons, documents=own))
    files = _Files(own, arriving or {})
    before = files.bytes
    oldest = library.storage.clock() - timedelta(days=limits.max_days or 0)
    evicted: dict[str, LibraryDocument] = {}
    for unit in _units(own, kept.keys() | {spared}):
        too_old = limits.max_days is not None and datetime.fromisoformat(unit[-1].opened) < oldest
        too_large = limits.max_bytes is not None and files.bytes > limits.max_bytes
        if too_old or too_large:
            reviewed = _reviewed_otherwise(library, unit)
            kept |= reviewed
            for each in () if reviewed else unit:
                if each.id not in evicted:
                    evicted[each.id] = each
                    files.remove(each)
    return Eviction(tuple(evicted.values()), kept, before, files.bytes, limits)


def _reviewed_otherwise(library: Library, documents: Sequence[LibraryDocument]) -> dict[str, str]:
    """Return why documents must not be evicted that have reviews of another text that they may be read as, by id.

    Their files must be read for it, so it is only for those that would go.
    """
    texts = removal.other_texts(library.storage, documents)
    contents = library.storage.database.run(partial(_reviewed, texts=texts)) if texts else ()
    return {each.id: "has reviews" for each in documents if each.content in contents}


def evict(library: Library, limits: Limits) -> Eviction:
    """Delete what limits evict, and return it; what came to be worth keeping meanwhile stays."""
    planned = preview(library, limits)
    gone = _evict_all(library, planned.evicted)
    removal.finish(library.storage)
    return Eviction(gone, planned.kept, planned.bytes_before, total_bytes(library), limits)


def reasons(connection: Connection, documents: list[LibraryDocument], others: Texts = ()) -> dict[str, str]:
    """Return why documents must not be evicted, by id; those that may are left out.

    Args:
        connection: in a transaction.
        documents: of one person.
        others: the other texts that their contents may be read as, see :func:`removal.other_texts`.
    """
    import sqlalchemy as sa

    reviewed = _reviewed(connection, [*((each.content, each.text_hash) for each in documents), *others])
    in_sets: set[str] = set()
    members = tables().members
    for batch in rows.batches(documents):
        ids = [encode_text(each.id) for each in batch]
        in_sets |= set(connection.execute(sa.select(members.c.document).where(members.c.document.in_(ids))).scalars())
    words = {"reference": "a reference", "chunks": "own chunks", "questions": "questions"}
    found: dict[str, str] = {}
    for each in documents:
        parts = [words[kind] for kind in words if any(one.kind == kind for one in each.attachments)]
        parts += ["reviews"] if each.content in reviewed else []
        parts += ["a place in a set"] if each.id in in_sets else []
        parts += ["a file in a watched folder"] if each.folder and not each.missing and not each.replaced_by else []
        parts += ["been shared"] if each.visibility != "private" else []
        if parts:
            found[each.id] = f"has {' and '.join(parts)}"
    return found


def _reviewed(connection: Connection, texts: Texts) -> set[str]:
    """Return those of the contents that may be read as a text that has reviews."""
    import sqlalchemy as sa

    events = tables().events
    hashes: set[str] = set()
    for batch in rows.batches(list({encode_text(text_hash) for _, text_hash in texts})):
        query = sa.select(events.c.document).where(events.c.document.in_(batch)).distinct()
        hashes |= set(connection.execute(query).scalars())
    return {content for content, text_hash in texts if encode_text(text_hash) in hashes}


def _contents(document: LibraryDocument) -> dict[str, int]:
    """Return the sizes of the files of a document by their content."""
    return {document.content: document.size} | {each.content: each.size for each in document.attachments}


def _units(own: list[LibraryDocument], kept: Set[str]) -> list[list[LibraryDocument]]:
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


def _evict_all(library: Library, documents: Sequence[LibraryDocument]) -> tuple[LibraryDocument, ...]:
    gone: list[LibraryDocument] = []
    for each in documents:
        others = removal.other_texts(library.storage, library.versions(each.id))
        gone += library.storage.database.run(partial(_evict, library=library, id=each.id, others=others), writes=True)
    return tuple(gone)


def _evict(connection: Connection, library: Library, id: str, others: Texts) -> list[LibraryDocument]:
    import sqlalchemy as sa

    table = tables().library
    if connection.execute(sa.select(table.c.id).where(table.c.id == encode_text(id))).first() is None:
        return []
    found = rows.with_earlier(connection, library.identity, rows.to_change(connection, library.identity, id))
    if reasons(connection, found, others):
        return []
    removal.remove_rows(connection, found, library.storage)
    removal.note(connection, others, library.storage)
    for each in found:
        record_act(connection, library.identity, "evict", each)
    return found
