"""The style that all figures share: colours, the look of the drivers of a cut, and lines, marks and axes for Plotly."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, get_args

from chunking.chunks import Driver

DRIVERS: tuple[Driver, ...] = get_args(Driver)

SYMBOLS: Mapping[str, str] = MappingProxyType(
    {"semantic": "circle", "structural": "diamond", "both": "square", "limit": "triangle-up", "hand": "cross"}
)
"""Plotly's marker symbol for each driver, so that colour never carries the meaning alone."""

GLYPHS: Mapping[str, str] = MappingProxyType(
    {"semantic": "●", "structural": "◆", "both": "■", "limit": "▲", "hand": "✎"}
)
"""The shapes of the markers as characters, for text beside the chart."""

DRIVER_TITLES: Mapping[str, str] = MappingProxyType(
    {
        "semantic": "cut: semantic",
        "structural": "cut: structural",
        "both": "cut: both",
        "limit": "cut: limit",
        "hand": "cut: by hand",
    }
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
        semantic, structural, both, limit, hand: the two distances and the five drivers of a cut.
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
    hand: str
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
    hand="#0a6b78",
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
    hand="#52c7d6",
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


def line_trace(name: str, x: object, y: object, line: Mapping[str, Any], hover: str = "") -> dict[str, Any]:
    """Return a line, with the words of a point where it is pointed at."""
    about = {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": line, **about}


def marker_trace(
    name: str, x: object, y: object, color: str, symbol: str, hover: str, *, size: int = 9, line: float = 0
) -> dict[str, Any]:
    """Return marks with lines of that width, with the words of one where it is pointed at."""
    marker = {"symbol": symbol, "size": size, "color": color, "line": {"color": color, "width": line}}
    about = {"marker": marker, "hovertemplate": f"{hover}<extra></extra>"}
    return {"type": "scatter", "mode": "markers", "name": name, "x": x, "y": y, **about}
