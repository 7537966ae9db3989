from __future__ import annotations

from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chunking.batch.steps import words
from chunking.retrieval.search import ranking

_TEXTS = st.lists(st.sampled_from(["sea", "lamp", "oil", "the", "tide", "crab", "海岸線"]), max_size=9).map(" ".join)


@given(
    texts=st.lists(_TEXTS, min_size=1, max_size=12),
    asked=st.lists(_TEXTS, min_size=1, max_size=4),
    cuts=st.lists(st.integers(0, 12), max_size=4),
)
def test_scores_of_parts_are_those_of_the_whole_to_the_last_bit(
    texts: list[str], asked: list[str], cuts: list[int]
) -> None:
    known = {word: place for place, word in enumerate(sorted({word for text in asked for word in ranking.words(text)}))}
    edges = [0, *sorted(min(cut, len(texts)) for cut in cuts), len(texts)]
    parts = [words.count(texts[start:end], known) for start, end in pairwise(edges)]
    corpus = reduce(add, [part.counts(len(known)) for part in parts])
    said = [ranking.words(text) for text in asked]
    scores = [words.WordScorer(said, known, part, corpus).scores(0, len(asked)) for part in parts]
    expected = ranking.BM25(asked, texts).scores(0, len(asked))
    np.testing.assert_array_equal(np.concatenate(scores, axis=1), expected)
    joined = words.WordScorer(said, known, words.joined(parts), corpus)
    np.testing.assert_array_equal(joined.scores(0, len(asked)), expected)
