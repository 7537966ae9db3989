"""Chunks of another program as a segmentation: true spans of the document, and the text it lost or changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chunking.alignment.pieces import Piece, Placed
from chunking.chunks import Chunk, Cut, Foreign, Reason
from chunking.params import Parameters
from chunking.strategies.base import Segmentation
from chunking.workspace import Workspace


@dataclass(frozen=True)
class _Found:
    """A chunk that was found in the document: its text as given, and its place."""

    text: str
    placed: Placed


def segment(
    workspace: Workspace,
    name: str,
    params: Parameters,
    pieces: Sequence[Piece],
    *,
    reason: Reason,
    nests: bool = False,
    detail: str = "",
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
        detail: of every cut.
    """
    from chunking.alignment.align import align  # imported only when there are chunks to align

    text = workspace.document.text
    found = [
        (piece.text, placed) for piece, placed in zip(pieces, align(text, pieces), strict=True) if placed is not None
    ]
    held = sorted((_Found(*each) for each in found), key=lambda each: (each.placed.start, -each.placed.end))
    chunks = _nested(workspace, held) if nests else _in_a_row(workspace, held)
    opened = [
        replace(chunk, cut=Cut(chunk.start, reason, detail=detail) if chunk.start else None, index=index)
        for index, chunk in enumerate(chunks)
    ]
    unplaced = _unplaced(pieces, [text for text, _ in found])
    return Segmentation(workspace.document, name, params, tuple(opened), unplaced=unplaced)


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


def _in_a_row(workspace: Workspace, held: Sequence[_Found]) -> list[Chunk]:
    """Return consecutive chunks; the text that a chunk repeats from before it is its overlap."""
    starts, reached = [], 0
    for each in held:
        overlaps = each.placed.start < reached < each.placed.end
        starts.append(reached if overlaps else each.placed.start)
        reached = max(reached, each.placed.end)
    chunks = _chunks(workspace, held, starts)
    reaches, ends = ([getattr(each.placed, name) for each in held] for name in ("start", "end"))
    counts = workspace.bare_grid.counts
    given = zip(chunks, reaches, counts(reaches, starts), counts(reaches, ends), strict=True)
    return [
        chunk.with_overlap(reach, repeated, indexed) if reach < chunk.start else chunk
        for chunk, reach, repeated, indexed in given
    ]


def _nested(workspace: Workspace, held: Sequence[_Found]) -> list[Chunk]:
    """Return the chunks, each with the smallest chunk that contains it as its parent."""
    chunks = _chunks(workspace, held, [each.placed.start for each in held])
    open_: list[int] = []
    for place, chunk in enumerate(chunks):
        while open_ and chunks[open_[-1]].end < chunk.end:
            open_.pop()
        if open_:
            chunks[place] = replace(chunk, parent=open_[-1])
        open_.append(place)
    return chunks


def _chunks(workspace: Workspace, held: Sequence[_Found], starts: Sequence[int]) -> list[Chunk]:
    document = workspace.document
    counts = workspace.bare_grid.counts(starts, [each.placed.end for each in held])
    return [
        Chunk(
            index=index,
            start=start,
            end=each.placed.end,
            text=document.text[start : each.placed.end],
            tokens=tokens,
            overlap=None,
            overlap_tokens=0,
            indexed_tokens=tokens,
            heading_path=document.heading_path(start),
            cut=None,
            notes=_notes(each.placed),
            foreign=None if each.placed.exact else Foreign(each.text, each.placed.missing, each.placed.added),
        )
        for index, (each, start, tokens) in enumerate(zip(held, starts, counts, strict=True))
    ]


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
