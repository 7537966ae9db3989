"""Child processes: the number of available cores, and a fresh Python."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")
"""Environment variables from which libraries of linear algebra take their number of threads."""


def cores() -> int:
    """Return the number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
    own = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONUTF8": "1", **dict.fromkeys(_THREADS, str(threads))}
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env={**environment, **own},
        start_new_session=True,
    )
