"""What a ranking returns: neighbours and parents, each text once, and nothing that was not found nor belongs to it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.retrieval.search.context import NO_PARENT, ReturnRule
from chunking.runtime.arrays import Int64
from chunking.strategies.context import ContextParameters

DOCUMENT = np.array([0, 0, 0, 0, 1, 1, 1], dtype=np.int64)
PARENT = np.array([0, 0, 0, NO_PARENT, 1, 1, 2], dtype=np.int64)


def places(*some: int) -> Int64:
    return np.array(some, dtype=np.int64)


def rule(**values: int | str) -> ReturnRule:
    return ReturnRule(ContextParameters.parse({}, dict(values)), DOCUMENT, PARENT)


def test_a_chunk_alone_is_returned_as_it_was_ranked() -> None:
    found = ReturnRule().of(places(5, 2, 0))
    assert found.passages.tolist() == [5, 2, 0]
    assert found.ranks.tolist() == [0, 1, 2]


def test_a_window_has_the_neighbours_of_its_document_each_once() -> None:
    found = rule(**{"return": "window"}).of(places(3, 1, 4))
    assert found.passages.tolist() == [3, 2, 1, 0, 4, 5]
    assert found.ranks.tolist() == [0, 0, 1, 1, 2, 2]
    assert rule(**{"return": "window"}, neighbours=2).of(places(4)).passages.tolist() == [4, 5, 6]


def test_a_parent_is_returned_once_more_than_half_of_it_is_found() -> None:
    parent = rule(**{"return": "parent"})
    found = parent.of(places(2, 3, 0, 6, 4, 1, 5))
    assert found.passages.tolist() == [2, 3, 0, 1, 6, 4, 5]  # the rest of parent 0 comes with the second of its three
    assert found.ranks.tolist() == [0, 1, 2, 2, 3, 4, 6]
    assert parent.of(places(4, 3)).passages.tolist() == [4, 3]  # half is not most


@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=6),
    context=st.sampled_from(
        [{"return": "chunk"}, {"return": "parent"}, {"return": "window"}, {"return": "window", "neighbours": 3}]
    ),
    data=st.data(),
)
def test_nothing_is_returned_twice_and_all_that_is_found_is_returned(
    sizes: list[int], context: dict[str, int | str], data: st.DataObject
) -> None:
    document = np.repeat(np.arange(len(sizes)), sizes)
    parent = document * 10 + np.array([data.draw(st.integers(0, 2)) for _ in document])
    made = ReturnRule(ContextParameters.parse({}, dict(context)), document, parent)
    order = np.array(data.draw(st.permutations(range(len(document)))), dtype=np.int64)
    ranked = order[: data.draw(st.integers(0, len(order)))]
    found = made.of(ranked)
    assert len(set(found.passages.tolist())) == len(found.passages) == len(found.ranks)
    assert set(ranked.tolist()) <= set(found.passages.tolist())
    assert (np.diff(found.ranks) >= 0).all()
    for place, rank in zip(found.passages.tolist(), found.ranks.tolist(), strict=True):
        hit = int(ranked[rank])
        assert document[place] == document[hit]
        if context["return"] == "window":
            assert abs(place - hit) <= made.context.neighbours
        elif place != hit:
            assert parent[place] == parent[hit]
    # A shorter ranking returns the beginning of what a longer one does, so that a larger budget only adds.
    shorter = made.of(ranked[: len(ranked) // 2])
    assert found.passages[: len(shorter.passages)].tolist() == shorter.passages.tolist()


@pytest.mark.parametrize("way", ["chunk", "parent", "window"])
def test_an_empty_ranking_returns_nothing(way: str) -> None:
    assert len(rule(**{"return": way}).of(places()).passages) == 0
