"""Evidence of the layout for cuts, for strategies that use no distance."""

from __future__ import annotations

from typing import Literal

import numpy as np

from chunking.document import Block
from chunking.runtime.arrays import Float64
from chunking.sentences import Sentences

INSIDE_SENTENCE = 0.25
"""Strength of a place that is not a gap."""

_BOUND = 0.5  # a heading and its text, a colon and its list
_SENTENCE = 1.0
_ITEM = 1.5  # between two items of a list
_BLOCK = 2.0
_HEADING = 3.0  # and up to one more, the higher the heading


def strength(sentences: Sentences) -> Float64:
    """Return how strong the evidence of the layout for a cut is at each gap.

    From the weakest: between a heading and its text, a line that ends in a colon and its list or code, or a table and
    its caption; between two sentences of a block; between two list items; between two other blocks; before a heading,
    the stronger the higher its level.

    Returns:
        ``(n_gaps,)`` float64.
    """
    document, owners = sentences.document, sentences.block
    strengths = np.full(max(len(sentences) - 1, 0), _SENTENCE)
    for gap in np.flatnonzero(np.diff(owners)).tolist():
        left, right = document.blocks[owners[gap]], document.blocks[owners[gap + 1]]
        strengths[gap] = _between(document.text, left, right)
    return strengths


Bond = Literal["heading", "title", "caption", "lead-in"]


def bond(text: str, left: Block, right: Block, colons: tuple[str, ...] = (":",)) -> Bond | None:
    """Return what binds a block to the one before it; ``None`` if nothing does.

    Args:
        text: of the document.
        left, right: two neighbours: a heading and what follows it, a caption and what it is of, the title of an
            admonition and its text, or a line that ends in a colon and the list, code, table or quote that it
            announces.
        colons: the marks that announce.
    """
    if left.kind == "heading":
        return "heading"
    if left.is_title and right.kind != "heading":
        return "title"
    if "caption" in (left.kind, right.kind) and {left.kind, right.kind} & {"table", "code"}:
        return "caption"
    announced = right.kind in ("list_item", "code", "table", "quote") and text[left.end - 1 : left.end] in colons
    return "lead-in" if announced else None


def _between(text: str, left: Block, right: Block) -> float:
    if right.kind == "heading":
        return _HEADING + 1 / max(right.level, 1)
    if bond(text, left, right):
        return _BOUND
    return _ITEM if left.kind == right.kind == "list_item" else _BLOCK
