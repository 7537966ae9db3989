from __future__ import annotations

import itertools
import json
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.report.curves import HEIGHT, Curves, PinnedCurves, curve_figure, to_figure
from chunking.report.theme import DRIVER_TITLES, DRIVERS, PALETTES, ROLES

LIGHT = PALETTES["light"]
gap_sets = st.frozensets(st.integers(0, 60), max_size=40)


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


def named(curves: Curves) -> dict[str, dict[str, Any]]:
    """Return the traces of a figure by their names, which differ."""
    data = curve_figure(curves, palette=LIGHT)["data"]
    traces = {trace["name"]: trace for trace in data}
    assert len(traces) == len(data), "two entries of the legend have one name"
    return traces


def layout_of(curves: Curves) -> dict[str, Any]:
    layout: dict[str, Any] = curve_figure(curves, palette=LIGHT)["layout"]
    return layout


curve_inputs = st.builds(curves_of, st.integers(0, 80), st.integers(0, 1000))


@given(curve_inputs)
def test_the_figure_shows_exactly_the_numbers_it_was_given(curves: Curves) -> None:
    traces = named(curves)
    for name in ("semantic", "structural", "fused"):
        assert traces[name]["x"].tolist() == list(range(1, curves.n_gaps + 1))
        assert traces[name]["y"].tolist() == getattr(curves, name).tolist()
    shown = {
        (int(x), driver): float(y)
        for driver, title in DRIVER_TITLES.items()
        if title in traces
        for x, y in zip(traces[title]["x"], traces[title]["y"], strict=True)
    }
    wanted = {
        (gap + 1, driver): float(curves.fused[gap])
        for gap, driver in zip(curves.boundaries.tolist(), curves.drivers, strict=True)
    }
    assert shown == wanted
    for name, gaps in (("reference", curves.reference), (curves.suppressed_title, curves.suppressed)):
        assert (name in traces) == bool(len(gaps)), "an absent mark has no entry"
        assert not len(gaps) or traces[name]["x"].tolist() == [gap + 1 for gap in gaps.tolist()]
    assert {DRIVER_TITLES[driver] for driver in set(curves.drivers)} == {name for name in traces if "cut:" in name}


@given(curve_inputs, st.sampled_from(sorted(PALETTES)))
def test_plotly_accepts_the_figure(curves: Curves, theme: str) -> None:
    figure = to_figure(curves, palette=PALETTES[theme])
    plain = curve_figure(curves, palette=PALETTES[theme])
    assert [trace.name for trace in figure.data] == [trace["name"] for trace in plain["data"]]
    json.loads(figure.to_json())


def test_the_threshold_is_a_dashed_line_over_all_gaps_with_its_value_in_words() -> None:
    curves = curves_of(40)
    line = named(curves)["threshold: 70th percentile"]
    assert line["line"]["dash"] == "dash"
    assert (line["x"], line["y"]) == ([0.5, 40.5], [curves.threshold] * 2)
    (label,) = layout_of(curves)["annotations"]
    assert (label["text"], label["y"]) == (f"{curves.threshold:.3f}", curves.threshold)
    for threshold in (float("nan"), float("inf"), float("-inf")):
        without = replace(curves, threshold=threshold)
        assert not [name for name in named(without) if name.startswith("threshold")]
        assert layout_of(without)["annotations"] == []
        assert all(np.isfinite(layout_of(without)["yaxis"]["range"]))


def test_a_label_is_never_read_as_markup() -> None:
    curves = replace(curves_of(10), threshold_label="<a href='x'>&</a>")
    (name,) = (name for name in named(curves) if name.startswith("threshold"))
    assert "<" not in name and "&amp;" in name


@given(st.integers(2, 60), st.integers(0, 99), st.floats(-3, 3, allow_nan=False))
def test_every_score_and_every_threshold_lie_inside_the_vertical_range(n_gaps: int, seed: int, scale: float) -> None:
    curves = curves_of(n_gaps, seed)
    pinned = PinnedCurves(np.zeros(0, dtype=np.int64), curves.fused * 2, 2 * scale)
    assert "slope" not in named(replace(curves, score=curves.fused.copy()))
    curves = replace(curves, score=np.gradient(curves.fused) * scale, threshold=scale / 2, pinned=pinned)
    assert named(curves)["slope"]["y"] is curves.score
    low, high = layout_of(curves)["yaxis"]["range"]
    assert low < min(0.0, float(curves.score.min()), scale / 2, 2 * scale)
    assert high > max(1.0, float(curves.score.max()), scale / 2, 2 * scale, float(curves.fused.max() * 2))


def test_only_the_horizontal_axis_zooms() -> None:
    layout = layout_of(curves_of(30))
    assert layout["yaxis"]["fixedrange"] and layout["yaxis2"]["fixedrange"]
    assert not layout["xaxis"].get("fixedrange")
    assert layout["xaxis"]["tickformat"] == ",~f", "with ,d an axis of three gaps reads 1 1 1 1 2 2 2 2"
    assert layout["xaxis"]["range"] == [layout["xaxis"]["minallowed"], layout["xaxis"]["maxallowed"]] == [0.5, 30.5]


