"""A segmentation as the chart and the text view draw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from chunking.chunks import Chunk, leaves
from chunking.curves.signals import Signals
from chunking.figures.pinned import PinnedCurves
from chunking.figures.plots import Curves
from chunking.gold.gaps import gold_gaps
from chunking.strategies import Segmentation
from pages.shared.components.chunk_reader import ReaderChunks
from pages.shared.documents import about_document
from pages.shared.settings.curve_words import curve_words


def curves(segmentation: Segmentation, gold: Sequence[int] = (), pinned: PinnedCurves | None = None) -> Curves:
    """Return what the chart draws.

    Args:
        segmentation: that is shown.
        gold: offsets of reference boundaries.
        pinned: another setting to draw beside it.
    """
    signals = segmentation.signals
    if signals is None:
        raise ValueError(f"{segmentation.strategy} has no curves")
    words = curve_words(signals)
    cuts = [chunk.cut for chunk in leaves(segmentation.chunks) if chunk.cut and chunk.cut.gap is not None]
    return Curves(
        semantic=signals.semantic,
        structural=signals.structural if signals.structure else None,
        fused=signals.fused,
        score=signals.threshold.score,
        threshold=signals.threshold.value,
        threshold_label=signals.threshold.label,
        boundaries=np.array([cut.gap for cut in cuts], dtype=np.int64),
        drivers=tuple(cut.driver or "limit" for cut in cuts),
        suppressed=np.array(segmentation.suppressed_gaps, dtype=np.int64),
        gold=gold_gaps(gold, signals.offsets, signals.sentences),
        fused_title=words.fused,
        threshold_title=words.threshold,
        suppressed_title=words.merged,
        pinned=pinned,
    )


def columns(segmentation: Segmentation) -> ReaderChunks:
    """Return what the text view shows."""
    chunks = leaves(segmentation.chunks)
    words = curve_words(cast(Signals, segmentation.signals))

    def numbers(values: list[int]) -> np.ndarray:
        return np.array(values, dtype=np.int64)

    return ReaderChunks(
        start=numbers([chunk.start for chunk in chunks]),
        end=numbers([chunk.end for chunk in chunks]),
        overlap_start=numbers([chunk.reach for chunk in chunks]),
        tokens=numbers([chunk.tokens for chunk in chunks]),
        overlap_tokens=numbers([chunk.overlap_tokens for chunk in chunks]),
        gap=numbers([-1 if chunk.cut is None or chunk.cut.gap is None else chunk.cut.gap for chunk in chunks]),
        driver=tuple((chunk.cut and chunk.cut.driver) or "" for chunk in chunks),
        reason=tuple(reason(chunk, words.forced) for chunk in chunks),
        heading_path=tuple(chunk.heading_path for chunk in chunks),
        note=tuple("; ".join(chunk.notes) for chunk in chunks),
        place=tuple(about_document.place(segmentation.document, chunk.start, chunk.end) for chunk in chunks),
    )


def reason(chunk: Chunk, forced: str) -> str:
    """Return why a chunk begins where it does; ``forced`` names the effect of the size limits."""
    cut = chunk.cut
    if cut is None:
        return ""
    if cut.reason == "distance":
        opens = ", opens a topic" if cut.detail == "topic" else ""
        return f"{cut.score:.3f} > {cut.threshold:.3f}{opens}"
    return forced if cut.reason == "token_limit" else "inside a sentence over the maximum size"
