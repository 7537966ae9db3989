"""The start of the overlap of a chunk: the text before it that is repeated with it.

An overlap consists of whole sentences, words or lines and ends where the chunk starts. It is never longer than
requested, and the chunk with its overlap keeps the maximum.
"""

from __future__ import annotations

import numpy as np

from chunking.chunks.cut_points import ENDLESS, CutPoints
from chunking.runtime.arrays import Bools, Int64

WORD_UNITS = ("tokens", "characters")
"""Units in which an overlap does not depend on other chunks."""

REACH = 64
"""Characters per token that an overlap in tokens may reach back."""


def starts(cut_points: CutPoints, chunk_starts: Int64, ends: Int64, overlap: int, unit: str, maxima: Int64) -> Int64:
    """Return the starts of the overlaps of chunks.

    Args:
        cut_points: the places of cuts.
        chunk_starts, ends: ``(n,)`` int64, starts (after the beginning of the text) and ends of the chunks, in order.
        overlap: amount to repeat, in ``unit``; at least 1.
        unit: ``"sentences"``, ``"tokens"``, ``"characters"`` or ``"lines"``.
        maxima: ``(n,)`` int64, tokens that each chunk may have with its overlap.

    Returns:
        ``(n,)`` int64, at most ``chunk_starts``; equal to it if nothing can be repeated.
    """
    if unit in WORD_UNITS:
        return _of_words(cut_points, chunk_starts, ends, overlap, unit, maxima)
    begins = (
        cut_points.document.line_starts
        if unit == "lines"
        else np.concatenate(([0], cut_points.offsets[cut_points.gaps >= 0]))
    )
    return _of_runs(cut_points, np.union1d(begins, chunk_starts), chunk_starts, ends, overlap, maxima)


def _of_runs(
    cut_points: CutPoints, begins: Int64, chunk_starts: Int64, ends: Int64, overlap: int, maxima: Int64
) -> Int64:
    """Return starts of the last ``overlap`` runs before each chunk, of fewer if more would exceed the maximum.

    A piece of a sentence that was cut counts as one.
    """
    position = np.searchsorted(begins, chunk_starts)
    low, high = np.maximum(position - overlap, 0), position.copy()
    if not _is_limited(maxima):
        high = low
    while len(among := np.flatnonzero(low < high)):
        middle = (low[among] + high[among]) // 2
        good = np.array(cut_points.counts(begins[middle], ends[among]), dtype=np.int64) <= maxima[among]
        high[among[good]] = middle[good]
        low[among[~good]] = middle[~good] + 1
    return np.where(low < position, begins[np.minimum(low, len(begins) - 1)], chunk_starts)


def _of_words(cut_points: CutPoints, chunk_starts: Int64, ends: Int64, overlap: int, unit: str, maxima: Int64) -> Int64:
    """Return starts of the longest runs of whole words before each chunk that keep the overlap and the maximum."""
    words = cut_points.word_starts
    high = np.searchsorted(words, chunk_starts)
    # A word has at least one token and one character; for endless words, the limit of looking back keeps the work
    # in bounds.
    low = np.maximum(high - overlap, np.searchsorted(words, chunk_starts - REACH * overlap))
    stop = high.copy()
    fits = _fits_characters if unit == "characters" else _fits_tokens
    while len(among := np.flatnonzero(low < high)):
        middle = (low[among] + high[among]) // 2
        good = fits(cut_points, words[middle], chunk_starts[among], overlap)
        if _is_limited(maxima):
            total_tokens = np.array(cut_points.counts(words[middle], ends[among], cut_points.words), dtype=np.int64)
            good &= total_tokens <= maxima[among]
        high[among[good]] = middle[good]
        low[among[~good]] = middle[~good] + 1
    return np.where(low < stop, np.append(words, 0)[low], chunk_starts)


def _is_limited(maxima: Int64) -> bool:
    return bool((maxima < ENDLESS).any())


def _fits_tokens(cut_points: CutPoints, start: Int64, end: Int64, overlap: int) -> Bools:
    is_fitting: Bools = np.array(cut_points.counts(start, end, cut_points.words), dtype=np.int64) <= overlap
    return is_fitting


def _fits_characters(cut_points: CutPoints, start: Int64, end: Int64, overlap: int) -> Bools:
    is_fitting: Bools = end - start <= overlap
    return is_fitting