def test_reference_boundaries_have_a_strip_of_their_own_below_the_curves() -> None:
    layout = layout_of(curves_of(30))
    assert named(curves_of(30))["reference"]["yaxis"] == "y2"
    assert layout["yaxis2"]["domain"][1] <= layout["yaxis"]["domain"][0]
    without = layout_of(replace(curves_of(30), reference=np.empty(0, dtype=np.int64)))
    assert "yaxis2" not in without and without["yaxis"]["domain"] == [0.0, 1.0]


@pytest.mark.parametrize("n_gaps", [0, 1])
def test_documents_of_one_or_two_sentences_have_a_picture(n_gaps: int) -> None:
    zeros, none = np.zeros(n_gaps), np.empty(0, dtype=np.int64)
    curves = Curves(zeros, zeros, zeros, zeros, float("nan"), "", none, ())
    start, end = layout_of(curves)["xaxis"]["range"]
    assert start < 1 < end
    assert bool(layout_of(curves)["annotations"]) == (n_gaps == 0)
    to_figure(curves, palette=LIGHT)


def test_without_structure_one_curve_is_drawn_and_the_words_are_the_strategys_own() -> None:
    values = np.array([0.1, 0.6, 0.2])
    cuts = np.array([1])
    alone = Curves(values, None, values, values, 0.5, "95th percentile", cuts, ("semantic",))
    figure = to_figure(alone, palette=LIGHT)
    assert [trace.name for trace in figure.data] == ["semantic", "threshold: 95th percentile", "cut: semantic"]
    assert "semantic %{y" in figure.data[-1].hovertemplate
    score = replace(
        alone, structural=values, fused_title="score", threshold_title="", threshold_label="penalty", suppressed=cuts,
        suppressed_title="given <up>",
    )  # fmt: skip
    names = [trace.name for trace in to_figure(score, palette=LIGHT).data]
    assert names == ["structural", "semantic", "score", "penalty", "given &lt;up&gt;", "cut: semantic"]


# --- a pinned setting ----------------------------------------------------------------------------------------------


@given(gap_sets, gap_sets)
def test_each_boundary_is_in_the_row_of_its_setting_and_marked_where_the_other_has_none(
    shown: frozenset[int], pinned: frozenset[int]
) -> None:
    cuts = np.array(sorted(shown), dtype=np.int64)
    beside = PinnedCurves(np.array(sorted(pinned), dtype=np.int64))
    traces = named(replace(curves_of(61), boundaries=cuts, drivers=("both",) * len(cuts), pinned=beside))
    marks = {
        name: set(zip((trace["x"] - 1).tolist(), trace["y"].tolist(), strict=True))
        for name, trace in traces.items()
        if trace.get("yaxis") == "y3"
    }
    same = {(gap, row) for gap in shown & pinned for row in (1, 0)}
    only = {(gap, 1) for gap in shown - pinned} | {(gap, 0) for gap in pinned - shown}
    assert marks == {
        name: places for name, places in (("boundary in both", same), ("boundary in one only", only)) if places
    }


def test_a_pinned_setting_is_drawn_behind_the_shown_one_and_takes_no_room_from_it() -> None:
    curves = curves_of(40)
    pinned = replace(curves, pinned=PinnedCurves(np.array([3, 9]), np.linspace(0, 1, 40), 0.4))
    names = list(named(pinned))
    assert names[:2] == ["pinned curve", "pinned threshold"]
    assert names[-2:] == ["boundary in both", "boundary in one only"] or names[-1] == "boundary in one only"
    assert named(pinned)["pinned threshold"]["y"] == [0.4, 0.4]
    alone, layout = layout_of(curves), layout_of(pinned)
    domains = [(each["height"] - 74, each["yaxis"]["domain"]) for each in (alone, layout)]
    pixels = [height * (top - bottom) for height, (bottom, top) in domains]
    assert pixels[0] == pytest.approx(pixels[1])
    assert alone["height"] == HEIGHT and "yaxis3" not in alone
    rows, gold = (layout[name]["domain"] for name in ("yaxis3", "yaxis2"))
    assert rows[0] == 0 and rows[1] < gold[0] and gold[1] < layout["yaxis"]["domain"][0]
    assert (layout["xaxis"]["anchor"], alone["xaxis"]["anchor"]) == ("y3", "y2")
    to_figure(pinned, palette=LIGHT)  # validates
    without_curve = replace(curves, pinned=PinnedCurves(np.array([3, 9])))
    assert not {"pinned curve", "pinned threshold"} & set(named(without_curve)) and "yaxis3" in layout_of(without_curve)


# --- colours -------------------------------------------------------------------------------------------------------


def test_every_colour_comes_from_the_palette() -> None:
    curves = replace(curves_of(60), score=np.gradient(curves_of(60).fused))
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

    walk(curve_figure(curves, palette=ROLES))
    assert seen - {"rgba(0,0,0,0)"} == set(asdict(ROLES).values()) - {"role:selected"}
