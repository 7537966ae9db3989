"""The basis of pictures that are painted cell by cell: their content, axes and legend.

What a raster is painted from travels once, by :func:`raster_field`; a slider move sends only the present setting.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Required, TypedDict

import streamlit as st

from chunking.figures.theme import ROLES
from pages.shared.components.base import Bytes, Json, component, pack
from pages.shared.components.plotly_js import PlotHead
from pages.shared.storage import current

_field = component("chunkscope_raster_field", __file__, "field.js", isolate_styles=False)


class RasterHead(PlotHead):
    """The part of a message that is read each time."""


class LegendMark(TypedDict):
    """An entry of a legend."""

    role: str
    form: str
    label: str
    term: str


class RasterFigure(TypedDict):
    """The axes of a raster, as a Plotly layout."""

    layout: Json


class RasterScales(TypedDict, total=False):
    """Red, green and blue of each step of a colour scale."""

    strong: Required[Bytes]
    quiet: Bytes


class RasterThemes(TypedDict):
    """Colour scales by theme."""

    light: RasterScales
    dark: RasterScales


class RasterBody(TypedDict):
    """What all rasters have: axes, the key of their content, rows of α, legend and scales."""

    figure: RasterFigure
    field: str
    rows: int
    marks: list[LegendMark]
    scales: RasterThemes


def raster_field(component_key: str, field: str, make: Callable[[], Mapping[str, object]]) -> None:
    """Give the browser what a raster is painted from. Draws nothing; call it once a run, before the picture.

    Args:
        component_key: Streamlit key of the element.
        field: names the content; the pictures look it up by this. What it names is made and packed once.
        make: the content, as :func:`pages.shared.components.wire.pack` takes it.
    """
    _field(key=component_key, data=_field_message(field, make), height="content")


@current.cleared_on_deletion
@st.cache_resource(max_entries=8, show_spinner=False)
def _field_message(field: str, _make: Callable[[], Mapping[str, object]]) -> bytes:
    return pack({"field": field}, _make())


def share(value: Any) -> float | None:
    """Return a number from 0 to 1 sent by the browser; ``None`` if it is not one."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        return None
    return float(value)


def legend_mark(role: str, form: str, label: str, term: str = "") -> LegendMark:
    """Return an entry of the legend: a mark of a form, in the colour of a role, and the term that defines it."""
    return {"role": role, "form": form, "label": label, "term": term}


def raster_layout(
    title: str, across: tuple[float, float], tickformat: str, height: int, *, strips: bool = False
) -> dict[str, Any]:
    """Return the axes of a raster as a Plotly layout in the colours of :data:`chunking.figures.theme.ROLES`.

    Args:
        title: of the axis across.
        across: its full range.
        tickformat: of its ticks.
        height: in pixels.
        strips: whether there is room above and below the raster, for marks.
    """
    axis = {
        "zeroline": False,
        "showgrid": False,
        "linecolor": ROLES.grid,
        "ticks": "outside",
        "ticklen": 4,
        "tickcolor": ROLES.grid,
        "tickfont": {"color": ROLES.muted, "size": 11},
    }
    room = 0.085 if strips else 0.005
    return {
        "height": height,
        "margin": {"l": 52, "r": 24, "t": 24, "b": 40},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": ROLES.text, "size": 12},
        "dragmode": "zoom",
        "showlegend": False,
        "xaxis": {
            **axis,
            "range": list(across),
            "minallowed": across[0],
            "maxallowed": across[1],
            "tickformat": tickformat,
            "title": {"text": title, "font": {"color": ROLES.muted, "size": 11}, "standoff": 4},
        },
        "yaxis": {
            **axis,
            "range": [-room, 1 + room],
            "fixedrange": True,
            "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1],
            "title": {"text": "α", "font": {"color": ROLES.muted, "size": 12}, "standoff": 6},
        },
    }
