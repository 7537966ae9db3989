"""The vectors of passages, by what is embedded for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking import embedding
from chunking.embedding import Encoder, late
from chunking.embedding.vector_cache import VectorCache
from chunking.retrieval.questions.data import CorpusDocument
from chunking.retrieval.search.passages import Passages
from chunking.runtime.arrays import Float32
from chunking.runtime.progress import Progress
from chunking.strategies.context import EMBED_LATE


def of_passages(
    passages: Passages,
    sources: Sequence[CorpusDocument],
    encoder: Encoder,
    cache: VectorCache | None = None,
    progress: Progress | None = None,
) -> Float32:
    """Return the vectors of all passages: ``(n_passages, dim)`` float32.

    Args:
        passages: what is embedded.
        sources: their documents.
        encoder: embeds.
        cache: what it holds is not embedded again.
        progress: told of passages; may raise to stop.

    Raises:
        ChunkscopeError: the encoder cannot be used, or gives no token vectors where late chunking needs them.
    """
    if passages.context.embed != EMBED_LATE:
        hashes = [source.text_hash for source in sources]
        origins = [hashes[place] for place in passages.document.tolist()]
        return embedding.embed(passages.indexed_texts(sources), encoder, cache, progress, origins=origins)
    late.check(encoder)
    found = np.zeros((len(passages), encoder.dimension), dtype=np.float32)
    ends = np.searchsorted(passages.document, np.arange(len(sources)), side="right").tolist()
    first = 0
    for source, last in zip(sources, ends, strict=True):
        if last > first:
            spans = np.stack([passages.leads[first:last], passages.end[first:last]], axis=1)
            found[first:last] = late.embed(source.text, spans, encoder, cache)
        first = last
        if progress:
            progress(last, len(passages))
    return found
