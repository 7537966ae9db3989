"""The picture of a document's distances: curves, threshold, boundaries and gold marks.

Everything here is a pure function from numbers and a palette to a plain Plotly figure (a ``dict`` that holds NumPy
arrays). Nothing is validated by ``plotly.graph_objects`` on the way, because that costs more than the whole rest of
an update; :func:`to_figure` does it for downloads and tests.

The horizontal axis counts gaps from 1, as people do: gap ``i`` of the arrays stands at ``i + 1``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.figures.pinned import ROWS_PX, PinnedCurves, curve_traces, row_traces, rows_axis
from chunking.figures.theme import (
    DRIVER_TITLES,
    DRIVERS,
    SYMBOLS,
    Palette,
    axis_style,
    axis_title,
    document_axis,
    frame_style,
    legend_style,
    plain,
    selection_line,
    threshold_label,
    threshold_trace,
)
from chunking.installation import optional
from chunking.runtime.arrays import AnyFloats, AnyInts, Int64

if TYPE_CHECKING:
    import plotly.graph_objects as go


_DENSE = 500
"""Gaps above which a strong line would fill the picture."""

HEIGHT = 300
"""Height of the figure in pixels, without the rows of a pinned setting."""

_TOP, _BOTTOM = 34, 40
_MARGINS = _TOP + _BOTTOM
_SPACE = 6
"""Pixels above the rows of a pinned setting."""


def _no_gaps() -> Int64:
    return np.empty(0, dtype=np.int64)


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
        gold: integers, the gaps a person would cut; may be empty.
        suppressed: integers, gaps whose score exceeds the threshold and that were merged away; may be empty.
        fused_title: what ``fused`` is called.
        threshold_title: what the threshold is called before its label; empty where the label is enough.
        suppressed_title: what became of ``suppressed``.
        pinned: another setting to draw beside this one; ``None`` for none.

    Raises:
        ChunkscopeError: lengths disagree, a gap does not exist, or a driver is unknown.
    """

    semantic: AnyFloats
    structural: AnyFloats | None
    fused: AnyFloats
    score: AnyFloats
    threshold: float
    threshold_label: str
    boundaries: AnyInts
    drivers: tuple[str, ...]
    gold: AnyInts = field(default_factory=_no_gaps)
    suppressed: AnyInts = field(default_factory=_no_gaps)
    fused_title: str = "fused"
    threshold_title: str = "threshold"
    suppressed_title: str = "merged (min size)"
    pinned: PinnedCurves | None = None

    def __post_init__(self) -> None:
        named = {name: getattr(self, name) for name in ("semantic", "structural", "fused", "score")}
        named["pinned"] = self.pinned.fused if self.pinned else None
        lengths = {name: len(values) for name, values in named.items() if values is not None}
        if len(set(lengths.values())) > 1:
            raise ChunkscopeError(f"The curves have different lengths: {lengths}.", "Give each one value a gap.")
        if len(self.drivers) != len(self.boundaries):
            raise ChunkscopeError(
                f"{len(self.boundaries)} boundaries have {len(self.drivers)} drivers.", "Give each boundary one driver."
            )
        unknown = sorted(set(self.drivers) - set(DRIVERS))
        if unknown:
            raise ChunkscopeError(f"Unknown driver {unknown[0]!r}.", f"Use one of {', '.join(DRIVERS)}.")
        marks = {"boundaries": self.boundaries, "gold": self.gold, "suppressed": self.suppressed}
        if self.pinned:
            marks["pinned"] = self.pinned.boundaries
        for name, gaps in marks.items():
            if len(gaps) and not (int(gaps.min()) >= 0 and int(gaps.max()) < self.n_gaps):
                raise ChunkscopeError(
                    f"{name} holds a gap that does not exist.", f"Gaps are numbered 0 to {self.n_gaps - 1}."
                )

    @property
    def n_gaps(self) -> int:
        """Number of gaps: one less than there are sentences."""
        return len(self.fused)

    @property
    def main_title(self) -> str:
        """What the curve that the marks stand on is called."""
        return "semantic" if self.structural is None else self.fused_title

    @property
    def scored_apart(self) -> bool:
        """Whether the score is something else than the fused distance."""
        return self.score is not self.fused and not np.array_equal(self.score, self.fused, equal_nan=True)


