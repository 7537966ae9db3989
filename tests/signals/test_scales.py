from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.signals import scales
from tests.vectors import topics


def test_the_gap_between_two_topics_stands_out() -> None:
    curve = scales.distances(scales.log_odds(topics([9, 12, 8]).astype(np.float32)))
    assert set(np.argsort(-curve)[:2].tolist()) == {8, 20}
    assert curve[8] > 0.6 and np.median(curve) < 0.5


@given(st.integers(0, 40), st.integers(0, 99))
def test_it_is_bounded_for_any_number_of_sentences(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    given_vectors = random.standard_normal((n, 4)).astype(np.float32)
    found = scales.distances(scales.log_odds(given_vectors))
    assert found.shape == (max(n - 1, 0),)
    assert ((found >= 0) & (found <= 1)).all()
    assert scales.values(given_vectors).shape == (max(n - 1, 0), len(scales.NAMES))


def test_equal_sentences_say_nothing() -> None:
    same = np.tile(np.array([[0.6, 0.8]], dtype=np.float32), (30, 1))
    assert np.ptp(scales.values(same)) == 0


def test_a_peak_is_measured_from_its_highest_neighbour() -> None:
    heights = np.array([0.0, 1.0, 3.0, 2.0, 0.5])
    assert scales._highest_neighbour(heights, 1).tolist() == [1.0, 3.0, 2.0, 3.0, 2.0]
    assert scales._highest_neighbour(heights, 2).tolist() == [3.0, 3.0, 2.0, 3.0, 3.0]
    assert scales._highest_neighbour(np.array([2.0]), 3).tolist() == [2.0]


def test_the_mean_around_a_gap() -> None:
    assert scales._local_mean(np.array([0.0, 3.0, 6.0]), 1) == pytest.approx([1.5, 3.0, 4.5])
