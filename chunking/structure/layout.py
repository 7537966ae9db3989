"""Our structural features: what the layout says about the gap itself.

The reference method strips each sentence and compares the two, so whatever stands *between* them is gone. These
features look at the gap: is there a blank line, does a heading follow, does a list begin, does a page end. Each value
lies in 0 to 1. Evidence for a break has a positive weight; what binds the two sides (a heading and its first sentence,
a colon and what it announces, two items of one list) has a negative one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from chunking.document import Document
from chunking.sentences import Sentences
from chunking.structure.feature import Feature

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

FEATURES: tuple[Feature, ...] = (
    Feature("heading", 0.70, "Heading follows", "A heading follows; the higher its level, the stronger."),
    Feature("paragraph", 0.30, "New paragraph", "A new block begins: with a blank line 1, without one 0.6."),
    Feature("spacing", 0.15, "Extra space", "More blank lines than this document's usual; two more count full."),
    Feature("list_edge", 0.10, "List edge", "A list begins or ends."),
    Feature("table_edge", 0.10, "Table edge", "A table begins or ends."),
    Feature("code_edge", 0.10, "Code edge", "A code block begins or ends."),
    Feature("quote_edge", 0.10, "Quote edge", "A quotation begins or ends."),
    Feature("indentation", 0.10, "Indentation", "The indentation changes; by eight columns counts full."),
    Feature("page_break", 0.30, "Page break", "A page ends between the two sentences."),
    Feature("after_heading", -0.70, "Under its heading", "The left side is a heading: what follows belongs to it."),
    Feature("lead_in", -0.25, "Announced", "The left side ends in a colon, so it announces the right side."),
    Feature("together", -0.20, "Same list or table", "Both sides are items of one list or rows of one table."),
)

_FULL_INDENT = 8
_FULL_SPACING = 2


def values(sentences: Sentences) -> Floats:
    """The features of every gap.

    Returns:
        ``(n_gaps, n_features)`` float64 in 0 to 1, columns in the order of :data:`FEATURES`.
    """
    gaps = max(len(sentences) - 1, 0)
    if not gaps:
        return np.zeros((0, len(FEATURES)))
    document = sentences.document
    left, right = sentences.block[:-1], sentences.block[1:]
    new = left != right
    kinds = np.array([block.kind for block in document.blocks])
    blank = _blank_lines(sentences, new)
    columns = {
        "heading": _heading_strength(document)[right] * new,
        "paragraph": np.where(new, np.where(blank > 0, 1.0, 0.6), 0.0),
        "spacing": _extra_spacing(blank, new),
        "list_edge": _edge(kinds == "list_item", left, right),
        "table_edge": _edge(kinds == "table", left, right),
        "code_edge": _edge(kinds == "code", left, right),
        "quote_edge": _edge(kinds == "quote", left, right),
        "indentation": np.minimum(np.abs(np.diff(_indents(document)[sentences.block])) / _FULL_INDENT, 1.0),
        "page_break": _page_breaks(document, left, right),
        "after_heading": (kinds[left] == "heading") & new,
        "lead_in": _ends_in_colon(sentences),
        "together": ((kinds[left] == "list_item") & (kinds[right] == "list_item")) | ((kinds[left] == "table") & ~new),
    }
    return np.column_stack([np.asarray(columns[feature.name], dtype=np.float64) for feature in FEATURES])


def _edge(inside: Flags, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> Flags:
    edge: Flags = inside[left] != inside[right]
    return edge


def _heading_strength(document: Document) -> Floats:
    """1 for a heading of level 1, 0.15 less for each level below, never under 0.3; 0 for other blocks."""
    levels = np.array([block.level if block.kind == "heading" else 0 for block in document.blocks])
    return np.where(levels > 0, np.maximum(1.15 - 0.15 * levels, 0.3), 0.0)


def _blank_lines(sentences: Sentences, new: Flags) -> npt.NDArray[np.int64]:
    """Empty lines between the two sentences of each gap; 0 inside a block."""
    text, spans = sentences.document.text, sentences.spans
    blank = np.zeros(len(new), dtype=np.int64)
    for gap in np.flatnonzero(new).tolist():
        between = text[spans[gap, 1] : spans[gap + 1, 0]]
        blank[gap] = max(between.count("\n"), between.count("\r")) - 1
    return np.maximum(blank, 0)


def _extra_spacing(blank: npt.NDArray[np.int64], new: Flags) -> Floats:
    usual = np.median(blank[new]) if new.any() else 0.0
    return np.clip((blank - usual) / _FULL_SPACING, 0.0, 1.0) * new


def _indents(document: Document) -> npt.NDArray[np.int64]:
    """Columns before the first character of each block."""
    text = document.text
    return np.array([block.start - _line_start(text, block.start) for block in document.blocks], dtype=np.int64)


def _line_start(text: str, offset: int) -> int:
    # A column beyond this is no indentation, and a bounded search keeps one endless line from costing its square.
    floor = max(0, offset - 200)
    return max(text.rfind("\n", floor, offset), text.rfind("\r", floor, offset), floor - 1) + 1


def _page_breaks(document: Document, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> Flags:
    seen = np.cumsum([block.kind == "page_break" for block in document.blocks])
    ended: Flags = seen[left] != seen[right]
    return ended


def _ends_in_colon(sentences: Sentences) -> Flags:
    text = sentences.document.text
    return np.array([text[end - 1] in ":：" for end in sentences.spans[:-1, 1].tolist()])
