from __future__ import annotations

import re
from dataclasses import replace

import pytest

from chunking import explain, samples, strategies
from chunking.explain import CountFlips
from chunking.strategies import Segmentation
from chunking.strategies.changepoint import ChangepointParameters
from chunking.workspace import Workspace
from pages.shared.inspect import ledger_view


def made(setting: str) -> Segmentation:
    sample = samples.load("field-guide-to-backups")
    return strategies.parse(setting).run(Workspace(sample.document, precomputed=sample.precomputed))


def words(of: explain.GapExplanation, result: Segmentation) -> str:
    """The ledger without its markup."""
    return re.sub("<[^>]+>", " ", ledger_view.render(of, result, (False, False), 256))


def first_cut(result: Segmentation) -> explain.GapExplanation:
    assert result.signals is not None
    return explain.explain_gap(result, int(result.signals.threshold.exceeded.argmax()))


SETTINGS = (
    "structural",
    "structural:threshold=gradient",
    "changepoint",
    "changepoint_tree",
    "percentile",
    "standard_deviation:deviations=1.5",
    "interquartile:iqr_factor=0.5",
    "gradient",
)


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_curve_has_its_ledger_in_its_own_words(setting: str) -> None:
    result = made(setting)
    ledger, penalty = first_cut(result), setting.startswith("changepoint")
    fused = penalty or setting.startswith("structural")
    shown = words(ledger, result)
    assert f"{ledger.score:.3f}" in shown and f"margin  {ledger.margin:+.3f}".replace("  ", " ") in shown
    cost = f"{ledger.margin:.3f} lower in the best segmentation with a cut here than in the best without"
    assert (cost in shown) == penalty == ("boundary penalty" in shown)
    assert ("Penalty" in shown) == penalty
    assert ("Structural distance" in shown) == ("α" in shown) == fused, "no structure without structure"
    assert (" · by " in shown) == fused
    assert ("Slope" in shown) == ("gradient" in setting)
    assert ("on either side" in shown) == (not fused)


def test_a_slope_is_shown_with_the_distances_it_comes_from() -> None:
    result = made("gradient:percentile=50")
    assert result.signals is not None
    distances = result.signals.fused
    for gap in (0, 5, len(distances) - 1):
        before, after = max(gap - 1, 0), min(gap + 1, len(distances) - 1)
        rise = f"{distances[after]:.3f} − {distances[before]:.3f}"
        shown = words(explain.explain_gap(result, gap), result)
        assert (f"({rise}) ÷ 2 = " if after - before == 2 else f"{rise} = ") in shown
        assert explain.explain_gap(result, gap).score == pytest.approx(
            (distances[after] - distances[before]) / (after - before), abs=1e-9
        )


def test_a_tree_tells_what_opens_a_topic() -> None:
    result = made("changepoint_tree:subtopics=3")
    cuts = [chunk.cut for chunk in result.chunks if chunk.cut and chunk.parent is not None]
    told = {cut.detail: words(explain.explain_gap(result, cut.gap), result) for cut in cuts if cut.gap is not None}
    assert "topic penalty" in told["topic"]
    assert "a sub-topic only" in told["sub-topic"]


def test_limits_are_named_as_the_strategy_keeps_them() -> None:
    for setting, word in (
        ("structural:min_tokens=300", "merged (min size)"),
        ("changepoint:min_tokens=300", "removed (size limits)"),
    ):
        result = made(setting)
        assert word in words(explain.explain_gap(result, result.suppressed_gaps[0]), result)


@pytest.mark.parametrize(
    ("flips", "cut", "words"),
    [
        (CountFlips(20, 12, None, 100), True, "not cut with 12 (percentile 88.0); now 20"),
        (CountFlips(20, 12, 31, 100), True, "not cut with 12 (percentile 88.0) or 31 (percentile 69.0); now 20"),
        (CountFlips(20, None, 25, 100), False, "cut with 25 (percentile 75.0); now 20"),
        (CountFlips(20, 0, None, 100), True, "not cut with 0; now 20"),
        (CountFlips(1, None, 3000, 3000), False, "cut with 3,000; now 1"),
        (CountFlips(20, None, None, 100), False, "no other number found at which it is cut; now 20"),
    ],
)
def test_the_words_of_a_change_of_number(flips: CountFlips, cut: bool, words: str) -> None:
    """No percentile is named that cannot be set: 0 is automatic, and 100 is none."""
    shown = re.sub("<[^>]+>", "", ledger_view._count_words(flips, cut))
    assert shown == words


def test_a_change_point_says_what_would_change_it_or_that_it_was_not_searched() -> None:
    sample = samples.load("field-guide-to-backups")
    params = ChangepointParameters(percentile=90.0)
    result = strategies.run("changepoint", Workspace(sample.document, precomputed=sample.precomputed), params)
    assert result.signals is not None
    gap = int(result.signals.threshold.exceeded.argmax())
    ledger = explain.explain_gap(result, gap)

    def shown(of: explain.GapExplanation) -> str:
        return ledger_view.render(of, result, (False, False), 256)

    flips = ledger.count_flips
    assert flips is not None and flips.fewer is not None
    assert f"not cut with {flips.fewer} " in shown(ledger) and "not computed" not in shown(ledger)
    unknown = shown(replace(ledger, alpha_flips=None, count_flips=None))
    assert unknown.count("not computed for a document of this length") == 2


@pytest.mark.parametrize("setting", ["structural", "changepoint", "structural:structure=layout", "percentile"])
def test_the_probability_is_said_where_it_is_known(setting: str) -> None:
    result = made(setting)
    ledger, learned = first_cut(result), setting in ("structural", "changepoint")
    assert (ledger.probability is not None) == learned
    shown = words(ledger, result)
    assert ("boundaries expected" in shown) == learned == ("weight was learned" in shown)
    if learned:
        assert ledger.probability is not None and result.signals is not None
        assert f"{100 * ledger.probability:.0f} %" in shown
        assert ("at several scales" in shown) == (setting == "structural")
