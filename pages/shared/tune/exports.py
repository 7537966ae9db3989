"""Exports of the Tune page: every setting of a document as tables, and the landscape as an HTML page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

import numpy as np
import streamlit as st

from chunking import export
from chunking.document import Document
from chunking.report.theme import PALETTES, TICK_FORMAT
from chunking.signals.signals import Signals
from chunking.tuning.landscape import Landscape
from chunking.tuning.plane import Plane
from pages.shared.documents import exports

_LOWEST = 50.0
_PALE = "#bcd3ea"
"""Colours of gaps that only a low percentile cuts."""


def show(document: Document, signals: Signals, landscape: Callable[[], Landscape], plane: Callable[[], Plane]) -> None:
    """Show the popover with downloads; each file is made when its button is pressed."""
    stem = PurePath(document.name).stem
    with exports.popover("_tune_export") as popover:
        if not popover.open:
            return
        for label, name, mime, make in (
            ("Landscape, CSV", f"{stem}-landscape.csv", "text/csv", lambda: landscape_csv(signals, landscape())),
            ("Landscape, HTML", f"{stem}-landscape.html", "text/html", lambda: landscape_html(landscape())),
            ("Settings, CSV", f"{stem}-settings.csv", "text/csv", lambda: plane_csv(plane())),
        ):
            st.download_button(label, make, name, mime, key=f"_tune_{label}", on_click="ignore", width="stretch")


def landscape_csv(signals: Signals, found: Landscape) -> str:
    """Return one row per gap: its offset, its distances, and for each α the percentile below which it is cut."""
    names = [f"alpha_{alpha:.2f}" for alpha in found.alphas]
    columns = found.flip.T.round(4).tolist()
    facts = (signals.offsets, signals.semantic, signals.structural)
    gaps = zip(*(values.tolist() for values in facts), columns, strict=True)
    rows = [
        {"gap": gap + 1, "offset": offset, "semantic": semantic, "structural": structural}
        | dict(zip(names, flips, strict=True))
        for gap, (offset, semantic, structural, flips) in enumerate(gaps)
    ]
    return export.table(rows, ("gap", "offset", "semantic", "structural", *names))


def plane_csv(found: Plane) -> str:
    """Return one row per setting, with the value of each map."""
    alphas, percentiles = np.meshgrid(found.alphas, found.percentiles, indexing="ij")
    values = [each.values.astype(np.float64).round(6) for each in found.maps.values()]
    cells = zip(*(each.ravel().tolist() for each in (alphas, percentiles, *values)), strict=True)
    names = ("alpha", "percentile", *found.maps)
    rows = [
        {name: None if value != value else value for name, value in zip(names, cell, strict=True)} for cell in cells
    ]
    return export.table(rows, names)


def landscape_html(found: Landscape) -> str:
    """Return the landscape as an HTML page that contains Plotly and needs no network."""
    import plotly.graph_objects as go  # takes half a second: import only where a figure object is needed

    palette = PALETTES["light"]
    heatmap = go.Heatmap(
        z=found.flip.round(2),
        x=np.arange(1, len(found) + 1),
        y=found.alphas,
        zmin=_LOWEST,
        zmax=100.0,
        # The scale gives more colours to the few gaps at the top.
        colorscale=[[0.0, palette.surface], [0.6, _PALE], [1.0, palette.semantic]],
        colorbar={"title": {"text": "boundary below percentile"}},
        hovertemplate="gap %{x}, α %{y:.2f}: boundary below percentile %{z:.2f}<extra></extra>",
    )
    layout = {"height": 520, "paper_bgcolor": palette.surface, "font": {"color": palette.text}}
    figure = go.Figure(heatmap, layout)
    figure.update_xaxes(title="gap").update_yaxes(title="α", tickformat=TICK_FORMAT)
    page: str = figure.to_html(include_plotlyjs=True)
    return page
