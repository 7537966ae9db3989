"""Files on disk, where a path may lead into a ZIP archive: ``papers.zip/guide.md``."""

from __future__ import annotations

from pathlib import Path

from chunking.errors import ChunkscopeError
from chunking.loading import is_archive
from chunking.loading.archive import open_archive

_SHOWN = 10


def read(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises:
        ChunkscopeError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ChunkscopeError(
            f"{path} cannot be read: {error.strerror}.", "Check the path and its permissions."
        ) from error


def read_document(path: Path) -> tuple[str, bytes]:
    """Return the name and bytes of a document: of a file, of a file in an archive, or of the only one in an archive.

    Raises:
        ChunkscopeError: it cannot be read, or the archive has several files and the path names none of them.
    """
    outer = next((parent for parent in path.parents if parent.is_file()), path)
    data = read(outer)
    if not is_archive(data, outer.name):
        return path.name, read(path) if outer != path else data
    archive = open_archive(data, outer.name)
    names = archive.documents()
    wanted = path.relative_to(outer).as_posix() if outer != path else names[0] if len(names) == 1 else ""
    if wanted not in names:
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        raise ChunkscopeError(
            f"{outer} is an archive with {', '.join(names[:_SHOWN])}{more}.", f"Name one of them: {outer}/{names[0]}"
        )
    return wanted, archive.read(wanted)
