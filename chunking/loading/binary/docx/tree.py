"""The way through the tree: paragraphs, tables, rows and cells in order, through whatever wraps them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chunking.loading.binary.docx.names import ALTERNATE, MC, TBL, TC, TR, WRAPPERS, P, W


def flow(parent: Any) -> Iterator[Any]:
    """The paragraphs and tables below an element, in order, through whatever wraps them."""
    stack = [iter(parent)]
    while stack:
        for child in stack[-1]:
            tag = child.tag
            if tag in (P, TBL) or tag == W + "altChunk":
                yield child
            elif tag in WRAPPERS:
                stack.append(iter(child))
                break
            elif tag == ALTERNATE:
                stack.append(iter(chosen(child)))
                break
        else:
            stack.pop()


def chosen(alternate: Any) -> Any:
    """The first of the alternatives that programs are offered."""
    first = next(alternate.iterchildren(MC + "Choice"), None)
    return first if first is not None else next(alternate.iterchildren(MC + "Fallback"), ())


def inner(run: Any) -> Iterator[Any]:
    """What a run holds."""
    for child in run:
        if child.tag == ALTERNATE:
            yield from chosen(child)
        else:
            yield child


def paragraphs(parent: Any) -> Iterator[Any]:
    """All paragraphs below an element, those in tables too, but none of text boxes or of what was deleted."""
    stack = [flow(parent)]
    while stack:
        for child in stack[-1]:
            if child.tag == P:
                yield child
            elif child.tag == TBL:
                stack.append(_flow_of_cells(child))
                break
        else:
            stack.pop()


def _flow_of_cells(table: Any) -> Iterator[Any]:
    for row in rows(table):
        for cell in cells(row):
            yield from flow(cell)


def _children(parent: Any, wanted: str) -> Iterator[Any]:
    """Rows of a table, or cells of a row, through whatever wraps them."""
    stack = [iter(parent)]
    while stack:
        for child in stack[-1]:
            if child.tag == wanted:
                yield child
            elif child.tag in WRAPPERS:
                stack.append(iter(child))
                break
        else:
            stack.pop()


def rows(table: Any) -> Iterator[Any]:
    """The rows of a table, but those that were deleted."""
    for row in _children(table, TR):
        if row.find(f"{W}trPr/{W}del") is None:
            yield row


def cells(row: Any) -> Iterator[Any]:
    """The cells of a row."""
    return _children(row, TC)
