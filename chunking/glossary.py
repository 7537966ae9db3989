"""The terms of Chunkscope with their definitions, and the words that they replace: ``glossary.toml``.

Help texts take their definitions from here, ``docs/glossary.md`` is written from it, and a test keeps the replaced
words out of everything that a user reads. One concept has one term.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from chunking.runtime.patterns import compile_pattern


@dataclass(frozen=True)
class Term:
    """A term with its definition.

    Attributes:
        name: the term.
        meaning: its definition, a sentence of plain text.
        formula: how it is computed; empty where there is nothing to compute.
        retired: words and phrases that must not be used instead, in lower case.
        also: abbreviations and other forms under which it stands in tables and figures; case does not matter.
    """

    name: str
    meaning: str
    formula: str = ""
    retired: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def definition(self) -> str:
        """The meaning, and the formula where there is one."""
        return f"{self.meaning} Formula: {self.formula}." if self.formula else self.meaning


def _read() -> dict[str, Term]:
    table = tomllib.loads(Path(__file__).with_name("glossary.toml").read_text(encoding="utf-8"))
    return {
        name: Term(
            name,
            entry["meaning"],
            entry.get("formula", ""),
            tuple(entry.get("retired", ())),
            tuple(entry.get("also", ())),
        )
        for name, entry in table.items()
    }


TERMS: Mapping[str, Term] = _read()
"""All terms by name, in alphabetical order."""

_BY_WORDS = {words.casefold(): term for term in TERMS.values() for words in (term.name, *term.also)}
_VARIABLE = (
    (compile_pattern(r"recall(@\d+| within [\d,]+ tokens?)"), "recall within a budget"),
    (compile_pattern(r"@\d+|, %$"), ""),
    (compile_pattern(r"difference vs\. .+"), "difference"),
    (compile_pattern(r"±\d+"), "with tolerance"),
)
"""What depends on the setting in a heading, and what stands for it in the glossary."""


def find(words: str) -> Term | None:
    """Return the term that a heading names, also as a plural or with a cutoff (``nDCG@10``); ``None`` if it is none."""
    return next((_BY_WORDS[form] for form in _forms(words) if form in _BY_WORDS), None)


def _forms(words: str) -> Iterator[str]:
    """Yield the words as the glossary may have them."""
    plain = words.strip().casefold()
    for variable, fixed in _VARIABLE:
        plain = variable.sub(fixed, plain)
    yield plain
    for ending, singular in (("ies", "y"), ("s", "")):
        if plain.endswith(ending):
            yield plain.removesuffix(ending) + singular


def define(name: str) -> str:
    """Return the definition of a term.

    Raises:
        KeyError: the glossary does not have the term.
    """
    return TERMS[name].definition


def retired() -> dict[str, str]:
    """Return every retired word or phrase with the term to use instead."""
    return {word: term.name for term in TERMS.values() for word in term.retired}
