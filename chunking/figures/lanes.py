"""The picture of many strategies on one document: a lane each, like the tracks of a genome browser.

From top to bottom on one horizontal axis: the fused distance with its threshold, a ribbon that shows how many lanes
cut at a place, and a row a lane with a stroke at every boundary. All is a pure function from numbers and a palette to
a plain Plotly figure, as in :mod:`chunking.figures.plots`.

A position is the number of units (sentences, characters or tokens) that stand before a place, from 0 to the length of
the document. In sentences, gap ``i`` stands at ``i + 1``, as people count; a cut inside a sentence has a fraction.

Thousands of strokes are no traces, of which Plotly draws an SVG element a point, but :class:`Marks`: each group is one
path. :func:`lanes_figure` holds all of them; a page that can thin them out takes :func:`lanes_frame` and
:func:`lanes_marks` apart.
"""

from __future__ import annotations

import html
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.figures.plots import TICK_FORMAT, Palette
from chunking.installation import optional
from chunking.runtime.arrays import Float64, Int8, Int64

if TYPE_CHECKING:
    import plotly.graph_objects as go


Unit = Literal["sentences", "characters", "tokens"]
UNITS: tuple[Unit, ...] = get_args(Unit)

Kind = Literal["strategy", "gold", "peer", "yours"]
KINDS: tuple[Kind, ...] = get_args(Kind)

CHANGES = ("same", "appeared", "moved", "gone")
"""What a change of the setting did to a boundary, by code. A boundary that is gone is the ghost of one that the setting
before had."""

GONE = CHANGES.index("gone")


@dataclass(frozen=True)
class StrokeStyle:
    """The look of a group of strokes; colour never carries the meaning alone.

    Attributes:
        title: in the legend.
        role: its colour, a role of :class:`chunking.figures.plots.Palette`.
        width: of a stroke in pixels, where strokes are dense.
        dash: Plotly's name of the dashing.
        reach: half the height of a stroke; a row is 1 high.
    """

    title: str
    role: str
    width: int
    dash: str
    reach: float


STYLES: Mapping[str, StrokeStyle] = MappingProxyType(
    {
        "strategy": StrokeStyle("boundary", "fused", 1, "solid", 0.32),
        "gold": StrokeStyle("gold", "gold", 2, "solid", 0.40),
        "peer": StrokeStyle("another library", "limit", 1, "solid", 0.32),
        "yours": StrokeStyle("your chunks", "both", 1, "solid", 0.32),
        "gone": StrokeStyle("gone", "threshold", 2, "1px,2px", 0.36),
        "moved": StrokeStyle("moved", "structural", 2, "4px,2px", 0.42),
        "appeared": StrokeStyle("appeared", "semantic", 2, "solid", 0.44),
    }
)
"""The look of a boundary: by its lane's kind where it is the same as before, else by what changed. Later ones lie above
earlier ones."""

TINT = "48"
"""Opacity of an area's tint, as the last two digits of a hexadecimal colour."""

LEVELS = 5
"""Steps of the ribbon's height and darkness."""

CURVE_PX, RIBBON_PX, ROW_PX, SPACE_PX = 104, 24, 22, 8
MARGIN_TOP, MARGIN_RIGHT, MARGIN_BOTTOM = 34, 48, 40
_LABEL_PX = (54, 190)  # the narrowest and the widest that the labels' margin may become
_LABEL_GAP = 14

_DENSE = 500
"""Gaps above which a strong line would fill the picture."""


def _none() -> Float64:
    return np.empty((0, 2), dtype=np.float64)


