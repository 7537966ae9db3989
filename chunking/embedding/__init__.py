"""Embeddings: one unit vector a text, by an encoder that is loaded only when something is missing from the cache.

An encoder is anything of the shape of :class:`Encoder`. Two are built in: all-MiniLM-L6-v2, the default, and
``char-ngrams``, which compares letters. Chosen by name, and never by default: any sentence-transformers model in a
folder or in the local Hugging Face cache, and ``openai:MODEL``, an endpoint that speaks OpenAI's protocol. Importing
this package imports neither torch nor sentence-transformers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence

import numpy as np

from chunking.embedding import char_ngrams, endpoint, local, minilm
from chunking.embedding.char_ngrams import CharNgrams
from chunking.embedding.contract import Bool, Encoder, EncoderInfo, Float32, Int64, Progress
from chunking.embedding.endpoint import Endpoint, configure_endpoint
from chunking.embedding.local import LocalModel
from chunking.embedding.minilm import MINILM_SHA256, MiniLM, _load_minilm
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError

__all__ = [
    "BATCH_SIZE",
    "DEFAULT_ENCODER",
    "MINILM_SHA256",
    "CharNgrams",
    "Encoder",
    "EncoderInfo",
    "Endpoint",
    "Int64",
    "LocalModel",
    "MiniLM",
    "_load_minilm",
    "configure_endpoint",
    "describe_encoder",
    "embed",
    "encoder_names",
    "get_encoder",
    "truncated",
]

DEFAULT_ENCODER = MiniLM.name
"""The encoder that is used where none is named."""

BATCH_SIZE = 128
"""Texts that are encoded at a time: what a cancelled run loses at most."""

_ENCODERS: dict[str, Callable[[], Encoder]] = {MiniLM.name: MiniLM, CharNgrams.name: CharNgrams}
_INFOS: dict[str, EncoderInfo] = {info.name: info for info in (minilm.INFO, char_ngrams.INFO)}
_made: dict[Hashable, Encoder] = {}
_lock = threading.Lock()


def encoder_names() -> tuple[str, ...]:
    """The encoders that are built in. :func:`get_encoder` knows more: models by folder or name, and endpoints."""
    return tuple(_ENCODERS)


def get_encoder(name: str = DEFAULT_ENCODER) -> Encoder:
    """The encoder of that name, one object in a process; nothing is loaded, and no network asked, yet.

    Args:
        name: one of :func:`encoder_names`; a folder with a sentence-transformers model (absolute, or beginning with
            ``./``, ``../`` or ``~``); the name of one in the local Hugging Face cache; or ``openai:MODEL``, see
            :mod:`chunking.embedding.endpoint`.

    Raises:
        ChunkscopeError: no encoder has that name, or the model is not there or of a kind that is not loaded.
    """
    key, make = _maker(name)
    with _lock:
        if key not in _made:
            made = make()
            for older in [old for old in _made if isinstance(old, tuple) and old[0] == name]:
                del _made[older]  # of files that have changed, or an endpoint that has moved
            _made[key] = made
        return _made[key]


def _maker(name: str) -> tuple[Hashable, Callable[[], Encoder]]:
    """What identifies an encoder in this process, and what makes it."""
    if name in _ENCODERS:
        return name, _ENCODERS[name]
    if endpoint.is_endpoint(name):
        where = endpoint.current()
        return (name, where), lambda: endpoint.OpenAIEndpoint(name, where)
    folder = local.find(name)
    if folder is None:
        raise ChunkscopeError(
            f"There is no encoder {name!r:.120}.",
            f"Choose one of: {', '.join(_ENCODERS)}; openai:MODEL; a folder with a sentence-transformers model; or the "
            "name of one that was fetched into the Hugging Face cache before (hf download NAME): "
            "nothing is fetched while Chunkscope runs.",
        )
    return (name, local.stamp(folder)), lambda: LocalModel(name, folder)


def describe_encoder(name: str) -> EncoderInfo:
    """What an encoder is, its languages, and whether it sends text to another host; nothing is loaded or asked.

    Raises:
        ChunkscopeError: as of :func:`get_encoder`.
    """
    if name in _INFOS:
        return _INFOS[name]
    encoder = get_encoder(name)
    if isinstance(encoder, LocalModel | endpoint.OpenAIEndpoint):
        return encoder.info
    return EncoderInfo(name, name, "", encoder.languages)


def embed(
    texts: Sequence[str],
    encoder: Encoder,
    cache: VectorCache | None = None,
    progress: Progress | None = None,
    batch_size: int = BATCH_SIZE,
) -> Float32:
    """The vectors of texts, from the cache where it has them.

    Each distinct text is encoded once. Texts of like length are encoded together, so that little of a batch is
    padding; a vector differs by rounding alone whatever it was encoded with. Numbers are rounded to float16, so that
    fresh, cached and shipped vectors are the same. Each batch is in the
    cache before the next is begun.

    Args:
        texts: ``n`` texts.
        encoder: what encodes those that the cache does not have; not called if there are none.
        cache: where vectors are looked up and kept.
        progress: called with the number of distinct texts done and of all, after the look-up and after each batch.
        batch_size: texts in a batch.

    Returns:
        ``(n, encoder.dimension)`` float32.

    Raises:
        ChunkscopeError: the encoder cannot be used, or returned something other than one finite vector a text.
    """
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    unique = list(places)
    if cache is None:
        vectors = np.zeros((len(unique), encoder.dimension), dtype=np.float32)
        found = np.zeros(len(unique), dtype=np.bool_)
    else:
        vectors, found = cache.get_many(encoder.key, unique, encoder.dimension)
    missing = sorted(np.flatnonzero(~found).tolist(), key=lambda place: len(unique[place]))
    done = len(unique) - len(missing)
    if progress:
        progress(done, len(unique))
    for start in range(0, len(missing), batch_size):
        batch = missing[start : start + batch_size]
        batch_texts = [unique[place] for place in batch]
        vectors[batch] = _rounded(_checked(encoder.encode(batch_texts), len(batch), encoder))
        if cache is not None:
            cache.put_many(encoder.key, batch_texts, vectors[batch])
        done += len(batch)
        if progress:
            progress(done, len(unique))
    return vectors[np.fromiter((places[text] for text in texts), dtype=np.int64, count=len(texts))]


def _rounded(vectors: Float32) -> Float32:
    """The nearest float16 of each number.

    It hides the last bits, in which processors and batches differ, and makes a vector that was kept at half the size
    the same as a fresh one. It moves a cosine by about 0.00002.
    """
    return vectors.astype(np.float16).astype(np.float32)


def _checked(vectors: Float32, count: int, encoder: Encoder) -> Float32:
    if vectors.shape != (count, encoder.dimension) or not np.isfinite(vectors).all():
        raise ChunkscopeError(
            f"The encoder {encoder.name!r} did not return {count} finite vectors of {encoder.dimension} numbers.",
            "Choose another encoder.",
        )
    return vectors


def truncated(texts: Sequence[str], encoder: Encoder) -> Bool:
    """Which texts are longer than the encoder reads, so that their ends are cut off: ``(n,)`` bool."""
    # No tokenizer makes more tokens than bytes, but for the few special ones: most sentences need no counting.
    long = [
        place for place, text in enumerate(texts) if len(text.encode("utf-8", "surrogatepass")) + 8 > encoder.max_tokens
    ]
    found = np.zeros(len(texts), dtype=np.bool_)
    if long:
        found[long] = encoder.token_counts([texts[place] for place in long]) > encoder.max_tokens
    return found
