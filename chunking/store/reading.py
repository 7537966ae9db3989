"""The text of a stored document, read as it was when it was added."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from chunking.document import Document
from chunking.isolation import USUAL, Limits
from chunking.loading import LoadParameters, isolated
from chunking.runtime.progress import Progress
from chunking.store.documents import LibraryDocument


def read_again(
    entry: LibraryDocument, data: bytes, progress: Progress | None = None, limits: Limits = USUAL
) -> Document:
    """Return a document from its file, under its present name.

    The language is the one that was chosen, else that of the first reading; a later version of a reader may find
    another text, which its hash tells.

    Args:
        entry: what the library knows of it.
        data: its file.
        progress: as of :func:`chunking.loading.isolated.load`.
        limits: of the process that reads it.

    Raises:
        ChunkscopeError: it cannot be read, or not within the limits.
    """
    language = entry.choices.language or (None if entry.language == "und" else entry.language)
    if entry.pasted:
        text = data.decode("utf-8", "replace")
        return isolated.from_text(text, entry.name, entry.format, language, limits, progress)
    options: dict[str, Any] = dict(entry.options)
    if entry.choices.content:
        options["content"] = entry.choices.content
    found = isolated.load(data, entry.source, language, LoadParameters(**options), limits, progress)
    return replace(found, name=entry.name)
