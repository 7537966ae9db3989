"""References: boundaries that people set, read from files, and the judgements of reviewers behind them."""

from typing import TYPE_CHECKING

from chunking.old_names import old_names
from chunking.reference.events import Event
from chunking.reference.files import LoadedReference, read, read_with_notes
from chunking.reference.reference import NO_REFERENCE, PartialScore, Reference, gaps_of, partial_score, reference_gaps
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
    "partial_score",
    "read",
    "read_with_notes",
    "reference_gaps",
]

if not TYPE_CHECKING:  # a type checker knows the names of today alone
    __getattr__ = old_names(__name__, {"gold_gaps": "reference_gaps"})
