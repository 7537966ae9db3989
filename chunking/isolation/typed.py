"""The result of a call as an object of a type: a dataclass, or anything else that :mod:`msgspec` decodes.

Results with arrays of numbers travel as of :mod:`chunking.isolation.message`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from chunking.isolation.frames import MAX_FRAME, WireError, to_json
from chunking.runtime import structured
from chunking.runtime.structured import SizeLimit, StructureError

_LIMIT = SizeLimit(MAX_FRAME, 100_000_000)


def encode(value: object) -> bytes:
    """Return the bytes of an object; lone surrogates in its texts become U+FFFD."""
    try:
        return structured.encode(value)
    except UnicodeEncodeError:
        return to_json(msgspec.to_builtins(value, str_keys=True))


def decode(data: bytes, kind: Any) -> Any:
    """Return the object of a type that :func:`encode` wrote.

    Raises:
        WireError: the bytes are no object of that type.
    """
    try:
        return structured.decode(data, kind, _LIMIT)
    except (StructureError, ValueError) as error:  # also of a type that refuses a value
        raise WireError(str(error)) from error
