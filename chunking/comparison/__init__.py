"""Several segmentations of one document: their agreement, what differs, and a report of it."""

from chunking.comparison.agreement import BoundaryScores, boundary_scores
from chunking.comparison.chunk_sizes import Coverage, OverlapOutcome, SizeOutcome, SizeSummary, coverage, first_words
from chunking.comparison.cut_changes import UnitCuts, nearest_gaps
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
