"""Alignment: the true spans of chunks that are known only as texts.

Another library, or a user's own pipeline, returns texts: often with changed white space, sometimes with lost or added
words, and with offsets that may be wrong. :func:`align` finds the span of each in the source, and reports the
differences. No hint is trusted: every span is compared with the source, character by character.

White space is ignored: both sides are reduced to their other characters. The search has three steps:

1. *Places.* Unchanged occurrences of a piece are looked up by its rarest run of six characters. If there is none, the
   places that share most of its runs of six characters (weighted by their rarity) are candidates.
2. *Order.* Pieces mostly come in the order of the document. The heaviest subsequence with increasing places is one
   chain, so a piece out of order does not affect its neighbours; the rest forms further chains, like the levels of a
   hierarchy. In a chain, a repeated text is placed at the end of its predecessor or nearest to it, but never so far
   that its successors have no place.
3. *Comparison.* An altered piece is matched by runs of characters that are unique on both sides, then by words
   (:mod:`difflib`) between those, then by single characters at the edges. A run far from the others counts only if it
   is long in relation to the distance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking.alignment.normalized import NormalizedText
from chunking.alignment.order import PlaceChooser, hints
from chunking.alignment.pieces import Piece, Placed
from chunking.alignment.source_index import CERTAIN_RUN, MIN_SHARE_FOUND, REACH, SourceIndex


def align(source: str, pieces: Sequence[Piece]) -> tuple[Placed | None, ...]:
    """Return the span of each piece in the source.

    Args:
        source: the text from which the pieces were made.
        pieces: the pieces in their original order, which decides between equally good places.

    Returns:
        One entry per piece; ``None`` if it cannot be found: it is empty, or less than half of its characters (without
        white space) match in runs of at least four, and none in a run of 24. All are ``None`` if none is certain and
        less than :data:`MIN_SHARE_FOUND` of their characters are found: single words of any text occur somewhere.
    """
    index = SourceIndex(NormalizedText(source))
    collapsed = [NormalizedText(piece.text) for piece in pieces]
    starts = PlaceChooser(index, collapsed, hints(index, pieces, collapsed)).starts()
    placements: list[Placed | None] = [None] * len(pieces)
    for piece_index, start in starts.items():
        placements[piece_index] = index.placed(collapsed[piece_index], start)
    _fill(index, collapsed, placements)
    return tuple(placements) if _is_plausible(collapsed, placements) else (None,) * len(placements)


def _is_plausible(pieces: Sequence[NormalizedText], placements: Sequence[Placed | None]) -> bool:
    """Return whether the pieces come from the source at all: one is certain, or most characters are found."""
    matched = 0
    for piece, placement in zip(pieces, placements, strict=True):
        if placement:
            matched_length = len(piece) - sum(len("".join(text.split())) for text in placement.added)
            if matched_length >= CERTAIN_RUN:
                return True
            matched += matched_length
    return matched >= MIN_SHARE_FOUND * sum(map(len, pieces))


def _fill(index: SourceIndex, pieces: Sequence[NormalizedText], placements: list[Placed | None]) -> None:
    """Search pieces without a place between their neighbours."""
    source = index.collapsed
    following: list[int] = [len(source.whole)] * (len(placements) + 1)
    for at in range(len(placements) - 1, -1, -1):
        placement = placements[at]
        following[at] = placement.start if placement else following[at + 1]
    previous = 0
    for at, piece in enumerate(pieces):
        if not placements[at]:
            end = following[at] if following[at] >= previous else len(source.whole)
            placements[at] = _place_between(index, piece, previous, end)
        placement = placements[at]
        previous = placement.end if placement else previous


def _place_between(index: SourceIndex, piece: NormalizedText, start: int, end: int) -> Placed | None:
    source = index.collapsed
    if not len(piece):
        blank = piece.whole
        fits = blank and source.whole.startswith(blank, start)
        return Placed(start, start + len(blank), (), (), True) if fits else None
    low, high = np.searchsorted(source.offsets, [start, end]).tolist()
    return index.place(piece, index.runs(piece, low, low, min(high, source.past_tags(low, REACH * len(piece) + 400))))
