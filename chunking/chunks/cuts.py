"""Cuts: where chunks begin, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Reason = Literal[
    "distance",
    "heading",
    "section",
    "paragraph",
    "block",
    "sentence",
    "size",
    "separator",
    "pattern",
    "element",
    "value",
    "definition",
    "library",
    "given",
    "token_limit",
    "oversized_sentence",
    "hand",
]
"""The reason of a cut.

``distance``: its distance exceeded the threshold. ``heading``, ``section``, ``paragraph``, ``block``: one of these
begins. ``sentence``, ``size``: the target size was reached, at the end of a sentence or elsewhere. ``separator``,
``pattern``: text that the strategy matches. ``element``: an HTML element, ``value``: a JSON value, ``definition``: a
definition of a program begins. ``library``: another library cut there; ``given``: a chunk of the user's own begins.
``token_limit``: the maximum forced a cut between two sentences; ``oversized_sentence``: inside one. ``hand``: somebody
cut there, see :mod:`chunking.chunks.edits`, and the strategy would not.
"""

Driver = Literal["semantic", "structural", "both", "limit", "hand"]
"""The signal that moved a cut over the threshold, for colours and legends."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The start of a chunk, with its reason.

    Attributes:
        offset: offset at which the text is cut.
        reason: see :data:`Reason`.
        driver: see :data:`Driver`; ``None`` if the strategy uses no distance.
        gap: the gap that is cut; ``None`` if there is none, such as inside a sentence.
        score, threshold: the compared values, if there is a threshold.
        detail: more about the reason, such as the level of the heading; may be empty.
    """

    offset: int
    reason: Reason
    driver: Driver | None = None
    gap: int | None = None
    score: float | None = None
    threshold: float | None = None
    detail: str = ""


def hand_cut(offset: int, gap: int | None, score: float | None = None) -> Cut:
    """Return a cut that a hand has set where the strategy would not cut.

    Args:
        offset: where it is.
        gap: the gap there; ``None`` if there is none.
        score: of the gap, if the strategy has one.
    """
    return Cut(offset, "hand", "hand", gap, score)


_WORDS: dict[Reason, str] = {
    "distance": "distance over the threshold",
    "heading": "a heading",
    "section": "a section begins",
    "paragraph": "a paragraph begins",
    "block": "a block begins",
    "sentence": "a sentence ends",
    "size": "the size is reached",
    "separator": "a separator",
    "pattern": "a pattern",
    "element": "an element",
    "value": "a value",
    "definition": "a definition",
    "library": "cut by the library",
    "given": "a chunk of your own begins",
    "token_limit": "split (max size)",
    "oversized_sentence": "inside a sentence longer than the maximum",
    "hand": "cut by hand",
}


def reason_words(cut: Cut | None) -> str:
    """Return the reason of a cut; empty if there is no cut."""
    if cut is None:
        return ""
    if cut.reason == "distance" and cut.score is not None and cut.threshold is not None:
        compared = f"{cut.score:.3f} > {cut.threshold:.3f}"
        return f"{compared}, {cut.detail}" if cut.detail else compared
    return f"{_WORDS[cut.reason]}: {cut.detail}" if cut.detail else _WORDS[cut.reason]
