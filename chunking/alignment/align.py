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

from chunking.alignment.pieces import Piece, Placed
from chunking.document import Span
from chunking.runtime.arrays import Bools, Float64, Int64, UInt32, UInt64

_Test = Callable[[Int64], Bools]


def align(source: str, pieces: Sequence[Piece]) -> tuple[Placed | None, ...]:
    """Return the span of each piece in the source.

    Args:
        source: the text from which the pieces were made.
        pieces: the pieces in their original order, which decides between equally good places.

    Returns:
        One entry per piece; ``None`` if it cannot be found: it is empty, or less than half of its characters (without
        white space) match in runs of at least four, and none in a run of 24. All are ``None`` if none is certain and
        less than :data:`_MIN_SHARE_FOUND` of their characters are found: single words of any text occur somewhere.
    """
    index = _SourceIndex(_NormalizedText(source))
    collapsed = [_NormalizedText(piece.text) for piece in pieces]
    starts = _PlaceChooser(index, collapsed, _hints(index, pieces, collapsed)).starts()
    found: list[Placed | None] = [None] * len(pieces)
    for place, start in starts.items():
        found[place] = index.placed(collapsed[place], start)
    _fill(index, collapsed, found)
    return tuple(found) if _is_plausible(collapsed, found) else (None,) * len(found)


def losses(source: str, placed: Iterable[Placed | None]) -> tuple[Span, ...]:
    """Return spans of the source, none of them blank, that no piece has."""
    return _spans_where(source, placed, lambda counts: counts == 0)


def repeats(source: str, placed: Iterable[Placed | None]) -> tuple[Span, ...]:
    """Return spans of the source, none of them blank, that several pieces have."""
    return _spans_where(source, placed, lambda counts: counts > 1)


# Texts without white space -----------------------------------------------------------------------------------------

_SPACES = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)
"""All white space by :meth:`str.isspace`; the last is U+3000."""

_TAG = re.compile(r"<[/!]?[A-Za-z-][^<>]*>")
"""A tag or comment, in a text without white space."""

_LOOKALIKES = str.maketrans("‘’‚‛′`“”„‟″«»‐‑‒–—―−", '\'\'\'\'\'\'"""""""-------')
"""Quotes and dashes that pipelines replace by ASCII."""


def _codes(text: str) -> UInt32:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _fold(text: str) -> str:
    """Return the text in lower case with ASCII quotes and dashes, character for character."""
    plain = text.translate(_LOOKALIKES)
    lowered = plain.lower()
    if len(lowered) == len(plain):
        return lowered
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in plain)


class _NormalizedText:
    """A text without its white space.

    Attributes:
        whole: the original text.
        offsets: ``(n,)`` int64, the offset in ``whole`` of each remaining character.
        text: the ``n`` characters.
    """

    def __init__(self, whole: str) -> None:
        self.whole = whole
        self.offsets: Int64 = np.flatnonzero(~np.isin(_codes(whole), _SPACES)).astype(np.int64)
        self.text = "".join(whole.split())

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def folded(self) -> str:
        return _fold(self.text)

    @cached_property
    def codes(self) -> UInt32:
        return _codes(self.text)

    @cached_property
    def folded_codes(self) -> UInt32:
        return _codes(self.folded)

    @cached_property
    def outside_tags(self) -> Int64:
        """``(n + 1,)`` int64: characters before each one that are outside HTML and XML tags."""
        found = np.ones(len(self.text) + 1, dtype=np.int64)
        for tag in _TAG.finditer(self.text):
            found[tag.start() + 1 : tag.end() + 1] = 0
        found[0] = 0
        return np.cumsum(found)

    @cached_property
    def grams(self) -> UInt64:
        """``(max(n - 5, 0),)`` hashes of the runs of six folded characters."""
        return _gram_hashes(self.folded_codes)

    @cached_property
    def _inside_tag(self) -> Bools:
        """``(n + 1,)`` bool: whether a cut before each character would split a tag."""
        found = np.zeros(len(self.text) + 1, dtype=np.bool_)
        for tag in _TAG.finditer(self.text):
            found[tag.start() + 1 : tag.end()] = True
        return found

    def between(self, first: int, last: int) -> int:
        """Return the number of characters in a range, without tags if the range splits none."""
        if self._inside_tag[first] or self._inside_tag[last]:
            return last - first
        return int(self.outside_tags[last] - self.outside_tags[first])

    def past_tags(self, place: int, count: int) -> int:
        """Return the place ``count`` characters after one (before it, if negative), without those in tags."""
        seen = self.outside_tags
        if count < 0:
            return int(np.searchsorted(seen, seen[place] + count))
        return int(np.searchsorted(seen, seen[place] + count, side="right")) - 1

    def span(self, first: int, last: int) -> Span:
        """Return the span in ``whole`` of the characters ``first`` to ``last - 1``, at least one."""
        return Span(int(self.offsets[first]), int(self.offsets[last - 1]) + 1)


