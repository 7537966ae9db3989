"""Gold: true boundaries that a person set, read from files, and what the judgements of reviewers amount to."""

from chunking.gold.events import Event
from chunking.gold.gold import Read, gaps_of, gold_gaps, read, read_with_notes
from chunking.gold.state import Judgement, Review

__all__ = ["Event", "Judgement", "Read", "Review", "gaps_of", "gold_gaps", "read", "read_with_notes"]
