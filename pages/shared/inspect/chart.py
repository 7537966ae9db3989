"""The chart that Inspect exports, and the titles of its curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chunking.chunks import leaves
from chunking.reference.reference import reference_gaps
from chunking.report.curves import Curves, PinnedCurves
from chunking.signals.signals import Signals
from chunking.strategies import Segmentation


@dataclass(frozen=True)
class CurveWords:
    """The texts of a strategy with curves.

    Attributes:
        fused: title of the curve that decides.
        threshold: title of the line, before its label; empty where the label contains it.
        merged: of gaps over the threshold that the size limits leave uncut.
        forced: of gaps under the threshold that the size limits cut.
    """

    fused: str
    threshold: str = "threshold"
    merged: str = "merged (min size)"
    forced: str = "split (max size)"


def curve_words(signals: Signals) -> CurveWords:
    """Return the texts for the curves of a strategy."""
    if signals.threshold.rule == "penalty":
        return CurveWords("score", threshold="", merged="removed (size limits)", forced="added (size limits)")
    return CurveWords("semantic" if signals.structure is None else "fused")


def curves(segmentation: Segmentation, reference: Sequence[int] = (), pinned: PinnedCurves | None = None) -> Curves:
    """Return what the chart draws.

    Args:
        segmentation: that is shown.
        reference: offsets of reference boundaries.
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
        reference=reference_gaps(reference, signals.offsets, signals.sentences),
        fused_title=words.fused,
        threshold_title=words.threshold,
        suppressed_title=words.merged,
        pinned=pinned,
    )
