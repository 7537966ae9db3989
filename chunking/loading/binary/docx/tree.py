"""Traversal of the tree: paragraphs, tables, rows and cells in order, through all wrappers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chunking.loading.binary.docx.names import ALTERNATE, MC, TBL, TC, TR, WRAPPERS, P, W


def flow(parent: Any) -> Iterator[Any]:
    """Yield the paragraphs and tables below an element, in order, through all wrappers."""
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
    """Return the first of the alternative contents."""
    first = next(alternate.iterchildren(MC + "Choice"), None)
    return first if first is not None else next(alternate.iterchildren(MC + "Fallback"), ())


def inner(run: Any) -> Iterator[Any]:
    """Yield the content of a run."""
    for child in run:
        if child.tag == ALTERNATE:
            yield from chosen(child)
        else:
            yield child


def paragraphs(parent: Any) -> Iterator[Any]:
    """Yield all paragraphs below an element, including those in tables, without text boxes and deleted text."""
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
    """Yield rows of a table, or cells of a row, through all wrappers."""
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
    """Yield the rows of a table, except deleted ones."""
    for row in _children(table, TR):
        if row.find(f"{W}trPr/{W}del") is None:
            yield row


def cells(row: Any) -> Iterator[Any]:
    """Yield the cells of a row."""
    return _children(row, TC)
