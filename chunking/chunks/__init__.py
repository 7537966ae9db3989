"""From cuts to chunks: possible places of cuts, size limits, overlap, and a reason for each cut."""

from chunking.chunks.chunks import (
    NO_OVERLAP,
    SHORT_OVERLAP,
    Chunk,
    ExternalText,
    Limited,
    build,
    counts_inside,
    embedded_context,
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
from chunking.chunks.embedded import before_chunk, embedded_before, first_word
from chunking.chunks.sizes import NO_LIMITS, Maximum, RetrievalSizeParameters, SizeParameters

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
    "Maximum",
    "Reason",
    "RetrievalSizeParameters",
    "SizeParameters",
    "TokenCounts",
    "before_chunk",
    "build",
    "count_later",
    "counts_inside",
    "embedded_before",
    "embedded_context",
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
