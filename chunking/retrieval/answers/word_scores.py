"""Answers compared with quotes by their words, without a model: F1 of SQuAD, and the share of the quote's words.

Texts are normalised as SQuAD's evaluation does (Rajpurkar et al. 2016): lower case, without punctuation and the
articles *a*, *an* and *the*. In scripts that are written without spaces every character is a word, as in the evaluation
of MLQA (Lewis et al. 2020).
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from string import punctuation

from chunking.retrieval.search.bm25 import UNSPACED

_ARTICLES = ("a", "an", "the")

RIGHT_F1, RIGHT_SHARE = 0.5, 0.8
"""From this F1 on, or this share of the quote's words, an answer is right by its words."""


@dataclass(frozen=True, slots=True)
class WordScores:
    """An answer compared with a quote.

    Attributes:
        f1: harmonic mean of the shares of the answer's and of the quote's words that both have, from 0 to 1.
        contained: share of the quote's words that the answer has.
    """

    f1: float
    contained: float

    @property
    def is_right(self) -> bool:
        """Whether the answer is right by its words alone."""
        return self.f1 >= RIGHT_F1 or self.contained >= RIGHT_SHARE


def compare_words(answer: str, quote: str) -> WordScores:
    """Return how far the words of an answer are those of a quote; a word counts as often as both have it."""
    given, expected = Counter(answer_words(answer)), Counter(answer_words(quote))
    if not given or not expected:
        same = float(given == expected)
        return WordScores(same, same)
    shared = (given & expected).total()
    return WordScores(2 * shared / (given.total() + expected.total()), shared / expected.total())


def answer_words(text: str) -> list[str]:
    """Return the normalised words of a text; each character is one where a script has no spaces."""
    kept = (letter if _is_kept(letter) else "" if letter in punctuation else " " for letter in _folded(text))
    words: list[str] = []
    for run in "".join(kept).split():
        end = 0
        for unspaced in UNSPACED.finditer(run):
            words += [run[end : unspaced.start()], *unspaced[0]]
            end = unspaced.end()
        words.append(run[end:])
    return [word for word in words if word and word not in _ARTICLES]


def _folded(text: str) -> str:
    """Return a text in lower case, with compatible characters (full-width letters, ligatures) as one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _is_kept(letter: str) -> bool:
    """Return whether a character is a letter, a mark on one, or a digit."""
    return unicodedata.category(letter)[0] in "LMN"
