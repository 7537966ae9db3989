"""Chunks of another program as a segmentation: true spans of the document, and the text it lost or changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunking.alignment.pieces import Piece, Placed
from chunking.chunks import Chunk, Cut, ExternalText, Reason, count_later, first_word
from chunking.document import Span
from chunking.params import Parameters
from chunking.strategies.base import Segmentation
from chunking.workspace import DocumentAnalysis


@dataclass(frozen=True)
class _PlacedText:
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
    aligned_pieces = [
        (piece.text, placement)
        for piece, placement in zip(pieces, workspace.align(pieces), strict=True)
        if placement is not None
    ]
    external_chunks = sorted(
        (_PlacedText(*pair) for pair in aligned_pieces), key=lambda chunk: (chunk.placed.start, -chunk.placed.end)
    )
    reaches = [chunk.placed.start for chunk in external_chunks]
    starts = reaches if nests else _starts(external_chunks)
    parents = _parents(external_chunks) if nests else [None] * len(external_chunks)
    counts = count_later(
        text, workspace.cut_points_only.counter, reaches, starts, [chunk.placed.end for chunk in external_chunks]
    )
    chunks = tuple(
        Chunk(
            index=index,
            start=start,
            end=chunk.placed.end,
            text=text[start : chunk.placed.end],
            counts=counts[index],
            overlap=Span(chunk.placed.start, start) if chunk.placed.start < start else None,
            heading_path=workspace.document.heading_path(first_word(workspace.document, start, chunk.placed.end)),
            cut=Cut(start, reason) if start else None,
            notes=_notes(chunk.placed),
            parent=parent,
            foreign=None if chunk.placed.exact else ExternalText(chunk.text, chunk.placed.missing, chunk.placed.added),
        )
        for index, (chunk, start, parent) in enumerate(zip(external_chunks, starts, parents, strict=True))
    )
    unplaced = _unplaced_texts(pieces, [text for text, _ in aligned_pieces])
    return Segmentation(workspace.document, name, params, chunks, unplaced=unplaced)


def _unplaced_texts(pieces: Sequence[Piece], placed_texts: list[str]) -> tuple[str, ...]:
    """Return the texts that were not found, without blank ones."""
    remaining_texts, missing = iter(placed_texts), []
    following = next(remaining_texts, None)
    for piece in pieces:
        if following is not None and piece.text == following:
            following = next(remaining_texts, None)
        elif piece.text.strip():
            missing.append(piece.text)
    return tuple(missing)


def _starts(external_chunks: Sequence[_PlacedText]) -> list[int]:
    """Return the starts of consecutive chunks; the text that a chunk repeats from before it is its overlap."""
    starts, reached = [], 0
    for chunk in external_chunks:
        overlaps = chunk.placed.start < reached < chunk.placed.end
        starts.append(reached if overlaps else chunk.placed.start)
        reached = max(reached, chunk.placed.end)
    return starts


def _parents(external_chunks: Sequence[_PlacedText]) -> list[int | None]:
    """Return the index of the smallest chunk that contains each chunk."""
    parents = list[int | None]()
    enclosing: list[int] = []
    for index, chunk in enumerate(external_chunks):
        while enclosing and external_chunks[enclosing[-1]].placed.end < chunk.placed.end:
            enclosing.pop()
        parents.append(enclosing[-1] if enclosing else None)
        enclosing.append(index)
    return parents


def _notes(placement: Placed) -> tuple[str, ...]:
    missing, added = sum(end - start for start, end in placement.missing), sum(map(len, placement.added))
    notes = []
    if missing:
        notes.append(f"{missing:,} {'character' if missing == 1 else 'characters'} of the source left out")
    if added:
        notes.append(f"{added:,} {'character' if added == 1 else 'characters'} added")
    if not placement.exact and not notes:
        notes.append("white space changed")
    return tuple(notes)
