from __future__ import annotations

import math
from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.retrieval.search import bm25
from chunking.retrieval.search.bm25 import BM25, WordTable

CORPUS = ("The tide turns at noon", "the TIDE, the tide!", "A ferry at noon", "nothing of that kind")


def lucene(asked: list[str], corpus: list[list[str]], k1: float = 1.2, b: float = 0.75) -> list[float]:
    mean = sum(map(len, corpus)) / len(corpus)
    scores = []
    for words in corpus:
        score = 0.0
        for word in asked:
            holding = sum(word in each for each in corpus)
            if holding:
                idf = math.log(1 + (len(corpus) - holding + 0.5) / (holding + 0.5))
                often = words.count(word)
                score += idf * often / (often + k1 * (1 - b + b * len(words) / mean))
        scores.append(score)
    return scores


@pytest.mark.parametrize("asked", ["tide at noon", "ferry", "the the tide", "unknown words", ""])
def test_bm25_is_lucenes(asked: str) -> None:
    found = BM25.of_texts([asked], CORPUS).scores(0, 1)[0]
    assert found.tolist() == pytest.approx(lucene(bm25.words(asked), [bm25.words(text) for text in CORPUS]), abs=1e-5)


def test_words_of_scripts_without_spaces_are_pairs() -> None:
    assert bm25.words("Tide 12 of x_y") == ["tide", "12", "of", "x", "y"]
    assert bm25.words("潮汐表") == ["潮汐", "汐表"]
    assert bm25.words("港") == ["港"]
    assert bm25.words("v2潮汐") == ["v2", "潮汐"]


@pytest.mark.parametrize("corpus", [(), ("",), ("…", "!")])
def test_a_corpus_without_words_is_searched_in_vain(corpus: tuple[str, ...]) -> None:
    hits = BM25.of_texts(["tide"], corpus).search(10)
    assert [len(each) for each in hits.passages] == [0]


_TEXTS = st.lists(st.sampled_from(["sea", "lamp", "oil", "the", "tide", "crab", "海岸線"]), max_size=9).map(" ".join)


@given(
    texts=st.lists(_TEXTS, min_size=1, max_size=12),
    asked=st.lists(_TEXTS, min_size=1, max_size=4),
    cuts=st.lists(st.integers(0, 12), max_size=4),
)
def test_scores_of_parts_are_those_of_the_whole_to_the_last_bit(
    texts: list[str], asked: list[str], cuts: list[int]
) -> None:
    vocabulary = bm25.vocabulary(asked)
    edges = [0, *sorted(min(cut, len(texts)) for cut in cuts), len(texts)]
    parts = [WordTable.count(texts[start:end], vocabulary) for start, end in pairwise(edges)]
    corpus = reduce(add, [part.statistics(len(vocabulary)) for part in parts])
    scores = [BM25(asked, vocabulary, part, corpus).scores(0, len(asked)) for part in parts]
    expected = BM25.of_texts(asked, texts).scores(0, len(asked))
    np.testing.assert_array_equal(np.concatenate(scores, axis=1), expected)
    joined = BM25(asked, vocabulary, WordTable.concatenate(parts), corpus)
    np.testing.assert_array_equal(joined.scores(0, len(asked)), expected)
    others = BM25.for_any_question(texts).asking(asked)
    np.testing.assert_array_equal(others.scores(0, len(asked)), expected)
