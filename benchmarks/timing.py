"""Timing: several runs after a warm-up, medians, and pairs in turn so that both feel the same machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from statistics import median

Run = Callable[[], object]


def seconds(run: Run, times: int = 5) -> float:
    """Return median of several runs, after one that is not counted."""
    run()
    return median(_once(run) for _ in range(times))


def paired(first: Run, second: Run, times: int = 5) -> tuple[float, float, float]:
    """Return the medians of two, run in turn, and the median of their ratios first ÷ second."""
    first(), second()
    pairs = [(_once(first), _once(second)) for _ in range(times)]
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(a / b for a, b in pairs)


def _once(run: Run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under a title, in columns."""
    cells = [list(map(str, head)), *(list(map(str, row)) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    print(f"\n{title}")
    for place, row in enumerate(cells):
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
        if place == 0:
            print("  " + "  ".join("-" * width for width in widths))


def ms(value: float) -> str:
    """Return seconds as milliseconds, in three digits."""
    return f"{1000 * value:.3g} ms"
