"""The memory of this process."""

from __future__ import annotations

import ctypes
import math
import os
import sys


def return_free() -> None:
    """Return free memory to the system, where the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim:
        trim(0)


def resident() -> int:
    """Return the bytes of memory that this process uses now; 0 where the system does not report them."""
    return _size(1)


def address_space() -> int:
    """Return the bytes of address space that this process uses now; 0 where the system does not report them."""
    return _size(0)


def private() -> int:
    """Return the bytes of its own that this process may write; 0 where the system does not report them."""
    return _size(5)


def available() -> float:
    """Return the bytes of address space that this process may still take; infinity where nothing limits them."""
    if sys.platform == "win32":
        return math.inf
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if limit == resource.RLIM_INFINITY else max(limit - address_space(), 0)


def _size(field: int) -> int:
    """Return a number of pages that Linux reports, in bytes; 0 on other systems."""
    try:
        with open(SIZES_FILE, encoding="ascii") as file:
            return int(file.read().split()[field]) * _PAGE
    except OSError:
        return 0


SIZES_FILE = "/proc/self/statm"
"""The file in which Linux reports what a process uses; whoever restricts a process lets it read this."""

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
