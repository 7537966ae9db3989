"""Archives of a library, taken into the library of a person. They may be malicious.

Nothing is written under a name that the archive gives: files go by their content, which must have the hash that they
are listed by, and texts by the hash that they have when they are read here. Everything is read and checked before
anything is stored. Importing an archive again changes nothing.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading import MAX_FILE_BYTES
from chunking.loading.archive import MAX_RATIO, RATIO_FROM
from chunking.reference.events import Event, with_context
from chunking.store.archive import event_lines, manifest, reviews
from chunking.store.archive.manifest import Manifest
from chunking.store.archive.merging import Merger
from chunking.store.audit import Act
from chunking.store.documents import Choices, LibraryDocument, ListedDocument
from chunking.store.files import digest_of
from chunking.store.identity import Identity
from chunking.store.library import Library
from chunking.store.quotas import Meter, quotas_of_environment
from chunking.store.reading import read_again
from chunking.store.sets import DocumentSets

MAX_ENTRIES = 100_000
"""Limit of the files in an archive."""

MAX_TOTAL = 16 * 2**30
"""Limit of the bytes of all files, uncompressed."""

MAX_LIST = manifest.LIMIT.bytes
"""Limit of the bytes of each part of the list, uncompressed."""

MAX_REVIEWS = event_lines.LIMIT.bytes
"""Limit of the bytes of the reviews, uncompressed."""

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
            entries = _checked(archive, path.name)
            listed = _listed(archive, entries)
            _check_listed(listed, entries, path.name)
            return _merge(library, archive, entries, listed)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error) as error:
        raise _damaged(path.name, "it is not a whole ZIP archive") from error
    except OSError as error:
        raise ChunkscopeError(f"{path} cannot be read: {error.strerror or error}.", "Check the path.") from error


@dataclass(frozen=True)
class _CheckedDocuments:
    """The documents of an archive that can be stored, with the hashes of their texts as they are.

    Attributes:
        documents: in the order of the list.
        events: of these texts, with the text around each place.
        problems: what was left out, and why.
    """

    documents: tuple[ListedDocument, ...]
    events: tuple[Event, ...]
    problems: tuple[ChunkscopeError, ...]


def _merge(
    library: Library, archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], listed: Manifest
) -> Imported:
    read = partial(_content, archive, entries)
    checked = _check_documents(library.identity, read, listed, _events(archive, entries, listed))
    events, refused = reviews.attribute(library, checked.events)
    _count(library, replace(listed, documents=checked.documents))
    merger = Merger(library, read)
    for each in _newest_first(checked.documents):
        merger.take(each)
    sets = sum(merger.take_set(DocumentSets(library), name, ids) for name, ids in listed.sets)
    merger.take_drafts(dict(listed.drafts))
    counts = {"added": merger.added, "known": merger.known, "sets": sets}
    taken = [event for event in events if event.document in merger.texts]
    new = reviews.store(library, taken, Act("import", "library", detail=counts))
    return Imported(merger.added, merger.known, sets, new, (*checked.problems, *refused, *merger.problems))


def _listed(archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo]) -> Manifest:
    first = _read(archive, entries, manifest.NAME, MAX_LIST)
    names = (manifest.part_name(number) for number in range(2, manifest.count_parts(first) + 1))
    return manifest.read((first, *(_read(archive, entries, name, MAX_LIST) for name in names)))


def _events(archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], listed: Manifest) -> list[Event]:
    if manifest.REVIEWS not in entries:
        return []
    data = _read(archive, entries, manifest.REVIEWS, MAX_REVIEWS)
    return event_lines.read(data, {each.text_hash for each in listed.documents})


def _check_documents(
    identity: Identity, read: Callable[[str], bytes], listed: Manifest, events: list[Event]
) -> _CheckedDocuments:
    """Read every file of an archive, and hold the list and the reviews against what is in them."""
    for content in {one.content for each in listed.documents for one in each.attachments}:
        read(content)
    by_text: dict[str, list[Event]] = {}
    for event in events:
        by_text.setdefault(event.document, []).append(event)
    kept: list[ListedDocument] = []
    placed: list[Event] = []
    problems: list[ChunkscopeError] = []
    for each in listed.documents:
        data = read(each.content)
        try:
            document = read_again(_as_added(identity, each), data)
        except ChunkscopeError as error:
            problems.append(ChunkscopeError(f"“{each.name}” was left out. {error.problem}", error.remedy))
            continue
        kept.append(_with_text(each, document))
        if document.text_hash == each.text_hash:
            placed += _placed(by_text.pop(each.text_hash, ()), document.text)
        else:
            problems.append(_other_text(each.name))
    return _CheckedDocuments(tuple(kept), tuple(placed), tuple(problems))


def _as_added(identity: Identity, listed: ListedDocument) -> LibraryDocument:
    """Return a document as it was when it was added, before anything was chosen for it."""
    values: dict[str, Any] = {name: getattr(listed, name) for name in ListedDocument.__dataclass_fields__}
    values |= dict.fromkeys(("team", "link", "previous", "folder", "missing"), "")
    values |= {"choices": Choices(), "owner": identity.subject, "visibility": "private", "version": 1}
    return LibraryDocument(**values)


def _with_text(listed: ListedDocument, document: Document) -> ListedDocument:
    return replace(listed, text_hash=document.text_hash, key=document.key, characters=len(document.text))


def _placed(events: Iterable[Event], text: str) -> Iterator[Event]:
    """Yield the events whose places are in a text, with the words that are around them there."""
    for event in events:
        if max(event.offset, event.target or 0) <= len(text):
            yield with_context(event, text)


def _other_text(name: str) -> ChunkscopeError:
    return ChunkscopeError(
        f"“{name}” has another text here than the archive lists, so its reviews were left out.",
        "Export the library again with this version of Chunkscope.",
    )


def _count(library: Library, listed: Manifest) -> None:
    """Count the files that the library does not have yet, as uploads of the person."""
    known: set[str] = set()
    for each in library.own():
        known |= {each.content, *(one.content for one in each.attachments)}
    sizes = [size for content, size in listed.contents.items() if content not in known]
    if sizes:
        Meter(library.storage.database, quotas_of_environment()).count_uploads(library.identity, len(sizes), sum(sizes))


def _newest_first(documents: tuple[ListedDocument, ...]) -> Iterator[ListedDocument]:
    """Yield documents, each after the version that replaced it; those in a circle, which cannot be, are left out."""
    by_id = {each.id for each in documents}
    older: dict[str, list[ListedDocument]] = {}
    waiting = []
    for each in documents:
        if each.replaced_by in by_id:
            older.setdefault(each.replaced_by, []).append(each)
        else:
            waiting.append(each)
    while waiting:
        yield (each := waiting.pop())
        waiting += older.pop(each.id, [])


def _content(archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], content: str) -> bytes:
    data = _read(archive, entries, f"{manifest.FILES}{content}", MAX_FILE_BYTES)
    if digest_of(data) != content:
        raise _damaged(str(archive.filename), "a file does not have the hash that it is listed by")
    return data


def _read(archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], name: str, limit: int) -> bytes:
    entry = entries.get(name)
    if entry is None or entry.file_size > limit:
        raise _damaged(str(archive.filename), f"{name:.100} is missing or too large")
    with archive.open(entry) as stream:
        data = stream.read(limit + 1)
    if len(data) != entry.file_size:
        raise _damaged(str(archive.filename), f"{name:.100} has another size than stated")
    return data


def _check_number(file: IO[bytes], name: str) -> None:
    """Count the entries of the directory, each of which becomes an object; the stated number may be wrong."""
    count, last = 0, b""
    while block := file.read(_BLOCK):
        count += (last + block).count(_ENTRY)
        last = block[-(len(_ENTRY) - 1) :]
        if count > MAX_ENTRIES:
            raise _damaged(name, f"it has more than {MAX_ENTRIES:,} files")


def _checked(archive: zipfile.ZipFile, name: str) -> dict[str, zipfile.ZipInfo]:
    entries: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        if entry.filename in entries:
            raise _damaged(name, "two files have the same name")
        if entry.flag_bits & _ENCRYPTED or entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise _damaged(name, "a file is encrypted or compressed in an unknown way")
        if entry.file_size > max(RATIO_FROM, MAX_RATIO * entry.compress_size):
            raise _damaged(name, f"a file is more than {MAX_RATIO} times larger uncompressed")
        entries[entry.filename] = entry
    if sum(entry.file_size for entry in entries.values()) > MAX_TOTAL:
        raise _damaged(name, f"it has more than {MAX_TOTAL // 2**30} GiB, uncompressed")
    return entries


def _check_listed(listed: Manifest, entries: Mapping[str, zipfile.ZipInfo], name: str) -> None:
    for content, size in listed.contents.items():
        entry = entries.get(f"{manifest.FILES}{content}")
        if entry is None or entry.file_size != size or size > MAX_FILE_BYTES:
            raise _damaged(name, "a listed file is missing or has another size")


def _damaged(name: str, why: str) -> ChunkscopeError:
    return ChunkscopeError(f"“{name}” is no archive of a library, or damaged: {why}.", "Export the library again.")
