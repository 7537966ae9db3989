"""Messages between a server and its workers: the length of a pickle, then the pickle."""

from __future__ import annotations

import struct
from typing import IO

_LENGTH = struct.Struct("!Q")


def write(stream: IO[bytes], content: bytes) -> None:
    """Write a message.

    Raises:
        OSError, ValueError: the other side is gone.
    """
    stream.write(_LENGTH.pack(len(content)))
    stream.write(content)
    stream.flush()


def read(stream: IO[bytes]) -> bytes | None:
    """Read a message; ``None`` where the stream ended."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (size,) = _LENGTH.unpack(head)
    content = stream.read(size)
    return content if len(content) == size else None
