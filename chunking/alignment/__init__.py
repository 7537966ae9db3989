"""Chunks that other programs made: read, and aligned back to true spans of the document."""

from chunking.alignment.align import align, losses, repeats
from chunking.alignment.pieces import Piece, Placed

__all__ = ["Piece", "Placed", "align", "losses", "repeats"]
