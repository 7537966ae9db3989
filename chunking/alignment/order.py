"""The choice of a place for each piece: pieces mostly come in the order of the document."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from chunking.alignment.normalized import NormalizedText
from chunking.alignment.pieces import Piece
from chunking.alignment.source_index import Places, SourceIndex

_ROUNDS = 12
"""Limit of the chains; remaining pieces get their first place."""

_MOST_WEIGHT = 100
"""Limit of a piece's weight, its length, in the choice of a chain."""


def hints(index: SourceIndex, pieces: Sequence[Piece], collapsed: Sequence[NormalizedText]) -> dict[int, int]:
    """Return collapsed offsets of correct hints that distinguish pieces of equal text."""
    source = index.collapsed
    hints_by_text: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, (piece, text) in enumerate(zip(pieces, collapsed, strict=True)):
        if piece.start is None or piece.start < 0 or not len(text):
            continue
        end = piece.start + len(piece.text) if piece.end is None else piece.end
        if source.whole[piece.start : max(end, 0)] == piece.text:
            first = int(np.searchsorted(source.offsets, piece.start))
            hints_by_text[text.text].append((at, first))
    distinguishing_hints: dict[int, int] = {}
    for hints in hints_by_text.values():
        starts = [start for _, start in hints]
        # A library that searches from the beginning reports the first place for each repetition.
        if all(left < right for left, right in pairwise(starts)):
            distinguishing_hints.update(hints)
    return distinguishing_hints


@dataclass(frozen=True)
class _Link:
    """A piece at a place, linked to its predecessor in a chain."""

    piece: int
    start: int
    weight: float
    before: _Link | None


class PlaceChooser:
    """The choice of a place for each piece."""

    def __init__(self, index: SourceIndex, pieces: Sequence[NormalizedText], hints: dict[int, int]) -> None:
        self.index = index
        self.pieces = pieces
        self.places_of = {at: piece_places for at, piece in enumerate(pieces) if (piece_places := index.places(piece))}
        for at, start in hints.items():
            self.places_of[at] = Places(len(pieces[at]), np.array([start], dtype=np.int64))
        self.start_of: dict[int, int] = {}

    def starts(self) -> dict[int, int]:
        """Return collapsed offsets by piece, for those with a place."""
        for _ in range(_ROUNDS):
            unplaced_pieces = [at for at in self.places_of if at not in self.start_of]
            if not unplaced_pieces:
                break
            if self.start_of:
                self._avoid_taken(unplaced_pieces)
            self.start_of.update(self._chain(unplaced_pieces))
        for at in self.places_of.keys() - self.start_of.keys():
            self.start_of[at] = self.places_of[at].after(0)
        return dict(sorted(self.start_of.items()))

    def _avoid_taken(self, unplaced_pieces: list[int]) -> None:
        """Restrict remaining pieces to places not taken by a piece of equal text, if there are enough."""
        used_starts: dict[str, set[int]] = defaultdict(set)
        for at, start in self.start_of.items():
            used_starts[self.pieces[at].text].add(start)
        n_unplaced = Counter(self.pieces[at].text for at in unplaced_pieces)
        for at in unplaced_pieces:
            text, listed = self.pieces[at].text, self.places_of[at].listed
            if listed is None or text not in used_starts:
                continue
            free = [start for start in listed.tolist() if start not in used_starts[text]]
            if len(free) >= n_unplaced[text]:
                self.places_of[at] = Places(self.places_of[at].size, np.array(free, dtype=np.int64))

    def _chain(self, unplaced_pieces: list[int]) -> dict[int, int]:
        """Return places of a chain: starts ascend, and of equal starts the longer piece is first."""
        members = self._members(unplaced_pieces)
        latest = self._latest(members)
        chain = self._join(unplaced_pieces, members, latest)
        latest = self._latest(chain)
        starts: dict[int, int] = {}
        before, target, skipped = -1, 0, 0
        cursor = iter(unplaced_pieces)
        for at in chain:
            for other in cursor:
                if other == at:
                    break
                skipped += len(self.pieces[other])
            low = 0 if before < 0 else self._low(before, starts[before], at)
            start = self.places_of[at].nearest(target + skipped, low, latest[at])
            starts[at] = start
            before, target, skipped = at, start + self.places_of[at].size, 0
        return starts

    def _members(self, unplaced_pieces: list[int]) -> list[int]:
        """Return the heaviest subsequence of pieces with few places that can be placed in ascending order."""
        keys: list[tuple[int, int]] = []
        links: list[_Link] = []
        for at in unplaced_pieces:
            piece_places = self.places_of[at]
            if piece_places.few is None:
                continue
            weight = 1.0 + min(piece_places.size, _MOST_WEIGHT)
            fresh: list[_Link] = []
            for start in piece_places.few.tolist():
                rank = bisect_left(keys, (start, -piece_places.size))
                before = links[rank - 1] if rank else None
                fresh.append(_Link(at, start, weight + (before.weight if before else 0.0), before))
            for link in fresh:
                self._keep(keys, links, (link.start, -piece_places.size), link)
        pieces_in_order: list[int] = []
        last = links[-1] if links else None
        while last:
            pieces_in_order.append(last.piece)
            last = last.before
        return pieces_in_order[::-1]

    @staticmethod
    def _keep(keys: list[tuple[int, int]], links: list[_Link], key: tuple[int, int], link: _Link) -> None:
        """Insert a link unless an earlier key has as much weight; drop later ones without more weight."""
        rank = bisect_right(keys, key)
        if rank and links[rank - 1].weight >= link.weight:
            return
        rank = bisect_left(keys, key)
        end = rank
        while end < len(links) and links[end].weight <= link.weight:
            end += 1
        keys[rank:end] = [key]
        links[rank:end] = [link]

    def _low(self, before: int, start: int, at: int) -> int:
        """Return the first start of a piece after one at ``start``."""
        return start if self.places_of[at].size < self.places_of[before].size else start + 1

    def _high(self, at: int, after: int, start: int) -> int:
        """Return the last start of a piece before one at ``start``."""
        return start if self.places_of[after].size < self.places_of[at].size else start - 1

    def _latest(self, chain: list[int]) -> dict[int, int]:
        """Return the last start of each piece that leaves a place for all its successors."""
        latest: dict[int, int] = {}
        after = -1
        for at in reversed(chain):
            high = len(self.index.collapsed) if after < 0 else self._high(at, after, latest[after])
            latest[at] = self.places_of[at].before(high)
            after = at
        return latest

    def _join(self, unplaced_pieces: list[int], members: list[int], latest: dict[int, int]) -> list[int]:
        """Return the members with the pieces of many places that fit between them."""
        chain: list[int] = []
        inside = set(members)
        coming = iter([*members, -1])
        following = next(coming)
        before, start = -1, -1
        for at in unplaced_pieces:
            member = at in inside
            if member:
                following = next(coming)
            elif self.places_of[at].few is not None:
                continue
            low = 0 if before < 0 else self._low(before, start, at)
            first = self.places_of[at].after(low)
            if not member:
                bound = len(self.index.collapsed) if following < 0 else self._high(at, following, latest[following])
                if not low <= first <= bound:
                    continue
            chain.append(at)
            before, start = at, first
        return chain
