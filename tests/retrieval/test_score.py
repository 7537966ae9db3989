"""The score against scikit-learn, with which the program it comes from computes its parts."""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.retrieval import score
from chunking.retrieval.reports.results import Histogram
from tests.lazy import LazyModule

metrics = LazyModule("sklearn.metrics")


@given(st.lists(st.booleans(), min_size=2, max_size=10))
def test_retrieval_is_the_mean_of_five_measures_of_the_ten(relevant: list[bool]) -> None:
    found = score.retrieval_score(np.array(relevant))
    if not any(relevant):
        assert found == 0.0
        return
    scores = np.arange(len(relevant), 0, -1)
    every = np.ones(len(relevant), dtype=bool)
    parts = [
        metrics.precision_score(relevant, every),
        metrics.recall_score(relevant, every),
        metrics.f1_score(relevant, every),
        metrics.average_precision_score(relevant, scores),
        metrics.ndcg_score([relevant], [scores]),
    ]
    assert found == pytest.approx(20 * sum(parts))


@given(st.lists(st.integers(1, 900), min_size=1, max_size=40))
def test_size_is_that_of_the_formula(sizes: list[int]) -> None:
    deviation = statistics.stdev(sizes) if len(sizes) > 1 else 0
    expected = 0.35 * max(0, 200 - statistics.mean(sizes)) + 0.35 * max(0, 200 - deviation)
    expected += 0.15 * min(min(sizes) * 10, 100)
    expected += 0.15 * (100 if max(sizes) <= 500 else 50 if max(sizes) <= 750 else 0)
    assert score.size_score(np.array(sizes)) == pytest.approx(expected)
    assert 0 <= expected <= 170


def test_nothing_has_no_score_of_size() -> None:
    assert score.size_score(np.zeros(0, dtype=np.int64)) == 0.0


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60))
def test_a_histogram_counts_every_size_once(sizes: list[int]) -> None:
    start, width, counts = Histogram.of(np.array(sizes))
    assert sum(counts) == len(sizes)
    assert 1 <= len(counts) <= 20
    assert counts[0] and counts[-1]
    assert start % width == 0
    for place, number in enumerate(counts):
        low = start + place * width
        assert number == sum(low <= size < low + width for size in sizes)
