"""Frames between a process and its caller: one byte for the kind, eight for the length, big-endian, then the payload.

The caller of a function sends ``J`` (the job) and ``D`` (the arguments); the process sends ``P`` (progress, two
numbers) any number of times, and then one of ``R`` (the result), ``E`` (an error for the user, problem and remedy) or
``X`` (another error: its cause and origin).
"""

from __future__ import annotations

import struct
from typing import IO

MAX_FRAME = 256 * 1024 * 1024
"""Limit of the bytes of a frame, and of all frames of a process."""

MAX_TEXT = 20 * 1024 * 1024
"""Limit of the bytes (UTF-8) of the text of a document."""

PROGRESS = struct.Struct(">QQ")
"""Payload of a progress frame: the completed steps and their total."""

_FRAME = struct.Struct(">cQ")


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
