from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chunking.signals import thresholds
from chunking.signals.thresholds import RULES, Rule

curves = hnp.arrays(np.float64, st.integers(2, 60), elements=st.floats(0, 1, width=16))


def test_percentile_is_numpys_and_strict() -> None:
    distances = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    found = thresholds.apply("percentile", 75, distances)
    assert found.value == pytest.approx(0.4)
    assert found.exceeded.tolist() == [False, False, False, False, True]


def test_standard_deviation_is_that_of_the_population() -> None:
    distances = np.array([0.0, 0.0, 0.0, 1.0])
    assert thresholds.apply("standard_deviation", 1.5, distances).value == pytest.approx(0.25 + 1.5 * np.sqrt(3) / 4)


def test_interquartile_starts_from_the_mean() -> None:
    distances = np.array([0.0, 0.1, 0.2, 0.3, 0.9])
    assert thresholds.apply("interquartile", 1.5, distances).value == pytest.approx(0.3 + 1.5 * 0.2)


def test_gradient_compares_the_slope() -> None:
    distances = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    found = thresholds.apply("gradient", 60, distances)
    assert found.score.tolist() == [0.0, 0.5, 0.5, 0.0, 0.0]
    assert found.value == pytest.approx(np.percentile(found.score, 60))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("gaps", [0, 1])
def test_documents_without_a_curve_have_no_boundary(rule: Rule, gaps: int) -> None:
    found = thresholds.apply(rule, 95 if rule in ("percentile", "gradient") else 1, np.full(gaps, 0.5))
    assert not found.exceeded.any()
    assert found.warnings


def test_warns_where_a_percentile_can_only_cut_one() -> None:
    rising = np.linspace(0, 1, 10)
    found = thresholds.apply("percentile", 95, rising)
    assert found.exceeded.sum() == 1
    assert "exactly one" in found.warnings[0]
    assert not thresholds.apply("percentile", 95, np.linspace(0, 1, 60)).warnings


@pytest.mark.parametrize("gaps", range(2, 30))
def test_warns_exactly_where_no_gap_can_lie_three_deviations_out(gaps: int) -> None:
    spike = np.zeros(gaps)
    spike[0] = 1
    found = thresholds.apply("standard_deviation", 3, spike)
    assert bool(found.warnings) == (not found.exceeded.any())


@given(curves, st.sampled_from(RULES), st.floats(0, 1))
def test_flip_amount_is_where_the_status_changes(distances: np.ndarray, rule: Rule, share: float) -> None:
    amount = 50 + 49.9 * share if rule in ("percentile", "gradient") else 3 * share
    found = thresholds.apply(rule, amount, distances)
    for gap in range(len(distances)):
        flip = found.flip_amount(gap)
        if flip is None:
            tried = [thresholds.apply(rule, other, distances).exceeded[gap] for other in (50.0, 75.0, 99.0)]
            assert len(set(tried)) == 1, "some amount does decide"
            continue
        if flip > 0.01:
            assert thresholds.apply(rule, flip - 0.005, distances).exceeded[gap]
        above = min(flip + 0.005, 100) if rule in ("percentile", "gradient") else flip + 0.005
        assert not thresholds.apply(rule, above, distances).exceeded[gap]


@pytest.mark.parametrize(
    ("number", "words"), [(95, "95th"), (91, "91st"), (92, "92nd"), (93, "93rd"), (99.5, "99.5th"), (61.0, "61st")]
)
def test_ordinals(number: float, words: str) -> None:
    assert thresholds.ordinal(number) == words


def test_warns_where_ties_swallow_the_percentile() -> None:
    found = thresholds.apply("percentile", 90, np.repeat([0.0, 0.3], [40, 20]))
    assert not found.exceeded.any()
    assert "tied at the threshold" in found.warnings[0]
    assert "should cut 6 of 60, but none of them" in found.warnings[0]


def test_quartiles_are_not_blamed_on_other_rules() -> None:
    few = np.array([0.1, 0.2, 0.3, 0.9])
    assert "Quartiles" in thresholds.apply("interquartile", 1.5, few).warnings[0]
    assert not thresholds.apply("standard_deviation", 1, few).warnings


def test_a_percentile_of_distances_that_are_much_alike_says_that_it_cuts_all_the_same() -> None:
    alike = 0.47 + 0.05 * np.linspace(0, 1, 30) ** 4
    (warning,) = thresholds.apply("percentile", 85, alike).warnings
    assert warning.startswith("All distances are much alike: the highest is 0.047 above the median.")
    assert "still cuts 5 of 30 gaps" in warning
    assert not thresholds.apply("percentile", 85, alike * np.linspace(1, 1.2, 30)).warnings
