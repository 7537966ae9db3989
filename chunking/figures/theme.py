"""What all figures share: colours, the look of the drivers of a cut, axes, legend, and the threshold's label."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Literal, get_args

from chunking.chunks import Driver

DRIVERS: tuple[Driver, ...] = get_args(Driver)

SYMBOLS: Mapping[str, str] = MappingProxyType(
    {"semantic": "circle", "structural": "diamond", "both": "square", "limit": "triangle-up"}
)
"""Plotly's marker symbol for each driver, so that colour never carries the meaning alone."""

GLYPHS: Mapping[str, str] = MappingProxyType({"semantic": "●", "structural": "◆", "both": "■", "limit": "▲"})
"""The same shapes as characters, for text beside the chart."""

DRIVER_TITLES: Mapping[str, str] = MappingProxyType(
    {"semantic": "cut: semantic", "structural": "cut: structural", "both": "cut: both", "limit": "cut: limit"}
)

ENTRY_ROLES: Mapping[str, str] = MappingProxyType(
    {"strategy": "fused", "peer": "fused", "yours": "both", "gold": "gold"}
)
"""Whose colour, as a role of :class:`Palette`, the boundaries and results of what is compared have, by its kind. There
are more strategies than colours that anyone can tell apart: a strategy is known by its row or its name, so it looks the
same in every figure, whatever is beside it."""

TICK_FORMAT = ",~f"
"""Of numbers on an axis, as Plotly writes them: as many decimals as they need, so that no two ticks look the same."""


@dataclass(frozen=True)
class Palette:
    """A CSS colour for each role; the text view uses the same ones.

    Attributes:
        semantic, structural, both, limit: the two distances and the four drivers of a cut.
        fused: the fused distance, and cuts that were suppressed.
        threshold: the threshold, and the score where that is not the fused distance.
        gold: reference boundaries.
        selected: the gap that was chosen.
        text, muted, grid, surface: words, quiet words, grid lines, what lies behind.
    """

    semantic: str
    structural: str
    both: str
    limit: str
    fused: str
    threshold: str
    gold: str
    selected: str
    text: str
    muted: str
    grid: str
    surface: str


LIGHT = Palette(
    semantic="#1f6fb8",
    structural="#c8650a",
    both="#6a3fc4",
    limit="#5d6776",
    fused="#1a2230",
    threshold="#b3128f",
    gold="#0b7d52",
    selected="#c81e1e",
    text="#1a2230",
    muted="#5a6474",
    grid="#e6e9ef",
    surface="#ffffff",
)

DARK = Palette(
    semantic="#6cb2f5",
    structural="#f5a24b",
    both="#b388ff",
    limit="#a3adbd",
    fused="#f0f3f8",
    threshold="#ff5fa8",
    gold="#4fd39c",
    selected="#ff7b72",
    text="#e8ebf1",
    muted="#a0a9b8",
    grid="#2a313d",
    surface="#10141b",
)

PALETTES: Mapping[str, Palette] = MappingProxyType({"light": LIGHT, "dark": DARK})
"""The one place where colours are set. The hues follow Okabe and Ito (2008), darkened or lightened until each has a
contrast of at least 3:1 against its surface (WCAG 2.2, 1.4.11), 4.5:1 for words."""

ROLES = Palette(**{role.name: f"role:{role.name}" for role in fields(Palette)})
"""A palette of names instead of colours: a figure drawn with it can be coloured later, for any theme."""


def plain(text: str) -> str:
    """Return a label without the HTML that Plotly interprets."""
    return html.escape(text, quote=False)


def frame_style(palette: Palette) -> dict[str, Any]:
    """Return the background and the type of a figure, for its layout."""
    return {
        "paper_bgcolor": palette.surface,
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": palette.text, "size": 12},
    }


def legend_style(palette: Palette) -> dict[str, Any]:
    """Return a legend in one line above the figure."""
    return {
        "orientation": "h",
        "x": 0,
        "xanchor": "left",
        "yanchor": "bottom",
        "font": {"color": palette.text, "size": 12},
        "bgcolor": "rgba(0,0,0,0)",
    }


def axis_style(palette: Palette) -> dict[str, Any]:
    """Return the look of any axis."""
    return {
        "zeroline": False,
        "gridcolor": palette.grid,
        "linecolor": palette.grid,
        "tickfont": {"color": palette.muted, "size": 11},
    }


def axis_title(text: str, standoff: int, palette: Palette) -> dict[str, Any]:
    """Return the title of an axis, ``standoff`` pixels from its numbers."""
    return {"text": text, "font": {"color": palette.muted, "size": 11}, "standoff": standoff}


def document_axis(start: float, end: float, palette: Palette) -> dict[str, Any]:
    """Return the horizontal axis along a document, which cannot be moved beyond its ends."""
    return {
        **axis_style(palette),
        "range": [start, end],
        "minallowed": start,
        "maxallowed": end,
        "showgrid": False,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": palette.grid,
        "tickformat": TICK_FORMAT,
    }


def threshold_label(value: float, palette: Palette) -> dict[str, Any]:
    """Return the number at the right end of a threshold, as a Plotly annotation."""
    return {
        "name": "threshold",
        "text": f"{value:.3f}",
        "xref": "paper",
        "x": 1,
        "xanchor": "left",
        "xshift": 3,
        "yref": "y",
        "y": value,
        "yanchor": "middle",
        "showarrow": False,
        "borderpad": 0,
        "font": {"color": palette.threshold, "size": 12},
    }


def threshold_trace(name: str, rank: int, ends: tuple[float, float], value: float, palette: Palette) -> dict[str, Any]:
    """Return a threshold as a dashed line between two ends of the axis; ``rank`` is its place in the legend."""
    return {
        "type": "scatter",
        "mode": "lines",
        "uid": "threshold",
        "name": name,
        "legendrank": rank,
        "x": list(ends),
        "y": [value, value],
        "line": {"color": palette.threshold, "width": 1.6, "dash": "dash"},
        "hoverinfo": "skip",
    }


def selection_line(position: float, layer: Literal["above", "below"], palette: Palette) -> dict[str, Any]:
    """Return the vertical line that marks what is selected, above or below the traces, as a Plotly layout shape."""
    return {
        "type": "line",
        "name": "selected",
        "xref": "x",
        "yref": "paper",
        "x0": position,
        "x1": position,
        "y0": 0,
        "y1": 1,
        "layer": layer,
        "line": {"color": palette.selected, "width": 1.5},
    }
