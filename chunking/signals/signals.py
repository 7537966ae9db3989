"""The signals of a document: every number of every gap, before and after the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from chunking.chunks import Cut, Driver
from chunking.runtime.arrays import Float64, Int64
from chunking.sentences import Sentences
from chunking.signals import distances, thresholds
from chunking.signals.features import Structure
from chunking.signals.thresholds import Rule, Threshold

_CLEAR_SHARE = 2 / 3
"""Share of a gap's excess over the average from which one signal alone is reported as its driver."""


@dataclass(frozen=True)
class Supported:
    """The number of boundaries that a text supports.

    Attributes:
        learned: what its gaps make likely, see :mod:`chunking.signals.boundary_model`.
        passages: passages of :mod:`chunking.strategies.changepoint` in its paragraphs, fewer boundaries than which
            would leave parts too long to be searched for.
        spread: powers of two by which the true number differed from this one in eight of ten documents in which it is
            known and whose gaps are as telling: of the lowest and of the highest of them.
    """

    learned: int
    passages: int
    spread: tuple[float, float]

    @property
    def number(self) -> int:
        """The larger one."""
        return max(self.learned, self.passages)

    @property
    def range(self) -> tuple[int, int]:
        """The numbers between which the true one lay in eight of ten documents."""
        low, high = (round(self.number * 2.0**power) for power in self.spread)
        return low, high


@dataclass(frozen=True, eq=False)
class Signals:
    """The curves of a document under one setting; each array has one entry per gap.

    Attributes:
        sentences: the sentences.
        offsets: ``(n_gaps,)`` int64, offset at which each gap cuts the text.
        semantic: ``(n_gaps,)`` float64.
        structure: the features of the structural distance; ``None`` if α = 1 by definition.
        off: names of disabled features.
        alpha: weight of the semantic distance.
        structural, structural_raw: ``(n_gaps,)`` float64, rescaled to 0–1 and before rescaling.
        fused: ``(n_gaps,)`` float64, ``alpha·semantic + (1 − alpha)·structural``.
        threshold: the rule, applied to ``fused``.
        probabilities: ``(n_gaps,)`` calibrated probability of a boundary at each gap, from all evidence and whatever α;
            ``None`` where it is not computed.
        supported: number of boundaries that the text supports; ``None`` where no number is derived from it.
        scales: ``(n_gaps, n_terms)`` measurements of :mod:`chunking.signals.scales` in the semantic distance; ``None``
            where they are no part of it.
        scale_unit: semantic distance of one unit of log-odds of these measurements.
    """

    sentences: Sentences
    offsets: Int64
    semantic: Float64
    structure: Structure | None
    off: tuple[str, ...]
    alpha: float
    structural: Float64
    structural_raw: Float64
    fused: Float64
    threshold: Threshold
    probabilities: Float64 | None = None
    supported: Supported | None = None
    scales: Float64 | None = None
    scale_unit: float = 0.0

    def __len__(self) -> int:
        return len(self.fused)

    def cut(self, gap: int) -> Cut:
        """Return the cut at a gap whose distance exceeds the threshold."""
        return Cut(
            offset=int(self.offsets[gap]),
            reason="distance",
            driver=self.driver(gap),
            gap=gap,
            score=float(self.threshold.score[gap]),
            threshold=self.threshold.value,
        )

    @property
    def cuts(self) -> list[Cut]:
        """The cuts at all gaps above the threshold, in order."""
        return [self.cut(gap) for gap in np.flatnonzero(self.threshold.exceeded).tolist()]

    def driver(self, gap: int) -> Driver:
        """Return which signal lifts the gap above the document's average: either alone, or both."""
        if self.structure is None:
            return "semantic"
        semantic, structural = self._lifts
        lift_semantic = max(self.alpha * semantic[gap], 0.0)
        lift_structural = max((1 - self.alpha) * structural[gap], 0.0)
        total = lift_semantic + lift_structural
        share = lift_semantic / total if total > 0 else 0.5
        return "semantic" if share >= _CLEAR_SHARE else "structural" if share <= 1 - _CLEAR_SHARE else "both"

    @cached_property
    def _lifts(self) -> tuple[Float64, Float64]:
        """Each signal minus its own average; its slope, if the rule compares slopes."""
        compared = (self.semantic, self.structural)
        if self.threshold.rule == "gradient":
            compared = (thresholds.gradient(self.semantic), thresholds.gradient(self.structural))
        return compared[0] - compared[0].mean(), compared[1] - compared[1].mean()


def measure(
    sentences: Sentences,
    offsets: Int64,
    semantic: Float64,
    structure: Structure | None,
    *,
    alpha: float,
    off: tuple[str, ...] = (),
    rule: Rule,
    amount: float,
    probabilities: Float64 | None = None,
    scales: Float64 | None = None,
    scale_unit: float = 0.0,
) -> Signals:
    """Fuse the distances and apply a threshold rule."""
    none = np.zeros(len(semantic))
    structural = structure.distances(off) if structure else none
    fused = distances.fuse(semantic, structural, alpha) if structure else semantic
    return Signals(
        sentences=sentences,
        offsets=offsets,
        semantic=semantic,
        structure=structure,
        off=off,
        alpha=alpha if structure else 1.0,
        structural=structural,
        structural_raw=structure.raw(off) if structure else none,
        fused=fused,
        threshold=thresholds.apply(rule, amount, fused),
        probabilities=probabilities,
        scales=scales,
        scale_unit=scale_unit,
    )
