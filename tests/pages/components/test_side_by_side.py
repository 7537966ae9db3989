"""What the side by side columns send to the browser, what they refuse, and what they believe of its answers."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import ChunkscopeError
from pages.shared.components.side_by_side import MAX_COLUMNS, Column, SideEvent, side_by_side, side_event
from pages.shared.components.side_by_side import component as module
from tests.pages.components.test_wire import unpack


def column(spans: Sequence[tuple[int, int]], **changes: Any) -> Column:
    """A column with plain values for what the test does not speak of."""
    start = np.array([start for start, _ in spans], dtype=np.int64)
    end = np.array([end for _, end in spans], dtype=np.int64)
    values: dict[str, Any] = {
        "title": "plain",
        "start": start,
        "end": end,
        "overlap_start": start,
        "tokens": end - start,
        "overlap_tokens": np.zeros(len(spans), dtype=np.int64),
        "reason": ("",) * len(spans),
        "heading_path": ((),) * len(spans),
        "parent": np.full(len(spans), -1),
    }
    return Column(**{**values, **changes})


def sent(columns: Sequence[Column], selected: int | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Head and body of the message, as the browser reads them."""
    return unpack(module._message("doc", columns, selected, "400px"))


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_the_browser_gets_the_columns_as_they_are() -> None:
    first = column(
        [(0, 40), (40, 90)],
        title="structural",
        overlap_start=ints(0, 31),
        overlap_tokens=ints(0, 3),
        tokens=ints(11, 17),
        reason=("", "0.700 > 0.655"),
        heading_path=(("A",), ("A", "B")),
        note=("", "below the minimum of 20"),
    )
    head, body = sent([first, column([(5, 9)])], selected=33)
    assert (head["document"], head["selected"]) == ("doc", 33)
    assert body["height"] == "400px"
    wire = body["columns"][0]
    assert wire["title"] == "structural"
    numbers = {
        "start": [0, 40],
        "end": [40, 90],
        "overlap_start": [0, 31],
        "tokens": [11, 17],
        "overlap_tokens": [0, 3],
        "parent": [-1, -1],
    }
    assert {name: wire[name].tolist() for name in numbers} == numbers
    assert wire["reason"] == ["", "0.700 > 0.655"]
    assert wire["note"] == {"1": "below the minimum of 20"}
    assert [wire["paths"][place] for place in wire["path"]] == [["A"], ["A", "B"]]
    assert body["columns"][1]["start"].tolist() == [5]


def test_a_heading_path_that_many_chunks_share_is_sent_once() -> None:
    wire = sent([column([(0, 1), (1, 2), (2, 3)], heading_path=(("A",), ("B",), ("A",)))])[1]["columns"][0]
    assert wire["paths"] == [["A"], ["B"]]
    assert wire["path"].tolist() == [0, 1, 0]


def test_what_chunks_leave_out_and_add_is_sent_with_its_chunk() -> None:
    lossy = column(
        [(0, 20), (20, 30), (35, 60)],
        missing=(((2, 4), (9, 11)), (), ((40, 41),)),
        added=((), ("# Title", "\n"), ()),
    )
    wire = sent([lossy])[1]["columns"][0]
    assert wire["missing_at"].tolist() == [0, 2, 2, 3]
    assert wire["missing"].tolist() == [2, 4, 9, 11, 40, 41]
    assert wire["added"] == {"1": ["# Title", "\n"]}


def test_nothing_left_out_needs_no_lists() -> None:
    wire = sent([column([(0, 20), (20, 30)])])[1]["columns"][0]
    assert wire["missing_at"].tolist() == [0, 0, 0]
    assert (wire["missing"].size, wire["added"], wire["note"]) == (0, {}, {})


def test_a_strategy_without_chunks_is_a_column() -> None:
    wire = sent([column([]), column([(0, 3)])])[1]["columns"][0]
    assert wire["missing_at"].tolist() == [0]
    assert wire["start"].size == 0


def test_a_choice_changes_the_head_alone() -> None:
    columns = [column([(0, 4)]), column([(0, 2), (2, 4)])]
    assert sent(columns, None)[0]["content"] == sent(columns, 3)[0]["content"]
    assert sent(columns)[0]["content"] != sent(columns[::-1])[0]["content"]


