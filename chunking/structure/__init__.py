"""Structural distance: the evidence of form and layout for a boundary, apart from meaning.

Four sets of features can be chosen by name: ``reference`` compares the surface of the two sentences, as the paper's
program does; ``layout`` uses the gap between them; ``cues`` adds the wording beside the gap, and ``questions`` that
questions open a part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from chunking.runtime.arrays import Float64
from chunking.sentences import Sentences
from chunking.structure import cues, layout, reference
from chunking.structure.feature import Feature

FeatureSet = Literal["layout", "cues", "questions", "reference"]
FEATURE_SETS: tuple[FeatureSet, ...] = get_args(FeatureSet)

FEATURES: dict[FeatureSet, tuple[Feature, ...]] = {
    "layout": layout.FEATURES,
    "cues": cues.FEATURES,
    "questions": cues.QUESTION_FEATURES,
    "reference": reference.FEATURES,
}
FEATURE_NAMES: tuple[str, ...] = tuple(
    dict.fromkeys(feature.name for features in FEATURES.values() for feature in features if feature is not cues.NEUTRAL)
)
"""The features that can be disabled; the baseline is the origin of the scale and no feature."""

RETIRED_FEATURES = ("neutral", "prose_again")
"""Names of older settings, which are ignored."""


@dataclass(frozen=True, eq=False)
class Structure:
    """The structural features of every gap of a document.

    Attributes:
        name: name of the feature set.
        values: ``(n_gaps, n_features)`` float64 in the order of ``FEATURES[name]``: 0 (similar sides) to 1, the wording
            as deviations from the document's mean, see :mod:`chunking.evidence`.
    """

    name: FeatureSet
    values: Float64

    @property
    def features(self) -> tuple[Feature, ...]:
        """The features, one per column."""
        return FEATURES[self.name]

    def weights(self, off: tuple[str, ...] = ()) -> Float64:
        """Return ``(n_features,)`` weights, 0 for disabled features."""
        return np.array([0.0 if feature.name in off else feature.weight for feature in self.features])

    def raw(self, off: tuple[str, ...] = ()) -> Float64:
        """Return the ``(n_gaps,)`` structural distance before rescaling.

        ``reference``: ``1 − Σ wₖ·simₖ``, so two identical sentences are ``1 − Σ wₖ`` apart (0.18 with all features).
        ``layout``, ``cues``: the weighted sum of the evidence, which may lie outside 0 to 1.
        """
        weights = self.weights(off)
        constant = 1 - weights.sum() if self.name == "reference" else 0.0
        return constant + self._weighted(weights)

    def shares(self, off: tuple[str, ...] = ()) -> Float64:
        """Return ``(n_gaps, n_features)`` contributions of the features to the distance, before clipping to 0–1."""
        return self.values * self._scaled(off)

    def gap_shares(self, gap: int, off: tuple[str, ...] = ()) -> Float64:
        """Return the ``(n_features,)`` row of :meth:`shares` for one gap."""
        row: Float64 = self.values[gap] * self._scaled(off)
        return row

    def _scaled(self, off: tuple[str, ...]) -> Float64:
        weights = self.weights(off)
        total = weights.sum() if self.name == "reference" else 1.0
        return weights / total if total else weights

    def distances(self, off: tuple[str, ...] = ()) -> Float64:
        """Return the ``(n_gaps,)`` structural distance from 0 to 1: the sum of the shares, clipped."""
        return np.clip(self._weighted(self._scaled(off)), 0.0, 1.0)

    def _weighted(self, weights: Float64) -> Float64:
        """Return the weighted sum of the columns in a fixed order: a matrix product rounds equal rows differently."""
        total = np.zeros(len(self.values))
        for column, weight in zip(self.values.T, weights.tolist(), strict=True):
            total += column * weight
        return total


def measure(sentences: Sentences, name: FeatureSet) -> Structure:
    """Measure a set of features on every gap."""
    if name == "reference":
        return Structure(name, reference.distances(sentences.texts))
    if name == "layout":
        return Structure(name, layout.values(sentences))
    return Structure(name, cues.values(sentences, FEATURES[name]))
