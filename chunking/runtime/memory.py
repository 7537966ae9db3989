"""The memory of this process."""

from __future__ import annotations

import ctypes
import sys


def return_free() -> None:
    """Return free memory to the system, where the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim:
        trim(0)
