"""The measures by name, each of many references against many segmentations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunking import glossary
from chunking.comparison.agreement.measures import (
    Hypotheses,
    check_tolerance,
    checked,
    dense_rows,
    matched_counts,
    similarity_rows,
)
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float64, Int64, UInt8

_BLOCK = 128
"""Rows that are measured together."""


def _in_blocks(rows: UInt8, measure: Callable[[UInt8], Float64]) -> Float64:
    """Measure the rows block by block, so that what is in between stays small."""
    return np.concatenate(
        [measure(rows[start : start + _BLOCK]) for start in range(0, max(len(rows), 1), _BLOCK)], axis=1
    )


def _f1_table(references: Sequence[Int64], rows: UInt8, tolerance: int) -> Float64:
    matched = matched_counts(references, rows, tolerance)
    sizes = np.array([len(cuts) for cuts in references])[:, None] + rows.sum(axis=1, dtype=np.int64)
    return np.where(sizes > 0, 2 * matched / np.maximum(sizes, 1), 1.0)


def _similarity_table(references: Sequence[Int64], rows: UInt8, tolerance: int) -> Float64:
    return _in_blocks(
        rows, lambda rows_of_block: np.stack([similarity_rows(cuts, rows_of_block) for cuts in references])
    )


def _windowed_table(any_boundary: bool) -> Callable[[Sequence[Int64], UInt8, int], Float64]:
    def measure(references: Sequence[Int64], rows_of_block: UInt8) -> Float64:
        hypotheses = Hypotheses(rows_of_block)
        return np.stack([hypotheses.differing(cuts, any_boundary) for cuts in references])

    return lambda references, rows, tolerance: _in_blocks(
        rows, lambda rows_of_block: measure(references, rows_of_block)
    )


@dataclass(frozen=True)
class Metric:
    """A measure of agreement.

    Attributes:
        name: its name on the command line and in exports.
        title: for people.
        best: its value where two segmentations are the same: 1 of a similarity, 0 of an error.
        symmetric: whether reference and hypothesis may change places.
        takes_tolerance: whether the tolerance changes it.
        table: of many pairs: ``(references, rows, tolerance) -> (n_references, n_rows)`` float64, with rows
            ``(n_rows, n_gaps)`` uint8, 1 at each boundary.
        help: one or two sentences.
    """

    name: str
    title: str
    best: float
    symmetric: bool
    takes_tolerance: bool
    table: Callable[[Sequence[Int64], UInt8, int], Float64]
    help: str

    def of(self, reference: Int64, hypothesis: Int64, units: int, tolerance: int = 0) -> float:
        """Return the measure of one pair.

        Raises:
            ChunkscopeError: a segmentation is not one of that many units, or the tolerance is negative.
        """
        check_tolerance(tolerance)
        left, right = checked(reference, units), checked(hypothesis, units)
        return float(self.table([left], dense_rows([right], units), tolerance)[0, 0])


METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric("f1", "Boundary F1", 1.0, True, True, _f1_table, glossary.define("boundary F1")),
        Metric(
            "boundary_similarity",
            "Boundary similarity",
            1.0,
            True,
            False,
            _similarity_table,
            glossary.define("boundary similarity"),
        ),
        Metric(
            "window_diff",
            "WindowDiff",
            0.0,
            False,
            False,
            _windowed_table(any_boundary=False),
            glossary.define("WindowDiff"),
        ),
        Metric("pk", "Pk", 0.0, False, False, _windowed_table(any_boundary=True), glossary.define("Pk")),
    )
}
"""The measures by name."""


def get_metric(name: str) -> Metric:
    """Return the measure of that name; raise :class:`ChunkscopeError` if there is none."""
    if name not in METRICS:
        raise ChunkscopeError(f"Unknown measure {name!r:.60}.", f"Choose one of: {', '.join(METRICS)}.")
    return METRICS[name]
