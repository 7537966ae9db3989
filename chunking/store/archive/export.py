"""The whole library of a person as one archive (ZIP), which another Chunkscope opens."""

from __future__ import annotations

import os
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from chunking.errors import ChunkscopeError
from chunking.store.archive import event_lines, manifest, reviews
from chunking.store.archive.manifest import Manifest
from chunking.store.audit import Act, AuditLog
from chunking.store.documents import LibraryDocument
from chunking.store.drafts import Drafts
from chunking.store.library import Library
from chunking.store.sets import DocumentSets

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
    :mod:`chunking.store.visibility`. Each file is held against its hash, and written before the next one is read.

    Args:
        library: of the person.
        out: need not be a file on a disk.

    Raises:
        ChunkscopeError: the database cannot be used, or ``out`` not be written.
    """
    own = library.own()
    kept: list[LibraryDocument] = []
    problems: list[tuple[str, ChunkscopeError]] = []
    try:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            written: set[str] = set()
            for each in own:
                try:
                    _write_files(archive, library, each, written)
                    kept.append(each)
                except ChunkscopeError as error:
                    problems.append((each.name, error))
            lines = list(event_lines.dump(reviews.visible(library, kept)))
            _add(archive, manifest.REVIEWS, b"".join(lines))
            ids = {each.id for each in kept}
            sets = [
                (each.name, tuple(id for id in each.documents if id in ids)) for each in DocumentSets(library).list()
            ]
            drafts = tuple(Drafts(library).all().items())
            listed = Manifest(tuple(map(manifest.listed, kept)), tuple(sets), drafts)
            for number, part in enumerate(manifest.dump(listed, library.storage.now()), 1):
                _add(archive, manifest.part_name(number), part)
    except OSError as error:
        raise ChunkscopeError(
            f"The archive cannot be written: {error.strerror or error}.", "Free some space, or choose another place."
        ) from error
    done = Exported(len(kept), len(sets), len(lines), tuple(problems))
    counts = {"documents": done.documents, "sets": done.sets, "reviews": done.reviews}
    AuditLog(library.storage.database).append(library.identity, Act("export", "library", detail=counts))
    return done


def export_to(library: Library, path: Path) -> Exported:
    """Write the library of a person to a file, which is there whole or not at all; see :func:`export`."""
    try:
        handle, growing = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with open(handle, "wb") as file:
                done = export(library, file)
                file.flush()
                os.fsync(handle)
            os.replace(growing, path)
        finally:
            Path(growing).unlink(missing_ok=True)
    except OSError as error:
        raise ChunkscopeError(
            f"{path} cannot be written: {error.strerror or error}.", "Free some space, or choose another place."
        ) from error
    return done


def _write_files(archive: zipfile.ZipFile, library: Library, entry: LibraryDocument, written: set[str]) -> None:
    for content in (entry.content, *(each.content for each in entry.attachments)):
        if content not in written:
            _add(archive, f"{manifest.FILES}{content}", library.storage.files.get(content))
            written.add(content)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    about = zipfile.ZipInfo(name, _DATE)
    about.compress_type = zipfile.ZIP_DEFLATED
    about.external_attr = 0o600 << 16
    archive.writestr(about, data)
