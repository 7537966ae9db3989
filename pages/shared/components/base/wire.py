"""How figures and columns travel to the browser: a small JSON head, a JSON body, and typed arrays as raw bytes.

Layout of a message (little-endian)::

    u32 length of head | u32 length of body | head, UTF-8 JSON | body, UTF-8 JSON | padding | columns, each 8-aligned

The head changes with every choice of the user and is read each time. Its field ``content`` names the body and the
columns by their hash, so the browser looks at them only when they differ from what it has drawn. An array in the body
stands as ``{"$": [dtype, offset, length]}``, its offset counted from the first column. ``wire.js`` reads this.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

Int32s = Annotated[npt.NDArray[Any], "Int32Array"]
"""Integers that the browser reads as an ``Int32Array``."""

Float32s = Annotated[npt.NDArray[Any], "Float32Array"]
"""Floats that the browser reads as a ``Float32Array``."""

Bytes = Annotated[npt.NDArray[Any], "Uint8Array"]
"""``uint8`` values that the browser reads as a ``Uint8Array``."""

Json = Annotated[Any, "any"]
"""Plotly's own, whose form is not described here."""

Natural = Annotated[int, msgspec.Meta(ge=0)]
"""A whole number from 0, which a report is checked for."""


class Message:
    """A dataclass whose fields travel under their names: to the browser in a body, or from it as a report."""


_ALIGN = 8


class _Columns:
    """Collects arrays; one that occurs twice (a curve in the figure and in the table) is sent once."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0
        self._seen: dict[int, tuple[npt.NDArray[Any], dict[str, Any]]] = {}

    def add(self, array: npt.NDArray[Any]) -> dict[str, Any]:
        sent = self._seen.get(id(array))
        if sent is not None:
            return sent[1]
        narrow = np.ascontiguousarray(array, dtype=_browser_type(array.dtype))
        data = narrow.tobytes()
        reference = {"$": [narrow.dtype.str[1:], self.size, narrow.size]}
        padding = -len(data) % _ALIGN
        self.parts.extend((data, b"\0" * padding))
        self.size += len(data) + padding
        # The array is kept, so that no other can get its id while this message is made.
        self._seen[id(array)] = (array, reference)
        return reference


def _browser_type(dtype: np.dtype[Any]) -> str:
    """Floats travel as float32 (seven digits, more than any label shows), integers as int32."""
    if dtype.kind == "f":
        return "<f4"
    if dtype == np.uint8:
        return "|u1"
    if dtype.kind in "iub":
        return "<i4"
    raise TypeError(f"no column type for {dtype}")


def pack(head: Mapping[str, object] | Message, body: Mapping[str, object] | Message) -> bytes:
    """Return one message.

    Args:
        head: small, JSON only; ``content`` is added to it.
        body: JSON, with NumPy arrays (numbers, any shape; they arrive flat) and messages at any depth.

    Raises:
        TypeError: something in it is neither JSON nor an array of numbers.
        ValueError: a number outside an array is NaN or infinite, which JSON cannot say.
    """
    columns = _Columns()

    def encode(value: object) -> object:
        if isinstance(value, np.ndarray):
            return columns.add(value)
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, Message):
            return named_values(value)
        raise TypeError(f"cannot send {type(value).__name__}")

    body_json = json.dumps(body, default=encode, allow_nan=False, separators=(",", ":")).encode()
    digest = hashlib.blake2b(body_json, digest_size=16)
    for part in columns.parts:
        digest.update(part)
    head_json = json.dumps(
        {**named_values(head), "content": digest.hexdigest()}, default=encode, allow_nan=False, separators=(",", ":")
    ).encode()
    padding = b"\0" * (-(8 + len(head_json) + len(body_json)) % _ALIGN)
    return b"".join((struct.pack("<II", len(head_json), len(body_json)), head_json, body_json, padding, *columns.parts))


def named_values(message: Mapping[str, object] | Message) -> Mapping[str, object]:
    """Return the values of a message by the names of its fields."""
    if isinstance(message, Mapping):
        return message
    return {field.name: getattr(message, field.name) for field in fields(message)}  # type: ignore[arg-type]
