"""Archives of a library, taken into the library of a person. They may be malicious.

Nothing is written under a name that the archive gives: files go by their content, which must have the hash that they
are listed by, and texts by the hash that they have when they are read here. Everything is read and checked before
anything is stored. Importing an archive again changes nothing.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading import MAX_FILE_BYTES
from chunking.loading.archive import MAX_RATIO, RATIO_FROM
from chunking.reference.events import Event, with_context
from chunking.store import review_rights
from chunking.store.archive import format as archive_format
from chunking.store.archive.format import ListedSet, Manifest
from chunking.store.attachments import Attachments
from chunking.store.audit import AuditEvent, record
from chunking.store.database.sql import tables
from chunking.store.document_table import DocumentTable, new_row
from chunking.store.documents import DocumentSettings, LibraryDocument, ListedDocument
from chunking.store.identity import Identity
from chunking.store.library import Library
from chunking.store.quotas import UsageQuota, quotas_of_environment
from chunking.store.reviews import append_events
from chunking.store.sets import DocumentSets, Drafts
from chunking.store.storage import digest_of, read_document

MAX_ENTRIES = 100_000
"""Limit of the files in an archive."""

MAX_TOTAL = 16 * 2**30
"""Limit of the bytes of all files, uncompressed."""

_ENTRY = b"PK\x01\x02"
_BLOCK = 2**20
_ENCRYPTED = 0x1 | 0x40 | 0x2000


@dataclass(frozen=True)
class Imported:
    """What came in.

    Attributes:
        added: number of documents that were not there before.
        known: number of those that were.
        sets: number of sets that were made or got more documents.
        reviews: number of events of reviews that were new.
        problems: what was left out, and why.
    """

    added: int
    known: int
    sets: int
    reviews: int
    problems: tuple[ChunkscopeError, ...] = ()


def import_archive(library: Library, path: Path) -> Imported:
    """Take an archive into the library of a person.

    Args:
        library: of the person, whose documents they become.
        path: the archive.

    Raises:
        ChunkscopeError: it is not an archive of a library, damaged, built to do harm, or more than the quotas of the
            person allow; nothing was stored before all of it was checked.
    """
    try:
        with path.open("rb") as file:
            _check_number(file, path.name)
        with zipfile.ZipFile(path) as archive:
            entries = _check_entries(archive, path.name)
            return _merge(library, archive, entries, _manifest(archive, entries))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error) as error:
        raise _damaged_error(path.name, "it is not a whole ZIP archive") from error
    except OSError as error:
        raise ChunkscopeError(f"{path} cannot be read: {error.strerror or error}.", "Check the path.") from error


def _merge(
    library: Library, archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], manifest: Manifest
) -> Imported:
    read_content = partial(_content, archive, entries)
    by_text = _events(archive, entries, manifest)
    documents: list[ListedDocument] = []
    matching_events: list[Event] = []
    problems: list[ChunkscopeError] = []
    for content in {file.content for listed in manifest.documents for file in listed.attachments}:
        read_content(content)
    for listed in manifest.documents:
        data = read_content(listed.content)
        try:
            text = read_document(_as_added(library.identity, listed), data)
        except ChunkscopeError as error:
            problems.append(ChunkscopeError(f"“{listed.name}” was left out. {error.problem}", error.remedy))
            continue
        documents.append(replace(listed, text_hash=text.text_hash, key=text.key, characters=len(text.text)))
        if text.text_hash == listed.text_hash:
            matching_events += _events_in_text(by_text.pop(listed.text_hash, []), text)
        else:
            problems.append(
                ChunkscopeError(
                    f"“{listed.name}” has another text here than the archive lists, so its reviews were left out.",
                    "Export the library again with this version of Chunkscope.",
                )
            )
    events, refused = review_rights.attribute_imported(library, matching_events)
    _count_uploads(library, replace(manifest, documents=tuple(documents)))
    merger = LibraryMerger(library, read_content)
    for listed in _newest_first(documents):
        merger.import_document(listed)
    sets = sum(map(merger.import_set, manifest.sets))
    merger.import_drafts(manifest.drafts)
    events = [event for event in events if event.document in merger.texts]
    counts = {"added": merger.added, "known": merger.known, "sets": sets, "reviews": len(events)}

    def store_events(table: DocumentTable) -> None:
        append_events(table.connection, events)
        record(table.connection, library.identity, AuditEvent("import", "library", detail=counts))

    library.run(store_events, writes=True)
    return Imported(merger.added, merger.known, sets, len(events), (*problems, *refused, *merger.problems))


class LibraryMerger:
    """Takes the documents of one archive into a library.

    What the library has already stays as it is: an attachment of the same name and another content is left out, and
    listed among the problems.

    Args:
        library: of the person, whose documents they become.
        read_content: returns a file of the archive by its content.

    Attributes:
        added, known: numbers of documents that are new, and that were there.
        texts: hashes of the texts of both.
        problems: what was left out.
    """

    def __init__(self, library: Library, read_content: Callable[[str], bytes]) -> None:
        self._library = library
        self._read = read_content
        self._ids: dict[str, str] = {}  # in the library, by those in the archive
        self.added = 0
        self.known = 0
        self.texts: set[str] = set()
        self.problems: list[ChunkscopeError] = []

    def import_document(self, listed: ListedDocument) -> None:
        """Store a document, after the version that replaced it; or leave it out, where it does not fit."""
        library, data = self._library, self._read(listed.content)
        try:
            library.check_room(listed.file_sizes | {listed.content: len(data)})
        except ChunkscopeError as error:
            self.problems.append(ChunkscopeError(f"“{listed.name}” was left out. {error.problem}", error.remedy))
            return
        library.storage.files.put(data)
        newer = self._ids.get(listed.replaced_by, "")
        row = new_row(library.identity, library.storage, listed) | {"replaced_by": newer}

        def work(documents: DocumentTable) -> LibraryDocument:
            stored = documents.insert(row, data, listed.tags)
            if newer:
                documents.update(newer, tables.library.c.previous == "", previous=stored.id)
            if not set(listed.tags) <= set(stored.tags):
                documents.put_tags(stored.id, tuple(sorted({*stored.tags, *listed.tags})))
            return documents.get(stored.id)

        stored = library.run(work, writes=True)
        self._ids[listed.id] = stored.id
        self.texts.add(listed.text_hash)
        self.added += stored.id == row["id"]
        self.known += stored.id != row["id"]
        for attachment in listed.attachments:
            same_name = [
                candidate for candidate in stored.attached(attachment.kind) if candidate.name == attachment.name
            ]
            if not same_name:
                Attachments(library).put_as(stored.id, attachment, self._read(attachment.content))
            elif same_name[0].content != attachment.content:
                self.problems.append(
                    ChunkscopeError(
                        f"“{listed.name}” has another attachment named “{attachment.name}” already.",
                        "That was kept; rename it to import the other one.",
                    )
                )

    def import_set(self, listed: ListedSet) -> bool:
        """Make a set, or add to the one of that name; return whether that changed anything."""
        sets = DocumentSets(self._library)
        imported = tuple(self._ids[id] for id in listed.documents if id in self._ids)
        existing = next((document_set for document_set in sets.list() if document_set.name == listed.name), None)
        if existing is None:
            sets.create(listed.name, imported)
            return True
        documents = tuple(dict.fromkeys((*existing.documents, *imported)))
        if documents != existing.documents:
            sets.save(replace(existing, documents=documents))
        return documents != existing.documents

    def import_drafts(self, texts: Mapping[str, str]) -> None:
        """Keep drafts where there are none."""
        drafts = Drafts(self._library)
        existing = drafts.all()
        for key, text in texts.items():
            if key not in existing:
                drafts.put(key, text)


def _manifest(archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo]) -> Manifest:
    limit = archive_format.LIMIT.bytes
    first = _read(archive, entries, archive_format.NAME, limit)
    names = map(archive_format.part_name, range(2, archive_format.count_parts(first) + 1))
    manifest = archive_format.read_manifest((first, *(_read(archive, entries, name, limit) for name in names)))
    for content, size in manifest.file_sizes.items():
        entry = entries.get(f"{archive_format.FILES}{content}")
        if entry is None or entry.file_size != size or size > MAX_FILE_BYTES:
            raise _damaged_error(str(archive.filename), "a listed file is missing or has another size")
    return manifest


def _events(
    archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], manifest: Manifest
) -> dict[str, list[Event]]:
    """Return the events of the listed documents, by the hash of their text."""
    if archive_format.REVIEWS not in entries:
        return {}
    data = _read(archive, entries, archive_format.REVIEWS, archive_format.EVENTS_LIMIT.bytes)
    by_text: dict[str, list[Event]] = {}
    for event in archive_format.read_events(data, {listed.text_hash for listed in manifest.documents}):
        by_text.setdefault(event.document, []).append(event)
    return by_text


def _as_added(identity: Identity, listed: ListedDocument) -> LibraryDocument:
    """Return a document as it was when it was added, before anything was chosen for it."""
    values: dict[str, Any] = {name: getattr(listed, name) for name in ListedDocument.__dataclass_fields__}
    values |= dict.fromkeys(("team", "link", "previous", "folder", "missing"), "")
    values |= {"choices": DocumentSettings(), "owner": identity.subject, "visibility": "private", "version": 1}
    return LibraryDocument(**values)


def _events_in_text(events: list[Event], document: Document) -> Iterator[Event]:
    """Yield the events whose places are in a text, with the words that are around them there."""
    for event in events:
        if max(event.offset, event.target or 0) <= len(document.text):
            yield with_context(event, document.text)


def _count_uploads(library: Library, manifest: Manifest) -> None:
    """Count the files that the library does not have yet, as uploads of the person."""
    stored = {content for document in library.own() for content in document.file_sizes}
    sizes = [size for content, size in manifest.file_sizes.items() if content not in stored]
    if sizes:
        quota = UsageQuota(library.storage.database, quotas_of_environment())
        quota.count_uploads(library.identity, len(sizes), sum(sizes))


def _newest_first(documents: list[ListedDocument]) -> Iterator[ListedDocument]:
    """Yield documents, each after the version that replaced it; those in a circle, which cannot be, are left out."""
    ids = {listed.id for listed in documents}
    older: dict[str, list[ListedDocument]] = {}
    waiting = []
    for listed in documents:
        if listed.replaced_by in ids:
            older.setdefault(listed.replaced_by, []).append(listed)
        else:
            waiting.append(listed)
    while waiting:
        yield (listed := waiting.pop())
        waiting += older.pop(listed.id, [])


def _content(archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], content: str) -> bytes:
    data = _read(archive, entries, f"{archive_format.FILES}{content}", MAX_FILE_BYTES)
    if digest_of(data) != content:
        raise _damaged_error(str(archive.filename), "a file does not have the hash that it is listed by")
    return data


def _read(archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], name: str, limit: int) -> bytes:
    entry = entries.get(name)
    if entry is None or entry.file_size > limit:
        raise _damaged_error(str(archive.filename), f"{name:.100} is missing or too large")
    with archive.open(entry) as stream:
        data = stream.read(limit + 1)
    if len(data) != entry.file_size:
        raise _damaged_error(str(archive.filename), f"{name:.100} has another size than stated")
    return data


def _check_number(file: IO[bytes], name: str) -> None:
    """Count the entries of the directory, each of which becomes an object; the stated number may be wrong."""
    count, last = 0, b""
    while block := file.read(_BLOCK):
        count += (last + block).count(_ENTRY)
        last = block[-(len(_ENTRY) - 1) :]
        if count > MAX_ENTRIES:
            raise _damaged_error(name, f"it has more than {MAX_ENTRIES:,} files")


def _check_entries(archive: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    entries: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        if entry.filename in entries:
            raise _damaged_error(name, "two files have the same name")
        if entry.flag_bits & _ENCRYPTED or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _damaged_error(name, "a file is encrypted or compressed in an unknown way")
        if entry.file_size > max(RATIO_FROM, MAX_RATIO * entry.compress_size):
            raise _damaged_error(name, f"a file is more than {MAX_RATIO} times larger uncompressed")
        entries[entry.filename] = entry
    if sum(entry.file_size for entry in entries.values()) > MAX_TOTAL:
        raise _damaged_error(name, f"it has more than {MAX_TOTAL // 2**30} GiB, uncompressed")
    return entries


def _damaged_error(name: str, why: str) -> ChunkscopeError:
    return ChunkscopeError(f"“{name}” is no archive of a library, or damaged: {why}.", "Export the library again.")
