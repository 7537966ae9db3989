"""The one-file page: how its size and the time to make it grow with the document, and beside what it shows."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from itertools import pairwise

from benchmarks import made
from benchmarks.timing import paired, table
from chunking import strategies
from chunking.comparison import report
from chunking.standalone import StandalonePage
from chunking.workspace import DocumentAnalysis

SIZES = (250, 500, 1_000, 2_000, 4_000)
SETTINGS = ("structural", "structural:overlap=40;overlap_unit=tokens", "changepoint", "recursive")
COMPARED = "structural,changepoint,recursive"


def page(workspace: DocumentAnalysis, line: str) -> StandalonePage:
    """Return the page of settings, each with its result."""
    entries = [report.entry(each, each.run(workspace)) for each in strategies.parse_named(line).values()]
    return StandalonePage(workspace, report.make(workspace, entries), "made.md")


def growth() -> None:
    """Measure bytes and time of a page, whose segmentation is there already, by the number of sentences."""
    assert page(made.workspace(SIZES[0]), COMPARED).html  # what is loaded once is in no row's time
    for line in (*SETTINGS, COMPARED):
        rows, sizes, times = [], [], []
        for count in SIZES:
            workspace = made.workspace(count)
            found = page(workspace, line)
            start = time.perf_counter()
            size = len(found.html.encode())
            times.append(time.perf_counter() - start)
            sizes.append(size)
            text = len(workspace.document.text.encode())
            rows.append(
                (f"{count:,}", f"{size / 1e6:.2f} MB", f"{size / text:.1f}", f"{1e6 * times[-1] / count:,.0f} µs")
            )
        table(f"A page of {line}", ("sentences", "file", "file ÷ text", "time a sentence"), rows)
        print(f"  exponents of size {_exponents(sizes)}, of time {_exponents(times)}")


def _exponents(values: Sequence[float]) -> str:
    steps = zip(pairwise(values), pairwise(SIZES), strict=True)
    return ", ".join(f"{math.log(large / small) / math.log(more / few):.2f}" for (small, large), (few, more) in steps)


def beside_its_result() -> None:
    """Time the page of a setting beside the segmentation that it shows."""
    workspace = made.workspace(2_000)
    rows = []
    for line in SETTINGS:
        setting = strategies.parse(line)

        def write(line: str = line) -> object:
            return page(workspace, line).html

        _, _, ratio = paired(write, lambda setting=setting: setting.run(workspace), 3)  # type: ignore[misc]
        rows.append((line, f"{ratio:.1f}"))
    table("Segmentation and page of 2,000 sentences ÷ segmentation alone", ("setting", "ratio"), rows)


def main() -> None:
    """All of it."""
    growth()
    beside_its_result()
