"""Several segmentations of one document: their agreement, what differs, and a report of it."""

from chunking.comparison.chunk_sizes import OverlapOutcome, SizeOutcome, SizeSummary, coverage, first_words
from chunking.comparison.cut_changes import nearest_gaps

__all__ = ["OverlapOutcome", "SizeOutcome", "SizeSummary", "coverage", "first_words", "nearest_gaps"]
