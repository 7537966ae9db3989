from __future__ import annotations

import itertools
import json
import re
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.figures.lanes import (
    CHANGES,
    GONE,
    KINDS,
    LEVELS,
    STYLES,
    Kind,
    Lane,
    Lanes,
    Marks,
    consensus,
    full_range,
    label,
    lanes_figure,
    lanes_frame,
    lanes_legend,
    lanes_marks,
    place_shape,
    score_range,
    to_figure,
)
from chunking.figures.theme import PALETTES, ROLES, Palette

LIGHT = PALETTES["light"]
STEP = 10  # characters a gap


def lane_of(
    gaps: list[int], title: str = "lane", kind: Kind = "strategy", change: list[int] | None = None, **more: Any
) -> Lane:
    """A lane that cuts at gaps (from 1) of a document whose sentences have :data:`STEP` characters each."""
    at = np.array(gaps, dtype=np.int64)
    codes = np.array(change if change is not None else [0] * len(gaps), dtype=np.int8)
    return Lane(title, at.astype(np.float64), at * STEP, tuple(f"reason {gap}" for gap in gaps), codes, kind, **more)


def lanes_of(lanes: list[Lane], n_gaps: int, threshold: float = 0.5, seed: int = 0) -> Lanes:
    x = np.arange(1, n_gaps + 1, dtype=np.float64)
    fused = np.random.default_rng(seed).random(n_gaps)
    places, shares = consensus(lanes)
    offsets, end = (x * STEP).astype(np.int64), (n_gaps + 1) * STEP
    return Lanes(tuple(lanes), "sentences", n_gaps + 1.0, end, x, offsets, fused, threshold, places, shares)