def _no_sizes() -> Int64:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Lane:
    """The boundaries of one strategy under one setting.

    Attributes:
        title: what to call it; any text.
        x: ``(n,)`` float64, positions of the boundaries, ascending. The ends of the document are none.
        offset: ``(n,)`` int64, the character offset of each, ascending.
        reason: why each is there, in words.
        change: ``(n,)`` int8, codes of :data:`CHANGES`.
        kind: of :data:`KINDS`: one of Chunkscope's own, boundaries that a person set, another library's, or a file's.
        lost: ``(k, 2)`` float64, stretches of the axis whose text no chunk holds.
        tokens: int64, tokens of each chunk in order, one more than there are boundaries that are not gone; empty where
            that is not known.

    Raises:
        ChunkscopeError: lengths disagree, an order is broken, or a code or kind is unknown.
    """

    title: str
    x: Float64
    offset: Int64
    reason: tuple[str, ...]
    change: Int8
    kind: Kind = "strategy"
    lost: Float64 = field(default_factory=_none)
    tokens: Int64 = field(default_factory=_no_sizes)

    def __post_init__(self) -> None:
        lengths = {name: len(getattr(self, name)) for name in ("x", "offset", "reason", "change")}
        if len(set(lengths.values())) > 1:
            raise self._refusal(
                f"has columns of different lengths: {lengths}", "Give each column one value per boundary."
            )
        if self.kind not in KINDS:
            raise self._refusal(f"has an unknown kind {self.kind!r:.40}", f"Use one of {', '.join(KINDS)}.")
        if len(self.change) and not (int(self.change.min()) >= 0 and int(self.change.max()) < len(CHANGES)):
            raise self._refusal("has an unknown change", f"Codes are 0 to {len(CHANGES) - 1}: {', '.join(CHANGES)}.")
        for name in ("x", "offset"):
            if not _ascends(getattr(self, name)):
                raise self._refusal(f"has unsorted {name}", "Sort its boundaries by their place.")
        if self.lost.ndim != 2 or self.lost.shape[1] != 2 or not bool((self.lost[:, 0] <= self.lost[:, 1]).all()):
            raise self._refusal("has an invalid lost span", "Give each span its start and its end.")
        if len(self.tokens) not in (0, self.n_chunks):
            raise self._refusal(
                f"has {self.n_chunks} chunks and {len(self.tokens)} sizes", "Give one size per chunk, or none at all."
            )

    @property
    def n_chunks(self) -> int:
        """Stretches between boundaries; those that are gone do not count."""
        return int(np.count_nonzero(self.change != GONE)) + 1

    def _refusal(self, problem: str, remedy: str) -> ChunkscopeError:
        return ChunkscopeError(f"The lane {self.title!r:.60} {problem}.", remedy)


