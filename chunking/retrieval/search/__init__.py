"""A corpus cut into passages, and the passages that a question finds: by meaning, by words, or by both."""

from chunking.retrieval.search.bm25 import BM25
from chunking.retrieval.search.index import CHOICES, EXACT, Choice, SearchReport
from chunking.retrieval.search.passages import Passages
from chunking.retrieval.search.ranking import METHODS, DenseScorer, Method, Rankings

__all__ = [
    "BM25",
    "CHOICES",
    "EXACT",
    "METHODS",
    "Choice",
    "DenseScorer",
    "Method",
    "Passages",
    "Rankings",
    "SearchReport",
]
