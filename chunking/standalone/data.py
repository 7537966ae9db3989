"""What the workbench needs of a document, of its pages and of each segmentation, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast, get_args

import numpy as np

from chunking import export
from chunking.chunks import Chunk, Cut, Reason, constraints, leaves, reason_words
from chunking.chunks.constraints import Constraints
from chunking.comparison.report import at_gaps
from chunking.document import Aside, Document
from chunking.document.pages import Pages
from chunking.reference import Reference, reference_gaps
from chunking.rendering import Rendering
from chunking.rendering.columns import columns_of
from chunking.report.theme import DRIVERS
from chunking.runtime.arrays import AnyInts, Float64, Int64
from chunking.signals.boundary_model import SCALES
from chunking.signals.scales import TITLES
from chunking.signals.signals import Signals
from chunking.standalone import controls
from chunking.standalone.packing import Packed, real, whole
from chunking.standalone.places import limit_of, places_of
from chunking.strategies import Segmentation
from chunking.strategies.changepoint import ChangepointParameters
from chunking.workspace import DocumentAnalysis

Data = dict[str, Any]

# --- the document --------------------------------------------------------------------------------------------------

_MONOSPACED = ("code", "table")
"""Kinds of blocks whose text is shown in a fixed width where it is shown as it is written."""

_COMPARED: Reason = "distance"


def document_data(workspace: DocumentAnalysis, reference: Reference, rendering: Rendering | None) -> dict[str, Any]:
    """Return the data of a document, see ``workbench.js``.

    Args:
        workspace: the document.
        reference: boundaries that people set.
        rendering: the document as its reader sees it; ``None`` where that is its text.
    """
    document, positions = workspace.document, places_of(workspace)
    return {
        "text": {
            "text": export.encodable(document.text),
            "offsets": whole(workspace.offsets),
            "spans": whole(workspace.sentences.spans),
            "headings": {
                "starts": whole([block.start for block in document.headings]),
                "paths": [[*map(export.encodable, document.heading_path(block.start))] for block in document.headings],
            },
        },
        "runs": _runs(document),
        "layout": rendering and _layout(rendering),
        "places": positions and positions.packed() | {"stretches": _stretches(workspace.layout_constraints)},
        "limit": limit_of(workspace),
        "people": {
            "gaps": whole(reference_gaps(reference.boundaries, workspace.offsets, workspace.sentences)),
            "complete": reference.complete,
        },
        "reasons": {reason: reason_words(Cut(0, reason)) for reason in get_args(Reason) if reason != _COMPARED},
        "kinds": [constraints.WORDS[kind] for kind in constraints.KINDS],
    }


def _stretches(held: Constraints) -> dict[str, Packed]:
    return {
        "starts": whole(held.starts),
        "ends": whole(held.ends),
        "codes": whole(held.codes),
        "aboveStarts": whole(held.above_starts),
        "aboveEnds": whole(held.above_ends),
    }


def _runs(document: Document) -> dict[str, Packed]:
    """Return where the text changes between a fixed width and another, and which it has from there on."""
    starts, mono = [0], [0]
    for block in document.blocks:
        fixed = int(block.kind in _MONOSPACED)
        if fixed == mono[-1]:
            continue
        if block.start == starts[-1]:
            mono[-1] = fixed
        else:
            starts.append(block.start)
            mono.append(fixed)
    return {"starts": whole(starts), "mono": whole(mono)}


def _layout(rendering: Rendering) -> dict[str, Any]:
    columns = columns_of(rendering)

    def packed(table: Mapping[str, AnyInts]) -> dict[str, Packed]:
        return {name: whole(np.asarray(column)) for name, column in table.items()}

    return {
        "elements": packed(columns["elements"]),  # type: ignore[arg-type]
        "substitutions": packed(columns["substitutions"]),  # type: ignore[arg-type]
        "kind_names": columns["kind_names"],
        "names": [export.encodable(name) for name in columns["names"]],
        "reflowed": columns["reflowed"],
    }


def edits_data(workspace: DocumentAnalysis) -> list[tuple[int, str]]:
    """Return the edits by hand of a document that are in its text: the gap of each, and its action."""
    decided = workspace.located_edits.decided(workspace.edits)
    offsets = [(offset, action) for action, places in decided.items() for offset in places]
    return [(int(np.searchsorted(workspace.offsets, offset)), action) for offset, action in sorted(offsets)]


# --- its pages -----------------------------------------------------------------------------------------------------

_PER_POINT = 10
"""Lengths are sent in tenths of a point."""


def pages_data(pages: Pages, asides: Sequence[Aside]) -> dict[str, Any]:
    """Return the pages of a document, see ``page_sheets.js``.

    Args:
        pages: where its words are.
        asides: what is in no chunk.
    """
    begins = np.flatnonzero(np.diff(pages.line, prepend=-1) | np.diff(pages.page, prepend=-1))
    left, top, right, bottom = pages.boxes.astype(np.float64).T
    return {
        "sizes": whole(_tenths(pages.sizes.astype(np.float64)).ravel()),
        "lines": {
            "words": whole(begins),
            "page": whole(pages.page[begins]),
            "top": whole(_tenths(np.minimum.reduceat(top, begins)) if len(begins) else []),
            "bottom": whole(_tenths(np.maximum.reduceat(bottom, begins)) if len(begins) else []),
        },
        "words": {
            "start": whole(pages.words[:, 0]),
            "end": whole(pages.words[:, 1]),
            "left": whole(_tenths(left)),
            "right": whole(_tenths(right)),
        },
        "asides": [
            {"page": aside.part, "kind": aside.kind, "box": _tenths(np.array(aside.box)).tolist()}
            for aside in asides
            if aside.box
        ],
    }


def _tenths(lengths: Float64) -> Any:
    return np.round(lengths * _PER_POINT).astype(np.int64)


# --- a segmentation ------------------------------------------------------------------------------------------------


def lane_data(
    workspace: DocumentAnalysis, segmentation: Segmentation, divided: Sequence[Segmentation], title: str
) -> Data:
    """Return the data of a segmentation; see ``segmentation.js`` for its reader.

    Args:
        workspace: of the document.
        segmentation: the setting that the page begins with.
        divided: the settings that the page cannot compute and has in advance, see :mod:`chunking.standalone.controls`.
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
        "kept": {
            "gaps": whole([] if computed else list(segmentation.kept_gaps)),
            "words": [] if computed else list(segmentation.kept_gaps.values()),
        },
    }


