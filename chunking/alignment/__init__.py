"""Chunks of other programs: read, and aligned to their true spans in the document."""

from chunking.alignment.align import align
from chunking.alignment.pieces import Piece, Placed

__all__ = ["Piece", "Placed", "align"]
