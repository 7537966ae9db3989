"""The chart of a document's distances for Plotly: curves, threshold, boundaries and reference boundaries.

The horizontal axis counts gaps from 1, as people do: gap ``i`` of the arrays is at ``i + 1``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.installation import optional
from chunking.report.theme import (
    DRIVER_TITLES,
    DRIVERS,
    SYMBOLS,
    Palette,
    axis_style,
    axis_title,
    document_axis,
    frame_style,
    line_trace,
    marker_trace,
    plain,
)
from chunking.runtime.arrays import AnyFloats, AnyInts, Int64

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT = 300
"""Height of the figure in pixels, without the rows of a pinned setting."""

_TOP, _BOTTOM, _ROWS, _SPACE = 34, 40, 34, 6
"""Pixels above and below the axes, of the two rows of a pinned setting, and above these."""

_DENSE = 500
"""Gaps above which a strong line would fill the picture."""


def _no_gaps() -> Int64:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class PinnedCurves:
    """A setting that is drawn beside the one that is shown.

    Attributes:
        boundaries: ``(n_cuts,)`` integers, the gaps that it cuts, ascending.
        fused: ``(n_gaps,)`` floats, its curve; ``None`` for a strategy without one.
        threshold: of that curve; NaN where the rule has none on its axis.
    """

    boundaries: AnyInts
    fused: AnyFloats | None = None
    threshold: float = float("nan")


@dataclass(frozen=True, eq=False)
class Curves:
    """The data of the figure; one entry per gap.

    Attributes:
        semantic, structural, fused: ``(n_gaps,)`` floats, distances from 0 to 1; ``structural`` is ``None`` where
            structure plays no part, and ``fused`` then the semantic distance itself.
        score: ``(n_gaps,)`` floats, what is compared with the threshold; equals ``fused`` except under rules that
            transform it first (the gradient).
        threshold: a score above it (strictly) is a cut; NaN or infinite where the rule has none.
        threshold_label: what the threshold is, e.g. ``"95th percentile"``.
        boundaries: ``(n_cuts,)`` integers, the gaps that are cut.
        drivers: ``n_cuts`` of :data:`DRIVERS`, in the order of ``boundaries``.
        reference: integers, the reference boundaries; may be empty.
        suppressed: integers, gaps whose score exceeds the threshold and that were merged away; may be empty.
        fused_title: what ``fused`` is called.
        threshold_title: what the threshold is called before its label; empty where the label is enough.
        suppressed_title: what became of ``suppressed``.
        pinned: another setting to draw beside this one; ``None`` for none.
    """

    semantic: AnyFloats
    structural: AnyFloats | None
    fused: AnyFloats
    score: AnyFloats
    threshold: float
    threshold_label: str
    boundaries: AnyInts
    drivers: tuple[str, ...]
    reference: AnyInts = field(default_factory=_no_gaps)
    suppressed: AnyInts = field(default_factory=_no_gaps)
    fused_title: str = "fused"
    threshold_title: str = "threshold"
    suppressed_title: str = "merged (min size)"
    pinned: PinnedCurves | None = None

    @property
    def n_gaps(self) -> int:
        """Number of gaps: one less than there are sentences."""
        return len(self.fused)

    @property
    def scored_apart(self) -> bool:
        """Whether the score is something else than the fused distance."""
        return not np.array_equal(self.score, self.fused, equal_nan=True)


def to_figure(curves: Curves, *, palette: Palette) -> go.Figure:
    """Return the chart as a ``plotly.graph_objects.Figure``, which validates it."""
    # Costs half a second: only where a figure object is wanted.
    objects = optional("plotly.graph_objects", "evaluation", "A figure")
    return objects.Figure(curve_figure(curves, palette=palette))


def curve_figure(curves: Curves, *, palette: Palette) -> dict[str, Any]:
    """Return the chart as a plain Plotly figure, ``{"data": […], "layout": {…}}``.

    Args:
        curves: what to show.
        palette: one of :data:`PALETTES`, or :data:`ROLES`.
    """
    traces = _pinned_curve(curves, palette) + _distances(curves, palette)
    if len(curves.reference):
        hover = "gap %{x}: reference boundary"
        row = marker_trace(
            "reference", curves.reference + 1, np.zeros(len(curves.reference)), palette.gold, "triangle-up", hover
        )
        traces.append({**row, "yaxis": "y2", "cliponaxis": False})
    traces += _boundaries(curves, palette) + _pinned_rows(curves, palette)
    return {"data": traces, "layout": _layout(curves, palette)}


# --- lines ---------------------------------------------------------------------------------------------------------


def _distances(curves: Curves, palette: Palette) -> list[dict[str, Any]]:
    """Return the curves and their threshold."""
    strong = 2.0 if curves.n_gaps <= _DENSE else 1.2
    if curves.structural is None:
        lines = [("semantic", curves.semantic, palette.semantic, strong, 1.0)]
    else:
        lines = [
            ("structural", curves.structural, palette.structural, 1.2, 0.75),
            ("semantic", curves.semantic, palette.semantic, 1.2, 0.75),
            (plain(curves.fused_title), curves.fused, palette.fused, strong, 1.0),
        ]
    if curves.scored_apart:
        lines.append(("slope", curves.score, palette.threshold, 1.0, 0.8))
    gaps = np.arange(1, curves.n_gaps + 1)
    traces = [
        line_trace(name, gaps, values, {"color": color, "width": width}, f"gap %{{x}}: {name} %{{y:.3f}}")
        | {"opacity": opacity}
        for name, values, color, width, opacity in lines
    ]
    if np.isfinite(curves.threshold) and curves.n_gaps:
        name = plain(": ".join(filter(None, (curves.threshold_title, curves.threshold_label))))
        dashed = {"color": palette.threshold, "width": 1.6, "dash": "dash"}
        traces.append(_level(name, curves, curves.threshold, dashed))
    return traces


def _level(name: str, curves: Curves, value: float, line: dict[str, Any]) -> dict[str, Any]:
    """Return a horizontal line over all gaps."""
    return line_trace(name, list(_all_gaps(curves)), [value, value], line)


def _pinned_curve(curves: Curves, palette: Palette) -> list[dict[str, Any]]:
    """Return the curve and the threshold of the pinned setting, which are behind those of the one that is shown."""
    pinned = curves.pinned
    if pinned is None or pinned.fused is None:
        return []
    style = {"color": palette.muted, "width": 1.6, "dash": "dot"}
    traces = [line_trace("pinned curve", np.arange(1, curves.n_gaps + 1), pinned.fused, style)]
    if np.isfinite(pinned.threshold):
        dashed = {**style, "width": 1.2, "dash": "dashdot"}
        traces.append(_level("pinned threshold", curves, pinned.threshold, dashed))
    return traces


# --- marks ---------------------------------------------------------------------------------------------------------


def _boundaries(curves: Curves, palette: Palette) -> list[dict[str, Any]]:
    """Return the gaps that were merged away, and those that are cut, by their driver."""
    traces = []
    if len(curves.suppressed):
        title, heights = plain(curves.suppressed_title), curves.fused[curves.suppressed]
        hover = f"gap %{{x}}: above the threshold, {title}"
        x = curves.suppressed + 1
        traces.append(marker_trace(title, x, heights, palette.muted, "circle-open", hover, line=1.6))
    drivers = np.asarray(curves.drivers, dtype="U10")
    main = "semantic" if curves.structural is None else curves.fused_title
    for driver in DRIVERS:
        gaps = curves.boundaries[drivers == driver]
        if len(gaps):
            title, color = DRIVER_TITLES[driver], getattr(palette, driver)
            hover = f"gap %{{x}}: {title}, {plain(main)} %{{y:.3f}}"
            trace = marker_trace(title, gaps + 1, curves.fused[gaps], color, SYMBOLS[driver], hover)
            trace["marker"]["line"] = {"color": palette.surface, "width": 1}
            traces.append(trace)
    return traces


def _pinned_rows(curves: Curves, palette: Palette) -> list[dict[str, Any]]:
    """Return the boundaries of both settings in a row each: those of both, and those of one alone."""
    if curves.pinned is None:
        return []
    boundaries, pinned = curves.boundaries, curves.pinned.boundaries
    in_both = np.intersect1d(boundaries, pinned)
    rows = (
        ("boundary in both", palette.muted, in_both, in_both),
        ("boundary in one only", palette.both, np.setdiff1d(boundaries, pinned), np.setdiff1d(pinned, boundaries)),
    )
    traces = []
    for name, color, upper, lower in rows:
        x = np.concatenate([upper, lower]) + 1
        if len(x):
            y = np.repeat([1, 0], [len(upper), len(lower)])
            trace = marker_trace(name, x, y, color, "line-ns-open", f"gap %{{x}}: {name}", line=2)
            traces.append({**trace, "yaxis": "y3", "cliponaxis": False})
    return traces


# --- axes ----------------------------------------------------------------------------------------------------------


def _all_gaps(curves: Curves) -> tuple[float, float]:
    """Return the horizontal range that shows every gap."""
    return 0.5, max(curves.n_gaps, 1) + 0.5


def _value_range(curves: Curves) -> tuple[float, float]:
    """Return the vertical range: 0 to 1 with margins, wider where a curve or a threshold leaves it."""
    lines: list[AnyFloats] = [curves.semantic, curves.score if curves.scored_apart else curves.semantic]
    thresholds = [curves.threshold]
    if curves.pinned:
        lines += [] if curves.pinned.fused is None else [curves.pinned.fused]
        thresholds.append(curves.pinned.threshold)
    values = np.concatenate([[0.0, 1.0], *lines, thresholds])
    finite = values[np.isfinite(values)]
    low, high = float(finite.min()), float(finite.max())
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _layout(curves: Curves, palette: Palette) -> dict[str, Any]:
    rows = _ROWS if curves.pinned else 0
    inner = HEIGHT - _TOP - _BOTTOM + rows
    bottom = rows / inner
    reference_height = 0.09 * (1 - bottom) if len(curves.reference) else 0.0
    fixed = {**axis_style(palette), "fixedrange": True, "anchor": "x"}
    layout: dict[str, Any] = {
        "height": HEIGHT + rows,
        "margin": {"l": 46, "r": 48, "t": _TOP, "b": _BOTTOM},
        **frame_style(palette),
        "hovermode": "x",
        "legend": {
            "orientation": "h",
            "x": 0,
            "y": 1.02,
            "yanchor": "bottom",
            "bgcolor": "rgba(0,0,0,0)",
        },
        "xaxis": {
            **document_axis(*_all_gaps(curves), palette),
            "anchor": "y3" if rows else "y2" if reference_height else "y",
            "title": axis_title("gap", 4, palette),
        },
        "yaxis": {
            **fixed,
            "range": list(_value_range(curves)),
            "domain": [bottom + reference_height, 1.0],
            "nticks": 6,
            "title": axis_title("distance", 6, palette),
        },
        "annotations": _annotations(curves, palette),
    }
    if reference_height:
        layout["yaxis2"] = {
            **fixed,
            "domain": [bottom, bottom + 0.8 * reference_height],
            "range": [-1, 1],
            "visible": False,
        }
    if rows:
        layout["yaxis3"] = {
            **fixed,
            "domain": [0.0, (rows - _SPACE) / inner],
            "range": [-0.6, 1.6],
            "showgrid": False,
            "tickvals": [0, 1],
            "ticktext": ["pinned", "shown"],
        }
    return layout


def _annotations(curves: Curves, palette: Palette) -> list[dict[str, Any]]:
    """Return the number at the right end of the threshold, or why there is no curve."""
    if not curves.n_gaps:
        words = "One sentence or none: there is no gap to cut."
        return [{"text": words, "xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5, "showarrow": False}]
    if not np.isfinite(curves.threshold):
        return []
    label = {"text": f"{curves.threshold:.3f}", "xref": "paper", "x": 1, "xanchor": "left", "xshift": 3}
    return [label | {"y": curves.threshold, "showarrow": False, "font": {"color": palette.threshold, "size": 12}}]
