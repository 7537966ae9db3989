"""How long the sections of a kind of document are, learned from documents whose boundaries people set.

How many boundaries a text has is the least certain part of a division, since people draw the line where they need it.
A few documents that were corrected say it for others of their kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from statistics import median

from chunking.advice.texts import words
from chunking.strategies import Setting

LEARNED_FROM = 3
"""Documents with a complete reference from which the length of a section is learned."""


@dataclass(frozen=True)
class DividedDocument:
    """A document whose boundaries people set.

    Attributes:
        sentences: of the document.
        sections: into which people divided it.
        supported: boundaries that its text supports, see :func:`chunking.strategies.changepoint.supported`.
    """

    sentences: int
    sections: int
    supported: int


@dataclass(frozen=True)
class SectionLength:
    """How long the sections of a kind of document are.

    Attributes:
        sentences: of a section: median over the documents.
        shortest, longest: the same of the document with the shortest and with the longest sections.
        fineness: powers of two by which people set more boundaries than a text supports: median over the documents.
        documents: how many documents it was learned from.
    """

    sentences: float
    shortest: float
    longest: float
    fineness: float
    documents: int


def section_length(documents: Sequence[DividedDocument]) -> SectionLength | None:
    """Return how long the sections of some documents are; ``None`` for fewer than :data:`LEARNED_FROM`."""
    if len(documents) < LEARNED_FROM:
        return None
    lengths = [document.sentences / document.sections for document in documents]
    powers = [log2(max(document.sections - 1, 0.5) / max(document.supported, 0.5)) for document in documents]
    return SectionLength(median(lengths), min(lengths), max(lengths), median(powers), len(lengths))


def with_sections(setting: Setting, length: SectionLength) -> Setting:
    """Return a setting that cuts sections of that length; itself if it has no parameter for their number.

    Where a strategy derives the number from the text, it is corrected by as much as people differed from it: a kind of
    document has long and short ones of many sections.
    """
    values = setting.values()
    if "fineness" in values:
        return setting.with_values(values | {"fineness": _within(setting, "fineness", round(4 * length.fineness) / 4)})
    if "percentile" in values:
        share = round(100 * (1 - 1 / max(length.sentences, 1.0)), 1)
        return setting.with_values(values | {"percentile": _within(setting, "percentile", share)})
    return setting


def _within(setting: Setting, name: str, value: float) -> float:
    """Return the value of a parameter that is nearest to one."""
    definition = setting.params.lookup(name)
    return float(min(max(value, definition.minimum or 0.0), definition.maximum or value))


def number_in_words(setting: Setting) -> str:
    """Return how many sections a setting was told to cut, in words; empty where it has its default."""
    changed = setting.params.changed()
    fineness, share = changed.get("fineness"), changed.get("percentile")
    if isinstance(fineness, float):
        return words("plain", "times", times=2.0**fineness)
    if isinstance(share, float) and 0 < share < 100:
        return words("plain", "sections", sentences=1 / (1 - share / 100))
    return ""
