"""The picture of a document's distances: curves, threshold, boundaries and gold marks.

Everything here is a pure function from numbers and a palette to a plain Plotly figure (a ``dict`` that holds NumPy
arrays). Nothing is validated by ``plotly.graph_objects`` on the way, because that costs more than the whole rest of
an update; :func:`to_figure` does it for downloads and tests.

The horizontal axis counts gaps from 1, as people do: gap ``i`` of the arrays stands at ``i + 1``.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from chunking.chunks import Driver
from chunking.errors import ChunkscopeError
from chunking.installation import optional
from chunking.runtime.arrays import AnyFloats, AnyInts, Int64

if TYPE_CHECKING:
    import plotly.graph_objects as go


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

_DENSE = 500
"""Gaps above which a strong line would fill the picture."""

TICK_FORMAT = ",~f"
"""Of numbers on an axis, as Plotly writes them: as many decimals as they need, so that no two ticks look the same."""

HEIGHT = 300
"""Height of the figure in pixels."""


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
    both="#bda2ff",
    limit="#a3adbd",
    fused="#f0f3f8",
    threshold="#f283dd",
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

    def __post_init__(self) -> None:
        named = {name: getattr(self, name) for name in ("semantic", "structural", "fused", "score")}
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
        for name in ("boundaries", "gold", "suppressed"):
            gaps = getattr(self, name)
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
    traces: list[dict[str, Any]] = []
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
    return {"data": traces, "layout": _layout(curves, palette, selected)}


def to_figure(curves: Curves, *, palette: Palette, selected: int | None = None) -> go.Figure:
    """Return the same picture as a validated ``plotly.graph_objects.Figure``, for downloads and tests."""
    # Costs half a second: only where a figure object is wanted.
    objects = optional("plotly.graph_objects", "evaluation", "A figure")
    return objects.Figure(curve_figure(curves, palette=palette, selected=selected))


def selection_shape(gap: int, palette: Palette) -> dict[str, Any]:
    """Return the vertical line that marks a chosen gap, as a Plotly layout shape."""
    return {
        "type": "line",
        "name": "selected",
        "xref": "x",
        "yref": "paper",
        "x0": gap + 1,
        "x1": gap + 1,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"color": palette.selected, "width": 1.5},
    }


def full_range(n_gaps: int) -> tuple[float, float]:
    """Return the horizontal range that shows every gap."""
    return 0.5, max(n_gaps, 1) + 0.5


def score_range(curves: Curves) -> tuple[float, float]:
    """Return the vertical range: 0 to 1 with margins, wider where a curve or the threshold leaves it.

    Of the curves only the semantic one can, and it does not move with α or the threshold: the picture does not jump.
    """
    low, high = 0.0, max(1.0, float(curves.semantic.max(initial=0.0)))
    if curves.scored_apart:
        finite = curves.score[np.isfinite(curves.score)]
        low = min(low, float(finite.min(initial=0.0)))
        high = max(high, float(finite.max(initial=1.0)))
    if np.isfinite(curves.threshold):
        low, high = min(low, curves.threshold), max(high, curves.threshold)
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _line(
    name: str, values: AnyFloats, color: str, *, width: float, opacity: float, rank: int, title: str = ""
) -> dict[str, Any]:
    title = _plain(title or name)
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
    return {
        "type": "scatter",
        "mode": "lines",
        "uid": "threshold",
        "name": _plain(": ".join(filter(None, (curves.threshold_title, curves.threshold_label)))),
        "legendrank": 5,
        "x": list(full_range(curves.n_gaps)),
        "y": [curves.threshold, curves.threshold],
        "line": {"color": palette.threshold, "width": 1.6, "dash": "dash"},
        "hoverinfo": "skip",
    }


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
        "name": _plain(curves.suppressed_title),
        "legendrank": 15,
        "x": curves.suppressed + 1,
        "y": curves.fused[curves.suppressed],
        "marker": {"symbol": "circle-open", "size": 8, "color": palette.muted, "line": {"width": 1.6}},
        "hovertemplate": f"gap %{{x}}: above the threshold, {_plain(curves.suppressed_title)}<extra></extra>",
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
                "hovertemplate": f"gap %{{x}}: {DRIVER_TITLES[driver]}, {_plain(curves.main_title)} %{{y:.3f}}"
                "<extra></extra>",
            }
        )
    return traces


def _layout(curves: Curves, palette: Palette, selected: int | None) -> dict[str, Any]:
    has_gold = bool(len(curves.gold))
    start, end = full_range(curves.n_gaps)
    low, high = score_range(curves)
    axis = {
        "zeroline": False,
        "gridcolor": palette.grid,
        "linecolor": palette.grid,
        "tickfont": {"color": palette.muted, "size": 11},
    }
    layout: dict[str, Any] = {
        "height": HEIGHT,
        "margin": {"l": 46, "r": 48, "t": 34, "b": 40},
        "paper_bgcolor": palette.surface,
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": palette.text, "size": 12},
        "hovermode": "x",
        "dragmode": "zoom",
        "selectionrevision": "fixed",
        "uirevision": "fixed",
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.02,
            "yanchor": "bottom",
            "font": {"color": palette.text, "size": 12},
            "bgcolor": "rgba(0,0,0,0)",
            "itemwidth": 30,
            "entrywidth": 0,
        },
        "xaxis": {
            **axis,
            "range": [start, end],
            "minallowed": start,
            "maxallowed": end,
            "showgrid": False,
            "ticks": "outside",
            "ticklen": 4,
            "tickcolor": palette.grid,
            "tickformat": TICK_FORMAT,
            "anchor": "y2" if has_gold else "y",
            "title": {"text": "gap", "font": {"color": palette.muted, "size": 11}, "standoff": 4},
        },
        "yaxis": {
            **axis,
            "range": [low, high],
            "fixedrange": True,
            "domain": [0.09, 1.0] if has_gold else [0.0, 1.0],
            "nticks": 6,
            "title": {"text": "distance", "font": {"color": palette.muted, "size": 11}, "standoff": 6},
        },
        "shapes": [] if selected is None else [selection_shape(selected, palette)],
        "annotations": _annotations(curves, palette),
    }
    if has_gold:
        layout["yaxis2"] = {
            "domain": [0.0, 0.07],
            "range": [-1, 1],
            "fixedrange": True,
            "visible": False,
            "anchor": "x",
        }
    return layout


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
    return [
        {
            "name": "threshold",
            "text": f"{curves.threshold:.3f}",
            "xref": "paper",
            "x": 1,
            "xanchor": "left",
            "xshift": 3,
            "yref": "y",
            "y": curves.threshold,
            "yanchor": "middle",
            "showarrow": False,
            "borderpad": 0,
            "font": {"color": palette.threshold, "size": 12},
        }
    ]


def _plain(text: str) -> str:
    """Return Plotly reads some HTML in names and labels; a label is only words."""
    return html.escape(text, quote=False)
