"""Measurements of the wording beside each gap, which need no encoder.

Even a text without layout has a form. A part that ends in a colon belongs to the following text; so does a question to
its answer. A part that opens with "But" or "For example", continues a list, or is inside an open container belongs to
the preceding text. A new topic brings new words, and shares few with the sentences before it.

What a measurement is worth, and in which direction, is not decided here: :mod:`chunking.signals.boundary_model` has
learned weights.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from chunking.runtime.arrays import Bools, Float64, Int64
from chunking.runtime.patterns import compile_pattern
from chunking.sentences import Sentences

_ITEM = compile_pattern(r"(?:[-*+•·–—‣▪]|(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]|\((?:\d{1,3}|[a-z]|[ivx]{1,4})\))\s+\S")
_FIRST = compile_pattern(r"\(?[1aAiI0][.)]\s")
_BULLETS = frozenset("-*+•·–—‣▪")
_FENCE = compile_pattern(r"[ \t]*+(`{3,}+|~{3,}+|/{3,}+|:{3,}+)[ \t]*+(.*)")
_FENCES = ("```", "~~~", "///", ":::")
_TOGGLES = ("```", "~~~")
"""Fences that open without a name; longer ones may underline a title."""

_OPENING = frozenset("\"'“‘«„‚*_`([¿¡「『（")
"""Symbols that prose may open with."""

_ASKING = frozenset("?？؟")
_COLONS = frozenset(":：")
_WORD = compile_pattern(r"[^\W_]+(?:['’][^\W\d_]+)?")

_WORDS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
"""By kind and language: connectives, words that refer back (``back_references``), phrases that do either, and words
with which a speaker turns to something else, or takes the floor (``markers``)."""

_UNKNOWN = "und"
"""Code of a text whose language is not known; its connectives are sought in English."""

_SELF = "document section chapter page paper article guide pep rfc proposal specification tutorial report book"
_SELF_REFERENCES = frozenset(_SELF.split())
"""Nouns after "This" that refer to the document itself."""

_MIN_LETTERS = 3
"""Letters from which a word of a script with spaces counts as a content word; a syllable of Hangul holds several."""

_UNSPACED = compile_pattern(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters of scripts without spaces, and Hangul."""

_SHORT_WORDS = 4
"""Words up to which a sentence is short: a title, an exclamation, an answer."""

_DIGIT = compile_pattern(r"\d")
_SYMBOL = compile_pattern(r"[^\w\s.,']")
_PRECISION = 1 << 20
"""Steps of the weight of a word: sums of whole numbers are exact, so equal neighbourhoods stay equal."""


def values(sentences: Sentences) -> Float64:
    """Return the measurements of every gap.

    Returns:
        ``(n_gaps, n_measures)`` float64, columns in the order of :data:`MEASURES`.
    """
    if len(sentences) < 2:
        return np.zeros((0, len(MEASURES)))
    texts = _Texts(sentences.texts, sentences.document.language)
    return np.column_stack([np.asarray(measure(texts), dtype=np.float64) for measure in MEASURES.values()])


def connectives(sentences: Sentences) -> Float64:
    """Return whether the right side of each gap opens with a connective (1) or refers back (0.5)."""
    return _Texts(sentences.texts, sentences.document.language).connectives()


class _Texts:
    """The sentences of a document, at least two, with what several measurements need."""

    def __init__(self, texts: Sequence[str], language: str) -> None:
        self.texts, self.language = texts, language
        self.words = [_WORD.findall(text.casefold()) for text in texts]
        self.items = np.array([_is_item(text) for text in texts])
        self.markup = np.array([_is_markup(text) for text in texts]) & ~self.items
        self.asks = np.array([not _ASKING.isdisjoint(text) for text in texts])
        self.colons = np.array([text.rstrip()[-1:] in _COLONS for text in texts])
        self.short = np.array([len(words) <= _SHORT_WORDS for words in self.words])

    @cached_property
    def lengths(self) -> Float64:
        """``(n_sentences,)`` natural logarithms of 1 + the number of characters."""
        logarithms: Float64 = np.log1p(np.array([len(text) for text in self.texts], dtype=np.float64))
        return logarithms

    def share(self, count: Callable[[str], int]) -> Float64:
        """Return the share of some characters in each sentence on the right of a gap."""
        return np.array([count(text) / len(text) for text in self.texts[1:]])

    @cached_property
    def vocabulary(self) -> _Vocabulary:
        """The content words."""
        return _Vocabulary(self.words)

    def connectives(self) -> Float64:
        """Return how clearly the right side of each gap continues the left."""
        return _connectives(self.words[1:], self.language)

    def markers(self) -> Bools:
        """Return whether the right side opens with a word that takes the floor."""
        markers = frozenset(_WORDS["markers"].get(self.language, "").split())
        return np.array([bool(words) and words[0] in markers for words in self.words[1:]])


