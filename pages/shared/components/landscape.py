"""The landscape in the browser: at each gap and α the percentile at which the gap becomes a boundary.

What the raster is painted from depends on the curves alone. It travels once, by :func:`raster_field`; a slider move
sends only the present setting and what it cuts, and the browser colours the raster anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

from chunking.figures.plots import ROLES
from pages.shared.components import _nothing, _palette_css, _range, _read, _script
from pages.shared.components.scales import SCALES
from pages.shared.components.wire import pack
from pages.shared.frame import plotly_js

__all__ = ["LandscapeEvent", "Present", "landscape_chart", "landscape_event", "landscape_field", "raster_field"]

IntArray = npt.NDArray[np.integer[Any]]
FloatArray = npt.NDArray[np.floating[Any]]

HEIGHT = 390
"""Of the figure, in pixels."""


@dataclass(frozen=True)
class LandscapeEvent:
    """What a user did with the landscape.

    Attributes:
        gap: the gap just taken, from 0; ``None`` in every run that was not caused by that.
        alpha: the α at which it was taken, 0 to 1; ``None`` where ``gap`` is.
        cleared: whether the choice was just taken back.
        view: the visible range in gap numbers as shown (gap 0 stands at 1.0), ``None`` for all. It lasts until the
            user zooms again or the document changes.
    """

    gap: int | None = None
    alpha: float | None = None
    cleared: bool = False
    view: tuple[float, float] | None = None


@dataclass(frozen=True, eq=False)
class Present:
    """The present setting on the landscape.

    Attributes:
        alpha, percentile: the setting.
        cuts: ``(n,)`` integers ascending, gaps over its threshold.
        gold: integers ascending, gaps that a person would cut; may be empty.
        plateau: the α from and to which no boundary changes at this percentile.
        changes: ascending, every α at which one does.
        until: up to which α that is known.
    """

    alpha: float
    percentile: float
    cuts: IntArray
    gold: IntArray
    plateau: tuple[float, float]
    changes: FloatArray
    until: float = 1.0


_field = st.components.v2.component(
    "chunkscope_raster_field", js=_script("raster.js") + "\n" + _read("field.js"), isolate_styles=False
)
# Looks like the curve chart, whose style sheet it shares, and stands in the page itself for the same reason.
_landscape = st.components.v2.component(
    "chunkscope_landscape",
    isolate_styles=False,
    css=_palette_css() + _read("chart.css") + _read("landscape.css"),
    js=_script("raster.js") + "\n" + _read("landscape.js"),
)


def raster_field(component_key: str, field: str, make: Callable[[], dict[str, Any]]) -> None:
    """Give the browser what a raster is painted from. Draws nothing; call it once a run, before the picture.

    Args:
        component_key: Streamlit key of the element.
        field: names the content; the pictures look it up by this. What it names is made and packed once.
        make: the content, as :func:`pages.shared.components.wire.pack` takes it.
    """
    _field(key=component_key, data=_field_message(field, make), height="content")


@st.cache_resource(max_entries=8, show_spinner=False)
def _field_message(field: str, _make: Callable[[], dict[str, Any]]) -> bytes:
    return pack({"field": field}, _make())


def landscape_field(smaller: IntArray) -> dict[str, Any]:
    """What the landscape is painted from.

    Args:
        smaller: ``(rows, n_gaps)`` integers: at each α, how many gaps have a smaller distance.
    """
    wide = smaller.shape[1] > np.iinfo(np.uint16).max
    # Two bytes a cell where they can hold it: 5,000 gaps are a megabyte, and as a float they would be two.
    cells = smaller.astype(np.int32) if wide else smaller.astype("<u2").view(np.uint8)
    return {"smaller": cells, "wide": wide}


def landscape_chart(
    key: str,
    document: str,
    field: str,
    shape: tuple[int, int],
    present: Present,
    *,
    selected: int | None = None,
    view: tuple[float, float] | None = None,
    on_event: Callable[[], None] | None = None,
) -> LandscapeEvent:
    """The landscape with the present setting. Zoom and pan survive every call with the same document.

    Args:
        key: Streamlit key of the element.
        document: key given to :func:`pages.shared.components.document_store`.
        field: name given to :func:`raster_field`.
        shape: rows and gaps of that field.
        present: the setting.
        selected: the chosen gap; a choice the user made meanwhile in the browser wins until Python confirms it.
        view: range to show when the picture appears or its document changes; later values are ignored.
        on_event: called before the script runs when the user took a cell or zoomed; read :func:`landscape_event` in it.

    Returns:
        What the user did; the same as :func:`landscape_event`.
    """
    callback = on_event or _nothing
    data = _message(document, field, shape, present, selected, view, plotly_js.path())
    _landscape(key=key, data=data, on_take_change=callback, on_view_change=callback)
    return landscape_event(key, document, view=view)


def landscape_event(key: str, document: str, *, view: tuple[float, float] | None = None) -> LandscapeEvent:
    """What the user did with the landscape; may be asked before it is drawn in this run.

    Args:
        key, document: as given to :func:`landscape_chart`.
        view: the range it is opened with; it is the current one until the user changes it.
    """
    state = st.session_state.get(key) or {}
    reported = state.get("view")
    if isinstance(reported, dict) and reported.get("document") == document:
        view = _range(reported.get("range"))
    taken = state.get("take")
    if not isinstance(taken, dict) or taken.get("document") != document:
        return LandscapeEvent(view=view)
    gap, alpha = taken.get("gap"), share(taken.get("alpha"))
    if gap is None:
        return LandscapeEvent(cleared=True, view=view)
    if not isinstance(gap, int) or isinstance(gap, bool) or gap < 0 or alpha is None:
        return LandscapeEvent(view=view)
    return LandscapeEvent(gap, alpha, view=view)


def share(value: Any) -> float | None:
    """A number from 0 to 1 as the browser reports it; ``None`` where it is none."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        return None
    return float(value)


