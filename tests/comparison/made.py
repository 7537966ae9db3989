"""Documents, chunks and segmentations that these tests make by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunking import from_text, sentences
from chunking.chunks import Chunk, Cut, SizeParameters, TokenCounts
from chunking.comparison import agreement
from chunking.document import Document, Span
from chunking.params import Parameters
from chunking.runtime.arrays import Int64
from chunking.strategies import get
from chunking.strategies.base import Segmentation
from chunking.tokens import TokenCounter, get_tokenizer
from chunking.workspace import DocumentAnalysis, Models

CL100K = get_tokenizer()
COUNTERS: dict[str, TokenCounter] = {CL100K.name: CL100K}


def ints(values: object) -> Int64:
    return np.array(values, dtype=np.int64).reshape(-1)


def count(text: str) -> int:
    return int(CL100K.count([text])[0])


def plain(text: str) -> Document:
    return from_text(text, format="text", language="en")


def chunk(text: str, index: int, start: int, end: int, overlap: int | None = None) -> Chunk:
    """A chunk by hand; ``overlap`` is where its overlap begins."""
    before = Span(overlap, start) if overlap is not None else None
    own = text[start:end]
    repeated = count(text[overlap:start]) if overlap is not None else 0
    indexed = count(text[start if overlap is None else overlap : end])
    cut = Cut(start, "size") if start else None
    return Chunk(index, start, end, own, TokenCounts((count(own), repeated, indexed)), before, (), cut)


def made(
    text: str, spans: Sequence[tuple[int, int]], params: Parameters | None = None, overlaps: Sequence[int | None] = ()
) -> Segmentation:
    starts = [*overlaps, *[None] * (len(spans) - len(overlaps))]
    chunks = tuple(chunk(text, place, *span, starts[place]) for place, span in enumerate(spans))
    return Segmentation(plain(text), "made", params or SizeParameters(), chunks)


PROSE = (
    "Tea is made of leaves. Water must be hot. Some add milk. Bread is made of flour. It needs time to rise. "
    "An oven must be hot as well. Rain fell on Monday. On Tuesday it was dry. Nobody went out on either day. "
)


def workspace(text: str) -> DocumentAnalysis:
    """A document whose vectors are made up, so that no model is asked."""
    document = plain(text)
    known = sentences.split(document, "rules")
    vectors = np.random.default_rng(3).normal(size=(len(known), 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return DocumentAnalysis(document, Models(splitter="rules"), precomputed=(known, vectors))


def percentile(**values: int | str) -> Parameters:
    return get("percentile").params(percentile=60.0, window=0, **values)  # type: ignore[call-arg]


def measure_pair(metric: str, reference: Int64, hypothesis: Int64, units: int, tolerance: int = 0) -> float:
    """The measure of one pair alone, F1 by its matching."""
    if metric == "f1":
        return agreement.boundary_f1(reference, hypothesis, tolerance)
    return agreement.METRICS[metric].of(reference, hypothesis, units)
