"""What a page needs of one segmentation, as plain data: its chunks, and all that explains a gap of its curves."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any, cast

import numpy as np

from chunking.chunks import Cut, SizeParameters, leaves
from chunking.curves.scales import TITLES
from chunking.curves.signals import Signals
from chunking.curves.thresholds import gradient
from chunking.evidence.weights import SCALES
from chunking.figures.theme import DRIVERS
from chunking.runtime.arrays import Float64
from chunking.standalone import ground
from chunking.standalone.packing import real, whole
from chunking.strategies import Segmentation, run
from chunking.strategies.changepoint import FINEST, ChangepointParameters
from chunking.strategies.reasons import words
from chunking.workspace import Workspace

Data = dict[str, Any]


def lane_data(workspace: Workspace, segmentation: Segmentation, title: str) -> Data:
    """Return the data of a segmentation; see ``lane.js`` for its reader."""
    signals, params = segmentation.signals, segmentation.params
    live = ground.is_live(workspace, segmentation)
    steps = _steps(workspace, segmentation)
    computed = live or bool(steps)
    return {
        "title": title,
        "controls": [asdict(each) for each in ground.controls(workspace, segmentation)],
        "setting": None if signals is None else ground.setting_values(params, segmentation.strategy),
        "ground": ground.packed_ground(workspace, cast(SizeParameters, params)) if computed else None,
        "curves": None if signals is None else _curves(signals),
        "steps": steps,
        "chunks": None if computed else _chunks(segmentation),
    }


def _chunks(segmentation: Segmentation) -> Data:
    """Return the chunks of a segmentation that the page cannot compute."""
    chunks = leaves(segmentation.chunks)
    return {
        "start": whole([chunk.start for chunk in chunks]),
        "end": whole([chunk.end for chunk in chunks]),
        "reach": whole([chunk.reach for chunk in chunks]),
        "tokens": whole([chunk.tokens for chunk in chunks]),
        "overlapTokens": whole([chunk.overlap_tokens for chunk in chunks]),
        "gap": whole([-1 if chunk.cut is None or chunk.cut.gap is None else chunk.cut.gap for chunk in chunks]),
        "driver": whole([_code(chunk.cut) for chunk in chunks]),
        "reason": [words(chunk.cut) for chunk in chunks],
        "notes": [list(chunk.notes) for chunk in chunks],
    }


def _code(cut: Cut | None) -> int:
    """Return the driver of a cut as its place among the drivers, −1 for none."""
    return DRIVERS.index(cut.driver) if cut and cut.driver else -1


def _curves(signals: Signals) -> Data:
    """Return the curves and what they are made of; the page adds α and the threshold where it can."""
    return {
        "semantic": real(signals.semantic, exact=True),
        "structural": real(signals.structural, exact=True) if signals.structure else None,
        "raw": real(signals.structural_raw) if signals.structure else None,
        "fused": real(signals.fused, exact=True),
        "score": real(signals.threshold.score, exact=True),
        "threshold": signals.threshold.value if np.isfinite(signals.threshold.value) else None,
        "range": value_range(signals),
        "ticks": value_ticks(signals),
        "features": _features(signals),
        "scales": _scales(signals),
        "probabilities": None if signals.probabilities is None else real(signals.probabilities),
    }


def value_range(signals: Signals) -> tuple[float, float]:
    """Return the lowest and the highest value of a chart that holds the curves at every α, with margins."""
    curves = [signals.semantic, signals.structural, signals.fused, signals.threshold.score]
    if signals.threshold.rule == "gradient":
        curves += [gradient(signals.semantic), gradient(signals.structural)]
    low = min(0.0, *(float(curve.min(initial=0.0)) for curve in curves))
    high = max(1.0, *(float(curve.max(initial=0.0)) for curve in curves))
    if np.isfinite(signals.threshold.value):
        low, high = min(low, signals.threshold.value), max(high, signals.threshold.value)
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def value_ticks(signals: Signals) -> list[float]:
    """Return the values that the chart has a line for, a quarter apart or more."""
    low, high = value_range(signals)
    step = 0.25 * max(1, round((high - low) / 1.1))
    return [step * number for number in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _features(signals: Signals) -> Data | None:
    structure = signals.structure
    if structure is None:
        return None
    # What a value of 1 adds: a distance and its share differ by a factor that is the same at every gap.
    factors = replace(structure, values=np.ones((1, len(structure.features)))).shares(signals.off)[0]
    return {
        "titles": [feature.title for feature in structure.features],
        "weights": structure.weights(signals.off).tolist(),
        "factors": factors.tolist(),
        "values": _columns(structure.values),
    }


def _scales(signals: Signals) -> Data | None:
    if signals.scales is None:
        return None
    factors = [term.log_odds * signals.scale_unit for term in SCALES.values()]
    return {"titles": list(TITLES), "weights": factors, "factors": factors, "values": _columns(signals.scales)}


def _columns(values: Float64) -> list[Data | None]:
    """Return the columns of a table of gaps; ``None`` for one of zeros."""
    return [real(column) if column.any() else None for column in values.T]


def _steps(workspace: Workspace, segmentation: Segmentation) -> list[Data]:
    """Return divisions at change points from coarse to fine, where the page has a control for them."""
    params = segmentation.params
    movable = [each.key for each in ground.controls(workspace, segmentation) if not each.reason]
    if not isinstance(params, ChangepointParameters) or not movable:
        return []
    if "fineness" not in movable:
        return [_step(segmentation)]
    values = np.linspace(-FINEST, FINEST, ground.FINENESS_STEPS).tolist()
    return [_step(run("changepoint", workspace, replace(params, fineness=value))) for value in values]


def _step(segmentation: Segmentation) -> Data:
    signals = cast(Signals, segmentation.signals)
    cuts = [chunk.cut for chunk in segmentation.chunks if chunk.cut]
    return {
        "fineness": cast(ChangepointParameters, segmentation.params).fineness,
        "threshold": signals.threshold.value,
        "semantic": real(signals.semantic),
        "fused": real(signals.fused),
        "gaps": whole([cut.gap or 0 for cut in cuts]),
        "drivers": whole([_code(cut) for cut in cuts]),
        "scores": real([cut.score or 0.0 for cut in cuts], exact=True),
    }