_GRAM = 6
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def _gram_hashes(codes: UInt32) -> UInt64:
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

_MAX_COMPETING = 16
"""Limit of the places of a piece that all compete in the choice of a chain."""

_REACH = 8
"""Factor by which markup may lengthen a piece in the source."""

_CERTAIN_RUN = 24
"""Length of a run that places a piece even if most of the piece was added."""

_MIN_SHARE_FOUND = 0.6
"""Share of all characters that must be found for any piece to count, if no piece is certain."""

_MIN_RUN = 4
"""Length below which a run may match by chance."""

_MAX_LISTED = 64
"""Number of places above which they are searched on demand instead of listed."""


@dataclass(frozen=True)
class _Places:
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
            found = self.forward.find(self.needle, max(low + self.shift, 0))
            return max(found - self.shift, low) if found >= 0 else -1
        at = int(np.searchsorted(self.listed, low))
        return int(self.listed[at]) if at < len(self.listed) else -1

    def before(self, high: int) -> int:
        """Return the last place up to ``high``, or -1."""
        if self.listed is None:
            # Only forward search has a linear worst case, so the reversed text is searched.
            last = len(self.forward) - len(self.needle)
            begin = max(last - high - self.shift, 0)
            found = self.backward.find(self.needle[::-1], begin) if high >= 0 else -1
            return max(last - found - self.shift, 0) if found >= 0 else -1
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


class _Run(NamedTuple):
    """A run of ``size`` equal characters, folded, from ``piece`` and ``source`` on; collapsed offsets."""

    piece: int
    source: int
    size: int


