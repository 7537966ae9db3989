"""Layout and wording: the layout features, and learned weights of the wording beside a gap.

The structural distance is a sum on the scale of log-odds: at 0.5 form says nothing, and ``1 / LOG_ODDS`` more makes
the odds of a boundary ``e`` times as high. The wording counts by how far it deviates from what is usual in the
document; its weights were learned, see :mod:`chunking.evidence`. The set ``questions`` adds what was learned where
questions open a part, a habit of some annotations that others contradict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from chunking.evidence import LOG_ODDS, deviations
from chunking.evidence.terms import LearnedTerm
from chunking.evidence.weights import HABITS, WORDING
from chunking.runtime.arrays import Float64
from chunking.sentences import Sentences
from chunking.structure import layout, wording
from chunking.structure.feature import Feature

_LAYOUT = 0.4
"""Weight of layout relative to the set ``layout``: small enough that headings of different levels, after a blank line
and above a new paragraph, still differ below 1."""

_COVERED = frozenset({"lead_in"})
"""Layout features whose evidence is among the wording."""

NEUTRAL = Feature("neutral", 0.5, "Baseline", "A constant that every gap starts from.")
_LAYOUT_FEATURES = tuple(feature for feature in layout.FEATURES if feature.name not in _COVERED)


def _features(terms: Mapping[str, LearnedTerm]) -> tuple[Feature, ...]:
    """Return layout, baseline and the wording of a table, without what has no weight there."""
    return (
        *(replace(known, weight=round(_LAYOUT * known.weight, 3)) for known in _LAYOUT_FEATURES),
        NEUTRAL,
        *(
            Feature(measure.name, round(terms[measure.name].log_odds / LOG_ODDS, 6), measure.title, measure.help)
            for measure in wording.MEASURES
            if terms[measure.name].log_odds
        ),
    )


FEATURES = _features(WORDING)
"""The features of the set ``cues``."""

QUESTION_FEATURES = _features({**WORDING, **HABITS})
"""The features of the set ``questions``."""


def values(sentences: Sentences, features: tuple[Feature, ...] = FEATURES) -> Float64:
    """Return the features of every gap.

    Args:
        sentences: of the document.
        features: :data:`FEATURES` or :data:`QUESTION_FEATURES`.

    Returns:
        ``(n_gaps, n_features)`` float64, columns in the order of the features: layout in 0 to 1, the wording as
        deviations from the document's mean, see :func:`chunking.evidence.deviations`.
    """
    if len(sentences) < 2:
        return np.zeros((0, len(features)))
    known = layout.values(sentences)
    kept = [place for place, feature in enumerate(layout.FEATURES) if feature in _LAYOUT_FEATURES]
    apart = deviations(wording.values(sentences), WORDING)
    names = {feature.name for feature in features}
    used = [place for place, name in enumerate(WORDING) if name in names]
    return np.hstack((known[:, kept], np.ones((len(known), 1)), apart[:, used]))


def log_odds(values: Float64, features: tuple[Feature, ...] = FEATURES) -> Float64:
    """Return the evidence for a boundary of the features of each gap, ``(n_gaps,)``.

    Layout that every gap of the document has in common is none. The wording is measured from the document's mean
    already, and was learned so.

    Args:
        values: as :func:`values` returns them.
        features: the same.
    """
    form, words = np.zeros(len(values)), np.zeros(len(values))
    for column, feature in zip(values.T, features, strict=True):
        if feature.name in WORDING:
            words += LOG_ODDS * feature.weight * column
        elif feature is not NEUTRAL:
            form += LOG_ODDS * feature.weight * column
    return words + form - form.mean() if len(values) else words
