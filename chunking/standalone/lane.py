"""What a page needs of one segmentation, as plain data: its chunks, and all that explains a gap of its curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, cast

import numpy as np

from chunking import export
from chunking.chunks import Chunk, Cut, leaves, reason_words
from chunking.comparison.report import at_gaps
from chunking.report.theme import DRIVERS
from chunking.runtime.arrays import Float64, Int64
from chunking.signals.boundary_model import SCALES
from chunking.signals.scales import TITLES
from chunking.signals.signals import Signals
from chunking.standalone import controls
from chunking.standalone.packing import real, whole
from chunking.strategies import Segmentation
from chunking.strategies.changepoint import ChangepointParameters
from chunking.workspace import Workspace

Data = dict[str, Any]


def lane_data(workspace: Workspace, segmentation: Segmentation, divided: Sequence[Segmentation], title: str) -> Data:
    """Return the data of a segmentation; see ``segmentation.js`` for its reader.

    Args:
        workspace: of the document.
        segmentation: the setting that the page begins with.
        divided: the settings that the page cannot compute and has in advance, see :mod:`chunking.standalone.divisions`.
        title: of the lane.
    """
    signals, params = segmentation.signals, segmentation.params
    computed = controls.is_live(workspace, segmentation) or bool(divided)
    return {
        "title": title,
        "controls": [asdict(control) for control in controls.controls(workspace, segmentation)],
        "setting": None if signals is None else controls.setting_values(params, segmentation.strategy),
        "computed": computed,
        "curves": None if signals is None else _curves(signals, computed),
        "steps": [_step(division) for division in divided],
        "chunks": None if computed else _chunks(workspace, segmentation),
        "suppressed": whole([] if computed else segmentation.suppressed_gaps),
    }


def _chunks(workspace: Workspace, segmentation: Segmentation) -> Data:
    """Return the chunks of a segmentation that the page cannot compute."""
    chunks = leaves(segmentation.chunks)
    starts = np.array([chunk.start for chunk in chunks], dtype=np.int64)
    return {
        "start": whole([chunk.start for chunk in chunks]),
        "end": whole([chunk.end for chunk in chunks]),
        "reach": whole([chunk.reach for chunk in chunks]),
        "tokens": whole([chunk.tokens for chunk in chunks]),
        "overlapTokens": whole([chunk.overlap_tokens for chunk in chunks]),
        "gap": whole(_gaps(workspace, starts)),
        "driver": whole([_code(chunk.cut) for chunk in chunks]),
        "reason": [reason_words(chunk.cut) for chunk in chunks],
        "notes": [[*chunk.notes, *_differences(segmentation.document.text, chunk)] for chunk in chunks],
    }


def _gaps(workspace: Workspace, starts: Int64) -> Int64:
    """Return the gaps at which chunks start; −1 at the start of the text and inside a sentence."""
    offsets = workspace.offsets
    if not len(offsets):
        return np.full(len(starts), -1, dtype=np.int64)
    starts = np.where(starts > 0, at_gaps(starts, workspace.sentences, offsets), -1)
    nearest = np.minimum(np.searchsorted(offsets, starts), len(offsets) - 1)
    return np.where(offsets[nearest] == starts, nearest, -1)


_MOST_DIFFERENCES = 6
_LONGEST_DIFFERENCE = 120
"""Characters of a difference that are shown."""


def _differences(text: str, chunk: Chunk) -> list[str]:
    """Return what a foreign chunk has otherwise than the document, in words."""
    if chunk.foreign is None:
        return []
    parts = [("left out", text[start:end]) for start, end in chunk.foreign.missing]
    parts += [("added", part) for part in chunk.foreign.added]
    return [
        f"{what}: “{export.encodable(part[:_LONGEST_DIFFERENCE])}{'…' if len(part) > _LONGEST_DIFFERENCE else ''}”"
        for what, part in parts[:_MOST_DIFFERENCES]
        if part.strip()
    ]


def _code(cut: Cut | None) -> int:
    """Return the driver of a cut as its place among the drivers, −1 for none."""
    return DRIVERS.index(cut.driver) if cut and cut.driver else -1


def _curves(signals: Signals, computed: bool) -> Data:
    """Return the curves and what they are made of, without what the page computes of them."""
    return {
        "semantic": real(signals.semantic, exact=True),
        "structural": real(signals.structural, exact=True) if signals.structure else None,
        "raw": real(signals.structural_raw) if signals.structure else None,
        "fused": None if computed else real(signals.fused, exact=True),
        "score": None if computed else real(signals.threshold.score, exact=True),
        "threshold": signals.threshold.value if np.isfinite(signals.threshold.value) else None,
        "features": _features(signals),
        "scales": _scales(signals),
        "probabilities": None if signals.probabilities is None else real(signals.probabilities),
    }


def _features(signals: Signals) -> Data | None:
    structure = signals.structure
    if structure is None:
        return None
    # What a value of 1 adds: a distance and its share differ by a factor that is the same at every gap.
    factors = replace(structure, values=np.ones((1, len(structure.features)))).shares(signals.off)[0]
    return {
        "names": [feature.name for feature in structure.features],
        "titles": [feature.title for feature in structure.features],
        "weights": structure.weights(signals.off).tolist(),
        "factors": factors.tolist(),
        "values": _columns(structure.values),
    }


def _scales(signals: Signals) -> Data | None:
    if signals.scales is None:
        return None
    factors = [term.log_odds * signals.scale_unit for term in SCALES.values()]
    return {
        "names": list(SCALES),
        "titles": list(TITLES),
        "weights": factors,
        "factors": factors,
        "values": _columns(signals.scales),
    }


def _columns(values: Float64) -> list[Data | None]:
    """Return the columns of a table of gaps; ``None`` for one of zeros."""
    return [real(column) if column.any() else None for column in values.T]


def _step(segmentation: Segmentation) -> Data:
    """Return a division at change points; the script has its fused curve from α and the two distances."""
    signals, params = cast(Signals, segmentation.signals), cast(ChangepointParameters, segmentation.params)
    cuts = [chunk.cut for chunk in segmentation.chunks if chunk.cut]
    return {
        "alpha": params.alpha,
        "fineness": params.fineness,
        "threshold": signals.threshold.value,
        "semantic": real(signals.semantic),
        "gaps": whole([cut.gap or 0 for cut in cuts]),
        "drivers": whole([_code(cut) for cut in cuts]),
        "scores": real([cut.score or 0.0 for cut in cuts], exact=True),
    }
