from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.batch import searching
from chunking.batch.corpus import CorpusPart
from chunking.retrieval.search import ranking
from chunking.retrieval.search.ranking import Rankings


@given(
    row=st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=40),
    cuts=st.lists(st.integers(0, 40), max_size=5),
    depth=st.integers(1, 12),
)
def test_the_best_of_parts_are_the_best_of_the_whole(row: list[float], cuts: list[int], depth: int) -> None:
    scores = np.array(row, dtype=np.float32)
    edges = [0, *sorted(min(cut, len(row)) for cut in cuts), len(row)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "DEPTH", depth)
        parts = []
        for start, end in pairwise(edges):
            kept = ranking.strongest(scores[start:end], depth)
            parts.append(Rankings((start + kept,), (scores[start:end][kept],)))
        found = searching.merge_rankings(parts)
    whole = ranking.strongest(scores, depth)
    assert found.passages[0].tolist() == whole.tolist()
    assert found.scores[0].tolist() == scores[whole].tolist()


@given(texts=st.lists(st.integers(0, 9), min_size=1, max_size=12), size=st.integers(1, 20))
def test_groups_hold_every_part_once_in_order(texts: list[int], size: int) -> None:
    parts = [CorpusPart(number, "", 0, 0, 1, 0, 0, "", (), None, "") for number in range(len(texts))]
    places = searching.place_parts(parts, texts)
    groups = list(searching.group_parts(places, size))
    assert tuple(place for group in groups for place in group) == places
    assert all(sum(place.texts for place in group) >= size for group in groups[:-1])
    assert [place.first for place in places] == [sum(texts[:number]) for number in range(len(texts))]
