from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.retrieval.search import ranking
from chunking.retrieval.search.ranking import DenseScorer, Rankings


@given(st.lists(st.integers(0, 4), max_size=30), st.integers(1, 40))
def test_the_strongest_are_the_first_of_a_stable_order(values: list[int], depth: int) -> None:
    row = np.array(values, dtype=np.float32)
    expected = sorted(range(len(values)), key=lambda place: (-values[place], place))[:depth]
    assert ranking.strongest(row, depth).tolist() == expected


def test_dense_search_orders_by_cosine() -> None:
    passages = np.eye(3, dtype=np.float32)
    asked = np.array([[0.1, 0.9, 0.2], [1.0, 0.0, 0.5]], dtype=np.float32)
    hits = DenseScorer(asked, passages).search(2)
    assert [each.tolist() for each in hits.passages] == [[1, 2], [0, 2]]


@pytest.mark.parametrize("depth", [1, 7, 90, 400])
def test_many_passages_are_searched_in_parts_with_the_same_result(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(4)
    rows = random.normal(size=(300, 32))
    rows[random.integers(300, size=150)] = rows[7]  # half of them are equal
    passages = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16).astype(np.float32)
    asked = passages[::5]
    whole = DenseScorer(asked, passages).search(depth)
    monkeypatch.setattr(ranking, "WHOLE", 64)
    for dense in (DenseScorer(asked, passages), DenseScorer(asked[:0], passages).asking(asked)):
        parted = dense.search(depth)
        assert [each.tolist() for each in parted.passages] == [each.tolist() for each in whole.passages]
        assert [each.tolist() for each in parted.scores] == [each.tolist() for each in whole.scores]
        assert "_exact" not in vars(dense) or depth == 400
    alone = DenseScorer(asked[:0], passages).asking(asked[3:4]).search(depth)
    assert alone.passages[0].tolist() == whole.passages[3].tolist()


@given(st.integers(0, 10**6), st.sampled_from([8, 300]))
def test_no_score_by_float32_is_further_off_than_is_said(seed: int, size: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(40, size)) * random.exponential(size=(40, 1))
    passages = rows.astype(np.float16).astype(np.float32)
    dense = DenseScorer(passages[:4], passages)
    about = dense._about(0, 4).astype(np.float64)
    exact = passages[:4].astype(np.float64) @ passages.astype(np.float64).T
    assert np.abs(about - exact).max() <= dense.error


def hits(*rows: list[int]) -> Rankings:
    return Rankings(
        tuple(np.array(row, dtype=np.int64) for row in rows),
        tuple(np.arange(len(row), 0, -1, dtype=np.float32) for row in rows),
    )


def test_fusion_adds_reciprocal_ranks() -> None:
    found = ranking.fused([hits([4, 1, 2]), hits([1, 9])], 3)
    assert found.passages[0].tolist() == [1, 4, 9]
    assert found.scores[0].tolist() == pytest.approx([1 / 62 + 1 / 61, 1 / 61, 1 / 62])


def test_a_document_is_as_good_as_its_best_passage() -> None:
    found = ranking.by_document(hits([5, 0, 4, 2]), np.array([0, 0, 1, 1, 2, 2]), 2)
    assert found.passages[0].tolist() == [2, 0]
    assert found.scores[0].tolist() == [4.0, 3.0]