def _chunks(workspace: DocumentAnalysis, segmentation: Segmentation) -> Data:
    """Return the chunks of a segmentation that the page cannot compute."""
    chunks = leaves(segmentation.chunks)
    starts = np.array([chunk.start for chunk in chunks], dtype=np.int64)
    return {
        "start": whole([chunk.start for chunk in chunks]),
        "end": whole([chunk.end for chunk in chunks]),
        "reach": whole([chunk.indexed_start for chunk in chunks]),
        "tokens": whole([chunk.tokens for chunk in chunks]),
        "overlapTokens": whole([chunk.overlap_tokens for chunk in chunks]),
        "gap": whole(_gaps(workspace, starts)),
        "driver": whole([_code(chunk.cut) for chunk in chunks]),
        "reason": [reason_words(chunk.cut) for chunk in chunks],
        "notes": [[*chunk.notes, *_differences(segmentation.document.text, chunk)] for chunk in chunks],
    }


def _gaps(workspace: DocumentAnalysis, starts: Int64) -> Int64:
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
        "kept": whole(list(segmentation.kept_gaps)),
        "keptScores": real([cut.score or 0.0 for cut in segmentation.kept], exact=True),
        "dropped": whole(segmentation.suppressed_gaps),
        "droppedScores": real([cut.score or 0.0 for cut in segmentation.suppressed], exact=True),
    }
