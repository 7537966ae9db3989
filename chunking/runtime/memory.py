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
    return _sizes()[1]


def address_space() -> int:
    """Return the bytes of address space that this process uses now; 0 where the system does not report them."""
    return _sizes()[0]


def available() -> float:
    """Return the bytes of address space that this process may still take; infinity where nothing limits them."""
    if sys.platform == "win32":
        return math.inf
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return math.inf if limit == resource.RLIM_INFINITY else max(limit - address_space(), 0)


def _sizes() -> tuple[int, int]:
    """Return the address space and the memory in use, in bytes; zeros where the system does not report them."""
    try:
        with open(SIZES_FILE, encoding="ascii") as file:
            pages, resident_pages = file.read().split()[:2]
    except OSError:
        return 0, 0
    return int(pages) * _PAGE, int(resident_pages) * _PAGE


SIZES_FILE = "/proc/self/statm"
"""The file in which Linux reports what a process uses; whoever restricts a process lets it read this."""

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
