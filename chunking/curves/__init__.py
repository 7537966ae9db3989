"""Distances of the gaps of a document, the thresholds over them, and the divisions that they lead to."""

from chunking.curves.distances import fuse, semantic_distances, windows
from chunking.curves.signals import Signals, measure
from chunking.curves.thresholds import RULES, Rule, Threshold, apply

__all__ = ["RULES", "Rule", "Signals", "Threshold", "apply", "fuse", "measure", "semantic_distances", "windows"]
