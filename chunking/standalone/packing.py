"""Arrays and texts inside a page: base64 of numbers, and JSON that HTML cannot mistake for markup."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import numpy.typing as npt

from chunking.runtime.patterns import compile_pattern

Packed = dict[str, Any]
"""Numbers of an array: their type ``t``, their little-endian bytes in base64 ``b``; ``d`` if they are differences.

Of an array that is nearly all zeros, its length ``n``, and where its other numbers are (``at``) and which (``of``)."""

_SPARSE = 5
"""Numbers of an array of which only one is not zero, or fewer."""

_WHOLE = ("i1", "i2", "i4")

_UNSAFE = compile_pattern("[<>&\u2028\u2029\ud800-\udfff\x7f]")


def whole(values: npt.ArrayLike) -> Packed:
    """Return whole numbers, in as few bytes as their zeros or their differences from one to the next allow."""
    numbers = np.asarray(values, dtype=np.int64).reshape(-1)
    nonzero_indices = np.flatnonzero(numbers)
    if _SPARSE * len(nonzero_indices) < len(numbers):
        return {"n": len(numbers), "at": _dense(nonzero_indices), "of": _dense(numbers[nonzero_indices])}
    return _dense(numbers)


def _dense(numbers: npt.NDArray[np.int64]) -> Packed:
    differences = np.diff(numbers, prepend=0)
    kind = next(kind for kind in _WHOLE if _is_in_range(differences, kind))
    return {"t": kind, "d": 1, "b": _encode(differences.astype(f"<{kind}"))}


def real(values: npt.ArrayLike, *, exact: bool = False) -> Packed:
    """Return numbers in single precision, for pictures, or exactly."""
    kind = "f8" if exact else "f4"
    return {"t": kind, "b": _encode(np.ascontiguousarray(values, dtype=f"<{kind}"))}


def _is_in_range(numbers: npt.NDArray[np.int64], kind: str) -> bool:
    integer_type = np.iinfo(kind)
    return not len(numbers) or bool(numbers.min() >= integer_type.min and numbers.max() <= integer_type.max)


def _encode(numbers: npt.NDArray[Any]) -> str:
    return base64.b64encode(numbers.tobytes()).decode("ascii")


def as_json(value: object) -> str:
    """Return JSON for a script element: no character in it can end the element, open a comment or end a line."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
