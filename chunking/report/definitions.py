"""Definitions of the measures of reports, with their sources: ``definitions.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from chunking import glossary


class _Definitions(dict[str, str]):
    """The definitions of the glossary by their terms, for the names in braces of the file."""

    def __missing__(self, term: str) -> str:
        return glossary.define(term)


@cache
def measure_definitions(section: str) -> Mapping[str, str]:
    """Return the definitions of a section of the file, by the name of the measure."""
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    return {name: meaning.format_map(_Definitions()) for name, meaning in table[section].items()}