def curve_figure(curves: Curves, *, palette: Palette, selected: int | None = None) -> dict[str, Any]:
    """Return the picture as a plain Plotly figure.

    Args:
        curves: what to show. The arrays are put into the figure as they are, not copied.
        palette: one of :data:`PALETTES`, or :data:`ROLES`.
        selected: gap to mark with a vertical line.

    Returns:
        ``{"data": […], "layout": {…}}``. Line traces have ``x0`` and ``dx`` instead of ``x``; each trace has a
        ``uid``, so that what a user hid in the legend stays hidden when other traces come and go.
    """
    strong = 2.0 if curves.n_gaps <= _DENSE else 1.2
    traces = curve_traces(curves.pinned, full_range(curves.n_gaps), palette) if curves.pinned else []
    if curves.structural is None:
        traces.append(_line("semantic", curves.semantic, palette.semantic, width=strong, opacity=1.0, rank=1))
    else:
        traces += [
            _line("structural", curves.structural, palette.structural, width=1.2, opacity=0.75, rank=2),
            _line("semantic", curves.semantic, palette.semantic, width=1.2, opacity=0.75, rank=1),
            _line("fused", curves.fused, palette.fused, width=strong, opacity=1.0, rank=3, title=curves.fused_title),
        ]
    if curves.scored_apart:
        traces.append(_line("slope", curves.score, palette.threshold, width=1.0, opacity=0.8, rank=4))
    if np.isfinite(curves.threshold) and curves.n_gaps:
        traces.append(_threshold(curves, palette))
    if len(curves.gold):
        traces.append(_gold(curves.gold, palette))
    if len(curves.suppressed):
        traces.append(_suppressed(curves, palette))
    traces.extend(_cuts(curves, palette))
    if curves.pinned:
        traces.extend(row_traces(curves.boundaries, curves.pinned.boundaries, palette))
    return {"data": traces, "layout": _layout(curves, palette, selected)}


def to_figure(curves: Curves, *, palette: Palette, selected: int | None = None) -> go.Figure:
    """Return the same picture as a validated ``plotly.graph_objects.Figure``, for downloads and tests."""
    # Costs half a second: only where a figure object is wanted.
    objects = optional("plotly.graph_objects", "evaluation", "A figure")
    return objects.Figure(curve_figure(curves, palette=palette, selected=selected))


def selection_shape(gap: int, palette: Palette) -> dict[str, Any]:
    """Return the vertical line that marks a chosen gap, as a Plotly layout shape."""
    return selection_line(gap + 1, "below", palette)


def full_range(n_gaps: int) -> tuple[float, float]:
    """Return the horizontal range that shows every gap."""
    return 0.5, max(n_gaps, 1) + 0.5


def score_range(curves: Curves) -> tuple[float, float]:
    """Return the vertical range: 0 to 1 with margins, wider where a curve or the threshold leaves it.

    Of the curves only the semantic one and that of a pinned setting can, and these do not move with α or the threshold:
    the picture does not jump.
    """
    low, high = 0.0, max(1.0, float(curves.semantic.max(initial=0.0)))
    if curves.scored_apart:
        finite = curves.score[np.isfinite(curves.score)]
        low = min(low, float(finite.min(initial=0.0)))
        high = max(high, float(finite.max(initial=1.0)))
    pinned = curves.pinned
    if pinned and pinned.fused is not None:
        high = max(high, float(pinned.fused.max(initial=0.0)))
    for threshold in (curves.threshold, pinned.threshold if pinned else np.nan):
        if np.isfinite(threshold):
            low, high = min(low, threshold), max(high, threshold)
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _line(
    name: str, values: AnyFloats, color: str, *, width: float, opacity: float, rank: int, title: str = ""
) -> dict[str, Any]:
    title = plain(title or name)
    return {
        "type": "scatter",
        "mode": "lines",
        "uid": name,
        "name": title,
        "legendrank": rank,
        "x0": 1,
        "dx": 1,
        "y": values,
        "opacity": opacity,
        "line": {"color": color, "width": width},
        "hovertemplate": f"gap %{{x}}: {title} %{{y:.3f}}<extra></extra>",
    }


def _threshold(curves: Curves, palette: Palette) -> dict[str, Any]:
    name = plain(": ".join(filter(None, (curves.threshold_title, curves.threshold_label))))
    return threshold_trace(name, 5, full_range(curves.n_gaps), curves.threshold, palette)


