"""The curves of a document: distances of its gaps, thresholds, and divisions at change points."""

from chunking.curves.distances import fuse, semantic_distances, windows
from chunking.curves.signals import Signals, measure
from chunking.curves.thresholds import RULES, Rule, Threshold, apply

__all__ = ["RULES", "Rule", "Signals", "Threshold", "apply", "fuse", "measure", "semantic_distances", "windows"]
