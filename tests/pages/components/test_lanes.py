"""What the lanes send to a browser, and what they believe of its answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from chunking.figures.lanes import CHANGES, Lane, Lanes, consensus, lanes_marks
from chunking.figures.theme import ROLES
from pages.shared.components.lanes import EditedLane, LaneEvent, lane_event
from pages.shared.components.lanes.component import _live, _message
from pages.shared.components.live import LiveCurves, LiveSource
from tests.pages.components.test_wire import unpack

SAME, APPEARED, GONE = (CHANGES.index(name) for name in ("same", "appeared", "gone"))


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", kept)
    return kept


def lane(title: str, gaps: list[int], reasons: tuple[str, ...], change: list[int]) -> Lane:
    at = np.array(gaps, dtype=np.int64)
    return Lane(
        title, at.astype(np.float64), at * 10, reasons, np.array(change, dtype=np.int8), lost=np.array([[1.5, 2.0]])
    )


@pytest.fixture
def lanes() -> Lanes:
    rows = (
        lane("<b>one</b>", [1, 3], ("distance", "limit"), [SAME, APPEARED]),
        lane("two", [3, 4], ("limit", "was here"), [SAME, GONE]),
    )
    x = np.arange(1.0, 6.0)
    fused = np.array([0.1, 0.2, 1 / 3, 0.9, 0.4])
    return Lanes(rows, "sentences", 6.0, 60, x, (x * 10).astype(np.int64), fused, 1 / 3, *consensus(rows))


def message(lanes: Lanes, **more: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    given = {"selected": None, "view": None} | more
    return unpack(_message("doc", lanes, given["selected"], given["view"], "plotly.js"))


def test_every_lane_travels_with_its_boundaries_and_each_reason_once(lanes: Lanes) -> None:
    _, body = message(lanes)
    assert body["words"] == ["distance", "limit", "was here"]
    for sent, own in zip(body["lanes"], lanes.lanes, strict=True):
        assert (sent["title"], sent["kind"]) == (own.title, own.kind)
        assert sent["x"].tolist() == own.x.tolist()
        assert sent["offset"].tolist() == own.offset.tolist()
        assert [body["words"][code] for code in sent["reason"]] == list(own.reason)
        assert [body["changes"][code] for code in sent["change"]] == [CHANGES[code] for code in own.change]
        assert sent["lost"].tolist() == own.lost.ravel().tolist()


def test_the_marks_are_those_of_the_figure_in_names_of_colours(lanes: Lanes) -> None:
    _, body = message(lanes)
    own = lanes_marks(lanes, ROLES)
    assert [sent["uid"] for sent in body["marks"]] == [marks.uid for marks in own]
    for sent, marks in zip(body["marks"], own, strict=True):
        assert sent["x"].tolist() == marks.x.tolist() and sent["row"].tolist() == marks.row.tolist()
        assert sent["color"].startswith("role:")
        assert (sent["until"] is None) == (marks.until is None)
    assert {entry["uid"] for entry in body["entries"]} == {f"legend-{marks.uid}" for marks in own if marks.axis == "y3"}


def test_the_curve_travels_once_and_says_exactly_what_exceeds_the_threshold(lanes: Lanes) -> None:
    _, body = message(lanes)
    assert body["gaps"]["exceeds"].tolist() == [0, 0, 0, 1, 1], "a third does not exceed a third"
    assert body["gaps"]["offset"].tolist() == lanes.curve_offset.tolist()
    traces = {trace["uid"]: trace for trace in body["figure"]["data"]}
    assert traces["fused"]["y"].tolist() == body["gaps"]["fused"].tolist()
    assert (body["unit"], body["length"], body["end"]) == ("sentences", 6.0, 60)
    assert body["consensus"]["share"].tolist() == [0.5, 1.0]
    assert body["figure"]["layout"]["shapes"] == [], "the browser makes them of the marks"


def test_a_choice_or_a_view_does_not_change_the_content(lanes: Lanes) -> None:
    plain, _ = message(lanes)
    chosen, _ = message(lanes, selected=30, view=(np.float64(5), 20.5))
    assert plain["content"] == chosen["content"]
    assert (chosen["document"], chosen["selected"], chosen["view"]) == ("doc", 30, [5.0, 20.5])
    assert plain["view"] is None and plain["plotly"] == "plotly.js"


def test_a_boundary_more_changes_the_content(lanes: Lanes) -> None:
    more = Lanes(**(vars(lanes) | {"lanes": (lanes.lanes[0], lanes.lanes[0])}))
    assert message(lanes)[0]["content"] != message(more)[0]["content"]


@pytest.mark.parametrize("threshold", [float("nan"), float("inf")])
def test_no_threshold_is_none(lanes: Lanes, threshold: float) -> None:
    _, body = message(Lanes(**(vars(lanes) | {"threshold": threshold})))
    assert body["threshold"] is None


def test_nothing_was_done(state: dict[str, Any]) -> None:
    assert lane_event("lanes", "doc") == LaneEvent()
    assert lane_event("lanes", "doc", view=(1.0, 2.0)) == LaneEvent(view=(1.0, 2.0))


def test_a_choice_a_clearing_and_a_view(state: dict[str, Any]) -> None:
    state["lanes"] = {
        "place": {"document": "doc", "offset": 70, "lane": 2},
        "view": {"document": "doc", "range": [3, 9.5]},
    }
    assert lane_event("lanes", "doc", view=(0.0, 1.0)) == LaneEvent(offset=70, lane=2, view=(3.0, 9.5))
    state["lanes"] = {"place": {"document": "doc", "offset": 0, "lane": None}}
    assert lane_event("lanes", "doc") == LaneEvent(offset=0)
    state["lanes"] = {"place": {"document": "doc", "offset": None, "lane": None}}
    assert lane_event("lanes", "doc") == LaneEvent(cleared=True)


def test_seeing_all_again_is_no_view_even_where_one_was_given(state: dict[str, Any]) -> None:
    state["lanes"] = {"view": {"document": "doc", "range": None}}
    assert lane_event("lanes", "doc", view=(3.0, 9.0)).view is None


def test_what_was_done_in_another_document_does_not_count(state: dict[str, Any]) -> None:
    state["lanes"] = {
        "place": {"document": "old", "offset": 7, "lane": 1},
        "view": {"document": "old", "range": [3, 9]},
    }
    assert lane_event("lanes", "new") == LaneEvent()


@pytest.mark.parametrize("offset", ["7", -1, 2.5, True, [1], {"offset": 1}])
def test_an_offset_that_is_none_is_not_one(state: dict[str, Any], offset: object) -> None:
    state["lanes"] = {"place": {"document": "doc", "offset": offset, "lane": 1}}
    assert lane_event("lanes", "doc") == LaneEvent()


@pytest.mark.parametrize("lane_number", ["1", -1, 0.5, True])
def test_a_lane_that_is_none_is_not_one(state: dict[str, Any], lane_number: object) -> None:
    state["lanes"] = {"place": {"document": "doc", "offset": 7, "lane": lane_number}}
    assert lane_event("lanes", "doc") == LaneEvent(offset=7)


@pytest.mark.parametrize("view", [[1], [3, 2], ["a", "b"], "1-2", [1, 2, 3], [True, False]])
def test_a_view_that_is_no_range_is_all(state: dict[str, Any], view: object) -> None:
    state["lanes"] = {"view": {"document": "doc", "range": view}}
    assert lane_event("lanes", "doc").view is None


def test_the_edited_lane_travels_with_the_look_of_every_change(lanes: Lanes, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: dict[str, Any] = {}
    monkeypatch.setattr("pages.shared.components.live.component._source", lambda **given: sent.update(given))
    numbers = np.arange(5, dtype=np.int32)
    source: LiveSource = {
        "semantic": np.zeros(40, dtype=np.uint8),
        "structural": None,
        "head": numbers,
        "tail": numbers,
        "toAfter": numbers,
        "toBefore": numbers,
        "divisions": None,
    }
    curves: LiveCurves = {
        "source": source,
        "setting": {
            "rule": "percentile",
            "alpha": 0.5,
            "amount": 90.0,
            "count": 0,
            "fineness": 0.0,
            "minimum": 0,
            "maximum": 0,
            "overlap": 0,
            "overlapUnit": "sentences",
        },
        "controls": {"_lane_structural_alpha": "alpha"},
        "subject": "doc/structural/0",
        "lenient": False,
    }
    live = _live("lanes", EditedLane(curves, 1, False, 3, np.array([1, 0, 1, 0, 0]), 2))
    _, body = unpack(_message("doc", lanes, None, None, "plotly.js", live))
    assert sent["key"] == "lanes_source"
    source_head, _ = unpack(sent["data"])
    assert body["live"]["source"] == source_head["source"], "the chart finds what its curves are made of"
    assert (body["live"]["row"], body["live"]["leads"], body["live"]["tolerance"]) == (1, False, 3)
    marks = {each["uid"]: each for each in body["marks"]}
    look = ("low", "high", "color", "width", "dash", "opacity")
    for name in ("strategy", "appeared", "gone"):
        assert body["live"]["looks"][name] == {key: marks[name][key] for key in look}
    assert body["live"]["levels"][-1] == {key: marks["consensus-5"][key] for key in look}
    assert (body["live"]["votes"].tolist(), body["live"]["voters"]) == ([1, 0, 1, 0, 0], 2)
