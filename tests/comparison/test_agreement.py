"""Measures of agreement: against segeval, against exhaustive matching, and the whole matrix against its parts."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chunking import ChunkscopeError
from chunking.comparison import agreement
from chunking.comparison.agreement import METRICS
from chunking.runtime.arrays import Int64
from tests.comparison.made import measure_pair
from tests.examples import examples

segeval: Any = importlib.import_module("segeval")
"""The reference implementation, which has no type hints."""

pk, window_diff, boundary_similarity = (METRICS[name].of for name in ("pk", "window_diff", "boundary_similarity"))


def ints(values: object) -> Int64:
    return np.array(sorted(values), dtype=np.int64)  # type: ignore[call-overload]


def masses(cuts: Int64, units: int) -> tuple[int, ...]:
    """Lengths of the segments, which segeval asks for."""
    return tuple(np.diff(np.concatenate(([-1], cuts, [units - 1]))).tolist())


def segmentation(units: int) -> st.SearchStrategy[Int64]:
    """Sparse, dense and clustered alike."""
    gaps = st.integers(0, max(units - 2, 0))
    return st.sets(gaps, max_size=max(units - 1, 0)).map(ints) if units > 1 else st.just(ints([]))


def _from_owners(owners: list[int]) -> tuple[int, Int64, Int64]:
    first, second = (ints([gap for gap, owner in enumerate(owners) if owner & bit]) for bit in (1, 2))
    return len(owners) + 1, first, second


pairs = st.one_of(
    st.integers(1, 45).flatmap(lambda units: st.tuples(st.just(units), segmentation(units), segmentation(units))),
    st.lists(st.sampled_from([0, 1, 1, 2, 2, 3]), max_size=30).map(_from_owners),
)
"""A number of units with two segmentations of them; of the second kind, with many boundaries side by side."""


@settings(max_examples=examples(300))
@given(pairs)
def test_pk_and_window_diff_are_those_of_segeval(case: tuple[int, Int64, Int64]) -> None:
    units, reference, hypothesis = case
    assume(units > 2)
    known, other = masses(reference, units), masses(hypothesis, units)
    assert agreement.window_size(reference, units) == segeval.compute_window_size(known)
    assert pk(reference, hypothesis, units) == pytest.approx(float(segeval.pk(other, known)))
    expected = float(segeval.window_diff(other, known))
    assert window_diff(reference, hypothesis, units) == pytest.approx(expected)


@settings(max_examples=examples(300))
@given(pairs)
def test_boundary_similarity_is_that_of_segeval(case: tuple[int, Int64, Int64]) -> None:
    units, a, b = case
    assume(len(a) or len(b))
    expected = float(_b(a, b, units))
    assert boundary_similarity(a, b, units) == pytest.approx(expected)
    assert boundary_similarity(b, a, units) == pytest.approx(expected)


@pytest.mark.parametrize("units", [700, 5_000])
def test_long_windows_and_runs(units: int) -> None:
    """More than a byte can count, in windows and over them, and boundaries that alternate without an end."""
    even, odd = np.arange(0, units - 1, 2), np.arange(1, units - 1, 2)
    few, none = ints([units // 2]), ints([])
    size = units // 4
    assert agreement.window_size(few, units) == size
    assert window_diff(few, even, units) == 1.0
    assert pk(few, even, units) == pytest.approx((units - 2 * size) / (units - size))
    # Without a boundary the window is half of the units, and those that hold the one cut differ.
    holding = len([start for start in range(units // 2) if start <= few[0] < start + units // 2])
    assert window_diff(none, few, units) == pytest.approx(holding / (units - units // 2))
    assert boundary_similarity(even, odd, units) == pytest.approx(float(_b(even, odd, units)))


def test_a_window_with_more_boundaries_than_a_byte_counts() -> None:
    none, all_ = ints([]), np.arange(1_023)
    assert agreement.window_size(none, 1_024) == 512
    assert window_diff(none, all_, 1_024) == pk(none, all_, 1_024) == 1


def test_near_misses_beside_one_another_are_taken_apart() -> None:
    """Boundaries of a, b, b and a in a row are two near misses; of a, b and a one, with an addition."""
    assert boundary_similarity(ints([3, 6]), ints([4, 5]), 12) == pytest.approx(1 - (2 / 2) / 2)
    assert boundary_similarity(ints([3, 5]), ints([4]), 12) == pytest.approx(1 - (1 + 1 / 2) / 2)


def _b(a: Int64, b: Int64, units: int) -> Any:
    return segeval.boundary_similarity(masses(a, units), masses(b, units))


def largest_matching(left: list[int], right: list[int], tolerance: int) -> int:
    """Size of the largest one-to-one matching, by augmenting paths: right for any graph."""
    partner: dict[int, int] = {}

    def place(one: int, seen: set[int]) -> bool:
        for other in right:
            if abs(one - other) <= tolerance and other not in seen:
                seen.add(other)
                if other not in partner or place(partner[other], seen):
                    partner[other] = one
                    return True
        return False

    return sum(place(one, set()) for one in left)


@settings(max_examples=examples(400))
@given(pairs, st.integers(0, 7))
def test_no_matching_is_larger(case: tuple[int, Int64, Int64], tolerance: int) -> None:
    _, reference, hypothesis = case
    matching = agreement.match_boundaries(reference, hypothesis, tolerance)
    assert len(matching) == largest_matching(reference.tolist(), hypothesis.tolist(), tolerance)
    assert (np.diff(matching, axis=0) > 0).all()
    apart = reference[matching[:, 0]] - hypothesis[matching[:, 1]]
    assert (np.abs(apart) <= tolerance).all()


def test_a_near_miss_counts_once() -> None:
    """Two boundaries beside one are not both matched with it."""
    assert agreement.boundary_f1(ints([5]), ints([4, 6]), 1) == pytest.approx(2 / 3)


@pytest.mark.parametrize("units", [0, 1, 2, 3, 10])
@pytest.mark.parametrize("name", METRICS)
def test_segmentations_without_boundaries(units: int, name: str) -> None:
    metric = METRICS[name]
    assert measure_pair(metric.name, ints([]), ints([]), units, 0) == metric.best
    if units >= 2:
        value = measure_pair(metric.name, ints([0]), ints([]), units, 0)
        assert value != metric.best
        assert value == 0 or not metric.symmetric


def test_two_units_have_one_window() -> None:
    for measure in (pk, window_diff):
        assert measure(ints([0]), ints([]), 2) == measure(ints([]), ints([0]), 2) == 1
        assert measure(ints([0]), ints([0]), 2) == 0


@pytest.mark.parametrize("name", METRICS)
@given(case=pairs)
def test_a_segmentation_agrees_with_itself_and_symmetry_is_as_told(name: str, case: tuple[int, Int64, Int64]) -> None:
    units, a, b = case
    metric = METRICS[name]
    assert measure_pair(metric.name, a, a, units, 0) == metric.best
    assert 0 <= measure_pair(metric.name, a, b, units, 0) <= 1
    if metric.symmetric:
        assert measure_pair(metric.name, a, b, units, 1) == pytest.approx(measure_pair(metric.name, b, a, units, 1))


@given(st.integers(2, 60).flatmap(lambda units: st.tuples(st.just(units), segmentation(units))), st.integers(0, 9))
def test_random_cuts_keep_the_sizes(case: tuple[int, Int64], seed: int) -> None:
    units, cuts = case
    drawn = agreement.random_cuts(cuts, units, 5, seed)
    assert drawn.shape == (5, len(cuts))
    for row in drawn:
        assert sorted(masses(row, units)) == sorted(masses(cuts, units))
    np.testing.assert_array_equal(drawn, agreement.random_cuts(cuts, units, 5, seed))


def test_random_cuts_come_in_every_order_alike() -> None:
    """Three segments of 1, 2 and 4 units have six orders."""
    drawn = agreement.random_cuts(ints([0, 2]), 7, 6_000, seed=3)
    orders, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(orders) == 6
    assert (np.abs(counts - 1_000) < 150).all()  # five standard deviations of a binomial count


several = st.integers(2, 40).flatmap(
    lambda units: st.tuples(st.just(units), st.lists(segmentation(units), min_size=1, max_size=4))
)


def check_matrix(name: str, units: int, cuts: list[Int64], tolerance: int, draws: int, seed: int) -> None:
    """The table of all pairs and draws together gives what the measure of one pair gives, one by one."""
    metric = METRICS[name]
    made = agreement.agreement_matrix(cuts, units, name, tolerance, draws, seed)
    for row, reference in enumerate(cuts):
        for column, hypothesis in enumerate(cuts):
            value = measure_pair(metric.name, reference, hypothesis, units, tolerance)
            assert made.values[row, column] == pytest.approx(value)
            by_chance = [
                measure_pair(metric.name, reference, drawn, units, tolerance)
                for drawn in agreement.random_cuts(hypothesis, units, draws, seed)
            ]
            alone = agreement.chance(reference, hypothesis, units, name, tolerance, draws, seed)
            assert alone.value == pytest.approx(value)
            assert alone.mean == pytest.approx(np.mean(by_chance))
            assert (alone.low, alone.high) == pytest.approx(tuple(np.quantile(by_chance, [0.025, 0.975])))
            if metric.symmetric:
                by_chance += [
                    measure_pair(metric.name, drawn, hypothesis, units, tolerance)
                    for drawn in agreement.random_cuts(reference, units, draws, seed)
                ]
            mean = np.mean(by_chance)
            assert made.chance[row, column] == pytest.approx(mean)
            low, high = np.quantile(by_chance, [0.025, 0.975])
            assert made.chance_low[row, column] == pytest.approx(low)
            assert made.chance_high[row, column] == pytest.approx(high)
            beyond = 0 if abs(metric.best - mean) < 1e-12 else (value - mean) / (metric.best - mean)
            assert made.corrected[row, column] == pytest.approx(beyond, abs=1e-9)


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=40)
@given(case=several, tolerance=st.integers(0, 45), seed=st.integers(0, 3))
def test_the_matrix_is_what_its_parts_say(name: str, case: tuple[int, list[Int64]], tolerance: int, seed: int) -> None:
    check_matrix(name, *case, tolerance, draws=7, seed=seed)


@pytest.mark.parametrize("name", METRICS)
def test_a_matrix_over_more_rows_and_gaps_than_a_block(name: str) -> None:
    """Blocks of rows and of windows are put together in order."""
    draw = np.random.default_rng(0)
    cuts = [np.sort(draw.choice(899, size, replace=False)) for size in (20, 300, 450)]
    check_matrix(name, 900, cuts, tolerance=2, draws=90, seed=5)


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("units", [0, 1, 2, 12])
def test_where_chance_is_perfect_nothing_is_beyond_it(name: str, units: int) -> None:
    nothing, everything = ints([]), np.arange(max(units - 1, 0))
    made = agreement.agreement_matrix([nothing, everything], units, name, draws=3)
    assert not np.isnan([made.values, made.chance, made.chance_low, made.chance_high, made.corrected]).any()
    np.testing.assert_array_equal(np.diag(made.values), METRICS[name].best)
    np.testing.assert_array_equal(np.diag(made.corrected), 0.0)


def test_corrected_mirrors_errors() -> None:
    assert agreement.corrected(0.8, 0.6, 1.0) == pytest.approx(0.5)
    assert agreement.corrected(0.2, 0.4, 0.0) == pytest.approx(0.5)
    assert agreement.corrected(0.6, 0.4, 0.0) == pytest.approx(-0.5)


def test_no_segmentation_gives_an_empty_matrix() -> None:
    assert agreement.agreement_matrix([], 10, "pk").values.shape == (0, 0)


@pytest.mark.parametrize("wrong", [[3, 2], [2, 2], [-1], [9], [0.5]])
@pytest.mark.parametrize("name", METRICS)
def test_what_is_no_segmentation_is_refused(name: str, wrong: list[int]) -> None:
    good, bad = ints([4]), np.array(wrong)
    for case in ((good, bad), (bad, good)):
        with pytest.raises(ChunkscopeError):
            agreement.agreement_matrix(case, 10, name)
    with pytest.raises(ChunkscopeError):
        agreement.random_cuts(bad, 10, 2, 0)


def test_numbers_out_of_range_are_refused() -> None:
    cuts = ints([4])
    with pytest.raises(ChunkscopeError, match="tolerance"):
        agreement.boundary_f1(cuts, cuts, -1)
    with pytest.raises(ChunkscopeError, match="tolerance"):
        agreement.agreement_matrix([cuts], 10, "f1", tolerance=-1)
    with pytest.raises(ChunkscopeError, match="draws"):
        agreement.agreement_matrix([cuts], 10, "f1", draws=0)
    with pytest.raises(ChunkscopeError, match="Unknown measure"):
        agreement.agreement_matrix([cuts], 10, "kappa")
    with pytest.raises(ChunkscopeError, match="negative"):
        agreement.random_cuts(cuts, 10, 5, -1)


def test_measures_are_told_apart() -> None:
    for name, metric in METRICS.items():
        assert metric.name == name
        assert metric.title
        assert metric.help.endswith(".")
        assert metric.best in (0.0, 1.0)
        assert ("error" in metric.help) == (metric.best == 0)
    a, b = ints([4, 20]), ints([6, 21])
    for name, metric in METRICS.items():
        changed = measure_pair(metric.name, a, b, 40, 2) != measure_pair(metric.name, a, b, 40, 0)
        assert changed == metric.takes_tolerance == (name == "f1")
