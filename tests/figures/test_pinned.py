from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ChunkscopeError
from chunking.figures.pinned import PINNED, SHOWN, PinnedCurves, row_traces
from chunking.figures.plots import HEIGHT, curve_figure, score_range, to_figure
from chunking.figures.theme import PALETTES
from tests.figures.test_plots import by_uid, curves_of

LIGHT = PALETTES["light"]
gap_sets = st.frozensets(st.integers(0, 60), max_size=40)


def gaps(of: frozenset[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(sorted(of), dtype=np.int64)


@given(gap_sets, gap_sets)
def test_each_boundary_is_in_the_row_of_its_setting_and_marked_where_the_other_has_none(
    shown: frozenset[int], pinned: frozenset[int]
) -> None:
    traces = {trace["uid"]: trace for trace in row_traces(gaps(shown), gaps(pinned), LIGHT)}
    found = {
        uid: set(zip((trace["x"] - 1).tolist(), trace["y"].tolist(), strict=True)) for uid, trace in traces.items()
    }
    same = {(gap, row) for gap in shown & pinned for row in (SHOWN, PINNED)}
    only = {(gap, SHOWN) for gap in shown - pinned} | {(gap, PINNED) for gap in pinned - shown}
    assert found == {name: marks for name, marks in (("pinned-row-same", same), ("pinned-row-only", only)) if marks}
    assert all((np.diff(trace["x"]) >= 0).all() for trace in traces.values()), "a part is found by bisection"


def test_a_pinned_setting_is_drawn_behind_the_shown_one_and_takes_no_room_from_it() -> None:
    curves = curves_of(40)
    pinned = PinnedCurves(np.array([3, 9]), np.linspace(0, 1, 40), 0.4)
    alone, figure = curve_figure(curves, palette=LIGHT), curve_figure(replace(curves, pinned=pinned), palette=LIGHT)
    uids = [trace["uid"] for trace in figure["data"]]
    assert uids[:2] == ["pinned", "pinned-threshold"] and uids[-2:] == ["pinned-row-same", "pinned-row-only"]
    traces = by_uid(figure)
    assert traces["pinned"]["y"] is pinned.fused and traces["pinned-threshold"]["y"] == [0.4, 0.4]
    pixels = [
        (layout["height"] - 74) * (layout["yaxis"]["domain"][1] - layout["yaxis"]["domain"][0])
        for layout in (alone["layout"], figure["layout"])
    ]
    assert pixels[0] == pytest.approx(pixels[1])
    assert alone["layout"]["height"] == HEIGHT and "yaxis3" not in alone["layout"]
    rows, gold = (figure["layout"][name]["domain"] for name in ("yaxis3", "yaxis2"))
    assert rows[0] == 0 and rows[1] < gold[0] and gold[1] < figure["layout"]["yaxis"]["domain"][0]
    assert (figure["layout"]["xaxis"]["anchor"], alone["layout"]["xaxis"]["anchor"]) == ("y3", "y2")
    to_figure(replace(curves, pinned=pinned), palette=LIGHT)  # validates


def test_a_strategy_without_a_curve_has_its_row_alone() -> None:
    figure = curve_figure(replace(curves_of(40), pinned=PinnedCurves(np.array([3, 9]))), palette=LIGHT)
    uids = {trace["uid"] for trace in figure["data"]}
    assert not uids & {"pinned", "pinned-threshold"} and "yaxis3" in figure["layout"]


def test_the_axis_holds_what_is_pinned() -> None:
    pinned = PinnedCurves(np.zeros(0, dtype=np.int64), np.full(40, 1.6), 1.7)
    assert score_range(replace(curves_of(40), pinned=pinned))[1] > 1.7


@pytest.mark.parametrize("pinned", [PinnedCurves(np.array([40])), PinnedCurves(np.array([1]), np.zeros(39))])
def test_a_pinned_setting_of_another_document_is_refused(pinned: PinnedCurves) -> None:
    with pytest.raises(ChunkscopeError):
        replace(curves_of(40), pinned=pinned)
