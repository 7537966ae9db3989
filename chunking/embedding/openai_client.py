"""A client of an endpoint with OpenAI's protocol: one address, one key, no redirects, some attempts.

The key is sent in one header and appears nowhere else: not in errors, representations or caches.
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any
from urllib.parse import urlsplit

from chunking.errors import ChunkscopeError
from chunking.runtime.patterns import compile_pattern

_VISIBLE = compile_pattern(r"[!-~]*")
_SECRET = compile_pattern(r"\bsk-[\w*-]+")
_SECONDS = compile_pattern(r"\d{1,6}(?:\.\d+)?")

DEFAULT_BASE_URL = "https://api.openai.com/v1"

TIMEOUT = 60.0
"""Seconds until an answer must be complete."""

_MAX_ANSWER_BYTES = 256 * 2**20
"""Limit of an answer in bytes."""

_ATTEMPTS = 5
_WAIT, _LONGEST_WAIT = 0.5, 20.0
"""Seconds before the second attempt, doubled before each further one; and the limit, also for ``Retry-After``."""

_RETRY_STATUS = (408, 409, 429, 500, 502, 503, 504)
_INVALID_STATUS = (400, 422)


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


def make_endpoint(url: str, key: str, kind: str = "embedding endpoint", setting: str = "OPENAI_BASE_URL") -> Endpoint:
    """Return the endpoint at an address.

    Args:
        url: its address, such as ``https://host/v1``.
        key: the API key; empty for none.
        kind: what messages call it.
        setting: where the address is set, for messages.

    Raises:
        ChunkscopeError: its address or key is invalid; neither is in the message.
    """
    key = key.strip()
    endpoint = Endpoint(url.strip().rstrip("/"), key)
    try:
        parts = urlsplit(endpoint.base_url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
        valid = valid and "@" not in parts.netloc and not parts.query and not parts.fragment
    except ValueError:
        valid = False
    if not valid or not _VISIBLE.fullmatch(endpoint.base_url):
        raise ChunkscopeError(
            f"The address of the {kind} is invalid.",
            f"Set {setting} to one like https://host/v1, without a user, a query or spaces.",
        )
    if not _VISIBLE.fullmatch(key):
        raise ChunkscopeError(f"The key of the {kind} contains invalid characters.", "Set OPENAI_API_KEY again.")
    if key and parts.scheme == "http" and not endpoint.is_local:
        raise ChunkscopeError(
            f"The key would be sent to {endpoint.host} without encryption.", "Use an address that begins with https://."
        )
    return endpoint


@dataclass(frozen=True)
class Service:
    """What an endpoint is used for.

    Attributes:
        path: of its requests, after the address: ``embeddings``.
        noun: what the endpoint lacks at a wrong address, for messages: "embeddings".
        remedy: what to do where it fails, for messages.
        setting: where its address is set, for messages.
    """

    path: str
    noun: str
    remedy: str
    setting: str = "OPENAI_BASE_URL"


class InvalidRequestError(ChunkscopeError):
    """The error for an endpoint that does not accept the form of a request (status 400 or 422)."""


class EndpointClient:
    """Sends requests to one service of an endpoint.

    Args:
        where: the endpoint.
        model: the model's name, for messages.
        service: what it is used for.
        timeout: seconds until an answer must be complete.
        pause: waits some seconds between two attempts.
    """

    def __init__(
        self,
        where: Endpoint,
        model: str,
        service: Service,
        timeout: float = TIMEOUT,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.where = where
        self._model = model
        self._service = service
        self._timeout = timeout
        self._pause = pause

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.where.base_url!r}, {self._model!r})"

    def request(self, content: dict[str, Any]) -> bytes:
        """Return the answer to a request, after some attempts if the endpoint is busy.

        Args:
            content: what is sent as JSON.

        Raises:
            InvalidRequestError: the endpoint does not accept the form of the request.
            ChunkscopeError: it refuses otherwise, cannot be reached, is too slow, or answers with too many bytes.
        """
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
                raise self.error(f"did not answer in {self._timeout:g} seconds") from None
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                if isinstance(reason, TimeoutError):
                    raise self.error(f"did not answer in {self._timeout:g} seconds") from None
                if not attempts_left or not isinstance(reason, ConnectionResetError | http.client.IncompleteRead):
                    raise self.error(f"cannot be reached: {self._redact(str(reason))}") from None
                retry_after = 0.0
            self._pause(min(max(wait, retry_after), _LONGEST_WAIT))
            wait *= 2
        raise AssertionError("the last attempt returns or raises")

    def _post(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "chunkscope"}
        if self.where.key:
            headers["Authorization"] = f"Bearer {self.where.key}"
        request = urllib.request.Request(f"{self.where.base_url}/{self._service.path}", body, headers, method="POST")
        deadline = time.monotonic() + self._timeout
        proxies = urllib.request.ProxyHandler({} if self.where.is_local else None)
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
                raise self.error("answers with too many bytes")
        return b"".join(pieces)

    def _http_error(self, error: urllib.error.HTTPError) -> ChunkscopeError:
        if 300 <= error.code < 400:
            target = urlsplit(error.headers.get("Location") or "").netloc or "another place"
            return ChunkscopeError(
                f"The endpoint {self.where.host} redirects to {self._redact(target)}; redirects are not followed.",
                f"Set {self._service.setting} to the final address.",
            )
        if error.code in (401, 403):
            return ChunkscopeError(
                f"The endpoint {self.where.host} refuses the key (status {error.code})."
                if self.where.key
                else f"The endpoint {self.where.host} requires a key (status {error.code}).",
                "Set OPENAI_API_KEY to a key that may use this model.",
            )
        if error.code == 404:
            return ChunkscopeError(
                f"The endpoint {self.where.host} does not know the model {self._model!r:.100}, or has no "
                f"{self._service.noun} at this address (status 404).",
                f"Check the model's name and {self._service.setting}, which usually ends with /v1.",
            )
        answer = f"answers with status {error.code}: {self._redact(_message(error))}"
        if error.code in _INVALID_STATUS:
            return InvalidRequestError(f"The endpoint {self.where.host} {answer}.", self._service.remedy)
        return self.error(answer)

    def error(self, what: str) -> ChunkscopeError:
        """Return the error for what the endpoint did."""
        return ChunkscopeError(f"The endpoint {self.where.host} {what}.", self._service.remedy)

    def _redact(self, text: str) -> str:
        """Return foreign text for display: short, in one line, without the key or a part of it."""
        if self.where.key:
            text = text.replace(self.where.key, "…")
        text = _SECRET.sub("…", text)
        return " ".join(text.split())[:200]


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A handler that follows no redirect: key and texts go only to the configured address."""

    def redirect_request(self, *_: Any) -> None:
        """Return None, so that the answer is treated as an error."""


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