@dataclass(frozen=True, eq=False)
class Lanes:
    """The data of the figure.

    Attributes:
        lanes: from top to bottom.
        unit: what the axis counts, of :data:`UNITS`.
        length: of the document, in that unit.
        end: of the document, a character offset.
        curve_x: ``(n_gaps,)`` float64, positions of the gaps, ascending.
        curve_offset: ``(n_gaps,)`` int64, where each cuts the text. Between gaps an offset is found by interpolation.
        fused: ``(n_gaps,)`` float64, the fused distance; empty where there is none.
        threshold: of the fused distance; NaN where the rule has none.
        consensus_x: ``(n_places,)`` float64, places where lanes cut, ascending; empty for no ribbon.
        consensus: ``(n_places,)`` float64, the share of lanes that cut there, 0 to 1.

    Raises:
        ChunkscopeError: lengths disagree, an order is broken, or a place lies outside the document.
    """

    lanes: tuple[Lane, ...]
    unit: Unit
    length: float
    end: int
    curve_x: Float64
    curve_offset: Int64
    fused: Float64
    threshold: float
    consensus_x: Float64
    consensus: Float64

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ChunkscopeError(f"Unknown unit {self.unit!r:.40}.", f"Use one of {', '.join(UNITS)}.")
        if not (np.isfinite(self.length) and self.length >= 0 and self.end >= 0):
            raise ChunkscopeError("The length of the document is invalid.", "Give a number that is not negative.")
        if len(self.curve_x) != len(self.curve_offset) or len(self.fused) not in (0, len(self.curve_x)):
            raise ChunkscopeError("The curve's columns have different lengths.", "Give each one value per gap.")
        if len(self.consensus_x) != len(self.consensus):
            raise ChunkscopeError("The ribbon's columns have different lengths.", "Give each place one share.")
        if len(self.consensus) and not (self.consensus.min() >= 0 and self.consensus.max() <= 1):
            raise ChunkscopeError(
                "A share of lanes is not between 0 and 1.", "Divide the count by the number of lanes."
            )
        for name, values, last in self._places():
            if not _ascends(values):
                raise ChunkscopeError(f"{name} are not sorted.", "Sort them in ascending order.")
            if len(values) and not (values[0] >= 0 and values[-1] <= last):
                raise ChunkscopeError(f"{name} lie outside the document.", f"Give values from 0 to {last:g}.")

    def _places(self) -> list[tuple[str, Float64 | Int64, float]]:
        places: list[tuple[str, Float64 | Int64, float]] = [
            ("The positions of the gaps", self.curve_x, self.length),
            ("The offsets of the gaps", self.curve_offset, self.end),
            ("The places of the ribbon", self.consensus_x, self.length),
        ]
        for lane in self.lanes:
            places.append((f"The boundaries of {lane.title!r:.60}", lane.x, self.length))
            places.append((f"The offsets of {lane.title!r:.60}", lane.offset, self.end))
            stretches = np.array([lane.lost.min(), lane.lost.max()]) if lane.lost.size else lane.lost[:, 0]
            places.append((f"The lost stretches of {lane.title!r:.60}", stretches, self.length))
        return places

    def position(self, offset: float) -> float:
        """Return the position of a character offset on the axis."""
        return float(np.interp(offset, [0, *self.curve_offset, self.end], [0, *self.curve_x, self.length]))

    def offset(self, position: float) -> float:
        """Return the character offset of a position, with a fraction where it falls between two characters."""
        return float(np.interp(position, [0, *self.curve_x, self.length], [0, *self.curve_offset, self.end]))


@dataclass(frozen=True, eq=False)
class Marks:
    """Strokes of one look, or stretches, on one of the vertical axes.

    Attributes:
        uid: names it.
        group: what is shown and hidden together.
        title: of the group, in the legend.
        axis: ``"y2"`` for the ribbon, ``"y3"`` for the rows.
        x: ``(n,)`` float64, positions; they ascend within a row.
        until: ``(n,)`` float64, where a stretch that begins at ``x`` ends; ``None`` for strokes.
        row: ``(n,)`` int64, the row each stands in; rows do not descend.
        low, high: what each spans, added to its row.
        color, width, dash, opacity: of the line; the area of a stretch is a tint of it.
    """

    uid: str
    group: str
    title: str
    axis: str
    x: Float64
    until: Float64 | None
    row: Int64
    low: float
    high: float
    color: str
    width: int
    dash: str = "solid"
    opacity: float = 1.0


def consensus(lanes: Sequence[Lane]) -> tuple[Float64, Float64]:
    """Return the places where lanes cut, and the share of lanes that do.

    Gold is no lane that votes, and a boundary that is gone no longer counts. Lanes agree where they cut at the very
    same character.

    Returns:
        Positions and shares, both ``(n_places,)`` float64, the positions ascending.
    """
    voting = [(lane, lane.change != GONE) for lane in lanes if lane.kind != "gold"]
    if not voting:
        return np.empty(0), np.empty(0)
    # Each once a lane, whatever a lane repeats.
    once = [np.unique(lane.offset[held], return_index=True) for lane, held in voting]
    offsets = np.concatenate([found for found, _ in once])
    positions = np.concatenate([lane.x[held][at] for (lane, held), (_, at) in zip(voting, once, strict=True)])
    _, first, counts = np.unique(offsets, return_index=True, return_counts=True)
    return np.maximum.accumulate(positions[first]) if len(first) else positions, counts / len(voting)


def lanes_marks(lanes: Lanes, palette: Palette) -> tuple[Marks, ...]:
    """Return every stroke of the ribbon and of the rows, in the order in which they are drawn."""
    return (*_ribbon(lanes, palette), *_lost(lanes, palette), *_boundaries(lanes, palette))


