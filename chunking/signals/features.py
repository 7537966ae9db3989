"""Structural distance: the evidence of form and layout for a boundary, apart from meaning.

Four sets of features can be chosen by name: ``reference`` compares the surface of the two sentences, as the paper's
program does; ``layout`` uses the gap between them; ``cues`` adds the wording beside the gap, and ``questions`` that
questions open a part, a habit of some annotations that others contradict.

With wording, the distance is a sum on the scale of log-odds: at 0.5 form says nothing, and ``1 / LOG_ODDS`` more makes
the odds of a boundary ``e`` times as high. The wording counts by how far it deviates from what is usual in the
document; its weights were learned, see :mod:`chunking.signals.boundary_model`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from chunking.runtime.arrays import Float64
from chunking.sentences import Sentences
from chunking.signals import layout, paper, wording
from chunking.signals.boundary_model import HABITS, LOG_ODDS, WORDING, LearnedTerm, deviations

FeatureSet = Literal["layout", "cues", "questions", "reference"]
FEATURE_SETS: tuple[FeatureSet, ...] = get_args(FeatureSet)

PAPER: FeatureSet = "reference"
"""The set of the paper's program, by the name that settings and links have for it."""


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature of a structural distance.

    Attributes:
        name: stable identifier, used in exports and URLs.
        title: its name on the page.
        help: one sentence on what it compares.
        weight: its weight in the structural distance; negative if it is evidence against a boundary.
    """

    name: str
    title: str
    help: str
    weight: float = 0.0


def _read() -> dict[str, tuple[Feature, ...]]:
    """Return the features of ``features.toml`` by group; those of the wording have no weight yet."""
    table = tomllib.loads(Path(__file__).with_name("features.toml").read_text(encoding="utf-8"))
    return {group: tuple(Feature(name, **row) for name, row in rows.items()) for group, rows in table.items()}


_GROUPS = _read()

_LAYOUT = 0.4
"""Weight of layout relative to the set ``layout``: small enough that headings of different levels, after a blank line
and above a new paragraph, still differ below 1."""

_COVERED = frozenset({"lead_in"})
"""Layout features whose evidence is among the wording."""

NEUTRAL = Feature("neutral", "Baseline", "A constant that every gap starts from.", 0.5)


def _with_wording(terms: Mapping[str, LearnedTerm]) -> tuple[Feature, ...]:
    """Return layout, baseline and the wording of a table, without what has no weight there."""
    return (
        *(
            replace(feature, weight=round(_LAYOUT * feature.weight, 3))
            for feature in _GROUPS["layout"]
            if feature.name not in _COVERED
        ),
        NEUTRAL,
        *(
            replace(feature, weight=round(terms[feature.name].log_odds / LOG_ODDS, 6))
            for feature in _GROUPS["wording"]
            if terms[feature.name].log_odds
        ),
    )


FEATURES: dict[FeatureSet, tuple[Feature, ...]] = {
    "layout": _GROUPS["layout"],
    "cues": _with_wording(WORDING),
    "questions": _with_wording({**WORDING, **HABITS}),
    PAPER: _GROUPS["paper"],
}
FEATURE_NAMES: tuple[str, ...] = tuple(
    dict.fromkeys(feature.name for features in FEATURES.values() for feature in features if feature is not NEUTRAL)
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
            as deviations from the document's mean, see :mod:`chunking.signals.boundary_model`.
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
        constant = 1 - weights.sum() if self.name == PAPER else 0.0
        return constant + self._weighted_sum(weights)

    def shares(self, off: tuple[str, ...] = ()) -> Float64:
        """Return ``(n_gaps, n_features)`` contributions of the features to the distance, before clipping to 0–1."""
        return self.values * self._scale(off)

    def gap_shares(self, gap: int, off: tuple[str, ...] = ()) -> Float64:
        """Return the ``(n_features,)`` row of :meth:`shares` for one gap."""
        row: Float64 = self.values[gap] * self._scale(off)
        return row

    def _scale(self, off: tuple[str, ...]) -> Float64:
        weights = self.weights(off)
        total = weights.sum() if self.name == PAPER else 1.0
        return weights / total if total else weights

    def distances(self, off: tuple[str, ...] = ()) -> Float64:
        """Return the ``(n_gaps,)`` structural distance from 0 to 1: the sum of the shares, clipped."""
        return np.clip(self._weighted_sum(self._scale(off)), 0.0, 1.0)

    def _weighted_sum(self, weights: Float64) -> Float64:
        """Return the weighted sum of the columns in a fixed order: a matrix product rounds equal rows differently."""
        total = np.zeros(len(self.values))
        for column, weight in zip(self.values.T, weights.tolist(), strict=True):
            total += column * weight
        return total


def measure(sentences: Sentences, name: FeatureSet) -> Structure:
    """Measure a set of features on every gap."""
    if name == PAPER:
        return Structure(name, paper.distances(sentences.texts))
    if name == "layout":
        return Structure(name, layout.values(sentences))
    return Structure(name, _values_with_wording(sentences, FEATURES[name]))


def _values_with_wording(sentences: Sentences, features: tuple[Feature, ...]) -> Float64:
    """Return ``(n_gaps, n_features)`` float64: layout in 0 to 1, the wording as deviations from the document's mean."""
    if len(sentences) < 2:
        return np.zeros((0, len(features)))
    in_layout = layout.values(sentences)
    layout_columns = [column for column, feature in enumerate(FEATURES["layout"]) if feature.name not in _COVERED]
    in_wording = deviations(wording.values(sentences), WORDING)
    names = {feature.name for feature in features}
    wording_columns = [column for column, name in enumerate(WORDING) if name in names]
    return np.hstack((in_layout[:, layout_columns], np.ones((len(in_layout), 1)), in_wording[:, wording_columns]))


def log_odds(structure: Structure) -> Float64:
    """Return the evidence for a boundary of the features of each gap, ``(n_gaps,)``, of a set with wording.

    Layout that every gap of the document has in common does not count. The wording is measured from the document's mean
    already, and was learned so.
    """
    form, words = np.zeros(len(structure.values)), np.zeros(len(structure.values))
    for column, feature in zip(structure.values.T, structure.features, strict=True):
        if feature.name in WORDING:
            words += LOG_ODDS * feature.weight * column
        elif feature is not NEUTRAL:
            form += LOG_ODDS * feature.weight * column
    return words + form - form.mean() if len(words) else words
