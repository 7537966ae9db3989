"""Exact token counts of any run of a document's segments, each with one subtraction."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from chunking.runtime.arrays import Int64
from chunking.tokens.counters import TokenCounter, TokenLocator


@lru_cache(maxsize=2)
def _seams(counter: TokenCounter, text: str) -> tuple[Int64, Int64 | None]:
    """Return the seams of a text, and the number of its tokens before each, if the counter can locate them.

    Those of the latest texts are cached, since every strategy builds a table of the same document: at most 16 bytes per
    seam; English has a seam every five characters.
    """
    seams = np.flatnonzero(counter.seams(text))
    starts = counter.starts(text) if isinstance(counter, TokenLocator) else None
    before = None if starts is None else np.searchsorted(starts, seams, side="left")
    for array in (seams, before):
        if array is not None:
            array.flags.writeable = False
    return seams, before


_EAGER = 1_000  # characters from a cut to its seam that are counted in advance
_CACHED_SPANS = 65_536  # spans
_UNKNOWN = -1


_DENSE = 64  # cuts without a seam up to which each is counted
_PROBED = 4_096  # characters without a seam up to which a span is counted in full
_LEAST_SEAMED = 32  # characters from which a span is counted by its seams: tokenising a few takes no longer
_LEAST_PROBED = 256  # characters of the part of a text that is counted first
_SLACK = 64  # tokens by which a part may have more than the whole


class TextCounter:
    """Exact token counts of any spans of one text.

    Between the seams of a span, its tokens come from one tokenisation of the whole text, which all tables of the text
    share, if the counter can locate its tokens. What is left is counted: in base64, a few characters.

    Args:
        text: the text.
        counter: its token counter.
    """

    def __init__(self, text: str, counter: TokenCounter) -> None:
        self._text, self._counter = text, counter
        self._seams, self._tokens_before = _seams(counter, text)

    def count(self, start: int, end: int) -> int:
        """Return the number of tokens of a span, tokenised on its own."""
        if self._tokens_before is not None and end - start > _LEAST_SEAMED:
            first = int(self._seams.searchsorted(start))
            last = int(self._seams.searchsorted(end, side="right")) - 1
            if first < last:
                outside = [self._text[start : self._seams[first]], self._text[self._seams[last] : end]]
                between = self._tokens_before[last] - self._tokens_before[first]
                return int(between + self._counter.count(outside).sum())
        return int(self._counter.count([self._text[start:end]])[0])


Count = Callable[[int, int], int]
"""``count(start, end)``: returns the number of tokens of a span."""


def is_within(text: str, start: int, end: int, counter: TokenCounter, maximum: int, count: Count | None = None) -> bool:
    """Return whether ``text[start:end]`` has at most ``maximum`` tokens.

    Of a text that has far more only a part is counted: the rest takes none of its tokens away.

    Args:
        text, start, end: the text and the span.
        counter: the token counter.
        maximum: the tokens that it may have.
        count: a faster way to count spans of this text, if there is one.
    """
    count = count or _direct_count(text, counter)
    length = max(_LEAST_PROBED, 4 * maximum)
    while length < end - start:
        if count(start, start + length) > 2 * maximum + _SLACK:
            return False
        length *= 2
    return count(start, end) <= maximum


def _direct_count(text: str, counter: TokenCounter) -> Count:
    return lambda start, end: int(counter.count([text[start:end]])[0])


def furthest_within(
    text: str, start: int, stop: int, counter: TokenCounter, maximum: int, count: Count | None = None
) -> int:
    """Return the last offset up to ``stop`` before which the text from ``start`` has at most ``maximum`` tokens.

    It lies near the place where that many tokens of a longer part end, and the time grows with the maximum alone.

    Args:
        text, start, stop: the text, the start of the span and its last possible end.
        counter: the token counter.
        maximum: the tokens that it may have.
        count: a faster way to count spans of this text, if there is one.
    """
    count = count or _direct_count(text, counter)
    length = max(_LEAST_PROBED, 2 * maximum)
    while True:
        end = min(start + length, stop)
        begins = counter.starts(text[start:end]) if isinstance(counter, TokenLocator) else None
        tokens = count(start, end) if begins is None else len(begins)
        if end == stop or tokens > maximum + _SLACK:
            break
        length *= 2
    if tokens <= maximum:
        return stop
    ratio = start + (end - start) * maximum // tokens
    guess = ratio if begins is None else start + int(begins[maximum])
    return last_fitting(start, stop, guess, lambda offset: count(start, offset) <= maximum)


def last_fitting(low: int, high: int, guess: int, fits: Callable[[int], bool], step: int = 1) -> int:
    """Return the last number from ``low`` to ``high`` that fits, by doubling steps from a guess and bisection.

    ``low`` is assumed to fit, and each number after one that does not is assumed not to.
    """
    probe, first_bad = min(max(guess, low), high), high + 1
    if probe > low and not fits(probe):
        first_bad = probe
        while first_bad - step > low and not fits(first_bad - step):
            first_bad, step = first_bad - step, 2 * step
        low = max(first_bad - step, low)
    else:
        low = probe
        while low < high:
            probe = min(low + step, high)
            if not fits(probe):
                first_bad = probe
                break
            low, step = probe, 2 * step
    while first_bad - low > 1 and low < high:
        middle = (low + first_bad) // 2
        low, first_bad = (middle, first_bad) if fits(middle) else (low, middle)
    return low


class SpanTokens:
    """Exact token counts of runs of a text's segments, about as fast as one subtraction each.

    The text is cut at ``cuts``. The nearest seams at or after, and at or before, each cut divide the text into
    stretches whose counts add up; a span from cut *a* to cut *b* is then

        tokens from a to the seam after it + tokens between the seams + tokens from the seam before b to b.

    If the counter can locate its tokens, the middle comes from one tokenisation of the whole text, which all tables of
    the text share; a word at the beginning or end of a span is counted on first use. With other counters everything is
    counted on creation, which takes about as long as counting the text once. Spans without a seam inside (in practice,
    parts of a word) are counted directly and cached. So are beginnings and ends more than 1,000 characters from their
    seam, on first use, so that a text without seams costs no more than its spans.

    Args:
        text: the document's text.
        cuts: ``(n,)`` int64 offsets in ascending order, repetition allowed, each from 0 to ``len(text)``.
        counter: the token counter.

    Example:
        >>> from chunking.tokens import get_tokenizer
        >>> spans = SpanTokens("One two. Three four.", np.array([0, 9, 20]), get_tokenizer())
        >>> spans.span_counts(np.array([0, 0, 1]), np.array([1, 2, 2])).tolist()
        [4, 6, 3]
    """

    def __init__(self, text: str, cuts: npt.ArrayLike, counter: TokenCounter) -> None:
        self.text = text
        self.cuts: Int64 = np.asarray(cuts, dtype=np.int64).reshape(-1)
        self.counter = counter
        self.direct_counts = 0
        """Number of spans, beginnings and ends counted one by one so far."""
        ends = self.cuts[[0, -1]] if self.cuts.size else np.zeros(2, dtype=np.int64)
        if ends[0] < 0 or ends[1] > len(text) or np.any(np.diff(self.cuts) < 0):
            raise ValueError("cuts must be in ascending order, from 0 to the length of the text")
        self._cache: dict[tuple[int, int], int] = {}
        self._lock = threading.Lock()
        seams, before_seam = _seams(counter, text)
        after = np.searchsorted(seams, self.cuts, side="left")
        before = np.searchsorted(seams, self.cuts, side="right") - 1
        self._after: Int64 = seams[after]
        self._before: Int64 = seams[before]
        if before_seam is None:
            self._measure()
        else:
            self._to_after: Int64 = before_seam[after]
            self._to_before: Int64 = before_seam[before]
            self._head = np.where(self._after > self.cuts, _UNKNOWN, 0)
            self._tail = np.where(self._before < self.cuts, _UNKNOWN, 0)
        self._open = int(np.count_nonzero(self._head == _UNKNOWN) + np.count_nonzero(self._tail == _UNKNOWN))
        """Number of beginnings and ends not counted yet."""
        self._unknown = self._open > 0

    def _measure(self) -> None:
        stops = np.unique(np.concatenate([self._after, self._before]))
        near_head = self._after - self.cuts <= _EAGER
        near_tail = self.cuts - self._before <= _EAGER
        counts = self._count(
            np.concatenate([stops[:-1], self.cuts[near_head], self._before[near_tail]]),
            np.concatenate([stops[1:], self._after[near_head], self.cuts[near_tail]]),
        )
        stretches, heads, tails = np.split(counts, np.cumsum([max(len(stops) - 1, 0), int(near_head.sum())]))
        self._head = np.full(len(self.cuts), _UNKNOWN, dtype=np.int64)
        self._tail = np.full(len(self.cuts), _UNKNOWN, dtype=np.int64)
        self._head[near_head] = heads
        self._tail[near_tail] = tails
        total = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(stretches)])
        self._to_after = total[np.searchsorted(stops, self._after)]
        self._to_before = total[np.searchsorted(stops, self._before)]

    def parts(self) -> tuple[Int64, Int64, Int64, Int64]:
        """Return what counts are made of, ``(n,)`` int64 each: ``head``, ``tail``, ``to_after``, ``to_before``.

        The tokens from cut *a* to cut *b* are ``head[a] + to_before[b] − to_after[a] + tail[b]`` wherever a seam lies
        between them, as it does around every word.
        """
        everything = np.arange(len(self.cuts))
        with self._lock:
            self._complete(self._head, everything, self.cuts, self._after)
            self._complete(self._tail, everything, self._before, self.cuts)
            self._unknown = self._open > 0
        return self._head, self._tail, self._to_after, self._to_before

    @cached_property
    def seamless(self) -> Int64:
        """``(n,)`` int64: from how many cuts after each no seam separates it, so that :meth:`parts` give no count."""
        cuts = np.arange(len(self.cuts))
        sizes: Int64 = np.maximum(np.searchsorted(self._before, self._after, side="left") - cuts - 1, 0)
        return sizes

    def seamless_counts(self) -> Int64:
        """Return the tokens from each cut to each of the cuts after it that :attr:`seamless` counts, in that order."""
        sizes = self.seamless
        first = np.repeat(np.arange(len(self.cuts)), sizes)
        rank = np.arange(len(first)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self.span_counts(first, first + 1 + rank)

    @property
    def reached(self) -> Int64:
        """``(n,)`` int64, ascending: tokens up to the last seam before each cut, as the start of a search."""
        return self._to_before

    def span_counts(self, first: npt.ArrayLike, last: npt.ArrayLike) -> Int64:
        """Return the number of tokens of ``text[cuts[first]:cuts[last]]``, tokenised on its own: ``(m,)`` int64.

        Args:
            first: ``(m,)`` int64, index of the cut at the start of each span.
            last: ``(m,)`` int64, index of the cut at its end, not less than ``first``.
        """
        begin = np.asarray(first, dtype=np.int64).reshape(-1)
        end = np.asarray(last, dtype=np.int64).reshape(-1)
        if begin.size and ((begin > end).any() or begin.min() < 0 or end.max() >= len(self.cuts)):
            raise ValueError("first and last must be indices of cuts, first not after last")
        is_disjoint = self._after[begin] <= self._before[end]
        with self._lock:
            if self._unknown:
                self._complete(self._head, begin[is_disjoint], self.cuts, self._after)
                self._complete(self._tail, end[is_disjoint], self._before, self.cuts)
                self._unknown = self._open > 0
            counts: Int64 = self._head[begin] + self._to_before[end] - self._to_after[begin] + self._tail[end]
            if not is_disjoint.all():
                counts[~is_disjoint] = self._count_cached(self.cuts[begin[~is_disjoint]], self.cuts[end[~is_disjoint]])
        return counts

    def count(self, first: int, last: int) -> int:
        """Return the number of tokens of one span, see :meth:`span_counts`, in about a microsecond."""
        head, tail = self._head[first], self._tail[last]
        if head == _UNKNOWN or tail == _UNKNOWN or not first <= last or self._after[first] > self._before[last]:
            return int(self.span_counts([first], [last])[0])
        return int(head + self._to_before[last] - self._to_after[first] + tail)

    def counts_to(self, first: int, begin: int, end: int) -> Int64:
        """Return the number of tokens from one cut to each of a range of cuts: ``(end − begin,)`` int64.

        Args:
            first: index of the cut at the start of all spans.
            begin, end: half-open range of the cuts at their ends, none before ``first``.
        """
        if self._unknown or not first <= begin < end or self._after[first] > self._before[begin]:
            stops = np.arange(begin, end)
            return self.span_counts(np.full(len(stops), first), stops)
        row = slice(begin, end)
        counts: Int64 = self._to_before[row] + self._tail[row]
        counts += self._head[first] - self._to_after[first]
        return counts

    def is_within(self, first: int, last: int, maximum: int) -> bool:
        """Return whether a span has at most ``maximum`` tokens, in a time that grows with the maximum alone."""
        start, end = int(self.cuts[first]), int(self.cuts[last])
        # The beginning and the end outside the seams are what is counted.
        counted = (self._after[first] - start) + (end - self._before[last])
        if end - start <= _PROBED or (self._after[first] <= self._before[last] and counted <= _PROBED):
            return self.count(first, last) <= maximum
        return is_within(self.text, start, end, self.counter, maximum)

    def counts_within(self, first: int, begin: int, end: int, maximum: int) -> Int64:
        """Return the tokens from one cut to each of a range of cuts, up to one from which on all exceed the maximum.

        They are exact, but where a cut lies far from any seam or many follow each other without one (a word of a
        million letters, a text of commas): from there the last cut up to which a span fits is found by bisection, and
        the numbers before it are interpolated.

        Args:
            first: index of the cut at the start of all spans.
            begin, end: half-open range of the cuts at their ends, not empty, none before ``first``.
            maximum: tokens of a span.

        Returns:
            ``(n,)`` int64, at most ``end − begin`` of them.
        """
        stop = self.reach(first, begin, end, maximum)
        near = begin + self._countable(first, begin, stop)
        exact = self.counts_to(first, begin, near) if near > begin else np.zeros(0, dtype=np.int64)
        if near == stop or (len(exact) and exact[-1] > maximum):
            return exact
        return np.concatenate((exact, self._interpolated(first, near, stop, maximum)))

    def _countable(self, first: int, begin: int, stop: int) -> int:
        """Return how many cuts of a range are counted one by one: those near a seam, and not many without one."""
        cuts, before = self.cuts[begin:stop], self._before[begin:stop]
        is_seamless = before < self._after[first]
        is_far = (cuts - before > _PROBED) | (is_seamless & (cuts - self.cuts[first] > _PROBED))
        if is_seamless.sum() > _DENSE:
            return 0
        # Each cut of a long run without a seam would be counted from the seam before the run.
        rank = np.arange(len(before)) - np.searchsorted(before, before)
        is_far |= (rank >= _DENSE) & (self._tail[begin:stop] == _UNKNOWN)
        return int(is_far.argmax()) if is_far.any() else len(is_far)

    def _interpolated(self, first: int, begin: int, end: int, maximum: int) -> Int64:
        """Return the tokens from a cut to each of a range, up to the last that fits, see :meth:`counts_within`."""
        start = int(self.cuts[first])
        counts: dict[int, int] = {first: 0}
        low, high, length = begin - 1, end, 4 * maximum
        while high - low > 1:
            middle = (low + high) // 2
            if high == end:  # in steps that double, so that no span far beyond the maximum is counted
                middle = min(max(int(np.searchsorted(self.cuts, start + length)), low + 1), end - 1)
                length *= 2
            if self.is_within(first, middle, maximum):
                counts[middle] = int(self.counter.count([self.text[start : int(self.cuts[middle])]])[0])
                low = middle
            else:
                high = middle
        numbers = np.arange(begin, low + 1)
        lengths = [int(self.cuts[index]) - start for index in counts]
        estimates = np.interp(self.cuts[numbers] - start, lengths, list(counts.values()))
        return np.asarray(estimates.round(), dtype=np.int64)

    def reach(self, first: int, begin: int, end: int, maximum: int) -> int:
        """Return the first cut of a range from which on every span from ``first`` exceeds the maximum.

        Args:
            first: index of the cut at the start of all spans.
            begin, end: half-open range of cuts.
            maximum: tokens of a span.

        Returns:
            From ``begin`` to ``end``; cuts before it need counting.
        """
        bound = int(self._to_after[first]) + maximum
        return begin + int(self._to_before[begin:end].searchsorted(bound, side="right"))

    def _complete(self, counts: Int64, indices: Int64, start: Int64, stop: Int64) -> None:
        missing = indices[counts[indices] == _UNKNOWN]
        if missing.size:
            missing = np.unique(missing)
            counts[missing] = self._count(start[missing], stop[missing])
            self.direct_counts += int(np.count_nonzero(stop[missing] - start[missing] > _EAGER))
            self._open -= len(missing)

    def _count_cached(self, starts: Int64, stops: Int64) -> list[int]:
        spans = list(zip(starts.tolist(), stops.tolist(), strict=True))
        missing = [span for span in dict.fromkeys(spans) if span not in self._cache]
        if missing:
            if len(self._cache) > _CACHED_SPANS:
                self._cache = {span: self._cache[span] for span in spans if span in self._cache}
            counts = self.counter.count([self.text[start:stop] for start, stop in missing])
            self._cache.update(zip(missing, counts.tolist(), strict=True))
            self.direct_counts += len(missing)
        return [self._cache[span] for span in spans]

    def _count(self, starts: Int64, stops: Int64) -> Int64:
        """Count spans, each distinct text once: most beginnings and ends are the same few words and spaces."""
        texts = [self.text[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]
        distinct = {text: index for index, text in enumerate(dict.fromkeys(texts))}
        counts = self.counter.count(list(distinct))
        return counts[np.fromiter((distinct[text] for text in texts), dtype=np.int64, count=len(texts))]
