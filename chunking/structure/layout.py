"""Our structural features: what the layout says about the gap itself.

The reference method strips each sentence and compares the two, so whatever stands *between* them is gone. These
features look at the gap: is there a blank line, does a heading follow, does a list begin, does a page end, does another
person speak. Each value lies in 0 to 1. Evidence for a break has a positive weight; what binds the two sides (a heading
and its first sentence, a colon and what it announces, two items of one list) has a negative one.

Where the format says how a block is set (:class:`~chunking.document.Style`), spacing and indentation are what stands on
the page, measured against the document's own; else they are blank lines and columns of the text.
"""

from __future__ import annotations

import re

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
    Feature("spacing", 0.15, "Extra space", "More space than is usual here; two lines more count full."),
    Feature(
        "font_step", 0.10, "Font step", "Another font size or weight begins; a size half as large again counts full."
    ),
    Feature("list_edge", 0.10, "List edge", "A list begins or ends."),
    Feature("table_edge", 0.10, "Table edge", "A table begins or ends."),
    Feature("code_edge", 0.10, "Code edge", "A code block begins or ends."),
    Feature("quote_edge", 0.10, "Quote edge", "A quotation begins or ends."),
    Feature("indentation", 0.10, "Indentation", "The indentation changes; by eight columns counts full."),
    Feature("numbering", 0.10, "Numbered part", "A paragraph begins with a number of its own, such as 3.2 or § 4."),
    Feature("speaker", 0.10, "Another speaker", "Another person speaks."),
    Feature("page_break", 0.30, "Page break", "A page ends between the two sentences."),
    Feature("after_heading", -0.70, "Under its heading", "The left side is a heading: what follows belongs to it."),
    Feature("lead_in", -0.25, "Announced", "The left side ends in a colon, so it announces the right side."),
    Feature("together", -0.20, "Same list or table", "Both are of one list or table, or a caption and what it is of."),
)

_FULL_INDENT = 8
_FULL_SPACING = 2
_FULL_FONT_STEP = 1.5
_LINE = 1.2
"""Height of a line in font sizes."""

_COLUMN = 0.5
"""Width of a column of text in font sizes."""

_BOLD_STEP = 0.5
"""What a change between plain and bold type counts as a font step."""

_NUMBERED = re.compile(
    r"(?:§+\s*)?\(?(?:\d{1,3}(?:\.\d{1,3})*|[A-Za-z]|[IVXLC]{1,6})[.)]\s+\S|§+\s*\d|(?:\d{1,3}\.)+\d{1,3}\s+\S"
)


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
        "spacing": _extra_spacing(document, blank, new, right),
        "font_step": _font_steps(document, left, right),
        "list_edge": _edge(kinds == "list_item", left, right),
        "table_edge": _edge(kinds == "table", left, right),
        "code_edge": _edge(kinds == "code", left, right),
        "quote_edge": _edge(kinds == "quote", left, right),
        "indentation": np.minimum(np.abs(np.diff(_indents(document)[sentences.block])) / _FULL_INDENT, 1.0),
        "numbering": _numbered(document)[right] * new,
        "speaker": _speaker_changes(document, left, right),
        "page_break": _page_breaks(document, left, right),
        "after_heading": (kinds[left] == "heading") & new,
        "lead_in": _ends_in_colon(sentences),
        "together": _together(kinds, left, right),
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


def _extra_spacing(
    document: Document, blank: npt.NDArray[np.int64], new: Flags, right: npt.NDArray[np.int64]
) -> Floats:
    """Lines of space beyond the median of the gaps between blocks: as set on the page, or blank lines of the text."""
    lines = blank.astype(np.float64)
    printed = _printed_space(document)
    known = new & (printed[right] >= 0)
    if known.any():
        lines, new = np.where(known, printed[right], 0.0), known
    usual = np.median(lines[new]) if new.any() else 0.0
    extra: Floats = np.clip((lines - usual) / _FULL_SPACING, 0.0, 1.0) * new
    return extra


def _body_size(document: Document) -> float:
    """The font size of most of the document's characters, in points; 0 where none is known."""
    sizes = np.array([block.style.size if block.style else 0.0 for block in document.blocks])
    lengths = np.array([block.end - block.start for block in document.blocks], dtype=np.int64)
    if not (sizes > 0).any():
        return 0.0
    known, place = np.unique(sizes, return_inverse=True)
    totals = np.bincount(place, lengths * (sizes > 0))
    return float(known[np.argmax(totals)])


def _printed_space(document: Document) -> Floats:
    """``(n_blocks,)``: lines of space above each block, −1 where it is not known."""
    line = _LINE * _body_size(document)
    above = np.array([block.style.space_before if block.style else -1.0 for block in document.blocks])
    return np.where((above >= 0) & (line > 0), above / (line or 1.0), -1.0)


def _font_steps(document: Document, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> Floats:
    """How far the font sizes of the two sides are apart, and whether one is bold and the other not."""
    sizes = np.array([block.style.size if block.style else 0.0 for block in document.blocks])
    bold = np.array([bool(block.style and block.style.bold) for block in document.blocks])
    known = (sizes[left] > 0) & (sizes[right] > 0)
    ratio = np.where(known, sizes[left], 1.0) / np.where(known, sizes[right], 1.0)
    step = np.abs(np.log(ratio)) / np.log(_FULL_FONT_STEP) + _BOLD_STEP * (bold[left] != bold[right])
    steps: Floats = np.clip(step, 0.0, 1.0) * known
    return steps


def _indents(document: Document) -> Floats:
    """Columns before the first character of each block: as set on the page, or in the text."""
    text, column = document.text, _COLUMN * _body_size(document)
    return np.array(
        [
            block.style.indent / column if block.style and column else block.start - _line_start(text, block.start)
            for block in document.blocks
        ],
        dtype=np.float64,
    )


def _numbered(document: Document) -> Flags:
    """Which blocks of plain prose begin with a number."""
    text = document.text
    return np.array(
        [bool(block.kind == "paragraph" and _NUMBERED.match(text, block.start, block.end)) for block in document.blocks]
    )


def _speaker_changes(document: Document, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> Flags:
    speakers = np.array([block.title if block.kind == "speaker_turn" else "" for block in document.blocks])
    changes: Flags = (speakers[left] != speakers[right]) & (speakers[left] != "") & (speakers[right] != "")
    return changes


def _together(kinds: npt.NDArray[np.str_], left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> Flags:
    items = (kinds[left] == "list_item") & (kinds[right] == "list_item")
    rows = (kinds[left] == "table") & (left == right)
    captioned = (kinds[left] == "caption") & np.isin(kinds[right], ("table", "code"))
    captions = np.isin(kinds[left], ("table", "code")) & (kinds[right] == "caption")
    bound: Flags = items | rows | captioned | captions
    return bound


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
