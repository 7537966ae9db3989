"""Several segmentations of one document: their agreement, what differs, and a report of it."""

from chunking.comparison.agreement import BoundaryScores, boundary_scores
from chunking.comparison.comparison import (
    Coverage,
    OverlapOutcome,
    SizeOutcome,
    SizeSummary,
    UnitCuts,
    coverage,
    first_words,
    nearest_gaps,
)
from chunking.comparison.report import Comparison, ComparisonEntry, make

__all__ = [
    "BoundaryScores",
    "Comparison",
    "ComparisonEntry",
    "Coverage",
    "OverlapOutcome",
    "SizeOutcome",
    "SizeSummary",
    "UnitCuts",
    "boundary_scores",
    "coverage",
    "first_words",
    "make",
    "nearest_gaps",
]
