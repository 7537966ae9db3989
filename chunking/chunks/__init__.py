"""From cuts to chunks: possible places of cuts, size limits, overlap, and a reason for each cut."""

from chunking.chunks.chunks import (
    NO_OVERLAP,
    SHORT_OVERLAP,
    Chunk,
    Cut,
    Driver,
    Foreign,
    Limited,
    Reason,
    SizeParameters,
    build,
    first_word,
    leaves,
    limited,
)
from chunking.chunks.counts import DeferredCounts
from chunking.chunks.grid import Grid

__all__ = [
    "NO_OVERLAP",
    "SHORT_OVERLAP",
    "Chunk",
    "Cut",
    "DeferredCounts",
    "Driver",
    "Foreign",
    "Grid",
    "Limited",
    "Reason",
    "SizeParameters",
    "build",
    "first_word",
    "leaves",
    "limited",
]
