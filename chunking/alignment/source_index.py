"""The source of pieces, ready to be searched: where a piece could stand, and how it differs from what stands there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chunking.alignment.normalized import GRAM, NormalizedText
from chunking.alignment.pieces import Placed
from chunking.alignment.runs import Comparison, Run, heaviest
from chunking.document import Span
from chunking.runtime.arrays import Float64, Int64, UInt64

_MAX_COMPETING = 16
"""Limit of the places of a piece that all compete in the choice of a chain."""

REACH = 8
"""Factor by which markup may lengthen a piece in the source."""

CERTAIN_RUN = 24
"""Length of a run that places a piece even if most of the piece was added."""

MIN_SHARE_FOUND = 0.6
"""Share of all characters that must be found for any piece to count, if no piece is certain."""

_MIN_RUN = 4
"""Length below which a run may match by chance."""

_MAX_LISTED = 64
"""Number of places above which they are searched on demand instead of listed."""


@dataclass(frozen=True)
class Places:
    """The candidate places of a text, in collapsed offsets of the source.

    Attributes:
        size: length of the text, collapsed.
        listed: ``(n,)`` int64, ascending; ``None`` if there are many, which are searched on demand.
        forward, backward: the source and the reversed source, for searching.
        needle: text to search: the whole text or a part of it.
        shift: start of that part in the text.
    """

    size: int
    listed: Int64 | None
    forward: str = ""
    backward: str = ""
    needle: str = ""
    shift: int = 0

    @property
    def few(self) -> Int64 | None:
        """The places if they are few, else ``None``."""
        return self.listed if self.listed is not None and len(self.listed) <= _MAX_COMPETING else None

    def after(self, low: int) -> int:
        """Return the first place from ``low`` on, or -1."""
        if self.listed is None:
            position = self.forward.find(self.needle, max(low + self.shift, 0))
            return max(position - self.shift, low) if position >= 0 else -1
        at = int(np.searchsorted(self.listed, low))
        return int(self.listed[at]) if at < len(self.listed) else -1

    def before(self, high: int) -> int:
        """Return the last place up to ``high``, or -1."""
        if self.listed is None:
            # Only forward search has a linear worst case, so the reversed text is searched.
            last = len(self.forward) - len(self.needle)
            begin = max(last - high - self.shift, 0)
            position = self.backward.find(self.needle[::-1], begin) if high >= 0 else -1
            return max(last - position - self.shift, 0) if position >= 0 else -1
        at = int(np.searchsorted(self.listed, high, side="right"))
        return int(self.listed[at - 1]) if at else -1

    def nearest(self, target: int, low: int, high: int) -> int:
        """Return the place in ``low`` to ``high`` nearest to ``target``; a gap counts twice as much as an overlap."""
        later, earlier = self.after(max(low, target)), self.before(min(high, target))
        if not low <= later <= high:
            return earlier if earlier >= low else -1
        if not low <= earlier <= high:
            return later
        return later if 2 * (later - target) <= target - earlier else earlier


class SourceIndex:
    """The source with its index of six-character runs."""

    def __init__(self, collapsed: NormalizedText) -> None:
        self.collapsed = collapsed
        self._cache: dict[str, Places | None] = {}

    @cached_property
    def _order(self) -> Int64:
        return np.argsort(self.collapsed.grams, kind="stable").astype(np.int64)

    @cached_property
    def _keys(self) -> UInt64:
        return self.collapsed.grams[self._order]

    @cached_property
    def _reversed_text(self) -> tuple[str, str]:
        return self.collapsed.text[::-1], self.collapsed.folded[::-1]

    def places(self, piece: NormalizedText) -> Places | None:
        """Return the candidate places of a piece; ``None`` if there is no evidence."""
        if piece.text not in self._cache:
            self._cache[piece.text] = self._find_places(piece) if len(piece) else None
        return self._cache[piece.text]

    def _find_places(self, piece: NormalizedText) -> Places | None:
        anchors = self._anchors(piece)
        for folded in (False, True):
            text, needle = (self.collapsed.folded, piece.folded) if folded else (self.collapsed.text, piece.text)
            offsets = self._occurrences(text, needle, anchors)
            if len(offsets) > _MAX_LISTED:
                return Places(len(piece), None, text, self._reversed_text[folded], needle)
            if offsets:
                return Places(len(piece), np.array(offsets, dtype=np.int64))
        likely = self._likely(piece)
        if likely is None:
            return self._places_of_part(piece)
        return Places(len(piece), likely) if len(likely) else None

    def _places_of_part(self, piece: NormalizedText) -> Places | None:
        """Return places of a half of the piece, or a quarter, and so on, for a text of endless repetition."""
        size = len(piece)
        while size >= 2 * GRAM:
            size //= 2
            for shift in range(0, len(piece) - size + 1, size):
                needle = piece.folded[shift : shift + size]
                if needle in self.collapsed.folded:
                    return Places(len(piece), None, self.collapsed.folded, self._reversed_text[True], needle, shift)
        return None

    def _anchors(self, piece: NormalizedText) -> Int64 | None:
        """Return the only possible starts of the piece, by its rarest gram; ``None`` if that is too common."""
        if not len(piece.grams):
            return None
        sample = np.arange(0, len(piece.grams), max(1, len(piece.grams) // 96))
        hashes = piece.grams[sample]
        left, right = np.searchsorted(self._keys, hashes), np.searchsorted(self._keys, hashes, side="right")
        rarest = int(np.argmin(right - left))
        if right[rarest] - left[rarest] > 4 * _MAX_LISTED:
            return None
        anchors: Int64 = np.sort(self._order[left[rarest] : right[rarest]]) - sample[rarest]
        return anchors

    @staticmethod
    def _occurrences(text: str, needle: str, anchors: Int64 | None) -> list[int]:
        """Return up to ``_MAX_LISTED + 1`` offsets of the needle, ascending."""
        if anchors is not None:
            starts = [start for start in anchors.tolist() if start >= 0 and text.startswith(needle, start)]
            return starts[: _MAX_LISTED + 1]
        offsets: list[int] = []
        start = text.find(needle)
        while start >= 0 and len(offsets) <= _MAX_LISTED:
            offsets.append(start)
            start = text.find(needle, start + 1)
        return offsets

    def _likely(self, piece: NormalizedText) -> Int64 | None:
        """Return places where most of the piece's grams occur at similar distances: ascending offsets.

        ``None`` if all of them are too common to be evidence.
        """
        hits = self._hits(piece)
        if hits is None or not len(hits[0]):
            return None if hits is None else hits[0]
        inside, where, weight = hits
        shift = where - inside
        order = np.argsort(shift, kind="stable")
        shift, where, weight = shift[order], where[order], weight[order]
        width = len(piece) // 2 + 20
        ends = np.searchsorted(shift, shift + width, side="right")
        total = np.concatenate(([0.0], np.cumsum(weight)))
        score = total[ends] - total[:-1]
        likely_starts: list[int] = []
        best = float(score.max())
        while len(likely_starts) <= 4 * _MAX_LISTED:
            at = int(np.argmax(score))
            if score[at] < 0.6 * best:
                break
            likely_starts.append(int(where[at : ends[at]].min()))
            score[np.searchsorted(shift, shift[at] - width) : ends[at]] = 0.0
        return np.unique(np.array(likely_starts, dtype=np.int64))

    def _hits(self, piece: NormalizedText) -> tuple[Int64, Int64, Float64] | None:
        """Return the piece's grams in the source: offsets in both and weight; None if all are common."""
        inside = np.arange(0, len(piece.grams), max(1, len(piece.grams) // 2000))
        first_matches = np.searchsorted(self._keys, piece.grams[inside])
        count = np.searchsorted(self._keys, piece.grams[inside], side="right") - first_matches
        occurs = count > 0
        rare = occurs & (count <= _MAX_LISTED)
        if not rare.any() and occurs.any():
            return None
        inside, first_matches, count = inside[rare], first_matches[rare], count[rare]
        first = np.cumsum(count) - count
        flat = np.arange(int(count.sum())) - np.repeat(first, count) + np.repeat(first_matches, count)
        return np.repeat(inside, count), self._order[flat], np.repeat(1.0 / count, count)

    # Comparison ----------------------------------------------------------------------------------------------------

    def placed(self, piece: NormalizedText, start: int) -> Placed | None:
        """Return the placement at ``start``, or if it fails at the nearest other place where it succeeds."""
        runs = self.unchanged(piece, start)
        if runs:
            return self.place(piece, runs)
        piece_places = self.places(piece)
        other_starts = piece_places.few.tolist() if piece_places and piece_places.few is not None else []
        for other in sorted({start, *other_starts}, key=lambda other: abs(other - start)):
            placement = self.place(piece, self.compare(piece, other))
            if placement:
                return placement
        return None

    def unchanged(self, piece: NormalizedText, start: int) -> list[Run]:
        """Return one run if the piece is at ``start``, apart from quotes, dashes and case; else none."""
        folded = self.collapsed.folded
        return [Run(0, start, len(piece))] if folded.startswith(piece.folded, start) else []

    def compare(self, piece: NormalizedText, start: int) -> list[Run]:
        """Return the runs that an altered piece shares with the source around ``start``."""
        return self.runs(piece, 0, start, self.collapsed.past_tags(start, REACH * len(piece) + 400))

    def runs(self, piece: NormalizedText, low: int, start: int, high: int) -> list[Run]:
        """Return the runs that a piece shares with the source, ascending on both sides.

        The search covers ``start`` to ``high``, then, for the rest at the beginning of the piece, back to ``low``.
        """
        pair = Comparison(piece, self.collapsed)
        runs = heaviest(pair.between(0, len(piece), start, high), self.collapsed)
        if runs:
            first, last = runs[0], runs[-1]
            reach = max(low, self.collapsed.past_tags(first.source, -REACH * first.piece - 60))
            before = pair.between(0, first.piece, reach, first.source)
            end, stop = last.piece + last.size, last.source + last.size
            near = self.collapsed.past_tags(stop, 3 * (len(piece) - end) + 60)
            after = pair.by_words(end, len(piece), stop, min(high, near))
            runs = heaviest([*before, *runs, *after], self.collapsed)
        return pair.grown(runs, low, high)

    def place(self, piece: NormalizedText, runs: list[Run]) -> Placed | None:
        """Return the placement of some runs; ``None`` if they cover too little of the piece."""
        # Single letters of any two texts match somewhere: only longer runs are evidence for a place.
        matched = sum(run.size for run in runs)
        if matched < len(piece):
            matched = sum(run.size for run in runs if run.size >= _MIN_RUN)
        if not runs or (2 * matched < len(piece) and max(run.size for run in runs) < CERTAIN_RUN):
            return None
        missing_spans: list[Span] = []
        added: list[str] = []
        piece_end, source_end = 0, runs[0].source
        literal = _move_holes(_exact_parts(runs, piece, self.collapsed), piece, self.collapsed)
        for run in [*literal, Run(len(piece), runs[-1].source + runs[-1].size, 0)]:
            if run.piece > piece_end:
                start, end = piece.span(piece_end, run.piece)
                added.append(piece.whole[start:end])
            if run.source > source_end:
                missing_spans.append(self.collapsed.span(source_end, run.source))
            piece_end, source_end = run.piece + run.size, run.source + run.size
        start, end = self.collapsed.span(runs[0].source, runs[-1].source + runs[-1].size)
        source_text, text = self.collapsed.whole, piece.whole
        if runs[0].piece == 0:
            lead = text[: int(piece.offsets[0])]
            start -= len(lead) if source_text[max(start - len(lead), 0) : start] == lead else 0
        if runs[-1].piece + runs[-1].size == len(piece):
            trail = text[int(piece.offsets[-1]) + 1 :]
            end += len(trail) if source_text.startswith(trail, end) else 0
        return Placed(start, end, tuple(missing_spans), tuple(added), source_text[start:end] == text)


def _exact_parts(runs: list[Run], piece: NormalizedText, source: NormalizedText) -> list[Run]:
    """Return the parts of runs whose characters are equal without folding."""
    exact_runs: list[Run] = []
    for inside, where, size in runs:
        if piece.text[inside : inside + size] == source.text[where : where + size]:
            exact_runs.append(Run(inside, where, size))
            continue
        same = piece.codes[inside : inside + size] == source.codes[where : where + size]
        edges = np.flatnonzero(np.diff(np.concatenate(([False], same, [False])).astype(np.int8))).reshape(-1, 2)
        exact_runs += [Run(inside + first, where + first, last - first) for first, last in edges.tolist()]
    return exact_runs


_MAX_HOLE_SHIFT = 120
"""Limit of the characters by which a hole is moved to the ends of words."""


def _move_holes(runs: list[Run], piece: NormalizedText, source: NormalizedText) -> list[Run]:
    """Return the runs with the holes between them moved to the ends of words where several positions are possible.

    Between ``Gamma three. Delta four.`` and ``Gamma four.`` the hole may be ``a three. Delt`` as well as
    ``three. Delta``: the text before a hole equals its end, or the text after it its beginning. Only holes on one side
    can be moved.
    """
    moved_runs = runs[:1]
    for after in runs[1:]:
        before = moved_runs[-1]
        ours, theirs = after.piece - before.piece - before.size, after.source - before.source - before.size
        step = 0
        if theirs and not ours:
            step = _hole_shift(source, before.source + before.size, theirs, before.size, after.size)
        elif ours and not theirs:
            step = _hole_shift(piece, before.piece + before.size, ours, before.size, after.size)
        moved_runs[-1] = before._replace(size=before.size + step)
        moved_runs.append(Run(after.piece + step, after.source + step, after.size - step))
    return moved_runs


def _hole_shift(text: NormalizedText, first: int, size: int, back: int, ahead: int) -> int:
    """Return how far to move a hole of ``size`` characters at ``first``: to the best position, of equals the nearest.

    Args:
        text: the side with the characters of the hole.
        first, size: the hole.
        back, ahead: characters of the runs around it, of which at least one must remain.
    """
    last, word = first + size, text.text
    low, high = 0, 0
    while low > -min(back - 1, _MAX_HOLE_SHIFT) and word[first + low - 1] == word[last + low - 1]:
        low -= 1
    while high < min(ahead - 1, _MAX_HOLE_SHIFT) and word[first + high] == word[last + high]:
        high += 1
    if low == high:
        return 0
    return max(
        range(low, high + 1),
        key=lambda step: (_edge(text, first + step) + _edge(text, last + step), -abs(step), -step),
    )


def _edge(text: NormalizedText, position: int) -> int:
    """Return how suitable a division before a character is: a line end, white space, a symbol, or none of these."""
    start, end = int(text.offsets[position - 1]) + 1, int(text.offsets[position])
    if start < end:
        return 3 if "\n" in text.whole[start:end] else 2
    return int(not (text.whole[start - 1].isalnum() and text.whole[start].isalnum()))
