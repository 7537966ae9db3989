"""Distances: how far apart the two sides of each gap are, in meaning, in structure, and fused.

``semantic = 1 − cos`` of what stands left and right of the gap: 0 for the same direction, 1 for unrelated, a little
over 1 where two vectors point apart. ``fused = α·semantic + (1 − α)·structural``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]


def windows(texts: Sequence[str], window: int) -> list[str]:
    """What is embedded for each sentence: itself with ``window`` neighbours on either side, joined by a space.

    ``window=0`` gives the sentences, ``window=1`` the triples of LangChain's SemanticChunker (its ``buffer_size``).
    """
    if window == 0:
        return list(texts)
    return [" ".join(texts[max(0, place - window) : place + window + 1]) for place in range(len(texts))]


def semantic_distances(vectors: Vectors, block: int = 1) -> Floats:
    """Cosine distance across every gap.

    Args:
        vectors: ``(n_sentences, dim)`` float32, one a sentence.
        block: how many sentences on each side are averaged before they are compared; fewer at the document's ends.
            1 compares the two neighbours. Blocks of several make a curve of topics rather than of sentences, as in
            Hearst's TextTiling (1997).

    Returns:
        ``(n_sentences − 1,)`` float64, or empty.
    """
    if len(vectors) < 2:
        return np.zeros(0)
    found = [_cosines(*_sides(vectors, block, start)) for start in range(0, len(vectors) - 1, _SLAB)]
    return np.clip(1.0 - np.concatenate(found), 0.0, 2.0).round(_DIGITS)


_DIGITS = 10
"""Decimals that are kept: below them running sums differ by place, and equal neighbourhoods would not be equal."""

_SLAB = 2048
"""Gaps that are worked on at once, so that what is copied stays small beside the vectors themselves."""


def _sides(vectors: Vectors, block: int, start: int) -> tuple[Floats, Floats]:
    """Sums of up to ``block`` vectors on each side of a slab's gaps; the cosine does not see the missing division."""
    stop = min(start + _SLAB, len(vectors) - 1)
    first, last = max(0, start + 1 - block), min(len(vectors), stop + block)
    near = vectors[first:last].astype(np.float64)
    gaps = np.arange(start + 1, stop + 1) - first
    if block == 1:
        return near[gaps - 1], near[gaps]
    sums = np.concatenate((np.zeros((1, near.shape[1])), np.cumsum(near, axis=0)))
    return sums[gaps] - sums[np.maximum(gaps - block, 0)], sums[np.minimum(gaps + block, len(near))] - sums[gaps]


def _cosines(left: Floats, right: Floats) -> Floats:
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    products = np.einsum("ij,ij->i", left, right)
    cosines: Floats = np.divide(products, norms, out=np.zeros_like(norms), where=norms > 0)
    return cosines


def fuse(semantic: Floats, structural: Floats, alpha: float) -> Floats:
    """``alpha · semantic + (1 − alpha) · structural``, to 12 decimals, so that rounding does not part equal gaps."""
    return (alpha * semantic + (1.0 - alpha) * structural).round(12)
