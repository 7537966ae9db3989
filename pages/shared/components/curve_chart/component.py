"""The curve chart: the three distances, the threshold and the boundaries of a document on one axis.

It shares hovered and chosen gaps with the other components of the same document, as the chunk reader does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Required, TypedDict

import numpy as np

from chunking.figures.plots import HEIGHT, Curves, curve_figure, selection_shape
from chunking.figures.theme import DRIVER_TITLES, DRIVERS, GLYPHS, ROLES
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
)
from pages.shared.components.live import Live, LiveCurves, send
from pages.shared.components.plotly_js import PlotHead, basic_plotly_path

_chart = component("chunkscope_curve_chart", __file__, "curve_chart.js", "../plotly_js/chart.css", isolate_styles=False)


class CurveColumns(TypedDict, total=False):
    """Values at the gaps; ``structural`` is missing where there is no structure, ``pinned`` where no setting is."""

    semantic: Required[Float32s]
    structural: Float32s
    fused: Required[Float32s]
    score: Required[Float32s]
    exceeds: Required[Bytes]
    boundaries: Required[Int32s]
    drivers: Required[Bytes]
    suppressed: Required[Int32s]
    gold: Required[Int32s]
    pinned: Int32s


class CurveTitles(TypedDict):
    """Titles of what has no fixed one."""

    fused: str
    suppressed: str


class Driver(TypedDict):
    """What moved a cut, as it is shown."""

    role: str
    title: str
    glyph: str


class Figure(TypedDict):
    """A Plotly figure in the colours of roles."""

    data: list[Json]
    layout: Json


class CurveChartHead(PlotHead):
    """The part of a message that is read each time."""


class CurveChartBody(TypedDict):
    """What a curve chart draws."""

    figure: Figure
    shape: Json
    columns: CurveColumns
    threshold: float | None
    threshold_label: str
    scored_apart: bool
    titles: CurveTitles
    drivers: list[Driver]
    live: Live | None


@dataclass(frozen=True)
class ChartEvent:
    """What a user did with the chart.

    Attributes:
        gap: the gap just chosen, from 0; ``None`` in every run that was not caused by a choice.
        cleared: whether the choice was just taken back.
        level: the fineness just taken in the strip of divisions; ``None`` in every other run.
        view: the visible range in gap numbers as shown (gap 0 stands at 1.0), ``None`` for all. It lasts until the
            user zooms again or the document changes.
    """

    gap: int | None = None
    cleared: bool = False
    level: float | None = None
    view: tuple[float, float] | None = None


def curve_chart(
    key: str,
    document: str,
    curves: Curves,
    *,
    selected: int | None = None,
    view: tuple[float, float] | None = None,
    height: int = HEIGHT,
    live: LiveCurves | None = None,
    on_event: Callback | None = None,
) -> ChartEvent:
    """Draw the distances, the threshold and the boundaries. Zoom and pan survive calls with the same document.

    Args:
        key: Streamlit key of the element.
        document: key given to :func:`document_store`.
        curves: what to draw.
        selected: the chosen gap; a choice the user made meanwhile in the browser wins until Python confirms it.
        view: range to show when the chart appears or its document changes; later values are ignored.
        height: in pixels, without the rows of a pinned setting.
        live: lets the chart follow controls while they are dragged.
        on_event: called before the script runs when the user chose a gap or zoomed; read :func:`chart_event` in it.

    Returns:
        What the user did; the same as :func:`chart_event`.
    """
    figure = curve_figure(curves, palette=ROLES)
    figure["layout"]["height"] += height - HEIGHT
    columns: CurveColumns = {
        "semantic": curves.semantic,
        "fused": curves.fused,
        "score": curves.score,
        # Compared here: rounded to float32, a score that equals the threshold may seem to exceed it.
        "exceeds": (curves.score > curves.threshold).astype(np.uint8),
        "boundaries": curves.boundaries,
        "drivers": np.array([DRIVERS.index(driver) for driver in curves.drivers], dtype=np.uint8),
        "suppressed": curves.suppressed,
        "gold": curves.gold,
    }
    if curves.structural is not None:
        columns["structural"] = curves.structural
    if curves.pinned is not None:
        columns["pinned"] = curves.pinned.boundaries
    body: CurveChartBody = {
        "figure": {"data": figure["data"], "layout": figure["layout"]},
        "shape": selection_shape(0, ROLES),
        "columns": columns,
        "threshold": float(curves.threshold) if np.isfinite(curves.threshold) else None,
        "threshold_label": curves.threshold_label,
        "scored_apart": curves.scored_apart,
        "titles": {"fused": curves.main_title, "suppressed": curves.suppressed_title},
        "drivers": [{"role": name, "title": DRIVER_TITLES[name], "glyph": GLYPHS[name]} for name in DRIVERS],
        "live": send(key, live) if live else None,
    }
    head: CurveChartHead = {
        "document": document,
        "selected": selected,
        "view": view,
        "plotly": basic_plotly_path(),
    }
    callback = on_event or ignore
    _chart(key=key, data=pack(head, body), on_gap_change=callback, on_level_change=callback, on_view_change=callback)
    return chart_event(key, document, view=view)


def chart_event(key: str, document: str, *, view: tuple[float, float] | None = None) -> ChartEvent:
    """Return what the user did with a chart; may be called before the chart is drawn in this run.

    Args:
        key, document: as given to :func:`curve_chart`.
        view: the range the chart is opened with; it is the current one until the user changes it.
    """
    gap, cleared = chosen(reported(key, "gap", document), "gap")
    level = (reported(key, "level", document) or {}).get("level")
    number = float(level) if isinstance(level, int | float) and not isinstance(level, bool) else None
    return ChartEvent(gap, cleared, number, reported_view(key, document, view))
