"""The lanes and columns of a comparison, made from its segmentations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.comparison import chunk_sizes, cut_changes
from chunking.comparison.report import Comparison, ComparisonEntry
from chunking.figures.lanes import CHANGES, Lane, Lanes, Unit
from chunking.runtime.arrays import Float64, Int8, Int64
from chunking.strategies import Segmentation
from chunking.strategies.reasons import words
from chunking.workspace import Workspace
from pages.shared.components.side_by_side import Column

GOLD_TITLE = "Reference"
"""Title of the lane of reference boundaries."""

MOVED_WITHIN = 3
"""Gaps by which a boundary may have shifted and still count as moved."""


@dataclass(frozen=True, eq=False)
class Axis:
    """The horizontal axis of the lanes.

    Attributes:
        unit: sentences, characters or tokens.
        offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        places: ``(n_gaps,)`` float64, the place of each gap on the axis.
        length: of the document, on the axis.
        end: of the document, in characters.
    """

    unit: Unit
    offsets: Int64
    places: Float64
    length: float
    end: int

    def at(self, offsets: Int64 | Sequence[int]) -> Float64:
        """Return the places of character offsets; between gaps by interpolation."""
        known = np.concatenate(([0], self.offsets, [max(self.end, 1)]))
        found: Float64 = np.interp(offsets, known, np.concatenate(([0.0], self.places, [self.length])))
        return found


def axis(workspace: Workspace, unit: Unit) -> Axis:
    """Return the axis of a document in a unit."""
    offsets, end = workspace.offsets, len(workspace.document.text)
    if unit == "characters":
        places, length = offsets.astype(np.float64), float(end)
    elif unit == "sentences":
        places, length = np.arange(1.0, len(offsets) + 1), float(len(workspace.sentences))
    else:
        table = workspace.grid.tokens
        stops = np.arange(len(table.cuts))
        counts = table.span_counts(np.zeros(len(stops), dtype=np.int64), stops).astype(np.float64)
        # A token that straddles a gap can lower a count by one.
        counts = np.maximum.accumulate(counts)
        places, length = counts[1:-1], float(counts[-1])
    return Axis(unit, offsets, places, length, end)


def lanes(
    workspace: Workspace, compared: Comparison, unit: Unit, before: tuple[int, Segmentation] | None = None
) -> Lanes:
    """Return the lanes of a comparison.

    Args:
        workspace: the document.
        compared: its segmentations.
        unit: of the axis.
        before: a lane and its segmentation before its last change, to mark the boundaries that moved.
    """
    scale = axis(workspace, unit)
    shown = [
        lane(scale, compared, number, entry, before[1] if before and before[0] == number else None)
        for number, entry in enumerate(compared.entries)
    ]
    if compared.reference.boundaries:
        offsets = np.array(compared.reference.boundaries, dtype=np.int64)
        same = np.zeros(len(offsets), dtype=np.int8)
        shown.insert(0, Lane(GOLD_TITLE, scale.at(offsets), offsets, ("gold",) * len(offsets), same, "gold"))
    first = leading(compared)
    signals = None if first is None else compared.entries[first].segmentation.signals
    some = np.flatnonzero(compared.consensus)
    return Lanes(
        lanes=tuple(shown),
        unit=unit,
        length=scale.length,
        end=scale.end,
        curve_x=scale.places,
        curve_offset=scale.offsets,
        fused=signals.fused if signals else np.zeros(0),
        threshold=signals.threshold.value if signals and signals.threshold.rule != "gradient" else float("nan"),
        consensus_x=scale.places[some],
        consensus=compared.consensus[some],
    )


def leading(compared: Comparison) -> int | None:
    """Return the index of the entry that gives the curve, the first with signals; ``None`` if there is none."""
    return next((at for at, entry in enumerate(compared.entries) if entry.segmentation.signals), None)


def other_votes(compared: Comparison, place: int) -> Int64:
    """Return ``(n_gaps,)`` int64: how many entries other than the one at an index cut each gap."""
    votes = np.zeros(len(compared.offsets), dtype=np.int64)
    for at, cuts in enumerate(compared.cuts):
        if at != place:
            votes[cuts.gaps] += 1
    return votes


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


def lane(scale: Axis, compared: Comparison, number: int, entry: ComparisonEntry, before: Segmentation | None) -> Lane:
    """Return the lane of a strategy; with its previous segmentation, also which boundaries changed."""
    reasons = {chunk.start: words(chunk.cut) for chunk in reversed(entry.segmentation.chunks)}
    offsets = entry.offsets
    codes = np.zeros(len(offsets), dtype=np.int8)
    gone: Int64 = np.zeros(0, dtype=np.int64)
    if before is not None:
        codes, gone = changes(scale, offsets, cut_changes.cut_offsets(before))
    shown = np.concatenate((offsets, gone))
    order = np.argsort(shown, kind="stable")
    codes = np.concatenate((codes, np.full(len(gone), CHANGES.index("gone"), dtype=np.int8)))
    sizes = np.array([chunk.tokens for chunk in entry.segmentation.chunks], dtype=np.int64)
    lost = chunk_sizes.coverage(entry.segmentation).lost
    return Lane(
        title=numbered(number, entry),
        x=scale.at(shown[order]),
        offset=shown[order],
        reason=tuple(reasons.get(int(offset), "boundary before the change") for offset in shown[order]),
        change=codes[order],
        kind=entry.kind,
        lost=np.column_stack((scale.at(lost[:, 0]), scale.at(lost[:, 1]))) if len(lost) else np.zeros((0, 2)),
        tokens=sizes if len(sizes) == len(offsets) + 1 else np.zeros(0, dtype=np.int64),
    )


def changes(scale: Axis, after: Int64, before: Int64) -> tuple[Int8, Int64]:
    """Return the change of each cut, as a code of ``chunking.figures.lanes.CHANGES``, and the removed cuts."""
    nearest_after, _ = cut_changes.nearest_gaps(after, scale.offsets)
    nearest_before, _ = cut_changes.nearest_gaps(before, scale.offsets)
    found = cut_changes.changes(np.unique(nearest_before), np.unique(nearest_after), MOVED_WITHIN)
    codes = np.zeros(len(after), dtype=np.int8)
    codes[np.isin(nearest_after, found.appeared)] = CHANGES.index("appeared")
    if len(found.moved):
        codes[np.isin(nearest_after, found.moved[:, 1])] = CHANGES.index("moved")
    return codes, before[np.isin(nearest_before, found.gone)]


def column(number: int, entry: ComparisonEntry, title: str = "") -> Column:
    """Return the column of a strategy, with ``title`` instead of its own if given."""
    chunks = entry.segmentation.chunks

    def numbers(values: list[int]) -> Int64:
        return np.array(values, dtype=np.int64)

    return Column(
        title=title or numbered(number, entry),
        start=numbers([chunk.start for chunk in chunks]),
        end=numbers([chunk.end for chunk in chunks]),
        overlap_start=numbers([chunk.reach for chunk in chunks]),
        tokens=numbers([chunk.tokens for chunk in chunks]),
        overlap_tokens=numbers([chunk.overlap_tokens for chunk in chunks]),
        reason=tuple(words(chunk.cut) for chunk in chunks),
        heading_path=tuple(chunk.heading_path for chunk in chunks),
        parent=numbers([-1 if chunk.parent is None else chunk.parent for chunk in chunks]),
        note=tuple("; ".join(chunk.notes) for chunk in chunks),
        missing=tuple(chunk.foreign.missing if chunk.foreign else () for chunk in chunks),
        added=tuple(chunk.foreign.added if chunk.foreign else () for chunk in chunks),
    )
