"""BM25 with the parameters of Lucene (k₁ = 1.2, b = 0.75), over texts that need not be in one process.

Words are runs of letters and digits in lower case; in scripts that are written without spaces, pairs of characters. A
:class:`WordTable` has the length of each text, and how often it has each word of a vocabulary: that of the questions is
enough to search for them. :class:`WordStatistics` over all texts of a corpus tell how rare each word is and how long a
text is on average; with these, the texts of any part of it get the scores that they have in the whole corpus, to the
last bit: the same formula in the same precision, added up in the same order.
"""

from __future__ import annotations

import copy
import math
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunking.loading.superscripts import fold_scripts
from chunking.retrieval.search.ranking import Rankings, best
from chunking.runtime.arrays import Float32, Int64
from chunking.runtime.patterns import compile_pattern

_K1, _B = 1.2, 0.75

_WORDS = compile_pattern(r"[^\W_]+")
UNSPACED = compile_pattern(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Runs of characters of scripts that are written without spaces."""


def words(text: str) -> list[str]:
    """Return the terms that BM25 counts: lower-case words; pairs of characters in scripts without spaces.

    Superscripts and subscripts count as the characters that they are, so that ``CO₂`` is found by ``CO2``.
    """
    terms: list[str] = []
    for word in _WORDS.findall(fold_scripts(text).lower()):
        end = 0
        for run in UNSPACED.finditer(word):
            if run.start() > end:
                terms.append(word[end : run.start()])
            terms += [run[0][start : start + 2] for start in range(max(len(run[0]) - 1, 1))]
            end = run.end()
        if end < len(word):
            terms.append(word[end:])
    return terms


def term_spans(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """Return the occurrences of terms of :func:`words` in a text, as half-open spans in order."""
    spans = []
    text = fold_scripts(text)
    for run in _WORDS.finditer(text):
        if run[0].lower() in terms:
            spans.append(run.span())
        elif UNSPACED.search(run[0]):
            pairs = (start for start in range(run.start(), run.end()) if text[start : start + 2].lower() in terms)
            spans += [(start, min(start + 2, run.end())) for start in pairs]
    return spans


def vocabulary(texts: Iterable[str]) -> dict[str, int]:
    """Return the words of texts, each with its number."""
    return {word: number for number, word in enumerate(sorted({word for text in texts for word in words(text)}))}


@dataclass(frozen=True, eq=False)
class WordStatistics:
    """Sums over texts, which add up.

    Attributes:
        texts: number of texts.
        length: words in all of them.
        holding: ``(n_words,)`` int64, how many texts have each word of the vocabulary.
    """

    texts: int
    length: int
    holding: Int64

    def __add__(self, other: WordStatistics) -> WordStatistics:
        return WordStatistics(self.texts + other.texts, self.length + other.length, self.holding + other.holding)


@dataclass(frozen=True, eq=False)
class WordTable:
    """The words of some texts.

    Attributes:
        lengths: ``(n_texts,)`` int64, words of each.
        text, word, times: int64, an entry for each text and word of the vocabulary that it has, by ascending text.
    """

    lengths: Int64
    text: Int64
    word: Int64
    times: Int64

    @classmethod
    def count(cls, texts: Iterable[str], vocabulary: dict[str, int], extend: bool = False) -> WordTable:
        """Count the words of texts that are in a vocabulary; ``extend`` adds to it those that are not."""
        lengths, numbers, entries, times = array("q"), array("q"), array("q"), array("q")
        for number, text in enumerate(texts):
            terms = words(text)
            lengths.append(len(terms))
            for word, count in Counter(terms).items():
                entry = vocabulary.setdefault(word, len(vocabulary)) if extend else vocabulary.get(word)
                if entry is not None:
                    numbers.append(number)
                    entries.append(entry)
                    times.append(count)
        return cls(*(np.array(column, dtype=np.int64) for column in (lengths, numbers, entries, times)))

    @classmethod
    def concatenate(cls, tables: Sequence[WordTable]) -> WordTable:
        """Return the words of tables whose texts follow each other."""
        firsts = np.cumsum([0, *(len(table.lengths) for table in tables)])[:-1].tolist()
        return cls(
            np.concatenate([table.lengths for table in tables]),
            np.concatenate([first + table.text for first, table in zip(firsts, tables, strict=True)]),
            np.concatenate([table.word for table in tables]),
            np.concatenate([table.times for table in tables]),
        )

    def statistics(self, vocabulary_size: int) -> WordStatistics:
        """Return the sums over all texts."""
        holding = np.bincount(self.word, minlength=vocabulary_size)
        return WordStatistics(len(self.lengths), int(self.lengths.sum()), holding)


class BM25:
    """Scores of texts for questions.

    Args:
        questions: their texts.
        vocabulary: the numbers of words; those of the questions that it lacks are in no text.
        table: the words of the texts.
        corpus: sums over all texts of the corpus; ``None`` if the table has all of them.
    """

    def __init__(
        self,
        questions: Sequence[str],
        vocabulary: Mapping[str, int],
        table: WordTable,
        corpus: WordStatistics | None = None,
    ) -> None:
        self._vocabulary = vocabulary
        self._corpus = corpus or table.statistics(len(vocabulary))
        self._texts = len(table.lengths)
        order = np.argsort(table.word, kind="stable")
        self._text = table.text[order]
        self._gain = self._gains(table)[order]
        self._ends = np.searchsorted(table.word[order], np.arange(len(vocabulary) + 1))
        self._questions = [self._known_words(text) for text in questions]

    @classmethod
    def of_texts(cls, questions: Sequence[str], texts: Sequence[str]) -> BM25:
        """Return a scorer of all texts of a corpus for these questions alone."""
        numbers = vocabulary(questions)
        return cls(questions, numbers, WordTable.count(texts, numbers))

    @classmethod
    def for_any_question(cls, texts: Sequence[str]) -> BM25:
        """Return a scorer of all texts of a corpus that any question can be asked of, see :meth:`asking`."""
        numbers: dict[str, int] = {}
        table = WordTable.count(texts, numbers, extend=True)
        return cls([], numbers, table)

    def _known_words(self, question: str) -> list[str]:
        numbers, holding = self._vocabulary, self._corpus.holding
        return [word for word in words(question) if word in numbers and holding[numbers[word]]]

    def _gains(self, table: WordTable) -> Float32:
        """Return what each entry of a table adds to the score of its text."""
        texts, length = self._corpus.texts, self._corpus.length
        rarity = np.array(
            [math.log(1 + (texts - holding + 0.5) / (holding + 0.5)) for holding in self._corpus.holding.tolist()],
            dtype=np.float32,
        )
        average = length / texts if length else 1.0
        times = table.times.astype(np.float32)
        share = times / (_K1 * ((1 - _B) + _B * table.lengths[table.text] / average) + times)
        gains: Float32 = (rarity[table.word] * share).astype(np.float32)
        return gains

    def asking(self, questions: Sequence[str]) -> BM25:
        """Return a scorer of the same texts for other questions."""
        other = copy.copy(self)
        other._questions = [self._known_words(text) for text in questions]
        return other

    @property
    def questions(self) -> int:
        """The number of questions."""
        return len(self._questions)

    def scores(self, first: int, last: int) -> Float32:
        """Return ``(last − first, n_texts)`` float32 for some questions; 0 if no word is shared."""
        scores = np.zeros((last - first, self._texts), dtype=np.float32)
        for row, question in zip(scores, self._questions[first:last], strict=True):
            for word in question:
                self._add(row, word)
        return scores

    def search(self, depth: int) -> Rankings:
        """Return the best texts of each question; a text without a word of it is not found."""
        return best(self, depth, least=0.0)

    def term_scores(self, question: int, texts: Int64) -> dict[str, Float32]:
        """Return what each term of a question adds to the scores of texts; only terms that some of them has.

        Args:
            question: its number.
            texts: ``(n,)`` int64 indices.

        Returns:
            ``(n,)`` float32 by term; their sum is the score.
        """
        scores: dict[str, Float32] = {}
        for word, times in Counter(self._questions[question]).items():
            row = np.zeros(self._texts, dtype=np.float32)
            self._add(row, word)
            scores[word] = row[texts] * np.float32(times)
        return {word: score for word, score in scores.items() if score.any()}

    def _add(self, row: Float32, word: str) -> None:
        """Add the scores of a word to those of all texts."""
        number = self._vocabulary[word]
        entries = slice(self._ends[number], self._ends[number + 1])
        row[self._text[entries]] += self._gain[entries]  # a text has one entry a word
