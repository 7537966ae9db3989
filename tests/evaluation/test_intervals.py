"""Intervals and paired tests: by hand, and against SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.evaluation.intervals import PERMUTATIONS, bootstrap, holm, joint, resamples, sign_flip, strata_of
from tests.lazy import LazyModule

stats = LazyModule("scipy.stats")


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


def test_joint_intervals_of_one_comparison_are_about_those_of_it_alone_and_of_many_are_wider() -> None:
    values = np.random.default_rng(4).normal(0.1, 0.3, (120, 12))
    one, many = joint(values[:, :1], np.ones((120, 1))), joint(values, np.ones((120, 12)))
    assert one.joint_high[0] - one.joint_low[0] == pytest.approx(one.high[0] - one.low[0], rel=0.1)
    assert np.all(many.joint_high - many.joint_low > many.high - many.low)
    assert np.allclose((many.joint_low + many.joint_high) / 2, values.mean(axis=0))


def test_a_comparison_of_one_document_has_no_joint_interval() -> None:
    found = joint(np.array([[0.5, 0.1], [0.0, 0.2]]), np.array([[1.0, 1.0], [0.0, 1.0]]))
    assert np.isnan(found.joint_low[0]) and np.isfinite(found.joint_low[1])


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_documents_are_drawn_within_their_strata(labels: list[int]) -> None:
    strata = strata_of(labels)
    weights = next(iter(resamples(len(labels), strata)))
    assert np.all(weights.sum(axis=1) == len(labels))
    if strata is not None:
        for stratum in np.unique(strata):
            assert np.all(weights[:, strata == stratum].sum(axis=1) == np.count_nonzero(strata == stratum))


def test_groups_of_one_member_are_one_stratum() -> None:
    assert strata_of(["a", "b", "c"]) is None
    assert strata_of(["a", "a"]) is None
    found = strata_of(["a", "b", "a", "c"])
    assert found is not None and found.tolist() == [0, 1, 0, 1]


def test_what_differs_between_strata_alone_has_no_interval_width() -> None:
    values, strata = column(0.2, 0.2, 0.8, 0.8), np.array([0, 0, 1, 1])
    low, high = bootstrap(values, np.ones((4, 1)), strata)
    assert (low[0], high[0]) == pytest.approx((0.5, 0.5))
    low, high = bootstrap(values, np.ones((4, 1)))
    assert high[0] - low[0] > 0.3


def test_holm_by_hand_within_families() -> None:
    p = np.array([0.01, 0.04, 0.03, np.nan, 0.5])
    found = holm(p, np.array([0, 0, 0, 0, 1]))
    assert found[:3] == pytest.approx([0.03, 0.06, 0.06])
    assert np.isnan(found[3]) and found[4] == 0.5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_never_lowers_a_p_value_and_keeps_their_order(given_: list[float]) -> None:
    p = np.array(given_)
    found = holm(p, np.zeros(len(p), dtype=np.int64))
    assert np.all((found >= p) & (found <= 1))
    assert np.all(np.diff(found[np.argsort(p, kind="stable")]) >= 0)
