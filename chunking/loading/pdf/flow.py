"""Drafts over the ends of columns and pages: what goes on is joined, what floats comes after."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.loading.pdf.kinds import Draft
from chunking.loading.pdf.rows import Edges, Row

_FLOATING = ("caption", "footnote", "table")
_TERMINATORS = tuple('.!?:…。！？：؟۔।"”’»)]')


def joined(rows: Sequence[Row], edges: Sequence[Edges], drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts with paragraphs, items and code that go on in the next column or on the next page made one.

    What stands between their parts (captions, tables, footnotes) comes after them.
    """
    out: list[Draft] = []
    tail: Draft | None = None
    for draft in drafts:
        floating = draft.kind in _FLOATING or draft.sort == "odd"
        if not floating and tail and _goes_on(rows, edges, tail, draft):
            tail.rows.extend(draft.rows)
            continue
        out.append(draft)
        if not floating:
            tail = draft
    return out


def _goes_on(rows: Sequence[Row], edges: Sequence[Edges], tail: Draft, draft: Draft) -> bool:
    """Whether a draft that begins a region goes on with the one that ended the region before.

    A paragraph goes on that breaks off in the middle: its last row is full or ends without a stop, and the next begins
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
    """Where the rows of a draft begin, its first apart."""
    if len(tail.rows) > 1:
        return rows[tail.rows[-1]].left
    first = rows[tail.rows[0]]
    return first.inner if tail.marked else first.left


def _is_full(row: Row, edge: Edges, following: Row) -> bool:
    return row.right + 0.25 * row.size + following.first_width > edge.right - 0.4 * row.size
