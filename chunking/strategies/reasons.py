"""Reasons of cuts, in words."""

from __future__ import annotations

from chunking.chunks import Cut, Reason

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
}


def words(cut: Cut | None) -> str:
    """Return the reason of a cut; empty if there is no cut."""
    if cut is None:
        return ""
    if cut.reason == "distance" and cut.score is not None and cut.threshold is not None:
        compared = f"{cut.score:.3f} > {cut.threshold:.3f}"
        return f"{compared}, {cut.detail}" if cut.detail else compared
    return f"{_WORDS[cut.reason]}: {cut.detail}" if cut.detail else _WORDS[cut.reason]
