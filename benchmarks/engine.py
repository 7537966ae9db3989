"""The engine: slider moves, structural features, growth with size."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
from dataclasses import replace

from benchmarks import made
from benchmarks.timing import Run, ms, paired, seconds, table
from chunking import strategies
from chunking.signals import layout, paper
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import DocumentAnalysis
from tests.oracles import reference_loop

MOVED = 10_000
SIZES = (1_000, 10_000, 100_000)


def slider_moves() -> None:
    """From a changed parameter to new boundaries and chunks, with everything before the threshold in place."""
    workspace = made.workspace(MOVED)
    base = StructuralParameters(percentile=95)
    settings = {
        "α": [replace(base, alpha=alpha / 10) for alpha in range(1, 10)],
        "percentile": [replace(base, percentile=float(value)) for value in range(88, 97)],
        "overlap, sentences": [replace(base, overlap=value) for value in range(1, 10)],
        "overlap, tokens": [replace(base, overlap=5 * value, overlap_unit="tokens") for value in range(1, 10)],
        "maximum tokens": [replace(base, max_tokens=100 + 40 * value) for value in range(1, 10)],
        "minimum tokens": [replace(base, min_tokens=20 * value) for value in range(1, 10)],
        "α, reference features": [
            replace(base, structure="reference", block=1, alpha=alpha / 10) for alpha in range(1, 10)
        ],
    }
    rows = []
    for name, steps in settings.items():
        moves = iter(steps * 4)
        rows.append((name, ms(seconds(lambda moves=moves: _segment(workspace, next(moves)), 15))))  # type: ignore[misc]
    table(f"A slider move at {MOVED:,} sentences (target: α, percentile, overlap ≤ 20 ms)", ("moved", "median"), rows)


def _segment(workspace: DocumentAnalysis, params: StructuralParameters) -> object:
    return strategies.run("structural", workspace, params)


def structural_features() -> None:
    """Time the reference features against the plain loop, and ours against the reference's."""
    _, units = made.document(MOVED)
    texts = units.texts

    def loop() -> None:
        for left, right in itertools.pairwise(texts):
            reference_loop.similarities(left, right)

    vector: Run = lambda: paper.distances(texts)  # noqa: E731
    ours: Run = lambda: layout.values(units)  # noqa: E731
    slow, fast, ratio = paired(loop, vector, 3)
    own, again, share = paired(ours, vector, 7)
    table(
        f"Structural features of {MOVED:,} gaps (targets: loop ÷ reference ≥ 30, ours ÷ reference ≤ 1)",
        ("first", "second", "first ÷ second"),
        [
            (f"plain loop {ms(slow)}", f"reference {ms(fast)}", f"{ratio:.1f}"),
            (f"ours {ms(own)}", f"reference {ms(again)}", f"{share:.2f}"),
        ],
    )


def growth() -> None:
    """Each size in a process of its own: time from text to chunks without the encoder, and peak memory."""
    rows, times = [], []
    for size in SIZES:
        command = [sys.executable, "-m", "benchmarks.grow", str(size)]
        measured = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        times.append(measured["total"])
        steps = (f"{measured[name]:.3f} s" for name in ("load", "split", "tokens", "features", "cut", "total"))
        rows.append((f"{size:,}", *steps, f"{measured['peak_mb']:.0f} MB", f"{measured['base_mb']:.0f} MB"))
    table(
        "Growth with the number of sentences, embedding apart",
        (
            "sentences",
            "load",
            "split by rules",
            "count tokens",
            "features",
            "cut",
            "total",
            "peak",
            "before: text, vectors, code",
        ),
        rows,
    )
    for first, second, small, large in zip(times, times[1:], SIZES, SIZES[1:], strict=False):
        print(f"  exponent from {small:,} to {large:,}: {math.log(second / first) / math.log(large / small):.2f}")


def run() -> None:
    """All of it."""
    slider_moves()
    structural_features()
    growth()
