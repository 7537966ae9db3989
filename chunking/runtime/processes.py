"""Child processes: the number of available cores, and a fresh Python."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1")
"""One thread each: linear algebra libraries allocate memory per thread, and the processes already run in parallel."""


def cores() -> int:
    """Return the number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def fresh(arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a Python that finds this package, computes with one thread, and communicates over pipes.

    It has a session of its own, so that only the parent receives an interrupt from the keyboard.

    Args:
        arguments: arguments for Python.
        environment: environment variables, in addition to those set here.

    Raises:
        OSError: no process can be started.
    """
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env={**environment, **_ALONE, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1"},
        start_new_session=True,
    )
