"""Late chunking: a chunk's vector is the mean of its token vectors, read with the document around them.

After Günther et al. (2024). A document that is longer than the encoder reads is read in windows of that limit, each
overlapping the next by half; a token's vector is that of the window in which it is farther from an end. So with
all-MiniLM-L6-v2, which reads 256 tokens, a token knows at least 63 tokens on either side, and never more than 253
others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from chunking import embedding
from chunking.document import hash_of
from chunking.embedding.encoders import Encoder
from chunking.embedding.transformer import REMEDY, TokenEncoder, TokenVectors
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Bools, Float32, Float64, Int64

_KEY = "late/1"
"""Version of the method, part of every cache key."""

_READ = 32
"""Windows that are read at once. Their token vectors are summed and dropped before the next are read, so that a long
document needs little more memory than a short one."""


@dataclass(frozen=True, slots=True)
class Window:
    """A part of a document that is read at once.

    Attributes:
        start, end: its text, in characters of the document.
        own_start, own_end: the tokens that begin here take their vectors from it.
    """

    start: int
    end: int
    own_start: int
    own_end: int


def windows(starts: Int64, length: int, room: int) -> list[Window]:
    """Return the windows of a document, which own every token once.

    Args:
        starts: ``(n,)`` int64, where each of its tokens begins.
        length: characters of the document.
        room: tokens of a window, at least 2.
    """
    count, step = len(starts), max(room // 2, 1)
    firsts = list(range(0, max(count - room, 0) + step, step)) if count > room else [0]
    edges = [0, *(int(starts[(after + before + room) // 2]) for before, after in pairwise(firsts)), length]
    parts = []
    for number, first in enumerate(firsts):
        start = int(starts[first]) if number else 0
        end = int(starts[first + room]) if first + room < count else length
        parts.append(Window(start, end, edges[number], edges[number + 1]))
    return parts


def tokens(text: str, encoder: TokenEncoder) -> Iterator[TokenVectors]:
    """Yield the tokens of a text in order, each once, with their vectors in the windows that own them."""
    parts = windows(encoder.token_starts(text), len(text), encoder.token_room)
    for first in range(0, len(parts), _READ):
        batch = parts[first : first + _READ]
        read = encoder.token_vectors([text[part.start : part.end] for part in batch])
        for part, part_tokens in zip(batch, read, strict=True):
            starts = part_tokens.starts + part.start
            is_owned = (starts >= part.own_start) & (starts < part.own_end)
            yield TokenVectors(starts[is_owned], part_tokens.vectors[is_owned])


def pooled(batches: Iterable[TokenVectors], spans: Int64, dimension: int) -> tuple[Float32, Bools]:
    """Return the mean of the token vectors in each span, of length 1, and whether there is any.

    Args:
        batches: the tokens of a text, in order, read one batch after the other.
        spans: ``(n, 2)`` int64 of its characters.
        dimension: of a vector.
    """
    edges = np.unique(spans)
    sums: Float64 = np.zeros((len(edges) + 1, dimension))  # of the tokens before the first edge, and from each edge on
    counts = np.zeros(len(edges) + 1, dtype=np.int64)
    for batch in batches:
        slots = np.searchsorted(edges, batch.starts, side="right")
        np.add.at(sums, slots, batch.vectors)
        np.add.at(counts, slots, 1)
    first, last = np.searchsorted(edges, spans[:, 0]) + 1, np.searchsorted(edges, spans[:, 1]) + 1
    before: Float64 = np.concatenate((np.zeros((1, dimension)), np.cumsum(sums, axis=0)))
    count_before = np.concatenate(([0], np.cumsum(counts)))
    total = before[last] - before[first]
    length = np.linalg.norm(total, axis=1)
    has_tokens: Bools = (count_before[last] > count_before[first]) & (length > 0)
    unit: Float32 = (total / np.where(has_tokens, length, 1.0)[:, None]).astype(np.float32)
    return unit, has_tokens


def embed(text: str, spans: Int64, encoder: Encoder, cache: VectorCache | None = None) -> Float32:
    """Return the vectors of spans of a text: ``(n, dim)`` float32, rounded to float16 as any vector.

    A span without a token is embedded alone.

    Args:
        text: of the document.
        spans: ``(n, 2)`` int64.
        encoder: gives the vectors of tokens.
        cache: what it holds is not computed again.

    Raises:
        ChunkscopeError: the encoder gives no vectors of tokens.
    """
    reader = check(encoder)
    if cache is None:
        return _embed(text, spans, reader)
    origin = hash_of(text)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    key, names = f"{encoder.key}/{_KEY}", [f"{digest}/{start}-{end}" for start, end in spans.tolist()]
    vectors, is_cached = cache.get_many(key, names, encoder.dimension)
    missing = np.flatnonzero(~is_cached)
    if len(missing):
        vectors[missing] = _embed(text, spans[missing], reader)
        cache.put_many(key, [names[index] for index in missing.tolist()], vectors[missing], [origin] * len(missing))
    return vectors


def _embed(text: str, spans: Int64, encoder: TokenEncoder) -> Float32:
    vectors, has_tokens = pooled(tokens(text, encoder), spans, encoder.dimension)
    vectors = vectors.astype(np.float16).astype(np.float32)
    alone = np.flatnonzero(~has_tokens)
    if len(alone):
        vectors[alone] = embedding.embed([text[start:end] for start, end in spans[alone].tolist()], encoder)
    return vectors


def check(encoder: Encoder) -> TokenEncoder:
    """Return the encoder if it gives vectors of tokens.

    Raises:
        ChunkscopeError: it does not.
    """
    if isinstance(encoder, TokenEncoder):
        encoder.token_starts("")  # raises where the model gives none
        return encoder
    why = (
        "has one vector for each word piece whatever stands around it, so embed=late would equal embed=chunk"
        if isinstance(encoder, embedding.Static)
        else "gives no token vectors, which embed=late requires"
    )
    raise ChunkscopeError(f"The encoder {encoder.name!r:.120} {why}.", REMEDY)
