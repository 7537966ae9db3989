"""References of documents read from files: offsets in the text, true chunks, or the reviews of people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunking.alignment import uploads
from chunking.alignment.align import align
from chunking.alignment.relocation import Relocation, matching_shares, relocate
from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.loading.decode import decode
from chunking.reference import lines
from chunking.reference.lines import ReferenceLine
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
        ChunkscopeError: the file holds none of these, it or most of its chunks are of another document, or an offset is
            not a whole number or lies outside the text.
    """
    structured.check_file(data, name, LIMIT)
    if is_lines(data, name):
        matched = match_document(lines.read(data, name), document, name)
        return LoadedReference(matched.reference, matched.notes)
    offsets = _offsets(decode(data, name).text)
    if offsets is None:
        chunks = align(document.text, uploads.read(data, name))
        offsets = [chunk.start for chunk in chunks if chunk is not None]
        if 2 * len(offsets) < len(chunks) or not offsets:
            raise ChunkscopeError(
                f"{name:.60} holds {len(offsets) or 'no'} chunk{'s' * (len(offsets) > 1)} of this document"
                f"{f', of {len(chunks)}' if offsets else ''}.",
                "Give the reference of this document, or its offsets.",
            )
        return LoadedReference(_complete(offsets, document))
    wrong = next((offset for offset in offsets if not 0 <= offset <= len(document.text)), None)
    if wrong is not None:
        raise ChunkscopeError(
            f"The reference boundary {wrong} lies outside the text of {len(document.text):,} characters.",
            "Count characters (Unicode code points) of the decoded text, from 0.",
        )
    return LoadedReference(_complete(offsets, document), tuple(_repairs(offsets)))


def is_lines(data: bytes, name: str) -> bool:
    """Return whether a file holds references in JSON Lines, one document per line."""
    first = next((line for line in decode(data, name).text.split("\n") if line.strip()), "")
    return lines.is_line(structured.json_or_none(first))


def _complete(offsets: Iterable[int], document: Document) -> Reference:
    """Return a complete reference of these boundaries, which no strategy proposed."""
    inner_offsets = tuple(sorted({offset for offset in offsets if 0 < offset < len(document.text)}))
    return Reference(inner_offsets, added=inner_offsets)


def _repairs(offsets: Sequence[int]) -> Iterator[str]:
    if any(left > right for left, right in pairwise(offsets)):
        yield "The reference boundaries were not in order; they were sorted."
    repeat_count = len(offsets) - len(set(offsets))
    if repeat_count:
        were = "boundary that came twice was" if repeat_count == 1 else "boundaries that came twice were"
        yield f"{repeat_count:,} reference {were} left out."


def _offsets(text: str) -> list[int] | None:
    content = structured.json_or_none(text)
    if lines.is_line(content):
        raise ChunkscopeError("The reference runs over several lines.", "Write each document on one line.")
    if isinstance(content, dict):
        content = next((content[key] for key in _KEYS if isinstance(content.get(key), list)), None)
    if not isinstance(content, list) or not all(isinstance(item, (int, float)) for item in content):
        return None
    wrong = next((item for item in content if isinstance(item, bool) or not isinstance(item, int)), None)
    if wrong is not None:
        raise ChunkscopeError(
            f"The reference boundary {json.dumps(wrong)} is not a whole number.", "Give offsets in characters, from 0."
        )
    return content


@dataclass(frozen=True)
class MatchedReference:
    """The reference of a document, matched with its text.

    Attributes:
        line: the line of the file.
        relocation: new offsets of :attr:`ReferenceLine.places` and of ``line.offsets``: the same ones if the text is
            the same, otherwise those where their context was found.
        changed: whether the text was edited since the reference was set.
        notes: remarks for the user, in sentences.
    """

    line: ReferenceLine
    relocation: Relocation
    changed: bool
    notes: tuple[str, ...]

    @property
    def reference(self) -> Reference:
        """Return the reference in the current text."""
        line, positions = self.line, self.relocation.offsets
        boundaries, rejected, added = (
            tuple(sorted(positions[offset] for offset in offsets if offset in positions))
            for offsets in (line.offsets, line.rejected, line.added)
        )
        return Reference(boundaries, rejected, added, line.complete, tuple(line.reviews))


