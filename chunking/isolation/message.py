"""The bytes of a call's data or result: a JSON header, texts, and arrays of known types.

Pickle would let a compromised function run code in its caller. :func:`unpack` trusts nothing: it checks every length,
and the type and shape of every array; what the numbers mean is for the caller to check.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from chunking.isolation.frames import MAX_FRAME, TooMuch, WireError, from_json, to_json, without_surrogates

Array = npt.NDArray[Any]
Types = Mapping[str, tuple[str, tuple[int, ...]]]
"""The type of each array, little-endian, and its shape after the first axis; −1 for any size."""

_LENGTH = struct.Struct(">Q")


@dataclass(frozen=True)
class Message:
    """What was sent.

    Attributes:
        header: JSON of any form.
        texts: in order.
        arrays: by name.
    """

    header: dict[str, Any] = field(default_factory=dict)
    texts: Sequence[str] = ()
    arrays: Mapping[str, Array] = field(default_factory=dict)

    def array(self, name: str) -> Array:
        """Return an array; raise :class:`WireError` where it was not sent."""
        if name not in self.arrays:
            raise WireError(f"no array of {name}")
        return self.arrays[name]


def pack(message: Message, types: Types) -> bytes:
    """Serialise a message; lone surrogates in its texts become U+FFFD.

    Raises:
        TooMuch: it exceeds :data:`MAX_FRAME`.
    """
    texts = [without_surrogates(text).encode() for text in message.texts]
    arrays = {name: _typed(array, *types[name]) for name, array in message.arrays.items()}
    stated = {
        "header": message.header,
        "texts": [len(text) for text in texts],
        "arrays": {name: list(array.shape) for name, array in arrays.items()},
    }
    head = to_json(stated)
    pieces = [_LENGTH.pack(len(head)), head, *texts, *(array.tobytes() for array in arrays.values())]
    if sum(map(len, pieces)) > MAX_FRAME:
        raise TooMuch("all of it")
    return b"".join(pieces)


def _typed(array: Array, kind: str, rest: tuple[int, ...]) -> Array:
    typed = np.asarray(array, dtype=kind)
    return typed if typed.ndim == 1 + len(rest) else typed.reshape(-1, *rest)


def unpack(data: bytes, types: Types) -> Message:
    """Deserialise and check the output of :func:`pack`.

    Raises:
        WireError: it is not such an output, or has an array of another type.
    """
    if len(data) < _LENGTH.size:
        raise WireError("no header")
    (length,) = _LENGTH.unpack_from(data)
    place = _LENGTH.size + length
    stated = mapping(from_json(data[_LENGTH.size : place]))
    texts, place = _texts(stated, data, place)
    arrays, place = _arrays(stated, data, place, types)
    if place != len(data):
        raise WireError("bytes after the end")
    return Message(mapping(stated.get("header")), texts, arrays)


def _texts(stated: dict[str, Any], data: bytes, place: int) -> tuple[list[str], int]:
    texts = []
    for length in whole_numbers(stated.get("texts")):
        piece = data[place : place + length]
        if len(piece) < length:
            raise WireError("half a text")
        try:
            texts.append(piece.decode())
        except UnicodeDecodeError as error:
            raise WireError("a text that is not UTF-8") from error
        place += length
    return texts, place


def _arrays(stated: dict[str, Any], data: bytes, place: int, types: Types) -> tuple[dict[str, Array], int]:
    arrays: dict[str, Array] = {}
    for name, shape in mapping(stated.get("arrays")).items():
        if name not in types:
            raise WireError("an array with an unknown name")
        kind, rest = types[name]
        sizes = whole_numbers(shape)
        if len(sizes) != 1 + len(rest) or not _fits(rest, sizes[1:]):
            raise WireError(f"the shape of {name}")
        count, width = math.prod(sizes), np.dtype(kind).itemsize
        if place + count * width > len(data):
            raise WireError("half an array")
        native = np.dtype(kind).newbyteorder("=")
        arrays[name] = np.frombuffer(data, kind, count, place).astype(native).reshape(sizes)
        place += count * width
    return arrays, place


def _fits(rest: Sequence[int], sizes: Sequence[int]) -> bool:
    return all(size in (-1, found) for size, found in zip(rest, sizes, strict=True))


# ---- what a header may hold


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number, not negative."""
    return type(value) is int and 0 <= value < 2**62


def is_number(value: Any) -> bool:
    """Return whether a value is a number of a usual size."""
    return type(value) in (int, float) and abs(value) < 1e9


def whole_numbers(value: Any) -> list[int]:
    """Return a value that is a list of whole numbers."""
    if not isinstance(value, list) or not all(map(is_whole, value)):
        raise WireError("numbers")
    return value


def mapping(value: Any) -> dict[str, Any]:
    """Return a value that is an object."""
    if not isinstance(value, dict):
        raise WireError("a table")
    return value


def string(value: Any) -> str:
    """Return a value that is a text without lone surrogates."""
    if not isinstance(value, str) or without_surrogates(value) != value:
        raise WireError("a text")
    return value


def strings(value: Any) -> tuple[str, ...]:
    """Return a value that is a list of texts."""
    if not isinstance(value, list):
        raise WireError("texts")
    return tuple(map(string, value))


def demand(*conditions: npt.NDArray[np.bool_] | bool) -> None:
    """Raise :class:`WireError` unless all conditions hold everywhere."""
    for condition in conditions:
        if not np.all(condition):
            raise WireError("inconsistent numbers")