@pytest.mark.parametrize("count", [0, MAX_COLUMNS + 1])
def test_no_columns_or_too_many_are_refused(count: int) -> None:
    with pytest.raises(ChunkscopeError, match="side by side"):
        side_by_side("key", "doc", [column([(0, 1)])] * count)


@pytest.mark.parametrize(
    ("spans", "changes", "says"),
    [
        ([(0, 4)], {"tokens": ints(1, 2)}, "different lengths"),
        ([(0, 4)], {"note": ("", "")}, "different lengths"),
        ([(0, 4), (4, 8)], {"added": ((),)}, "different lengths"),
        ([(0, 4), (4, 3)], {}, "Chunk 2 .* from its overlap"),
        ([(3, 4)], {"overlap_start": ints(4)}, "Chunk 1 .* from its overlap"),
        ([(3, 4)], {"overlap_start": ints(-1)}, "Chunk 1 .* from its overlap"),
        ([(0, 4), (8, 9), (7, 9)], {}, "Chunk 3 .* begins before"),
        ([(0, 9), (2, 4)], {"parent": ints(1, -1)}, "Chunk 1 .* does not come before"),
        ([(0, 9)], {"parent": ints(0)}, "Chunk 1 .* does not come before"),
        ([(0, 9)], {"parent": ints(-2)}, "Chunk 1 .* does not come before"),
        ([(0, 9), (2, 12)], {"parent": ints(-1, 0)}, "Chunk 2 .* reaches out"),
        ([(0, 4), (4, 9)], {"missing": ((), ((3, 5),))}, "Chunk 2 .* misses"),
        ([(0, 4), (4, 9)], {"missing": (((3, 5),), ())}, "Chunk 1 .* misses"),
        ([(0, 9)], {"missing": (((3, 5), (4, 6)),)}, "Chunk 1 .* misses"),
        ([(0, 9)], {"missing": (((3, 3),),)}, "Chunk 1 .* misses"),
    ],
)
def test_columns_that_contradict_themselves_are_refused(
    spans: list[tuple[int, int]], changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(ChunkscopeError, match=says):
        column(spans, **changes)


def test_gaps_overlaps_of_spans_and_nesting_are_allowed() -> None:
    nested = column([(0, 20), (0, 8), (10, 20), (12, 15), (25, 30)], parent=ints(-1, 0, 0, 2, -1))
    assert len(nested) == 5
    assert len(column([(0, 10), (5, 15)])) == 2


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 5)), max_size=4), min_size=1, max_size=8))
def test_missing_spans_come_back_chunk_by_chunk(drawn: list[list[tuple[int, int]]]) -> None:
    """Whatever chunks leave out, the flat arrays give each its own spans again."""
    missing, spans = [], []
    for index, steps in enumerate(drawn):
        base = at = index * 100
        spans.append((base, base + 100))
        own = []
        for skip, length in steps:
            own.append((at + skip, at + skip + length))
            at += skip + length
        missing.append(tuple(own))
    wire = sent([column(spans, missing=tuple(missing))])[1]["columns"][0]
    flat, at = wire["missing"].reshape(-1, 2).tolist(), wire["missing_at"].tolist()
    read = [[tuple(span) for span in flat[first:last]] for first, last in itertools.pairwise(at)]
    assert read == [list(own) for own in missing]


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    monkeypatch.setattr("streamlit.session_state", kept)
    return kept


def test_a_choice_a_clearing_and_nothing(state: dict[str, Any]) -> None:
    assert side_event("side", "doc") == SideEvent()
    state["side"] = {"place": {"document": "doc", "offset": 12}}
    assert side_event("side", "doc") == SideEvent(offset=12)
    state["side"] = {"place": {"document": "doc", "offset": None}}
    assert side_event("side", "doc") == SideEvent(cleared=True)
    state["side"] = {"place": None}
    assert side_event("side", "doc") == SideEvent()


def test_a_place_in_another_document_does_not_count(state: dict[str, Any]) -> None:
    state["side"] = {"place": {"document": "old", "offset": 12}}
    assert side_event("side", "doc") == SideEvent()


@pytest.mark.parametrize("offset", ["7", -1, 2.5, True, [1], {"offset": 1}])
def test_an_offset_that_is_none_is_not_one(state: dict[str, Any], offset: object) -> None:
    state["side"] = {"place": {"document": "doc", "offset": offset}}
    assert side_event("side", "doc") == SideEvent()
