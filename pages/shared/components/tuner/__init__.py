"""The map of all settings of a document, with what the present one cuts beside the best."""

from pages.shared.components.tuner.component import Tuned, TunerHead, tuner, tuner_report

__all__ = ["Tuned", "TunerHead", "tuner", "tuner_report"]
