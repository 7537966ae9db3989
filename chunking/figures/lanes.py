"""Many strategies on one document as a figure: a row for each, with a stroke at every boundary.

Above the rows stand the fused distance of the first strategy that has one, with its threshold, and how many strategies
cut each place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chunking.chunks import reason_words
from chunking.comparison import chunk_sizes
from chunking.comparison.report import Comparison, ComparisonEntry
from chunking.figures.theme import (
    ENTRY_ROLES,
    ROLES,
    Palette,
    axis_style,
    axis_title,
    document_axis,
    frame_style,
    plain,
    threshold_trace,
)

GOLD_TITLE = "Reference"
"""Title of the row of reference boundaries."""

SYMBOLS = {"strategy": "line-ns", "gold": "triangle-up", "peer": "y-down-open", "yours": "line-ns"}
"""The shape of a boundary by the kind of its row: those that share a colour differ in it."""

_ROW, _CURVE, _VOTES, _MARGIN = 26, 110, 40, 90
"""Pixels of a row, of the curve, of the counts, and around the figure."""


def lanes_figure(compared: Comparison, palette: Palette = ROLES, titles: Sequence[str] = ()) -> dict[str, Any]:
    """Return the boundaries of every entry.

    Args:
        compared: the segmentations, with the reference if there is one.
        palette: colours.
        titles: of the entries, each once; else their own with their place before it.

    Returns:
        A Plotly figure: one trace an entry, from top to bottom, in the colour of its kind.
    """
    length = len(compared.sentences.document.text)
    shown = titles or [f"{number} · {entry.title}" for number, entry in enumerate(compared.entries, 1)]
    rows = [_row(plain(title), entry, palette) for title, entry in zip(shown, compared.entries, strict=True)]
    if compared.reference.boundaries:
        gold = np.array(compared.reference.boundaries, dtype=np.int64)
        rows.insert(0, _strokes(GOLD_TITLE, gold, ["a person set it"] * len(gold), "gold", palette))
    lost = [_lost(plain(title), entry, palette) for title, entry in zip(shown, compared.entries, strict=True)]
    curve = _curve(compared, length, palette)
    return {
        "data": [*rows, *filter(None, lost), _votes(compared, palette), *curve],
        "layout": _layout(length, len(rows), bool(curve), palette),
    }


def _row(title: str, entry: ComparisonEntry, palette: Palette) -> dict[str, Any]:
    reasons = {chunk.start: reason_words(chunk.cut) for chunk in reversed(entry.segmentation.chunks)}
    told = [plain(reasons.get(offset, "")) for offset in entry.offsets.tolist()]
    return _strokes(title, entry.offsets, told, entry.kind, palette)


def _strokes(
    title: str, offsets: np.ndarray[Any, np.dtype[np.int64]], told: list[str], kind: str, palette: Palette
) -> dict[str, Any]:
    color = getattr(palette, ENTRY_ROLES[kind])
    return {
        "type": "scatter",
        "mode": "markers",
        "name": title,
        "x": offsets,
        "y": [title] * len(offsets),
        "customdata": told,
        "marker": {"symbol": SYMBOLS[kind], "size": 14, "color": color, "line": {"color": color, "width": 2}},
        "hovertemplate": "%{y}<br>character %{x:,}<br>%{customdata}<extra></extra>",
    }


def _lost(title: str, entry: ComparisonEntry, palette: Palette) -> dict[str, Any] | None:
    """Return the text that is in no chunk, as thick lines."""
    lost = chunk_sizes.coverage(entry.segmentation).lost.tolist()
    if not lost:
        return None
    ends = [end for start, stop in lost for end in (start, stop, None)]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"{title}: in no chunk",
        "x": ends,
        "y": [title] * len(ends),
        "line": {"color": palette.muted, "width": 9},
        "opacity": 0.35,
        "hovertemplate": "%{y}<br>in no chunk<extra></extra>",
    }


def _votes(compared: Comparison, palette: Palette) -> dict[str, Any]:
    """Return how many entries cut each place."""
    places = np.flatnonzero(compared.consensus)
    count = np.rint(compared.consensus[places] * len(compared.entries)).astype(int)
    return {
        "type": "bar",
        "name": "how many cut",
        "x": compared.offsets[places],
        "y": count,
        "width": max(len(compared.sentences.document.text) / 400, 1.0),
        "yaxis": "y2",
        "marker": {"color": palette.muted},
        "hovertemplate": f"%{{y}} of {len(compared.entries)} cut here<extra></extra>",
    }


def _curve(compared: Comparison, length: int, palette: Palette) -> list[dict[str, Any]]:
    """Return the fused distance of the first entry that has one, and its threshold; nothing without any."""
    signals = next((entry.segmentation.signals for entry in compared.entries if entry.segmentation.signals), None)
    if signals is None:
        return []
    line = {
        "type": "scatter",
        "mode": "lines",
        "name": "fused distance",
        "x": signals.offsets,
        "y": signals.fused,
        "yaxis": "y3",
        "line": {"color": palette.fused, "width": 1.4},
        "hovertemplate": "character %{x:,}<br>fused %{y:.3f}<extra></extra>",
    }
    value = signals.threshold.value
    if signals.threshold.rule == "gradient" or not np.isfinite(value):
        return [line]
    return [line, threshold_trace("threshold", 2, (0.0, float(length)), value, palette) | {"yaxis": "y3"}]


def _layout(length: int, rows: int, has_curve: bool, palette: Palette) -> dict[str, Any]:
    heights = [_ROW * max(rows, 1), _VOTES, _CURVE if has_curve else 0]
    total = sum(heights)
    edges = np.cumsum([0, *heights]) / total
    fixed = {**axis_style(palette), "fixedrange": True}
    return {
        **frame_style(palette),
        "height": total + _MARGIN,
        "margin": {"l": 10, "r": 20, "t": 20, "b": 50},
        "showlegend": False,
        "hovermode": "closest",
        "xaxis": {**document_axis(0.0, float(max(length, 1)), palette), "title": axis_title("characters", 6, palette)},
        "yaxis": {
            **fixed,
            "domain": [edges[0], edges[1] - 0.01],
            "autorange": "reversed",
            "automargin": True,
            "type": "category",
            "tickfont": {"color": palette.text},
        },
        "yaxis2": {**fixed, "domain": [edges[1], edges[2] - 0.02], "title": axis_title("cut", 4, palette), "nticks": 2},
        "yaxis3": {**fixed, "domain": [edges[2], 1.0], "title": axis_title("fused", 4, palette), "visible": has_curve},
    }
