"""A file to its first curve, in a process that has seen no document yet; prints JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import made
from chunking import sentences, strategies
from chunking.loading import load
from chunking.report import curves as chart
from chunking.report import theme
from chunking.strategies.base import Segmentation
from chunking.strategies.gaps import StructuralParameters
from chunking.workspace import DocumentAnalysis

MODEL = "the model of sentences"
"""The step that is taken once, whatever the document."""


def main(path: Path) -> dict[str, Any]:
    """Yield the seconds of each step from a file to what the chart is sent, by the clock and of the processor.

    Vectors are made up, as embedding is apart.
    """
    told: list[tuple[int, int]] = []
    steps: dict[str, tuple[float, float]] = {}

    @contextmanager
    def step(name: str) -> Iterator[None]:
        start, worked = time.perf_counter(), sum(os.times()[:4])
        yield
        steps[name] = time.perf_counter() - start, sum(os.times()[:4]) - worked

    with step("load"):
        document = load(path.read_bytes(), path.name, progress=lambda done, total: told.append((done, total)))
    with step(MODEL):
        sentences.split(load(b"One. Two.", "warm.txt", document.language))
    with step("sentences"):
        units = sentences.split(document)
    workspace = DocumentAnalysis(document, precomputed=(units, made.vectors(len(units))))
    with step("tokens"):
        assert len(workspace.cut_points.tokens.cuts) == len(units) + 1
    with step("structure"):
        workspace.structure("layout")
    with step("semantic"):
        workspace.semantic(StructuralParameters().window, StructuralParameters().block)
    with step("segmentation"):
        segmentation = strategies.run("structural", workspace)
    with step("curves"):
        figure = chart.curve_figure(curves(segmentation), palette=theme.ROLES)
        json.dumps(figure, default=np.ndarray.tolist)
    return {
        "steps": steps,
        "told": len(told),
        "places": len(set(told)),
        "sentences": len(units),
        "chars": len(document.text),
        "chunks": len(segmentation.chunks),
    }


def curves(segmentation: Segmentation) -> chart.Curves:
    """Return the data that the chart of the page draws."""
    signals = segmentation.signals
    assert signals
    cuts = [chunk.cut for chunk in segmentation.chunks if chunk.cut and chunk.cut.gap is not None]
    return chart.Curves(
        semantic=signals.semantic,
        structural=signals.structural,
        fused=signals.fused,
        score=signals.threshold.score,
        threshold=signals.threshold.value,
        threshold_label=signals.threshold.label,
        boundaries=np.array([cut.gap for cut in cuts], dtype=np.int64),
        drivers=tuple(cut.driver or "limit" for cut in cuts),
        suppressed=np.array(segmentation.suppressed_gaps, dtype=np.int64),
    )


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))
