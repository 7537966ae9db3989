"""The figure of each chapter: controls and a picture, made by the engine."""

from collections.abc import Callable, Mapping

from chunking.runtime.arrays import Int64
from pages.shared.learn.figures import curves, meaning, outcomes
from pages.shared.learn.figures.scene import Scene

FIGURES: Mapping[str, Callable[[Scene], Int64]] = {
    "1": meaning.sentences,
    "2": meaning.similarities,
    "3": meaning.neighbours,
    "4": curves.form,
    "5": curves.balance,
    "6": curves.threshold,
    "7": curves.share,
    "8": outcomes.limits,
    "9": outcomes.strategies_beside,
    "10": outcomes.chance_beside,
}
"""By chapter: draws its controls and its picture, and returns the ascending gaps that the engine cuts."""

__all__ = ["FIGURES", "Scene"]