class _SourceIndex:
    """The source with its index of six-character runs."""

    def __init__(self, collapsed: _NormalizedText) -> None:
        self.collapsed = collapsed
        self._cache: dict[str, _Places | None] = {}

    @cached_property
    def _order(self) -> Int64:
        return np.argsort(self.collapsed.grams, kind="stable").astype(np.int64)

    @cached_property
    def _keys(self) -> UInt64:
        return self.collapsed.grams[self._order]

    @cached_property
    def _reversed(self) -> tuple[str, str]:
        return self.collapsed.text[::-1], self.collapsed.folded[::-1]

    def places(self, piece: _NormalizedText) -> _Places | None:
        """Return the candidate places of a piece; ``None`` if there is no evidence."""
        if piece.text not in self._cache:
            self._cache[piece.text] = self._find_places(piece) if len(piece) else None
        return self._cache[piece.text]

    def _find_places(self, piece: _NormalizedText) -> _Places | None:
        anchors = self._anchors(piece)
        for folded in (False, True):
            text, needle = (self.collapsed.folded, piece.folded) if folded else (self.collapsed.text, piece.text)
            places = self._occurrences(text, needle, anchors)
            if len(places) > _MAX_LISTED:
                return _Places(len(piece), None, text, self._reversed[folded], needle)
            if places:
                return _Places(len(piece), np.array(places, dtype=np.int64))
        likely = self._likely(piece)
        if likely is None:
            return self._places_of_part(piece)
        return _Places(len(piece), likely) if len(likely) else None

    def _places_of_part(self, piece: _NormalizedText) -> _Places | None:
        """Return places of a half of the piece, or a quarter, and so on, for a text of endless repetition."""
        size = len(piece)
        while size >= 2 * _GRAM:
            size //= 2
            for shift in range(0, len(piece) - size + 1, size):
                needle = piece.folded[shift : shift + size]
                if needle in self.collapsed.folded:
                    return _Places(len(piece), None, self.collapsed.folded, self._reversed[True], needle, shift)
        return None

    def _anchors(self, piece: _NormalizedText) -> Int64 | None:
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
        found: list[int] = []
        start = text.find(needle)
        while start >= 0 and len(found) <= _MAX_LISTED:
            found.append(start)
            start = text.find(needle, start + 1)
        return found

    def _likely(self, piece: _NormalizedText) -> Int64 | None:
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
        chosen: list[int] = []
        best = float(score.max())
        while len(chosen) <= 4 * _MAX_LISTED:
            at = int(np.argmax(score))
            if score[at] < 0.6 * best:
                break
            chosen.append(int(where[at : ends[at]].min()))
            score[np.searchsorted(shift, shift[at] - width) : ends[at]] = 0.0
        return np.unique(np.array(chosen, dtype=np.int64))

    def _hits(self, piece: _NormalizedText) -> tuple[Int64, Int64, Float64] | None:
        """Return the piece's grams in the source: offsets in both and weight; None if all are common."""
        inside = np.arange(0, len(piece.grams), max(1, len(piece.grams) // 2000))
        left = np.searchsorted(self._keys, piece.grams[inside])
        count = np.searchsorted(self._keys, piece.grams[inside], side="right") - left
        known = count > 0
        rare = known & (count <= _MAX_LISTED)
        if not rare.any() and known.any():
            return None
        inside, left, count = inside[rare], left[rare], count[rare]
        first = np.cumsum(count) - count
        flat = np.arange(int(count.sum())) - np.repeat(first, count) + np.repeat(left, count)
        return np.repeat(inside, count), self._order[flat], np.repeat(1.0 / count, count)

    # Comparison ----------------------------------------------------------------------------------------------------

    def placed(self, piece: _NormalizedText, start: int) -> Placed | None:
        """Return the placement at ``start``, or if it fails at the nearest other place where it succeeds."""
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

    def unchanged(self, piece: _NormalizedText, start: int) -> list[_Run]:
        """Return one run if the piece is at ``start``, apart from quotes, dashes and case; else none."""
        folded = self.collapsed.folded
        return [_Run(0, start, len(piece))] if folded.startswith(piece.folded, start) else []

    def compare(self, piece: _NormalizedText, start: int) -> list[_Run]:
        """Return the runs that an altered piece shares with the source around ``start``."""
        return self.runs(piece, 0, start, self.collapsed.past_tags(start, _REACH * len(piece) + 400))

    def runs(self, piece: _NormalizedText, low: int, start: int, high: int) -> list[_Run]:
        """Return the runs that a piece shares with the source, ascending on both sides.

        The search covers ``start`` to ``high``, then, for the rest at the beginning of the piece, back to ``low``.
        """
        pair = _Comparison(piece, self.collapsed)
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

    def place(self, piece: _NormalizedText, runs: list[_Run]) -> Placed | None:
        """Return the placement of some runs; ``None`` if they cover too little of the piece."""
        # Single letters of any two texts match somewhere: only longer runs are evidence for a place.
        matched = sum(run.size for run in runs)
        if matched < len(piece):
            matched = sum(run.size for run in runs if run.size >= _MIN_RUN)
        if not runs or (2 * matched < len(piece) and max(run.size for run in runs) < _CERTAIN_RUN):
            return None
        missing: list[Span] = []
        added: list[str] = []
        piece_end, source_end = 0, runs[0].source
        literal = _with_holes_moved(_exact_parts(runs, piece, self.collapsed), piece, self.collapsed)
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


def _exact_parts(runs: list[_Run], piece: _NormalizedText, source: _NormalizedText) -> list[_Run]:
    """Return the parts of runs whose characters are equal without folding."""
    found: list[_Run] = []
    for inside, where, size in runs:
        if piece.text[inside : inside + size] == source.text[where : where + size]:
            found.append(_Run(inside, where, size))
            continue
        same = piece.codes[inside : inside + size] == source.codes[where : where + size]
        edges = np.flatnonzero(np.diff(np.concatenate(([False], same, [False])).astype(np.int8))).reshape(-1, 2)
        found += [_Run(inside + first, where + first, last - first) for first, last in edges.tolist()]
    return found


_MAX_HOLE_SHIFT = 120
"""Limit of the characters by which a hole is moved to the ends of words."""


def _with_holes_moved(runs: list[_Run], piece: _NormalizedText, source: _NormalizedText) -> list[_Run]:
    """Return the runs with the holes between them moved to the ends of words where several positions are possible.

    Between ``Gamma three. Delta four.`` and ``Gamma four.`` the hole may be ``a three. Delt`` as well as
    ``three. Delta``: the text before a hole equals its end, or the text after it its beginning. Only holes on one side
    can be moved.
    """
    found = runs[:1]
    for after in runs[1:]:
        before = found[-1]
        ours, theirs = after.piece - before.piece - before.size, after.source - before.source - before.size
        step = 0
        if theirs and not ours:
            step = _hole_shift(source, before.source + before.size, theirs, before.size, after.size)
        elif ours and not theirs:
            step = _hole_shift(piece, before.piece + before.size, ours, before.size, after.size)
        found[-1] = before._replace(size=before.size + step)
        found.append(_Run(after.piece + step, after.source + step, after.size - step))
    return found


def _hole_shift(text: _NormalizedText, first: int, size: int, back: int, ahead: int) -> int:
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


def _edge(text: _NormalizedText, place: int) -> int:
    """Return how suitable a division before a character is: a line end, white space, a symbol, or none of these."""
    start, end = int(text.offsets[place - 1]) + 1, int(text.offsets[place])
    if start < end:
        return 3 if "\n" in text.whole[start:end] else 2
    return int(not (text.whole[start - 1].isalnum() and text.whole[start].isalnum()))


# Comparing a piece with a stretch of the source --------------------------------------------------------------------

_WORD = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
                   "|[^\\W_\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
                   "|\\S")  # fmt: skip
"""A word; in scripts without spaces between words, a character; else a single symbol."""

_MAX_PAIRS = 50_000
"""Limit of the pairs of equal words, or characters, in a comparison."""


_SENTENCE_END = re.compile(r"\w{0,2}[.,;:!?)\]}…。、，！？]+")
"""The end of a sentence, which two texts may share by chance."""

_MIN_GROWTH = 3
"""Minimum growth of the first run to the left, in characters, unless it reaches the start of the piece."""


class _Comparison:
    """A piece and the source, compared for common runs."""

    def __init__(self, piece: _NormalizedText, source: _NormalizedText) -> None:
        self.piece = piece
        self.source = source

    def between(self, first: int, last: int, low: int, high: int, depth: int = 4) -> list[_Run]:
        """Return runs of the piece's ``first:last`` in the source's ``low:high``."""
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
        """Return runs around the grams that occur once on either side (a patience diff of grams)."""
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
                # Inside the previous run, or across its end on another diagonal.
                continue
            back = self._same_before(begin, place, min(begin - floor, place - base))
            size = back + self._same_after(begin, place, min(last - begin, high - place))
            if size >= _GRAM:
                runs.append(_Run(begin - back, place - back, size))
        return runs

    def by_words(self, first: int, last: int, low: int, high: int) -> list[_Run]:
        """Return runs of whole words that both sides have."""
        if first >= last or low >= high:
            return []
        ours, our_places = _words(self.piece, first, last)
        theirs, their_places = _words(self.source, low, high)
        for fold in (str, _fold):
            ours, theirs = [fold(word) for word in ours], [fold(word) for word in theirs]
            counts = Counter(theirs)
            if sum(counts[word] for word in ours) > _MAX_PAIRS:
                return self._by_halves(first, last, low, high)
            shown = self._outside_tags(theirs, their_places)
            runs = [
                [
                    _Run(our_places[left], their_places[right], our_places[left + count] - our_places[left])
                    for left, right, count in blocks
                    if count > 2 or any(word.isalnum() or found[word] == 1 for word in ours[left : left + count])
                ]
                for words, found in ([(shown, Counter(shown))] if shown != theirs else []) + [(theirs, counts)]
                for blocks in (_longest_blocks(ours, words), _subsequence_blocks(ours, words))
            ]
            # The longest blocks are usually best, but with repeated words a common subsequence may keep more.
            found = max(runs, key=lambda runs: _net_length(runs, self.source))
            if found:
                return found
        return self._by_characters(first, last, low, high)

    def _outside_tags(self, words: Sequence[str], places: Sequence[int]) -> list[str]:
        """Return the words of a range of the source, with an empty string for those in tags."""
        seen = self.source.outside_tags
        starts = np.array(places[:-1], dtype=np.int64)
        shown = (seen[starts + 1] > seen[starts]).tolist()
        return [word if visible else "" for word, visible in zip(words, shown, strict=True)]

    def _by_characters(self, first: int, last: int, low: int, high: int) -> list[_Run]:
        """Return runs of at least three characters and a quarter of the shorter side, if no word matches."""
        ours, theirs = self.piece.folded[first:last], self.source.folded[low:high]
        counts = Counter(theirs)
        if sum(counts[char] for char in ours) > _MAX_PAIRS:
            return self._by_halves(first, last, low, high)
        blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
        fewest = max(3, min(len(ours), len(theirs)) // 4)
        return [_Run(first + left, low + right, count) for left, right, count in blocks if count >= fewest]

    def _by_halves(self, first: int, last: int, low: int, high: int) -> list[_Run]:
        """Return runs of a text whose repetition makes comparison too slow: the whole, or its halves, and so on."""
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
        """Extend runs by equal characters before and after them on both sides, and join them."""
        grown: list[_Run] = []
        for at, run in enumerate(runs):
            floor, base = (grown[-1].piece + grown[-1].size, grown[-1].source + grown[-1].size) if grown else (0, low)
            top, roof = (runs[at + 1].piece, runs[at + 1].source) if at + 1 < len(runs) else (len(self.piece), high)
            end, stop = run.piece + run.size, run.source + run.size
            back = self._same_before(run.piece, run.source, min(run.piece - floor, run.source - base))
            more = self._same_after(end, stop, min(top - end, roof - stop))
            # Text added before a piece may end like the source there by chance.
            if not at and back < _MIN_GROWTH and back < run.piece:
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
        """Return the number of equal characters from there on, up to ``most``."""
        ours, theirs = self.piece.folded_codes, self.source.folded_codes
        differ = ours[inside : inside + most] != theirs[where : where + most]
        return int(np.argmax(differ)) if differ.any() else max(most, 0)

    def _same_before(self, inside: int, where: int, most: int) -> int:
        """Return the number of equal characters up to there, up to ``most``."""
        ours, theirs = self.piece.folded_codes, self.source.folded_codes
        differ = (ours[inside - most : inside] != theirs[where - most : where])[::-1]
        return int(np.argmax(differ)) if differ.any() else max(most, 0)


def _singles(hashes: UInt64) -> tuple[UInt64, Int64]:
    """Return the hashes that occur once, ascending, and their places."""
    keys, places, counts = np.unique(hashes, return_index=True, return_counts=True)
    once = counts == 1
    return keys[once], places[once].astype(np.int64)


def _increasing(values: list[int]) -> list[int]:
    """Return indices of a longest increasing subsequence."""
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
    """Return the longest common block, then the longest on either side of it, and so on."""
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return [(left, right, size) for left, right, size in blocks if size]


def _subsequence_blocks(ours: Sequence[str], theirs: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the blocks of a longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    blocks = LCSseq.opcodes(ours, theirs).as_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]


def _words(collapsed: _NormalizedText, first: int, last: int) -> tuple[list[str], list[int]]:
    """Return the words of a range, and the start of each, followed by the end of the last."""
    start, end = collapsed.span(first, last)
    words = _WORD.findall(collapsed.whole[start:end])
    places: list[int] = np.cumsum([first, *map(len, words)]).tolist()
    return words, places


def _hole_cost(left: _Run, right: _Run, source: _NormalizedText) -> float:
    """Return the cost of the hole between two runs, in characters."""
    ours = right.piece - left.piece - left.size
    theirs = source.between(left.source + left.size, right.source)
    return (0.2 + 2 * log2(1 + theirs / 40) if theirs else 0.0) + 3 * log2(1 + min(ours, theirs) / 8)


def _net_length(runs: Sequence[_Run], source: _NormalizedText) -> float:
    """Return the characters in runs, minus the cost of the holes between them."""
    return sum(run.size for run in runs) - sum(_hole_cost(left, right, source) for left, right in pairwise(runs))


def _heaviest(runs: list[_Run], source: _NormalizedText) -> list[_Run]:
    """Return the sequence of neighbouring runs with the most characters, minus a cost for each hole between them.

    The cost grows with the logarithm of the hole, so that markup costs little and a chance match far away is excluded.
    It is higher if both sides have characters in the hole, unlike removed markup. Whole HTML and XML tags are free.
    """
    best, best_score = (0, 0), 0.0
    begin, score = 0, 0.0
    for at, run in enumerate(runs):
        if at:
            score -= _hole_cost(runs[at - 1], run, source)
        if score <= 0:
            begin, score = at, 0.0
        score += run.size
        if score > best_score:
            best, best_score = (begin, at + 1), score
    return runs[best[0] : best[1]]


# Order -------------------------------------------------------------------------------------------------------------

_ROUNDS = 12
"""Limit of the chains; remaining pieces get their first place."""

_MOST_WEIGHT = 100
"""Limit of a piece's weight, its length, in the choice of a chain."""


def _hints(index: _SourceIndex, pieces: Sequence[Piece], collapsed: Sequence[_NormalizedText]) -> dict[int, int]:
    """Return collapsed offsets of correct hints that distinguish pieces of equal text."""
    source = index.collapsed
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
        # A library that searches from the beginning reports the first place for each repetition.
        if all(left < right for left, right in pairwise(starts)):
            kept.update(hints)
    return kept


@dataclass(frozen=True)
class _Link:
    """A piece at a place, linked to its predecessor in a chain."""

    piece: int
    start: int
    weight: float
    before: _Link | None


class _PlaceChooser:
    """The choice of a place for each piece."""

    def __init__(self, index: _SourceIndex, pieces: Sequence[_NormalizedText], hints: dict[int, int]) -> None:
        self.index = index
        self.pieces = pieces
        self.known = {at: places for at, piece in enumerate(pieces) if (places := index.places(piece))}
        for at, start in hints.items():
            self.known[at] = _Places(len(pieces[at]), np.array([start], dtype=np.int64))
        self.chosen: dict[int, int] = {}

    def starts(self) -> dict[int, int]:
        """Return collapsed offsets by piece, for those with a place."""
        for _ in range(_ROUNDS):
            left = [at for at in self.known if at not in self.chosen]
            if not left:
                break
            if self.chosen:
                self._avoid_taken(left)
            self.chosen.update(self._chain(left))
        for at in self.known.keys() - self.chosen.keys():
            self.chosen[at] = self.known[at].after(0)
        return dict(sorted(self.chosen.items()))

    def _avoid_taken(self, left: list[int]) -> None:
        """Restrict remaining pieces to places not taken by a piece of equal text, if there are enough."""
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
        """Return places of a chain: starts ascend, and of equal starts the longer piece is first."""
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
        """Return the heaviest subsequence of pieces with few places that can be placed in ascending order."""
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
        return start if self.known[at].size < self.known[before].size else start + 1

    def _high(self, at: int, after: int, start: int) -> int:
        """Return the last start of a piece before one at ``start``."""
        return start if self.known[after].size < self.known[at].size else start - 1

    def _latest(self, chain: list[int]) -> dict[int, int]:
        """Return the last start of each piece that leaves a place for all its successors."""
        latest: dict[int, int] = {}
        after = -1
        for at in reversed(chain):
            high = len(self.index.collapsed) if after < 0 else self._high(at, after, latest[after])
            latest[at] = self.known[at].before(high)
            after = at
        return latest

    def _joined(self, left: list[int], members: list[int], latest: dict[int, int]) -> list[int]:
        """Return the members with the pieces of many places that fit between them."""
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
                bound = len(self.index.collapsed) if following < 0 else self._high(at, following, latest[following])
                if not low <= first <= bound:
                    continue
            chain.append(at)
            before, start = at, first
        return chain


# Remaining pieces, and totals ---------------------------------------------------------------------------------------


def _is_plausible(pieces: Sequence[_NormalizedText], found: Sequence[Placed | None]) -> bool:
    """Return whether the pieces come from the source at all: one is certain, or most characters are found."""
    matched = 0
    for piece, placed in zip(pieces, found, strict=True):
        if placed:
            own = len(piece) - sum(len("".join(text.split())) for text in placed.added)
            if own >= _CERTAIN_RUN:
                return True
            matched += own
    return matched >= _MIN_SHARE_FOUND * sum(map(len, pieces))


def _fill(index: _SourceIndex, pieces: Sequence[_NormalizedText], found: list[Placed | None]) -> None:
    """Search pieces without a place between their neighbours."""
    source = index.collapsed
    following: list[int] = [len(source.whole)] * (len(found) + 1)
    for at in range(len(found) - 1, -1, -1):
        placed = found[at]
        following[at] = placed.start if placed else following[at + 1]
    previous = 0
    for at, piece in enumerate(pieces):
        if not found[at]:
            end = following[at] if following[at] >= previous else len(source.whole)
            found[at] = _filled(index, piece, previous, end)
        placed = found[at]
        previous = placed.end if placed else previous


def _filled(index: _SourceIndex, piece: _NormalizedText, start: int, end: int) -> Placed | None:
    source = index.collapsed
    if not len(piece):
        blank = piece.whole
        fits = blank and source.whole.startswith(blank, start)
        return Placed(start, start + len(blank), (), (), True) if fits else None
    low, high = np.searchsorted(source.offsets, [start, end]).tolist()
    return index.place(piece, index.runs(piece, low, low, min(high, source.past_tags(low, _REACH * len(piece) + 400))))


def _spans_where(source: str, placed: Iterable[Placed | None], test: _Test) -> tuple[Span, ...]:
    collapsed = _NormalizedText(source)
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
