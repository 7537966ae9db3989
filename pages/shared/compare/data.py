"""The lanes and columns of a comparison, made from its segmentations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from chunking.comparison import chunk_sizes
from chunking.comparison.report import Comparison, ComparisonEntry
from chunking.figures.lanes import Lane, Lanes
from chunking.strategies.reasons import words
from chunking.workspace import Workspace

GOLD_TITLE = "Reference"
"""Title of the lane of reference boundaries."""


def lanes(workspace: Workspace, compared: Comparison) -> Lanes:
    """Return the lanes of a comparison, on an axis of characters."""
    offsets, end = workspace.offsets, len(workspace.document.text)
    shown = [lane(number, entry) for number, entry in enumerate(compared.entries)]
    if compared.reference.boundaries:
        gold = np.array(compared.reference.boundaries, dtype=np.int64)
        same = np.zeros(len(gold), dtype=np.int8)
        shown.insert(0, Lane(GOLD_TITLE, gold.astype(np.float64), gold, ("gold",) * len(gold), same, "gold"))
    first = leading(compared)
    signals = None if first is None else compared.entries[first].segmentation.signals
    some = np.flatnonzero(compared.consensus)
    places = offsets.astype(np.float64)
    return Lanes(
        lanes=tuple(shown),
        unit="characters",
        length=float(end),
        end=end,
        curve_x=places,
        curve_offset=offsets,
        fused=signals.fused if signals else np.zeros(0),
        threshold=signals.threshold.value if signals and signals.threshold.rule != "gradient" else float("nan"),
        consensus_x=places[some],
        consensus=compared.consensus[some],
    )


def leading(compared: Comparison) -> int | None:
    """Return the index of the entry that gives the curve, the first with signals; ``None`` if there is none."""
    return next((at for at, entry in enumerate(compared.entries) if entry.segmentation.signals), None)


@dataclass(frozen=True, eq=False)
class Placed(ComparisonEntry):
    """An entry with the number of its lane, which stays the same where an earlier lane failed.

    Attributes:
        number: of the lane, from 1, as in the sidebar.
    """

    number: int


def placed(entry: ComparisonEntry, number: int) -> Placed:
    """Return the entry as the lane of that number."""
    return Placed(entry.label, entry.title, entry.kind, entry.segmentation, number)


def number(place: int, entry: ComparisonEntry) -> int:
    """Return the number of a lane from its index among those shown."""
    return entry.number if isinstance(entry, Placed) else place + 1


def numbers(compared: Comparison) -> list[int]:
    """Return the numbers of all lanes that are shown."""
    return [number(place, entry) for place, entry in enumerate(compared.entries)]


def numbered(place: int, entry: ComparisonEntry) -> str:
    """Return the number and the title of a lane."""
    return f"{number(place, entry)} · {entry.title}"


def titles(compared: Comparison) -> list[str]:
    """Return the numbers and titles of all lanes that are shown."""
    return [numbered(place, entry) for place, entry in enumerate(compared.entries)]


def lane(number: int, entry: ComparisonEntry) -> Lane:
    """Return the lane of a strategy."""
    reasons = {chunk.start: words(chunk.cut) for chunk in reversed(entry.segmentation.chunks)}
    offsets = entry.offsets
    sizes = np.array([chunk.tokens for chunk in entry.segmentation.chunks], dtype=np.int64)
    lost = chunk_sizes.coverage(entry.segmentation).lost
    return Lane(
        title=numbered(number, entry),
        x=offsets.astype(np.float64),
        offset=offsets,
        reason=tuple(reasons.get(int(offset), "") for offset in offsets),
        change=np.zeros(len(offsets), dtype=np.int8),
        kind=entry.kind,
        lost=lost.astype(np.float64) if len(lost) else np.zeros((0, 2)),
        tokens=sizes if len(sizes) == len(offsets) + 1 else np.zeros(0, dtype=np.int64),
    )
