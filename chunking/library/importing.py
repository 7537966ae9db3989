"""Archives of a library, taken into the library of a person. They may be malicious.

Nothing is written under a name that the archive gives: files go by their content, which must have the hash that they
are listed by. Importing an archive again changes nothing.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from chunking.errors import ChunkscopeError
from chunking.gold.events import Event
from chunking.library import manifest
from chunking.library.contract import ListedDocument
from chunking.library.files import digest_of
from chunking.library.library import Library
from chunking.library.manifest import Manifest
from chunking.library.merging import Merger
from chunking.library.sets import DocumentSets
from chunking.loading import MAX_FILE_BYTES
from chunking.loading.archive import MAX_RATIO, RATIO_FROM
from chunking.review.store import ReviewStore

MAX_ENTRIES = 100_000
"""Limit of the files in an archive."""

MAX_TOTAL = 16 * 2**30
"""Limit of the bytes of all files, uncompressed."""

MAX_LIST = 256 * 2**20
"""Limit of the bytes of the list and of the reviews, uncompressed."""

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
        ChunkscopeError: it is not an archive of a library, damaged, or built to do harm; nothing was stored before all
            of its list was checked.
    """
    try:
        with path.open("rb") as file:
            _check_number(file, path.name)
        with zipfile.ZipFile(path) as archive:
            entries = _checked(archive, path.name)
            listed = manifest.read(_read(archive, entries, manifest.NAME, MAX_LIST))
            _check_listed(listed, entries, path.name)
            return _merge(library, archive, entries, listed)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error) as error:
        raise _damaged(path.name, "it is not a whole ZIP archive") from error
    except OSError as error:
        raise ChunkscopeError(f"{path} cannot be read: {error.strerror or error}.", "Check the path.") from error


def _merge(
    library: Library, archive: zipfile.ZipFile, entries: Mapping[str, zipfile.ZipInfo], listed: Manifest
) -> Imported:
    merger = Merger(library, lambda content: _content(archive, entries, content))
    for each in _newest_first(listed.documents):
        merger.take(each)
    sets = sum(merger.take_set(DocumentSets(library), name, ids) for name, ids in listed.sets)
    merger.take_drafts(dict(listed.drafts))
    data = _read(archive, entries, manifest.REVIEWS, MAX_LIST) if manifest.REVIEWS in entries else b""
    hashes = {each.text_hash for each in listed.documents}
    store = ReviewStore(library.storage.database.engine)
    events = [each for each in _events(data) if each.document in hashes]
    new = len(events) - len(store.stored(each.token for each in events))
    store.append(events)
    return Imported(merger.added, merger.known, sets, new, tuple(merger.problems))


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


def _events(data: bytes) -> Iterator[Event]:
    for line in data.splitlines():
        try:
            given = json.loads(line)
            yield Event(**given)
        except (TypeError, ValueError, RecursionError) as error:
            raise ChunkscopeError("The reviews in the archive are damaged.", "Export the library again.") from error


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
