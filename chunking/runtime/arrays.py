"""Types of NumPy arrays, named after what they hold: a type says nothing of the shape, which docstrings give."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = [
    "AnyFloats",
    "AnyInts",
    "Bools",
    "Float32",
    "Float64",
    "Int8",
    "Int16",
    "Int32",
    "Int64",
    "UInt8",
    "UInt32",
    "UInt64",
]

Bools = npt.NDArray[np.bool_]

Int8 = npt.NDArray[np.int8]
Int16 = npt.NDArray[np.int16]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

UInt8 = npt.NDArray[np.uint8]
UInt32 = npt.NDArray[np.uint32]
UInt64 = npt.NDArray[np.uint64]

Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]

AnyInts = npt.NDArray[np.integer[Any]]
AnyFloats = npt.NDArray[np.floating[Any]]