class _Vocabulary:
    """Where each content word of a document occurs.

    A word weighs ``log((n + 1) / number of sentences with it)``, in steps of ``1 / _PRECISION``.
    """

    def __init__(self, words: Sequence[Sequence[str]]) -> None:
        sets = [
            {word for word in words_of_sentence if len(word) >= _MIN_LETTERS or _UNSPACED.search(word)}
            for words_of_sentence in words
        ]
        numbers: dict[str, int] = {}
        pairs = [
            (numbers.setdefault(word, len(numbers)), index)
            for index, words_of_sentence in enumerate(sets)
            for word in words_of_sentence
        ]
        self.n = len(words)
        occurrences = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        occurrences = occurrences[np.lexsort((occurrences[:, 1], occurrences[:, 0]))]
        self.word, self.sentence = occurrences[:, 0], occurrences[:, 1]
        counts = np.bincount(self.word, minlength=len(numbers))
        weights = np.log((self.n + 1) / np.maximum(counts, 1))
        self.weight: Int64 = np.rint(_PRECISION * weights).astype(np.int64)[self.word]
        same = np.zeros(len(self.word) + 1, dtype=np.bool_)
        same[1:-1] = self.word[1:] == self.word[:-1]
        self.next = np.where(same[1:], np.roll(self.sentence, -1), _NEVER)
        """Place of the next occurrence of the same word."""
        self.first = ~same[:-1]

    def shared(self, reach: int) -> Float64:
        """Return the weight of the words on both sides over the geometric mean of each side's, ``(n_gaps,)``.

        Args:
            reach: sentences on each side.
        """
        gaps = self.n - 1
        again = self.next < _NEVER
        first_place, following, weight = self.sentence[again], self.next[again], self.weight[again]
        # A word is on both sides of a gap exactly if its nearest occurrences on either side are within reach.
        shared = _intervals(
            np.maximum(first_place, following - reach), np.minimum(following, first_place + reach), weight, gaps
        )
        left_weight = _intervals(self.sentence, np.minimum(self.next, self.sentence + reach), self.weight, gaps)
        back = np.where(self.first, -1, np.append(-1, self.sentence[:-1])[: len(self.sentence)])
        right = _intervals(np.maximum(self.sentence - reach, back), self.sentence, self.weight, gaps)
        scales = np.sqrt(left_weight.astype(np.float64) * right)
        return np.divide(shared, scales, out=np.zeros(gaps), where=scales > 0).round(_DIGITS)

    def new(self) -> Float64:
        """Return the share of new words in two sentences right of each gap beyond that in the sentence left of it."""
        total = np.bincount(self.sentence, self.weight, self.n)
        fresh = np.bincount(self.sentence[self.first], self.weight[self.first], self.n)
        share = np.divide(fresh, total, out=np.zeros(self.n), where=total > 0)
        right = (share[1:] + np.append(share[2:], share[-1])) / 2
        increase: Float64 = (right - share[:-1]).round(_DIGITS)
        return increase


_NEVER = np.int64(1) << 40
_DIGITS = 10


def _intervals(begins: Int64, ends: Int64, weights: Int64, gaps: int) -> Int64:
    """Return ``(gaps,)``: the sum of the weights of all half-open intervals of gaps that contain each gap."""
    steps = np.zeros(gaps + 1, dtype=np.int64)
    begins, ends = np.clip(begins, 0, gaps), np.clip(ends, 0, gaps)
    is_nonempty = begins < ends
    np.add.at(steps, begins[is_nonempty], weights[is_nonempty])
    np.add.at(steps, ends[is_nonempty], -weights[is_nonempty])
    sums: Int64 = np.cumsum(steps)[:-1]
    return sums


def _beside(values: Float64, step: int) -> Float64:
    """Return the value of the sentence ``step`` places after the left side of each gap; the nearest one at the ends."""
    indices = np.clip(np.arange(len(values) - 1) + step, 0, len(values) - 1)
    neighbours: Float64 = np.asarray(values, dtype=np.float64)[indices]
    return neighbours


