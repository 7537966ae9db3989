"""Processes of our own beside this one: how many are worth having, and a fresh Python for them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"), "1")
"""Libraries of linear algebra set memory aside for each thread, and the processes are what runs side by side."""


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def fresh(arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Begin a Python that finds this package, computes with one thread, and is spoken to over pipes.

    It is in a session of its own: an interruption is for the process that asks.

    Args:
        arguments: of Python.
        environment: its variables, beside those that make it so.

    Raises:
        OSError: no process can be begun.
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