def lanes_frame(lanes: Lanes, palette: Palette) -> dict[str, Any]:
    """Return the figure without its marks: axes, labels, the curve and its threshold.

    Returns:
        ``{"data": […], "layout": {…}}``. The arrays are those of ``lanes``, not copies; each trace has a ``uid``.
    """
    traces = []
    if len(lanes.fused):
        traces.append(_curve(lanes, palette))
        if np.isfinite(lanes.threshold):
            traces.append(_threshold(lanes, palette))
    traces.extend(_carrier(axis) for axis in ("y2", "y3"))
    return {"data": traces, "layout": _layout(lanes, palette)}


def lanes_figure(lanes: Lanes, palette: Palette, *, selected: int | None = None) -> dict[str, Any]:
    """Return the whole picture as a plain Plotly figure, with words where the pointer rests.

    Args:
        lanes: what to show.
        palette: one of :data:`chunking.figures.plots.PALETTES`, or :data:`chunking.figures.plots.ROLES`.
        selected: character offset to mark with a vertical line.
    """
    figure = lanes_frame(lanes, palette)
    marks = lanes_marks(lanes, palette)
    shapes = [_shape(group) for group in marks]
    if selected is not None:
        shapes.append(place_shape(lanes.position(selected), palette))
    figure["layout"]["shapes"] = shapes
    figure["data"].extend((*lanes_legend(marks), *_words(lanes)))
    return figure


def lanes_legend(marks: Sequence[Marks]) -> list[dict[str, Any]]:
    """Return the traces that draw nothing but an entry of the legend for each group of the rows; the ribbon has a
    label.
    """
    groups = {of.group: of for of in marks if of.axis == "y3"}
    return [_entry(of, rank) for rank, of in enumerate(groups.values(), start=10)]


def to_figure(lanes: Lanes, palette: Palette, *, selected: int | None = None) -> go.Figure:
    """Return the same picture as a validated ``plotly.graph_objects.Figure``, for downloads and tests."""
    # Costs half a second: only where a figure object is wanted.
    objects = optional("plotly.graph_objects", "evaluation", "A figure")
    return objects.Figure(lanes_figure(lanes, palette, selected=selected))


def place_shape(position: float, palette: Palette) -> dict[str, Any]:
    """Return the vertical line through all rows that marks a chosen place, as a Plotly layout shape."""
    return {
        "type": "line",
        "name": "selected",
        "xref": "x",
        "yref": "paper",
        "x0": position,
        "x1": position,
        "y0": 0,
        "y1": 1,
        "layer": "above",
        "line": {"color": palette.selected, "width": 1.5},
    }


def full_range(lanes: Lanes) -> tuple[float, float]:
    """Return the horizontal range that shows the whole document."""
    return 0.0, max(lanes.length, 1.0)


def label(title: str, width: float) -> str:
    """Return a title on one line, cut with an ellipsis to at most ``width`` pixels.

    Widths are estimated for 12-pixel type, rather too wide than too narrow.
    """
    words = " ".join(title.split())
    if _text_width(words) <= width:
        return words
    room, kept = width - _char_width("…"), []
    for char in words:
        room -= _char_width(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept).rstrip() + "…"


def _text_width(text: str) -> float:
    return sum(map(_char_width, text))


def _char_width(char: str) -> float:
    if unicodedata.east_asian_width(char) in "WF":
        return 12.5
    if char in "mwMW@%…—":
        return 11.5
    if unicodedata.combining(char):
        return 0.0
    if char.isupper() or not char.isascii():
        return 8.7
    return 4.2 if char in "iljtf.,:;'|!()[] " else 7.0


def _ascends(values: Float64 | Int64) -> bool:
    """Return whether every value is a number that is not below the one before."""
    return bool(np.isfinite(values).all()) and bool((values[1:] >= values[:-1]).all())


def _plain(text: str) -> str:
    """Return a label without the HTML that Plotly interprets."""
    return html.escape(text, quote=False)


