"""Lanes in the browser: the boundaries of many strategies on one axis, with zoom, hovering, choosing and keys.

A place is told by its character offset, whatever the axis counts; so is the visible part. Both therefore keep their
meaning when the unit of the axis or the lanes change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, cast

import numpy as np

from chunking.figures.lanes import (
    CHANGES,
    LEVELS,
    STYLES,
    TINT,
    Lane,
    Lanes,
    Marks,
    boundary_marks,
    lanes_frame,
    lanes_legend,
    lanes_marks,
    place_shape,
    ribbon_marks,
)
from chunking.figures.theme import ROLES
from chunking.runtime.arrays import Float64, Int64
from pages.shared.components.base import (
    Bytes,
    Callback,
    Float32s,
    Int32s,
    Json,
    chosen,
    component,
    ignore,
    pack,
    reported,
    reported_view,
    whole_number,
)
from pages.shared.components.live import Live, LiveCurves, send
from pages.shared.components.plotly_js import PlotHead, basic_plotly_path


class LaneFigure(TypedDict):
    """A Plotly figure in the colours of roles."""

    data: list[Json]
    layout: Json


class LaneLook(TypedDict):
    """The look of a stroke, as :class:`chunking.figures.lanes.Marks`."""

    low: float
    high: float
    color: str
    width: float
    dash: str
    opacity: float


class LaneMarks(LaneLook):
    """Strokes of one look, or stretches, as :class:`chunking.figures.lanes.Marks`."""

    uid: str
    group: str
    title: str
    axis: str
    x: Float32s
    until: Float32s | None
    row: Int32s


class LaneRow(TypedDict):
    """A lane for hovering and keys; reasons and changes are indices of ``words`` and ``changes``."""

    title: str
    kind: str
    x: Float32s
    offset: Int32s
    change: Bytes
    reason: Int32s
    lost: Float32s
    tokens: Int32s


class LaneGaps(TypedDict):
    """The gaps of the curve."""

    x: Float32s
    offset: Int32s
    fused: Float32s
    exceeds: Bytes


class Consensus(TypedDict):
    """Places where lanes cut, and the share that does."""

    x: Float32s
    share: Float32s


class LiveLane(Live):
    """The lane whose controls are followed, by its row, and the looks of its strokes by kind and by change.

    ``leads`` tells whether it gives the curve, and ``tolerance`` by how many gaps a boundary may have moved. ``votes``
    counts the other lanes that cut each gap, of ``voters`` lanes with this one; ``levels`` are the looks of the ribbon.
    """

    row: int
    leads: bool
    tolerance: int
    looks: Mapping[str, LaneLook]
    votes: Int32s
    voters: int
    levels: Sequence[LaneLook]


class LanesHead(PlotHead):
    """The part of a message that is read each time."""


class LanesBody(TypedDict):
    """What the lanes draw."""

    figure: LaneFigure
    marks: list[LaneMarks]
    entries: list[Json]
    tint: str
    shape: Json
    lanes: list[LaneRow]
    words: list[str]
    changes: Sequence[str]
    unit: str
    length: float
    end: int
    gaps: LaneGaps
    threshold: float | None
    consensus: Consensus
    live: LiveLane | None


@dataclass(frozen=True, eq=False)
class EditedLane:
    """The lane whose controls the lanes follow while they are moved.

    Attributes:
        curves: what its boundaries are computed from.
        row: of the lane, from 0.
        leads: whether it gives the curve above the lanes.
        tolerance: gaps by which a boundary may have shifted and still count as moved.
        votes: ``(n_gaps,)`` int64, how many other lanes cut each gap.
        voters: lanes that are counted, with this one.
    """

    curves: LiveCurves
    row: int
    leads: bool
    tolerance: int
    votes: Int64
    voters: int


@dataclass(frozen=True)
class LaneEvent:
    """What a user did with the lanes.

    Attributes:
        offset: the character offset just chosen; ``None`` in every run that was not caused by a choice.
        lane: the lane whose boundary was chosen, from 0; ``None`` for a place that is none.
        cleared: whether the choice was just taken back.
        view: the visible part as character offsets, ``None`` for all. It lasts until the user zooms again or the
            document changes.
    """

    offset: int | None = None
    lane: int | None = None
    cleared: bool = False
    view: tuple[float, float] | None = None


_NOWHERE: Float64 = np.zeros(0)
_NO_ROWS: Int64 = np.zeros(0, dtype=np.int64)

# Looks like the curve chart, whose style sheet it shares, and stands in the page itself for the same reason.
_lanes = component(
    "chunkscope_lanes", __file__, "lanes.js", "../plotly_js/chart.css", "lanes.css", isolate_styles=False
)


def lane_chart(
    key: str,
    document_key: str,
    lanes: Lanes,
    *,
    selected: int | None = None,
    view: tuple[float, float] | None = None,
    edited: EditedLane | None = None,
    on_event: Callback | None = None,
) -> LaneEvent:
    """One lane a strategy over the document. Zoom survives every call with the same document, whatever else changes.

    Args:
        key: Streamlit key of the element.
        document_key: key given to :func:`pages.shared.components.document_store`; where that was called, the text at
            a boundary is shown beside it.
        lanes: what to draw.
        selected: character offset of the chosen place; a choice the user made meanwhile in the browser wins until
            Python confirms it.
        view: character offsets between which to look when the lanes appear or their document changes; later values
            are ignored.
        edited: the lane that follows its controls while they are moved; ``None`` for none.
        on_event: called before the script runs when the user chose a place or zoomed; read :func:`lane_event` in it.

    Returns:
        What the user did; the same as :func:`lane_event`.
    """
    callback = on_event or ignore
    live = _live(key, edited) if edited else None
    data = _message(document_key, lanes, selected, view, basic_plotly_path(), live)
    _lanes(key=key, data=data, on_place_change=callback, on_view_change=callback)
    return lane_event(key, document_key, view=view)


def lane_event(key: str, document_key: str, *, view: tuple[float, float] | None = None) -> LaneEvent:
    """Return the last action on the lanes; it can be called before they are drawn in this run.

    Args:
        key, document_key: as given to :func:`lane_chart`.
        view: the part the lanes are opened with; it is the current one until the user changes it.
    """
    view = reported_view(key, document_key, view)
    choice = reported(key, "place", document_key)
    offset, cleared = chosen(choice, "offset")
    lane = whole_number(choice.get("lane")) if choice and offset is not None else None
    return LaneEvent(offset, lane, cleared, view)


def _live(key: str, edited: EditedLane) -> LiveLane:
    """Send what the lane is computed from, and return the rest."""
    return {
        **send(key, edited.curves),
        "row": edited.row,
        "leads": edited.leads,
        "tolerance": edited.tolerance,
        "looks": {name: _look(boundary_marks(name, _NOWHERE, _NO_ROWS, ROLES)) for name in STYLES},
        "votes": edited.votes,
        "voters": edited.voters,
        "levels": [_look(ribbon_marks(step, _NOWHERE, ROLES)) for step in range(1, LEVELS + 1)],
    }


def _look(marks: Marks) -> LaneLook:
    return {
        "low": marks.low,
        "high": marks.high,
        "color": marks.color,
        "width": marks.width,
        "dash": marks.dash,
        "opacity": marks.opacity,
    }


def _message(
    document_key: str,
    lanes: Lanes,
    selected: int | None,
    view: tuple[float, float] | None,
    plotly: str,
    live: LiveLane | None = None,
) -> bytes:
    words: dict[str, int] = {}
    rows = [_lane(lane, words) for lane in lanes.lanes]
    marks = lanes_marks(lanes, ROLES)
    frame = lanes_frame(lanes, ROLES)
    body: LanesBody = {
        "figure": {"data": frame["data"], "layout": frame["layout"]},
        "marks": [cast(LaneMarks, vars(group)) for group in marks],
        "entries": lanes_legend(marks),
        "tint": TINT,
        "shape": place_shape(0.0, ROLES),
        "lanes": rows,
        "words": list(words),
        "changes": CHANGES,
        "unit": lanes.unit,
        "length": float(lanes.length),
        "end": int(lanes.end),
        "gaps": {
            "x": lanes.curve_x,
            "offset": lanes.curve_offset,
            "fused": lanes.fused,
            # Told apart here: rounded to float32, a distance that equals the threshold may seem to exceed it.
            "exceeds": (lanes.fused > lanes.threshold).astype(np.uint8),
        },
        "threshold": float(lanes.threshold) if np.isfinite(lanes.threshold) else None,
        "consensus": {"x": lanes.consensus_x, "share": lanes.consensus},
        "live": live,
    }
    head: LanesHead = {
        "document": document_key,
        "selected": selected,
        "view": view,
        "plotly": plotly,
    }
    return pack(head, body)


def _lane(lane: Lane, words: dict[str, int]) -> LaneRow:
    """Return a lane for hovering and keys; each reason is sent once, in ``words``."""
    return {
        "title": lane.title,
        "kind": lane.kind,
        "x": lane.x,
        "offset": lane.offset,
        "change": lane.change.astype(np.uint8),
        "reason": np.array([words.setdefault(reason, len(words)) for reason in lane.reason], dtype=np.int32),
        "lost": lane.lost,
        "tokens": lane.tokens,
    }
