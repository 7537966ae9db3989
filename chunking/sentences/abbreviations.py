"""The abbreviations of each language, and the words with which its sentences often begin.

They are in ``abbreviations.tsv``, a line for each language and kind; those of ``*`` apply to every language. An
abbreviation with a dot inside (``z.b.``) is recognised with and without a space after each dot.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from chunking.runtime.patterns import compile_pattern

TABLE = "abbreviations.tsv"
EVERY_LANGUAGE = "*"

_SAME_TABLE = {"nb": "no", "nn": "no", "bs": "hr", "sh": "hr"}
"""Languages that share a table with another."""

_SPACES = compile_pattern(r"\s+")
_SPACED = 24
"""Characters before and after a dot in which an abbreviation of several parts is looked for."""


@dataclass(frozen=True)
class Abbreviations:
    """The abbreviations of a language, in lower case and without the last dot.

    Attributes:
        prefixes: titles, and abbreviations before a name, a number or an example: they end no sentence, except those
            that are also in ``last`` and follow a number (``1990 г.``).
        names: they precede a name as often as they end a sentence: the next word decides.
        numbers: abbreviations only before a number.
        last: they end a sentence before a capital.
        words: all of these, and ``parts``.
        starters: words with which a sentence often begins.
        parts: the parts of abbreviations that may have spaces inside.
        spaced: the pattern of these abbreviations.
    """

    prefixes: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    last: frozenset[str]
    words: frozenset[str]
    starters: frozenset[str]
    parts: frozenset[str]
    spaced: re.Pattern[str]

    def around(self, text: str, start: int, stop: int) -> tuple[int, int] | None:
        """Return the span of the abbreviation of several parts that the dot at ``stop`` belongs to, if any."""
        for match in self.spaced.finditer(text, max(start, stop - _SPACED), stop + _SPACED):
            if match.start() < stop < match.end():
                return match.span()
        return None


def without_spaces(text: str) -> str:
    """Return an abbreviation as the table has it: in lower case, without spaces and its last dot."""
    return _SPACES.sub("", text).lower().rstrip(".")


@cache
def abbreviations(language: str) -> Abbreviations:
    """Return the abbreviations of a language (an ISO 639 code); of an unknown one, those of every language."""
    entries: dict[str, set[str]] = defaultdict(set)
    for code in (EVERY_LANGUAGE, _SAME_TABLE.get(language, language)):
        for kind, words in _rows().get(code, ()):
            entries[kind].update(words)
    dotted = {word for kind, words in entries.items() if kind != "starter" for word in words if "." in word.rstrip(".")}
    alternatives = "|".join(map(_with_spaces, sorted(dotted, key=lambda word: (-len(word), word))))
    kinds = {kind: frozenset(word.rstrip(".") for word in words) for kind, words in entries.items()}
    starters = kinds.pop("starter")
    parts = frozenset(part for word in dotted for part in word.split(".") if part)
    return Abbreviations(
        kinds["prefix"],
        kinds["name"],
        kinds["number"],
        kinds["last"],
        parts.union(*kinds.values()),
        starters,
        parts,
        compile_pattern(rf"(?<![\w.])(?:{alternatives})(?!\w)", re.IGNORECASE),
    )


def _with_spaces(word: str) -> str:
    body, last_dot = word.rstrip("."), r"\." if word.endswith(".") else ""
    return r"\.\s?".join(map(re.escape, body.split("."))) + last_dot


@cache
def _rows() -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    rows: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for line in Path(__file__).with_name(TABLE).read_text("utf-8").splitlines():
        language, kind, words = line.split("\t")
        rows.setdefault(language, []).append((kind, tuple(words.split())))
    return rows
