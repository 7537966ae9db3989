"""One size of the growth table, in a process of its own; prints JSON."""

from __future__ import annotations

import contextlib
import itertools
import json
import sys
import time
from pathlib import Path

from benchmarks import made
from chunking import from_text, sentences, strategies, tokens
from chunking.workspace import Workspace


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
    workspace = Workspace(document, precomputed=(units, vectors[: len(units)]))
    offsets = workspace.offsets
    mark()
    assert len(workspace.grid.tokens.cuts) == len(offsets) + 2
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
    print(json.dumps(steps | {"total": marks[-1] - marks[0], "peak_mb": _peak(), "base_mb": base}))


def _begin_peak() -> float:
    """Forget the peak of what was made for the measurement (Linux); gives what is resident now, in MB."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _peak() -> float:
    return _status("VmHWM")


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(name))


if __name__ == "__main__":
    main(int(sys.argv[1]))
