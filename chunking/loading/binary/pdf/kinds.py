"""The kinds of drafts: headings, captions, footnotes, list items and quotes; the levels of items."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunking.document import BlockKind, Style
from chunking.loading.binary.pdf.blocks import BlockDraft, LineGrouper
from chunking.loading.binary.pdf.body_style import BodyStyle, measure_style
from chunking.loading.binary.pdf.empty_headings import drop_empty_headings
from chunking.loading.binary.pdf.heading_levels import set_heading_levels
from chunking.loading.binary.pdf.headings import find_contents, is_heading, is_typewritten_title, merge_titles
from chunking.loading.binary.pdf.labels import find_labels
from chunking.loading.binary.pdf.layout import ColumnEdges, Layout
from chunking.loading.binary.pdf.outline import find_titles
from chunking.loading.binary.pdf.pdfium.document import OutlineEntry
from chunking.loading.writer import style_of
from chunking.runtime.patterns import compile_pattern

_CAPTION = compile_pattern(
    r"(?:figure|fig|table|tab|abbildung|abb|tabelle|tableau|figura|tabla|listing|algorithm|scheme|chart|plate|exhibit"
    r"|рис|рисунок|таблица|그림|표|図|表|图|圖)(?![a-zа-я])\.?\s*"
    r"(?:\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?|[IVXLC]{1,6}|[A-Z]{1,3}[.-]?\d{1,3}[a-z]?)(?![^\W\d_])(?P<stop>\s*[:.|—–)]|\s*$)?",
    re.IGNORECASE,
)
MAX_CAPTION_LINES = 10
"""Lines that a caption may have."""

_NOTE = compile_pattern(r"(?:\d{1,3}[.)]?|[*†‡§¶‖]{1,3}|[a-z][.)])\s*(?=[^\W\d_]|[\"“‘'(<])")


def find_drafts(layout: Layout, outline: Sequence[OutlineEntry]) -> list[BlockDraft]:
    """Return the drafts of the blocks of a document, in reading order.

    Args:
        layout: its lines.
        outline: entries of the file's outline.
    """
    body, edges = measure_style(layout), layout.edges
    drafts = LineGrouper(layout, body, find_titles(layout.lines, outline)).run()
    heights = layout.words.extents[:, 1].tolist()
    notes = _footnotes(drafts, body, heights)
    untitled = find_contents(drafts) | find_labels(drafts, layout.words.figures)
    kinds: list[BlockKind] = [
        "footnote" if number in notes else _kind(edges, drafts, number, body, number not in untitled)
        for number in range(len(drafts))
    ]
    merged: list[BlockDraft] = []
    for draft, kind in zip(drafts, kinds, strict=True):
        draft.kind, draft.style = kind, _style(edges, draft)
        if merged and (_is_rest_of_note(merged[-1], draft) or _is_rest_of_caption(merged[-1], draft)):
            merged[-1].lines.extend(draft.lines)
        else:
            merged.append(draft)
    merged = merge_titles(merged, body)
    drop_empty_headings(merged, heights)
    set_heading_levels(merged)
    _list_levels(merged)
    return merged


def _style(edges: Sequence[ColumnEdges], draft: BlockDraft) -> Style:
    first = draft.lines[0]
    indent = round(max(first.left - edges[first.region].left, 0.0), 1)
    parts = ((len(line.text), round(line.size, 1), line.bold, line.italic) for line in draft.lines)
    return style_of(parts, round(draft.space, 1), indent)


def _kind(
    edges: Sequence[ColumnEdges], drafts: Sequence[BlockDraft], number: int, body: BodyStyle, may_be_heading: bool
) -> BlockKind:
    draft = drafts[number]
    if draft.layout in ("ruled", "grid"):
        return "table"
    if draft.layout == "code":
        if not is_typewritten_title(edges[draft.lines[0].region], drafts, number, body):
            return "code"
        draft.layout = "text"
        return "heading"
    if draft.layout == "rotated":
        return "paragraph"
    if draft.is_drawn:
        return "list_item"
    if _is_caption(draft, body):
        return "caption"
    if draft.depth:
        return "heading"
    if may_be_heading and is_heading(drafts, number, body):
        return "heading"
    if draft.layout == "item":
        return "list_item"
    return "quote" if _is_quote(edges, drafts, number) else "paragraph"


def _is_caption(draft: BlockDraft, body: BodyStyle) -> bool:
    text = draft.lines[0].text
    match = _CAPTION.match(text)
    if not match or len(draft.lines) > MAX_CAPTION_LINES or (not text[:1].isupper() and text[:1].islower()):
        return False
    first = draft.lines[0]
    return bool(match["stop"]) or first.size < 0.95 * body.size or first.bold or first.italic


def _is_rest_of_note(note: BlockDraft, draft: BlockDraft) -> bool:
    """Return whether a draft is the rest of a footnote: it has no mark of its own."""
    return note.kind == draft.kind == "footnote" and not _NOTE.match(draft.lines[0].text)


def _is_rest_of_caption(caption: BlockDraft, draft: BlockDraft) -> bool:
    """Return whether a draft is a further line of a caption that it stands directly below, and looks like."""
    if caption.kind != "caption" or draft.kind not in ("heading", "paragraph") or draft.layout != "text":
        return False
    last, first = caption.lines[-1], draft.lines[0]
    return (
        last.region == first.region
        and abs(last.size - first.size) < 0.05 * last.size
        and (last.bold, last.italic) == (first.bold, first.italic)
        and (last.bold or last.italic or first.text[:1].islower())
        and 0 < first.bottom - last.bottom < 1.4 * last.size
        and len(caption.lines) + len(draft.lines) <= MAX_CAPTION_LINES
        and not draft.depth
    )


# Footnotes, lists, quotes -----------------------------------------------------------------------------------------


def _footnotes(drafts: Sequence[BlockDraft], body: BodyStyle, heights: Sequence[float]) -> set[int]:
    """Return the drafts that are footnotes: at the end of a column, smaller than the text above, the first marked."""
    large = {line.page for draft in drafts for line in draft.lines if line.size > 0.95 * body.size}
    notes: set[int] = set()
    waiting: list[int] = []
    region = closed = -1
    for number in range(len(drafts) - 1, -1, -1):
        draft = drafts[number]
        first = draft.lines[0]
        if first.region != region:
            region, waiting = first.region, []
        small = max(line.size for line in draft.lines) < 0.93 * body.size
        low = first.top > 0.35 * heights[first.page] and first.page in large
        if region == closed or not (small and low and draft.layout in ("text", "item")):
            closed = region
            continue
        waiting.append(number)
        if _NOTE.match(first.text):
            notes.update(waiting)
            waiting = []
    return notes


def _list_levels(drafts: Sequence[BlockDraft]) -> None:
    """Set the depth of list items by their indentation relative to the items before."""
    lefts: list[float] = []
    region = -1
    for draft in drafts:
        first = draft.lines[0]
        if draft.kind == "quote":
            draft.level = 1
        if draft.kind == "list_item":
            shift = 0.6 * first.size
            if region != first.region and lefts:
                # Another column has another edge: its first item is at the level where it fits, else begins anew.
                lefts = lefts if any(abs(left - first.left) < shift for left in lefts) else []
            region = first.region
            while lefts and lefts[-1] > first.left + shift:
                lefts.pop()
            if not lefts or lefts[-1] < first.left - shift:
                lefts.append(first.left)
            draft.level = len(lefts)
        elif draft.kind == "heading" or (lefts and draft.kind == "paragraph" and first.left <= lefts[0] + 1):
            lefts = []


def _is_quote(edges: Sequence[ColumnEdges], drafts: Sequence[BlockDraft], number: int) -> bool:
    """Return whether a paragraph is indented on both sides, next to one that is not."""
    lines = drafts[number].lines
    if len(lines) < 3:
        return False
    edge = edges[lines[0].region]
    margin = 1.4 * lines[0].size
    lefts, right = [line.left for line in lines[1:]], max(line.right for line in lines)
    if min(lefts) < edge.left + margin or right > edge.right - margin or max(lefts) - min(lefts) > 2:
        return False
    if sum(line.right > right - margin for line in lines) < 2:
        return False
    neighbours = [drafts[other] for other in (number - 1, number + 1) if 0 <= other < len(drafts)]
    return any(
        draft.layout == "text"
        and draft.lines[0].region == lines[0].region
        and min(line.left for line in draft.lines) < edge.left + 2
        and max(line.right for line in draft.lines) > edge.right - margin
        for draft in neighbours
    )
