"""The sizes of chunks as a figure: one box a segmentation, every chunk a point."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from chunking.comparison.report import Comparison
from chunking.figures.theme import ENTRY_ROLES, ROLES, TICK_FORMAT, Palette

_ROW = 34
_POINTS = 400
"""Chunks of one segmentation above which only the box and what lies outside its whiskers are drawn."""


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
    shown = titles or [f"{number} · {entry.title}" for number, entry in enumerate(compared.entries, 1)]
    names = [html.escape(title, quote=False) for title in shown]  # Plotly reads some HTML in labels
    data = [
        _box(
            title,
            np.array([chunk.tokens for chunk in entry.segmentation.chunks], dtype=np.int64),
            getattr(palette, ENTRY_ROLES[entry.kind]),
        )
        for title, entry in zip(names, compared.entries, strict=True)
    ]
    layout = {
        "height": 90 + _ROW * len(names),
        "margin": {"l": 10, "r": 20, "t": 10, "b": 40},
        "showlegend": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": palette.text, "size": 12},
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


def _box(title: str, sizes: np.ndarray[Any, np.dtype[np.int64]], color: str) -> dict[str, Any]:
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