def _message(
    document: str,
    field: str,
    shape: tuple[int, int],
    present: Present,
    selected: int | None,
    view: tuple[float, float] | None,
    plotly: str,
) -> bytes:
    rows, gaps = shape
    marks = [_mark("threshold", "stick", "cut now"), _mark("threshold", "bar", "α now")]
    marks += [_mark("threshold", "dots", "no boundary changes between")]
    marks += [_mark("muted", "notch", _changes_label(present))]
    if len(present.gold):
        marks.append(_mark("gold", "stick", "gold"))
    marks.append(_mark("muted", "none", "before limits of size"))
    body = {
        "figure": raster_layout("gap", (0.5, max(gaps, 1) + 0.5), ",d", HEIGHT, strips=True),
        "field": field,
        "rows": rows,
        "gaps": gaps,
        "alpha": present.alpha,
        "percentile": present.percentile,
        "cuts": present.cuts,
        "gold": present.gold,
        "plateau": [float(edge) for edge in present.plateau],
        "changes": present.changes,
        "marks": marks,
    }
    head = {
        "document": document,
        "selected": selected,
        "view": None if view is None else [float(view[0]), float(view[1])],
        "plotly": plotly,
    }
    return pack(head, body | {"scales": {theme: dict(scale) for theme, scale in SCALES.items()}})


def _changes_label(present: Present) -> str:
    return "one does" if present.until >= 1 else f"one does (known up to α {present.until:.2f})"


def _mark(role: str, form: str, label: str) -> dict[str, str]:
    return {"role": role, "form": form, "label": label}


def raster_layout(
    title: str, across: tuple[float, float], tickformat: str, height: int, *, strips: bool = False
) -> dict[str, Any]:
    """The axes of a raster as a Plotly layout in the colours of :data:`chunking.figures.plots.ROLES`.

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
