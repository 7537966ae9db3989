"""The Plotly figure of the lanes."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.figures.lanes.data import CHANGES, GONE, Lane, Lanes, Unit, full_range, score_range
from chunking.figures.lanes.marks import TINT, Marks, lanes_legend, lanes_marks
from chunking.figures.theme import (
    Palette,
    axis_style,
    axis_title,
    document_axis,
    frame_style,
    legend_style,
    plain,
    selection_line,
    threshold_label,
    threshold_trace,
)
from chunking.installation import optional
from chunking.runtime.arrays import Float64

if TYPE_CHECKING:
    import plotly.graph_objects as go

CURVE_PX, RIBBON_PX, ROW_PX, SPACE_PX = 104, 24, 22, 8
MARGIN_TOP, MARGIN_RIGHT, MARGIN_BOTTOM = 34, 48, 40
_LABEL_PX = (54, 190)  # the narrowest and the widest that the labels' margin may become
_LABEL_GAP = 14

_DENSE = 500
"""Gaps above which a strong line would fill the picture."""


def lanes_frame(lanes: Lanes, palette: Palette) -> dict[str, Any]:
    """Return the figure without its marks: axes, labels, the curve and its threshold.

    Returns:
        ``{"data": […], "layout": {…}}``. The arrays are those of ``lanes``, not copies; each trace has a ``uid``.
    """
    traces = []
    if len(lanes.fused):
        traces.append(_curve(lanes, palette))
        if np.isfinite(lanes.threshold):
            traces.append(_threshold(lanes, palette))
    traces.extend(_carrier(axis) for axis in ("y2", "y3"))
    return {"data": traces, "layout": _layout(lanes, palette)}


def lanes_figure(lanes: Lanes, palette: Palette, *, selected: int | None = None) -> dict[str, Any]:
    """Return the whole picture as a plain Plotly figure, with words where the pointer rests.

    Args:
        lanes: what to show.
        palette: one of :data:`chunking.figures.theme.PALETTES`, or :data:`chunking.figures.theme.ROLES`.
        selected: character offset to mark with a vertical line.
    """
    figure = lanes_frame(lanes, palette)
    marks = lanes_marks(lanes, palette)
    shapes = [_shape(group) for group in marks]
    if selected is not None:
        shapes.append(place_shape(lanes.position(selected), palette))
    figure["layout"]["shapes"] = shapes
    figure["data"].extend((*lanes_legend(marks), *_words(lanes)))
    return figure


def to_figure(lanes: Lanes, palette: Palette, *, selected: int | None = None) -> go.Figure:
    """Return the same picture as a validated ``plotly.graph_objects.Figure``, for downloads and tests."""
    # Costs half a second: only where a figure object is wanted.
    objects = optional("plotly.graph_objects", "evaluation", "A figure")
    return objects.Figure(lanes_figure(lanes, palette, selected=selected))


def place_shape(position: float, palette: Palette) -> dict[str, Any]:
    """Return the vertical line through all rows that marks a chosen place, as a Plotly layout shape."""
    return selection_line(position, "above", palette)


def _shape(marks: Marks) -> dict[str, Any]:
    """Return marks as one layout shape."""
    rows = marks.row.tolist()
    if marks.until is None:
        path = "".join(
            f"M{x:.10g},{row + marks.low:g}V{row + marks.high:g}" for x, row in zip(marks.x.tolist(), rows, strict=True)
        )
    else:
        path = "".join(
            f"M{start:.10g},{row + marks.low:g}V{row + marks.high:g}H{end:.10g}V{row + marks.low:g}Z"
            for start, end, row in zip(marks.x.tolist(), marks.until.tolist(), rows, strict=True)
        )
    return {
        "type": "path",
        "name": marks.uid,
        "path": path,
        "xref": "x",
        "yref": marks.axis,
        "layer": "above",
        "opacity": marks.opacity,
        "fillcolor": "rgba(0,0,0,0)" if marks.until is None else marks.color + TINT,
        "line": {"color": marks.color, "width": marks.width, "dash": marks.dash},
    }


def label(title: str, width: float) -> str:
    """Return a title on one line, cut with an ellipsis to at most ``width`` pixels.

    Widths are estimated for 12-pixel type, rather too wide than too narrow.
    """
    words = " ".join(title.split())
    if _text_width(words) <= width:
        return words
    room, kept = width - _char_width("…"), []
    for char in words:
        room -= _char_width(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"


def _text_width(text: str) -> float:
    return sum(map(_char_width, text))


def _char_width(char: str) -> float:
    if unicodedata.east_asian_width(char) in "WF":
        return 12.5
    if char in "mwMW@%…—":
        return 11.5
    if unicodedata.combining(char):
        return 0.0
    if char.isupper() or not char.isascii():
        return 8.7
    return 4.2 if char in "iljtf.,:;'|!()[] " else 7.0


def _words(lanes: Lanes) -> list[dict[str, Any]]:
    """Return invisible traces with the hover text."""
    traces = [
        _telling(lane.title, lane.x, row, [_says(lane, at, lanes.unit) for at in range(len(lane.x))])
        for row, lane in enumerate(lanes.lanes)
    ]
    shares = [f"{share:.0%} of the lanes cut here" for share in lanes.consensus.tolist()]
    return [*traces, _telling("consensus", lanes.consensus_x, 0, shares, axis="y2", height=0.5)]


def _says(lane: Lane, at: int, unit: Unit) -> str:
    change = CHANGES[lane.change[at]]
    parts = [f"<b>{plain(lane.title)}</b>", f"{unit} before: {lane.x[at]:,.10g}"]
    if change != "same":
        parts.append(change)
    if lane.reason[at]:
        parts.append(plain(lane.reason[at]))
    if len(lane.tokens) and change != "gone":
        chunk = int(np.count_nonzero(lane.change[:at] != GONE))
        parts.append(f"tokens before and after: {lane.tokens[chunk]:,} and {lane.tokens[chunk + 1]:,}")
    return "<br>".join(parts)


def _telling(
    name: str, x: Float64, row: int, words: list[str], *, axis: str = "y3", height: float = 0.0
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "none",
        "uid": f"words-{axis}-{row}",
        "name": plain(name),
        "showlegend": False,
        "x": x,
        "y": np.full(len(x), row + height),
        "yaxis": axis,
        "hoverinfo": "text",
        "hovertext": words,
    }


def _curve(lanes: Lanes, palette: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "uid": "fused",
        "name": "fused",
        "legendrank": 1,
        "x": lanes.curve_x,
        "y": lanes.fused,
        "line": {"color": palette.fused, "width": 1.6 if len(lanes.fused) <= _DENSE else 1.1},
        "hovertemplate": f"{lanes.unit} before: %{{x}}<br>fused %{{y:.3f}}<extra></extra>",
    }


def _threshold(lanes: Lanes, palette: Palette) -> dict[str, Any]:
    return threshold_trace("threshold", 2, full_range(lanes), lanes.threshold, palette)


def _carrier(axis: str) -> dict[str, Any]:
    """Return a trace without points: Plotly draws an axis only where a trace stands on it."""
    return {
        "type": "scatter",
        "mode": "none",
        "uid": f"carrier-{axis}",
        "x": [None],
        "y": [None],
        "yaxis": axis,
        "showlegend": False,
        "hoverinfo": "skip",
    }


@dataclass(frozen=True)
class _Bands:
    """Heights in pixels of curve, ribbon and rows, from top to bottom, and the spaces between."""

    curve: int
    ribbon: int
    rows: int

    @classmethod
    def of(cls, lanes: Lanes) -> _Bands:
        ribbon = RIBBON_PX if len(lanes.consensus_x) else 0
        rows = ROW_PX * len(lanes.lanes)
        return cls(CURVE_PX if len(lanes.fused) or not (ribbon or rows) else 0, ribbon, rows)

    @property
    def total(self) -> int:
        heights = [height for height in (self.curve, self.ribbon, self.rows) if height]
        return sum(heights) + SPACE_PX * (len(heights) - 1)

    def domains(self) -> tuple[list[float], list[float], list[float]]:
        """Return the vertical domain of each; of one that is not there, an empty stretch at the top."""
        top, found = float(self.total), []
        for height in (self.curve, self.ribbon, self.rows):
            found.append([max(0.0, (top - height) / self.total), top / self.total] if height else [1.0, 1.0])
            top -= height + SPACE_PX if height else 0
        return found[0], found[1], found[2]


def _layout(lanes: Lanes, palette: Palette) -> dict[str, Any]:
    bands = _Bands.of(lanes)
    curve, ribbon, rows = bands.domains()
    low, high = score_range(lanes)
    widest = max((_text_width(" ".join(lane.title.split())) for lane in lanes.lanes), default=0.0)
    left = round(float(np.clip(widest + _LABEL_GAP, *_LABEL_PX)))
    if bands.ribbon:
        left = max(left, 84)  # the ribbon's own label
    start, end = full_range(lanes)
    fixed = {**axis_style(palette), "fixedrange": True, "anchor": "x"}
    names = {**fixed, "tickfont": {"color": palette.text, "size": 12}, "tickmode": "array", "ticks": ""}
    return {
        "height": bands.total + MARGIN_TOP + MARGIN_BOTTOM,
        "margin": {"l": left, "r": MARGIN_RIGHT, "t": MARGIN_TOP, "b": MARGIN_BOTTOM},
        **frame_style(palette),
        "hovermode": "closest",
        "dragmode": "zoom",
        "uirevision": "fixed",
        "showlegend": True,
        # What is drawn as shapes cannot be hidden by a click.
        "legend": {**legend_style(palette), "y": 1.0, "itemclick": False, "itemdoubleclick": False},
        "xaxis": {
            **document_axis(start, end, palette),
            "anchor": "y3" if bands.rows else "y2" if bands.ribbon else "y",
            "title": axis_title(lanes.unit, 4, palette),
        },
        "yaxis": {
            **fixed,
            "visible": bool(bands.curve),
            "domain": curve,
            "range": [low, high],
            "nticks": 4,
            "title": axis_title("fused", 6, palette),
        },
        "yaxis2": {
            **names,
            "visible": bool(bands.ribbon),
            "domain": ribbon,
            "range": [0, 1],
            "showgrid": False,
            "zeroline": True,
            "zerolinecolor": palette.grid,
            "zerolinewidth": 1,
            "tickvals": [0.5],
            "ticktext": ["consensus"],
            "tickfont": {"color": palette.muted, "size": 11},
        },
        "yaxis3": {
            **names,
            "visible": bool(bands.rows),
            "domain": rows,
            "range": [max(len(lanes.lanes), 1) - 0.5, -0.5],
            "tickvals": list(range(len(lanes.lanes))),
            "ticktext": [plain(label(lane.title, left - _LABEL_GAP)) for lane in lanes.lanes],
        },
        "shapes": [],
        "annotations": _annotations(lanes, palette),
    }


def _annotations(lanes: Lanes, palette: Palette) -> list[dict[str, Any]]:
    if not len(lanes.fused) or not np.isfinite(lanes.threshold):
        return []
    return [threshold_label(lanes.threshold, palette)]
