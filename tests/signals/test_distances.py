from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chunking.signals import distances


def unit(*rows: list[float]) -> np.ndarray:
    vectors = np.array(rows, dtype=np.float32)
    unit: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def test_neighbours_are_compared_by_cosine() -> None:
    vectors = unit([1, 0], [1, 0], [0, 1], [1, 1])
    assert distances.semantic_distances(vectors) == pytest.approx([0, 1, 1 - np.sqrt(0.5)], abs=1e-6)


def test_blocks_are_means_of_what_stands_on_each_side() -> None:
    vectors = unit([1, 0], [0, 1], [1, 1], [-1, 1], [3, 1])
    found = distances.semantic_distances(vectors, block=2)
    for gap in range(4):
        left = vectors[max(0, gap - 1) : gap + 1].mean(axis=0)
        right = vectors[gap + 1 : gap + 3].mean(axis=0)
        cosine = left @ right / np.linalg.norm(left) / np.linalg.norm(right)
        assert found[gap] == pytest.approx(1 - cosine, abs=1e-6)


@pytest.mark.parametrize("block", [1, 3])
@pytest.mark.parametrize("count", [0, 1])
def test_no_gap_no_distance(block: int, count: int) -> None:
    assert distances.semantic_distances(np.ones((count, 4), dtype=np.float32), block).shape == (0,)


def test_opposed_blocks_that_cancel_have_distance_one() -> None:
    assert distances.semantic_distances(unit([1, 0], [-1, 0], [0, 1], [0, 1]), block=2)[1] == pytest.approx(1)


@given(hnp.arrays(np.float32, (6, 3), elements=st.floats(-1, 1, width=16)), st.integers(1, 4))
def test_distances_stay_in_their_range(vectors: np.ndarray, block: int) -> None:
    found = distances.semantic_distances(vectors, block)
    assert ((found >= 0) & (found <= 2)).all()


def test_windows_join_neighbours_as_langchain_does() -> None:
    assert distances.windows(["a", "b", "c"], 0) == ["a", "b", "c"]
    assert distances.windows(["a", "b", "c"], 1) == ["a b", "a b c", "b c"]


def test_fused_is_the_weighted_sum() -> None:
    assert distances.fuse(np.array([0.8]), np.array([0.2]), 0.25) == pytest.approx([0.35])
