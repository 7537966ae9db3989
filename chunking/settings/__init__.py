"""Settings files: strategies with their parameters, and the models that a document is measured with, in TOML."""

from chunking.settings.contract import SettingsFile
from chunking.settings.difference import Change, difference, difference_text, setting_difference
from chunking.settings.reading import load_settings, read_settings
from chunking.settings.writing import settings_of, settings_toml

__all__ = [
    "Change",
    "SettingsFile",
    "difference",
    "difference_text",
    "load_settings",
    "read_settings",
    "setting_difference",
    "settings_of",
    "settings_toml",
]
