"""Frames between a process and its caller: one byte for the kind, eight for the length, big-endian, then the payload.

The caller sends ``J`` (the job, JSON) and ``D`` (the data); the process sends ``P`` (progress, two numbers) any number
of times, and then one of ``R`` (the result), ``E`` (an error for the user, problem and remedy) or ``X`` (another error:
its cause and origin).
"""

from __future__ import annotations

import json
import struct
from typing import IO, Any

from chunking.runtime.patterns import compile_pattern

MAX_FRAME = 256 * 1024 * 1024
"""Limit of the bytes of a frame, and of all frames of a process."""

MAX_TEXT = 20 * 1024 * 1024
"""Limit of the bytes (UTF-8) of the text of a document."""

PROGRESS = struct.Struct(">QQ")
"""Payload of a progress frame: the completed steps and their total."""

_FRAME = struct.Struct(">cQ")
_SURROGATE = compile_pattern("[\ud800-\udfff]")


class WireError(ValueError):
    """Received data is not valid."""


class TooMuch(WireError):
    """Received or outgoing data exceeds the limits."""


def write(stream: IO[bytes], kind: bytes, payload: bytes) -> None:
    """Write a frame; ``kind`` is one byte."""
    stream.write(_FRAME.pack(kind, len(payload)))
    stream.write(payload)
    stream.flush()


def read(stream: IO[bytes], limit: int = MAX_FRAME) -> tuple[bytes, bytes] | None:
    """Read the next frame and return its kind and payload; ``None`` at the end of the stream.

    Raises:
        TooMuch: its stated length exceeds ``limit`` bytes.
        WireError: the stream ends inside the frame.
    """
    head = stream.read(_FRAME.size)
    if not head:
        return None
    if len(head) < _FRAME.size:
        raise WireError("half a frame")
    kind, length = _FRAME.unpack(head)
    if length > limit:
        raise TooMuch(f"a frame of {length} bytes")
    payload = stream.read(length)
    if len(payload) < length:
        raise WireError("half a frame")
    return kind, payload


def without_surrogates(text: str) -> str:
    """Return a text with U+FFFD for lone surrogates, which UTF-8 cannot encode."""
    return _SURROGATE.sub("\ufffd", text)


def has_surrogates(text: str) -> bool:
    """Return whether a text has lone surrogates, which JSON can contain as escapes."""
    return _SURROGATE.search(text) is not None


def to_json(value: object) -> bytes:
    """Return JSON in UTF-8; lone surrogates become U+FFFD."""
    return without_surrogates(json.dumps(value, ensure_ascii=False, allow_nan=False)).encode()


def from_json(data: bytes) -> Any:
    """Parse the output of :func:`to_json`; raise :class:`WireError` if it is not JSON."""
    try:
        return json.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise WireError("a header that is not JSON") from error
