"""Encoders behind an endpoint with OpenAI's protocol (``POST {base}/embeddings``): OpenAI, Ollama, vLLM, ….

The name is ``openai:MODEL``. Address and key come from :func:`configure_endpoint`, else from the environment:
``OPENAI_BASE_URL`` (``https://api.openai.com/v1`` by default) and ``OPENAI_API_KEY``. Every text that is embedded is
sent there. The key is sent in one header and appears nowhere else: not in errors, representations or caches.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from chunking.embedding.encoders import UNLIMITED, EncoderInfo
from chunking.embedding.openai_client import DEFAULT_BASE_URL, TIMEOUT, Endpoint, EndpointClient, Service, make_endpoint
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32, Int64
from chunking.tokens import well_formed

__all__ = ["Endpoint", "OpenAIEndpoint", "configure_endpoint", "current", "is_endpoint"]

PREFIX = "openai:"

_MAX_TEXTS, _MAX_CHARACTERS = 64, 100_000
"""Limits of a request."""

_SERVICE = Service("embeddings", "embeddings", "Try again later, or choose another encoder (--encoder).")


_configured: dict[str, str] = {}
_lock = threading.Lock()


def configure_endpoint(base_url: str | None = None, key: str | None = None) -> None:
    """Set the address and key of the endpoint; ``None`` takes them from the environment."""
    with _lock:
        _configured.clear()
        _configured.update({name: value for name, value in (("base_url", base_url), ("key", key)) if value})


def is_endpoint(name: str) -> bool:
    """Return whether an encoder's name refers to an endpoint."""
    return name.startswith(PREFIX)


def current() -> Endpoint:
    """Return the endpoint that is configured now.

    Raises:
        ChunkscopeError: its address or key is invalid; neither is in the message.
    """
    with _lock:
        url = _configured.get("base_url") or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL
        key = _configured.get("key") or os.environ.get("OPENAI_API_KEY") or ""
    return make_endpoint(url, key)


class OpenAIEndpoint:
    """A model behind an endpoint, see the module.

    It is requested by :meth:`encode`, and once, with a single letter, for the length of its vectors.

    Args:
        name: ``openai:MODEL``.
        where: the endpoint.
        timeout: seconds until an answer must be complete.
        pause: waits some seconds between two attempts.

    Raises:
        ChunkscopeError: the name has no model.
    """

    languages: tuple[str, ...] = ()
    max_tokens = UNLIMITED

    def __init__(
        self, name: str, where: Endpoint, timeout: float = TIMEOUT, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self.model = name.removeprefix(PREFIX).strip()
        if not self.model:
            raise ChunkscopeError("The encoder's name has no model.", "Name one: openai:text-embedding-3-small.")
        self.name = name
        self._where = where
        self._client = EndpointClient(where, self.model, _SERVICE, timeout, pause)
        self._dimension = 0
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self._where.base_url!r})"

    @property
    def key(self) -> str:
        """The address and the model. A change of the model behind the name cannot be detected."""
        return f"openai/{self._where.base_url}/{self.model}"

    @property
    def dimension(self) -> int:
        """Length of a vector, requested once.

        Raises:
            ChunkscopeError: see :meth:`encode`.
        """
        if not self._dimension:
            self.encode(["a"])
        return self._dimension

    @property
    def info(self) -> EncoderInfo:
        """Its description."""
        location = "in your own network" if self._where.is_local else "on the internet"
        about = f"A model behind the endpoint {self._where.base_url}, {location}. Every sentence is sent there."
        return EncoderInfo(self.name, f"{self.model} at {self._where.host}", about, (), self._where.host)

    def encode(self, texts: Sequence[str]) -> Float32:
        """Return the vectors of texts: ``(n, dimension)`` float32, each of length 1.

        A blank text, which such endpoints refuse, is sent as a full stop.

        Raises:
            ChunkscopeError: the endpoint cannot be reached, refuses, is too slow, or does not answer with one finite
                vector per text, all of the same length.
        """
        vectors = [self._vectors(batch) for batch in _batches([well_formed(text).strip() or "." for text in texts])]
        return np.concatenate(vectors) if vectors else np.zeros((0, self.dimension), dtype=np.float32)

    def token_counts(self, texts: Sequence[str]) -> Int64:
        """Return zeros: the tokenizer is unknown. The endpoint itself refuses texts that are too long."""
        return np.zeros(len(texts), dtype=np.int64)

    def _vectors(self, texts: Sequence[str]) -> Float32:
        answer = self._client.request({"model": self.model, "input": list(texts), "encoding_format": "float"})
        vectors = _read(answer, len(texts))
        if vectors is None:
            raise self._client.error(f"did not answer with one vector for each of {len(texts)} texts")
        if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise self._client.error("answered with vectors that are not finite, or all zero")
        with self._lock:
            self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise self._client.error(f"answered with vectors of {vectors.shape[1]} numbers, after {self._dimension}")
        unit: Float32 = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the texts of each request, within its limits."""
    start = size = 0
    for index, text in enumerate(texts):
        if index > start and (index - start == _MAX_TEXTS or size + len(text) > _MAX_CHARACTERS):
            yield texts[start:index]
            start, size = index, 0
        size += len(text)
    if start < len(texts):
        yield texts[start:]


def _read(answer: bytes, count: int) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """Return ``(count, dimension)`` float64 of an answer; ``None`` if its form is invalid."""
    try:
        rows = json.loads(answer)["data"]
        indices = [row.get("index", position) for position, row in enumerate(rows)]
        if sorted(indices) != list(range(count)):
            return None
        vectors = np.array([row["embedding"] for row in rows], dtype=np.float64)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return None
    if vectors.ndim != 2 or not vectors.shape[1]:
        return None
    ordered: np.ndarray[Any, np.dtype[np.float64]] = vectors[np.argsort(indices)]
    return ordered
