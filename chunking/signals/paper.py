"""The reference method's structural comparison of neighbouring sentences, for a whole document at once.

Ten features of each sentence, stripped of white space at its ends, are compared with those of the next sentence:

- numbers by ``1 − |a − b| / max(|a|, |b|)``, both zero: 1;
- histograms by the cosine, both empty: 1, one empty: 0;
- lists by the mean of ``1 − |difference of lengths| / longer`` and ``1 − |difference of means| / max(both means, 1)``,
  both empty: 1, one empty: 0;
- records by the plain mean over their fields.

A word is what ``str.split()`` gives, punctuation is ``.,!?;:``, a variance is that of the population (0 below two
values). The weights sum to 0.82, so by ``1 − Σ weight · similarity`` equal sentences are 0.18 apart.

Choices where the method's description leaves them open:

- Blank lines are what ``\\n\\s*\\n`` matches. A paragraph, and a part of one at ``.``, counts where it holds anything
  but white space, so an empty sentence has no paragraphs.
- A character is a letter (``isalpha``), a digit (``isdigit``), a space (``isspace``), punctuation or other: the first
  that holds. Transitions are all pairs of neighbouring characters, those of one type included.
- A word is all-caps (``isupper``), capitalised (its first character ``isupper``), lower (``islower``) or mixed: the
  first that holds. It has a digit where a character ``isdigit``, and is non-alphanumeric where one is not ``isalnum``.
- Runs are of the space U+0020 and of the line feed alone; the share of white space counts every ``isspace`` character.
- Means, shares, greatest and least of nothing are 0.
- The one value of the sentence's and paragraph's length distributions is 0 for an empty sentence: a value, not none.

The text is an array of code points, and each distinct character is classified once. Words, runs and paragraphs are
arrays of offsets; statistics are sums over them by sentence. Sentences are processed in blocks of bounded size, so time
is linear in the length of the text, and memory beyond the text and the result is bounded by the larger of a block and
the longest pair of sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from chunking.runtime.arrays import Bools, Float64, Int64, UInt8

PUNCTUATION = ".,!?;:"

_FEATURES = 10
"""Features of a gap."""

_BLOCK = 1 << 18
"""Size of a block in characters: enough to spread the cost of a call, few enough for the processor's cache."""
_SENTENCE_COST = 32
"""Size of a sentence in a block in addition to its characters, so that empty ones count too."""

_LETTER, _DIGIT, _MARK, _OTHER, _SPACE, _EDGE = range(6)
"""Types of characters, those of words first. An edge is a separator before, between and after the sentences."""
_UPPER, _LOWER, _TITLE, _NUMERAL, _SYMBOL, _DOT, _BLANK, _LINE_FEED = (1 << bit for bit in range(8))
"""Flags of characters: their case, ``isdigit``, not ``isalnum``, and three single characters."""
_SINGLE = {".": _DOT, " ": _BLANK, "\n": _LINE_FEED}
_CAPITAL = 8
_CASES = np.array([0 if has & 7 == _UPPER else 1 if has & _CAPITAL else 2 if has == _LOWER else 3 for has in range(16)])
"""All-caps, capitalised, lower or mixed, by the cases in a word and whether its first character is upper case."""


def distances(texts: Sequence[str]) -> Float64:
    """Return the distance of each sentence from the next by each feature.

    Args:
        texts: the sentences, in order; white space at their ends is ignored.

    Returns:
        ``(n_sentences − 1, 10)`` float64, ``1 − similarity`` from 0 to 1, a column for each feature of ``reference``;
        ``(0, 10)`` below two sentences.

    >>> distances(["It rains.", "It pours."]).max().item()
    0.0
    >>> distances(["It rains.", "Does it?"])[0, 1].item()
    1.0
    """
    stripped = [text.strip() for text in texts]
    blocks = [_similarities(_Profile(stripped[first:last])) for first, last in _block_ranges(stripped)]
    return 1.0 - np.concatenate(blocks) if blocks else np.empty((0, _FEATURES))


