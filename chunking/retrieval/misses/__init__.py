"""Questions that miss their answer: what kept them from it, the smallest change that mends it, rankings to read."""

from chunking.retrieval.misses.analysis import Cause, Miss, MissAnalysis
from chunking.retrieval.misses.retrieved import Cutoff, MissingSpan, SizedRanking

__all__ = ["Cause", "Cutoff", "Miss", "MissAnalysis", "MissingSpan", "SizedRanking"]
