"""The sentences of an advice: ``texts.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

TEXTS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_name("texts.toml").read_text(encoding="utf-8")
)
"""The sentences of each part of an advice, by name."""


def words(part: str, name: str, **values: object) -> str:
    """Return a sentence with its fields filled in."""
    return TEXTS[part][name].format(**values)


def percent(share: float) -> str:
    """Return a share as text: ``12 %``."""
    return f"{100 * share:.0f} %"
