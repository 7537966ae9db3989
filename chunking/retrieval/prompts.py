"""Prompts of chat models, which are files of their own, so that a result can name the prompt that it was made with."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from chunking.runtime.patterns import compile_pattern

_PLACE = compile_pattern(r"\{([a-z]+)\}")


@dataclass(frozen=True)
class Prompts:
    """Prompts of a file.

    Attributes:
        templates: by what they are for, each with ``system`` and ``user``; values stand in ``user`` as ``{name}``.
        digest: the first twelve hex digits of the SHA-256 of the file.
    """

    templates: Mapping[str, Mapping[str, str]]
    digest: str

    def fill(self, name: str, **values: str) -> tuple[str, str]:
        """Return the system and the user prompt with values; a value may look like the name of another."""
        template = self.templates[name]
        user = _PLACE.sub(lambda match: values[match[1]], template["user"])
        return template["system"].strip(), user.strip()


@cache
def load_prompts(path: Path) -> Prompts:
    """Return the prompts of a TOML file."""
    text = path.read_text(encoding="utf-8")
    return Prompts(tomllib.loads(text), hashlib.sha256(text.encode()).hexdigest()[:12])