def _boundaries(lanes: Lanes, palette: Palette) -> list[Marks]:
    looks = list(STYLES)
    rows = [np.full(len(lane.x), row, dtype=np.int64) for row, lane in enumerate(lanes.lanes)]
    look_of_change = np.array([-1, *(looks.index(change) for change in CHANGES[1:])])
    codes = [np.where(lane.change == 0, looks.index(lane.kind), look_of_change[lane.change]) for lane in lanes.lanes]
    if not rows:
        return []
    x, row, code = np.concatenate([lane.x for lane in lanes.lanes]), np.concatenate(rows), np.concatenate(codes)
    found = []
    for at, (name, style) in enumerate(STYLES.items()):
        here = code == at
        if here.any():
            found.append(
                Marks(
                    uid=name,
                    group=name,
                    title=style.title,
                    axis="y3",
                    x=x[here],
                    until=None,
                    row=row[here],
                    low=-style.reach,
                    high=style.reach,
                    color=getattr(palette, style.role),
                    width=style.width,
                    dash=style.dash,
                )
            )
    return found


def _lost(lanes: Lanes, palette: Palette) -> list[Marks]:
    counts = [len(lane.lost) for lane in lanes.lanes]
    if not sum(counts):
        return []
    stretches = np.concatenate([lane.lost[np.argsort(lane.lost[:, 0], kind="stable")] for lane in lanes.lanes])
    return [
        Marks(
            uid="lost",
            group="lost",
            title="text in no chunk",
            axis="y3",
            x=stretches[:, 0].copy(),
            until=stretches[:, 1].copy(),
            row=np.repeat(np.arange(len(counts)), counts),
            low=-0.46,
            high=0.46,
            color=palette.selected,
            width=1,
        )
    ]


def _ribbon(lanes: Lanes, palette: Palette) -> list[Marks]:
    level = np.ceil(lanes.consensus * LEVELS - 1e-9).astype(np.int64)
    found = []
    for step in range(1, LEVELS + 1):
        here = level == step
        if here.any():
            found.append(
                Marks(
                    uid=f"consensus-{step}",
                    group="consensus",
                    title="consensus",
                    axis="y2",
                    x=lanes.consensus_x[here],
                    until=None,
                    row=np.zeros(int(here.sum()), dtype=np.int64),
                    low=0.0,
                    high=0.2 + 0.8 * step / LEVELS,
                    color=palette.text,
                    width=2,
                    opacity=round(0.1 + 0.9 * step / LEVELS, 2),
                )
            )
    return found


def _entry(marks: Marks, rank: int) -> dict[str, Any]:
    line = {"color": marks.color, "width": marks.width + 1}
    stroke = {"symbol": "line-ns", "size": 13, "color": marks.color, "line": line}
    area = {"symbol": "square", "size": 11, "color": marks.color + TINT, "line": {"color": marks.color, "width": 1}}
    return {
        "type": "scatter",
        "mode": "markers",
        "uid": f"legend-{marks.group}",
        "name": marks.title,
        "legendrank": rank,
        "x": [None],
        "y": [None],
        "yaxis": marks.axis,
        "hoverinfo": "skip",
        "marker": stroke if marks.until is None else area,
    }


def _shape(marks: Marks) -> dict[str, Any]:
    """Return marks as one layout shape."""
    rows = marks.row.tolist()
    if marks.until is None:
        path = "".join(
            f"M{x:.10g},{row + marks.low:g}V{row + marks.high:g}" for x, row in zip(marks.x.tolist(), rows, strict=True)
        )
    else:
        path = "".join(
            f"M{start:.10g},{row + marks.low:g}V{row + marks.high:g}H{end:.10g}V{row + marks.low:g}Z"
            for start, end, row in zip(marks.x.tolist(), marks.until.tolist(), rows, strict=True)
        )
    return {
        "type": "path",
        "name": marks.uid,
        "path": path,
        "xref": "x",
        "yref": marks.axis,
        "layer": "above",
        "opacity": marks.opacity,
        "fillcolor": "rgba(0,0,0,0)" if marks.until is None else marks.color + TINT,
        "line": {"color": marks.color, "width": marks.width, "dash": marks.dash},
    }


