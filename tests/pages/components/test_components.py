"""What a browser sends back is looked at before it is believed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from chunking import ChunkscopeError
from pages.shared.components.chunk_reader import ReaderChunks, ReaderEvent, reader_event
from pages.shared.components.curve_chart import ChartEvent, chart_event


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", kept)
    return kept


def test_nothing_was_done(state: dict[str, Any]) -> None:
    assert chart_event("chart", "doc") == ChartEvent()
    assert reader_event("reader", "doc") == ReaderEvent()


def test_a_choice_a_clearing_and_a_view(state: dict[str, Any]) -> None:
    state["chart"] = {
        "gap": {"document": "doc", "gap": 7},
        "view": {"document": "doc", "range": [3, 9.5]},
    }
    assert chart_event("chart", "doc") == ChartEvent(gap=7, view=(3.0, 9.5))
    state["chart"] = {"gap": {"document": "doc", "gap": None}}
    assert chart_event("chart", "doc") == ChartEvent(cleared=True)
    state["reader"] = {"gap": {"document": "doc", "gap": 2}}
    assert reader_event("reader", "doc") == ReaderEvent(gap=2)


def test_what_was_done_in_another_document_does_not_count(state: dict[str, Any]) -> None:
    state["chart"] = {"gap": {"document": "old", "gap": 7}, "view": {"document": "old", "range": [3, 9]}}
    assert chart_event("chart", "new") == ChartEvent()


@pytest.mark.parametrize("gap", ["7", -1, 2.5, True, [1], {"gap": 1}])
def test_a_gap_that_is_none_is_not_one(state: dict[str, Any], gap: object) -> None:
    state["chart"] = {"gap": {"document": "doc", "gap": gap}}
    assert chart_event("chart", "doc").gap is None


@pytest.mark.parametrize("view", [[1], [3, 2], ["a", "b"], "1-2", [1, 2, 3], [True, False], None])
def test_a_view_that_is_no_range_is_all(state: dict[str, Any], view: object) -> None:
    state["chart"] = {"view": {"document": "doc", "range": view}}
    assert chart_event("chart", "doc").view is None


def test_columns_of_different_lengths_are_refused() -> None:
    one, two = np.zeros(1, dtype=np.int64), np.zeros(2, dtype=np.int64)
    with pytest.raises(ChunkscopeError, match="different lengths"):
        ReaderChunks(one, two, one, one, one, one, ("",), ("",), ((),))
