"""Limits that the system enforces on this process; none on Windows, and none of memory on macOS.

A process of one call gives up for good what exceeds its limits. One that does several tasks moves them: each task, and
each report of its progress, has as much anew.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from chunking.runtime.processes import address_space, private_memory

DESCRIPTORS = 32
"""Limit of open files and pipes of a process of one call."""

_ESTIMATE = 2**30
"""Bytes in use where the system does not report them."""


def restrict(memory: int, cpu: int) -> None:
    """Limit this process irrevocably, for a call.

    Args:
        memory: bytes of address space beyond those in use.
        cpu: seconds of processor time.
    """
    if sys.platform == "win32":
        return
    import resource

    _set(resource.RLIMIT_AS, (address_space() or _ESTIMATE) + memory)
    # The soft limit of processor time sends a signal with the reason; the hard one does not.
    _set(resource.RLIMIT_CPU, cpu, 2)
    _set(resource.RLIMIT_NOFILE, DESCRIPTORS)
    for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_NPROC):
        _set(kind, 0)


def allow_memory(memory: int) -> None:
    """Let this process use as many bytes more than it does, until it is called again; 0 for any number.

    What counts is memory of its own that it may write: libraries of models map, and reserve, much more.
    """
    if memory and sys.platform != "win32":
        import resource

        _move(resource.RLIMIT_DATA, (private_memory() or _ESTIMATE) + memory)
        _set(resource.RLIMIT_CORE, 0)


def allow_cpu(seconds: int) -> None:
    """Let this process use as many seconds more of the processor than it has, until it is called again; 0 for any."""
    if seconds and sys.platform != "win32":
        import resource

        _move(resource.RLIMIT_CPU, math.ceil(time.process_time()) + seconds)


def _set(kind: int, bound: int, beyond: int = 0) -> None:
    """Set a limit for good; it can be lowered alone."""
    _limit(kind, bound, lambda soft, _: soft + beyond)


def _move(kind: int, bound: int) -> None:
    """Set a limit that can be raised again."""
    _limit(kind, bound, lambda _, hard: hard)


def _limit(kind: int, bound: int, hard_limit: Callable[[int, int], int]) -> None:
    import resource

    _, hard = resource.getrlimit(kind)
    soft = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
    with suppress(ValueError, OSError):  # macOS has no limit of address space
        resource.setrlimit(kind, (soft, hard_limit(soft, hard)))
