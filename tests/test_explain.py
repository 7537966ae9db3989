from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chunking import explain, sentences, signals
from chunking.signals import Signals
from chunking.structure import Structure
from chunking.structure.layout import FEATURES
from chunking.thresholds import RULES, Rule


def made(semantic: np.ndarray, structural: np.ndarray, alpha: float, rule: Rule, amount: float) -> Signals:
    """Signals with given curves: one layout feature carries the structural distance."""
    gaps = len(semantic)
    values = np.zeros((gaps, len(FEATURES)))
    values[:, 0] = structural / FEATURES[0].weight
    units = sentences.from_units([f"Unit {number}." for number in range(gaps + 1)])
    structure = Structure("layout", values)
    offsets = sentences.gap_offsets(units)
    return signals.measure(units, offsets, semantic, structure, alpha=alpha, rule=rule, amount=amount)


curve = hnp.arrays(np.float64, 25, elements=st.integers(0, 40).map(lambda number: number / 50))


@given(curve, curve, st.integers(0, 20), st.sampled_from(RULES), st.integers(0, 24))
def test_alpha_flips_are_where_the_verdict_changes(
    semantic: np.ndarray, structural: np.ndarray, step: int, rule: Rule, gap: int
) -> None:
    alpha = step / 20
    amount = {"percentile": 88.0, "gradient": 88.0, "standard_deviation": 1.2, "interquartile": 0.8}[rule]

    def cut(value: float) -> bool:
        return bool(made(semantic, structural, value, rule, amount).threshold.exceeded[gap])

    known = made(semantic, structural, alpha, rule, amount)
    assume(np.ptp(known.fused) > 0)
    flips = explain.alpha_flips(known, gap)
    # At a crossing itself, and within rounding of one, either side is right: look a little aside.
    aside = 1e-3 if not flips.exact else 1e-7
    now = cut(alpha)
    assume(all(abs(edge - alpha) > 2 * aside for edge in (flips.below, flips.above) if edge is not None))
    if flips.exact:
        assume(cut(min(alpha + 1e-7, 1)) == now == cut(max(alpha - 1e-7, 0)))
    if flips.above is not None:
        assert cut(min(flips.above + aside, 1)) != now
        assert cut(flips.above - aside) == now
    if flips.below is not None:
        assert cut(max(flips.below - aside, 0)) != now
        assert cut(flips.below + aside) == now
    # No flip was missed on the way there, nor to the ends where none is named.
    low = flips.below + aside if flips.below is not None else 0.0
    high = flips.above - aside if flips.above is not None else 1.0
    if flips.exact:
        for probe in np.linspace(low, high, 37)[1:-1]:
            settled = [cut(probe + shift) for shift in (-1e-9, 0, 1e-9)]
            assert now in settled, probe


def test_a_gap_that_structure_alone_lifts_flips_where_the_lines_cross() -> None:
    semantic, structural = np.full(21, 0.2), np.full(21, 0.1)
    structural[4], semantic[9] = 0.7, 0.9
    known = made(semantic, structural, 0.1, "percentile", 95)
    assert known.threshold.exceeded.nonzero()[0].tolist() == [4]
    # α·0.2 + (1 − α)·0.7 = α·0.9 + (1 − α)·0.1 at α = 6/13
    assert explain.alpha_flips(known, 4).above == pytest.approx(6 / 13)
    assert explain.alpha_flips(known, 4).below is None
    assert explain.alpha_flips(known, 9).above == pytest.approx(6 / 13)


def test_drivers_name_what_lifts_a_gap() -> None:
    semantic, structural = np.full(20, 0.2), np.full(20, 0.2)
    semantic[3] = structural[7] = 0.7
    semantic[11] = structural[11] = 0.6
    known = made(semantic, structural, 0.5, "percentile", 80)
    assert [known.driver(gap) for gap in (3, 7, 11)] == ["semantic", "structural", "both"]