def _gold(gaps: AnyInts, palette: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "uid": "gold",
        "name": "gold",
        "legendrank": 20,
        "x": gaps + 1,
        "y": np.zeros(len(gaps), dtype=np.float32),
        "yaxis": "y2",
        "cliponaxis": False,
        "marker": {"symbol": "triangle-up", "size": 8, "color": palette.gold},
        "hovertemplate": "gap %{x}: gold boundary<extra></extra>",
    }


def _suppressed(curves: Curves, palette: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "uid": "suppressed",
        "name": plain(curves.suppressed_title),
        "legendrank": 15,
        "x": curves.suppressed + 1,
        "y": curves.fused[curves.suppressed],
        "marker": {"symbol": "circle-open", "size": 8, "color": palette.muted, "line": {"width": 1.6}},
        "hovertemplate": f"gap %{{x}}: above the threshold, {plain(curves.suppressed_title)}<extra></extra>",
    }


def _cuts(curves: Curves, palette: Palette) -> list[dict[str, Any]]:
    drivers = np.asarray(curves.drivers, dtype="U10")
    traces = []
    for rank, driver in enumerate(DRIVERS, start=10):
        gaps = curves.boundaries[drivers == driver]
        if not len(gaps):
            continue
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "uid": f"cut-{driver}",
                "name": DRIVER_TITLES[driver],
                "legendrank": rank,
                "x": gaps + 1,
                "y": curves.fused[gaps],
                "marker": {
                    "symbol": SYMBOLS[driver],
                    "size": 9 if driver != "structural" else 10,
                    "color": getattr(palette, driver),
                    "line": {"color": palette.surface, "width": 1},
                },
                "hovertemplate": f"gap %{{x}}: {DRIVER_TITLES[driver]}, {plain(curves.main_title)} %{{y:.3f}}"
                "<extra></extra>",
            }
        )
    return traces


def _layout(curves: Curves, palette: Palette, selected: int | None) -> dict[str, Any]:
    has_gold = bool(len(curves.gold))
    start, end = full_range(curves.n_gaps)
    low, high = score_range(curves)
    axis = axis_style(palette)
    height, domains = _domains(has_gold, curves.pinned is not None)
    layout: dict[str, Any] = {
        "height": height,
        "margin": {"l": 46, "r": 48, "t": _TOP, "b": _BOTTOM},
        **frame_style(palette),
        "hovermode": "x",
        "dragmode": "zoom",
        "selectionrevision": "fixed",
        "uirevision": "fixed",
        "legend": {**legend_style(palette), "y": 1.02, "itemwidth": 30, "entrywidth": 0},
        "xaxis": {
            **document_axis(start, end, palette),
            "anchor": min(domains, key=lambda name: domains[name]),
            "title": axis_title("gap", 4, palette),
        },
        "yaxis": {
            **axis,
            "range": [low, high],
            "fixedrange": True,
            "domain": list(domains["y"]),
            "nticks": 6,
            "title": axis_title("distance", 6, palette),
        },
        "shapes": [] if selected is None else [selection_shape(selected, palette)],
        "annotations": _annotations(curves, palette),
    }
    if has_gold:
        layout["yaxis2"] = {
            "domain": list(domains["y2"]),
            "range": [-1, 1],
            "fixedrange": True,
            "visible": False,
            "anchor": "x",
        }
    if curves.pinned:
        layout["yaxis3"] = rows_axis(domains["y3"], palette)
    return layout


def _domains(has_gold: bool, has_pinned: bool) -> tuple[int, dict[str, tuple[float, float]]]:
    """Return the height of the figure, and the part of it that each vertical axis takes, from the bottom."""
    rows = ROWS_PX if has_pinned else 0
    height = HEIGHT - _MARGINS + rows
    bottom = rows / height
    domains = {"y": (bottom + (0.09 * (1 - bottom) if has_gold else 0.0), 1.0)}
    if has_gold:
        domains["y2"] = (bottom, bottom + 0.07 * (1 - bottom))
    if has_pinned:
        domains["y3"] = (0.0, (rows - _SPACE) / height)
    return height + _MARGINS, domains


def _annotations(curves: Curves, palette: Palette) -> list[dict[str, Any]]:
    if not curves.n_gaps:
        return [
            {
                "text": "One sentence or none: there is no gap to cut.",
                "xref": "paper",
                "yref": "paper",
                "x": 0.5,
                "y": 0.5,
                "showarrow": False,
                "font": {"color": palette.muted, "size": 13},
            }
        ]
    if not np.isfinite(curves.threshold):
        return []
    return [threshold_label(curves.threshold, palette)]
