"""Embeddings: one unit vector per text, by an encoder that is loaded only if the cache lacks a text.

An encoder implements :class:`Encoder`. Three are built in: ``static``, a table of word vectors distilled from
all-MiniLM-L6-v2, which needs no torch and finds boundaries in English as well as it does; ``char-ngrams``, which
compares letters, for boundaries in other languages; and all-MiniLM-L6-v2 itself, for retrieval where it is installed.
An extra adds ``multilingual-e5-small``, a small model of many languages without torch.
Others can be chosen by name: any sentence-transformers model in a folder or in the local Hugging Face cache, and
``openai:MODEL``, an endpoint with OpenAI's protocol. Importing this package imports neither torch nor
sentence-transformers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from importlib.util import find_spec

import numpy as np

from chunking import tokens
from chunking.embedding import char_ngrams, endpoint, local, minilm, multilingual, static
from chunking.embedding.char_ngrams import CharNgrams
from chunking.embedding.encoders import (
    DEVICE,
    PRECISION,
    UNLIMITED,
    Encoder,
    EncoderInfo,
    configure_device,
    configure_precision,
)
from chunking.embedding.endpoint import Endpoint, configure_endpoint
from chunking.embedding.local import LocalModel
from chunking.embedding.minilm import MINILM_SHA256, MiniLM, _load_minilm
from chunking.embedding.multilingual import MultilingualE5
from chunking.embedding.own_tokens import AS_ENCODER, EncoderTokens, own_tokens
from chunking.embedding.static import Static
from chunking.embedding.vector_cache import VectorCache
from chunking.errors import ChunkscopeError
from chunking.installation import install_command
from chunking.runtime.arrays import Bools, Float32
from chunking.runtime.progress import Progress

__all__ = [
    "AS_ENCODER",
    "BATCH_SIZE",
    "BOUNDARY_ENCODERS",
    "DEVICE",
    "MINILM_SHA256",
    "PRECISION",
    "CharNgrams",
    "Encoder",
    "EncoderInfo",
    "EncoderTokens",
    "Endpoint",
    "LocalModel",
    "MiniLM",
    "MultilingualE5",
    "Static",
    "_load_minilm",
    "boundary_encoder",
    "check_installed",
    "configure_device",
    "configure_endpoint",
    "configure_precision",
    "counts_as",
    "default_tokenizer",
    "describe_encoder",
    "embed",
    "encoder_names",
    "get_encoder",
    "own_tokenizer",
    "read_limit",
    "retrieval_encoder",
    "truncated",
]

BATCH_SIZE = 128
"""Texts that are encoded at a time: the most that a cancelled run loses."""

_BUILT_IN: dict[str, Callable[[], Encoder]] = {
    MiniLM.name: MiniLM,
    Static.name: Static,
    CharNgrams.name: CharNgrams,
    MultilingualE5.name: MultilingualE5,
}
_INFOS: dict[str, EncoderInfo] = {
    info.name: info for info in (minilm.INFO, static.INFO, char_ngrams.INFO, multilingual.INFO)
}
_encoders: dict[Hashable, Encoder] = {}
_lock = threading.Lock()


def encoder_names() -> tuple[str, ...]:
    """Return the built-in encoders; that of an extra only where it is installed.

    :func:`get_encoder` also accepts models by folder or name, and endpoints.
    """
    missing = set() if multilingual.is_installed() else {MultilingualE5.name}
    return tuple(name for name in _BUILT_IN if name not in missing)


BOUNDARY_ENCODERS = (Static.name, CharNgrams.name)
"""The encoders that find boundaries unless another is named, see :func:`boundary_encoder`."""


def boundary_encoder(language: str) -> str:
    """Return the encoder that finds boundaries in a language unless another is named.

    In English ``static`` is as good as all-MiniLM-L6-v2. In eleven other languages that were measured, ``char-ngrams``
    is the best of the three or within a point of it: see docs/findings.md.

    Args:
        language: ISO 639-1 code, ``"und"`` where it is unknown.
    """
    return Static.name if language in (*Static.languages, "und") else CharNgrams.name


def retrieval_encoder() -> str:
    """Return the encoder that chunks and questions are compared with unless another is named: all-MiniLM-L6-v2 where
    its packages are installed, else ``static``."""
    return MiniLM.name if minilm.is_installed() else Static.name


def get_encoder(name: str = MiniLM.name) -> Encoder:
    """Return the encoder of that name, one object per process. Nothing is loaded or requested yet.

    Args:
        name: one of :func:`encoder_names`; a folder with a sentence-transformers model (absolute, or beginning with
            ``./``, ``../`` or ``~``); the name of one in the local Hugging Face cache; or ``openai:MODEL``, see
            :mod:`chunking.embedding.endpoint`.

    Raises:
        ChunkscopeError: the name is unknown, or the model is missing or of a kind that is not loaded.
    """
    key, make = _factory(name)
    with _lock:
        if key not in _encoders:
            encoder = make()
            for older in [old for old in _encoders if isinstance(old, tuple) and old[0] == name]:
                del _encoders[older]  # its files or its endpoint have changed
            _encoders[key] = encoder
        return _encoders[key]


def _factory(name: str) -> tuple[Hashable, Callable[[], Encoder]]:
    """Return the identity of an encoder in this process, and its factory."""
    if name in _BUILT_IN:
        return name, _BUILT_IN[name]
    if endpoint.is_endpoint(name):
        where = endpoint.current()
        return (name, where), lambda: endpoint.OpenAIEndpoint(name, where)
    folder = local.find(name)
    if folder is None:
        raise ChunkscopeError(
            f"Unknown encoder {name!r:.120}.",
            f"Choose one of: {', '.join(_BUILT_IN)}; openai:MODEL; a folder with a sentence-transformers model; or the "
            "name of one in the Hugging Face cache (fetch it with hf download NAME: Chunkscope downloads nothing).",
        )
    return (name, local.stamp(folder)), lambda: LocalModel(name, folder)


def check_installed(name: str) -> None:
    """Check that what runs an encoder is installed, without importing it.

    Raises:
        ChunkscopeError: it is not, or the encoder is unknown.
    """
    encoder, extra, is_ready = get_encoder(name), "models", True
    if isinstance(encoder, MultilingualE5):
        extra, is_ready = "multilingual", multilingual.is_installed()
    elif isinstance(encoder, MiniLM):
        is_ready = minilm.is_installed()
    elif isinstance(encoder, LocalModel):
        is_ready = bool(find_spec("sentence_transformers"))
    if not is_ready:
        raise ChunkscopeError(
            f"The encoder {name} needs packages that are not installed.",
            f"Install them: {install_command(extra)}, or choose --encoder {Static.name}.",
        )


def describe_encoder(name: str) -> EncoderInfo:
    """Return the title, description, languages and recipient host of an encoder, without loading it.

    Raises:
        ChunkscopeError: see :func:`get_encoder`.
    """
    if name in _INFOS:
        return _INFOS[name]
    encoder = get_encoder(name)
    if isinstance(encoder, LocalModel | endpoint.OpenAIEndpoint):
        return encoder.info
    return EncoderInfo(name, name, "", encoder.languages)


def own_tokenizer(encoder: str) -> str:
    """Return the name of the tokenizer that counts an encoder's own tokens.

    Raises:
        ChunkscopeError: the encoder is unknown, or has no tokens of its own.
    """
    if encoder == MiniLM.name:
        return tokens.WordPieces.name
    return own_tokens(get_encoder(encoder)).name


def counts_as(tokenizer: str, encoder: str) -> bool:
    """Return whether a tokenizer counts the tokens of an encoder as that does itself."""
    return tokenizer == f"{AS_ENCODER}:{encoder}" or (tokenizer, encoder) == (tokens.WordPieces.name, MiniLM.name)


def default_tokenizer(encoder: str | None) -> str:
    """Return the tokenizer that counts tokens unless another is named.

    Args:
        encoder: the encoder that was named: its own tokens are counted where it has a limit and they are known.
            ``None`` if none was, so that a text has the same chunks whatever is installed.
    """
    if encoder is None:
        return tokens.DEFAULT_TOKENIZER
    try:
        has_limit = get_encoder(encoder).max_tokens < UNLIMITED
        return own_tokenizer(encoder) if has_limit else tokens.DEFAULT_TOKENIZER
    except ChunkscopeError:  # whoever uses the encoder says what is wrong with it
        return tokens.DEFAULT_TOKENIZER


def read_limit(encoder: str, tokenizer: str) -> int:
    """Return how many tokens of a text an encoder reads, beside those that it adds; 0 if it has no limit or a tokenizer
    counts otherwise.

    Args:
        encoder: its name.
        tokenizer: name of the tokenizer.
    """
    if not counts_as(tokenizer, encoder):
        return 0
    chosen = get_encoder(encoder)
    return 0 if chosen.max_tokens >= UNLIMITED else chosen.max_tokens - int(chosen.token_counts([""])[0])


tokens.add_source(AS_ENCODER, lambda name: own_tokens(get_encoder(name)))


def embed(
    texts: Sequence[str],
    encoder: Encoder,
    cache: VectorCache | None = None,
    progress: Progress | None = None,
    batch_size: int = BATCH_SIZE,
    origins: Sequence[str] | None = None,
) -> Float32:
    """Return the vectors of texts, from the cache where possible.

    Each distinct text is encoded once. Texts of similar length are encoded together to save padding, which changes a
    vector only by rounding. Numbers are rounded to float16, so that new, cached and bundled vectors are equal. Each
    batch is cached before the next begins.

    Args:
        texts: ``n`` texts.
        encoder: encodes the texts missing from the cache; not called if there are none.
        cache: where vectors are looked up and stored.
        progress: called with the number of distinct texts done and the total, after the lookup and after each batch.
        batch_size: texts in a batch.
        origins: hash of the document that each text is of, so that the cache can forget it; ``None`` for texts of
            none.

    Returns:
        ``(n, encoder.dimension)`` float32.

    Raises:
        ChunkscopeError: the encoder cannot be used, or did not return one finite vector per text.
    """
    indices = {text: index for index, text in enumerate(dict.fromkeys(texts))}
    unique = list(indices)
    origin = dict(zip(texts, origins, strict=True)) if origins is not None else None
    if isinstance(encoder, Static):
        cache = None  # it sums vectors about as fast as a cache reads them
    if cache is None:
        vectors = np.zeros((len(unique), encoder.dimension), dtype=np.float32)
        is_cached = np.zeros(len(unique), dtype=np.bool_)
    else:
        vectors, is_cached = cache.get_many(encoder.key, unique, encoder.dimension)
    missing = sorted(np.flatnonzero(~is_cached).tolist(), key=lambda index: len(unique[index]))
    done = len(unique) - len(missing)
    if progress:
        progress(done, len(unique))
    for start in range(0, len(missing), batch_size):
        batch = missing[start : start + batch_size]
        batch_texts = [unique[index] for index in batch]
        vectors[batch] = _round(_check_vectors(encoder.encode(batch_texts), len(batch), encoder))
        if cache is not None:
            made_of = [origin[text] for text in batch_texts] if origin is not None else None
            cache.put_many(encoder.key, batch_texts, vectors[batch], made_of)
        done += len(batch)
        if progress:
            progress(done, len(unique))
    return vectors[np.fromiter((indices[text] for text in texts), dtype=np.int64, count=len(texts))]


def _round(vectors: Float32) -> Float32:
    """Return the nearest float16 of each number.

    This hides the last bits, in which processors and batches differ, and makes vectors stored at half the size equal
    to new ones. It changes a cosine by about 0.00002.
    """
    return vectors.astype(np.float16).astype(np.float32)


def _check_vectors(vectors: Float32, count: int, encoder: Encoder) -> Float32:
    if vectors.shape != (count, encoder.dimension) or not np.isfinite(vectors).all():
        raise ChunkscopeError(
            f"The encoder {encoder.name!r} did not return {count} finite vectors of {encoder.dimension} numbers.",
            "Choose another encoder.",
        )
    return vectors


def truncated(texts: Sequence[str], encoder: Encoder) -> Bools:
    """Return ``(n,)`` bool: whether each text exceeds the encoder's limit, so that its end is cut off."""
    # A text has at most as many tokens as bytes, plus a few special ones: most sentences need no counting.
    long = [
        index for index, text in enumerate(texts) if len(text.encode("utf-8", "surrogatepass")) + 8 > encoder.max_tokens
    ]
    exceeds = np.zeros(len(texts), dtype=np.bool_)
    if long:
        exceeds[long] = encoder.token_counts([texts[index] for index in long]) > encoder.max_tokens
    return exceeds
