"""The texts of the Learn page: one file for each language, all with the same keys."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

FOLDER = Path(__file__).parent / "texts"
LANGUAGES = ("en", "de")
CHAPTERS = tuple(str(number) for number in range(1, 11))
"""Names of the chapters, as the address has them."""
SUMMARY = "summary"
"""The same of what follows the last one."""


@dataclass(frozen=True)
class Chapter:
    """The texts of a chapter.

    Attributes:
        title, text: what it teaches.
        idea: the same in a sentence, for the summary.
        formula: as LaTeX.
        source: of the method or the finding.
        mistake: something that goes wrong in practice.
        task: what to predict.
        question: whose answer is checked: one of ``options``, or a number where there are none.
        options: to choose from; empty for a number.
        correct: index of the right option.
        feedback: what is said to each option.
        right, wrong: what is said to a number.
    """

    title: str
    idea: str
    text: str
    formula: str
    source: str
    mistake: str
    task: str
    question: str
    options: tuple[str, ...] = ()
    correct: int = 0
    feedback: tuple[str, ...] = ()
    right: str = ""
    wrong: str = ""


@dataclass(frozen=True)
class Texts:
    """All texts in one language.

    Attributes:
        words: of the page, by key.
        chapters: by name.
        features: titles of features of the structure by name; those of the engine where there are none.
    """

    words: Mapping[str, str]
    chapters: Mapping[str, Chapter]
    features: Mapping[str, str]

    def __getitem__(self, key: str) -> str:
        return self.words[key]

    def number(self, value: float, form: str) -> str:
        """Return a number in a format such as ``.2f``, with the marks of the language."""
        return f"{value:{form}}".translate(str.maketrans(",.-", f"{self['thousands']}{self['decimal']}−"))


@cache
def load(language: str) -> Texts:
    """Return the texts in one of :data:`LANGUAGES`."""
    texts = tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))
    chapters = msgspec.convert(texts["chapters"], dict[str, Chapter])
    return Texts(texts["page"], chapters, texts.get("features", {}))