@st.composite
def some_lane(draw: st.DrawFn, n_gaps: int) -> Lane:
    gaps = sorted(draw(st.sets(st.integers(1, n_gaps), max_size=n_gaps))) if n_gaps else []
    change = draw(st.lists(st.integers(0, len(CHANGES) - 1), min_size=len(gaps), max_size=len(gaps)))
    edges = sorted(draw(st.lists(st.floats(0, n_gaps + 1, width=32), max_size=6)))
    lost = np.array(edges[: len(edges) // 2 * 2], dtype=np.float64).reshape(-1, 2)
    sizes = draw(st.booleans())
    tokens = np.arange(1, 2 + sum(code != GONE for code in change)) if sizes else np.empty(0, dtype=np.int64)
    return lane_of(gaps, draw(st.text(max_size=40)), draw(st.sampled_from(KINDS)), change, lost=lost, tokens=tokens)


@st.composite
def some_lanes(draw: st.DrawFn) -> Lanes:
    n_gaps = draw(st.integers(0, 30))
    lanes = draw(st.lists(some_lane(n_gaps), max_size=5))
    threshold = draw(st.sampled_from([0.5, 1.7, -0.3, float("nan"), float("inf")]))
    made = lanes_of(lanes, n_gaps, threshold, draw(st.integers(0, 99)))
    return made if draw(st.booleans()) else replace(made, fused=np.empty(0))


def strokes(lanes: Lanes) -> dict[str, Marks]:
    found = {marks.uid: marks for marks in lanes_marks(lanes, LIGHT)}
    assert len(found) == len(lanes_marks(lanes, LIGHT)), "two marks share a uid"
    return found


# ---- every boundary is drawn, once, where it is and as what it is


@given(some_lanes())
def test_every_boundary_is_one_stroke_of_its_row_at_its_place_with_its_look(lanes: Lanes) -> None:
    drawn = sorted(
        (int(row), float(x), uid)
        for uid, marks in strokes(lanes).items()
        if uid in STYLES
        for row, x in zip(marks.row, marks.x, strict=True)
    )
    wanted = sorted(
        (row, float(x), lane.kind if CHANGES[code] == "same" else CHANGES[code])
        for row, lane in enumerate(lanes.lanes)
        for x, code in zip(lane.x, lane.change, strict=True)
    )
    assert drawn == wanted


@given(some_lanes())
def test_strokes_stay_inside_their_row_and_ascend_in_it(lanes: Lanes) -> None:
    for marks in strokes(lanes).values():
        assert -0.5 < marks.low < marks.high < 0.5 or (marks.axis == "y2" and 0 <= marks.low < marks.high <= 1)
        order = np.lexsort((marks.x, marks.row))
        assert (order == np.arange(len(marks.x))).all(), "the browser thins them out in this order"


@given(some_lanes())
def test_every_lost_stretch_is_an_area_of_its_row(lanes: Lanes) -> None:
    wanted = sorted((row, *pair) for row, lane in enumerate(lanes.lanes) for pair in lane.lost.tolist())
    marks = strokes(lanes).get("lost")
    if marks is None:
        assert wanted == []
        return
    assert marks.until is not None
    drawn = zip(marks.row.tolist(), marks.x.tolist(), marks.until.tolist(), strict=True)
    assert sorted(drawn) == wanted


@given(some_lanes())
def test_the_figure_holds_each_mark_as_one_path_with_its_numbers(lanes: Lanes) -> None:
    shapes = lanes_figure(lanes, LIGHT)["layout"]["shapes"]
    marks = lanes_marks(lanes, LIGHT)
    assert len(shapes) == len(marks)
    for shape, of in zip(shapes, marks, strict=True):
        begun = re.findall(r"M([-+.\de]+),([-.\d]+)V([-.\d]+)", shape["path"])
        found = [(float(x), float(low), float(high)) for x, low, high in begun]
        rows = of.row.tolist()
        assert [x for x, _, _ in found] == pytest.approx(of.x.tolist())
        assert [low for _, low, _ in found] == pytest.approx([row + of.low for row in rows], abs=1e-4)
        assert [high for _, _, high in found] == pytest.approx([row + of.high for row in rows], abs=1e-4)
        ends = [float(end) for end in re.findall(r"H([-+.\de]+)V[-.\d]+Z", shape["path"])]
        assert ends == pytest.approx([] if of.until is None else of.until.tolist())


@settings(max_examples=25)
@given(some_lanes())
def test_plotly_accepts_the_figure(lanes: Lanes) -> None:
    plain = lanes_figure(lanes, LIGHT, selected=0)
    figure = to_figure(lanes, LIGHT, selected=0)
    assert [trace.uid for trace in figure.data] == [trace["uid"] for trace in plain["data"]]
    assert len({trace["uid"] for trace in plain["data"]}) == len(plain["data"])
    json.loads(figure.to_json())


def test_what_changed_lies_above_what_did_not_and_looks_different_without_colour() -> None:
    lane = lane_of([1, 2, 3, 4], change=[0, 1, 2, 3])
    order = [marks.uid for marks in lanes_marks(lanes_of([lane], 5), LIGHT) if marks.axis == "y3"]
    assert order[0] == "strategy" and set(order[1:]) == {"appeared", "moved", "gone"}
    looks = {(STYLES[name].width, STYLES[name].dash, STYLES[name].reach) for name in order}
    assert len(looks) == 4


@given(some_lanes())
def test_the_legend_has_one_entry_for_each_group_of_the_rows_that_is_there(lanes: Lanes) -> None:
    entries = lanes_legend(lanes_marks(lanes, LIGHT))
    looks = {uid for uid, marks in strokes(lanes).items() if marks.axis == "y3"}
    assert {entry["uid"] for entry in entries} == {f"legend-{uid}" for uid in looks}
    assert len({entry["name"] for entry in entries}) == len(entries)
    for entry in entries:
        assert entry["x"] == entry["y"] == [None], "an entry draws nothing"


def test_gold_looks_like_no_other_lane() -> None:
    gold = STYLES["gold"]
    for kind in KINDS:
        if kind != "gold":
            assert gold.role != STYLES[kind].role
            assert gold.width > STYLES[kind].width and gold.reach > STYLES[kind].reach


# ---- consensus


@given(some_lanes())
def test_the_consensus_is_the_share_of_lanes_that_cut_there(lanes: Lanes) -> None:
    voting = [lane for lane in lanes.lanes if lane.kind != "gold"]
    held = [{int(x) for x, code in zip(lane.x, lane.change, strict=True) if code != GONE} for lane in voting]
    places, shares = consensus(lanes.lanes)
    wanted = {place: sum(place in lane for lane in held) / len(held) for place in sorted(set().union(*held))}
    assert dict(zip(places.tolist(), shares.tolist(), strict=True)) == pytest.approx(wanted)
    assert (np.diff(places) > 0).all()


def test_a_lane_that_repeats_a_boundary_votes_once() -> None:
    _, shares = consensus([lane_of([3, 3, 3]), lane_of([4])])
    assert shares.tolist() == [0.5, 0.5]


def test_more_agreement_is_higher_and_darker() -> None:
    lanes = [lane_of([1, *range(5, 5 + row)], f"lane {row}") for row in range(5)]
    ribbon = [marks for marks in lanes_marks(lanes_of(lanes, 12), LIGHT) if marks.axis == "y2"]
    assert [marks.uid for marks in ribbon] == [f"consensus-{step}" for step in range(1, LEVELS + 1)]
    for lower, higher in itertools.pairwise(ribbon):
        assert lower.high < higher.high and lower.opacity < higher.opacity
    assert ribbon[-1].x.tolist() == [1.0], "all five"
    assert sum(len(marks.x) for marks in ribbon) == len(consensus(lanes)[0])


@pytest.mark.parametrize("number", range(1, 17))
def test_full_agreement_reaches_the_top_and_one_lane_is_seen(number: int) -> None:
    lanes = [lane_of([2], "first"), *(lane_of([2, 3] if row == 1 else [2]) for row in range(1, number))]
    made = lanes_of(lanes, 5)
    assert strokes(made)[f"consensus-{LEVELS}"].x.tolist()[0] == 2.0
    assert sum(len(marks.x) for marks in lanes_marks(made, LIGHT) if marks.axis == "y2") == len(made.consensus_x)


# ---- the curve, the axes and their room


def test_the_curve_is_passed_on_uncopied_and_its_threshold_stands_in_words() -> None:
    lanes = lanes_of([lane_of([2])], 40, threshold=0.4321)
    figure = lanes_frame(lanes, LIGHT)
    traces = {trace["uid"]: trace for trace in figure["data"]}
    assert traces["fused"]["x"] is lanes.curve_x and traces["fused"]["y"] is lanes.fused
    assert traces["threshold"]["y"] == [0.4321, 0.4321] and traces["threshold"]["line"]["dash"] == "dash"
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["0.432"]


@pytest.mark.parametrize("threshold", [float("nan"), float("inf")])
def test_a_rule_without_threshold_draws_none(threshold: float) -> None:
    figure = lanes_frame(lanes_of([lane_of([2])], 9, threshold=threshold), LIGHT)
    assert "threshold" not in {trace["uid"] for trace in figure["data"]}
    assert figure["layout"]["annotations"] == []
    assert np.isfinite(figure["layout"]["yaxis"]["range"]).all()


@given(some_lanes())
def test_bands_do_not_overlap_and_every_row_has_the_same_height(lanes: Lanes) -> None:
    layout = lanes_frame(lanes, LIGHT)["layout"]
    inner = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    shown = [layout[axis] for axis in ("yaxis", "yaxis2", "yaxis3") if layout[axis]["visible"]]
    assert shown
    for upper, lower in itertools.pairwise(shown):
        assert (upper["domain"][0] - lower["domain"][1]) * inner > 4
    assert shown[0]["domain"][1] == 1.0 and shown[-1]["domain"][0] == pytest.approx(0.0)
    if lanes.lanes:
        low, high = layout["yaxis3"]["domain"]
        assert (high - low) * inner / len(lanes.lanes) == pytest.approx(22)
        assert layout["yaxis3"]["range"] == [len(lanes.lanes) - 0.5, -0.5], "the first lane is on top"
    assert layout["yaxis"]["visible"] == bool(len(lanes.fused) or not (lanes.lanes or len(lanes.consensus_x)))
    assert layout["yaxis2"]["visible"] == bool(len(lanes.consensus_x))


def test_the_height_grows_by_one_row_a_lane() -> None:
    heights = [lanes_frame(lanes_of([lane_of([1])] * number, 5), LIGHT)["layout"]["height"] for number in range(1, 17)]
    assert set(np.diff(heights)) == {22}


def test_only_the_horizontal_axis_zooms_and_not_beyond_the_document() -> None:
    lanes = lanes_of([lane_of([2])], 30)
    layout = lanes_frame(lanes, LIGHT)["layout"]
    assert all(layout[axis]["fixedrange"] for axis in ("yaxis", "yaxis2", "yaxis3"))
    assert not layout["xaxis"].get("fixedrange")
    assert layout["xaxis"]["range"] == [layout["xaxis"]["minallowed"], layout["xaxis"]["maxallowed"]] == [0.0, 31.0]
    assert layout["xaxis"]["anchor"] == "y3" and layout["xaxis"]["title"]["text"] == "sentences"


@given(some_lanes())
def test_curve_and_threshold_lie_inside_the_vertical_range(lanes: Lanes) -> None:
    low, high = score_range(lanes)
    assert low < min([0.0, *lanes.fused]) and high > max([1.0, *lanes.fused])
    if len(lanes.fused) and np.isfinite(lanes.threshold):
        assert low < lanes.threshold < high


# ---- labels


@given(st.text(max_size=80), st.floats(20, 300))
def test_a_label_is_one_line_that_fits_and_begins_as_its_title_does(title: str, width: float) -> None:
    words = " ".join(title.split())
    shown = label(title, width)
    assert "\n" not in shown
    if shown != words:
        assert shown.endswith("…") and words.startswith(shown[:-1])
        assert len(shown) * 12.5 <= width or len(shown) <= width / 3.5


def test_wide_scripts_are_cut_sooner() -> None:
    assert len(label("가" * 60, 176)) < len(label("a" * 60, 176)) < len(label("i" * 60, 176))
    assert label("structural", 176) == "structural"


def test_labels_have_room_and_are_never_read_as_markup() -> None:
    titles = ["<b>bold</b> & <a href='x'>link</a>", "a", "W" * 200]
    layout = lanes_frame(lanes_of([lane_of([1], title) for title in titles], 5), LIGHT)["layout"]
    assert layout["yaxis3"]["ticktext"][0].startswith("&lt;b&gt;bold&lt;/b&gt; &amp; ")
    assert layout["yaxis3"]["ticktext"][2].endswith("W…")
    assert 100 < layout["margin"]["l"] <= 190
    short = lanes_frame(lanes_of([lane_of([1], "a")], 5), LIGHT)["layout"]
    assert short["margin"]["l"] < layout["margin"]["l"]


def test_hovering_tells_lane_place_change_reason_and_sizes() -> None:
    lane = lane_of([2, 4, 6], "<i>mine</i>", change=[0, GONE, 1], tokens=np.array([10, 2000, 30]))
    traces = {trace["uid"]: trace for trace in lanes_figure(lanes_of([lane], 9), LIGHT)["data"]}
    words = traces["words-y3-0"]
    assert words["mode"] == "none" and words["x"] is lane.x and set(words["y"]) == {0.0}
    first, ghost, last = words["hovertext"]
    assert "&lt;i&gt;mine&lt;/i&gt;" in first and "reason 2" in first and "10 and 2,000" in first
    assert "gone" in ghost and "tokens" not in ghost
    assert "appeared" in last and "2,000 and 30" in last and "sentences before: 6" in last


# ---- places


@given(some_lanes(), st.floats(0, 1))
def test_an_offset_has_a_position_and_the_position_that_offset(lanes: Lanes, share: float) -> None:
    offset = share * lanes.end
    position = lanes.position(offset)
    assert 0 <= position <= lanes.length
    assert lanes.offset(position) == pytest.approx(offset, abs=1e-6)
    for at, where in zip(lanes.curve_offset, lanes.curve_x, strict=True):
        assert lanes.position(at) == where


def test_the_chosen_place_is_one_line_through_all_rows() -> None:
    lanes = lanes_of([lane_of([2])], 9)
    line = lanes_figure(lanes, LIGHT, selected=25)["layout"]["shapes"][-1]
    assert line == place_shape(2.5, LIGHT)
    assert (line["x0"], line["x1"], line["y0"], line["y1"], line["yref"]) == (2.5, 2.5, 0, 1, "paper")
    assert "line" not in {shape["type"] for shape in lanes_figure(lanes, LIGHT)["layout"]["shapes"]}


def test_a_document_without_gaps_or_lanes_has_a_picture() -> None:
    nothing, none = np.empty(0), np.empty(0, dtype=np.int64)
    empty = Lanes((), "characters", 0.0, 0, nothing, none, nothing, float("nan"), nothing, nothing)
    assert full_range(empty) == (0.0, 1.0)
    assert lanes_marks(empty, LIGHT) == ()
    assert empty.position(0) == 0.0 == empty.offset(0)
    to_figure(empty, LIGHT)
    to_figure(lanes_of([lane_of([])], 0), LIGHT)


# ---- colours


def test_every_colour_comes_from_the_palette() -> None:
    lanes = lanes_of([lane_of([1, 2, 3, 4], kind=kind, change=[0, 1, 2, 3]) for kind in KINDS], 5)
    lost = replace(lanes.lanes[0], lost=np.array([[1.0, 2.0]]))
    figure = lanes_figure(replace(lanes, lanes=(lost, *lanes.lanes[1:])), ROLES, selected=3)
    seen: set[str] = set()

    def walk(value: Any, name: str = "") -> None:
        if isinstance(value, dict):
            for key, item in value.items():
                walk(item, key)
        elif isinstance(value, list):
            for item in value:
                walk(item, name)
        elif name.endswith("color"):
            seen.add(value)

    walk(figure)
    roles = set(asdict(ROLES).values())
    tints = {color for color in seen if color not in roles}
    assert tints == {"rgba(0,0,0,0)", f"{ROLES.selected}48"}
    assert {f"role:{style.role}" for style in STYLES.values()} <= seen


@pytest.mark.parametrize("theme", sorted(PALETTES))
def test_looks_of_one_row_have_colours_of_their_own(theme: str) -> None:
    palette: Palette = PALETTES[theme]
    for kind in KINDS:
        colors = [getattr(palette, STYLES[name].role) for name in (kind, "appeared", "moved", "gone")]
        assert len(set(colors)) == 4


# ---- what is refused


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"x": np.array([1.0])}, "different lengths"),
        ({"reason": ("one",)}, "different lengths"),
        ({"kind": "guess"}, "unknown kind 'guess'"),
        ({"change": np.array([0, 4], dtype=np.int8)}, "unknown change"),
        ({"change": np.array([-1, 0], dtype=np.int8)}, "unknown change"),
        ({"x": np.array([3.0, 2.0])}, "unsorted x"),
        ({"x": np.array([np.nan, 2.0])}, "unsorted x"),
        ({"offset": np.array([30, 20])}, "unsorted offset"),
        ({"lost": np.array([[3.0, 2.0]])}, "invalid lost span"),
        ({"lost": np.array([3.0, 2.0])}, "invalid lost span"),
        ({"tokens": np.array([1, 2])}, "3 chunks and 2 sizes"),
    ],
)
def test_a_lane_that_contradicts_itself_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ChunkscopeError, match=problem):
        replace(lane_of([2, 3], "odd"), **change)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"unit": "pages"}, "Unknown unit 'pages'"),
        ({"length": float("nan")}, "length of the document is invalid"),
        ({"length": -1.0}, "length of the document is invalid"),
        ({"fused": np.zeros(3)}, "different lengths"),
        ({"curve_offset": np.zeros(3, dtype=np.int64)}, "different lengths"),
        ({"consensus": np.zeros(3)}, "ribbon's columns"),
        ({"consensus": np.array([0.5, 1.5])}, "not between 0 and 1"),
        ({"consensus_x": np.array([3.0, 2.0])}, "are not sorted"),
        ({"length": 4.0}, "outside the document"),
        ({"end": 30}, "outside the document"),
        ({"lanes": (lane_of([9], "far"),)}, "'far' lie outside"),
        ({"lanes": (lane_of([], lost=np.array([[-1.0, 2.0]])),)}, "outside the document"),
    ],
)
def test_lanes_that_do_not_fit_the_document_are_refused(change: dict[str, Any], problem: str) -> None:
    lanes = lanes_of([lane_of([2, 3])], 5)
    with pytest.raises(ChunkscopeError, match=problem):
        replace(lanes, **change)


def test_a_boundary_that_is_gone_makes_no_chunk() -> None:
    lane = lane_of([1, 2, 3], change=[GONE, 0, GONE], tokens=np.array([5, 6]))
    assert lane.n_chunks == 2
