from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chunking import explain, sentences
from chunking.explain import AlphaFlips
from chunking.signals import signals
from chunking.signals.features import FEATURES, Structure
from chunking.signals.signals import Signals
from chunking.signals.thresholds import RULES, Rule
from tests.examples import examples


def made(semantic: np.ndarray, structural: np.ndarray, alpha: float, rule: Rule, amount: float) -> Signals:
    """Signals with given curves: one layout feature carries the structural distance."""
    gaps = len(semantic)
    values = np.zeros((gaps, len(FEATURES["layout"])))
    values[:, 0] = structural / FEATURES["layout"][0].weight
    units = sentences.from_units([f"Unit {number}." for number in range(gaps + 1)])
    structure = Structure("layout", values)
    offsets = sentences.gap_offsets(units)
    return signals.measure(units, offsets, semantic, structure, alpha=alpha, rule=rule, amount=amount)


curve = hnp.arrays(np.float64, 25, elements=st.integers(0, 40).map(lambda number: number / 50))


def flips_of(signals: Signals, gap: int) -> AlphaFlips:
    flips = explain.alpha_flips(signals, gap)
    assert flips is not None
    return flips


@given(curve, curve, st.integers(0, 20), st.sampled_from(RULES), st.integers(0, 24))
@settings(max_examples=examples(300, quick=25))
def test_alpha_flips_are_where_the_verdict_changes(
    semantic: np.ndarray, structural: np.ndarray, step: int, rule: Rule, gap: int
) -> None:
    alpha = step / 20
    amount = {"percentile": 88.0, "gradient": 88.0, "standard_deviation": 1.2, "interquartile": 0.8}[rule]

    def cut(value: float) -> bool:
        return bool(made(semantic, structural, value, rule, amount).threshold.exceeded[gap])

    known = made(semantic, structural, alpha, rule, amount)
    flips = flips_of(known, gap)
    now = bool(known.threshold.exceeded[gap])
    aside = 1e-7 if flips.exact else 5e-4

    def about(value: float) -> set[bool]:
        """The statuses at a value and close to it: at a crossing, within rounding, either is right."""
        return {cut(min(max(value + shift, 0), 1)) for shift in np.linspace(-aside, aside, 9)}

    for flip in (flips.below, flips.above):
        assert flip is None or (not now) in about(flip)
    # No flip was missed on the way there, nor to the end where none is named.
    low = flips.below if flips.below is not None else 0.0
    high = flips.above if flips.above is not None else 1.0
    assert low <= alpha <= high
    if flips.exact:
        for probe in np.linspace(low, high, 39)[1:-1]:
            assert now in about(float(probe)), probe
        if flips.below is None:
            assert cut(0.0) == now
        if flips.above is None:
            assert cut(1.0) == now


@pytest.mark.parametrize("rule", ["percentile", "gradient", "standard_deviation"])
def test_ties_at_the_ends_are_flips_too(rule: Rule) -> None:
    """Where structure is the same at many gaps, α = 0 is unlike any α above it."""
    random = np.random.default_rng(8)
    semantic, structural = random.random(60).round(2), np.repeat([0.0, 0.3], [40, 20])
    amount = 1.3 if rule == "standard_deviation" else 90.0
    for alpha in (0.0, 0.5, 1.0):
        known = made(semantic, structural, alpha, rule, amount)
        for gap in range(60):
            flips, now = flips_of(known, gap), bool(known.threshold.exceeded[gap])
            if flips.below is None and alpha > 0:
                assert bool(made(semantic, structural, 0.0, rule, amount).threshold.exceeded[gap]) == now
            if flips.above is None and alpha < 1:
                assert bool(made(semantic, structural, 1.0, rule, amount).threshold.exceeded[gap]) == now
            if flips.above is not None and flips.above > alpha + 1e-6:
                near = made(semantic, structural, alpha + 1e-7, rule, amount).threshold.exceeded[gap]
                assert bool(near) == now, "it has flipped before"


def test_a_gap_that_structure_alone_lifts_flips_where_the_lines_cross() -> None:
    semantic, structural = np.full(21, 0.2), np.full(21, 0.1)
    structural[4], semantic[9] = 0.7, 0.9
    known = made(semantic, structural, 0.1, "percentile", 95)
    assert known.threshold.exceeded.nonzero()[0].tolist() == [4]
    # α·0.2 + (1 − α)·0.7 = α·0.9 + (1 − α)·0.1 at α = 6/13
    assert flips_of(known, 4).above == pytest.approx(6 / 13)
    assert flips_of(known, 4).below is None
    assert flips_of(known, 9).above == pytest.approx(6 / 13)


def test_drivers_name_what_lifts_a_gap() -> None:
    semantic, structural = np.full(20, 0.2), np.full(20, 0.2)
    semantic[3] = structural[7] = 0.7
    semantic[11] = structural[11] = 0.6
    known = made(semantic, structural, 0.5, "percentile", 80)
    assert [known.driver(gap) for gap in (3, 7, 11)] == ["semantic", "structural", "both"]


def test_where_structure_plays_no_part_meaning_drives_every_cut() -> None:
    semantic = np.array([0.1, 0.3, 0.3, 0.9, 0.2])
    known = replace(made(semantic, semantic, 0.5, "percentile", 50), structure=None, alpha=1.0, structural=np.zeros(5))
    assert {known.driver(gap) for gap in range(5)} == {"semantic"}
