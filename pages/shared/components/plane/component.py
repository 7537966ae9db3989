"""The plane of settings in the browser: one value for each α and percentile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from chunking.runtime.arrays import AnyFloats, Bools, UInt8
from chunking.tuning.plane import SettingMap
from pages.shared.components.base import Bytes, Callback, Float32s, component, ignore, pack, reported
from pages.shared.components.plotly_js import plotly_path
from pages.shared.components.raster import SCALES, STEPS, RasterBody, RasterHead, legend_mark, raster_layout, share

HEIGHT = 330
"""Of the figure, in pixels."""


class ScaleTick(TypedDict):
    """A label at a place of the colour scale, 0 to 1."""

    at: float
    label: str


class PlaneMap(TypedDict):
    """A map: its values, and the step of the colour scale for each."""

    title: str
    digits: int
    values: Float32s
    shades: Bytes
    ticks: list[ScaleTick]


class PlaneField(TypedDict):
    """What the plane is painted from; the region is 1 where a setting is outlined."""

    maps: list[PlaneMap]
    region: Bytes | None


class PlanePlateau(TypedDict):
    """From and to which α and percentile no boundary changes."""

    alpha: tuple[float, float]
    percentile: tuple[float, float]


class PlaneBody(RasterBody):
    """What the plane draws."""

    map: int
    first: float
    step: float
    percentiles: int
    alpha: float
    percentile: float
    plateau: PlanePlateau
    best: tuple[float, float] | None


@dataclass(frozen=True)
class PlaneEvent:
    """The setting that a user just took; ``None`` in every run that was not caused by that."""

    alpha: float | None = None
    percentile: float | None = None


@dataclass(frozen=True)
class Point:
    """A setting on the plane.

    Attributes:
        alpha, percentile: the setting.
        plateau: from and to which α, and from and to which percentile, no boundary changes.
    """

    alpha: float
    percentile: float
    plateau: tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class PlaneView:
    """What is shown of a plane.

    Attributes:
        map: which map of the field.
        percentiles: ``(columns,)`` even steps.
        rows: steps of α from 0 to 1.
        point: the present setting.
        best: α and percentile to mark.
        region: whether the field has a region, for the legend.
    """

    map: int
    percentiles: AnyFloats
    rows: int
    point: Point
    best: tuple[float, float] | None = None
    region: bool = False


_plane = component(
    "chunkscope_plane", __file__, "plane.js", "../plotly_js/chart.css", "../raster/raster.css", isolate_styles=False
)


def plane_field(maps: Sequence[SettingMap], region: Bools | None) -> PlaneField:
    """Return the data that the plane is painted from.

    Args:
        maps: the maps, all of one shape.
        region: of that shape, the settings to outline.
    """
    return {
        "maps": [_map(each) for each in maps],
        "region": None if region is None else region.astype(np.uint8),
    }


def _map(shown: SettingMap) -> PlaneMap:
    shades, ticks = _shades(shown)
    return {
        "title": shown.title,
        "digits": digits(shown),
        "values": shown.values.astype(np.float32),
        "shades": shades,
        "ticks": ticks,
    }


def digits(shown: SettingMap) -> int:
    """Digits after the point of a map's values."""
    return 0 if shown.kind in ("count", "size") else 3


def _shades(shown: SettingMap) -> tuple[UInt8, list[ScaleTick]]:
    """Step of the colour scale for each value, and the ticks of the scale: strong where much is, but for errors.

    Counts and sizes range over orders of magnitude, so equal factors are equal steps there.
    """
    logarithmic = shown.kind in ("count", "size")

    def bend(values: AnyFloats) -> AnyFloats:
        return np.log1p(values) if logarithmic else values

    known = shown.values[np.isfinite(shown.values)].astype(np.float64)
    if not known.size:
        return np.zeros(shown.values.shape, dtype=np.uint8), []
    low, high = known.min(), known.max()
    start, end = bend(np.array([low, high] if shown.kind != "error" else [high, low])).tolist()
    width = (end - start) or 1.0
    bent = np.nan_to_num(bend(shown.values.astype(np.float64)), nan=start)
    shades = np.clip((bent - start) / width * (STEPS - 1), 0, STEPS - 1).round().astype(np.uint8)
    places = np.linspace(0, 1, 5) if high > low else np.zeros(1)
    values = start + places * width
    values = np.expm1(values) if logarithmic else values
    labels: dict[str, float] = {}
    for place, value in zip(places.tolist(), values.tolist(), strict=True):
        labels.setdefault(f"{value:,.{min(digits(shown), 2)}f}", place)
    return shades, [{"at": place, "label": label} for label, place in labels.items()]


def plane_chart(
    key: str,
    document: str,
    field: str,
    plane: PlaneView,
    *,
    on_event: Callback | None = None,
) -> PlaneEvent:
    """Draw the plane with the current setting. Zoom and pan survive calls with the same document.

    Args:
        key: Streamlit key of the element.
        document: names what the plane is of.
        field: name given to :func:`pages.shared.components.landscape.raster_field`.
        plane: what to show of it.
        on_event: called before the script runs when the user took a setting; read :func:`plane_event` in it.

    Returns:
        What the user did; the same as :func:`plane_event`.
    """
    first, last = float(plane.percentiles[0]), float(plane.percentiles[-1])
    step = (last - first) / (len(plane.percentiles) - 1)
    marks = [legend_mark("threshold", "cross", "current")]
    marks.append(legend_mark("threshold", "frame", "same boundaries", "plateau"))
    if plane.best:
        marks.append(legend_mark("gold", "diamond", "best", "best setting"))
    if plane.region:
        marks.append(legend_mark("gold", "frame", "not significantly different", "significant"))
    body: PlaneBody = {
        "figure": {"layout": raster_layout("percentile", (first - step / 2, last + step / 2), "", HEIGHT)},
        "field": field,
        "map": plane.map,
        "first": first,
        "step": step,
        "rows": plane.rows,
        "percentiles": len(plane.percentiles),
        "alpha": plane.point.alpha,
        "percentile": plane.point.percentile,
        "plateau": {"alpha": plane.point.plateau[0], "percentile": plane.point.plateau[1]},
        "best": plane.best,
        "marks": marks,
        "scales": {"light": {"strong": SCALES["light"]["strong"]}, "dark": {"strong": SCALES["dark"]["strong"]}},
    }
    head: RasterHead = {"document": document, "selected": None, "view": None, "plotly": plotly_path()}
    _plane(key=key, data=pack(head, body), on_take_change=on_event or ignore)
    return plane_event(key, document)


def plane_event(key: str, document: str) -> PlaneEvent:
    """Return the last action on the plane; it can be called before it is drawn in this run."""
    taken = reported(key, "take", document)
    if taken is None:
        return PlaneEvent()
    alpha, percentile = share(taken.get("alpha")), taken.get("percentile")
    if alpha is None or not isinstance(percentile, int | float) or isinstance(percentile, bool):
        return PlaneEvent()
    return PlaneEvent(alpha, float(percentile)) if 0 <= percentile <= 100 else PlaneEvent()
