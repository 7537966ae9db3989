"""Intervals and paired tests: by hand, and against SciPy."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.evaluation.intervals import PERMUTATIONS, bootstrap, sign_flip

stats: Any = importlib.import_module("scipy.stats")


def column(*values: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(values, dtype=np.float64)[:, None]


def test_the_interval_of_a_mean_is_that_of_scipy() -> None:
    values = np.random.default_rng(3).beta(2, 3, 60)
    low, high = bootstrap(values[:, None], np.ones((60, 1)))
    known = stats.bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=1).confidence_interval
    assert (low[0], high[0]) == pytest.approx((known.low, known.high), abs=0.006)


def test_the_interval_of_a_ratio_keeps_both_of_a_document_together() -> None:
    low, high = bootstrap(column(2, 6, 20), column(1, 3, 10))
    assert (low[0], high[0]) == pytest.approx((2, 2))


def test_two_documents_reach_from_the_one_to_the_other() -> None:
    low, high = bootstrap(column(0.2, 0.6), np.ones((2, 1)))
    assert (low[0], high[0]) == pytest.approx((0.2, 0.6))


def test_documents_that_do_not_count_change_no_mean_and_one_alone_has_no_interval() -> None:
    numerators = np.array([[0.5, 0.5], [0.5, 0.0], [0.0, 0.0]])
    denominators = np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    low, high = bootstrap(numerators, denominators)
    assert (low[0], high[0]) == (0.5, 0.5)
    assert np.isnan(low[1]) and np.isnan(high[1])


def test_more_resamples_than_fit_at_once_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(5).random((40, 2))
    whole = bootstrap(values, np.ones_like(values)), sign_flip(values - 0.4)
    monkeypatch.setattr("chunking.evaluation.intervals._ROOM", 1000)
    assert np.allclose(bootstrap(values, np.ones_like(values)), whole[0], rtol=0, atol=1e-12)
    assert np.array_equal(sign_flip(values - 0.4), whole[1])


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ((0.1, 0.1, 0.1), 2 / 8),
        ((0.1, 0.0, 0.1, 0.1, 0.0), 2 / 8),  # what does not differ says nothing
        ((-0.3, -0.2, -0.1, -0.4), 2 / 16),
        ((0.3, -0.3), 1.0),
        ((0.3, -0.1), 1.0),  # ±0.2 and ±0.4: all are as far as 0.2
        ((0.0, 0.0), 1.0),
        ((0.2,), 1.0),
    ],
)
def test_few_documents_have_an_exact_p_value(differences: tuple[float, ...], p: float) -> None:
    assert sign_flip(column(*differences))[0] == pytest.approx(p)
    assert sign_flip(-column(*differences))[0] == pytest.approx(p)


@settings(max_examples=25)
@given(st.lists(st.integers(-20, 20), min_size=2, max_size=10))
def test_exact_p_values_are_those_of_scipy(numbers: list[int]) -> None:
    values = np.array(numbers) / 40
    known = stats.permutation_test((values,), np.mean, permutation_type="samples", n_resamples=np.inf)
    assert sign_flip(values[:, None])[0] == pytest.approx(known.pvalue)


def test_many_documents_have_a_p_value_by_chance_that_is_never_zero() -> None:
    random = np.random.default_rng(2)
    values = np.stack([random.normal(0.05, 0.2, 80), np.full(80, 0.3)], 1)
    found = sign_flip(values)
    known = stats.ttest_1samp(values[:, 0], 0).pvalue
    assert found[0] == pytest.approx(known, abs=0.02)
    assert found[1] == 1 / (PERMUTATIONS + 1)
    assert sign_flip(np.full((2000, 1), 0.1))[0] == 1 / (PERMUTATIONS + 1)
    assert np.array_equal(found, sign_flip(values))
