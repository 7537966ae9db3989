"""References: boundaries that people set, read from files, and the judgements of reviewers behind them."""

from chunking.reference.events import Event
from chunking.reference.files import LoadedReference, read, read_with_notes
from chunking.reference.reference import NO_REFERENCE, PartialScore, Reference, gaps_of, gold_gaps, partial_score
from chunking.reference.state import Judgement, Review

__all__ = [
    "NO_REFERENCE",
    "Event",
    "Judgement",
    "LoadedReference",
    "PartialScore",
    "Reference",
    "Review",
    "gaps_of",
    "gold_gaps",
    "partial_score",
    "read",
    "read_with_notes",
]
