"""What other processes take, read from Linux; 0, or nothing, for one that is gone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(process: int) -> float:
    """Return the seconds of a core that a process has used."""
    with contextlib.suppress(OSError):
        cells = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(cells[11]) + int(cells[12])) / _TICKS
    return 0.0


def resident_mb(process: int) -> float:
    """Return the memory that a process has now, in MB."""
    return _status(process, "VmRSS")


def peak_mb(process: int) -> float:
    """Return the most memory that a process has had, in MB."""
    return _status(process, "VmHWM")


def descendants(process: int) -> Iterator[int]:
    """Yield the processes that a process has begun, and theirs."""
    try:
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        found = {int(each) for task in tasks for each in (task / "children").read_text().split()}
    except OSError:
        return
    for each in found:
        yield each
        yield from descendants(each)


def own_mb(process: int) -> float:
    """Return the memory of a process in MB, without mapped files, such as code, which it shares with others."""
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        return next((float(line.split()[1]) / 1024 for line in lines if line.startswith("Anonymous:")), 0.0)
    return 0.0


def _status(process: int, name: str) -> float:
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        return next((float(line.split()[1]) / 1024 for line in lines if line.startswith(name)), 0.0)
    return 0.0
