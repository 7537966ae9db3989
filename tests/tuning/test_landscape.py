"""The landscape against the thresholds, and plateaus against exact fractions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float64
from chunking.signals import thresholds
from chunking.signals.distances import fuse
from chunking.strategies.gaps import StructuralParameters
from chunking.tuning.landscape import ALPHAS, PERCENTILES, landscape, plateau

Pair = list[tuple[int, int]]

TWENTIETHS = st.integers(0, 20)
CURVES = st.lists(st.tuples(TWENTIETHS, TWENTIETHS), min_size=2, max_size=9)
"""Two curves in twentieths, so that lines meet often, in several at once, and at values the control takes."""

HUNDREDTHS = st.integers(0, 100)
TENTHS = st.integers(500, 999)


def curves(pairs: Pair) -> tuple[Float64, Float64]:
    semantic, structural = (np.array([pair[side] / 20 for pair in pairs]) for side in (0, 1))
    return semantic, structural


def exact_cuts(pairs: Pair, alpha: Fraction, tenths: int) -> frozenset[int]:
    """The rule in fractions: cut is what has more than (n − 1) · p / 100 others below it."""
    values = [alpha * semantic + (1 - alpha) * structural for semantic, structural in pairs]
    level = Fraction((len(pairs) - 1) * tenths, 1000)
    return frozenset(gap for gap, value in enumerate(values) if sum(other < value for other in values) > level)


def meetings(pairs: Pair) -> list[Fraction]:
    """0, 1 and every α between at which two lines meet."""
    found = {Fraction(0), Fraction(1)}
    for (one, start), (other, begin) in itertools.combinations(pairs, 2):
        slope = (one - start) - (other - begin)
        if slope and 0 < (where := Fraction(begin - start, slope)) < 1:
            found.add(where)
    return sorted(found)


def stays(pairs: Pair, alpha: Fraction, tenths: int, edges: list[Fraction]) -> Fraction:
    """How far the boundaries at α last over the edges, in their order: each stretch, then the edge itself."""
    wanted, here = exact_cuts(pairs, alpha, tenths), alpha
    for edge in edges:
        if exact_cuts(pairs, (here + edge) / 2, tenths) != wanted:
            return here
        here = edge
        if exact_cuts(pairs, edge, tenths) != wanted:
            return here
    return here


def test_the_values_are_those_of_the_controls() -> None:
    for stops, name, size in ((ALPHAS, "alpha", 101), (PERCENTILES, "percentile", 500)):
        known = StructuralParameters.lookup(name)
        assert stops.shape == (size,) and stops.dtype == np.float64
        assert (stops[0], stops[-1]) == (known.minimum, known.maximum)
        assert [known.check(float(repr(stop))) for stop in stops.tolist()] == stops.tolist()
        assert stops.tolist() == [round(stop, 2) for stop in stops.tolist()]
    assert 0.4 in ALPHAS and 90.0 in PERCENTILES and 0.29 in ALPHAS and 95.7 in PERCENTILES


@given(CURVES)
def test_a_flip_is_that_of_the_threshold(pairs: Pair) -> None:
    found = landscape(*curves(pairs))
    for row in (0, 5, 40, 50, 100):
        known = thresholds.apply("percentile", 90.0, fuse(*curves(pairs), float(ALPHAS[row])))
        assert np.array_equal(known.score, found.fused[row])
        flips = [known.flip_amount(gap) for gap in range(len(pairs))]
        assert found.flip[row].tolist() == np.array(flips, dtype=np.float32).tolist()


@given(CURVES, HUNDREDTHS, TENTHS)
def test_a_gap_is_cut_exactly_below_its_flip(pairs: Pair, hundredths: int, tenths: int) -> None:
    flip = landscape(*curves(pairs)).flip[hundredths].astype(float)
    away = np.abs(flip - tenths / 10) > 1e-4  # at the flip itself rounding decides
    fused = fuse(*curves(pairs), hundredths / 100)
    cut = fused > np.percentile(fused, tenths / 10)
    assert np.array_equal((flip > tenths / 10)[away], cut[away])


@pytest.mark.parametrize("gaps", [0, 1])
def test_where_there_is_nothing_to_compare_nothing_is_cut(gaps: int) -> None:
    curve = np.full(gaps, 0.5)
    found = landscape(curve, curve)
    assert found.flip.shape == (101, gaps) and not found.flip.any() and len(found) == gaps
    flat = plateau(curve, curve, 0.4, 90.0)
    assert (flat.alpha, flat.percentile, len(flat.boundaries)) == ((0, 1), (0, 100), 0)


@given(CURVES, HUNDREDTHS, TENTHS)
@example([(0, 5), (0, 5), (10, 5), (20, 5), (3, 5)], 0, 900)  # all are tied at α = 0 alone
@example([(4, 4), (4, 4), (4, 4), (9, 0)], 20, 700)  # three gaps are one line, and a fourth crosses it
def test_a_plateau_ends_where_the_boundaries_change(pairs: Pair, hundredths: int, tenths: int) -> None:
    alpha = Fraction(hundredths, 100)
    found = plateau(*curves(pairs), hundredths / 100, tenths / 10)
    wanted = exact_cuts(pairs, alpha, tenths)
    assume(frozenset(found.boundaries.tolist()) == wanted)  # numpy's own rounding can cut one more: see below
    edges = meetings(pairs)
    high = stays(pairs, alpha, tenths, [edge for edge in edges if edge > alpha])
    low = stays(pairs, alpha, tenths, [edge for edge in reversed(edges) if edge < alpha])
    assert found.alpha == pytest.approx((float(low), float(high)), abs=1e-11)


@given(CURVES, HUNDREDTHS, TENTHS)
def test_the_boundaries_are_those_of_the_strategy(pairs: Pair, hundredths: int, tenths: int) -> None:
    fused = fuse(*curves(pairs), hundredths / 100)
    found = plateau(*curves(pairs), hundredths / 100, tenths / 10)
    assert np.array_equal(found.boundaries, np.flatnonzero(fused > np.percentile(fused, tenths / 10)))
    low, high = found.percentile
    assert low <= tenths / 10 <= high
    inside = np.linspace(low + 1e-6, high - 1e-6, 7)
    assert all(np.array_equal(np.flatnonzero(fused > np.percentile(fused, p)), found.boundaries) for p in inside)
    for outside in (low - 1e-6, high + 1e-6):
        if 0 <= outside <= 100:
            assert not np.array_equal(np.flatnonzero(fused > np.percentile(fused, outside)), found.boundaries)


def test_settings_and_curves_that_are_none_are_refused() -> None:
    curve = np.linspace(0, 1, 5)
    refused: tuple[Callable[[], object], ...] = (
        lambda: landscape(curve, curve[:-1]),
        lambda: landscape(curve, np.full(5, np.nan)),
        lambda: landscape(curve, curve, np.array([0.5, 0.2])),
        lambda: landscape(curve, curve, np.array([0.5, 1.2])),
        lambda: landscape(curve, curve, np.zeros(0)),
        lambda: plateau(curve, curve, 1.1, 90.0),
        lambda: plateau(curve, curve, float("nan"), 90.0),
        lambda: plateau(curve, curve, 0.5, -1.0),
        lambda: plateau(curve, curve, 0.5, 101.0),
    )
    for bad in refused:
        with pytest.raises(ChunkscopeError):
            bad()
