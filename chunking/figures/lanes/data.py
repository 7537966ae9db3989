"""What the lanes show: positions, sizes and changes of boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float64, Int8, Int64

Unit = Literal["sentences", "characters", "tokens"]
UNITS: tuple[Unit, ...] = get_args(Unit)

Kind = Literal["strategy", "gold", "peer", "yours"]
KINDS: tuple[Kind, ...] = get_args(Kind)

CHANGES = ("same", "appeared", "moved", "gone")
"""What a change of the setting did to a boundary, by code. A boundary that is gone is the ghost of one that the setting
before had."""

GONE = CHANGES.index("gone")


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
            if not ascends(getattr(self, name)):
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
            if not ascends(values):
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


def full_range(lanes: Lanes) -> tuple[float, float]:
    """Return the horizontal range that shows the whole document."""
    return 0.0, max(lanes.length, 1.0)


def ascends(values: Float64 | Int64) -> bool:
    """Return whether every value is a number that is not below the one before."""
    return bool(np.isfinite(values).all()) and bool((values[1:] >= values[:-1]).all())


def score_range(lanes: Lanes) -> tuple[float, float]:
    """Return the vertical range of the curve: 0 to 1 with margins, wider where the curve or the threshold leaves it."""
    finite = lanes.fused[np.isfinite(lanes.fused)]
    low, high = float(finite.min(initial=0.0)), float(finite.max(initial=1.0))
    if len(lanes.fused) and np.isfinite(lanes.threshold):
        low, high = min(low, lanes.threshold), max(high, lanes.threshold)
    margin = 0.04 * (high - low)
    return low - margin, high + margin
