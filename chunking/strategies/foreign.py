"""Chunks of another program as a segmentation: true spans of the document, and the text it lost or changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunking.alignment.pieces import Piece, Placed
from chunking.chunks import Chunk, Cut, ExternalText, Reason, count_later
from chunking.document import Span
from chunking.params import Parameters
from chunking.strategies.base import Segmentation
from chunking.workspace import DocumentAnalysis


@dataclass(frozen=True)
class _Found:
    """A chunk that was found in the document: its text as given, and its place."""

    text: str
    placed: Placed


def segment(
    workspace: DocumentAnalysis,
    name: str,
    params: Parameters,
    pieces: Sequence[Piece],
    *,
    reason: Reason,
    nests: bool = False,
) -> Segmentation:
    """Align another program's chunks with the document.

    Where a chunk begins inside the previous one, the repeated part is its overlap. A chunk that lies wholly inside
    others is a part of the smallest that holds it where the program nests chunks, else a repeat.

    Args:
        workspace: the document.
        name, params: of the strategy that made them.
        pieces: the chunks, in the program's order.
        reason: of every cut.
        nests: whether chunks may be parts of others by design.
    """
    text = workspace.document.text
    found = [
        (piece.text, placed)
        for piece, placed in zip(pieces, workspace.align(pieces), strict=True)
        if placed is not None
    ]
    held = sorted((_Found(*each) for each in found), key=lambda each: (each.placed.start, -each.placed.end))
    reaches = [each.placed.start for each in held]
    starts = reaches if nests else _starts(held)
    parents = _parents(held) if nests else [None] * len(held)
    counts = count_later(text, workspace.cut_points_only.counter, reaches, starts, [each.placed.end for each in held])
    chunks = tuple(
        Chunk(
            index=index,
            start=start,
            end=each.placed.end,
            text=text[start : each.placed.end],
            counts=counts[index],
            overlap=Span(each.placed.start, start) if each.placed.start < start else None,
            heading_path=workspace.document.heading_path(start),
            cut=Cut(start, reason) if start else None,
            notes=_notes(each.placed),
            parent=parent,
            foreign=None if each.placed.exact else ExternalText(each.text, each.placed.missing, each.placed.added),
        )
        for index, (each, start, parent) in enumerate(zip(held, starts, parents, strict=True))
    )
    unplaced = _unplaced(pieces, [text for text, _ in found])
    return Segmentation(workspace.document, name, params, chunks, unplaced=unplaced)


def _unplaced(pieces: Sequence[Piece], placed: list[str]) -> tuple[str, ...]:
    """Return the texts that were not found, without blank ones."""
    rest, missing = iter(placed), []
    following = next(rest, None)
    for piece in pieces:
        if following is not None and piece.text == following:
            following = next(rest, None)
        elif piece.text.strip():
            missing.append(piece.text)
    return tuple(missing)


def _starts(held: Sequence[_Found]) -> list[int]:
    """Return the starts of consecutive chunks; the text that a chunk repeats from before it is its overlap."""
    starts, reached = [], 0
    for each in held:
        overlaps = each.placed.start < reached < each.placed.end
        starts.append(reached if overlaps else each.placed.start)
        reached = max(reached, each.placed.end)
    return starts


def _parents(held: Sequence[_Found]) -> list[int | None]:
    """Return the index of the smallest chunk that contains each chunk."""
    parents = list[int | None]()
    open_: list[int] = []
    for place, each in enumerate(held):
        while open_ and held[open_[-1]].placed.end < each.placed.end:
            open_.pop()
        parents.append(open_[-1] if open_ else None)
        open_.append(place)
    return parents


def _notes(placed: Placed) -> tuple[str, ...]:
    missing, added = sum(end - start for start, end in placed.missing), sum(map(len, placed.added))
    notes = []
    if missing:
        notes.append(f"{missing:,} {'character' if missing == 1 else 'characters'} of the source left out")
    if added:
        notes.append(f"{added:,} {'character' if added == 1 else 'characters'} added")
    if not placed.exact and not notes:
        notes.append("white space changed")
    return tuple(notes)
