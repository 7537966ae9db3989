"""One size of the growth table, in a process of its own; prints JSON."""

from __future__ import annotations

import itertools
import json
import resource
import sys
import time

from benchmarks import made
from chunking import from_text, sentences, strategies, tokens
from chunking.workspace import Workspace


def main(count: int) -> None:
    """Measure the steps from text to chunks."""
    tokens.get_tokenizer().count(["warm"])
    text = made.text(count)
    vectors = made.vectors(count)
    base = _peak()
    marks = [time.perf_counter()]

    def mark() -> None:
        marks.append(time.perf_counter())

    document = from_text(text, "made.md", "markdown", language="en")
    mark()
    units = sentences.split(document, "rules")
    workspace = Workspace(document, known=(units, vectors[: len(units)]))
    offsets = workspace.offsets
    mark()
    assert len(workspace.grid.offsets) == len(offsets)
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


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(int(sys.argv[1]))
