"""Blocks that continue in the next column or on the next page."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.loading.binary.pdf.blocks import BlockDraft
from chunking.loading.binary.pdf.grids import column_spans
from chunking.loading.binary.pdf.layout import ColumnEdges, Layout, Line
from chunking.loading.binary.pdf.ruled_tables import RuledTable

_FLOATING = ("caption", "footnote", "table")
_SAME = 4.0
"""How far columns of one table may be apart on two pages, in points."""

_MARGIN_LINES = 6
"""Maximum lines of a heading in the margin."""

_LINES = 100
"""Lines at the end of a table from which its columns are derived."""

_TERMINATORS = tuple('.!?:…。！？：؟۔।"”’»)]')


def merge_across_pages(layout: Layout, drafts: Sequence[BlockDraft]) -> tuple[list[BlockDraft], list[Line]]:
    """Join the drafts that continue in the next column or on the next page.

    Blocks between the parts of a paragraph, item or piece of code (captions, tables, footnotes) are moved after them.
    A table continues only if there are at most footnotes between its parts.

    Returns:
        The drafts, and the lines of tables that repeat the head of a table, which are in none of them; a ruled table
        is one line, of which only the first row is meant.
    """
    out: list[BlockDraft] = []
    heads: list[Line] = []
    tail: BlockDraft | None = None
    table: BlockDraft | None = None
    for draft in drafts:
        floating = draft.kind in _FLOATING or draft.layout == "rotated"
        if draft.kind == "table":
            if table and _table_continues(layout, table, draft):
                heads.extend(_add_table(layout.ruled, table, draft))
                continue
            table = draft
        elif draft.kind != "footnote":
            table = None
        if not floating and tail and _continues(layout.edges, tail, draft):
            tail.lines.extend(draft.lines)
            continue
        out.append(draft)
        if not floating:
            tail = draft
    return out, heads


def _table_continues(layout: Layout, table: BlockDraft, draft: BlockDraft) -> bool:
    """Return whether a table continues the one at the end of the previous page: its columns have the same width."""
    last, first = table.lines[-1], draft.lines[0]
    if table.layout != draft.layout or first.page != last.page + 1:
        return False
    if draft.layout == "ruled":
        one, other = list(layout.ruled[last.table].columns), list(layout.ruled[first.table].columns)
    else:
        # The last page of a table over many pages is enough.
        end = [line for line in table.lines[-_LINES:] if line.page == last.page]
        one, other = ([left for left, _ in column_spans(lines, layout.fragments)] for lines in (end, draft.lines))
    if not 1 < len(one) == len(other):
        return False
    # The margins of left and right pages may differ.
    shift = other[0] - one[0]
    return all(abs(b - a - shift) < _SAME for a, b in zip(one, other, strict=True))


def _add_table(ruled_tables: Sequence[RuledTable], table: BlockDraft, draft: BlockDraft) -> list[Line]:
    """Append the rest of a table to it; return the line that repeats its head, which is omitted."""
    before, after = table.lines[0], draft.lines[0]
    if draft.layout == "grid":
        repeated = before.text == after.text and len(draft.lines) > 1
        table.lines.extend(draft.lines[repeated:])
    else:
        repeated = (
            ruled_tables[before.table].head == ruled_tables[after.table].head
            and len(ruled_tables[after.table].rows) > 1
        )
        table.lines.extend(draft.lines)
        table.heads.extend(draft.lines[:repeated])
    return draft.lines[:repeated]


def _continues(edges: Sequence[ColumnEdges], tail: BlockDraft, draft: BlockDraft) -> bool:
    """Return whether a draft at the start of a region continues the one at the end of the region before.

    A paragraph continues if it is interrupted: its last line is full or ends without a stop, and the next begins
    without an indentation of its own.
    """
    last, first = tail.lines[-1], draft.lines[0]
    if last.region == first.region or first.page - last.page > 1 or draft.is_marked or _is_beside(tail, first):
        return False
    if tail.kind == "code" or draft.kind == "code":
        return tail.kind == draft.kind
    if tail.kind not in ("paragraph", "list_item", "quote") or draft.kind not in ("paragraph", "quote"):
        return False
    if abs(last.size - first.size) > 0.05 * first.size + 0.2 or last.bold != first.bold:
        return False
    if last.hyphen or (last.text.endswith("-") and first.text[:1].islower()):
        return True
    before, after = edges[last.region], edges[first.region]
    shift = (first.left - after.left) - (_text_left(tail) - before.left)
    if abs(shift) > 0.7 * first.size:
        return False
    if first.text[:1].islower():
        return not last.text.endswith((".", "!", "?")) or _is_full(last, before, first)
    if last.text.endswith(_TERMINATORS):
        return _is_full(last, before, first) and len(tail.lines) > 1
    return _is_full(last, before, first)


def _is_beside(tail: BlockDraft, first: Line) -> bool:
    """Return whether a draft of few lines is in the margin beside a line at the height of its first."""
    top = tail.lines[0]
    return (
        len(tail.lines) <= _MARGIN_LINES
        and top.page == first.page
        and first.left > max(line.right for line in tail.lines)
        and abs(first.top - top.top) < 1.5 * first.size
    )


def _text_left(tail: BlockDraft) -> float:
    """Return the left edge of a draft's lines, except its first."""
    if len(tail.lines) > 1:
        return tail.lines[-1].left
    first = tail.lines[0]
    return first.inner if tail.is_marked else first.left


def _is_full(line: Line, edge: ColumnEdges, following: Line) -> bool:
    return line.right + 0.25 * line.size + following.first_width > edge.right - 0.4 * line.size
