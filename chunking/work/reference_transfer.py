"""The reference of an earlier version, carried to the text as it is now."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.alignment.relocation import Relocation, anchor
from chunking.store.attachments import Attachments
from chunking.store.document_table import NotFoundError
from chunking.store.documents import Attachment, LibraryDocument
from chunking.store.library import Library
from chunking.work import inputs


@dataclass(frozen=True)
class CarriedReference:
    """Boundaries of an earlier version, found again.

    Attributes:
        source: the version that has the reference.
        attached: the file of the reference.
        relocation: new offsets by old ones, those whose surroundings were edited, and those that are lost.
    """

    source: LibraryDocument
    attached: Attachment
    relocation: Relocation


def carried_reference(library: Library, entry: LibraryDocument) -> CarriedReference | None:
    """Return the latest reference of the versions before a document, at its places in the text as it is now.

    Args:
        library: of the person.
        entry: a document; where it has a reference itself, nothing is carried.

    Returns:
        ``None`` where the document has its own, or no earlier version has one.
    """
    before = entry
    while not before.attached("reference"):
        try:
            before = library.get(before.previous)
        except NotFoundError:
            return None
    if before is entry:
        return None
    attached = before.attached("reference")[-1]
    old = library.open(before).document
    data = Attachments(library).read(before, attached)
    offsets = inputs.read_reference(data, attached.name, old).boundaries
    anchors = [anchor(old.text, offset) for offset in offsets]
    return CarriedReference(before, attached, inputs.relocate_anchors(anchors, library.open(entry).document))