def match_document(lines: Sequence[ReferenceLine], document: Document, name: str) -> MatchedReference:
    """Return the reference of a document: by the hash of its text or, if that was edited, by the context of positions.

    Args:
        lines: of a file.
        document: whose reference is wanted.
        name: of the file, for messages.

    Raises:
        ChunkscopeError: no line or more than one is of this document, or an offset lies outside its text.
    """
    same = [line for line in lines if line.document == document.text_hash]
    if len(same) > 1:
        raise ChunkscopeError(
            f"Lines {', '.join(str(line.line) for line in same[:5])} of {name:.80} are of the same document.",
            "Keep one of them.",
        )
    if same:
        return _as_it_is(same[0], document, name)
    return _match_changed(lines, document, name)


def _as_it_is(line: ReferenceLine, document: Document, name: str) -> MatchedReference:
    all_judgements = [judgement for judgements in (*line.reviews.values(), line.decisions) for judgement in judgements]
    offsets = sorted(
        {
            *line.offsets,
            *line.rejected,
            *(judgement.offset for judgement in all_judgements),
            *(judgement.target for judgement in all_judgements if judgement.target is not None),
            *(offset for notes in line.notes.values() for offset in notes),
        }
    )
    if offsets and offsets[-1] > len(document.text):
        raise ChunkscopeError(
            f"{name:.80}, line {line.line}: offset {offsets[-1]} lies outside the text of "
            f"{len(document.text):,} characters.",
            "Count characters (Unicode code points) of the text, from 0.",
        )
    positions = {offset: offset for offset in offsets}
    return MatchedReference(line, Relocation(positions, frozenset(), ()), False, _line_repairs(line, name))


_LIKELY = 3
"""Lines of which all places are looked up."""


def _match_changed(lines: Sequence[ReferenceLine], document: Document, name: str) -> MatchedReference:
    likeness = matching_shares([line.places for line in lines], document.text)
    likeliest = sorted(range(len(lines)), key=lambda index: -likeness[index])[:_LIKELY]
    tried = [(lines[index], relocate(lines[index].places, document.text)) for index in likeliest if likeness[index]]
    line, relocation = max(tried, key=lambda attempt: len(attempt[1].offsets), default=(None, None))
    if line is None or relocation is None or 2 * len(relocation.offsets) < len(line.places):
        names = [f"“{candidate.name or candidate.id:.60}”" for candidate in lines[:_MOST_LISTED]]
        more = f" and {len(lines) - _MOST_LISTED:,} more" if len(lines) > _MOST_LISTED else ""
        raise ChunkscopeError(
            f"{name:.80} has no reference of this document: it is of {', '.join(names)}{more}.",
            "Give the reference of this document, or the document as it was.",
        )
    return MatchedReference(line, relocation, True, (*_line_repairs(line, name), _relocation_note(line, relocation)))


_MOST_LISTED = 5
"""Maximum number of lost positions that are listed one by one."""


def _line_repairs(line: ReferenceLine, name: str) -> tuple[str, ...]:
    return tuple(f"{name:.80}, line {line.line}: {repair}." for repair in line.repaired)


def _relocation_note(line: ReferenceLine, relocation: Relocation) -> str:
    total = len(line.offsets)
    kept_count = sum(offset in relocation.offsets for offset in line.offsets)
    lost = {anchor.offset: why for anchor, why in relocation.lost}
    missing = [
        f"{offset} ({lost.get(offset, 'nothing of the text around it was kept')})"
        for offset in line.offsets
        if offset not in relocation.offsets
    ]
    listing = ", ".join(missing[:_MOST_LISTED]) + (
        f" and {len(missing) - _MOST_LISTED:,} more" if len(missing) > _MOST_LISTED else ""
    )
    since = f"The text has changed since its reference was set: {kept_count:,} of {total:,} boundaries were found again"
    return f"{since}{f'; lost: {listing}' if missing else ''}."
