from __future__ import annotations

import itertools
import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.figures.plots import Curves, curve_figure, full_range, score_range, selection_shape, to_figure
from chunking.figures.theme import DRIVER_TITLES, DRIVERS, GLYPHS, PALETTES, ROLES, SYMBOLS, Palette

LIGHT = PALETTES["light"]


def curves_of(n_gaps: int, seed: int = 0) -> Curves:
    """Random curves whose cuts are the gaps above the threshold, every driver in turn."""
    rng = np.random.default_rng(seed)
    semantic, structural = rng.random(n_gaps), rng.random(n_gaps)
    fused = (semantic + structural) / 2
    threshold = float(np.quantile(fused, 0.7)) if n_gaps else float("nan")
    above = np.flatnonzero(fused > threshold)
    cuts, merged = above[::2], above[1::2]
    drivers = tuple(itertools.islice(itertools.cycle(DRIVERS), len(cuts)))
    gold = np.arange(2, n_gaps, 5)
    return Curves(semantic, structural, fused, fused, threshold, "70th percentile", cuts, drivers, gold, merged)


def by_uid(figure: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found = {trace["uid"]: trace for trace in figure["data"]}
    assert len(found) == len(figure["data"]), "two traces share a uid"
    return found


curve_inputs = st.builds(curves_of, st.integers(0, 80), st.integers(0, 1000))


@given(curve_inputs)
def test_the_figure_shows_exactly_the_numbers_it_was_given(curves: Curves) -> None:
    traces = by_uid(curve_figure(curves, palette=LIGHT))
    for name in ("semantic", "structural", "fused"):
        trace = traces[name]
        assert trace["y"] is getattr(curves, name)
        assert (trace["x0"], trace["dx"]) == (1, 1)
    shown = {
        (int(x), driver): float(y)
        for driver in DRIVERS
        if f"cut-{driver}" in traces
        for x, y in zip(traces[f"cut-{driver}"]["x"], traces[f"cut-{driver}"]["y"], strict=True)
    }
    wanted = {
        (gap + 1, driver): float(curves.fused[gap])
        for gap, driver in zip(curves.boundaries.tolist(), curves.drivers, strict=True)
    }
    assert shown == wanted


@given(curve_inputs)
def test_gold_and_merged_gaps_are_all_shown_and_absent_ones_have_no_entry(curves: Curves) -> None:
    traces = by_uid(curve_figure(curves, palette=LIGHT))
    for uid, gaps in (("gold", curves.gold), ("suppressed", curves.suppressed)):
        assert (uid in traces) == bool(len(gaps))
        if len(gaps):
            assert traces[uid]["x"].tolist() == [gap + 1 for gap in gaps.tolist()]
    assert {f"cut-{driver}" for driver in set(curves.drivers)} == {uid for uid in traces if uid.startswith("cut-")}


@given(curve_inputs, st.sampled_from(sorted(PALETTES)))
def test_plotly_accepts_the_figure(curves: Curves, theme: str) -> None:
    figure = to_figure(curves, palette=PALETTES[theme], selected=0 if curves.n_gaps else None)
    plain = curve_figure(curves, palette=PALETTES[theme])
    assert [trace.name for trace in figure.data] == [trace["name"] for trace in plain["data"]]
    json.loads(figure.to_json())


def test_the_threshold_is_a_dashed_line_over_all_gaps_with_its_value_in_words() -> None:
    curves = curves_of(40)
    figure = curve_figure(curves, palette=LIGHT)
    line = by_uid(figure)["threshold"]
    assert line["line"]["dash"] == "dash"
    assert line["y"] == [curves.threshold] * 2
    assert line["x"] == [0.5, 40.5]
    assert "70th percentile" in line["name"]
    (label,) = figure["layout"]["annotations"]
    assert label["text"] == f"{curves.threshold:.3f}"
    assert label["y"] == curves.threshold


@pytest.mark.parametrize("threshold", [float("nan"), float("inf"), float("-inf")])
def test_a_rule_without_threshold_draws_none(threshold: float) -> None:
    figure = curve_figure(replace(curves_of(40), threshold=threshold), palette=LIGHT)
    assert "threshold" not in by_uid(figure)
    assert figure["layout"]["annotations"] == []
    assert all(np.isfinite(figure["layout"]["yaxis"]["range"]))


def test_a_label_is_never_read_as_markup() -> None:
    curves = replace(curves_of(10), threshold_label="<a href='x'>&</a>")
    name = by_uid(curve_figure(curves, palette=LIGHT))["threshold"]["name"]
    assert "<" not in name and "&amp;" in name


def test_the_score_is_drawn_only_where_it_is_not_the_fused_distance() -> None:
    curves = curves_of(30)
    assert "slope" not in by_uid(curve_figure(curves, palette=LIGHT))
    assert "slope" not in by_uid(curve_figure(replace(curves, score=curves.fused.copy()), palette=LIGHT))
    gradient = replace(curves, score=np.gradient(curves.fused))
    assert by_uid(curve_figure(gradient, palette=LIGHT))["slope"]["y"] is gradient.score


@given(st.integers(2, 60), st.integers(0, 99), st.floats(-3, 3, allow_nan=False))
def test_every_score_and_the_threshold_lie_inside_the_vertical_range(n_gaps: int, seed: int, scale: float) -> None:
    curves = curves_of(n_gaps, seed)
    curves = replace(curves, score=np.gradient(curves.fused) * scale, threshold=scale / 2)
    low, high = score_range(curves)
    assert low < min(0.0, float(curves.score.min()), curves.threshold)
    assert high > max(1.0, float(curves.score.max()), curves.threshold)


def test_the_vertical_range_does_not_move_with_the_distances() -> None:
    assert {score_range(curves_of(50, seed)) for seed in range(8)} == {(-0.04, 1.04)}


def test_only_the_horizontal_axis_zooms() -> None:
    layout = curve_figure(curves_of(30), palette=LIGHT)["layout"]
    assert layout["yaxis"]["fixedrange"] and layout["yaxis2"]["fixedrange"]
    assert not layout["xaxis"].get("fixedrange")
    assert layout["xaxis"]["range"] == [layout["xaxis"]["minallowed"], layout["xaxis"]["maxallowed"]] == [0.5, 30.5]


def test_gold_has_a_strip_of_its_own_below_the_curves() -> None:
    with_gold = curve_figure(curves_of(30), palette=LIGHT)
    assert by_uid(with_gold)["gold"]["yaxis"] == "y2"
    layout = with_gold["layout"]
    assert layout["yaxis2"]["domain"][1] <= layout["yaxis"]["domain"][0]
    without = curve_figure(replace(curves_of(30), gold=np.empty(0, dtype=np.int64)), palette=LIGHT)["layout"]
    assert "yaxis2" not in without and without["yaxis"]["domain"] == [0.0, 1.0]


def test_the_chosen_gap_is_one_vertical_line() -> None:
    curves = curves_of(30)
    assert curve_figure(curves, palette=LIGHT)["layout"]["shapes"] == []
    (line,) = curve_figure(curves, palette=LIGHT, selected=7)["layout"]["shapes"]
    assert line == selection_shape(7, LIGHT)
    assert (line["x0"], line["x1"], line["y0"], line["y1"]) == (8, 8, 0, 1)


@pytest.mark.parametrize("n_gaps", [0, 1])
def test_documents_of_one_or_two_sentences_have_a_picture(n_gaps: int) -> None:
    zeros, none = np.zeros(n_gaps), np.empty(0, dtype=np.int64)
    curves = Curves(zeros, zeros, zeros, zeros, float("nan"), "", none, ())
    layout = curve_figure(curves, palette=LIGHT)["layout"]
    start, end = layout["xaxis"]["range"]
    assert start < 1 < end and (start, end) == full_range(n_gaps)
    assert bool(layout["annotations"]) == (n_gaps == 0)
    to_figure(curves, palette=LIGHT)


def test_every_colour_comes_from_the_palette() -> None:
    curves = replace(curves_of(60), score=np.gradient(curves_of(60).fused))
    figure = curve_figure(curves, palette=ROLES, selected=3)
    roles = set(asdict(ROLES).values())
    seen: set[str] = set()

    def walk(value: Any, name: str = "") -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                walk(item, key)
        elif isinstance(value, list):
            for item in value:
                walk(item, name)
        elif name == "color" or name.endswith("color"):
            seen.add(value)

    walk(figure)
    assert seen <= roles | {"rgba(0,0,0,0)"}
    assert roles <= seen, f"unused: {roles - seen}"


def luminance(color: str) -> float:
    """Relative luminance, WCAG 2.2."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", sorted(PALETTES))
def test_marks_and_words_stand_out_from_their_background(theme: str) -> None:
    palette: Palette = PALETTES[theme]
    for role, color in asdict(palette).items():
        if role not in ("surface", "grid"):
            wanted = 4.5 if role in ("text", "muted", "threshold") else 3.0
            assert contrast(color, palette.surface) >= wanted, role


def test_every_driver_has_a_shape_of_its_own_and_a_name() -> None:
    for table in (SYMBOLS, GLYPHS, DRIVER_TITLES):
        assert set(table) == set(DRIVERS)
        assert len(set(table.values())) == len(DRIVERS)


def test_what_does_not_fit_together_is_refused() -> None:
    curves = curves_of(20)
    with pytest.raises(ChunkscopeError, match="lengths"):
        replace(curves, semantic=curves.semantic[:-1])
    with pytest.raises(ChunkscopeError, match="drivers"):
        replace(curves, drivers=curves.drivers[:-1])
    with pytest.raises(ChunkscopeError, match="Unknown driver 'magic'"):
        replace(curves, drivers=("magic", *curves.drivers[1:]))
    for gap in (-1, 20):
        with pytest.raises(ChunkscopeError, match="gold"):
            replace(curves, gold=np.array([gap]))
        with pytest.raises(ChunkscopeError, match="suppressed"):
            replace(curves, suppressed=np.array([gap]))


def test_drawing_copies_no_curve() -> None:
    curves = curves_of(50_000)
    traces = by_uid(curve_figure(curves, palette=LIGHT))
    assert all(
        np.shares_memory(traces[name]["y"], getattr(curves, name)) for name in ("semantic", "structural", "fused")
    )


def test_without_structure_one_curve_is_drawn_and_the_words_are_the_strategys_own() -> None:
    values = np.array([0.1, 0.6, 0.2])
    cuts = np.array([1])
    alone = Curves(values, None, values, values, 0.5, "95th percentile", cuts, ("semantic",))
    figure = to_figure(alone, palette=LIGHT)
    assert [trace.name for trace in figure.data] == ["semantic", "threshold: 95th percentile", "cut: semantic"]
    assert "semantic %{y" in figure.data[-1].hovertemplate
    worth = replace(
        alone, structural=values, fused_title="worth", threshold_title="", threshold_label="penalty", suppressed=cuts,
        suppressed_title="given <up>",
    )  # fmt: skip
    names = [trace.name for trace in to_figure(worth, palette=LIGHT).data]
    assert names == ["structural", "semantic", "worth", "penalty", "given &lt;up&gt;", "cut: semantic"]


def test_ticks_between_whole_numbers_are_not_shown_as_whole_numbers() -> None:
    """With ``,d`` the axis of a document of three gaps reads 1 1 1 1 2 2 2 2."""
    layout = to_figure(curves_of(3), palette=LIGHT).to_dict()["layout"]
    assert layout["xaxis"]["tickformat"] == ",~f"