def _words(lanes: Lanes) -> list[dict[str, Any]]:
    """Return invisible traces with the hover text."""
    traces = [
        _telling(lane.title, lane.x, row, [_says(lane, at, lanes.unit) for at in range(len(lane.x))])
        for row, lane in enumerate(lanes.lanes)
    ]
    shares = [f"{share:.0%} of the lanes cut here" for share in lanes.consensus.tolist()]
    return [*traces, _telling("consensus", lanes.consensus_x, 0, shares, axis="y2", height=0.5)]


def _says(lane: Lane, at: int, unit: Unit) -> str:
    change = CHANGES[lane.change[at]]
    parts = [f"<b>{_plain(lane.title)}</b>", f"{unit} before: {lane.x[at]:,.10g}"]
    if change != "same":
        parts.append(change)
    if lane.reason[at]:
        parts.append(_plain(lane.reason[at]))
    if len(lane.tokens) and change != "gone":
        chunk = int(np.count_nonzero(lane.change[:at] != GONE))
        parts.append(f"tokens before and after: {lane.tokens[chunk]:,} and {lane.tokens[chunk + 1]:,}")
    return "<br>".join(parts)


def _telling(
    name: str, x: Float64, row: int, words: list[str], *, axis: str = "y3", height: float = 0.0
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "none",
        "uid": f"words-{axis}-{row}",
        "name": _plain(name),
        "showlegend": False,
        "x": x,
        "y": np.full(len(x), row + height),
        "yaxis": axis,
        "hoverinfo": "text",
        "hovertext": words,
    }


def _curve(lanes: Lanes, palette: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "uid": "fused",
        "name": "fused",
        "legendrank": 1,
        "x": lanes.curve_x,
        "y": lanes.fused,
        "line": {"color": palette.fused, "width": 1.6 if len(lanes.fused) <= _DENSE else 1.1},
        "hovertemplate": f"{lanes.unit} before: %{{x}}<br>fused %{{y:.3f}}<extra></extra>",
    }


def _threshold(lanes: Lanes, palette: Palette) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "uid": "threshold",
        "name": "threshold",
        "legendrank": 2,
        "x": list(full_range(lanes)),
        "y": [lanes.threshold, lanes.threshold],
        "line": {"color": palette.threshold, "width": 1.6, "dash": "dash"},
        "hoverinfo": "skip",
    }


def _carrier(axis: str) -> dict[str, Any]:
    """Return a trace without points: Plotly draws an axis only where a trace stands on it."""
    return {
        "type": "scatter",
        "mode": "none",
        "uid": f"carrier-{axis}",
        "x": [None],
        "y": [None],
        "yaxis": axis,
        "showlegend": False,
        "hoverinfo": "skip",
    }


@dataclass(frozen=True)
class _Bands:
    """Heights in pixels of curve, ribbon and rows, from top to bottom, and the spaces between."""

    curve: int
    ribbon: int
    rows: int

    @classmethod
    def of(cls, lanes: Lanes) -> _Bands:
        ribbon = RIBBON_PX if len(lanes.consensus_x) else 0
        rows = ROW_PX * len(lanes.lanes)
        return cls(CURVE_PX if len(lanes.fused) or not (ribbon or rows) else 0, ribbon, rows)

    @property
    def total(self) -> int:
        heights = [height for height in (self.curve, self.ribbon, self.rows) if height]
        return sum(heights) + SPACE_PX * (len(heights) - 1)

    def domains(self) -> tuple[list[float], list[float], list[float]]:
        """Return the vertical domain of each; of one that is not there, an empty stretch at the top."""
        top, found = float(self.total), []
        for height in (self.curve, self.ribbon, self.rows):
            found.append([max(0.0, (top - height) / self.total), top / self.total] if height else [1.0, 1.0])
            top -= height + SPACE_PX if height else 0
        return found[0], found[1], found[2]


