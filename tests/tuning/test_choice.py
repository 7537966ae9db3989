"""The choice against the plain computation, on noise, and where the best setting is known."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from chunking.comparison import agreement
from chunking.errors import ChunkscopeError
from chunking.evaluation import intervals
from chunking.runtime.arrays import Float64, Int64
from chunking.signals.distances import fuse
from chunking.tuning import choice, units
from chunking.tuning.choice import choose, plateau_center
from chunking.tuning.units import Measure, ReferenceCurves

MEASURES: tuple[Measure, ...] = ("f1", "pk")


def noise(seed: int, gaps: int = 60, share: float = 0.15) -> ReferenceCurves:
    """Curves that know nothing of the gold."""
    random = np.random.default_rng(seed)
    gold = np.sort(random.choice(gaps, max(1, round(gaps * share)), replace=False))
    return ReferenceCurves(f"noise {seed}", random.random(gaps).round(2), (random.integers(0, 6, gaps) / 5), gold)


def planted(seed: int, alpha: float = 0.3, gaps: int = 60, gold: int = 6, error: float = 1.0) -> ReferenceCurves:
    """Curves whose fusion at one α is the gold with a little noise, and less of it the farther α is from there."""
    random = np.random.default_rng(seed)
    true = np.sort(random.choice(gaps, gold, replace=False))
    signal = 0.4 + 0.1 * random.random(gaps)
    signal[true] += 0.15
    errors = error * random.standard_normal(gaps)
    return ReferenceCurves(f"planted {seed}", signal + (1 - alpha) * errors, signal - alpha * errors, true)


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> tuple[list[float], list[float]]:
    """Few settings, so that they can be gone through one by one."""
    alphas, percentiles = [0.0, 0.2, 0.5, 0.7, 1.0], [50.0, 70.0, 85.0, 90.0, 99.9]
    for module in (choice, units):
        monkeypatch.setattr(module, "ALPHAS", np.array(alphas))
        monkeypatch.setattr(module, "PERCENTILES", np.array(percentiles))
    return alphas, percentiles


def cuts(one: ReferenceCurves, alpha: float, percentile: float) -> Int64:
    fused = fuse(one.semantic, one.structural, alpha)
    return np.flatnonzero(fused > np.percentile(fused, percentile))


def score(one: ReferenceCurves, alpha: float, percentile: float, measure: Measure) -> float:
    found = cuts(one, alpha, percentile)
    if measure == "f1":
        return agreement.boundary_f1(one.reference, found)
    return agreement.METRICS["pk"].of(one.reference, found, len(one.semantic) + 1)


def parts_of(
    one: ReferenceCurves, alpha: float, percentile: float, measure: Measure, parts: int
) -> list[tuple[int, int]]:
    """What each part adds to the two sums, gap by gap and window by window."""
    found, gaps = set(cuts(one, alpha, percentile).tolist()), len(one.semantic)
    gold = set(one.reference.tolist())
    size = agreement.window_size(one.reference, gaps + 1)
    sums = []
    for part in range(parts):
        here = range(gaps * part // parts, gaps * (part + 1) // parts)
        if measure == "f1":
            sums.append((2 * len(gold & found & set(here)), len(gold & set(here)) + len(found & set(here))))
        else:
            windows = [set(range(first, first + size)) for first in here if first + size <= gaps]
            sums.append((sum(bool(each & gold) != bool(each & found) for each in windows), len(windows)))
    return sums


def best_of(scores: Float64, measure: Measure) -> tuple[int, int]:
    return plateau_center(scores if measure == "f1" else -scores)


# --- documents as units ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_documents_are_scored_one_by_one_and_each_at_what_the_others_choose(
    measure: Measure, coarse: tuple[list[float], list[float]]
) -> None:
    curves = [noise(seed, 20 + seed) for seed in range(3)] + [planted(seed, 0.7, 40 + seed) for seed in range(5)]
    found = choose(curves, measure)
    scores = np.array([[[score(one, a, p, measure) for p in coarse[1]] for a in coarse[0]] for one in curves])
    assert found.mean == pytest.approx(scores.mean(axis=0), abs=1e-6)
    assert (found.unit, found.units, found.documents) == ("document", 8, 8)
    cell = best_of(scores.mean(axis=0), measure)
    assert found.best == (coarse[0][cell[0]], coarse[1][cell[1]])
    assert found.apparent == pytest.approx(scores.mean(axis=0)[cell])
    ours = []
    for place, fold in enumerate(found.folds):
        row, column = best_of(np.delete(scores, place, axis=0).mean(axis=0), measure)
        assert fold.setting == (coarse[0][row], coarse[1][column]) and fold.name == curves[place].name
        assert fold.score == pytest.approx(scores[place, row, column], abs=1e-6)
        assert fold.usual == pytest.approx(scores[place, 2, 2], abs=1e-6)
        ours.append(scores[place, row, column])
    assert found.honest.value == pytest.approx(np.mean(ours), abs=1e-6)
    assert found.usual == (0.5, 85.0) and found.usual_score == pytest.approx(scores[:, 2, 2].mean(), abs=1e-6)
    differences = (np.array(ours) - scores[:, 2, 2])[:, None]
    low, high = intervals.bootstrap(differences, np.ones_like(differences))
    assert (found.difference.low, found.difference.high) == pytest.approx((low[0], high[0]), abs=1e-6)
    assert found.difference.value == pytest.approx(differences.mean(), abs=1e-6)


@pytest.mark.parametrize("measure", MEASURES)
def test_the_region_is_the_sign_flip_test_gone_through_by_hand(
    measure: Measure, coarse: tuple[list[float], list[float]]
) -> None:
    curves = [planted(seed, 0.7, 50) for seed in range(7)]
    found = choose(curves, measure)
    scores = np.array([[[score(one, a, p, measure) for p in coarse[1]] for a in coarse[0]] for one in curves])
    best = coarse[0].index(found.best[0]), coarse[1].index(found.best[1])
    differences = (scores[:, best[0], best[1]][:, None, None] - scores) * (1 if measure == "f1" else -1)
    differences = differences.reshape(7, -1)
    lengths = np.sqrt((differences**2).sum(axis=0))
    scaled = np.where(lengths > 1e-9, differences / np.where(lengths > 0, lengths, 1), 0)
    kept = list(range(scaled.shape[1]))
    while True:
        largest = [
            max(np.array(signs) @ scaled[:, cell] for cell in kept) for signs in itertools.product((1, -1), repeat=7)
        ]
        share = {cell: np.mean(np.array(largest) >= scaled[:, cell].sum() - 1e-4) for cell in kept}
        left = [cell for cell in kept if share[cell] > 0.05]
        if left == kept:
            break
        kept = left
    assert np.flatnonzero(found.region.ravel()).tolist() == kept
    assert found.region[best] and 0 < len(kept) < 25


def test_many_documents_are_dealt_out_to_groups_and_their_mean_stays(
    monkeypatch: pytest.MonkeyPatch, coarse: tuple[list[float], list[float]]
) -> None:
    curves = [noise(seed, 20 + seed) for seed in range(13)]
    whole = choose(curves)
    monkeypatch.setattr(units, "UNITS", 6)
    grouped = choose(curves)
    assert (whole.units, grouped.units, grouped.documents) == (13, 6, 13)
    assert grouped.mean == pytest.approx(whole.mean, abs=1e-6)
    assert any("6 groups" in warning for warning in grouped.warnings)


# --- parts as units ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("documents", [1, 3])
def test_parts_add_up_to_the_documents(
    measure: Measure, documents: int, coarse: tuple[list[float], list[float]]
) -> None:
    curves = [planted(seed, 0.4, 70) for seed in range(documents)]
    found = choose(curves, measure)
    each = {1: 10, 3: 3}[documents]
    assert (found.unit, found.units, found.documents) == ("part", each * documents, documents)
    known = np.array(
        [
            [[part for one in curves for part in parts_of(one, a, p, measure, each)] for p in coarse[1]]
            for a in coarse[0]
        ],
        dtype=float,
    )  # (A, P, U, 2)
    sums = known.sum(axis=2)
    assert found.mean == pytest.approx(sums[..., 0] / sums[..., 1], abs=1e-6)
    if documents == 1:
        for (row, a), (column, p) in itertools.product(enumerate(coarse[0]), enumerate(coarse[1])):
            assert found.mean[row, column] == pytest.approx(score(curves[0], a, p, measure), abs=1e-6)
    ours, usual = [], []
    for place, fold in enumerate(found.folds):
        others = np.delete(known, place, axis=2).sum(axis=2)
        row, column = best_of(others[..., 0] / others[..., 1], measure)
        assert fold.setting == (coarse[0][row], coarse[1][column])
        ours.append(known[row, column, place])
        usual.append(known[2, 2, place])
    ratios = [sum(part[0] for part in some) / sum(part[1] for part in some) for some in (ours, usual)]
    assert found.honest.value == pytest.approx(ratios[0])
    assert found.usual_score == pytest.approx(ratios[1])
    assert found.difference.value == pytest.approx(ratios[0] - ratios[1], abs=1e-9)


# --- what it says ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("documents", [1, 10])
def test_a_planted_setting_is_found(measure: Measure, documents: int) -> None:
    curves = [planted(seed, 0.3, 600 // documents, 60 // documents) for seed in range(documents)]
    found = choose(curves, measure, (0.8, 75.0))
    assert found.best[0] == pytest.approx(0.3, abs=0.02) and found.best[1] == pytest.approx(90, abs=1.5)
    assert found.apparent == pytest.approx(1 if measure == "f1" else 0, abs=0.02)
    assert found.honest.low <= found.honest.value <= found.honest.high
    assert found.better == 1 and found.p < 0.05 and found.verdict.startswith("Better than α 0.8 and percentile 75 by ")
    row, column = 30, 400
    assert found.region[row, column] and not found.region[80, 250]
    assert found.region.mean() < 0.1


def test_a_choice_that_fails_the_document_it_did_not_see_is_called_worse() -> None:
    # Two kinds in equal numbers: without a document the other kind has the majority, and chooses what is wrong for it.
    curves = [planted(seed, 0.1 if seed % 2 else 0.9, 80, 8, error=0.3) for seed in range(16)]
    found = choose(curves, "f1", (0.5, 90.0))
    assert {fold.setting[0] > 0.5 for fold in found.folds} == {True, False}
    assert found.apparent > found.usual_score > found.honest.value
    assert found.better == -1 and found.difference.high < 0 and found.p < 0.05
    assert found.verdict.startswith(f"Worse than α 0.5 and percentile 90 by {-found.difference.value:.3f} [")


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        ([(2, 2)], (2, 2)),
        ([(row, column) for row in range(1, 6) for column in range(1, 6)], (3, 3)),
        ([(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)], (0, 2)),  # at the edge of the plane
        ([(6, 6), *((row, column) for row in range(3) for column in range(3))], (1, 1)),  # the larger of two
        ([(6, 6), (2, 2)], (2, 2)),  # of two alike that of the lower α
        ([(row, column) for row in range(7) for column in range(7) if min(row, column) < 3], (1, 2)),  # a bent one
    ],
)
def test_the_best_setting_is_in_the_middle_of_the_best(cells: list[tuple[int, int]], wanted: tuple[int, int]) -> None:
    scores = np.zeros((7, 7))
    for cell in cells:
        scores[cell] = 1
    assert plateau_center(scores) == wanted and scores[plateau_center(scores)] == 1


def test_warnings_say_what_little_data_cannot_show() -> None:
    alone = choose([ReferenceCurves("two", np.array([0.2]), np.array([0.1]), np.array([0]))])
    assert alone.units == 1 and alone.region.all() and alone.better == 0
    assert math.isnan(alone.honest.value) and math.isnan(alone.difference.low) and not alone.folds
    assert alone.p == 1 and alone.verdict.startswith("A single unit")
    assert any("only one unit" in warning for warning in alone.warnings)
    few = choose([planted(1, gaps=3, gold=1)])
    assert few.units == 3 and few.region.all() and any("too few" in warning for warning in few.warnings)
    assert any("1 reference boundary is too few" in warning for warning in few.warnings)
    empty = ReferenceCurves("none", np.linspace(0, 1, 30), np.linspace(0, 1, 30), np.zeros(0, dtype=np.int64))
    mixed = [*(planted(seed) for seed in range(5)), empty]
    assert (choose(mixed, "f1").documents, choose(mixed, "pk").documents) == (5, 6)
    assert any("has no reference boundary and does not count" in warning for warning in choose(mixed, "f1").warnings)


def test_what_cannot_be_chosen_from_is_refused() -> None:
    good = planted(1)
    nothing = ReferenceCurves("none", good.semantic, good.structural, np.zeros(0, dtype=np.int64))
    outside = ReferenceCurves("outside", good.semantic, good.structural, np.array([60]))
    unlike = ReferenceCurves("unlike", good.semantic, good.structural[:-1], good.reference)
    refused: tuple[Callable[[], object], ...] = (
        lambda: choose([]),
        lambda: choose([nothing]),
        lambda: choose([nothing], "pk"),
        lambda: choose([outside]),
        lambda: choose([unlike]),
        lambda: choose([good], "window_diff"),  # type: ignore[arg-type]
        lambda: choose([good], "f1", (1.2, 90.0)),
        lambda: choose([good], "f1", (0.4, 10.0)),
        lambda: choose([good], "f1", (0.4, float("nan"))),
    )
    for bad in refused:
        with pytest.raises(ChunkscopeError):
            bad()
