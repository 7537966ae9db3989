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

from chunking.reference.events import CONTEXT

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
        found: new offset by old offset, in the order of the old.
        edited: the old offsets among them whose context was edited.
        lost: anchors that were not found, and why, in the order of the old.
    """

    found: dict[int, int]
    edited: frozenset[int]
    lost: tuple[tuple[Anchor, str], ...]


def relocate(places: Sequence[Anchor], text: str) -> Relocation:
    """Find positions of an old text in a new one.

    Args:
        places: in any order; of two with the same offset, the first counts.
        text: the new text.
    """
    known = sorted({place.offset: place for place in reversed(places)}.values(), key=lambda place: place.offset)
    search = _Search(known, text)
    search.same_words()
    search.copies()
    search.edited_words()
    found = {place.offset: search.found[place.offset] for place in known if place.offset in search.found}
    lost = tuple((place, search.lost[place.offset]) for place in known if place.offset not in found)
    return Relocation(found, frozenset(search.edited), lost)


def anchor(text: str, offset: int) -> Anchor:
    """Return a position of a text with its context."""
    return Anchor(offset, text[max(offset - CONTEXT, 0) : offset], text[offset : offset + CONTEXT])


def matching_shares(groups: Sequence[Sequence[Anchor]], text: str) -> list[float]:
    """Return how much of the context of anchors occurs in a text, for several groups of anchors at once.

    Returns:
        A share from 0 to 1 for each group: of short runs of the context of its anchors (a sample, if there are many)
        that occur in the text; 0 if it has none.
    """
    words = [[each.before + each.after for each in group[:: len(group) // _SOME + 1]] for group in groups]
    places = _Runs([each for group in words for each in group], text).places
    asked = [[run for each in group for _, run in _runs(each)] for group in words]
    return [sum(run in places for run in group) / max(len(group), 1) for group in asked]


_SOME = 4
"""Maximum number of anchors of a group that :func:`matching_shares` looks up."""


class _Runs:
    """Index of the positions of runs in a text."""

    def __init__(self, words: Iterable[str], text: str) -> None:
        self.text = text
        wanted = {run for each in words for _, run in _runs(each)}
        self.places: dict[str, list[int]] = defaultdict(list)
        if wanted:
            for at in range(len(text) - _RUN + 1):
                run = text[at : at + _RUN]
                if run in wanted:
                    self.places[run].append(at)

    def copies(self, words: str, near: int) -> list[int]:
        """Return the positions of the words, ascending; only those around ``near`` if there may be very many."""
        if len(words) < _RUN:
            shift, at = 0, self.places[words] if words in self.places else self._listed(words)
        else:
            shift, rarest = min(_runs(words), key=lambda each: len(self.places.get(each[1], ())))
            at = self.places.get(rarest, [])
        if len(at) > 2 * _NEAR:
            middle = bisect_left(at, near + shift)
            at = at[max(middle - _NEAR, 0) : middle + _NEAR]
        return [start - shift for start in at if start >= shift and self.text.startswith(words, start - shift)]

    def _listed(self, words: str) -> list[int]:
        at = self.places[words]
        start = self.text.find(words)
        while start >= 0:
            at.append(start)
            start = self.text.find(words, start + 1)
        return at

    def stretches(self, words: str, near: int) -> list[int]:
        """Return the starts of the stretches that share most runs with the words, best first, then nearest first."""
        votes: Counter[int] = Counter()
        for shift, run in _runs(words):
            at = self.places.get(run, ())
            if len(at) <= _COMMON:
                # Each start is in two neighbouring buckets, so that no edge parts what belongs together.
                votes.update(bucket for start in at for half in (0, 1) if (bucket := (start - shift) // _BUCKET + half))
        best = sorted(votes, key=lambda bucket: (-votes[bucket], abs(bucket * _BUCKET - near)))
        return [bucket * _BUCKET for bucket in best[:_STRETCHES]]


_BUCKET = 64
"""Starts that lie closer together may belong to one stretch."""


def _runs(words: str) -> list[tuple[int, str]]:
    """Return the runs of a text that are looked up, each with its start; the last one ends where the text ends."""
    last = len(words) - _RUN
    starts = [*range(0, last, _STEP), last] if last >= 0 else []
    return [(start, words[start : start + _RUN]) for start in starts]


class _Aligned(NamedTuple):
    """A stretch of the new text aligned with the context of an anchor.

    Attributes:
        start: where it starts.
        place: the new position; ``None`` if text was inserted there.
        score: similarity in percent.
    """

    start: int
    place: int | None
    score: float


class _Search:
    """State of a search.

    Attributes:
        found: new offset by old offset.
        lost: reason by old offset, of those not found so far.
        edited: old offsets whose context was edited.
    """

    def __init__(self, places: Sequence[Anchor], text: str) -> None:
        self.places = places
        self.text = text
        self.words = {place.offset: place.before + place.after for place in places}
        self.runs = _Runs(self.words.values(), text)
        self.found: dict[int, int] = {}
        self.lost: dict[int, str] = {}
        self.edited: set[int] = set()
        self.taken: set[int] = set()
        self._several: list[Anchor] = []
        self._edited: list[Anchor] = []
        self._strays: list[tuple[Anchor, int]] = []

    def _take(self, place: Anchor, new: int) -> None:
        self.found[place.offset] = new
        self.taken.add(new)
        self.lost.pop(place.offset, None)

    def same_words(self) -> None:
        """Find contexts that occur once in the new text."""
        owners = Counter((place.before, place.after) for place in self.places)
        once: list[tuple[Anchor, int]] = []
        for place in self.places:
            words = self.words[place.offset]
            if not words:
                self.lost[place.offset] = BARE
                continue
            copies = self.runs.copies(words, place.offset - len(place.before))
            if len(copies) == 1 and owners[place.before, place.after] == 1:
                once.append((place, copies[0] + len(place.before)))
            else:
                self.lost[place.offset] = AMBIGUOUS if copies else GONE
                (self._several if copies else self._edited).append(place)
        strays = _strays([(place.offset, new) for place, new in once])
        for place, new in once:
            if place.offset in strays or new in self.taken:
                self._strays.append((place, new))
            else:
                self._take(place, new)

    def copies(self) -> None:
        """Find contexts that occur several times, from left to right."""
        following = self._following()
        left: tuple[int, int] | None = None
        several = {place.offset for place in self._several}
        for number, place in enumerate(self.places):
            if place.offset in several:
                self._nearest(place, left, following[number])
            if place.offset in self.found:
                left = (place.offset, self.found[place.offset])

    def _following(self) -> list[tuple[int, int] | None]:
        """Return the next position found so far, old and new, after each anchor."""
        following: list[tuple[int, int] | None] = []
        nearest: tuple[int, int] | None = None
        for place in reversed(self.places):
            following.append(nearest)
            if place.offset in self.found:
                nearest = (place.offset, self.found[place.offset])
        return following[::-1]

    def _nearest(self, place: Anchor, left: tuple[int, int] | None, right: tuple[int, int] | None) -> None:
        expected = [place.offset + new - old for old, new in filter(None, (left, right))] or [place.offset]
        low, high = left[1] if left else -1, right[1] if right else len(self.text) + 1
        lead = len(place.before)
        starts = {at for near in expected for at in self.runs.copies(self.words[place.offset], near - lead)}
        free = {start + lead for start in starts} - self.taken
        inside = {at for at in free if low < at < high}
        ranked = sorted((min(abs(at - near) for near in expected), at) for at in (inside if low < high else free))
        far = not ranked or ranked[0][0] > _BUCKET
        if far and (not ranked or self._here(place, {near - place.offset for near in expected})):
            self.lost[place.offset] = GONE
            self._edited.append(place)
        elif _is_the_one([away for away, _ in ranked], bool(left or right)):
            self._take(place, ranked[0][1])

    def edited_words(self) -> None:
        """Find contexts that were edited, or that occur only where they do not belong."""
        following = self._following()
        edited, alone = {place.offset for place in self._edited}, dict(self._strays)
        left: tuple[int, int] | None = None
        offers: list[tuple[float, int, int]] = []
        for number, place in enumerate(self.places):
            if place.offset in self.found:
                left = (place.offset, self.found[place.offset])
                continue
            shifts = {new - old for old, new in filter(None, (left, following[number]))} or {0}
            if place in alone:
                here = self._here(place, shifts)
                # A stretch that was moved elsewhere is there as it was, and nothing like it where it had been.
                offers.append(
                    (-here.score, place.offset, here.place or 0) if here else (-100.0, place.offset, alone[place])
                )
            elif place.offset in edited:
                found = self._aligned(place, shifts)
                if found and found.place is not None:
                    offers.append((-found.score, place.offset, found.place))
                elif found:
                    self.lost[place.offset] = SPLIT
        by_offset = {place.offset: place for place in self.places}
        for score, old, new in sorted(offers):
            if new in self.taken:
                self.lost[old] = TAKEN
            else:
                self._take(by_offset[old], new)
                if score > -100:
                    self.edited.add(old)

    def _here(self, place: Anchor, shifts: set[int]) -> _Aligned | None:
        """Return the alignment at the shifted position if it is similar enough."""
        found = [self._at(place, place.offset - len(place.before) + shift) for shift in shifts]
        near = [each for each in found if each and each.place is not None and _away(each, place, shifts) <= _BUCKET]
        return max(near, key=lambda each: each.score, default=None)

    def _at(self, place: Anchor, start: int) -> _Aligned | None:
        end = start + len(self.words[place.offset]) + 2 * _BUCKET
        return _align(place, self.text, max(start - _BUCKET, 0), end)

    def _aligned(self, place: Anchor, shifts: set[int]) -> _Aligned | None:
        """Return the best alignment of the context of an anchor; ``None`` if nothing is similar."""
        words, near = self.words[place.offset], place.offset - len(place.before)
        starts = {near + shift for shift in shifts}
        for shift in shifts:
            starts.update(self.runs.stretches(words, near + shift))
        found = [each for start in sorted(starts) if (each := self._at(place, start))]
        if not found:
            if any(_parted(place, self.text, max(start - _BUCKET, 0)) for start in starts):
                self.lost[place.offset] = SPLIT
            return None
        best = self._here(place, shifts) or min(found, key=lambda each: (-each.score, _away(each, place, shifts)))
        away = _away(best, place, shifts)
        rivals = [other for other in found if other.score > best.score - _MARGIN and other.place != best.place]
        if any(2 * away > _away(other, place, shifts) for other in rivals):
            self.lost[place.offset] = AMBIGUOUS
            return None
        return best


def _away(aligned: _Aligned, place: Anchor, shifts: Iterable[int]) -> int:
    """Return the distance of a stretch from the nearest shifted position, in characters."""
    at = aligned.start + len(place.before) if aligned.place is None else aligned.place
    return min(abs(at - place.offset - shift) for shift in shifts)


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
    wanted = len(ends) - 1
    for pair, length in zip(reversed(pairs), reversed(lengths), strict=True):
        if length == wanted and (not row or pair[1] < row[-1][1]):
            row.append(pair)
            wanted -= 1
    shifts = [new - old for old, new in row]
    odd = {
        row[place][0]
        for place in range(1, len(row) - 1)
        if abs(shifts[place - 1] - shifts[place + 1]) <= _BUCKET
        and min(abs(shifts[place] - shifts[place - 1]), abs(shifts[place] - shifts[place + 1])) > _BUCKET
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


def _parted(place: Anchor, text: str, start: int) -> bool:
    """Return whether both sides of a position are preserved near each other, with text between them."""
    left, right = place.before[-CONTEXT // 2 :], place.after[: CONTEXT // 2]
    at = text.find(left, start, start + _FAR) if left and right else -1
    return at >= 0 and text.find(right, at + len(left), start + _FAR) >= 0


def _align(place: Anchor, text: str, start: int, end: int) -> _Aligned | None:
    """Return the alignment of an anchor with a stretch of the new text; ``None`` if it is not similar enough."""
    from rapidfuzz import fuzz
    from rapidfuzz.distance import Indel

    words, stretch = place.before + place.after, text[start:end]
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
    lead, stretch = len(place.before), stretch[first:last]
    kept = [0, 0]
    low, high = 0, len(stretch)
    for block in Indel.opcodes(words, stretch):
        if block.tag != "equal":
            continue
        here = min(max(lead - block.src_start, 0), block.src_end - block.src_start)
        kept[0] += here
        kept[1] += block.src_end - block.src_start - here
        if block.src_start < lead:
            low = block.dest_start + here
        if block.src_end > lead:
            high = min(high, block.dest_start + here)
    if kept[0] < SIDE * lead or kept[1] < SIDE * len(place.after):
        return None
    between = stretch[low:high]
    if not between.strip():
        return _Aligned(start + first, start + first + high, score)
    return _Aligned(start + first, start + first + low if len(between) <= PUT_IN else None, score)
