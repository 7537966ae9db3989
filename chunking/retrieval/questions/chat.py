"""A chat model behind an endpoint with OpenAI's protocol (``POST {base}/chat/completions``): Ollama, vLLM, ….

It answers in JSON. What it has to answer is sent to the endpoint and nowhere else; nothing is sent unless a user names
the endpoint.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from chunking.embedding.openai_client import Endpoint, EndpointClient, InvalidRequestError, Service
from chunking.errors import ChunkscopeError
from chunking.runtime import structured
from chunking.tokens import well_formed

TIMEOUT = 300.0
"""Seconds until an answer must be complete: a model on a processor writes a few words a second."""

PATIENCE = 5
"""Replies in a row that are not the JSON that was requested, after which a run ends."""

_SERVICE = Service(
    "chat/completions",
    "chat",
    "Try again later, or name another endpoint and model.",
    "--endpoint or OPENAI_BASE_URL",
)

_STRICT: dict[str, Any] = {"temperature": 0, "response_format": {"type": "json_object"}}
"""What makes answers JSON and repeatable, on endpoints that know it."""


class ChatModel:
    """A chat model that answers with JSON.

    Args:
        where: the endpoint.
        model: the model's name there.
        timeout: seconds until an answer must be complete.
        pause: waits some seconds between two attempts.

    Attributes:
        calls: answers that were received.
        tokens_sent, tokens_received: as the endpoint counts them; 0 if it does not.

    Raises:
        ChunkscopeError: the model has no name.
    """

    def __init__(
        self, where: Endpoint, model: str, timeout: float = TIMEOUT, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = " ".join(model.split())
        if not self.name:
            raise ChunkscopeError("The model has no name.", "Name one that the endpoint has: llama3.1, gpt-4o-mini.")
        self.where = where
        self._client = EndpointClient(where, self.name, _SERVICE, timeout, pause)
        self._options = _STRICT
        self.calls = self.tokens_sent = self.tokens_received = 0

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.where.base_url!r}, {self.name!r})"

    def ask(self, system: str, user: str) -> dict[str, Any] | None:
        """Return the JSON object that the model answers with; ``None`` if its answer has none.

        Args:
            system: who the model is.
            user: the text that it has to answer.

        Raises:
            ChunkscopeError: the endpoint cannot be reached, refuses, is too slow, or does not answer with a message.
        """
        messages = [{"role": "system", "content": well_formed(system)}, {"role": "user", "content": well_formed(user)}]
        content: dict[str, Any] = {"model": self.name, "messages": messages, "stream": False}
        try:
            answer = self._client.request(content | self._options)
        except InvalidRequestError:
            if not self._options:
                raise
            self._options = {}  # some models take no temperature, and some servers no format
            answer = self._client.request(content)
        self.calls += 1
        return read_object(self._message(answer))

    def _message(self, answer: bytes) -> str:
        """Return the text of an answer, and count its tokens."""
        record = structured.json_or_none(answer)
        try:
            message = record["choices"][0]["message"]["content"]
        except (TypeError, KeyError, IndexError):
            raise self._client.error("did not answer with a message") from None
        usage = record.get("usage")
        if isinstance(usage, dict):
            self.tokens_sent += _count(usage.get("prompt_tokens"))
            self.tokens_received += _count(usage.get("completion_tokens"))
        return message if isinstance(message, str) else ""


def read_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object in a text, such as one in a fence of code or after other words; ``None`` without one."""
    start, end = text.find("{"), text.rfind("}") + 1
    value = structured.json_or_none(text[start:end]) if 0 <= start < end else None
    return value if isinstance(value, dict) else None


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else 0
