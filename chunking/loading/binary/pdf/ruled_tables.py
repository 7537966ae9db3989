"""Tables with drawn rules, by pdfplumber's rules."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from chunking.loading.binary.pdf.words import Words
from chunking.runtime.arrays import Float32, Int64

MAX_EDGES = 1500
"""Limit of the ruling lines of a page; a page with more is a drawing and no table."""

TOLERANCE = 3.0
"""Maximum distance of lines that count as meeting, in points; the default of pdfplumber."""

Box = tuple[float, float, float, float]


class RuledTable(NamedTuple):
    """A table with drawn lines.

    Attributes:
        page: from 0.
        rows: of each row, the indices of the words of each cell, from left to right; cells may be empty.
        columns: left and right edges of cells, ascending, in points.
        head: text of the first row.
    """

    page: int
    rows: tuple[tuple[tuple[int, ...], ...], ...]
    columns: tuple[float, ...]
    head: str


def find_tables(words: Words) -> tuple[list[RuledTable], Int64]:
    """Return the ruled tables of all pages, and for each word the number of its table or -1."""
    member = np.full(len(words), -1, dtype=np.int64)
    tables: list[RuledTable] = []
    if not any(map(len, words.edges)):
        return tables, member
    bounds = np.searchsorted(words.page, np.arange(len(words.edges) + 1)).tolist()
    for page, edges in enumerate(words.edges):
        if not 4 <= len(edges) <= MAX_EDGES:
            continue
        begin, end = bounds[page], bounds[page + 1]
        usable = np.arange(begin, end)[words.visible[begin:end] & ~words.rotated[begin:end]]
        for cells in _cells(edges):
            table_words = usable[_within(words.layout_box[usable], _around(cells))]
            table_words = table_words[member[table_words] < 0]
            rows = _assign_to_cells(words, table_words, cells)
            if _is_table(rows):
                member[table_words] = len(tables)
                head = "\t".join(" ".join([words.text[word] for word in cell]) for cell in rows[0])
                tables.append(RuledTable(page, rows, _columns(cells), head))
    return tables, member


def _cells(edges: Float32) -> list[list[Box]]:
    """Return the cells of each table that the lines form."""
    rules: Any = import_module("pdfplumber.table")
    lines = [_as_edge(*edge) for edge in dict.fromkeys(map(tuple, edges.tolist()))]
    merged = rules.merge_edges(lines, TOLERANCE, TOLERANCE, TOLERANCE, TOLERANCE)
    crossings = rules.edges_to_intersections(merged, TOLERANCE, TOLERANCE)
    if len(crossings) > MAX_EDGES:
        return []
    tables: list[list[Box]] = rules.cells_to_tables(rules.intersections_to_cells(crossings))
    return tables


def _as_edge(left: float, top: float, right: float, bottom: float) -> dict[str, Any]:
    return {
        "x0": left,
        "x1": right,
        "top": top,
        "bottom": bottom,
        "width": right - left,
        "height": bottom - top,
        "orientation": "h" if bottom - top < right - left else "v",
        "object_type": "line",
    }


def _around(cells: Sequence[Box]) -> Box:
    boxes = np.array(cells)
    return (*map(float, boxes[:, :2].min(axis=0)), *map(float, boxes[:, 2:].max(axis=0)))  # type: ignore[return-value]


def _columns(cells: Sequence[Box]) -> tuple[float, ...]:
    columns: list[float] = []
    for edge in sorted(edge for cell in cells for edge in (cell[0], cell[2])):
        if not columns or edge - columns[-1] > TOLERANCE:
            columns.append(edge)
    return tuple(columns)


def _within(boxes: Float32, frame: Box) -> np.ndarray[Any, np.dtype[np.bool_]]:
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    is_inside: np.ndarray[Any, np.dtype[np.bool_]] = (
        (x >= frame[0]) & (x <= frame[2]) & (y >= frame[1]) & (y <= frame[3])
    )
    return is_inside


def _assign_to_cells(words: Words, table_words: Int64, cells: Sequence[Box]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return the cells' words, by row and column; a word in no cell goes to the nearest."""
    if not len(table_words):
        return ()
    boxes = np.array(sorted(cells, key=lambda cell: (round(cell[1]), cell[0])))
    layout_box = words.layout_box[table_words]
    x, y = (layout_box[:, 0] + layout_box[:, 2]) / 2, (layout_box[:, 1] + layout_box[:, 3]) / 2
    away_x = np.maximum(np.maximum(boxes[None, :, 0] - x[:, None], x[:, None] - boxes[None, :, 2]), 0)
    away_y = np.maximum(np.maximum(boxes[None, :, 1] - y[:, None], y[:, None] - boxes[None, :, 3]), 0)
    nearest = (away_x + away_y).argmin(axis=1)
    rows: list[list[tuple[int, ...]]] = []
    top = -np.inf
    for number, box in enumerate(boxes.tolist()):
        if not rows or box[1] - top > TOLERANCE:
            rows.append([])
            top = box[1]
        rows[-1].append(tuple(table_words[nearest == number].tolist()))
    return tuple(tuple(row) for row in rows if any(row))


def _is_table(rows: Sequence[Sequence[Sequence[int]]]) -> bool:
    """Return whether boxes form a table: at least two rows with several cells that have text."""
    full = sum(sum(map(bool, row)) > 1 for row in rows)
    return len(rows) > 1 and full > 1
