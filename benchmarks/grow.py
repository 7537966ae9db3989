"""One size of the growth table, in a process of its own; prints JSON."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sys
import time
from pathlib import Path

from benchmarks import made
from benchmarks.processes import peak_mb, resident_mb
from chunking import from_text, sentences, strategies, tokens
from chunking.workspace import DocumentAnalysis


def main(count: int) -> None:
    """Measure the steps from text to chunks."""
    tokens.get_tokenizer().count(["warm"])
    text = made.text(count)
    vectors = made.vectors(count)
    base = _begin_peak()
    marks = [time.perf_counter()]

    def mark() -> None:
        marks.append(time.perf_counter())

    document = from_text(text, "made.md", "markdown", language="en")
    mark()
    units = sentences.split(document, "rules")
    workspace = DocumentAnalysis(document, precomputed=(units, vectors[: len(units)]))
    offsets = workspace.offsets
    mark()
    assert len(workspace.cut_points.tokens.cuts) == len(offsets) + 2
    mark()
    workspace.structure("layout"), workspace.structure("reference"), workspace.semantic(0, 3)
    mark()
    strategies.run("structural", workspace)
    mark()
    steps = dict(
        zip(
            ("load", "split", "tokens", "features", "cut"),
            (b - a for a, b in itertools.pairwise(marks)),
            strict=True,
        )
    )
    print(json.dumps(steps | {"total": marks[-1] - marks[0], "peak_mb": peak_mb(os.getpid()), "base_mb": base}))


def _begin_peak() -> float:
    """Forget the peak of what was made for the measurement (Linux); gives what is resident now, in MB."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return resident_mb(os.getpid())


if __name__ == "__main__":
    main(int(sys.argv[1]))
