"""What the workbench needs of a document, whatever the strategy: text, layout, places and the encoder's limit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from chunking import export
from chunking.chunks import Cut, Reason, reason_words
from chunking.document import Document
from chunking.reference import Reference, gold_gaps
from chunking.rendering import Rendering
from chunking.rendering.columns import columns_of
from chunking.runtime.arrays import AnyInts
from chunking.standalone.packing import Packed, whole
from chunking.standalone.places import limit_of, places_of
from chunking.workspace import Workspace

_MONOSPACED = ("code", "table")
"""Kinds of blocks whose text is shown in a fixed width where it is shown as it is written."""

_COMPARED: Reason = "distance"


def document_data(workspace: Workspace, reference: Reference, rendering: Rendering | None) -> dict[str, Any]:
    """Return the data of a document, see ``workbench.js``.

    Args:
        workspace: the document.
        reference: boundaries that people set.
        rendering: the document as its reader sees it; ``None`` where that is its text.
    """
    document, places = workspace.document, places_of(workspace)
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
        "places": places and places.packed(),
        "limit": limit_of(workspace),
        "people": {
            "gaps": whole(gold_gaps(reference.boundaries, workspace.offsets, workspace.sentences)),
            "complete": reference.complete,
        },
        "reasons": {reason: reason_words(Cut(0, reason)) for reason in get_args(Reason) if reason != _COMPARED},
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
