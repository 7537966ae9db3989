"""Distances between the two sides of each gap: semantic, structural, and fused.

``semantic = 1 − cos`` of the vectors left and right of the gap: 0 for equal directions, 1 for unrelated ones, slightly
above 1 for opposed ones. ``fused = α·semantic + (1 − α)·structural``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from chunking.runtime.arrays import Float32, Float64
from chunking.sentences import Sentences

Embed = Callable[[str, Sequence[str], Sequence[str]], Float32]
"""``embed(encoder, texts, origins)``: ``(n, dim)`` vectors of texts; the origins are hashes of their documents."""


def windows(texts: Sequence[str], window: int) -> list[str]:
    """Return the text that is embedded for each sentence: with ``window`` neighbours on either side, joined by a space.

    ``window=0`` gives the sentences, ``window=1`` the triples of LangChain's SemanticChunker (its ``buffer_size``).
    """
    if window == 0:
        return list(texts)
    return [" ".join(texts[max(0, index - window) : index + window + 1]) for index in range(len(texts))]


def embed_windows(
    documents: Sequence[Sentences], encoders: Sequence[str], widths: Sequence[int], embed: Embed
) -> Iterator[tuple[int, int, Float32]]:
    """Yield the vectors of each document in windows of each width, those by one encoder embedded together.

    Args:
        documents: the sentences of each.
        encoders: name of the encoder of each.
        widths: neighbours on either side of a sentence.
        embed: returns the vectors of texts.

    Yields:
        Index of the document, width, and ``(n_sentences, dim)`` float32.
    """
    for encoder in dict.fromkeys(encoders):
        indices = [index for index, other in enumerate(encoders) if other == encoder]
        group = [documents[index] for index in indices]
        origins = [document.document.text_hash for document in group for _ in document.texts]
        ends = np.cumsum([len(document) for document in group])[:-1]
        for width in widths:
            texts = [text for document in group for text in windows(document.texts, width)]
            for index, vectors in zip(indices, np.split(embed(encoder, texts, origins), ends), strict=True):
                yield index, width, vectors


def semantic_distances(vectors: Float32, block: int = 1) -> Float64:
    """Return the cosine distance across every gap.

    Args:
        vectors: ``(n_sentences, dim)`` float32, one per sentence.
        block: number of sentences on each side whose vectors are averaged before comparison; fewer at the document's
            ends. 1 compares the two neighbours; larger blocks follow topics rather than sentences, as in Hearst's
            TextTiling (1997).

    Returns:
        ``(n_sentences − 1,)`` float64, or empty.
    """
    if len(vectors) < 2:
        return np.zeros(0)
    cosines = [_cosines(*_sides(vectors, block, start)) for start in range(0, len(vectors) - 1, _SLAB)]
    return np.clip(1.0 - np.concatenate(cosines), 0.0, 2.0).round(_DIGITS)


_DIGITS = 10
"""Decimals kept: beyond them, running sums differ by position, so equal neighbourhoods would get unequal distances."""

_SLAB = 2048
"""Gaps processed at once, so that copies stay small compared with the vectors."""


def _sides(vectors: Float32, block: int, start: int) -> tuple[Float64, Float64]:
    """Return sums of up to ``block`` vectors on each side of a slab's gaps (a cosine needs no mean)."""
    stop = min(start + _SLAB, len(vectors) - 1)
    first, last = max(0, start + 1 - block), min(len(vectors), stop + block)
    near = vectors[first:last].astype(np.float64)
    gaps = np.arange(start + 1, stop + 1) - first
    if block == 1:
        return near[gaps - 1], near[gaps]
    sums = np.concatenate((np.zeros((1, near.shape[1])), np.cumsum(near, axis=0)))
    return sums[gaps] - sums[np.maximum(gaps - block, 0)], sums[np.minimum(gaps + block, len(near))] - sums[gaps]


def _cosines(left: Float64, right: Float64) -> Float64:
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    products = np.einsum("ij,ij->i", left, right)
    cosines: Float64 = np.divide(products, norms, out=np.zeros_like(norms), where=norms > 0)
    return cosines


def fuse(semantic: Float64, structural: Float64, alpha: float) -> Float64:
    """Return ``alpha · semantic + (1 − alpha) · structural`` to 12 decimals, so that equal gaps stay equal."""
    return (alpha * semantic + (1.0 - alpha) * structural).round(12)