def _block_ranges(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield half-open ranges of sentences, each beginning at the last of the one before, so that no pair is lost."""
    costs = np.fromiter(map(len, texts), np.int64, len(texts)) + _SENTENCE_COST
    ends = np.cumsum(costs)
    first = 0
    while first < len(texts) - 1:
        fitting = int(np.searchsorted(ends, ends[first] - costs[first] + _BLOCK, side="right"))
        last = max(fitting, first + 2)
        yield first, last
        first = last - 1


# Facts about characters, words and paragraphs


@lru_cache(maxsize=1 << 15)
def _classify(code: int) -> tuple[int, int]:
    """Return the type and flags of a code point."""
    character = chr(code)
    tests = (str.isalpha, str.isdigit, PUNCTUATION.__contains__, str.isspace)
    types = (_LETTER, _DIGIT, _MARK, _SPACE)
    kind = next((kind for kind, holds in zip(types, tests, strict=True) if holds(character)), _OTHER)
    flags = _UPPER if character.isupper() else _TITLE if character.istitle() else 0
    flags |= _LOWER if character.islower() else 0
    flags |= _NUMERAL if character.isdigit() else 0
    flags |= 0 if character.isalnum() or kind == _SPACE else _SYMBOL
    return kind, flags | _SINGLE.get(character, 0)


@dataclass(frozen=True, eq=False)
class _Groups:
    """Items in order within the sentences: words, paragraphs, runs of a character, marks.

    Attributes:
        values: ``(n_items,)``, a non-negative number of each, e.g. its length.
        counts: ``(n_sentences,)``, number of items in each sentence.
    """

    values: Int64
    counts: Int64

    @cached_property
    def firsts(self) -> Int64:
        """The index of the first item of each sentence that has any."""
        return (np.cumsum(self.counts) - self.counts)[self.counts > 0]

    def reduce(self, function: np.ufunc, values: Int64 | Float64) -> Float64:
        """Return ``(n_sentences,)``: each sentence's values reduced by a function, 0 if it has none."""
        result = np.zeros(len(self.counts))
        if values.size:
            result[self.counts > 0] = function.reduceat(values, self.firsts)
        return result

    @cached_property
    def mean(self) -> Float64:
        """``(n_sentences,)``, the mean value, 0 if there is none."""
        return self.reduce(np.add, self.values) / np.maximum(self.counts, 1)

    @cached_property
    def variance(self) -> Float64:
        """``(n_sentences,)``, the variance of the population, 0 below two values."""
        deviations = self.values - np.repeat(self.mean, self.counts)
        return self.reduce(np.add, deviations**2) / np.maximum(self.counts, 1)

    @cached_property
    def histogram_similarity(self) -> Float64:
        """``(n_gaps,)``, similarity of the histograms of the values of neighbouring sentences."""
        rank = np.cumsum(np.bincount(self.values, minlength=1) > 0)
        return _cosines(_Groups(rank[self.values] - 1, self.counts).tally(int(rank[-1])))

    def tally(self, width: int) -> Int64:
        """Return ``(n_sentences, width)``: how often each sentence has each value below the width."""
        rows = len(self.counts)
        keys = np.repeat(np.arange(rows) * width, self.counts)
        keys += self.values
        return np.bincount(keys, minlength=rows * width).reshape(rows, width)


class _Profile:
    """Everything that the features use of a block of stripped sentences.

    Attributes:
        characters: ``(n_sentences,)``, number of characters of each sentence.
        edges: ``(n_sentences + 1,)``, places of the edges in the arrays by character.
        codes: code point of each character, edges included.
        kinds, flags: its type and its flags.
        word_starts: ``(n_words,)``, place of each word's first character.
        words: the words by their length.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.characters: Int64 = np.fromiter(map(len, texts), np.int64, len(texts))
        self.edges: Int64 = np.concatenate(([0], np.cumsum(self.characters + 1)))
        text = "\n".join(["", *texts, ""])
        self.codes: Int64 = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4").astype(np.int64)
        edge = int(self.codes.max()) + 1
        self.codes[self.edges] = edge
        kinds, flags = self._tables(edge)
        self.kinds: UInt8 = kinds[self.codes]
        self.flags: UInt8 = flags[self.codes]
        self.word_starts, self.words = self._runs(self.kinds < _SPACE)

    def _tables(self, edge: int) -> tuple[UInt8, UInt8]:
        """Return types and flags by code point, valid for those that occur."""
        occurs = np.zeros(edge + 1, np.bool_)
        occurs[self.codes] = True
        kinds, flags = np.full(edge + 1, _EDGE, np.uint8), np.zeros(edge + 1, np.uint8)
        for code in np.flatnonzero(occurs[:edge]).tolist():
            kinds[code], flags[code] = _classify(code)
        return kinds, flags

    def _runs(self, mask: Bools) -> tuple[Int64, _Groups]:
        """Return places and lengths of the runs of a mask over the characters, which is false at the edges."""
        changes = np.flatnonzero(mask[1:] != mask[:-1]) + 1
        starts, ends = changes[::2], changes[1::2]
        return starts, _Groups(ends - starts, self.count(starts))

    def count(self, positions: Int64) -> Int64:
        """Return ``(n_sentences,)``: how many of some ordered places are in each sentence."""
        return np.diff(np.searchsorted(positions, self.edges))

    def has(self, flag: int) -> Bools:
        """Return whether each character has a flag."""
        return (self.flags & flag) > 0

    def runs_of(self, flag: int) -> _Groups:
        """Return the runs of characters with a flag, by their length."""
        return self._runs(self.has(flag))[1]

    @cached_property
    def marks(self) -> _Groups:
        """The punctuation marks by their code point."""
        positions = np.flatnonzero(self.kinds == _MARK)
        return _Groups(self.codes[positions], self.count(positions))

    @cached_property
    def pairs(self) -> Int64:
        """``(n_sentences, 6, 6)``, how often a type follows a type; an edge precedes and follows each sentence."""
        keys = self.kinds[:-1] * 6 + self.kinds[1:]
        # Most pairs are two letters, key 0: their number is the rest of a sentence after counting the others.
        nonzero_indices = np.flatnonzero(keys != 0)
        counts = _Groups(keys[nonzero_indices].astype(np.int64), self.count(nonzero_indices)).tally(36)
        counts[:, 0] = self.characters + 1 - counts.sum(axis=1)
        return counts.reshape(-1, 6, 6)

    @cached_property
    def types(self) -> Int64:
        """``(n_sentences, 5)``, how many characters of each type."""
        types: Int64 = self.pairs[:, :_EDGE].sum(axis=2)
        return types

    @cached_property
    def shares(self) -> Float64:
        """``(n_sentences, 5)``, share of each type in the characters."""
        return self.types / np.maximum(self.characters, 1)[:, None]

    @cached_property
    def paragraph_words(self) -> Int64:
        """``(n_paragraphs,)``, the first word of each: the first of a sentence, or one after two line feeds."""
        feeds = np.searchsorted(self.word_starts, np.flatnonzero(self.has(_LINE_FEED)))
        opens = np.bincount(feeds, minlength=len(self.word_starts)) > 1
        opens[self.words.firsts] = True
        return np.flatnonzero(opens)

    @cached_property
    def paragraphs(self) -> _Groups:
        """The paragraphs by their number of words."""
        words = self.paragraph_words
        return _Groups(np.diff(words, append=len(self.word_starts)), self.count(self.word_starts[words]))

    @cached_property
    def parts(self) -> _Groups:
        """The paragraphs by their number of parts at full stops.

        A part begins where a paragraph begins with anything but a full stop, and where a full stop is followed by
        anything else in the same paragraph, white space apart.
        """
        dot = self.has(_DOT)
        dots = np.flatnonzero(dot)
        starts = self.word_starts[self.paragraph_words]
        next_words = np.minimum(np.searchsorted(self.word_starts, dots, side="right"), len(self.word_starts) - 1)
        ends_word = self.kinds[dots + 1] >= _SPACE
        following = np.where(ends_word, self.word_starts[next_words], dots + 1)
        paragraph, next_paragraph = (
            np.searchsorted(starts, positions, side="right") - 1 for positions in (dots, following)
        )
        begins = (following > dots) & (paragraph == next_paragraph) & ~dot[following]
        later = np.bincount(paragraph[begins], minlength=len(starts))
        return _Groups(later + ~dot[starts], self.paragraphs.counts)

    @cached_property
    def word_flags(self) -> UInt8:
        """``(n_words,)``, the flags of each word."""
        if not self.word_starts.size:
            return np.zeros(0, np.uint8)
        return np.bitwise_or.reduceat(self.flags, self.word_starts)

    @cached_property
    def word_cases(self) -> _Groups:
        """The words by case, as in :data:`_CASES`."""
        capital = (self.flags[self.word_starts] & _UPPER) * _CAPITAL
        return _Groups(_CASES[self.word_flags & (_UPPER | _LOWER | _TITLE) | capital], self.words.counts)

    def share_of_words(self, flag: int) -> Float64:
        """Return ``(n_sentences,)``: share of the words with a flag."""
        return _Groups(((self.word_flags & flag) > 0).astype(np.int64), self.words.counts).mean


# Similarities of neighbours


def _cosines(counts: Int64) -> Float64:
    """Return ``(n_gaps,)`` cosines of neighbouring rows of ``(n_sentences, n_bins)``; both empty: 1, one empty: 0."""
    bins = counts.astype(np.float64)
    dots = np.einsum("ij,ij->i", bins[:-1], bins[1:])
    squares = np.einsum("ij,ij->i", bins, bins)
    norms = np.sqrt(squares[:-1] * squares[1:])
    both_empty = squares[:-1] + squares[1:] == 0
    return np.where(both_empty, 1.0, dots / np.where(norms > 0, norms, 1.0))


def _similarity(values: Int64 | Float64, floor: float = 0.0) -> Float64:
    """Return ``(n_gaps, …)``: one minus the difference of neighbours over the greater or the floor; both zero: 1."""
    left, right = values[:-1], values[1:]
    greater = np.maximum(np.maximum(left, right), floor)
    return 1.0 - np.abs(left - right) / np.where(greater > 0, greater, 1.0)


def _list_similarity(groups: _Groups) -> Float64:
    """Return ``(n_gaps,)`` similarity of lists in length and mean: 1 if both are empty, 0 if one is."""
    full = groups.counts > 0
    either = (_similarity(groups.counts) + _similarity(groups.mean, floor=1.0)) / 2
    return np.where(full[:-1] & full[1:], either, full[:-1] == full[1:])


def _mean_similarity(*fields: Float64) -> Float64:
    """Return ``(n_gaps,)``: the plain mean over the fields."""
    return np.mean(fields, axis=0)  # type: ignore[no-any-return]


def _paragraph_structure(profile: _Profile) -> Float64:
    sizes = profile.paragraphs
    return _mean_similarity(
        _similarity(sizes.counts), _similarity(sizes.mean), _similarity(sizes.variance), _list_similarity(profile.parts)
    )


def _characters(profile: _Profile) -> Float64:
    transitions = profile.pairs[:, :_EDGE, :_EDGE].reshape(-1, _EDGE * _EDGE)
    shares = _similarity(profile.shares[:, [_LETTER, _DIGIT, _SPACE, _MARK]]).mean(axis=1)
    return _mean_similarity(_cosines(profile.types), _cosines(transitions), shares)


def _token_level(profile: _Profile) -> Float64:
    words = profile.words
    shares = (_similarity(profile.share_of_words(flag)) for flag in (_NUMERAL, _SYMBOL))
    lengths = (_similarity(words.counts), _similarity(words.mean), _similarity(words.variance))
    return _mean_similarity(*lengths, profile.word_cases.histogram_similarity, *shares)


def _spacing(profile: _Profile) -> Float64:
    runs = [profile.runs_of(_BLANK), profile.runs_of(_LINE_FEED)]
    fields = [field for run in runs for field in (run.histogram_similarity, _similarity(run.mean))]
    return _mean_similarity(*fields, _similarity(profile.shares[:, _SPACE]))


def _length_distributions(profile: _Profile) -> Float64:
    words = profile.words
    extremes = (_similarity(words.reduce(function, words.values)) for function in (np.maximum, np.minimum))
    lengths = _mean_similarity(
        words.histogram_similarity, _similarity(words.mean), _similarity(words.variance), *extremes
    )
    same = np.diff(words.counts) == 0
    # A single value: its histograms are equal or disjoint, and its variance is always 0.
    mean_similarity = _mean_similarity(same.astype(np.float64), _similarity(words.counts), np.ones(len(same)))
    return _mean_similarity(lengths, mean_similarity, mean_similarity)


def _similarities(profile: _Profile) -> Float64:
    """Return ``(n_gaps, 10)``: the similarity of neighbours by each feature."""
    columns = {
        "paragraph_structure": _paragraph_structure(profile),
        "punctuation": profile.marks.histogram_similarity,
        "word_lengths": profile.words.histogram_similarity,
        "characters": _characters(profile),
        "sentence_length": _similarity(profile.words.counts),
        "mean_word_length": _similarity(profile.words.mean),
        "punctuation_density": _similarity(profile.shares[:, _MARK]),
        "token_level": _token_level(profile),
        "spacing": _spacing(profile),
        "length_distributions": _length_distributions(profile),
    }
    return np.column_stack(list(columns.values()))
