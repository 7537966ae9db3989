"""A second setting in the picture of the distances: its curve, and the boundaries of both in two rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chunking.figures.theme import Palette, axis_style, plain
from chunking.runtime.arrays import AnyFloats, AnyInts

ROWS_PX = 34
"""Height of the two rows, with the space above them."""

AXIS = "y3"
"""Vertical axis of the rows."""

SHOWN, PINNED = 1, 0
"""Places of the rows on it."""

ROW_TITLES = {PINNED: "pinned", SHOWN: "shown"}


@dataclass(frozen=True, eq=False)
class PinnedCurves:
    """What is drawn of a setting that is kept beside the one that is shown.

    Attributes:
        boundaries: ``(n_cuts,)`` integers, the gaps that it cuts, ascending.
        fused: ``(n_gaps,)`` floats, its curve; ``None`` for a strategy without one.
        threshold: of that curve; NaN where the rule has none on its axis.
    """

    boundaries: AnyInts
    fused: AnyFloats | None = None
    threshold: float = float("nan")


def curve_traces(pinned: PinnedCurves, ends: tuple[float, float], palette: Palette) -> list[dict[str, Any]]:
    """Return the curve and the threshold, to be drawn behind those of the setting that is shown.

    Args:
        pinned: the setting.
        ends: of the horizontal axis.
        palette: of the figure.
    """
    if pinned.fused is None:
        return []
    line = {"type": "scatter", "mode": "lines", "hoverinfo": "skip"}
    style = {"color": palette.muted, "width": 1.6, "dash": "dot"}
    curve = {"uid": "pinned", "name": "pinned curve", "legendrank": 6, "x0": 1, "dx": 1, "y": pinned.fused}
    traces = [{**line, **curve, "opacity": 1.0, "line": style}]
    if np.isfinite(pinned.threshold):
        level = {"x": list(ends), "y": [pinned.threshold, pinned.threshold]}
        named = {"uid": "pinned-threshold", "name": "pinned threshold", "legendrank": 7}
        traces.append({**line, **named, **level, "line": {**style, "width": 1.2, "dash": "dashdot"}})
    return traces


def row_traces(shown: AnyInts, pinned: AnyInts, palette: Palette) -> list[dict[str, Any]]:
    """Return the boundaries of two settings in a row each: those of both, and those of one alone.

    Args:
        shown, pinned: gaps that are cut.
        palette: of the figure.
    """
    both = np.intersect1d(shown, pinned)
    alone = [(np.setdiff1d(shown, pinned), SHOWN), (np.setdiff1d(pinned, shown), PINNED)]
    rows = [
        ("same", "boundary in both", palette.muted, [(both, SHOWN), (both, PINNED)]),
        ("only", "boundary in one only", palette.both, alone),
    ]
    return [
        _marks(f"pinned-row-{name}", title, color, places)
        for name, title, color, places in rows
        if any(len(gaps) for gaps, _ in places)
    ]


def _marks(uid: str, title: str, color: str, places: Sequence[tuple[AnyInts, int]]) -> dict[str, Any]:
    x = np.concatenate([gaps + 1 for gaps, _ in places])
    y = np.concatenate([np.full(len(gaps), row) for gaps, row in places])
    order = np.argsort(x, kind="stable")
    return {
        "type": "scatter",
        "mode": "markers",
        "uid": uid,
        "name": plain(title),
        "legendrank": 16 if uid.endswith("same") else 17,
        "x": x[order],
        "y": y[order],
        "yaxis": AXIS,
        "cliponaxis": False,
        "marker": {"symbol": "line-ns-open", "size": 9, "color": color, "line": {"width": 2, "color": color}},
        "hovertemplate": f"gap %{{x}}: {plain(title)}<extra></extra>",
    }


def rows_axis(domain: tuple[float, float], palette: Palette) -> dict[str, Any]:
    """Return the vertical axis of the rows, which names them."""
    return {
        **axis_style(palette),
        "domain": list(domain),
        "range": [-0.6, 1.6],
        "fixedrange": True,
        "anchor": "x",
        "showgrid": False,
        "tickmode": "array",
        "tickvals": list(ROW_TITLES),
        "ticktext": list(ROW_TITLES.values()),
    }
