"""The evaluation of boundaries as a function that a worker can run: arguments and results can be pickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from chunking import evaluation
from chunking.embedding.vector_cache import VectorCache
from chunking.evaluation.data import DataSet
from chunking.evaluation.results import SegmentationSummary
from chunking.evaluation.segmentation import SegmentationEvaluation, SegmentationOptions
from chunking.runtime.progress import Tell
from chunking.strategies import Setting


def read_file(data: bytes, name: str, _: VectorCache | None, tell: Tell) -> DataSet:
    """Return the documents of a file, see :func:`chunking.evaluation.read`."""
    tell("reading", 0, 0)
    return evaluation.read(data, name)


def evaluate_settings(
    data: DataSet,
    settings: Mapping[str, Setting],
    options: SegmentationOptions,
    cache: VectorCache | None,
    tell: Tell,
) -> tuple[SegmentationEvaluation, SegmentationSummary]:
    """Return an evaluation without its documents, which whoever sent them has, and its summary."""
    result = evaluation.evaluate(data, settings, options, cache, tell)
    tell("intervals and tests of strategies", len(settings), len(settings))
    return replace(result, data=replace(data, documents=())), evaluation.summarize(result)
