"""Units that a setting is chosen by, documents with a reference or parts of them, and what each adds to the measure."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from chunking.runtime.arrays import Bools, Float32, Float64, Int64
from chunking.tuning import plane
from chunking.tuning.landscape import ALPHAS, PERCENTILES, landscape

Measure = Literal["f1", "pk"]

ENOUGH = 5
"""Documents with a reference from which these are the units."""

PARTS = 10
"""Units that fewer documents are divided into, about."""

UNITS = 200
"""Units at most: more documents are dealt out to this many groups, so that memory has a bound."""


@dataclass(frozen=True, eq=False)
class ReferenceCurves:
    """A document whose reference boundaries are known.

    Attributes:
        name: of the document.
        semantic, structural: ``(n_gaps,)`` float64, its distances.
        reference: ``(n_boundaries,)`` int64, gaps, ascending, each once.
        kept: ``(n_gaps,)`` bool, gaps that are never cut; ``None`` for none.
    """

    name: str
    semantic: Float64
    structural: Float64
    reference: Int64
    kept: Bools | None = None


@dataclass(frozen=True, eq=False)
class Units:
    """The contributions of each unit to the measure, which is a ratio of two sums.

    Attributes:
        unit: what they are.
        names: of each.
        above, below: ``(U, A, P)`` float32, and the same or ``(U, 1, 1)``: the parts of the two sums.
        empty: the measure where the lower sum is 0.
    """

    unit: Literal["document", "part"]
    names: tuple[str, ...]
    above: Float32
    below: Float32
    empty: float

    @cached_property
    def totals(self) -> tuple[Float64, Float64]:
        """The two sums, ``(A, P)`` and that or ``(1, 1)``."""
        return self.above.sum(axis=0, dtype=np.float64), self.below.sum(axis=0, dtype=np.float64)

    def without(self, unit: int) -> tuple[Float64, Float64]:
        """Return the two sums over all other units."""
        above, below = self.totals
        return above - self.above[unit], below - self.below[unit]

    def score(self, sums: tuple[Float64, Float64]) -> Float64:
        """Return the measure of two sums."""
        above, below = np.broadcast_arrays(*sums)
        scores: Float64 = np.divide(above, below, out=np.full(above.shape, self.empty), where=below > 0)
        return scores

    def at(self, cells: Sequence[tuple[int, int]]) -> tuple[Float64, Float64]:
        """Return ``(U,)`` each: the parts of each unit at a setting of its own."""
        rows, columns = (np.array(side) for side in zip(*cells, strict=True))
        units = np.arange(len(self.names))
        below = np.broadcast_to(self.below, self.above.shape)
        return self.above[units, rows, columns].astype(np.float64), below[units, rows, columns].astype(np.float64)


def units_of(curves: Sequence[ReferenceCurves], measure: Measure) -> Units:
    """Return the units of documents, see :mod:`chunking.tuning.choice`."""
    if len(curves) >= ENOUGH:
        return _documents(curves, measure)
    per_part = sum(len(document.semantic) for document in curves) / PARTS
    names, above, below = [], [], []
    for document in curves:
        parts = min(max(1, round(len(document.semantic) / per_part)), len(document.semantic))
        names += [f"{document.name}, {part + 1} of {parts}" if parts > 1 else document.name for part in range(parts)]
        for upper, lower in _contributions_of_parts(document, measure, parts):
            above.append(upper.astype(np.float32))
            below.append(lower.astype(np.float32))
    return Units("part", tuple(names), np.stack(above), np.stack(below), float(measure == "f1"))


def _documents(curves: Sequence[ReferenceCurves], measure: Measure) -> Units:
    count = min(len(curves), UNITS)
    above = np.zeros((count, len(ALPHAS), len(PERCENTILES)), dtype=np.float32)
    below = np.zeros((count, 1, 1), dtype=np.float32)
    for index, document in enumerate(curves):
        ((upper, lower),) = _contributions_of_parts(document, measure, 1)
        empty = float(measure == "f1")
        above[index % count] += np.divide(upper, lower, out=np.full(upper.shape, empty), where=lower > 0)
        below[index % count] += 1
    return Units("document", tuple(document.name for document in curves[:count]), above, below, float("nan"))


def _contributions_of_parts(
    document: ReferenceCurves, measure: Measure, parts: int
) -> Iterator[tuple[Float64, Float64]]:
    """Yield the contributions of each part to the two sums: ``(A, P)`` float64, and that or ``(1, 1)``."""
    reference = plane.checked_reference(document.reference, len(document.semantic))
    deep = plane.depths(landscape(document.semantic, document.structural, ALPHAS, document.kept), PERCENTILES)
    count, gaps = len(PERCENTILES), len(document.semantic)
    edges = [gaps * part // parts for part in range(parts + 1)]
    if measure == "pk":
        deep, inside = plane.windows(deep, reference)
    for start, stop in itertools.pairwise(edges):
        depths_inside = deep[:, start:stop]
        if measure == "pk":
            windows_inside = inside[start:stop]
            yield (
                plane.errors(depths_inside, count, windows_inside).astype(np.float64),
                np.array([[len(windows_inside)]], dtype=np.float64),
            )
        else:
            true = reference[(reference >= start) & (reference < stop)] - start
            cuts = plane.over(depths_inside, count) + len(true)
            yield (2 * plane.over(depths_inside[:, true], count)).astype(np.float64), cuts.astype(np.float64)


def ratio_of(above: float, below: float) -> float:
    """Return the ratio of two sums; NaN where the lower is 0."""
    return float(above / below) if below > 0 else float("nan")


def pseudo_values(above: Float64 | Float32, below: Float64 | Float32) -> Float64:
    """Return ``(U, …)`` float64: a value for each unit whose mean is the ratio of the sums and which moves as that
    does.

    The ratio to first order in the units (its influence function, the linearisation of survey statistics), so that
    differences of two ratios can be taken unit by unit. Where each unit counts 1 it is the unit's own value.
    """
    upper, lower = above.astype(np.float64), below.astype(np.float64)
    total, mean = np.asarray(lower.sum(axis=0)), lower.mean(axis=0)
    ratio = np.divide(upper.sum(axis=0), total, out=np.zeros_like(total), where=total > 0)
    pseudo_values: Float64 = ratio + np.divide(upper - ratio * lower, mean, out=np.zeros_like(upper), where=mean > 0)
    return pseudo_values
