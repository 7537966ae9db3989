"""The arguments and result of a call as bytes: MessagePack of dataclasses, texts and arrays, decoded by their types.

Pickle would let a compromised function run code in its caller. :func:`decode` accepts what a type says, nothing else;
what the texts and numbers mean is for the caller to check, see :func:`demand`.
"""

from __future__ import annotations

import math
from typing import Any, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from chunking.errors import ChunkscopeError
from chunking.isolation.framing import MAX_FRAME, TooMuch, WireError
from chunking.runtime.patterns import compile_pattern
from chunking.runtime.surrogates import change_texts, replace_surrogates

_DTYPE = compile_pattern(r"[<|][biuf][1248]")


def encode(value: object) -> bytes:
    """Return the bytes of an object; lone surrogates in its texts become U+FFFD.

    Raises:
        TooMuch: it exceeds :data:`MAX_FRAME`.
    """
    try:
        data = msgspec.msgpack.encode(value, enc_hook=_encode_array)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value, enc_hook=_encode_array, builtin_types=(bytes,))
        data = msgspec.msgpack.encode(change_texts(plain, replace_surrogates))
    if len(data) > MAX_FRAME:
        raise TooMuch("all of it")
    return data


def _encode_array(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if not isinstance(value, np.ndarray):
        raise NotImplementedError(f"{type(value).__name__} cannot be sent to a process")
    little = value.astype(value.dtype.newbyteorder("<"), copy=False)
    return little.dtype.str, value.shape, little.tobytes()


def decode(data: bytes, kind: Any) -> Any:
    """Return the object of a type that :func:`encode` wrote.

    Args:
        data: bytes of an untrusted source.
        kind: a dataclass, or any type that :mod:`msgspec` decodes, with arrays annotated as of
            :mod:`chunking.runtime.arrays`. Their shapes are not part of the type.

    Raises:
        WireError: the bytes are no object of that type.
    """
    try:
        return msgspec.msgpack.decode(data, type=kind, dec_hook=_decode_array)
    except (msgspec.MsgspecError, ValueError, RecursionError, ChunkscopeError) as error:
        raise WireError(str(error)) from error


def _decode_array(kind: Any, value: Any) -> npt.NDArray[Any]:
    """Return an array of the number type of ``kind``, from another of its sort, in the byte order of this machine."""
    (declared,) = get_args(get_args(kind)[1])
    match value:
        case [str() as stated, [*shape], bytes() as content] if _DTYPE.fullmatch(stated):
            dtype = np.dtype(stated)
        case _:
            raise ValueError("no array")
    if not all(type(size) is int and size >= 0 for size in shape) or len(shape) > 2:
        raise ValueError("the shape of an array")
    if math.prod(shape) * dtype.itemsize != len(content) or not np.can_cast(dtype, declared, "same_kind"):
        raise ValueError("an array of another size or type")
    return np.frombuffer(content, dtype).astype(declared).reshape(shape)


def demand(*conditions: npt.NDArray[np.bool_] | bool) -> None:
    """Raise :class:`WireError` unless all conditions hold everywhere."""
    for condition in conditions:
        if not (condition if isinstance(condition, bool) else np.all(condition)):
            raise WireError("inconsistent numbers")
