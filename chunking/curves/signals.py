"""Signals: every number that is known of every gap, before and after the threshold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from chunking.chunks import Cut, Driver
from chunking.curves import distances, thresholds
from chunking.curves.thresholds import Rule, Threshold
from chunking.sentences import Sentences
from chunking.structure import Structure

Floats = npt.NDArray[np.float64]

_CLEAR_SHARE = 2 / 3
"""Of what lifts a gap above the average, the share from which one signal is said to have driven it alone."""


@dataclass(frozen=True, eq=False)
class Signals:
    """The curves of a document under one setting; every array has one entry a gap.

    Attributes:
        sentences: the units.
        offsets: ``(n_gaps,)`` int64, where each gap cuts the text.
        semantic: ``(n_gaps,)`` float64.
        structure: the features behind the structural distance; ``None`` where α = 1 by definition.
        off: names of the features that are switched off.
        alpha: weight of the semantic distance.
        structural, structural_raw: ``(n_gaps,)`` float64, rescaled to 0–1 and before that.
        fused: ``(n_gaps,)`` float64, ``alpha·semantic + (1 − alpha)·structural``.
        threshold: the rule, applied to ``fused``.
    """

    sentences: Sentences
    offsets: npt.NDArray[np.int64]
    semantic: Floats
    structure: Structure | None
    off: tuple[str, ...]
    alpha: float
    structural: Floats
    structural_raw: Floats
    fused: Floats
    threshold: Threshold

    def __len__(self) -> int:
        return len(self.fused)

    def cut(self, gap: int) -> Cut:
        """The cut at a gap whose distance exceeds the threshold."""
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
        """A cut for every gap over the threshold, in order."""
        return [self.cut(gap) for gap in np.flatnonzero(self.threshold.exceeded).tolist()]

    def driver(self, gap: int) -> Driver:
        """Which signal lifts what is compared above the document's average: either alone, or both."""
        if self.structure is None:
            return "semantic"
        semantic, structural = self._lifts
        lift_semantic = max(self.alpha * semantic[gap], 0.0)
        lift_structural = max((1 - self.alpha) * structural[gap], 0.0)
        total = lift_semantic + lift_structural
        share = lift_semantic / total if total > 0 else 0.5
        return "semantic" if share >= _CLEAR_SHARE else "structural" if share <= 1 - _CLEAR_SHARE else "both"

    @cached_property
    def _lifts(self) -> tuple[Floats, Floats]:
        """Each signal above its own average, as the rule sees it: its slope where slopes are compared."""
        seen = (self.semantic, self.structural)
        if self.threshold.rule == "gradient":
            seen = (thresholds.gradient(self.semantic), thresholds.gradient(self.structural))
        return seen[0] - seen[0].mean(), seen[1] - seen[1].mean()


def measure(
    sentences: Sentences,
    offsets: npt.NDArray[np.int64],
    semantic: Floats,
    structure: Structure | None,
    *,
    alpha: float,
    off: tuple[str, ...] = (),
    rule: Rule,
    amount: float,
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
    )
