"""BM25 over a corpus that no process holds: words of the questions alone are counted, part by part.

A first pass counts, in each part, how long every text is and how often it has each of those words; sums of it over all
parts say how rare each word is and how long a text is on average. With these the texts of any part get the scores that
:class:`chunking.retrieval.search.BM25` gives them in the whole corpus, to the last bit: the same formula in the same
precision, added up in the same order.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunking.batch.steps import questions
from chunking.batch.storage import files
from chunking.retrieval.search import ranking
from chunking.runtime.arrays import Float32, Int64

_K1, _B = 1.2, 0.75


@dataclass(frozen=True, eq=False)
class WordCounts:
    """Sums over texts, which add up.

    Attributes:
        texts: how many.
        length: words in all of them.
        holding: ``(n_words,)`` int64, how many texts have each word of the questions.
    """

    texts: int
    length: int
    holding: Int64

    def __add__(self, other: WordCounts) -> WordCounts:
        return WordCounts(self.texts + other.texts, self.length + other.length, self.holding + other.holding)


@dataclass(frozen=True, eq=False)
class WordTable:
    """The words of some texts: of each, its length and how often it has the words of the questions.

    Attributes:
        lengths: ``(n_texts,)`` int64.
        text, word, times: int64, an entry for each text and word that it has: text ascending.
    """

    lengths: Int64
    text: Int64
    word: Int64
    times: Int64

    def counts(self, vocabulary: int) -> WordCounts:
        """Return their sums.

        Args:
            vocabulary: how many words the questions have.
        """
        return WordCounts(len(self.lengths), int(self.lengths.sum()), np.bincount(self.word, minlength=vocabulary))


@functools.lru_cache(maxsize=2)
def vocabulary(path: str) -> Mapping[str, int]:
    """Return the words of the questions in a file, each with its place."""
    words = {word for question in questions.read(path).questions for word in ranking.words(question.text)}
    return {word: place for place, word in enumerate(sorted(words))}


def count(texts: Sequence[str], known: Mapping[str, int]) -> WordTable:
    """Count the words of texts.

    Args:
        texts: what is searched.
        known: the words of the questions.
    """
    lengths: list[int] = []
    rows: list[tuple[int, int, int]] = []
    for place, text in enumerate(texts):
        said = ranking.words(text)
        lengths.append(len(said))
        rows += [(place, known[word], times) for word, times in Counter(said).items() if word in known]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T.copy()
    return WordTable(np.array(lengths, dtype=np.int64), *columns)


def write(path: str, words: WordTable) -> None:
    """Keep the words of a part."""
    files.write_arrays(path, {name: getattr(words, name) for name in _COLUMNS})


_COLUMNS = ("lengths", "text", "word", "times")


def read(path: str) -> WordTable | None:
    """Return the words of a part; ``None`` where they are not there whole."""
    found = files.read_arrays(path)
    return None if found is None else WordTable(*(found[name] for name in _COLUMNS))


def joined(some: Sequence[WordTable]) -> WordTable:
    """Return the words of parts that follow each other."""
    bases = np.cumsum([0, *(len(each.lengths) for each in some)])[:-1].tolist()
    return WordTable(
        np.concatenate([each.lengths for each in some]),
        np.concatenate([base + each.text for base, each in zip(bases, some, strict=True)]),
        np.concatenate([each.word for each in some]),
        np.concatenate([each.times for each in some]),
    )


class WordScorer:
    """Scores of some texts of a corpus: BM25 with the parameters of Lucene.

    Args:
        asked: the words of each question.
        known: the place of each word.
        words: of the texts.
        corpus: sums over all texts.
    """

    def __init__(
        self, asked: Sequence[Sequence[str]], known: Mapping[str, int], words: WordTable, corpus: WordCounts
    ) -> None:
        self._asked = [[known[word] for word in words_ if corpus.holding[known[word]]] for words_ in asked]
        self._texts = len(words.lengths)
        order = np.argsort(words.word, kind="stable")
        self._text = words.text[order]
        self._gain = _gains(words, corpus)[order]
        self._ends = np.searchsorted(words.word[order], np.arange(len(known) + 1))

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return len(self._asked)

    def scores(self, first: int, last: int) -> Float32:
        """Return ``(last − first, n_texts)`` float32; 0 where no word is shared."""
        found = np.zeros((last - first, self._texts), dtype=np.float32)
        for row, asked in zip(found, self._asked[first:last], strict=True):
            for word in asked:
                some = slice(self._ends[word], self._ends[word + 1])
                row[self._text[some]] += self._gain[some]  # a text is there once a word
        return found


def _gains(words: WordTable, corpus: WordCounts) -> Float32:
    """Return the contribution of each word to the score of each text that has it."""
    rarity = np.array(
        [math.log(1 + (corpus.texts - holding + 0.5) / (holding + 0.5)) for holding in corpus.holding.tolist()],
        dtype=np.float32,
    )
    average = corpus.length / corpus.texts if corpus.length else 1.0
    times = words.times.astype(np.float32)
    share = times / (_K1 * ((1 - _B) + _B * words.lengths[words.text] / average) + times)
    gains: Float32 = (rarity[words.word] * share).astype(np.float32)
    return gains
