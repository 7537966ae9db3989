"""Learned weights: the table is the one that was made, and what is computed with it keeps to its meaning."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.signals import boundary_model, scales, wording
from chunking.signals.boundary_model import LearnedTerm

SHA256 = "833957544438924841b2e43e7960d03b4c900619cbd47558d59b1a010684c7ec"
"""Of the table that ``make boundaries`` writes; change it together with ``BOUNDARY_MODEL.md``."""


def test_the_table_is_the_one_that_was_made() -> None:
    data = Path(boundary_model.__file__).with_name("boundary_weights.toml").read_bytes()
    assert hashlib.sha256(data).hexdigest() == SHA256
    assert len(data) <= 100_000


def test_every_measurement_has_a_weight_and_nothing_else() -> None:
    assert list(boundary_model.WORDING) == list(wording.MEASURES)
    assert tuple(boundary_model.SCALES) == scales.NAMES


def test_whether_questions_open_a_part_is_not_learned() -> None:
    assert boundary_model.WORDING["question"].log_odds == boundary_model.WORDING["answer"].log_odds == 0


@given(st.lists(st.floats(-1e3, 1e3), min_size=0, max_size=30), st.floats(-5, 5), st.floats(0.1, 9))
def test_deviations_are_bounded_and_equal_values_stay_equal(column: list[float], mean: float, spread: float) -> None:
    values = np.array([*column, *column]).reshape(-1, 1)
    found = boundary_model.deviations(values, {"x": LearnedTerm(mean, spread, 1.0)})
    assert found.shape == values.shape
    assert (np.abs(found) <= boundary_model.MAX_DEVIATION).all()
    assert np.array_equal(found[: len(column)], found[len(column) :])


def test_few_gaps_have_no_mean_of_their_own() -> None:
    terms = {"x": LearnedTerm(0.0, 1.0, 1.0)}
    assert boundary_model.deviations(np.array([[3.0]]), terms)[0, 0] > 2.5
    assert np.abs(boundary_model.deviations(np.full((800, 1), 3.0), terms)).max() < 0.1


@given(st.integers(1, 400), st.floats(0, 7), st.integers(0, 99))
def test_probabilities_rise_with_the_evidence_and_fall_with_the_number_of_gaps(
    n: int, length: float, seed: int
) -> None:
    found = np.sort(np.random.default_rng(seed).normal(0, 2, n))
    chances = boundary_model.probabilities(found, length)
    assert ((chances >= 0) & (chances <= 1)).all()
    assert (np.diff(chances) >= 0).all()
    longer = boundary_model.probabilities(np.append(found, np.zeros(2 * n + 20)), length)[:n]
    assert (longer <= chances).all()


def test_weighted_is_the_plain_sum() -> None:
    apart = np.array([[1.0, -2.0], [0.0, 3.0]])
    terms = {"a": LearnedTerm(0, 1, 0.5), "b": LearnedTerm(0, 1, -1.0)}
    assert boundary_model.weighted(apart, terms) == pytest.approx([2.5, -3.0])


def test_where_the_gaps_tell_little_fewer_are_cut_and_the_range_is_wider() -> None:
    telling = np.r_[np.full(8, 0.9), np.full(92, 0.028)]
    weak = np.full(100, 0.0978)
    (many, narrow), (few, wide) = boundary_model.expected(telling), boundary_model.expected(weak)
    assert telling.sum() == pytest.approx(weak.sum(), rel=1e-3)
    assert many == round(0.8 * telling.sum()) and few == round(0.6 * 0.8 * weak.sum())
    assert wide[1] - wide[0] > narrow[1] - narrow[0]


def test_a_text_without_gaps_supports_no_boundary() -> None:
    assert boundary_model.expected(np.zeros(0))[0] == 0
