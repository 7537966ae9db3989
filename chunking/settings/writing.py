"""Write settings files."""

from __future__ import annotations

from typing import Any

import tomli_w

from chunking.export import encodable
from chunking.params import Value
from chunking.settings.contract import SETTINGS, STRATEGY, SettingsFile
from chunking.strategies import REGISTRY, Segmentation, Setting
from chunking.workspace import Tools


def settings_of(segmentation: Segmentation, tools: Tools) -> SettingsFile:
    """Return the file that makes the same chunks again: setting, models, language, and how the document was loaded."""
    document, strategy = segmentation.document, REGISTRY[segmentation.strategy]
    file = SettingsFile({strategy.name: Setting(strategy, segmentation.params)})
    language = None if document.language == "und" else document.language
    return file.with_reading(vars(tools) | dict(document.load_options) | {"language": language})


def settings_toml(file: SettingsFile) -> str:
    """Return the text that :func:`~chunking.settings.read_settings` reads back.

    Every parameter is written, those at their default too: the file makes the same chunks when a default has changed.
    Left out is what has no effect at the values of the others.
    """
    rows = {name: _row(setting) for name, setting in file.settings.items()}
    table: dict[str, Any] = {**file.reading(), SETTINGS: rows}
    return encodable(tomli_w.dumps(table))


def _row(setting: Setting) -> dict[str, Any]:
    idle = setting.params.idle
    kept = {name: _plain(value) for name, value in setting.params.values().items() if name not in idle}
    return {STRATEGY: setting.strategy.name, **kept}


def _plain(value: Value) -> object:
    return list(value) if isinstance(value, tuple) else value
