"""Processes: the number of available cores, a fresh Python, and the memory of this process."""

from __future__ import annotations

import ctypes
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
"""Environment variables from which libraries of linear algebra take their number of threads."""


_GROUP, _GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
"""Where Linux says in which control group this process is, and what each of them may use."""

SIZES_FILE = "/proc/self/statm"
"""The file in which Linux reports what a process uses; whoever restricts a process lets it read this."""

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def cores() -> int:
    """Return the number of cores available to this process, one at least: a container may have time of a few alone."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(allowed, _granted_processors())))


def _granted_processors() -> float:
    """Return of how many processors the control groups of this process have the time; infinity where none limits it."""
    try:
        lines = _GROUP.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return math.inf
    granted = math.inf
    for group in (line.removeprefix("0::/") for line in lines if line.startswith("0::/")):
        for folder in (_GROUPS / group, *(_GROUPS / group).parents):
            with suppress(OSError, ValueError):  # it says "max" where there is no limit
                quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
                granted = min(granted, int(quota) / int(period))
    return granted


def fresh(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    threads: int = 1,
    *,
    stdin: int = subprocess.PIPE,
    stdout: int = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    """Start a Python that finds this package and communicates over pipes.

    It has a session of its own, so that only the parent receives an interrupt from the keyboard.

    Args:
        arguments: arguments for Python.
        environment: environment variables, in addition to those set here.
        threads: of linear algebra, which allocates memory for each; one where processes run side by side.
        stdin, stdout: descriptors, or as of :class:`subprocess.Popen`.

    Raises:
        OSError: no process can be started.
    """
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    variables = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1", **dict.fromkeys(_THREADS, str(threads))}
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env={**environment, **variables},
        start_new_session=True,
    )


def return_free_memory() -> None:
    """Return free memory to the system, where the C library can."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim:
        trim(0)


def resident_memory() -> int:
    """Return the bytes of memory that this process uses now; 0 where the system does not report them."""
    return _size(1)


def address_space() -> int:
    """Return the bytes of address space that this process uses now; 0 where the system does not report them."""
    return _size(0)


def private_memory() -> int:
    """Return the bytes of its own that this process may write; 0 where the system does not report them."""
    return _size(5)


def available_memory() -> float:
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
