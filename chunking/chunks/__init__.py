"""From cuts to chunks: possible places of cuts, size limits, overlap, and a reason for each cut."""

from chunking.chunks.chunks import (
    NO_OVERLAP,
    SHORT_OVERLAP,
    Chunk,
    ExternalText,
    Limited,
    build,
    counts_inside,
    first_word,
    leaves,
    limited,
    nest,
    reach_minima,
    table_header,
    with_kept,
)
from chunking.chunks.counts import TokenCounts, count_later
from chunking.chunks.cut_points import CutPoints
from chunking.chunks.cuts import Cut, Driver, Reason, hand_cut, reason_words
from chunking.chunks.sizes import NO_LIMITS, RetrievalSizeParameters, SizeParameters

__all__ = [
    "NO_LIMITS",
    "NO_OVERLAP",
    "SHORT_OVERLAP",
    "Chunk",
    "Cut",
    "CutPoints",
    "Driver",
    "ExternalText",
    "Limited",
    "Reason",
    "RetrievalSizeParameters",
    "SizeParameters",
    "TokenCounts",
    "build",
    "count_later",
    "counts_inside",
    "first_word",
    "hand_cut",
    "leaves",
    "limited",
    "nest",
    "reach_minima",
    "reason_words",
    "table_header",
    "with_kept",
]
