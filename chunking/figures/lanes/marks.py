"""Strokes and stretches of the lanes, each group one path, and their legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from chunking.figures.lanes.data import CHANGES, Lanes
from chunking.figures.theme import ENTRY_ROLES, Palette
from chunking.runtime.arrays import Float64, Int64


@dataclass(frozen=True)
class StrokeStyle:
    """The look of a group of strokes; colour never carries the meaning alone.

    Attributes:
        title: in the legend.
        role: its colour, a role of :class:`chunking.figures.theme.Palette`.
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
        "strategy": StrokeStyle("boundary", ENTRY_ROLES["strategy"], 1, "solid", 0.32),
        "gold": StrokeStyle("gold", ENTRY_ROLES["gold"], 2, "solid", 0.40),
        "peer": StrokeStyle("another library", ENTRY_ROLES["peer"], 1, "3px,2px", 0.32),
        "yours": StrokeStyle("your chunks", ENTRY_ROLES["yours"], 1, "solid", 0.32),
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


def lanes_marks(lanes: Lanes, palette: Palette) -> tuple[Marks, ...]:
    """Return every stroke of the ribbon and of the rows, in the order in which they are drawn."""
    return (*_ribbon(lanes, palette), *_lost(lanes, palette), *_boundaries(lanes, palette))


def lanes_legend(marks: Sequence[Marks]) -> list[dict[str, Any]]:
    """Return the traces that draw nothing but an entry of the legend for each group of the rows; the ribbon has a
    label.
    """
    groups = {of.group: of for of in marks if of.axis == "y3"}
    return [_entry(of, rank) for rank, of in enumerate(groups.values(), start=10)]


def _boundaries(lanes: Lanes, palette: Palette) -> list[Marks]:
    looks = list(STYLES)
    rows = [np.full(len(lane.x), row, dtype=np.int64) for row, lane in enumerate(lanes.lanes)]
    look_of_change = np.array([-1, *(looks.index(change) for change in CHANGES[1:])])
    codes = [np.where(lane.change == 0, looks.index(lane.kind), look_of_change[lane.change]) for lane in lanes.lanes]
    if not rows:
        return []
    x, row, code = np.concatenate([lane.x for lane in lanes.lanes]), np.concatenate(rows), np.concatenate(codes)
    found = []
    for at, name in enumerate(STYLES):
        here = code == at
        if here.any():
            found.append(boundary_marks(name, x[here], row[here], palette))
    return found


def boundary_marks(name: str, x: Float64, row: Int64, palette: Palette) -> Marks:
    """Return strokes of the rows in one of :data:`STYLES`, at ``x``, ``(n,)`` float64, in ``row``, ``(n,)`` int64."""
    style = STYLES[name]
    return Marks(
        uid=name,
        group=name,
        title=style.title,
        axis="y3",
        x=x,
        until=None,
        row=row,
        low=-style.reach,
        high=style.reach,
        color=getattr(palette, style.role),
        width=style.width,
        dash=style.dash,
    )


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


def ribbon_marks(step: int, x: Float64, palette: Palette) -> Marks:
    """Return the strokes of the ribbon at ``x``, ``(n,)`` float64, whose height is ``step`` of :data:`LEVELS`."""
    return Marks(
        uid=f"consensus-{step}",
        group="consensus",
        title="consensus",
        axis="y2",
        x=x,
        until=None,
        row=np.zeros(len(x), dtype=np.int64),
        low=0.0,
        high=0.2 + 0.8 * step / LEVELS,
        color=palette.text,
        width=2,
        opacity=round(0.1 + 0.9 * step / LEVELS, 2),
    )


def _ribbon(lanes: Lanes, palette: Palette) -> list[Marks]:
    level = np.ceil(lanes.consensus * LEVELS - 1e-9).astype(np.int64)
    steps = [step for step in range(1, LEVELS + 1) if (level == step).any()]
    return [ribbon_marks(step, lanes.consensus_x[level == step], palette) for step in steps]


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
