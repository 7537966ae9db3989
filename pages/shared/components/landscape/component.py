"""The landscape in the browser: at each gap and α the percentile at which the gap becomes a boundary.

What the raster is painted from depends on the curves alone. It travels once, by :func:`raster_field`; a slider move
sends only the present setting and what it cuts, and the browser colours the raster anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import numpy as np
import numpy.typing as npt

from chunking.figures.theme import TICK_FORMAT
from chunking.runtime.arrays import AnyFloats, AnyInts
from pages.shared.components.base import (
    Callback,
    Float32s,
    Int32s,
    chosen,
    component,
    ignore,
    pack,
    reported,
    reported_view,
)
from pages.shared.components.live import Live, LiveCurves, send
from pages.shared.components.plotly_js import plotly_path
from pages.shared.components.raster import (
    SCALES,
    RasterBody,
    RasterHead,
    RasterScales,
    legend_mark,
    raster_layout,
    share,
)

HEIGHT = 390
"""Of the figure, in pixels."""


class LandscapeField(TypedDict):
    """How many gaps have a smaller distance, at each α and gap; two bytes each unless ``wide``."""

    smaller: Annotated[npt.NDArray[Any], "Uint8Array | Int32Array"]
    wide: bool


class LandscapeBody(RasterBody):
    """What the landscape draws."""

    gaps: int
    alpha: float
    percentile: float
    cuts: Int32s
    gold: Int32s
    plateau: tuple[float, float]
    changes: Float32s
    live: Live | None


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
    cuts: AnyInts
    gold: AnyInts
    plateau: tuple[float, float]
    changes: AnyFloats
    until: float = 1.0


# Looks like the curve chart, whose style sheet it shares, and stands in the page itself for the same reason.
_landscape = component(
    "chunkscope_landscape",
    __file__,
    "landscape.js",
    "../plotly_js/chart.css",
    "../raster/raster.css",
    isolate_styles=False,
)


def landscape_field(smaller: AnyInts) -> LandscapeField:
    """Return the data that the landscape is painted from.

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
    live: LiveCurves | None = None,
    on_event: Callback | None = None,
) -> LandscapeEvent:
    """Draw the landscape with the current setting. Zoom and pan survive calls with the same document.

    Args:
        key: Streamlit key of the element.
        document: key given to :func:`pages.shared.components.document_store`.
        field: name given to :func:`raster_field`.
        shape: rows and gaps of that field.
        present: the setting.
        selected: the chosen gap; a choice the user made meanwhile in the browser wins until Python confirms it.
        view: range to show when the picture appears or its document changes; later values are ignored.
        live: lets the picture follow controls while they are moved.
        on_event: called before the script runs when the user took a cell or zoomed; read :func:`landscape_event` in it.

    Returns:
        What the user did; the same as :func:`landscape_event`.
    """
    callback = on_event or ignore
    sent = send(key, live) if live else None
    data = _message(document, field, shape, present, selected, view, plotly_path(), sent)
    _landscape(key=key, data=data, on_take_change=callback, on_view_change=callback)
    return landscape_event(key, document, view=view)


def landscape_event(key: str, document: str, *, view: tuple[float, float] | None = None) -> LandscapeEvent:
    """Return the last action on the landscape; it can be called before it is drawn in this run.

    Args:
        key, document: as given to :func:`landscape_chart`.
        view: the range it is opened with; it is the current one until the user changes it.
    """
    view = reported_view(key, document, view)
    taken = reported(key, "take", document)
    gap, cleared = chosen(taken, "gap")
    alpha = share(taken.get("alpha")) if taken and gap is not None else None
    return LandscapeEvent(cleared=cleared, view=view) if alpha is None else LandscapeEvent(gap, alpha, view=view)


def _message(
    document: str,
    field: str,
    shape: tuple[int, int],
    present: Present,
    selected: int | None,
    view: tuple[float, float] | None,
    plotly: str,
    live: Live | None = None,
) -> bytes:
    rows, gaps = shape
    marks = [legend_mark("threshold", "stick", "current cut", "cut"), legend_mark("threshold", "bar", "current α", "α")]
    marks += [legend_mark("threshold", "dots", "same boundaries", "plateau")]
    marks += [legend_mark("muted", "notch", _changes_label(present))]
    if len(present.gold):
        marks.append(legend_mark("gold", "stick", "reference", "reference"))
    marks.append(legend_mark("muted", "none", "without size limits"))
    body: LandscapeBody = {
        "figure": {"layout": raster_layout("gap", (0.5, max(gaps, 1) + 0.5), TICK_FORMAT, HEIGHT, strips=True)},
        "field": field,
        "rows": rows,
        "gaps": gaps,
        "alpha": present.alpha,
        "percentile": present.percentile,
        "cuts": present.cuts,
        "gold": present.gold,
        "plateau": present.plateau,
        "changes": present.changes,
        "live": live,
        "marks": marks,
        "scales": {"light": _scales("light"), "dark": _scales("dark")},
    }
    head: RasterHead = {
        "document": document,
        "selected": selected,
        "view": view,
        "plotly": plotly,
    }
    return pack(head, body)


def _scales(theme: str) -> RasterScales:
    return {"strong": SCALES[theme]["strong"], "quiet": SCALES[theme]["quiet"]}


def _changes_label(present: Present) -> str:
    differs = "differs by one boundary"
    return differs if present.until >= 1 else f"{differs} (known up to α {present.until:.2f})"
