"""The whole library of a person as one archive (ZIP), which another Chunkscope opens."""

from __future__ import annotations

import contextlib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from chunking.errors import ChunkscopeError
from chunking.runtime.atomic import replacing
from chunking.store import review_rights
from chunking.store.archive import format as archive_format
from chunking.store.archive.format import ListedSet, Manifest
from chunking.store.audit import AuditEvent, AuditLog
from chunking.store.documents import LibraryDocument
from chunking.store.library import Library
from chunking.store.sets import DocumentSets, Drafts

_DATE = (1980, 1, 1, 0, 0, 0)
"""Of all files in an archive, so that the same library gives the same one but for the time of export."""


@dataclass(frozen=True)
class Exported:
    """What an archive holds.

    Attributes:
        documents, sets: how many.
        reviews: number of events.
        problems: documents that were left out, because a file of theirs is damaged or missing, by name.
    """

    documents: int
    sets: int
    reviews: int
    problems: tuple[tuple[str, ChunkscopeError], ...] = ()


def export(library: Library, out: IO[bytes]) -> Exported:
    """Write the library of a person: documents with all versions, attachments, sets, drafts and reviews.

    Of the reviews it holds the person's own, and of those of others what she may have at this moment, see
    :mod:`chunking.store.review_rights`. Each file is held against its hash, and written before the next one is read.

    Args:
        library: of the person.
        out: need not be a file on a disk.

    Raises:
        ChunkscopeError: the database cannot be used, or ``out`` not be written.
    """
    contents: set[str] = set()
    documents: list[LibraryDocument] = []
    problems: list[tuple[str, ChunkscopeError]] = []
    with _unwritable("The archive"), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for document in library.own():
            try:
                for content in document.file_sizes:
                    if content not in contents:
                        _add(archive, f"{archive_format.FILES}{content}", library.storage.files.get(content))
                        contents.add(content)
                documents.append(document)
            except ChunkscopeError as error:
                problems.append((document.name, error))
        lines = list(archive_format.dump_events(review_rights.events_to_export(library, documents)))
        _add(archive, archive_format.REVIEWS, b"".join(lines))
        ids = {document.id for document in documents}
        sets = tuple(
            ListedSet(document_set.name, tuple(id for id in document_set.documents if id in ids))
            for document_set in DocumentSets(library).list()
        )
        manifest = Manifest(tuple(documents), sets, Drafts(library).all())
        for number, part in enumerate(archive_format.dump_manifest(manifest, library.storage.now()), 1):
            _add(archive, archive_format.part_name(number), part)
    counts = {"documents": len(documents), "sets": len(sets), "reviews": len(lines)}
    AuditLog(library.storage.database).append(library.identity, AuditEvent("export", "library", detail=counts))
    return Exported(**counts, problems=tuple(problems))


def export_to(library: Library, path: Path) -> Exported:
    """Write the library of a person to a file, which is there whole or not at all; see :func:`export`."""
    with _unwritable(str(path)), replacing(path, durable=True, private=True) as file:
        return export(library, file)


@contextlib.contextmanager
def _unwritable(subject: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ChunkscopeError(
            f"{subject} cannot be written: {error.strerror or error}.", "Free some space, or choose another place."
        ) from error


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    about = zipfile.ZipInfo(name, _DATE)
    about.compress_type = zipfile.ZIP_DEFLATED
    about.external_attr = 0o600 << 16
    archive.writestr(about, data)
