"""The reference of an earlier version, kept for the version as it is now."""

from __future__ import annotations

import json
from collections.abc import Sequence

from chunking.runtime.wording import plural
from chunking.store import Library, LibraryDocument
from chunking.store.attachments import Attachments
from chunking.work.reference_transfer import carried_reference
from pages.shared.library import outcome
from pages.shared.storage.current import library

NAME = "carried-over.json"
"""Name of the attachment that the boundaries become."""


def is_offered(entry: LibraryDocument, earlier: Sequence[LibraryDocument]) -> bool:
    """Return whether a document has no reference, but one of the versions before it has."""
    return not entry.attached("reference") and any(each.attached("reference") for each in earlier)


def carry(entry: LibraryDocument) -> None:
    """Find the reference of the versions before again, and attach it to a document; in a callback."""
    with outcome.reported():
        said = carried(library(), entry)
        outcome.done(said or "There is no reference to carry over.")


def carried(here: Library, entry: LibraryDocument) -> str:
    """Attach the reference of the versions before to a document, and return what became of it; empty if there is none.

    Raises:
        ChunkscopeError: a file cannot be read or stored.
    """
    found = carried_reference(here, entry)
    if found is None:
        return ""
    offsets = sorted(found.relocation.found.values())
    if offsets:
        Attachments(here).put(entry.id, "reference", NAME, json.dumps(offsets).encode())
    words = f"{entry.name}: {plural(len(offsets), 'boundary', 'boundaries')} of the reference carried over"
    edited = len(found.relocation.edited)
    words += f", {edited} of them where the text around was edited" if edited else ""
    lost = len(found.relocation.lost)
    return f"{words}; {lost} lost." if lost else f"{words}."
