"""Back to the source: the true spans of chunks that are known only as texts.

Another library, or a user's own pipeline, gives texts: often with white space changed, sometimes with words lost or
added, and with offsets that may be wrong. :func:`align` finds where each was taken from, and says what is not as the
source has it. Nothing is taken on trust: every span is compared with the source, character by character.

How a piece is found. White space counts for nothing: both sides are reduced to their other characters.

1. *Places.* Where a piece occurs unchanged is looked up by the rarest six characters in it. Where it occurs nowhere,
   the places that share most of its runs of six characters (each counting the more the rarer it is) stand in.
2. *Order.* Pieces mostly come in the order of the document. The heaviest subsequence of them whose places increase is
   one chain, so a piece out of order bends nothing around it; what is left makes further chains, as the levels of a
   hierarchy do. In a chain a repeated text goes where its predecessor ends, or nearest to it, but never so far that
   those after it find no place.
3. *Comparison.* A piece that was altered is matched by runs of characters that are unique on both sides, then by
   words (:mod:`difflib`) between those, then by single characters at the edges. A run far from the others counts only
   where it is longer than the distance warrants.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise
from math import log2
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from chunking.alignment.pieces import Piece, Placed
from chunking.document import Span

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.uint32]
Hashes = npt.NDArray[np.uint64]
_Test = Callable[[Ints], npt.NDArray[np.bool_]]


def align(source: str, pieces: Sequence[Piece]) -> tuple[Placed | None, ...]:
    """Where each piece stands in the source.

    Args:
        source: the text that the pieces were made from.
        pieces: in the order they were made; that order decides between places that are equally good.

    Returns:
        One for each piece; ``None`` where nothing of it can be found: it is empty, or less than half of its
        characters (white space apart) matched in runs of four or more and no run of 24 of them. ``None`` for all where
        none is found for sure and most of what they hold is not: single words of any text stand somewhere.
    """
    ground = _Ground(_Squeezed(source))
    collapsed = [_Squeezed(piece.text) for piece in pieces]
    starts = _Order(ground, collapsed, _hints(ground, pieces, collapsed)).starts()
    found: list[Placed | None] = [None] * len(pieces)
    for place, start in starts.items():
        found[place] = ground.placed(collapsed[place], start)
    _fill(ground, collapsed, found)
    return tuple(found) if _is_plausible(collapsed, found) else (None,) * len(found)


def losses(source: str, placed: Iterable[Placed | None]) -> tuple[Span, ...]:
    """Stretches of the source, none of them blank, that no piece has."""
    return _stretches(source, placed, lambda counts: counts == 0)


def repeats(source: str, placed: Iterable[Placed | None]) -> tuple[Span, ...]:
    """Stretches of the source, none of them blank, that more than one piece has."""
    return _stretches(source, placed, lambda counts: counts > 1)


# Texts without white space -----------------------------------------------------------------------------------------

_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)
"""All that :meth:`str.isspace` calls white space; the last is U+3000."""

_TAG = re.compile(r"<[/!]?[A-Za-z-][^<>]*>")
"""A tag or comment, in a text without white space."""

_LOOKALIKES = str.maketrans("‘’‚‛′`“”„‟″«»‐‑‒–—―−", '\'\'\'\'\'\'"""""""-------')
"""Quotes and dashes that pipelines write plainly."""


def _codes(text: str) -> Codes:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _fold(text: str) -> str:
    """The text in small letters and with plain quotes and dashes, character for character."""
    plain = text.translate(_LOOKALIKES)
    lowered = plain.lower()
    if len(lowered) == len(plain):
        return lowered
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in plain)


class _Squeezed:
    """A text without its white space.

    Attributes:
        whole: the text as it is.
        offsets: ``(n,)`` int64, the offset in ``whole`` of each character that is left.
        text: the ``n`` characters.
    """

    def __init__(self, whole: str) -> None:
        self.whole = whole
        self.offsets: Ints = np.flatnonzero(~np.isin(_codes(whole), _SPACES)).astype(np.int64)
        self.text = "".join(whole.split())

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def folded(self) -> str:
        return _fold(self.text)

    @cached_property
    def codes(self) -> Codes:
        return _codes(self.text)

    @cached_property
    def folded_codes(self) -> Codes:
        return _codes(self.folded)

    @cached_property
    def outside_tags(self) -> Ints:
        """``(n + 1,)`` int64: characters before each that are in no tag of HTML or XML."""
        found = np.ones(len(self.text) + 1, dtype=np.int64)
        for tag in _TAG.finditer(self.text):
            found[tag.start() + 1 : tag.end() + 1] = 0
        found[0] = 0
        return np.cumsum(found)

    @cached_property
    def grams(self) -> Hashes:
        """``(max(n - 5, 0),)`` hashes of the runs of six folded characters."""
        return _gram_hashes(self.folded_codes)

    @cached_property
    def _inside_tag(self) -> npt.NDArray[np.bool_]:
        """``(n + 1,)`` bool: whether a cut before each character would part a tag."""
        found = np.zeros(len(self.text) + 1, dtype=np.bool_)
        for tag in _TAG.finditer(self.text):
            found[tag.start() + 1 : tag.end()] = True
        return found

    def between(self, first: int, last: int) -> int:
        """How many characters a stretch has: those of tags left out, where it parts none."""
        if self._inside_tag[first] or self._inside_tag[last]:
            return last - first
        return int(self.outside_tags[last] - self.outside_tags[first])

    def past_tags(self, place: int, count: int) -> int:
        """The place ``count`` characters after one, or before it, those of tags left out."""
        seen = self.outside_tags
        if count < 0:
            return int(np.searchsorted(seen, seen[place] + count))
        return int(np.searchsorted(seen, seen[place] + count, side="right")) - 1

    def span(self, first: int, last: int) -> Span:
        """The span in ``whole`` of the characters ``first`` to ``last - 1``, of which there is at least one."""
        return Span(int(self.offsets[first]), int(self.offsets[last - 1]) + 1)


_GRAM = 6
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def _gram_hashes(codes: Codes) -> Hashes:
    if len(codes) < _GRAM:
        return np.zeros(0, dtype=np.uint64)
    wide = codes.astype(np.uint64)
    count = len(codes) - _GRAM + 1
    hashes = wide[:count].copy()
    for step in range(1, _GRAM):
        hashes *= _FACTOR
        hashes += wide[step : step + count]
        hashes ^= hashes >> np.uint64(29)
    return hashes


# The source --------------------------------------------------------------------------------------------------------

_FEW = 16
"""Up to so many places, each of them competes in the choice of a chain."""

_REACH = 8
"""Markup may make a piece so many times longer in the source."""

_SURE = 24
"""A run of so many characters places a piece even where most of it was added."""

_MOST = 0.6
"""Of pieces none of which is found for sure so much must be found, of all their characters, for any to count."""

_CHANCE = 4
"""A shorter run of characters may match by chance."""

_MANY = 64
"""Above so many places they are no longer listed but looked up where they are needed."""


@dataclass(frozen=True)
class _Places:
    """Where a text could stand, in collapsed offsets of the source.

    Attributes:
        size: length of the text, collapsed.
        listed: ``(n,)`` int64, ascending; or ``None`` where there are many, which are found by searching.
        forward, backward: the source, and the source back to front, for searching.
        needle: what to search for: the text, or a part of it.
        shift: where that part starts in the text.
    """

    size: int
    listed: Ints | None
    forward: str = ""
    backward: str = ""
    needle: str = ""
    shift: int = 0

    @property
    def few(self) -> Ints | None:
        """The places, where they are few."""
        return self.listed if self.listed is not None and len(self.listed) <= _FEW else None

    def after(self, low: int) -> int:
        """The first place from ``low`` on, or -1."""
        if self.listed is None:
            found = self.forward.find(self.needle, max(low + self.shift, 0))
            return max(found - self.shift, low) if found >= 0 else -1
        at = int(np.searchsorted(self.listed, low))
        return int(self.listed[at]) if at < len(self.listed) else -1

    def before(self, high: int) -> int:
        """The last place up to ``high``, or -1."""
        if self.listed is None:
            # Forward search has a linear worst case, backward search has not.
            last = len(self.forward) - len(self.needle)
            begin = max(last - high - self.shift, 0)
            found = self.backward.find(self.needle[::-1], begin) if high >= 0 else -1
            return max(last - found - self.shift, 0) if found >= 0 else -1
        at = int(np.searchsorted(self.listed, high, side="right"))
        return int(self.listed[at - 1]) if at else -1

    def nearest(self, target: int, low: int, high: int) -> int:
        """The place from ``low`` to ``high`` nearest to ``target``, a gap counting twice as much as an overlap."""
        later, earlier = self.after(max(low, target)), self.before(min(high, target))
        if not low <= later <= high:
            return earlier if earlier >= low else -1
        if not low <= earlier <= high:
            return later
        return later if 2 * (later - target) <= target - earlier else earlier


class _Run(NamedTuple):
    """``size`` characters from ``piece`` on that are, folded, those from ``source`` on; collapsed offsets."""

    piece: int
    source: int
    size: int


class _Ground:
    """The source, ready to be searched."""

    def __init__(self, collapsed: _Squeezed) -> None:
        self.collapsed = collapsed
        self._known: dict[str, _Places | None] = {}

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self.collapsed.grams, kind="stable").astype(np.int64)

    @cached_property
    def _keys(self) -> Hashes:
        return self.collapsed.grams[self._order]

    @cached_property
    def _reversed(self) -> tuple[str, str]:
        return self.collapsed.text[::-1], self.collapsed.folded[::-1]

    def places(self, piece: _Squeezed) -> _Places | None:
        """Where the piece could stand; ``None`` where nothing tells."""
        if piece.text not in self._known:
            self._known[piece.text] = self._find_places(piece) if len(piece) else None
        return self._known[piece.text]

    def _find_places(self, piece: _Squeezed) -> _Places | None:
        anchors = self._anchors(piece)
        for folded in (False, True):
            text, needle = (self.collapsed.folded, piece.folded) if folded else (self.collapsed.text, piece.text)
            places = self._occurrences(text, needle, anchors)
            if len(places) > _MANY:
                return _Places(len(piece), None, text, self._reversed[folded], needle)
            if places:
                return _Places(len(piece), np.array(places, dtype=np.int64))
        likely = self._likely(piece)
        if likely is None:
            return self._by_part(piece)
        return _Places(len(piece), likely) if len(likely) else None

    def _by_part(self, piece: _Squeezed) -> _Places | None:
        """Where a half of the piece stands, or a quarter, and so on, for a text that repeats itself without end."""
        size = len(piece)
        while size >= 2 * _GRAM:
            size //= 2
            for shift in range(0, len(piece) - size + 1, size):
                needle = piece.folded[shift : shift + size]
                if needle in self.collapsed.folded:
                    return _Places(len(piece), None, self.collapsed.folded, self._reversed[True], needle, shift)
        return None

    def _anchors(self, piece: _Squeezed) -> Ints | None:
        """The only offsets where the piece could start, by its rarest gram; ``None`` where that says little."""
        if not len(piece.grams):
            return None
        sample = np.arange(0, len(piece.grams), max(1, len(piece.grams) // 96))
        hashes = piece.grams[sample]
        left, right = np.searchsorted(self._keys, hashes), np.searchsorted(self._keys, hashes, side="right")
        rarest = int(np.argmin(right - left))
        if right[rarest] - left[rarest] > 4 * _MANY:
            return None
        anchors: Ints = np.sort(self._order[left[rarest] : right[rarest]]) - sample[rarest]
        return anchors

    @staticmethod
    def _occurrences(text: str, needle: str, anchors: Ints | None) -> list[int]:
        """Up to ``_MANY + 1`` offsets of the needle, ascending."""
        if anchors is not None:
            starts = [start for start in anchors.tolist() if start >= 0 and text.startswith(needle, start)]
            return starts[: _MANY + 1]
        found: list[int] = []
        start = text.find(needle)
        while start >= 0 and len(found) <= _MANY:
            found.append(start)
            start = text.find(needle, start + 1)
        return found

    def _likely(self, piece: _Squeezed) -> Ints | None:
        """Where most of the piece's grams stand at about the distances they have in it: ascending offsets.

        ``None`` where all of them are so common that they tell nothing.
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
        chosen: list[int] = []
        best = float(score.max())
        while len(chosen) <= 4 * _MANY:
            at = int(np.argmax(score))
            if score[at] < 0.6 * best:
                break
            chosen.append(int(where[at : ends[at]].min()))
            score[np.searchsorted(shift, shift[at] - width) : ends[at]] = 0.0
        return np.unique(np.array(chosen, dtype=np.int64))

    def _hits(self, piece: _Squeezed) -> tuple[Ints, Ints, npt.NDArray[np.float64]] | None:
        """Grams of the piece in the source: offset in the piece, offset in the source, weight; None: all common."""
        inside = np.arange(0, len(piece.grams), max(1, len(piece.grams) // 2000))
        left = np.searchsorted(self._keys, piece.grams[inside])
        count = np.searchsorted(self._keys, piece.grams[inside], side="right") - left
        known = count > 0
        rare = known & (count <= _MANY)
        if not rare.any() and known.any():
            return None
        inside, left, count = inside[rare], left[rare], count[rare]
        first = np.cumsum(count) - count
        flat = np.arange(int(count.sum())) - np.repeat(first, count) + np.repeat(left, count)
        return np.repeat(inside, count), self._order[flat], np.repeat(1.0 / count, count)

    # Comparison ----------------------------------------------------------------------------------------------------

    def placed(self, piece: _Squeezed, start: int) -> Placed | None:
        """The placement at ``start``, or where that comes to nothing at the nearest other place that does not."""
        whole = self.unchanged(piece, start)
        if whole:
            return self.place(piece, whole)
        places = self.places(piece)
        others = places.few.tolist() if places and places.few is not None else []
        for other in sorted({start, *others}, key=lambda other: abs(other - start)):
            placed = self.place(piece, self.compare(piece, other))
            if placed:
                return placed
        return None

    def unchanged(self, piece: _Squeezed, start: int) -> list[_Run]:
        """One run where the piece stands at ``start``, quotes, dashes and case apart; else none."""
        folded = self.collapsed.folded
        return [_Run(0, start, len(piece))] if folded.startswith(piece.folded, start) else []

    def compare(self, piece: _Squeezed, start: int) -> list[_Run]:
        """The runs that an altered piece shares with the source around ``start``."""
        return self.runs(piece, 0, start, self.collapsed.past_tags(start, _REACH * len(piece) + 400))

    def runs(self, piece: _Squeezed, low: int, start: int, high: int) -> list[_Run]:
        """The runs that a piece shares with the source, ascending on both sides.

        They are sought from ``start`` to ``high``; then, what is left at the beginning of the piece, back to ``low``.
        """
        pair = _Pair(piece, self.collapsed)
        runs = _heaviest(pair.between(0, len(piece), start, high), self.collapsed)
        if runs:
            first, last = runs[0], runs[-1]
            reach = max(low, self.collapsed.past_tags(first.source, -_REACH * first.piece - 60))
            before = pair.between(0, first.piece, reach, first.source)
            end, stop = last.piece + last.size, last.source + last.size
            near = self.collapsed.past_tags(stop, 3 * (len(piece) - end) + 60)
            after = pair.by_words(end, len(piece), stop, min(high, near))
            runs = _heaviest([*before, *runs, *after], self.collapsed)
        return pair.grown(runs, low, high)

    def place(self, piece: _Squeezed, runs: list[_Run]) -> Placed | None:
        """The placement that runs amount to; ``None`` where they are too little of the piece."""
        # Single letters of any two texts match somewhere: only runs of some length speak for a place.
        matched = sum(run.size for run in runs)
        if matched < len(piece):
            matched = sum(run.size for run in runs if run.size >= _CHANCE)
        if not runs or (2 * matched < len(piece) and max(run.size for run in runs) < _SURE):
            return None
        missing: list[Span] = []
        added: list[str] = []
        piece_end, source_end = 0, runs[0].source
        literal = _slid(_literal(runs, piece, self.collapsed), piece, self.collapsed)
        for run in [*literal, _Run(len(piece), runs[-1].source + runs[-1].size, 0)]:
            if run.piece > piece_end:
                start, end = piece.span(piece_end, run.piece)
                added.append(piece.whole[start:end])
            if run.source > source_end:
                missing.append(self.collapsed.span(source_end, run.source))
            piece_end, source_end = run.piece + run.size, run.source + run.size
        start, end = self.collapsed.span(runs[0].source, runs[-1].source + runs[-1].size)
        whole, text = self.collapsed.whole, piece.whole
        if runs[0].piece == 0:
            lead = text[: int(piece.offsets[0])]
            start -= len(lead) if whole[max(start - len(lead), 0) : start] == lead else 0
        if runs[-1].piece + runs[-1].size == len(piece):
            trail = text[int(piece.offsets[-1]) + 1 :]
            end += len(trail) if whole.startswith(trail, end) else 0
        return Placed(start, end, tuple(missing), tuple(added), whole[start:end] == text)


def _literal(runs: list[_Run], piece: _Squeezed, source: _Squeezed) -> list[_Run]:
    """The parts of runs whose characters are the same without folding."""
    found: list[_Run] = []
    for inside, where, size in runs:
        if piece.text[inside : inside + size] == source.text[where : where + size]:
            found.append(_Run(inside, where, size))
            continue
        same = piece.codes[inside : inside + size] == source.codes[where : where + size]
        edges = np.flatnonzero(np.diff(np.concatenate(([False], same, [False])).astype(np.int8))).reshape(-1, 2)
        found += [_Run(inside + first, where + first, last - first) for first, last in edges.tolist()]
    return found


_SLIDE = 120
"""So many characters at most is a hole moved to where words begin and end."""


def _slid(runs: list[_Run], piece: _Squeezed, source: _Squeezed) -> list[_Run]:
    """The runs, with the holes between them at the ends of words where the text leaves it open.

    Of ``Gamma three. Delta four.`` and ``Gamma four.`` the hole may as well be ``a three. Delt`` as ``three. Delta``:
    what stands before a hole is also its end, or what stands after it its beginning. Only holes that one side alone
    has can be moved.
    """
    found = runs[:1]
    for after in runs[1:]:
        before = found[-1]
        ours, theirs = after.piece - before.piece - before.size, after.source - before.source - before.size
        step = 0
        if theirs and not ours:
            step = _slide(source, before.source + before.size, theirs, before.size, after.size)
        elif ours and not theirs:
            step = _slide(piece, before.piece + before.size, ours, before.size, after.size)
        found[-1] = before._replace(size=before.size + step)
        found.append(_Run(after.piece + step, after.source + step, after.size - step))
    return found


def _slide(text: _Squeezed, first: int, size: int, back: int, ahead: int) -> int:
    """How far to move a hole of ``size`` characters from ``first`` on: to the best place for it, of equals the nearest.

    Args:
        text: what has the characters of the hole.
        first, size: the hole.
        back, ahead: characters of the runs around it, of which one at least is left.
    """
    last, word = first + size, text.text
    low, high = 0, 0
    while low > -min(back - 1, _SLIDE) and word[first + low - 1] == word[last + low - 1]:
        low -= 1
    while high < min(ahead - 1, _SLIDE) and word[first + high] == word[last + high]:
        high += 1
    if low == high:
        return 0
    return max(
        range(low, high + 1),
        key=lambda step: (_edge(text, first + step) + _edge(text, last + step), -abs(step), -step),
    )


def _edge(text: _Squeezed, place: int) -> int:
    """How well a text may be parted before a character: at a line end, at other white space, at a sign, or badly."""
    start, end = int(text.offsets[place - 1]) + 1, int(text.offsets[place])
    if start < end:
        return 3 if "\n" in text.whole[start:end] else 2
    return int(not (text.whole[start - 1].isalnum() and text.whole[start].isalnum()))


# Comparing a piece with a stretch of the source --------------------------------------------------------------------

_WORD = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
                   "|[^\\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
                   "|\\S")  # fmt: skip
"""A word; where a script sets no spaces between words, a character; else a single sign."""

_WORK = 50_000
"""Most pairs of equal words, or characters, that a comparison may have to choose from."""


_SENTENCE_END = re.compile(r"\w{0,2}[.,;:!?)\]}…。、，！？]+")
"""What two texts may by chance have in common before a third: the end of a sentence."""

_GROWTH = 3
"""Fewest characters by which the first run grows to the left, but for the first of the piece."""


class _Pair:
    """A piece and the source, whose common runs are sought."""

    def __init__(self, piece: _Squeezed, source: _Squeezed) -> None:
        self.piece = piece
        self.source = source

    def between(self, first: int, last: int, low: int, high: int, depth: int = 4) -> list[_Run]:
        """Runs of the piece's ``first:last`` in the source's ``low:high``."""
        if first >= last or low >= high:
            return []
        runs = self._unique_runs(first, last, low, high) if depth else []
        if not runs:
            return self.by_words(first, last, low, high)
        found: list[_Run] = []
        for run in [*runs, _Run(last, high, 0)]:
            found += self.between(first, run.piece, low, run.source, depth - 1)
            found += [run] if run.size else []
            first, low = run.piece + run.size, run.source + run.size
        return found

    def _unique_runs(self, first: int, last: int, low: int, high: int) -> list[_Run]:
        """Runs around the grams that occur once on either side (a patience diff of grams)."""
        ours = self.piece.grams[first : max(last - _GRAM + 1, first)]
        theirs = self.source.grams[low : max(high - _GRAM + 1, low)]
        our_keys, our_places = _singles(ours)
        their_keys, their_places = _singles(theirs)
        _, left, right = np.intersect1d(our_keys, their_keys, assume_unique=True, return_indices=True)
        order = np.argsort(our_places[left])
        inside, where = our_places[left][order] + first, their_places[right][order] + low
        kept = _increasing(where.tolist())
        runs: list[_Run] = []
        for at in kept:
            begin, place = int(inside[at]), int(where[at])
            floor, base = (runs[-1].piece + runs[-1].size, runs[-1].source + runs[-1].size) if runs else (first, low)
            if begin < floor or place < base:
                # Inside the run before, or across its end on another diagonal.
                continue
            back = self._same_before(begin, place, min(begin - floor, place - base))
            size = back + self._same_after(begin, place, min(last - begin, high - place))
            if size >= _GRAM:
                runs.append(_Run(begin - back, place - back, size))
        return runs

    def by_words(self, first: int, last: int, low: int, high: int) -> list[_Run]:
        """Runs of whole words that both sides have."""
        if first >= last or low >= high:
            return []
        ours, our_places = _words(self.piece, first, last)
        theirs, their_places = _words(self.source, low, high)
        for fold in (str, _fold):
            ours, theirs = [fold(word) for word in ours], [fold(word) for word in theirs]
            counts = Counter(theirs)
            if sum(counts[word] for word in ours) > _WORK:
                return self._by_halves(first, last, low, high)
            shown = self._outside_tags(theirs, their_places)
            runs = [
                [
                    _Run(our_places[left], their_places[right], our_places[left + count] - our_places[left])
                    for left, right, count in blocks
                    if count > 2 or any(word.isalnum() or found[word] == 1 for word in ours[left : left + count])
                ]
                for words, found in ([(shown, Counter(shown))] if shown != theirs else []) + [(theirs, counts)]
                for blocks in (_longest_blocks(ours, words), _most_blocks(ours, words))
            ]
            # The longest blocks read well, but where words repeat they may leave out what the most words keep.
            found = max(runs, key=lambda runs: _worth(runs, self.source))
            if found:
                return found
        return self._by_characters(first, last, low, high)

    def _outside_tags(self, words: Sequence[str], places: Sequence[int]) -> list[str]:
        """The words of a stretch of the source, with nothing for those in tags."""
        seen = self.source.outside_tags
        starts = np.array(places[:-1], dtype=np.int64)
        shown = (seen[starts + 1] > seen[starts]).tolist()
        return [word if visible else "" for word, visible in zip(words, shown, strict=True)]

    def _by_characters(self, first: int, last: int, low: int, high: int) -> list[_Run]:
        """Runs of three characters and more, and of a quarter of the shorter side, where no word is the same."""
        ours, theirs = self.piece.folded[first:last], self.source.folded[low:high]
        counts = Counter(theirs)
        if sum(counts[char] for char in ours) > _WORK:
            return self._by_halves(first, last, low, high)
        blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
        fewest = max(3, min(len(ours), len(theirs)) // 4)
        return [_Run(first + left, low + right, count) for left, right, count in blocks if count >= fewest]

    def _by_halves(self, first: int, last: int, low: int, high: int) -> list[_Run]:
        """Runs where everything repeats itself, so that no comparison would end: whole, or its halves, and so on."""
        size = last - first
        at = self.source.folded.find(self.piece.folded[first:last], low, high)
        if at >= 0:
            return [_Run(first, at, size)]
        if size < 2 * _GRAM:
            return []
        middle = first + size // 2
        left = self._by_halves(first, middle, low, high)
        return left + self._by_halves(middle, last, left[-1].source + left[-1].size if left else low, high)

    def grown(self, runs: list[_Run], low: int, high: int) -> list[_Run]:
        """Runs extended by the single characters that follow and precede them on both sides, then joined."""
        grown: list[_Run] = []
        for at, run in enumerate(runs):
            floor, base = (grown[-1].piece + grown[-1].size, grown[-1].source + grown[-1].size) if grown else (0, low)
            top, roof = (runs[at + 1].piece, runs[at + 1].source) if at + 1 < len(runs) else (len(self.piece), high)
            end, stop = run.piece + run.size, run.source + run.size
            back = self._same_before(run.piece, run.source, min(run.piece - floor, run.source - base))
            more = self._same_after(end, stop, min(top - end, roof - stop))
            # What was put before a piece may by chance end as the source does there.
            if not at and back < _GROWTH and back < run.piece:
                back = 0
            chance = _SENTENCE_END.match(self.piece.text, run.piece, end)
            if not at and run.piece > back and chance and chance.end() < end:
                back = run.piece - chance.end()
            run = _Run(run.piece - back, run.source - back, back + run.size + more)
            if grown and (run.piece, run.source) == (floor, base):
                run = _Run(grown[-1].piece, grown[-1].source, grown.pop().size + run.size)
            grown.append(run)
        return grown

    def _same_after(self, inside: int, where: int, most: int) -> int:
        """How many characters from there on are the same, ``most`` at most."""
        ours, theirs = self.piece.folded_codes, self.source.folded_codes
        differ = ours[inside : inside + most] != theirs[where : where + most]
        return int(np.argmax(differ)) if differ.any() else max(most, 0)

    def _same_before(self, inside: int, where: int, most: int) -> int:
        """How many characters up to there are the same, ``most`` at most."""
        ours, theirs = self.piece.folded_codes, self.source.folded_codes
        differ = (ours[inside - most : inside] != theirs[where - most : where])[::-1]
        return int(np.argmax(differ)) if differ.any() else max(most, 0)


def _singles(hashes: Hashes) -> tuple[Hashes, Ints]:
    """The hashes that occur once, ascending, and where."""
    keys, places, counts = np.unique(hashes, return_index=True, return_counts=True)
    once = counts == 1
    return keys[once], places[once].astype(np.int64)


def _increasing(values: list[int]) -> list[int]:
    """Indices of a longest increasing subsequence."""
    tails: list[int] = []
    ends: list[int] = []
    parents: list[int] = []
    for at, value in enumerate(values):
        rank = bisect_left(tails, value)
        parents.append(ends[rank - 1] if rank else -1)
        tails[rank : rank + 1] = [value]
        ends[rank : rank + 1] = [at]
    kept: list[int] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        kept.append(at)
        at = parents[at]
    return kept[::-1]


def _longest_blocks(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int, int]]:
    """The longest common block, then the longest to either side of it, and so on."""
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return [(left, right, size) for left, right, size in blocks if size]


def _most_blocks(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int, int]]:
    """The blocks of a longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    blocks = LCSseq.opcodes(ours, theirs).as_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]


def _words(collapsed: _Squeezed, first: int, last: int) -> tuple[list[str], list[int]]:
    """The words of a stretch, and where each starts, with the end of the last."""
    start, end = collapsed.span(first, last)
    words = _WORD.findall(collapsed.whole[start:end])
    places: list[int] = np.cumsum([first, *map(len, words)]).tolist()
    return words, places


def _price(left: _Run, right: _Run, source: _Squeezed) -> float:
    """What the hole between two runs costs, in characters."""
    ours = right.piece - left.piece - left.size
    theirs = source.between(left.source + left.size, right.source)
    return (0.2 + 2 * log2(1 + theirs / 40) if theirs else 0.0) + 3 * log2(1 + min(ours, theirs) / 8)


def _worth(runs: Sequence[_Run], source: _Squeezed) -> float:
    """Characters in runs, less the price of the holes between them."""
    return sum(run.size for run in runs) - sum(_price(left, right, source) for left, right in pairwise(runs))


def _heaviest(runs: list[_Run], source: _Squeezed) -> list[_Run]:
    """The stretch of neighbouring runs with the most characters, less a price for each hole between them.

    The price grows with the logarithm of the hole, so that markup costs little and a chance word far away is left out;
    it is higher where both sides have something in the hole, which markup that was taken out does not do. Whole tags of
    HTML and XML cost nothing at all.
    """
    best, best_score = (0, 0), 0.0
    begin, score = 0, 0.0
    for at, run in enumerate(runs):
        if at:
            score -= _price(runs[at - 1], run, source)
        if score <= 0:
            begin, score = at, 0.0
        score += run.size
        if score > best_score:
            best, best_score = (begin, at + 1), score
    return runs[best[0] : best[1]]


# Order -------------------------------------------------------------------------------------------------------------

_ROUNDS = 12
"""So many chains at most; what is still left goes to its first place."""

_MOST_WEIGHT = 100
"""A piece weighs its length in the choice of a chain, a long one no more than this."""


def _hints(ground: _Ground, pieces: Sequence[Piece], collapsed: Sequence[_Squeezed]) -> dict[int, int]:
    """Squeezed offsets of the hints that are true, and tell pieces of the same text apart where there are several."""
    source = ground.collapsed
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for at, (piece, text) in enumerate(zip(pieces, collapsed, strict=True)):
        if piece.start is None or piece.start < 0 or not len(text):
            continue
        end = piece.start + len(piece.text) if piece.end is None else piece.end
        if source.whole[piece.start : max(end, 0)] == piece.text:
            first = int(np.searchsorted(source.offsets, piece.start))
            found[text.text].append((at, first))
    kept: dict[int, int] = {}
    for hints in found.values():
        starts = [start for _, start in hints]
        # A library that searches from the beginning gives each repeat the first place.
        if all(left < right for left, right in pairwise(starts)):
            kept.update(hints)
    return kept


@dataclass(frozen=True)
class _Link:
    """A piece at a place, and the link before it in a chain."""

    piece: int
    start: int
    weight: float
    before: _Link | None


class _Order:
    """Chooses a place for each piece."""

    def __init__(self, ground: _Ground, pieces: Sequence[_Squeezed], hints: dict[int, int]) -> None:
        self.ground = ground
        self.pieces = pieces
        self.known = {at: places for at, piece in enumerate(pieces) if (places := ground.places(piece))}
        for at, start in hints.items():
            self.known[at] = _Places(len(pieces[at]), np.array([start], dtype=np.int64))
        self.chosen: dict[int, int] = {}

    def starts(self) -> dict[int, int]:
        """Squeezed offsets by piece, for those that have a place."""
        for _ in range(_ROUNDS):
            left = [at for at in self.known if at not in self.chosen]
            if not left:
                break
            if self.chosen:
                self._leave_free(left)
            self.chosen.update(self._chain(left))
        for at in self.known.keys() - self.chosen.keys():
            self.chosen[at] = self.known[at].after(0)
        return dict(sorted(self.chosen.items()))

    def _leave_free(self, left: list[int]) -> None:
        """Of the pieces that are left, keep to places that no piece of the same text has, where there are enough."""
        taken: dict[str, set[int]] = defaultdict(set)
        for at, start in self.chosen.items():
            taken[self.pieces[at].text].add(start)
        wanted = Counter(self.pieces[at].text for at in left)
        for at in left:
            text, listed = self.pieces[at].text, self.known[at].listed
            if listed is None or text not in taken:
                continue
            free = [start for start in listed.tolist() if start not in taken[text]]
            if len(free) >= wanted[text]:
                self.known[at] = _Places(self.known[at].size, np.array(free, dtype=np.int64))

    def _chain(self, left: list[int]) -> dict[int, int]:
        """Places of a chain: starts ascend, and at the same start the longer piece is first."""
        members = self._members(left)
        latest = self._latest(members)
        chain = self._joined(left, members, latest)
        latest = self._latest(chain)
        placed: dict[int, int] = {}
        before, target, skipped = -1, 0, 0
        cursor = iter(left)
        for at in chain:
            for other in cursor:
                if other == at:
                    break
                skipped += len(self.pieces[other])
            low = 0 if before < 0 else self._low(before, placed[before], at)
            start = self.known[at].nearest(target + skipped, low, latest[at])
            placed[at] = start
            before, target, skipped = at, start + self.known[at].size, 0
        return placed

    def _members(self, left: list[int]) -> list[int]:
        """The heaviest subsequence of pieces with few places that can be placed in ascending order."""
        keys: list[tuple[int, int]] = []
        links: list[_Link] = []
        for at in left:
            places = self.known[at]
            if places.few is None:
                continue
            weight = 1.0 + min(places.size, _MOST_WEIGHT)
            fresh: list[_Link] = []
            for start in places.few.tolist():
                rank = bisect_left(keys, (start, -places.size))
                before = links[rank - 1] if rank else None
                fresh.append(_Link(at, start, weight + (before.weight if before else 0.0), before))
            for link in fresh:
                self._keep(keys, links, (link.start, -places.size), link)
        found: list[int] = []
        last = links[-1] if links else None
        while last:
            found.append(last.piece)
            last = last.before
        return found[::-1]

    @staticmethod
    def _keep(keys: list[tuple[int, int]], links: list[_Link], key: tuple[int, int], link: _Link) -> None:
        """Keep a link where no earlier key weighs as much; drop the later ones that weigh no more."""
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
        """The first start that keeps a piece after one at ``start``."""
        return start if self.known[at].size < self.known[before].size else start + 1

    def _high(self, at: int, after: int, start: int) -> int:
        """The last start that keeps a piece before one at ``start``."""
        return start if self.known[after].size < self.known[at].size else start - 1

    def _latest(self, chain: list[int]) -> dict[int, int]:
        """The last start of each piece that leaves all after it a place."""
        latest: dict[int, int] = {}
        after = -1
        for at in reversed(chain):
            high = len(self.ground.collapsed) if after < 0 else self._high(at, after, latest[after])
            latest[at] = self.known[at].before(high)
            after = at
        return latest

    def _joined(self, left: list[int], members: list[int], latest: dict[int, int]) -> list[int]:
        """The members, with the pieces of many places that fit between them."""
        chain: list[int] = []
        inside = set(members)
        coming = iter([*members, -1])
        following = next(coming)
        before, start = -1, -1
        for at in left:
            member = at in inside
            if member:
                following = next(coming)
            elif self.known[at].few is not None:
                continue
            low = 0 if before < 0 else self._low(before, start, at)
            first = self.known[at].after(low)
            if not member:
                bound = len(self.ground.collapsed) if following < 0 else self._high(at, following, latest[following])
                if not low <= first <= bound:
                    continue
            chain.append(at)
            before, start = at, first
        return chain


# What is left, and sums --------------------------------------------------------------------------------------------


def _is_plausible(pieces: Sequence[_Squeezed], found: Sequence[Placed | None]) -> bool:
    """Whether the pieces come from the source at all: one is found for sure, or most of their characters are found."""
    matched = 0
    for piece, placed in zip(pieces, found, strict=True):
        if placed:
            own = len(piece) - sum(len("".join(text.split())) for text in placed.added)
            if own >= _SURE:
                return True
            matched += own
    return matched >= _MOST * sum(map(len, pieces))


def _fill(ground: _Ground, pieces: Sequence[_Squeezed], found: list[Placed | None]) -> None:
    """Look for what has no place yet between its neighbours."""
    source = ground.collapsed
    following: list[int] = [len(source.whole)] * (len(found) + 1)
    for at in range(len(found) - 1, -1, -1):
        placed = found[at]
        following[at] = placed.start if placed else following[at + 1]
    previous = 0
    for at, piece in enumerate(pieces):
        if not found[at]:
            end = following[at] if following[at] >= previous else len(source.whole)
            found[at] = _filled(ground, piece, previous, end)
        placed = found[at]
        previous = placed.end if placed else previous


def _filled(ground: _Ground, piece: _Squeezed, start: int, end: int) -> Placed | None:
    source = ground.collapsed
    if not len(piece):
        blank = piece.whole
        fits = blank and source.whole.startswith(blank, start)
        return Placed(start, start + len(blank), (), (), True) if fits else None
    low, high = np.searchsorted(source.offsets, [start, end]).tolist()
    return ground.place(
        piece, ground.runs(piece, low, low, min(high, source.past_tags(low, _REACH * len(piece) + 400)))
    )


def _stretches(source: str, placed: Iterable[Placed | None], test: _Test) -> tuple[Span, ...]:
    collapsed = _Squeezed(source)
    steps = np.zeros(len(source) + 1, dtype=np.int64)
    for step, start, end in _steps(placed):
        steps[start] += step
        steps[end] -= step
    hit = test(np.cumsum(steps)[collapsed.offsets])
    edges = np.flatnonzero(np.diff(np.concatenate(([False], hit, [False])).astype(np.int8))).reshape(-1, 2)
    return tuple(collapsed.span(first, last) for first, last in edges.tolist())


def _steps(placed: Iterable[Placed | None]) -> Iterator[tuple[int, int, int]]:
    for one in placed:
        if one:
            yield 1, one.start, one.end
            yield from ((-1, start, end) for start, end in one.missing)
