"""Relocation of positions in a text that has been edited, by the text around them.

1. *Same context, once.* The context of a position is looked up in the new text. If it occurs there once, that is the
   new position, unless it breaks the order of all others and a similar context occurs where they lead.
2. *Same context, several times.* The positions found so far show how far the text has shifted between them. Of the
   copies that keep the order, the one nearest to the shifted position is taken if every other copy is at least twice as
   far from it; otherwise the position is ambiguous. Without any known shift, only a copy at the old position counts.
3. *Edited context.* The best candidate stretch, found by short runs of characters, is aligned with the context
   (rapidfuzz, partial alignment). It counts from :data:`SCORE` on, if half of either side is preserved and no more than
   a few characters were inserted at the position itself: a longer insertion may belong to either side.

A position that is not found is lost, with the reason. Two positions never become one.

The new text is scanned once for all positions, so time grows with its length plus the number of positions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

CONTEXT = 80
"""Characters of text kept on either side of a position, so that it can be found in an edited text."""

SCORE = 75.0
"""Minimum similarity of the old and the new context, in percent: twice the characters they share, in order, ÷ the
characters of both (rapidfuzz's ``ratio`` of the best-fitting stretch).
"""

SIDE = 0.5
"""Minimum share of the characters of either side that must be preserved."""

PUT_IN = 24
"""Maximum number of characters inserted at the position itself."""

GONE = "the text around it is gone"
AMBIGUOUS = "the text around it is there several times"
SPLIT = "text was put in at this very place"
TAKEN = "another place was found there"
BARE = "nothing of the text around it was kept"

_RUN = 12
"""Characters of a run that is looked up."""

_STEP = 4
"""Characters from one run to the next; at most a run, so that every stretch of ``_RUN + _STEP`` characters holds one.
"""

_NEAR = 64
"""Copies on either side of the expected position that are examined, if there are many."""

_COMMON = 32
"""A run that occurs more often is ignored."""

_STRETCHES = 3
"""Stretches that are aligned for each position."""

_FAR = 4000
"""Characters within which both sides of a position are searched, to say why it was lost."""

_MARGIN = 5.0
"""If two stretches differ by less in similarity, the one nearer to the shifted position is taken."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A position in the old text, with its context.

    Attributes:
        offset: character offset in the old text.
        before, after: the old text on either side of it.
    """

    offset: int
    before: str
    after: str


@dataclass(frozen=True)
class Relocation:
    """New positions for old ones.

    Attributes:
        offsets: new offset by old offset, in the order of the old.
        edited: the old offsets among them whose context was edited.
        lost: anchors that were not found, and why, in the order of the old.
    """

    offsets: dict[int, int]
    edited: frozenset[int]
    lost: tuple[tuple[Anchor, str], ...]


def relocate(anchors: Sequence[Anchor], text: str) -> Relocation:
    """Find positions of an old text in a new one.

    Args:
        anchors: in any order; of two with the same offset, the first counts.
        text: the new text.
    """
    by_offset = {anchor.offset: anchor for anchor in reversed(anchors)}
    ordered = sorted(by_offset.values(), key=lambda anchor: anchor.offset)
    search = _Search(ordered, text)
    search.same_words()
    search.copies()
    search.edited_words()
    positions = {
        anchor.offset: search.positions[anchor.offset] for anchor in ordered if anchor.offset in search.positions
    }
    lost = tuple((anchor, search.lost[anchor.offset]) for anchor in ordered if anchor.offset not in positions)
    return Relocation(positions, frozenset(search.edited), lost)


def anchor(text: str, offset: int) -> Anchor:
    """Return a position of a text with its context."""
    return Anchor(offset, text[max(offset - CONTEXT, 0) : offset], text[offset : offset + CONTEXT])


def matching_shares(groups: Sequence[Sequence[Anchor]], text: str) -> list[float]:
    """Return how much of the context of anchors occurs in a text, for several groups of anchors at once.

    Returns:
        A share from 0 to 1 for each group: of short runs of the context of its anchors (a sample, if there are many)
        that occur in the text; 0 if it has none.
    """
    contexts = [[anchor.before + anchor.after for anchor in group[:: len(group) // _SAMPLE + 1]] for group in groups]
    positions = _Runs([context for group in contexts for context in group], text).positions
    runs = [[run for context in group for _, run in _runs(context)] for group in contexts]
    return [sum(run in positions for run in group) / max(len(group), 1) for group in runs]


_SAMPLE = 4
"""Maximum number of anchors of a group that :func:`matching_shares` looks up."""


class _Runs:
    """Index of the positions of runs in a text."""

    def __init__(self, words: Iterable[str], text: str) -> None:
        self.text = text
        runs = {run for context in words for _, run in _runs(context)}
        self.positions: dict[str, list[int]] = defaultdict(list)
        if runs:
            for at in range(len(text) - _RUN + 1):
                run = text[at : at + _RUN]
                if run in runs:
                    self.positions[run].append(at)

    def copies(self, words: str, near_offset: int) -> list[int]:
        """Return the positions of the words, ascending; only those around ``near_offset`` if there may be very many."""
        if len(words) < _RUN:
            shift, at = 0, self.positions[words] if words in self.positions else self._list_positions(words)
        else:
            shift, rarest = min(_runs(words), key=lambda run: len(self.positions.get(run[1], ())))
            at = self.positions.get(rarest, [])
        if len(at) > 2 * _NEAR:
            middle = bisect_left(at, near_offset + shift)
            at = at[max(middle - _NEAR, 0) : middle + _NEAR]
        return [start - shift for start in at if start >= shift and self.text.startswith(words, start - shift)]

    def _list_positions(self, words: str) -> list[int]:
        at = self.positions[words]
        start = self.text.find(words)
        while start >= 0:
            at.append(start)
            start = self.text.find(words, start + 1)
        return at

    def stretches(self, words: str, near_offset: int) -> list[int]:
        """Return the starts of the stretches that share most runs with the words, best first, then nearest first."""
        votes: Counter[int] = Counter()
        for shift, run in _runs(words):
            at = self.positions.get(run, ())
            if len(at) <= _COMMON:
                # Each start is in two neighbouring buckets, so that no edge parts what belongs together.
                votes.update(bucket for start in at for half in (0, 1) if (bucket := (start - shift) // _BUCKET + half))
        best = sorted(votes, key=lambda bucket: (-votes[bucket], abs(bucket * _BUCKET - near_offset)))
        return [bucket * _BUCKET for bucket in best[:_STRETCHES]]


_BUCKET = 64
"""Starts that lie closer together may belong to one stretch."""


def _runs(words: str) -> list[tuple[int, str]]:
    """Return the runs of a text that are looked up, each with its start; the last one ends where the text ends."""
    last = len(words) - _RUN
    starts = [*range(0, last, _STEP), last] if last >= 0 else []
    return [(start, words[start : start + _RUN]) for start in starts]


class _Alignment(NamedTuple):
    """A stretch of the new text aligned with the context of an anchor.

    Attributes:
        start: where it starts.
        position: the new one; ``None`` if text was inserted there.
        score: similarity in percent.
    """

    start: int
    position: int | None
    score: float


class _Search:
    """State of a search.

    Attributes:
        positions: new offset by old offset.
        lost: reason by old offset, of those not found so far.
        edited: old offsets whose context was edited.
    """

    def __init__(self, anchors: Sequence[Anchor], text: str) -> None:
        self.anchors = anchors
        self.text = text
        self.words = {anchor.offset: anchor.before + anchor.after for anchor in anchors}
        self.runs = _Runs(self.words.values(), text)
        self.positions: dict[int, int] = {}
        self.lost: dict[int, str] = {}
        self.edited: set[int] = set()
        self.occupied: set[int] = set()
        self._several: list[Anchor] = []
        self._edited: list[Anchor] = []
        self._strays: list[tuple[Anchor, int]] = []

    def _take(self, anchor: Anchor, new: int) -> None:
        self.positions[anchor.offset] = new
        self.occupied.add(new)
        self.lost.pop(anchor.offset, None)

    def same_words(self) -> None:
        """Find contexts that occur once in the new text."""
        owners = Counter((anchor.before, anchor.after) for anchor in self.anchors)
        once: list[tuple[Anchor, int]] = []
        for anchor in self.anchors:
            words = self.words[anchor.offset]
            if not words:
                self.lost[anchor.offset] = BARE
                continue
            copies = self.runs.copies(words, anchor.offset - len(anchor.before))
            if len(copies) == 1 and owners[anchor.before, anchor.after] == 1:
                once.append((anchor, copies[0] + len(anchor.before)))
            else:
                self.lost[anchor.offset] = AMBIGUOUS if copies else GONE
                (self._several if copies else self._edited).append(anchor)
        strays = _strays([(anchor.offset, new) for anchor, new in once])
        for anchor, new in once:
            if anchor.offset in strays or new in self.occupied:
                self._strays.append((anchor, new))
            else:
                self._take(anchor, new)

    def copies(self) -> None:
        """Find contexts that occur several times, from left to right."""
        following = self._following()
        left: tuple[int, int] | None = None
        several = {anchor.offset for anchor in self._several}
        for number, anchor in enumerate(self.anchors):
            if anchor.offset in several:
                self._nearest(anchor, left, following[number])
            if anchor.offset in self.positions:
                left = (anchor.offset, self.positions[anchor.offset])

    def _following(self) -> list[tuple[int, int] | None]:
        """Return the next position found so far, old and new, after each anchor."""
        following: list[tuple[int, int] | None] = []
        nearest: tuple[int, int] | None = None
        for anchor in reversed(self.anchors):
            following.append(nearest)
            if anchor.offset in self.positions:
                nearest = (anchor.offset, self.positions[anchor.offset])
        return following[::-1]

    def _nearest(self, anchor: Anchor, left: tuple[int, int] | None, right: tuple[int, int] | None) -> None:
        expected = [anchor.offset + new - old for old, new in filter(None, (left, right))] or [anchor.offset]
        low, high = left[1] if left else -1, right[1] if right else len(self.text) + 1
        lead = len(anchor.before)
        starts = {at for offset in expected for at in self.runs.copies(self.words[anchor.offset], offset - lead)}
        free = {start + lead for start in starts} - self.occupied
        between = {at for at in free if low < at < high}
        ranked = sorted((min(abs(at - offset) for offset in expected), at) for at in (between if low < high else free))
        is_far = not ranked or ranked[0][0] > _BUCKET
        if is_far and (not ranked or self._here(anchor, {offset - anchor.offset for offset in expected})):
            self.lost[anchor.offset] = GONE
            self._edited.append(anchor)
        elif _is_the_one([away for away, _ in ranked], bool(left or right)):
            self._take(anchor, ranked[0][1])

    def edited_words(self) -> None:
        """Find contexts that were edited, or that occur only where they do not belong."""
        following = self._following()
        edited, alone = {anchor.offset for anchor in self._edited}, dict(self._strays)
        left: tuple[int, int] | None = None
        offers: list[tuple[float, int, int]] = []
        for number, anchor in enumerate(self.anchors):
            if anchor.offset in self.positions:
                left = (anchor.offset, self.positions[anchor.offset])
                continue
            shifts = {new - old for old, new in filter(None, (left, following[number]))} or {0}
            if anchor in alone:
                here = self._here(anchor, shifts)
                # A stretch that was moved elsewhere is there as it was, and nothing like it where it had been.
                offers.append(
                    (-here.score, anchor.offset, here.position or 0) if here else (-100.0, anchor.offset, alone[anchor])
                )
            elif anchor.offset in edited:
                alignment = self._best_alignment(anchor, shifts)
                if alignment and alignment.position is not None:
                    offers.append((-alignment.score, anchor.offset, alignment.position))
                elif alignment:
                    self.lost[anchor.offset] = SPLIT
        by_offset = {anchor.offset: anchor for anchor in self.anchors}
        for score, old, new in sorted(offers):
            if new in self.occupied:
                self.lost[old] = TAKEN
            else:
                self._take(by_offset[old], new)
                if score > -100:
                    self.edited.add(old)

    def _here(self, anchor: Anchor, shifts: set[int]) -> _Alignment | None:
        """Return the alignment at the shifted position if it is similar enough."""
        candidates = [self._at(anchor, anchor.offset - len(anchor.before) + shift) for shift in shifts]
        nearby = [
            aligned
            for aligned in candidates
            if aligned and aligned.position is not None and _away(aligned, anchor, shifts) <= _BUCKET
        ]
        return max(nearby, key=lambda aligned: aligned.score, default=None)

    def _at(self, anchor: Anchor, start: int) -> _Alignment | None:
        end = start + len(self.words[anchor.offset]) + 2 * _BUCKET
        return _align(anchor, self.text, max(start - _BUCKET, 0), end)

    def _best_alignment(self, anchor: Anchor, shifts: set[int]) -> _Alignment | None:
        """Return the best alignment of the context of an anchor; ``None`` if nothing is similar."""
        words, context_start = self.words[anchor.offset], anchor.offset - len(anchor.before)
        starts = {context_start + shift for shift in shifts}
        for shift in shifts:
            starts.update(self.runs.stretches(words, context_start + shift))
        candidates = [aligned for start in sorted(starts) if (aligned := self._at(anchor, start))]
        if not candidates:
            if any(_is_parted(anchor, self.text, max(start - _BUCKET, 0)) for start in starts):
                self.lost[anchor.offset] = SPLIT
            return None
        best = self._here(anchor, shifts) or min(
            candidates, key=lambda aligned: (-aligned.score, _away(aligned, anchor, shifts))
        )
        away = _away(best, anchor, shifts)
        rivals = [
            other for other in candidates if other.score > best.score - _MARGIN and other.position != best.position
        ]
        if any(2 * away > _away(other, anchor, shifts) for other in rivals):
            self.lost[anchor.offset] = AMBIGUOUS
            return None
        return best


def _away(aligned: _Alignment, anchor: Anchor, shifts: Iterable[int]) -> int:
    """Return the distance of a stretch from the nearest shifted position, in characters."""
    at = aligned.start + len(anchor.before) if aligned.position is None else aligned.position
    return min(abs(at - anchor.offset - shift) for shift in shifts)


def _strays(pairs: Sequence[tuple[int, int]]) -> set[int]:
    """Return the old offsets of pairs (old, new; ascending in old) that do not fit the others.

    These are the ones outside the longest sequence in which the new offsets ascend too, and the ones in it that have
    shifted differently from both their neighbours while these have shifted alike.
    """
    ends: list[int] = []  # the least last new offset of a row of each length
    lengths: list[int] = []
    for _, new in pairs:
        length = bisect_left(ends, new)
        ends[length : length + 1] = [new]
        lengths.append(length)
    row: list[tuple[int, int]] = []
    needed_length = len(ends) - 1
    for pair, length in zip(reversed(pairs), reversed(lengths), strict=True):
        if length == needed_length and (not row or pair[1] < row[-1][1]):
            row.append(pair)
            needed_length -= 1
    shifts = [new - old for old, new in row]
    odd = {
        row[index][0]
        for index in range(1, len(row) - 1)
        if abs(shifts[index - 1] - shifts[index + 1]) <= _BUCKET
        and min(abs(shifts[index] - shifts[index - 1]), abs(shifts[index] - shifts[index + 1])) > _BUCKET
    }
    return {old for old, _ in pairs} - {old for old, _ in row} | odd


def _is_the_one(away: Sequence[int], shift_known: bool) -> bool:
    """Return whether the nearest of some copies can be taken, by the distance of each from the expected position.

    Args:
        away: distances in characters, ascending.
        shift_known: if not, only a copy at the expected position can be taken.
    """
    if len(away) > 1 and (not away[1] or 2 * away[0] > away[1]):
        return False
    return shift_known or not away[0]


def _is_parted(anchor: Anchor, text: str, start: int) -> bool:
    """Return whether both sides of a position are preserved near each other, with text between them."""
    left, right = anchor.before[-CONTEXT // 2 :], anchor.after[: CONTEXT // 2]
    at = text.find(left, start, start + _FAR) if left and right else -1
    return at >= 0 and text.find(right, at + len(left), start + _FAR) >= 0


def _align(anchor: Anchor, text: str, start: int, end: int) -> _Alignment | None:
    """Return the alignment of an anchor with a stretch of the new text; ``None`` if it is not similar enough."""
    from rapidfuzz import fuzz
    from rapidfuzz.distance import Indel

    words, stretch = anchor.before + anchor.after, text[start:end]
    if len(stretch) < len(words):
        # The shorter of the two is what is moved along the other.
        first, last, score = 0, len(stretch), fuzz.ratio(words, stretch)
    else:
        best = fuzz.partial_ratio_alignment(words, stretch)
        if best is None:
            return None
        first, last, score = best.dest_start, best.dest_end, best.score
    if score < SCORE:
        return None
    lead, stretch = len(anchor.before), stretch[first:last]
    kept_counts = [0, 0]
    low, high = 0, len(stretch)
    for block in Indel.opcodes(words, stretch):
        if block.tag != "equal":
            continue
        here = min(max(lead - block.src_start, 0), block.src_end - block.src_start)
        kept_counts[0] += here
        kept_counts[1] += block.src_end - block.src_start - here
        if block.src_start < lead:
            low = block.dest_start + here
        if block.src_end > lead:
            high = min(high, block.dest_start + here)
    if kept_counts[0] < SIDE * lead or kept_counts[1] < SIDE * len(anchor.after):
        return None
    between = stretch[low:high]
    if not between.strip():
        return _Alignment(start + first, start + first + high, score)
    return _Alignment(start + first, start + first + low if len(between) <= PUT_IN else None, score)