def _is_item(text: str) -> bool:
    return _ITEM.match(text) is not None


def _is_markup(text: str) -> bool:
    """Return whether a text opens as markup rather than prose."""
    return not text[0].isalnum() and (text[0] not in _OPENING or text.startswith(("```", "***", "___", "**[")))


def _list_goes_on(texts: Sequence[str], items: Bools) -> Float64:
    """Return 1 where an item follows an item or a list continues with a later number, 0.5 where a list begins."""
    later = np.array(
        [item and text[0] not in _BULLETS and not _FIRST.match(text) for item, text in zip(items, texts, strict=True)]
    )
    return np.where(items[1:], np.where(items[:-1] | later[1:], 1.0, 0.5), 0.0)


def _containers(texts: Sequence[str]) -> Bools:
    """Return whether a fenced container is open after each text: ``::: note`` opens one, ``:::`` alone closes the last.

    A container that is never closed does not count: lines that begin with ``///`` are comments in some languages.
    """
    steps = np.zeros(len(texts) + 1, dtype=np.int64)
    open_fences: dict[str, list[int]] = {mark[0]: [] for mark in _FENCES}
    for index, text in enumerate(texts):
        if not any(mark in text for mark in _FENCES):
            continue
        for line in text.splitlines():
            if not (fence := _FENCE.fullmatch(line)):
                continue
            waiting = open_fences[fence[1][0]]
            if fence[2] or (not waiting and fence[1] in _TOGGLES):
                waiting.append(index)
            elif waiting:
                steps[waiting.pop()] += 1
                steps[index] -= 1
    is_open: Bools = np.cumsum(steps)[:-1] > 0
    return is_open


def _connectives(words: Sequence[Sequence[str]], language: str) -> Float64:
    word_language = "en" if language == _UNKNOWN else language
    on, back = (frozenset(_WORDS[kind].get(word_language, "").split()) for kind in ("connectives", "back_references"))
    phrases = frozenset(phrase.strip() for phrase in _WORDS["phrases"].get(word_language, "").split(","))

    def weight(opening: Sequence[str]) -> float:
        if not opening:
            return 0.0
        if opening[0] in on:
            return 1.0
        pair, three = " ".join(opening[:2]), " ".join(opening[:3])
        if pair in phrases or three in phrases:
            return 0.5
        return 0.5 if opening[0] in back and not _SELF_REFERENCES.intersection(opening[1:2]) else 0.0

    return np.array([weight(sentence_words[:3]) for sentence_words in words])


MEASURES: Mapping[str, Callable[[_Texts], Float64 | Bools]] = {
    "shared_words": lambda texts: texts.vocabulary.shared(1),
    "shared_words_3": lambda texts: texts.vocabulary.shared(3),
    "shared_words_6": lambda texts: texts.vocabulary.shared(6),
    "new_words": lambda texts: texts.vocabulary.new(),
    "left_length": lambda texts: texts.lengths[:-1],
    "next_length": lambda texts: _beside(texts.lengths, 2),
    "question": lambda texts: texts.asks[1:],
    "answer": lambda texts: texts.asks[:-1],
    "introduced": lambda texts: texts.colons[:-1],
    "introduced_before": lambda texts: _beside(texts.colons, -1),
    "connective": _Texts.connectives,
    "marker": _Texts.markers,
    "markup": lambda texts: texts.markup[1:],
    "after_markup": lambda texts: texts.markup[:-1],
    "list_item": lambda texts: texts.items[1:],
    "list_goes_on": lambda texts: _list_goes_on(texts.texts, texts.items),
    "container": lambda texts: _containers(texts.texts)[:-1],
    "symbols": lambda texts: texts.share(lambda text: len(_SYMBOL.findall(text))),
    "digits": lambda texts: texts.share(lambda text: len(_DIGIT.findall(text))),
    "capitals": lambda texts: texts.share(lambda text: sum(map(str.isupper, text))),
    "lines": lambda texts: np.log1p(np.array([text.count("\n") for text in texts.texts[1:]], dtype=np.float64)),
    "short_right": lambda texts: texts.short[1:],
    "short_left": lambda texts: texts.short[:-1],
}
"""What computes each measurement, ``(n_gaps,)``; their titles are in ``features.toml``, their weights in the table of
:mod:`chunking.signals.boundary_model`."""
