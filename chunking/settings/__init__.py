"""Settings files: strategies with their parameters, and the models that a document is measured with, in TOML."""

from chunking.settings.difference import difference, difference_text, setting_difference
from chunking.settings.settings_file import SettingsFile, load_settings, read_settings, settings_of, settings_toml

__all__ = [
    "SettingsFile",
    "difference",
    "difference_text",
    "load_settings",
    "read_settings",
    "setting_difference",
    "settings_of",
    "settings_toml",
]
