"""How far each gap stands out from its surroundings, at several scales: the learned view of meaning.

The distance of two blocks of sentences rises slowly towards a change of topic and falls slowly after it, and lies
higher everywhere in a text that wanders. So a distance is compared with those of the gaps around it, in units of
the document's own spread: by how much it exceeds the mean of its neighbourhood (``rise``), and its highest neighbour
(``peak``). What each is worth is in the table of :mod:`chunking.signals.boundary_model`.
"""

from __future__ import annotations

import numpy as np

from chunking.runtime.arrays import Float32, Float64
from chunking.signals.boundary_model import LOG_ODDS, SCALES, deviations, weighted
from chunking.signals.distances import semantic_distances

RISES = (2, 3, 5, 8, 12)
"""Sentences on each side of a gap whose mean vectors are compared, for ``rise``."""

PEAKS = (1, 2, 3, 5)
"""The same for ``peak``."""

TITLES = (
    *(f"Rise, {block} a side" for block in RISES),
    *(f"Peak, {block} a side" for block in PEAKS),
)
"""Of the measurements, on the page."""

NAMES = (*(f"rise_{block}" for block in RISES), *(f"peak_{block}" for block in PEAKS))
_DIGITS = 8
_DEEPEST = -6.0
"""Spreads below its highest neighbour at which a gap is as low as it can be."""


def log_odds(vectors: Float32) -> Float64:
    """Return the learned evidence for a boundary at every gap, ``(n_gaps,)`` float64.

    Args:
        vectors: ``(n_sentences, dim)`` float32, one a sentence.
    """
    return weighted(measurements(vectors), SCALES)


def measurements(vectors: Float32) -> Float64:
    """Return how far the measurements of every gap deviate from the document's mean, in usual spreads.

    Args:
        vectors: ``(n_sentences, dim)`` float32, one a sentence.

    Returns:
        ``(n_gaps, 9)`` float64, columns in the order of :data:`NAMES`.
    """
    return deviations(values(vectors), SCALES)


def distances(evidence: Float64) -> Float64:
    """Return evidence in log-odds as semantic distances, ``(n_gaps,)`` float64 in 0 to 1; 0.5 says nothing."""
    return np.clip(0.5 + evidence / LOG_ODDS, 0.0, 1.0)


def values(vectors: Float32) -> Float64:
    """Return the measurements of every gap.

    Args:
        vectors: ``(n_sentences, dim)`` float32, one a sentence.

    Returns:
        ``(n_gaps, 9)`` float64, columns in the order of :data:`NAMES`.
    """
    if len(vectors) < 2:
        return np.zeros((0, len(NAMES)))
    centred = _half_centred(vectors)
    heights = {block: _standardize(semantic_distances(centred, block)) for block in {*RISES, *PEAKS}}
    rises = [heights[block] - _local_mean(heights[block], 2 * block + 1) for block in RISES]
    peaks = [np.maximum(heights[block] - _highest_neighbour(heights[block], block), _DEEPEST) for block in PEAKS]
    return np.column_stack([*rises, *peaks]).round(_DIGITS)


def _half_centred(vectors: Float32) -> Float32:
    """Return vectors without half of the document's mean: what all sentences share is no evidence, but a sentence that
    says little else must not become an outlier.
    """
    centred: Float32 = vectors - np.float32(0.5) * vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    return centred


def _standardize(distances: Float64) -> Float64:
    """Return distances in spreads above the document's mean; zero where they are all equal."""
    spread = distances.std()
    return (distances - distances.mean()) / spread if spread > _EQUAL else np.zeros_like(distances)


_EQUAL = 1e-6


def _local_mean(values: Float64, reach: int) -> Float64:
    """Return the mean of each value and up to ``reach`` neighbours on either side."""
    indices = np.arange(len(values))
    first, last = np.maximum(indices - reach, 0), np.minimum(indices + reach + 1, len(values))
    sums = np.concatenate(([0.0], np.cumsum(values)))
    means: Float64 = (sums[last] - sums[first]) / (last - first)
    return means


def _highest_neighbour(values: Float64, reach: int) -> Float64:
    """Return the highest of up to ``reach`` neighbours on either side of each value; its own where it has none."""
    if len(values) < 2:
        return values
    padded = np.concatenate((np.full(reach, -np.inf), values, np.full(reach, -np.inf)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, reach)
    highest: Float64 = np.maximum(windows[: len(values)].max(axis=1), windows[reach + 1 :].max(axis=1))
    return highest
