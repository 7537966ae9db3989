"""The reference of an earlier version, carried to the text as it is now."""

from __future__ import annotations

from dataclasses import dataclass

from chunking.gold import gold
from chunking.gold.relocation import Relocation, anchor, relocate
from chunking.library.access import NotFoundError
from chunking.library.attachments import Attachments
from chunking.library.contract import Attachment, LibraryDocument
from chunking.library.library import Library


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
    found = gold.read(data, attached.name, old)
    places = found.boundaries
    return CarriedReference(
        before, attached, relocate([anchor(old.text, place) for place in places], library.open(entry).document.text)
    )
