"""Drafts across the ends of columns and pages: continuations are joined, floating blocks come after them."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.loading.binary.pdf.grouping import columns_of
from chunking.loading.binary.pdf.kinds import Draft
from chunking.loading.binary.pdf.pieces import Pieces
from chunking.loading.binary.pdf.rows import Edges, Row
from chunking.loading.binary.pdf.tables import Ruled

_FLOATING = ("caption", "footnote", "table")
_SAME = 4.0
"""How far columns of one table may be apart on two pages, in points."""

_ROWS = 100
"""Rows at the end of a table from which its columns are derived."""

_TERMINATORS = tuple('.!?:…。！？：؟۔।"”’»)]')


def joined(
    rows: Sequence[Row], edges: Sequence[Edges], drafts: Sequence[Draft], pieces: Pieces, ruled: Sequence[Ruled]
) -> tuple[list[Draft], list[int]]:
    """Join the drafts that continue in the next column or on the next page.

    Blocks between the parts of a paragraph, item or piece of code (captions, tables, footnotes) are moved after them. A
    table continues only if there are at most footnotes between its parts.

    Returns:
        The drafts, and the rows of tables that repeat the head of a table, which are in none of them; a ruled table is
        one row, of which only the first is meant.
    """
    out: list[Draft] = []
    heads: list[int] = []
    tail: Draft | None = None
    table: Draft | None = None
    for draft in drafts:
        floating = draft.kind in _FLOATING or draft.layout == "odd"
        if draft.kind == "table":
            if table and _table_continues(rows, table, draft, pieces, ruled):
                heads.extend(_add_table(rows, table, draft, ruled))
                continue
            table = draft
        elif draft.kind != "footnote":
            table = None
        if not floating and tail and _continues(rows, edges, tail, draft):
            tail.rows.extend(draft.rows)
            continue
        out.append(draft)
        if not floating:
            tail = draft
    return out, heads


def _table_continues(rows: Sequence[Row], table: Draft, draft: Draft, pieces: Pieces, ruled: Sequence[Ruled]) -> bool:
    """Return whether a table continues the one at the end of the previous page: its columns have the same width."""
    last, first = rows[table.rows[-1]], rows[draft.rows[0]]
    if table.layout != draft.layout or first.page != last.page + 1:
        return False
    if draft.layout == "ruled":
        one, other = list(ruled[last.table].columns), list(ruled[first.table].columns)
    else:
        # The last page of a table over many pages is enough.
        end = [place for place in table.rows[-_ROWS:] if rows[place].page == last.page]
        one, other = (
            [left for left, _ in columns_of([rows[place] for place in own], pieces)] for own in (end, draft.rows)
        )
    if not 1 < len(one) == len(other):
        return False
    # The margins of left and right pages may differ.
    shift = other[0] - one[0]
    return all(abs(b - a - shift) < _SAME for a, b in zip(one, other, strict=True))


def _add_table(rows: Sequence[Row], table: Draft, draft: Draft, ruled: Sequence[Ruled]) -> list[int]:
    """Append the rest of a table to it; return the row that repeats its head, which is omitted."""
    before, after = rows[table.rows[0]], rows[draft.rows[0]]
    if draft.layout == "grid":
        repeated = before.text == after.text and len(draft.rows) > 1
        table.rows.extend(draft.rows[repeated:])
    else:
        repeated = ruled[before.table].head == ruled[after.table].head and len(ruled[after.table].rows) > 1
        table.rows.extend(draft.rows)
        table.heads.extend(draft.rows[:repeated])
    return draft.rows[:repeated]


def _continues(rows: Sequence[Row], edges: Sequence[Edges], tail: Draft, draft: Draft) -> bool:
    """Return whether a draft at the start of a region continues the one at the end of the region before.

    A paragraph continues if it is interrupted: its last row is full or ends without a stop, and the next begins
    without an indentation of its own.
    """
    last, first = rows[tail.rows[-1]], rows[draft.rows[0]]
    if last.region == first.region or first.page - last.page > 1 or draft.marked:
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
    shift = (first.left - after.left) - (_text_left(rows, tail) - before.left)
    if abs(shift) > 0.7 * first.size:
        return False
    if first.text[:1].islower():
        return not last.text.endswith((".", "!", "?")) or _is_full(last, before, first)
    if last.text.endswith(_TERMINATORS):
        return _is_full(last, before, first) and len(tail.rows) > 1
    return _is_full(last, before, first)


def _text_left(rows: Sequence[Row], tail: Draft) -> float:
    """Return the left edge of a draft's rows, except its first."""
    if len(tail.rows) > 1:
        return rows[tail.rows[-1]].left
    first = rows[tail.rows[0]]
    return first.inner if tail.marked else first.left


def _is_full(row: Row, edge: Edges, following: Row) -> bool:
    return row.right + 0.25 * row.size + following.first_width > edge.right - 0.4 * row.size
