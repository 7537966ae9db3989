"""References of documents read from files: offsets in the text, true chunks, or the reviews of people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunking.alignment import uploads
from chunking.alignment.align import align
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading.decode import decode
from chunking.reference import lines, matching
from chunking.reference.reference import NO_REFERENCE, Reference
from chunking.runtime import structured

_KEYS = ("gold", "boundaries", "offsets")


@dataclass(frozen=True)
class LoadedReference:
    """A reference read from a file.

    Attributes:
        reference: of the document; the start of the text is no boundary.
        notes: corrections, and the outcome for boundaries of an older text, in sentences.
    """

    reference: Reference = NO_REFERENCE
    notes: tuple[str, ...] = ()

    @property
    def offsets(self) -> tuple[int, ...]:
        """Return the boundaries, ascending."""
        return self.reference.boundaries


LIMIT = structured.SizeLimit(16 * 2**20)
"""Limit of a file with a reference."""


def read(data: bytes, name: str, document: Document) -> Reference:
    """Return the reference of :func:`read_with_notes`."""
    return read_with_notes(data, name, document).reference


def read_with_notes(data: bytes, name: str, document: Document) -> LoadedReference:
    """Read the reference of a document from a file.

    The file is JSON: a list of character offsets, or an object that has one under ``gold``, ``boundaries`` or
    ``offsets``; or it holds reviews, a document a line (:mod:`chunking.reference.lines`). Anything else is read as
    chunks (see :mod:`chunking.alignment.uploads`), whose starts are the boundaries. Offsets and chunks are a complete
    reference; reviews are one where they say so.

    Raises:
        ChunkscopeError: the file holds none of these, its gold or most of its chunks are of another document, or an
            offset is not a whole number or lies outside the text.
    """
    structured.check_file(data, name, LIMIT)
    if is_lines(data, name):
        found = matching.match_document(lines.read(data, name), document, name)
        return LoadedReference(found.reference, found.notes)
    offsets = _offsets(decode(data, name).text)
    if offsets is None:
        placed = align(document.text, uploads.read(data, name))
        offsets = [each.start for each in placed if each is not None]
        if 2 * len(offsets) < len(placed) or not offsets:
            raise ChunkscopeError(
                f"{name:.60} holds {len(offsets) or 'no'} chunk{'s' * (len(offsets) > 1)} of this document"
                f"{f', of {len(placed)}' if offsets else ''}.",
                "Give the gold of this document, or its offsets.",
            )
        return LoadedReference(_complete(offsets, document))
    wrong = next((offset for offset in offsets if not 0 <= offset <= len(document.text)), None)
    if wrong is not None:
        raise ChunkscopeError(
            f"The gold boundary {wrong} lies outside the text of {len(document.text):,} characters.",
            "Count characters (Unicode code points) of the decoded text, from 0.",
        )
    return LoadedReference(_complete(offsets, document), tuple(_repairs(offsets)))


def is_lines(data: bytes, name: str) -> bool:
    """Return whether a file holds gold in JSON Lines, one document per line."""
    first = next((line for line in decode(data, name).text.split("\n") if line.strip()), "")
    try:
        return lines.is_line(structured.load_json(first))
    except (ValueError, RecursionError):
        return False


def _complete(offsets: Iterable[int], document: Document) -> Reference:
    """Return a complete reference of these boundaries, which no strategy proposed."""
    inside = tuple(sorted({offset for offset in offsets if 0 < offset < len(document.text)}))
    return Reference(inside, added=inside)


def _repairs(offsets: Sequence[int]) -> Iterator[str]:
    if any(left > right for left, right in pairwise(offsets)):
        yield "The gold boundaries were not in order; they were sorted."
    twice = len(offsets) - len(set(offsets))
    if twice:
        were = "boundary that came twice was" if twice == 1 else "boundaries that came twice were"
        yield f"{twice:,} gold {were} left out."


def _offsets(text: str) -> list[int] | None:
    try:
        found = structured.load_json(text)
    except (ValueError, RecursionError):
        return None
    if lines.is_line(found):
        raise ChunkscopeError("The gold of a document runs over several lines.", "Write each document on one line.")
    if isinstance(found, dict):
        found = next((found[key] for key in _KEYS if isinstance(found.get(key), list)), None)
    if not isinstance(found, list) or not all(isinstance(each, (int, float)) for each in found):
        return None
    wrong = next((each for each in found if isinstance(each, bool) or not isinstance(each, int)), None)
    if wrong is not None:
        raise ChunkscopeError(
            f"The gold boundary {json.dumps(wrong)} is not a whole number.", "Give offsets in characters, from 0."
        )
    return found
