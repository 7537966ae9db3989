"""Questions that miss their answer: what kept them from it, the smallest change that mends it, rankings to read."""

from chunking.retrieval.misses.blame import Blame, Cause, Miss
from chunking.retrieval.misses.looked import Missing, Ranked, Within

__all__ = ["Blame", "Cause", "Miss", "Missing", "Ranked", "Within"]
