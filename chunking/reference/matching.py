"""The gold of a document among the lines of a file: by the hash of its text or, if that was edited, by its context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunking.document import Document
from chunking.errors import ChunkscopeError
from chunking.reference.lines import GoldLine
from chunking.reference.reference import Reference
from chunking.reference.relocation import Relocation, matching_shares, relocate


@dataclass(frozen=True)
class MatchedGold:
    """The gold of a document, matched with its text.

    Attributes:
        line: the line of the file.
        relocation: new offsets of :attr:`GoldLine.places` and of ``line.offsets``: the same ones if the text is the
            same, otherwise those where their context was found.
        changed: whether the text was edited since the gold was set.
        notes: remarks for the user, in sentences.
    """

    line: GoldLine
    relocation: Relocation
    changed: bool
    notes: tuple[str, ...]

    @property
    def reference(self) -> Reference:
        """Return the reference in the current text."""
        line, found = self.line, self.relocation.found
        boundaries, rejected, added = (
            tuple(sorted(found[each] for each in places if each in found))
            for places in (line.offsets, line.rejected, line.added)
        )
        return Reference(boundaries, rejected, added, line.complete, tuple(line.reviews))


def match_document(lines: Sequence[GoldLine], document: Document, name: str) -> MatchedGold:
    """Return the gold of a document: by the hash of its text or, if that was edited, by the context of its positions.

    Args:
        lines: of a file.
        document: whose gold is wanted.
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
    return _changed(lines, document, name)


def _as_it_is(line: GoldLine, document: Document, name: str) -> MatchedGold:
    judged = [each for own in (*line.reviews.values(), line.decisions) for each in own]
    offsets = sorted(
        {
            *line.offsets,
            *line.rejected,
            *(each.offset for each in judged),
            *(each.target for each in judged if each.target is not None),
            *(offset for own in line.notes.values() for offset in own),
        }
    )
    if offsets and offsets[-1] > len(document.text):
        raise ChunkscopeError(
            f"{name:.80}, line {line.line}: offset {offsets[-1]} lies outside the text of "
            f"{len(document.text):,} characters.",
            "Count characters (Unicode code points) of the text, from 0.",
        )
    found = {offset: offset for offset in offsets}
    return MatchedGold(line, Relocation(found, frozenset(), ()), False, _repairs(line, name))


_LIKELY = 3
"""Lines of which all places are looked up."""


def _changed(lines: Sequence[GoldLine], document: Document, name: str) -> MatchedGold:
    likeness = matching_shares([line.places for line in lines], document.text)
    likeliest = sorted(range(len(lines)), key=lambda place: -likeness[place])[:_LIKELY]
    tried = [(lines[place], relocate(lines[place].places, document.text)) for place in likeliest if likeness[place]]
    line, relocation = max(tried, key=lambda each: len(each[1].found), default=(None, None))
    if line is None or relocation is None or 2 * len(relocation.found) < len(line.places):
        names = [f"“{each.name or each.id:.60}”" for each in lines[:_MOST_LISTED]]
        more = f" and {len(lines) - _MOST_LISTED:,} more" if len(lines) > _MOST_LISTED else ""
        raise ChunkscopeError(
            f"{name:.80} has no gold of this document: it is of {', '.join(names)}{more}.",
            "Give the gold of this document, or the document as it was.",
        )
    return MatchedGold(line, relocation, True, (*_repairs(line, name), _relocation_note(line, relocation)))


_MOST_LISTED = 5
"""Maximum number of lost positions that are listed one by one."""


def _repairs(line: GoldLine, name: str) -> tuple[str, ...]:
    return tuple(f"{name:.80}, line {line.line}: {what}." for what in line.repaired)


def _relocation_note(line: GoldLine, relocation: Relocation) -> str:
    wanted = len(line.offsets)
    got = sum(offset in relocation.found for offset in line.offsets)
    lost = {place.offset: why for place, why in relocation.lost}
    missing = [
        f"{each} ({lost.get(each, 'nothing of the text around it was kept')})"
        for each in line.offsets
        if each not in relocation.found
    ]
    shown = ", ".join(missing[:_MOST_LISTED]) + (
        f" and {len(missing) - _MOST_LISTED:,} more" if len(missing) > _MOST_LISTED else ""
    )
    since = f"The text has changed since its gold was set: {got:,} of {wanted:,} boundaries were found again"
    return f"{since}{f'; lost: {shown}' if missing else ''}."
