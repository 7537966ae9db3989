"""Many strategies on one document for Plotly: their boundaries in a row each, and the sizes of their chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from chunking.chunks import reason_words
from chunking.comparison import chunk_sizes
from chunking.comparison.report import Comparison, ComparisonEntry
from chunking.report.theme import (
    ENTRY_ROLES,
    ROLES,
    TICK_FORMAT,
    Palette,
    axis_style,
    axis_title,
    document_axis,
    frame_style,
    line_trace,
    marker_trace,
    plain,
)
from chunking.runtime.arrays import Int64

REFERENCE_TITLE = "Reference"
"""Title of the row of reference boundaries."""

SYMBOLS = {"strategy": "line-ns", "gold": "triangle-up", "peer": "y-down-open", "yours": "line-ns"}
"""The shape of a boundary by the kind of its row: those that share a colour differ in it."""

_ROW, _CURVE, _VOTES, _MARGIN = 26, 110, 40, 90
"""Pixels of a row, of the curve, of the counts, and around the figure."""

_BOX_ROW = 34
_POINTS = 400
"""Chunks of one segmentation above which only the box and what lies outside its whiskers are drawn."""


def _titles(compared: Comparison, titles: Sequence[str]) -> list[str]:
    """Return the titles of the entries, else their own with their place before it; Plotly reads some HTML in them."""
    numbered = [f"{number} · {entry.title}" for number, entry in enumerate(compared.entries, 1)]
    return [plain(title) for title in titles or numbered]


# --- boundaries ----------------------------------------------------------------------------------------------------


def lanes_figure(compared: Comparison, palette: Palette = ROLES, titles: Sequence[str] = ()) -> dict[str, Any]:
    """Return the boundaries of every entry.

    Above the rows are the fused distance of the first strategy that has one, with its threshold, and how many
    strategies cut each place.

    Args:
        compared: the segmentations, with the reference if there is one.
        palette: colours.
        titles: of the entries, each once; else their own with their place before it.

    Returns:
        A Plotly figure: one trace an entry, from top to bottom, in the colour of its kind.
    """
    length = len(compared.sentences.document.text)
    entries = list(zip(_titles(compared, titles), compared.entries, strict=True))
    rows = [_row(title, entry, palette) for title, entry in entries]
    if compared.reference.boundaries:
        offsets = np.array(compared.reference.boundaries, dtype=np.int64)
        rows.insert(0, _strokes(REFERENCE_TITLE, offsets, ["a person set it"] * len(offsets), "gold", palette))
    lost_traces = [trace for title, entry in entries for trace in _lost_text(title, entry, palette)]
    curve = _curve(compared, length, palette)
    return {
        "data": [*rows, *lost_traces, _votes(compared, palette), *curve],
        "layout": _layout(length, len(rows), bool(curve), palette),
    }


def _row(title: str, entry: ComparisonEntry, palette: Palette) -> dict[str, Any]:
    reasons = {chunk.start: reason_words(chunk.cut) for chunk in reversed(entry.segmentation.chunks)}
    texts = [plain(reasons.get(offset, "")) for offset in entry.offsets.tolist()]
    return _strokes(title, entry.offsets, texts, entry.kind, palette)


def _strokes(title: str, offsets: Int64, reasons: list[str], kind: str, palette: Palette) -> dict[str, Any]:
    color = getattr(palette, ENTRY_ROLES[kind])
    hover = "%{y}<br>character %{x:,}<br>%{customdata}"
    trace = marker_trace(title, offsets, [title] * len(offsets), color, SYMBOLS[kind], hover, size=14, line=2)
    return {**trace, "customdata": reasons}


def _lost_text(title: str, entry: ComparisonEntry, palette: Palette) -> list[dict[str, Any]]:
    """Return the text that is in no chunk, as thick lines."""
    lost_spans = chunk_sizes.coverage(entry.segmentation).lost.tolist()
    if not lost_spans:
        return []
    ends = [end for start, stop in lost_spans for end in (start, stop, None)]
    line = {"color": palette.muted, "width": 9}
    trace = line_trace(f"{title}: in no chunk", ends, [title] * len(ends), line, "%{y}<br>in no chunk")
    return [{**trace, "opacity": 0.35}]


def _votes(compared: Comparison, palette: Palette) -> dict[str, Any]:
    """Return how many entries cut each place."""
    indices = np.flatnonzero(compared.consensus)
    return {
        "type": "bar",
        "name": "how many cut",
        "x": compared.offsets[indices],
        "y": np.rint(compared.consensus[indices] * len(compared.entries)).astype(int),
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
    hover = "character %{x:,}<br>fused %{y:.3f}"
    style = {"color": palette.fused, "width": 1.4}
    lines = [line_trace("fused distance", signals.offsets, signals.fused, style, hover)]
    value = signals.threshold.value
    if signals.threshold.rule != "gradient" and np.isfinite(value):
        dashed = {"color": palette.threshold, "width": 1.6, "dash": "dash"}
        lines.append(line_trace("threshold", [0.0, float(length)], [value, value], dashed))
    return [{**line, "yaxis": "y3"} for line in lines]


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


# --- sizes ---------------------------------------------------------------------------------------------------------


def sizes_figure(
    compared: Comparison, tokenizer: str, palette: Palette = ROLES, titles: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the tokens of the chunks of every entry, on a logarithmic axis.

    Args:
        compared: the segmentations.
        tokenizer: what tokens are counted with, for the title of the axis.
        palette: colours.
        titles: of the entries, each once; else their own with their place before it.

    Returns:
        A Plotly figure: one box trace an entry, from top to bottom, in the colour of its kind.
    """
    names = _titles(compared, titles)
    data = [
        _box(
            title,
            np.array([chunk.tokens for chunk in entry.segmentation.chunks], dtype=np.int64),
            getattr(palette, ENTRY_ROLES[entry.kind]),
        )
        for title, entry in zip(names, compared.entries, strict=True)
    ]
    layout = {
        **frame_style(palette),
        "paper_bgcolor": "rgba(0,0,0,0)",
        "height": 90 + _BOX_ROW * len(names),
        "margin": {"l": 10, "r": 20, "t": 10, "b": 40},
        "showlegend": False,
        "hoverlabel": {"bgcolor": palette.surface, "font": {"color": palette.text}},
        "xaxis": {
            "type": "log",
            "title": {"text": f"tokens a chunk ({tokenizer})", "font": {"color": palette.muted}},
            "gridcolor": palette.grid,
            "zeroline": False,
            "dtick": 1 if _spread(compared) > 2 else "D2",
            "tickformat": TICK_FORMAT,
        },
        "yaxis": {"autorange": "reversed", "automargin": True, "type": "category", "tickfont": {"color": palette.text}},
    }
    return {"data": data, "layout": layout}


def _spread(compared: Comparison) -> float:
    """Return the powers of ten between the smallest and the largest chunk."""
    sizes = [max(chunk.tokens, 1) for entry in compared.entries for chunk in entry.segmentation.chunks] or [1]
    return float(np.log10(max(sizes) / min(sizes)))


def _box(title: str, sizes: Int64, color: str) -> dict[str, Any]:
    return {
        "type": "box",
        "orientation": "h",
        "name": title,
        # An empty chunk has no place on a logarithmic axis.
        "x": np.maximum(sizes, 1),
        "y0": title,
        "boxpoints": "all" if len(sizes) <= _POINTS else "outliers",
        "jitter": 0.6,
        "pointpos": 0,
        "marker": {"color": color, "size": 4, "opacity": 0.45},
        "line": {"color": color, "width": 1.3},
        "fillcolor": "rgba(0,0,0,0)",
        "hovertemplate": "%{x:,} tokens<extra></extra>",
    }