def _layout(lanes: Lanes, palette: Palette) -> dict[str, Any]:
    bands = _Bands.of(lanes)
    curve, ribbon, rows = bands.domains()
    low, high = score_range(lanes)
    widest = max((_text_width(" ".join(lane.title.split())) for lane in lanes.lanes), default=0.0)
    left = round(float(np.clip(widest + _LABEL_GAP, *_LABEL_PX)))
    if bands.ribbon:
        left = max(left, 84)  # the ribbon's own label
    start, end = full_range(lanes)
    axis = {
        "zeroline": False,
        "gridcolor": palette.grid,
        "linecolor": palette.grid,
        "tickfont": {"color": palette.muted, "size": 11},
    }
    fixed = {**axis, "fixedrange": True, "anchor": "x"}
    names = {**fixed, "tickfont": {"color": palette.text, "size": 12}, "tickmode": "array", "ticks": ""}
    return {
        "height": bands.total + MARGIN_TOP + MARGIN_BOTTOM,
        "margin": {"l": left, "r": MARGIN_RIGHT, "t": MARGIN_TOP, "b": MARGIN_BOTTOM},
        "paper_bgcolor": palette.surface,
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": palette.text, "size": 12},
        "hovermode": "closest",
        "dragmode": "zoom",
        "uirevision": "fixed",
        "showlegend": True,
        "legend": {
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.0,
            "yanchor": "bottom",
            "font": {"color": palette.text, "size": 12},
            "bgcolor": "rgba(0,0,0,0)",
            "itemclick": False,  # what is drawn as shapes cannot be hidden by it
            "itemdoubleclick": False,
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
            "anchor": "y3" if bands.rows else "y2" if bands.ribbon else "y",
            "title": {"text": lanes.unit, "font": {"color": palette.muted, "size": 11}, "standoff": 4},
        },
        "yaxis": {
            **fixed,
            "visible": bool(bands.curve),
            "domain": curve,
            "range": [low, high],
            "nticks": 4,
            "title": {"text": "fused", "font": {"color": palette.muted, "size": 11}, "standoff": 6},
        },
        "yaxis2": {
            **names,
            "visible": bool(bands.ribbon),
            "domain": ribbon,
            "range": [0, 1],
            "showgrid": False,
            "zeroline": True,
            "zerolinecolor": palette.grid,
            "zerolinewidth": 1,
            "tickvals": [0.5],
            "ticktext": ["consensus"],
            "tickfont": {"color": palette.muted, "size": 11},
        },
        "yaxis3": {
            **names,
            "visible": bool(bands.rows),
            "domain": rows,
            "range": [max(len(lanes.lanes), 1) - 0.5, -0.5],
            "tickvals": list(range(len(lanes.lanes))),
            "ticktext": [_plain(label(lane.title, left - _LABEL_GAP)) for lane in lanes.lanes],
        },
        "shapes": [],
        "annotations": _annotations(lanes, palette),
    }


def score_range(lanes: Lanes) -> tuple[float, float]:
    """Return the vertical range of the curve: 0 to 1 with margins, wider where the curve or the threshold leaves it."""
    finite = lanes.fused[np.isfinite(lanes.fused)]
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=1.0))
    if len(lanes.fused) and np.isfinite(lanes.threshold):
        low, high = min(low, lanes.threshold), max(high, lanes.threshold)
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _annotations(lanes: Lanes, palette: Palette) -> list[dict[str, Any]]:
    if not len(lanes.fused) or not np.isfinite(lanes.threshold):
        return []
    return [
        {
            "name": "threshold",
            "text": f"{lanes.threshold:.3f}",
            "xref": "paper",
            "x": 1,
            "xanchor": "left",
            "xshift": 3,
            "yref": "y",
            "y": lanes.threshold,
            "yanchor": "middle",
            "showarrow": False,
            "borderpad": 0,
            "font": {"color": palette.threshold, "size": 12},
        }
    ]
