"""The text of a stored document, read as it was when it was added."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from chunking.document import Document
from chunking.library.contract import LibraryDocument
from chunking.loading import LoadParameters, from_text, load
from chunking.runtime.progress import Progress


def read_again(entry: LibraryDocument, data: bytes, progress: Progress | None = None) -> Document:
    """Return a document from its file, under its present name.

    The language is the one that was chosen, else that of the first reading; a later version of a reader may find
    another text, which its hash tells.

    Args:
        entry: what the library knows of it.
        data: its file.
        progress: as of :func:`chunking.loading.load`.

    Raises:
        ChunkscopeError: it cannot be read.
    """
    language = entry.choices.language or (None if entry.language == "und" else entry.language)
    if entry.pasted:
        return from_text(data.decode("utf-8", "replace"), entry.name, entry.format, language)
    options: dict[str, Any] = dict(entry.options)
    if entry.choices.content:
        options["content"] = entry.choices.content
    return replace(load(data, entry.source, language, LoadParameters(**options), progress), name=entry.name)
