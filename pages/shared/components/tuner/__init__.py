"""The map of all settings of a document, with what the present one cuts beside the best."""

from pages.shared.components.tuner.component import Tuned, TunerHead, tuned, tuner

__all__ = ["Tuned", "TunerHead", "tuned", "tuner"]
