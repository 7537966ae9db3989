"""Encoders behind an endpoint with OpenAI's protocol (``POST {base}/embeddings``): OpenAI, Ollama, vLLM, ….

The name is ``openai:MODEL``. Address and key come from :func:`configure_endpoint`, else from the environment:
``OPENAI_BASE_URL`` (``https://api.openai.com/v1`` by default) and ``OPENAI_API_KEY``. Every text that is embedded is
sent there. The key is sent in one header and appears nowhere else: not in errors, representations or caches.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any
from urllib.parse import urlsplit

import numpy as np

from chunking.embedding.encoders import UNLIMITED, EncoderInfo
from chunking.errors import ChunkscopeError
from chunking.runtime.arrays import Float32, Int64
from chunking.runtime.patterns import compile_pattern
from chunking.tokens import well_formed

_VISIBLE = compile_pattern(r"[!-~]*")
_SECRET = compile_pattern(r"\bsk-[\w*-]+")
_SECONDS = compile_pattern(r"\d{1,6}(?:\.\d+)?")

PREFIX = "openai:"
DEFAULT_BASE_URL = "https://api.openai.com/v1"

TIMEOUT = 60.0
"""Seconds until an answer must be complete."""

_MAX_TEXTS, _MAX_CHARACTERS = 64, 100_000
"""Limits of a request."""

_MAX_ANSWER_BYTES = 256 * 2**20
"""Limit of an answer in bytes."""

_ATTEMPTS = 5
_WAIT, _LONGEST_WAIT = 0.5, 20.0
"""Seconds before the second attempt, doubled before each further one; and the limit, also for ``Retry-After``."""

_RETRY_STATUS = (408, 409, 429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Endpoint:
    """The address of an endpoint and its key.

    Attributes:
        base_url: ``https://host/v1``, without a trailing slash.
        key: the API key; empty for none; never printed.
    """

    base_url: str = DEFAULT_BASE_URL
    key: str = field(default="", repr=False)

    @property
    def host(self) -> str:
        """Host and port of the address."""
        return urlsplit(self.base_url).netloc.lower()

    @property
    def is_local(self) -> bool:
        """Whether the address is on this machine or in its private network."""
        name = urlsplit(self.base_url).hostname or ""
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return name == "localhost" or name.endswith((".localhost", ".local")) or "." not in name
        return address.is_loopback or address.is_private


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
        key = (_configured.get("key") or os.environ.get("OPENAI_API_KEY") or "").strip()
    endpoint = Endpoint(url.strip().rstrip("/"), key)
    try:
        parts = urlsplit(endpoint.base_url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        valid = valid and "@" not in parts.netloc and not parts.query and not parts.fragment
    except ValueError:
        valid = False
    if not valid or not _VISIBLE.fullmatch(endpoint.base_url):
        raise ChunkscopeError(
            "The address of the embedding endpoint is invalid.",
            "Set OPENAI_BASE_URL to one like https://host/v1, without a user, a query or spaces.",
        )
    if not _VISIBLE.fullmatch(key):
        raise ChunkscopeError(
            "The key of the embedding endpoint contains invalid characters.", "Set OPENAI_API_KEY again."
        )
    if key and parts.scheme == "http" and not endpoint.is_local:
        raise ChunkscopeError(
            f"The key would be sent to {endpoint.host} without encryption.", "Use an address that begins with https://."
        )
    return endpoint


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
        self._timeout = timeout
        self._pause = pause
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
        answer = self._request({"model": self.model, "input": list(texts), "encoding_format": "float"})
        vectors = _read(answer, len(texts))
        if vectors is None:
            raise self._error(f"did not answer with one vector for each of {len(texts)} texts")
        if not np.isfinite(vectors).all() or not vectors.any(axis=1).all():
            raise self._error("answered with vectors that are not finite, or all zero")
        with self._lock:
            self._dimension = self._dimension or vectors.shape[1]
        if vectors.shape[1] != self._dimension:
            raise self._error(f"answered with vectors of {vectors.shape[1]} numbers, after {self._dimension}")
        unit: Float32 = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def _request(self, content: dict[str, Any]) -> bytes:
        """Return the answer to a request, after some attempts if the endpoint is busy."""
        wait = _WAIT
        for attempts_left in range(_ATTEMPTS - 1, -1, -1):
            try:
                return self._post(json.dumps(content).encode())
            except urllib.error.HTTPError as error:
                with error:
                    if error.code not in _RETRY_STATUS or not attempts_left:
                        raise self._http_error(error) from None
                    retry_after = _seconds(error.headers.get("Retry-After"))
            except TimeoutError:
                raise self._error(f"did not answer in {self._timeout:g} seconds") from None
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                if isinstance(reason, TimeoutError):
                    raise self._error(f"did not answer in {self._timeout:g} seconds") from None
                if not attempts_left or not isinstance(reason, ConnectionResetError | http.client.IncompleteRead):
                    raise self._error(f"cannot be reached: {self._redact(str(reason))}") from None
                retry_after = 0.0
            self._pause(min(max(wait, retry_after), _LONGEST_WAIT))
            wait *= 2
        raise AssertionError("the last attempt returns or raises")

    def _post(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "chunkscope"}
        if self._where.key:
            headers["Authorization"] = f"Bearer {self._where.key}"
        request = urllib.request.Request(f"{self._where.base_url}/embeddings", body, headers, method="POST")
        deadline = time.monotonic() + self._timeout
        proxies = urllib.request.ProxyHandler({} if self._where.is_local else None)
        with urllib.request.build_opener(proxies, _NoRedirect).open(request, timeout=self._timeout) as response:
            return self._body(response, deadline)

    def _body(self, response: IO[bytes], deadline: float) -> bytes:
        """Return the whole answer, within the limits of time and size."""
        pieces: list[bytes] = []
        size = 0
        read: Callable[[int], bytes] = getattr(response, "read1", response.read)
        while piece := read(2**16):
            pieces.append(piece)
            size += len(piece)
            if time.monotonic() > deadline:
                raise TimeoutError
            if size > _MAX_ANSWER_BYTES:
                raise self._error("answers with too many bytes")
        return b"".join(pieces)

    def _http_error(self, error: urllib.error.HTTPError) -> ChunkscopeError:
        if 300 <= error.code < 400:
            target = urlsplit(error.headers.get("Location") or "").netloc or "another place"
            return ChunkscopeError(
                f"The endpoint {self._where.host} redirects to {self._redact(target)}; redirects are not followed.",
                "Set OPENAI_BASE_URL to the final address.",
            )
        if error.code in (401, 403):
            return ChunkscopeError(
                f"The endpoint {self._where.host} refuses the key (status {error.code})."
                if self._where.key
                else f"The endpoint {self._where.host} requires a key (status {error.code}).",
                "Set OPENAI_API_KEY to a key that may use this model.",
            )
        if error.code == 404:
            return ChunkscopeError(
                f"The endpoint {self._where.host} does not know the model {self.model!r:.100}, or has no embeddings "
                "at this address (status 404).",
                "Check the model's name and OPENAI_BASE_URL, which usually ends with /v1.",
            )
        return self._error(f"answers with status {error.code}: {self._redact(_message(error))}")

    def _error(self, what: str) -> ChunkscopeError:
        return ChunkscopeError(
            f"The endpoint {self._where.host} {what}.", "Try again later, or choose another encoder (--encoder)."
        )

    def _redact(self, text: str) -> str:
        """Return foreign text for display: short, in one line, without the key or a part of it."""
        if self._where.key:
            text = text.replace(self._where.key, "…")
        text = _SECRET.sub("…", text)
        return " ".join(text.split())[:200]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A handler that follows no redirect: key and texts go only to the configured address."""

    def redirect_request(self, *_: Any) -> None:
        """Return None, so that the answer is treated as an error."""


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


def _seconds(text: str | None) -> float:
    """Return the seconds of a ``Retry-After`` header; 0 for a date or nothing."""
    return float(text) if text and _SECONDS.fullmatch(text) else 0.0


def _message(error: urllib.error.HTTPError) -> str:
    """Return the message of an error from the endpoint."""
    try:
        body = error.read(10_000)
        message = json.loads(body)["error"]
        return str(message["message"] if isinstance(message, dict) else message)
    except (OSError, ValueError, TypeError, KeyError, http.client.HTTPException, RecursionError):
        return error.reason if isinstance(error.reason, str) else ""
