"""Spans and places found in a text: those of chunks of other programs, and those of an older text."""

from chunking.alignment.align import align
from chunking.alignment.pieces import Piece, Placed

__all__ = ["Piece", "Placed", "align"]
